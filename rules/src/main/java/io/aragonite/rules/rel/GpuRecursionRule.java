package io.aragonite.rules.rel;

import io.aragonite.rules.translate.Untranslatable;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalRepeatUnion;

/** Turns a {@link LogicalRepeatUnion} into a {@link GpuRecursion}. */
public final class GpuRecursionRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalRepeatUnion.class, "GpuRecursionRule", GpuRecursionRule::new)
          .toRule(GpuRecursionRule.class);

  private GpuRecursionRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalRepeatUnion union = (LogicalRepeatUnion) rel;
    RelOptTable table = union.getTransientTable();
    if (table == null || union.iterationLimit >= 0) {
      throw new Untranslatable("a recursion with a limit of steps");
    }
    if (!union.all) {
      requireComparableRow(union);
    }
    return new GpuRecursion(
        union.getCluster(),
        traits(union),
        input(union.getSeedRel()),
        input(union.getIterativeRel()),
        union.all,
        table);
  }
}
