package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan;
import org.apache.calcite.rel.RelNode;

/** A relational expression that the engine runs. */
public interface GpuRel extends RelNode {
  /** The calling convention. */
  GpuConvention CONVENTION = GpuConvention.INSTANCE;

  /**
   * The plan of this node over the plans of its inputs, which the implementor makes. Its columns
   * are those of {@link #getRowType}.
   */
  PhysicalPlan implement(GpuRelImplementor implementor);
}
