package io.aragonite.rules.rel;

import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;

/** Turns a {@link LogicalMaterializedCte} into a {@link GpuMaterializedCte}. */
public final class GpuMaterializedCteRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalMaterializedCte.class, "GpuMaterializedCteRule", GpuMaterializedCteRule::new)
          .toRule(GpuMaterializedCteRule.class);

  private GpuMaterializedCteRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalMaterializedCte cte = (LogicalMaterializedCte) rel;
    RelTraitSet traits = cte.getTraitSet().replace(GpuRel.CONVENTION);
    return new GpuMaterializedCte(
        traits, input(cte.getLeft()), convert(cte.getRight(), traits), cte.table);
  }
}
