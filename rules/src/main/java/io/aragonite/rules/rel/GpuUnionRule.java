package io.aragonite.rules.rel;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalUnion;

/** Turns a {@link LogicalUnion} into a {@link GpuUnion}. */
public final class GpuUnionRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalUnion.class, "GpuUnionRule", GpuUnionRule::new).toRule(GpuUnionRule.class);

  private GpuUnionRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalUnion setOp = (LogicalUnion) rel;
    if (!setOp.all) {
      requireComparableRow(setOp);
    }
    List<RelNode> inputs = setOp.getInputs().stream().map(GpuConverterRule::input).toList();
    return new GpuUnion(setOp.getCluster(), traits(setOp), inputs, setOp.all);
  }
}
