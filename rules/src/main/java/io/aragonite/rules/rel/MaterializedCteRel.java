package io.aragonite.rules.rel;

import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.BiRel;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;

/** A query, on the right, that scans a {@link CteTable}, whose rows are on the left. */
abstract class MaterializedCteRel extends BiRel {
  final CteTable table;

  MaterializedCteRel(RelTraitSet traits, RelNode rows, RelNode query, CteTable table) {
    super(query.getCluster(), traits, rows, query);
    this.table = table;
  }

  @Override
  protected RelDataType deriveRowType() {
    return right.getRowType();
  }

  @Override
  public double estimateRowCount(RelMetadataQuery mq) {
    return mq.getRowCount(right);
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return writer.input("rows", left).input("query", right).item("table", table);
  }
}
