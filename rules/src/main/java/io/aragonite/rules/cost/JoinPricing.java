package io.aragonite.rules.cost;

import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.cost.JoinPrice;
import io.aragonite.exec.cost.JoinShape;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.operator.join.FilterPlace;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.Skew;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.rules.hint.JoinHints;
import io.aragonite.rules.metadata.JoinEstimates;
import io.aragonite.rules.metadata.KeyStatistics;
import io.aragonite.rules.metadata.TableData;
import io.aragonite.rules.runtime.EngineProvider;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/** What the model of joins says of a join in a plan. */
public final class JoinPricing {
  /**
   * What of the time that filters of keys are to spare counts: how many rows they drop is a guess.
   */
  private static final double FILTERED = 0.8;

  private JoinPricing() {}

  /** What was measured of the device that the plan is for. */
  public static MachineProfile profile(RelOptPlanner planner) {
    Context context = planner.getContext();
    MachineProfile own = context == null ? null : context.unwrap(MachineProfile.class);
    Device device = device(planner);
    return own != null ? own : device == null ? MachineProfile.CPU : device.profile();
  }

  /** Bytes of memory that a query may have on the device; infinite if no device is known. */
  public static double memory(RelOptPlanner planner) {
    Device device = device(planner);
    return device == null ? Double.POSITIVE_INFINITY : device.memory().limit();
  }

  /** The algorithm that the connection asks of all joins on equal keys; null if none. */
  public static @Nullable JoinAlgorithm forced(RelOptPlanner planner) {
    Context context = planner.getContext();
    EngineProvider engines = context == null ? null : context.unwrap(EngineProvider.class);
    return engines == null ? null : engines.join();
  }

  /** How many devices run a query together. */
  private static int devices(RelOptPlanner planner) {
    Context context = planner.getContext();
    EngineProvider engines = context == null ? null : context.unwrap(EngineProvider.class);
    DeviceGroup group = engines == null ? null : engines.engine().group();
    return group == null ? 1 : group.devices().size();
  }

  private static @Nullable Device device(RelOptPlanner planner) {
    Context context = planner.getContext();
    EngineProvider engines = context == null ? null : context.unwrap(EngineProvider.class);
    return engines == null ? null : engines.engine().device();
  }

  /**
   * An algorithm with its price.
   *
   * @param fits whether the device's memory is enough
   */
  public record PricedJoin(JoinPrice price, boolean fits) {}

  /** The algorithms that join by equality and that queries can use, with their prices. */
  public static List<PricedJoin> prices(Join join, RelMetadataQuery mq, boolean buildLeft) {
    RelOptPlanner planner = join.getCluster().getPlanner();
    JoinModel model = new JoinModel(profile(planner));
    JoinShape shape = shape(join, mq, buildLeft);
    double memory = memory(planner);
    List<JoinPrice> prices = new ArrayList<>();
    for (JoinPrice price : model.forQueries(shape)) {
      prices.add(model.outOfCore(price, shape, memory));
    }
    boolean asked = asked(join, planner);
    // What several devices hold together is spread over them.
    if (asked || model.exceeds(shape, memory * devices(planner))) {
      HostTables tables = HostTables.of(join);
      if (tables != null) {
        prices.add(model.hostMerge(shape, tables.left(), tables.right()));
      }
    }
    return prices.stream()
        .map(price -> new PricedJoin(price, JoinModel.fits(price, shape, memory)))
        .toList();
  }

  /**
   * What a null-aware join of several keys takes beside a join of the rows without nulls: a table
   * of the build rows with a null in a key, which all probe rows are looked up in, and one of all
   * build rows for the probe rows with a null in it. Rows with several nulls count as more rows.
   */
  public static double nullMasks(Join join, RelMetadataQuery mq) {
    JoinInfo info = JoinEstimates.keys(join);
    if (info.leftKeys.size() < 2) {
      return 0;
    }
    JoinModel model = new JoinModel(profile(join.getCluster().getPlanner()));
    double left = OperatorCosts.rows(join.getLeft(), mq);
    double right = OperatorCosts.rows(join.getRight(), mq);
    double nanos = 0;
    for (int i = 0; i < info.leftKeys.size(); i++) {
      double ofRight = right * KeyStatistics.nullShare(join.getRight(), info.rightKeys.get(i), mq);
      double ofLeft = left * KeyStatistics.nullShare(join.getLeft(), info.leftKeys.get(i), mq);
      nanos += ofRight == 0 ? 0 : looked(model, ofRight, left);
      nanos += ofLeft == 0 ? 0 : looked(model, right, ofLeft);
    }
    return nanos;
  }

  /** Rows that are looked up in a table of others, none of whose columns comes out. */
  private static double looked(JoinModel model, double build, double probe) {
    double any = Double.POSITIVE_INFINITY;
    return model
        .nonPartitioned(
            new JoinShape(
                JoinShape.JoinSideShape.of(build, 0, 0),
                JoinShape.JoinSideShape.of(probe, 0, 0),
                Long.BYTES,
                Math.max(1, build),
                any,
                1,
                0,
                Skew.none(Math.max(1, build)),
                true))
        .nanos();
  }

  /** Whether the connection or the statement asks for joins of tables in host memory. */
  private static boolean asked(Join join, RelOptPlanner planner) {
    JoinHints hints = JoinHints.of(planner);
    JoinAlgorithm named = hints == null ? null : hints.algorithm(join);
    return (named == null ? forced(planner) : named) == JoinAlgorithm.HOST_SORT_MERGE;
  }

