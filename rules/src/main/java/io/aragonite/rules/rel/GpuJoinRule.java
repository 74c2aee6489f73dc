package io.aragonite.rules.rel;

import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.cost.JoinPrice;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.rules.cost.HostTables;
import io.aragonite.rules.cost.JoinPricing;
import io.aragonite.rules.hint.JoinHints;
import io.aragonite.rules.hint.NullAwareAnti;
import io.aragonite.rules.metadata.JoinEstimates;
import io.aragonite.rules.translate.TypeMapping;
import io.aragonite.rules.translate.Untranslatable;
import java.util.List;
import org.apache.calcite.plan.RelOptPlanner;
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
      throw new Untranslatable("the device has no ASOF join; use a join with a correlated MAX");
    }
    if (!join.getVariablesSet().isEmpty()) {
      throw new Untranslatable(
          "the right side of a join depends on its left side; write the subquery as a join with"
              + " conditions");
    }
    check(join, List.of(join.getCondition()));
    JoinInfo info = JoinEstimates.keys(join);
    requireComparable(join.getLeft().getRowType().getFieldList(), info.leftKeys);
    requireComparable(join.getRight().getRowType().getFieldList(), info.rightKeys);
    boolean nullAware = NullAwareAnti.isMarked(join);
    GpuJoin plain =
        with(
            join,
            info.leftKeys.isEmpty()
                ? JoinAlgorithm.NESTED_LOOP
                : JoinAlgorithm.NON_PARTITIONED_HASH,
            false,
            nullAware,
            false);
    return info.leftKeys.isEmpty() ? plain : cheapest(join, plain, nullAware);
  }

  /**
   * What the price of a semi-join or anti-join that builds its left side is multiplied by, or
   * divided by if the left side's keys leave less of the right side than the other way round: keys
   * of the side that is built filter scans below the other, which prices do not know of. What few
   * rows of the right side are spared is not worth the building of more rows of the left one.
   */
  private static final double LEFT_BUILT = 1.5;

  private static double leftBuilt(GpuJoin join, RelMetadataQuery mq) {
    JoinRelType type = join.getJoinType();
    if (type.projectsRight()) {
      return 1;
    }
    double ofLeft =
        type == JoinRelType.ANTI ? 1 : JoinPricing.estimate(join, mq, false).matchRatio();
    JoinEstimate built = JoinPricing.estimate(join, mq, true);
    boolean filters = built.matchRatio() < ofLeft && built.buildRows() <= built.probeRows();
    return filters ? 1 / LEFT_BUILT : LEFT_BUILT;
  }

  /**
   * The algorithm and build side of the lowest price that fits the device's memory, or of the
   * lowest if none fits; of an algorithm that is asked for the build side only.
   */
  private static GpuJoin cheapest(LogicalJoin join, GpuJoin plain, boolean nullAware) {
    RelMetadataQuery mq = join.getCluster().getMetadataQuery();
    RelOptPlanner planner = join.getCluster().getPlanner();
    JoinHints hints = JoinHints.of(planner);
    JoinAlgorithm named = hints == null ? null : hints.algorithm(plain);
    JoinAlgorithm wanted = named != null ? named : JoinPricing.forced(planner);
    if (wanted == JoinAlgorithm.HOST_SORT_MERGE && HostTables.refusal(plain) != null) {
      // What the engine does in its place; if a hint names it, the statement is refused.
      wanted = JoinAlgorithm.SORT_MERGE;
    }
    JoinModel model = new JoinModel(JoinPricing.profile(planner));
    JoinPrice best = null;
    double lowest = Double.POSITIVE_INFINITY;
    boolean bestFits = false;
    boolean buildLeft = false;
    double leftBuilt = leftBuilt(plain, mq);
    for (boolean left : nullAware ? new boolean[] {false} : new boolean[] {false, true}) {
      double spared = JoinPricing.sparedGroups(plain, mq, left);
      for (JoinPricing.PricedJoin priced : JoinPricing.prices(plain, mq, left)) {
        JoinPrice price = priced.price();
        if (wanted != null && price.algorithm() != wanted) {
          continue;
        }
        boolean fits = priced.fits();
        double trusted = model.trusted(price) * (left ? leftBuilt : 1) - spared;
        boolean better = trusted < lowest;
        // Others do not fit where it is a candidate, but can be done in parts, as they are priced.
        boolean always = price.algorithm() == JoinAlgorithm.HOST_SORT_MERGE;
        if (best == null || fits && (!bestFits && !always || better) || !bestFits && better) {
          best = price;
          lowest = trusted;
          bestFits = fits;
          buildLeft = left;
        }
      }
    }
    return best == null ? plain : with(join, best.algorithm(), buildLeft, nullAware, named != null);
  }

  private static void requireComparable(List<RelDataTypeField> fields, List<Integer> keys) {
    keys.forEach(key -> TypeMapping.requireComparable(fields.get(key).getType(), "a join key"));
  }

  private static GpuJoin with(
      LogicalJoin join,
      JoinAlgorithm algorithm,
      boolean buildLeft,
      boolean nullAware,
      boolean named) {
    return new GpuJoin(
        join.getCluster(),
        traits(join),
        input(join.getLeft()),
        input(join.getRight()),
        join.getCondition(),
        join.getJoinType(),
        algorithm,
        buildLeft,
        nullAware,
        named);
  }
}
