package io.aragonite.rules.rel;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalFilter;

/** Turns a {@link LogicalFilter} into a {@link GpuFilter}. */
public final class GpuFilterRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalFilter.class, "GpuFilterRule", GpuFilterRule::new).toRule(GpuFilterRule.class);

  private GpuFilterRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalFilter filter = (LogicalFilter) rel;
    check(filter, List.of(filter.getCondition()));
    return new GpuFilter(
        filter.getCluster(), traits(filter), input(filter.getInput()), filter.getCondition());
  }
}