  /** What the planner expects of a join with a side built. */
  public static JoinEstimate estimate(Join join, RelMetadataQuery mq, boolean buildLeft) {
    RelNode build = buildLeft ? join.getLeft() : join.getRight();
    RelNode probe = buildLeft ? join.getRight() : join.getLeft();
    JoinInfo info = JoinEstimates.keys(join);
    List<Integer> buildKeys = buildLeft ? info.leftKeys : info.rightKeys;
    List<Integer> probeKeys = buildLeft ? info.rightKeys : info.leftKeys;
    double distinct = JoinEstimates.distinct(build, mq, ImmutableBitSet.of(buildKeys));
    double probeDistinct = JoinEstimates.distinct(probe, mq, ImmutableBitSet.of(probeKeys));
    KeyStatistics keys = KeyStatistics.of(build, buildKeys, probe, probeKeys, mq);
    return new JoinEstimate(
        OperatorCosts.rows(build, mq),
        OperatorCosts.rows(probe, mq),
        distinct,
        keys.matchRatio(distinct, probeDistinct),
        OperatorCosts.rows(join, mq),
        keys.topShare(),
        keys.guessed(),
        false);
  }

  /**
   * The time that groupings of the probe side are spared, since a filter of the build side's keys
   * acts on their rows.
   */
  public static double sparedGroups(Join join, RelMetadataQuery mq, boolean buildLeft) {
    JoinRelType type = join.getJoinType();
    boolean drops =
        buildLeft
            ? !type.generatesNullsOnLeft()
            : !type.generatesNullsOnRight() && type != JoinRelType.ANTI;
    if (!drops) {
      return 0;
    }
    JoinInfo info = JoinEstimates.keys(join);
    double groups =
        GroupPricing.below(
            buildLeft ? join.getRight() : join.getLeft(),
            buildLeft ? info.rightKeys : info.leftKeys,
            mq);
    if (groups == 0) {
      return 0;
    }
    JoinEstimate expected = estimate(join, mq, buildLeft);
    return sparedGroups(
        groups,
        Math.min(1, expected.matchRatio()),
        expected.buildRows(),
        expected.probeRows(),
        join.getCluster().getPlanner());
  }

  /**
   * The same, if the rest is known.
   *
   * @param groups what the groupings take
   * @param kept the share of rows that the filter leaves
   */
  public static double sparedGroups(
      double groups, double kept, double buildRows, double probeRows, RelOptPlanner planner) {
    double filter = FilterPlace.price(buildRows, probeRows, profile(planner));
    return Math.max(0, FILTERED * (1 - kept) * groups - filter);
  }

  private static JoinShape shape(Join join, RelMetadataQuery mq, boolean buildLeft) {
    JoinEstimate expected = estimate(join, mq, buildLeft);
    RelNode build = buildLeft ? join.getLeft() : join.getRight();
    RelNode probe = buildLeft ? join.getRight() : join.getLeft();
    JoinInfo info = JoinEstimates.keys(join);
    List<Integer> buildKeys = buildLeft ? info.leftKeys : info.rightKeys;
    List<Integer> probeKeys = buildLeft ? info.rightKeys : info.leftKeys;
    return new JoinShape(
        side(join, buildLeft, expected.buildRows()),
        side(join, !buildLeft, expected.probeRows()),
        Long.BYTES,
        expected.distinct(),
        KeyStatistics.range(build, buildKeys, mq),
        expected.matchRatio(),
        KeyStatistics.within(build, buildKeys, probe, probeKeys, mq),
        expected.outRows(),
        Skew.of(expected.topShare(), expected.distinct()),
        profile(join.getCluster().getPlanner()).host() || !isTable(build) || !isTable(probe));
  }

  /** Whether a relation is a table whose columns a device can keep, or some of these. */
  private static boolean isTable(RelNode rel) {
    return switch (rel) {
      case RelSubset subset -> isTable(subset.getBestOrOriginal());
      case Project project ->
          project.getProjects().stream().allMatch(RexInputRef.class::isInstance)
              && isTable(project.getInput());
      case TableScan scan -> scan.getTable().unwrap(TableData.class) != null;
      default -> false;
    };
  }

  /** What of a side's rows a join moves: nothing but keys where only the other side comes out. */
  private static JoinShape.JoinSideShape side(Join join, boolean left, double rows) {
    return left || join.getJoinType().projectsRight()
        ? side(left ? join.getLeft() : join.getRight(), rows)
        : JoinShape.JoinSideShape.of(rows, 0, 0);
  }

  /** What of a relation's rows a join moves. */
  public static JoinShape.JoinSideShape side(RelNode rel, double rows) {
    int gathered = 0;
    for (RelDataTypeField field : rel.getRowType().getFieldList()) {
      DataType type = TypeMapping.of(field.getType());
      Storage storage = Storage.of(type);
      gathered +=
          storage == Storage.BYTES || storage.width() > Long.BYTES || type.nullable() ? 1 : 0;
    }
    int columns = rel.getRowType().getFieldCount();
    double bytes = OperatorCosts.rowBytes(rel, rel.getCluster().getMetadataQuery());
    return new JoinShape.JoinSideShape(rows, columns, bytes, gathered, false);
  }

  /** The time of a join without keys, which looks at every pair. */
  public static double nestedLoop(
      RelOptPlanner planner, double leftRows, double rightRows, double outRows) {
    DeviceProfile device = OperatorCosts.profile(planner);
    return device.startNanos() + (leftRows * rightRows + outRows) * device.expressionNanos();
  }
}
