package io.aragonite.rules.rel;

import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;

/** Turns a {@link LogicalMultiwayJoin} into a {@link GpuMultiwayJoin}. */
public final class GpuMultiwayJoinRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalMultiwayJoin.class, "GpuMultiwayJoinRule", GpuMultiwayJoinRule::new)
          .toRule(GpuMultiwayJoinRule.class);

  private GpuMultiwayJoinRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalMultiwayJoin join = (LogicalMultiwayJoin) rel;
    return new GpuMultiwayJoin(
        join.getCluster(),
        traits(join),
        join.getInputs().stream().map(GpuConverterRule::input).toList(),
        join.spec());
  }
}
