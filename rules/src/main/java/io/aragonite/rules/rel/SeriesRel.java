package io.aragonite.rules.rel;

import io.aragonite.rules.metadata.DistinctRowsRel;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;

/** The numbers from 0 on, in their order: one column, an INTEGER that is not null. */
public abstract class SeriesRel extends AbstractRelNode implements DistinctRowsRel {
  final int rows;

  SeriesRel(RelOptCluster cluster, RelTraitSet traits, RelDataType rowType, int rows) {
    super(cluster, traits);
    this.rowType = rowType;
    this.rows = rows;
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public double estimateRowCount(RelMetadataQuery mq) {
    return rows;
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return super.explainTerms(writer).item("rows", rows);
  }
}
