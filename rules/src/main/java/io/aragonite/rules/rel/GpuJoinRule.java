package io.aragonite.rules.rel;

import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.rules.cost.Costs;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.metadata.JoinEstimates;
import io.aragonite.rules.translate.TypeMapping;
import io.aragonite.rules.translate.Untranslatable;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataTypeField;

/** Turns a {@link LogicalJoin} into a {@link GpuJoin} with the cheaper side built. */
public final class GpuJoinRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalJoin.class, "GpuJoinRule", GpuJoinRule::new).toRule(GpuJoinRule.class);

  private GpuJoinRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalJoin join = (LogicalJoin) rel;
    if (join.getJoinType() == JoinRelType.ASOF || join.getJoinType() == JoinRelType.LEFT_ASOF) {
      throw new Untranslatable("an ASOF join");
    }
    if (!join.getVariablesSet().isEmpty()) {
      throw new Untranslatable("a join with correlated variables");
    }
    check(join, List.of(join.getCondition()));
    JoinInfo info = JoinEstimates.keys(join);
    requireComparable(join.getLeft().getRowType().getFieldList(), info.leftKeys);
    requireComparable(join.getRight().getRowType().getFieldList(), info.rightKeys);
    JoinAlgorithm algorithm =
        info.leftKeys.isEmpty() ? JoinAlgorithm.NESTED_LOOP : JoinAlgorithm.NON_PARTITIONED_HASH;
    boolean nullAware = NullAwareAnti.isMarked(join);
    GpuJoin right = with(join, algorithm, false, nullAware);
    RelMetadataQuery mq = join.getCluster().getMetadataQuery();
    DeviceProfile device = Costs.profile(join.getCluster().getPlanner());
    boolean buildLeft =
        !nullAware && right.price(device, mq, true) < right.price(device, mq, false);
    return buildLeft ? with(join, algorithm, true, false) : right;
  }

  private static void requireComparable(List<RelDataTypeField> fields, List<Integer> keys) {
    keys.forEach(key -> TypeMapping.requireComparable(fields.get(key).getType(), "a join key"));
  }

  private static GpuJoin with(
      LogicalJoin join, JoinAlgorithm algorithm, boolean buildLeft, boolean nullAware) {
    return new GpuJoin(
        join.getCluster(),
        traits(join),
        input(join.getLeft()),
        input(join.getRight()),
        join.getCondition(),
        join.getJoinType(),
        algorithm,
        buildLeft,
        nullAware);
  }
}
