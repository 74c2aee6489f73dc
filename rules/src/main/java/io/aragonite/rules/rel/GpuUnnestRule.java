package io.aragonite.rules.rel;

import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;

/** Turns a {@link LogicalUnnest} into a {@link GpuUnnest}. */
public final class GpuUnnestRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalUnnest.class, "GpuUnnestRule", GpuUnnestRule::new).toRule(GpuUnnestRule.class);

  private GpuUnnestRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalUnnest unnest = (LogicalUnnest) rel;
    UnnestExpressions expressions = new UnnestExpressions(unnest);
    check(unnest, expressions.counted());
    check(unnest, expressions.elements());
    return new GpuUnnest(
        traits(unnest), input(unnest.getInput()), unnest.form(), unnest.elements());
  }
}
