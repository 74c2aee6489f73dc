package io.aragonite.rules.rel;

import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;

/** {@link MaterializedCteRel} before it has a device. */
public final class LogicalMaterializedCte extends MaterializedCteRel {
  private LogicalMaterializedCte(RelTraitSet traits, RelNode rows, RelNode query, CteTable table) {
    super(traits, rows, query, table);
  }

  /** The node; it has the query's order. */
  public static LogicalMaterializedCte create(RelNode rows, RelNode query, CteTable table) {
    return new LogicalMaterializedCte(query.getTraitSet(), rows, query, table);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new LogicalMaterializedCte(traitSet, inputs.get(0), inputs.get(1), table);
  }
}
