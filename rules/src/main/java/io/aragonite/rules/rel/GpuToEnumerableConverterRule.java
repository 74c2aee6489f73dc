package io.aragonite.rules.rel;

import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;

/** Puts a {@link GpuToEnumerableConverter} over a node of our convention. */
public final class GpuToEnumerableConverterRule extends ConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      Config.INSTANCE
          .withConversion(
              RelNode.class,
              GpuRel.CONVENTION,
              EnumerableConvention.INSTANCE,
              "GpuToEnumerableConverterRule")
          .withRuleFactory(GpuToEnumerableConverterRule::new)
          .toRule(GpuToEnumerableConverterRule.class);

  private GpuToEnumerableConverterRule(Config config) {
    super(config);
  }

  @Override
  public RelNode convert(RelNode rel) {
    return new GpuToEnumerableConverter(
        rel.getCluster(), rel.getTraitSet().replace(getOutTrait()), rel);
  }
}
