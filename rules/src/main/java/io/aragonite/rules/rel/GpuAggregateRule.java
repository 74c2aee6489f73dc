package io.aragonite.rules.rel;

import io.aragonite.rules.translate.AggregateTranslator;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalAggregate;

/** Turns a {@link LogicalAggregate} into a {@link GpuAggregate}. */
public final class GpuAggregateRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalAggregate.class, "GpuAggregateRule", GpuAggregateRule::new)
          .toRule(GpuAggregateRule.class);

  private GpuAggregateRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalAggregate aggregate = (LogicalAggregate) rel;
    new AggregateTranslator(aggregate).check();
    return new GpuAggregate(
        aggregate.getCluster(),
        traits(aggregate),
        input(aggregate.getInput()),
        aggregate.getGroupSet(),
        aggregate.getGroupSets(),
        aggregate.getAggCallList());
  }
}
