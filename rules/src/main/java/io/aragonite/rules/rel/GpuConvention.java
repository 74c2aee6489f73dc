package io.aragonite.rules.rel;

import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptPlanner;

/**
 * The calling convention of everything that the engine runs. A planner that meets it (through a
 * table scan, for instance, in a plain {@code jdbc:calcite:} connection) gets the rules with it.
 */
public final class GpuConvention extends Convention.Impl {
  /** The convention; it is one for all devices. */
  public static final GpuConvention INSTANCE = new GpuConvention();

  private GpuConvention() {
    super("GPU", GpuRel.class);
  }

  @Override
  public void register(RelOptPlanner planner) {
    GpuRules.rules().forEach(planner::addRule);
  }
}
