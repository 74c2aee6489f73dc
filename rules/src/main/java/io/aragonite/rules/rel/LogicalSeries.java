package io.aragonite.rules.rel;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;

/** {@link SeriesRel} before it has a device. */
public final class LogicalSeries extends SeriesRel {
  private LogicalSeries(RelOptCluster cluster, RelTraitSet traits, RelDataType rowType, int rows) {
    super(cluster, traits, rowType, rows);
  }

  /**
   * The node.
   *
   * @param rowType its one column, an INTEGER that is not null
   */
  public static LogicalSeries create(RelOptCluster cluster, RelDataType rowType, int rows) {
    return new LogicalSeries(cluster, cluster.traitSetOf(Convention.NONE), rowType, rows);
  }

  @Override
  public LogicalSeries copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new LogicalSeries(getCluster(), traitSet, getRowType(), rows);
  }
}
