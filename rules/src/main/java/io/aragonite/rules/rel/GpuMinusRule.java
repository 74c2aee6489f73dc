package io.aragonite.rules.rel;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalMinus;

/** Turns a {@link LogicalMinus} into a {@link GpuMinus}. */
public final class GpuMinusRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalMinus.class, "GpuMinusRule", GpuMinusRule::new).toRule(GpuMinusRule.class);

  private GpuMinusRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalMinus setOp = (LogicalMinus) rel;
    requireComparableRow(setOp);
    List<RelNode> inputs = setOp.getInputs().stream().map(GpuConverterRule::input).toList();
    return new GpuMinus(setOp.getCluster(), traits(setOp), inputs, setOp.all);
  }
}
