package io.aragonite.rules.rel;

import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.BiRel;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;

/** A query, on the right, that scans a {@link CteTable}, whose rows are on the left. */
public final class LogicalMaterializedCte extends BiRel {
  private final CteTable table;

  private LogicalMaterializedCte(RelTraitSet traits, RelNode rows, RelNode query, CteTable table) {
    super(query.getCluster(), traits, rows, query);
    this.table = table;
  }

  /** The node; it has the query's order. */
  public static LogicalMaterializedCte create(RelNode rows, RelNode query, CteTable table) {
    return new LogicalMaterializedCte(query.getTraitSet(), rows, query, table);
  }

  CteTable table() {
    return table;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new LogicalMaterializedCte(traitSet, inputs.get(0), inputs.get(1), table);
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
    return super.explainTerms(writer).item("table", table);
  }
}
