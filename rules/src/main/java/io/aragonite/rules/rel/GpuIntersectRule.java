package io.aragonite.rules.rel;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalIntersect;

/** Turns a {@link LogicalIntersect} into a {@link GpuIntersect}. */
public final class GpuIntersectRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalIntersect.class, "GpuIntersectRule", GpuIntersectRule::new)
          .toRule(GpuIntersectRule.class);

  private GpuIntersectRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalIntersect setOp = (LogicalIntersect) rel;
    requireComparableRow(setOp);
    List<RelNode> inputs = setOp.getInputs().stream().map(GpuConverterRule::input).toList();
    return new GpuIntersect(setOp.getCluster(), traits(setOp), inputs, setOp.all);
  }
}
