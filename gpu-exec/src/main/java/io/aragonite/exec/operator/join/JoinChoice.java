package io.aragonite.exec.operator.join;

import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.cost.JoinPrice;
import io.aragonite.exec.cost.JoinShape;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.profile.Skew;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.JoinSettings;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.List;
import java.util.Locale;

/**
 * Looks at the planned algorithm of a join again when the pipeline of its build side has ended: its
 * rows are counted then, the bounds of its keys are true ones, and the device is known on which the
 * query really runs.
 */
final class JoinChoice {
  /** A text, as far as types can tell. */
  private static final int TEXT_BYTES = 20;

  private static final JoinFirstUses FIRST_USES = new JoinFirstUses();

  private JoinChoice() {}

  /** The join with the algorithm to go on with. */
  static JoinSpec revise(PlanCompiler compiler, Join node, JoinSpec spec, int buildRows) {
    JoinAlgorithm better = better(compiler, node, spec, buildRows);
    FIRST_USES.ran(better);
    Join plan = spec.plan();
    if (better == plan.algorithm()) {
      return spec;
    }
    Join other = plan.with(better, plan.buildLeft(), plan.expected());
    return new JoinSpec(other, spec.left(), spec.right());
  }

  private static JoinAlgorithm better(
      PlanCompiler compiler, Join node, JoinSpec spec, int buildRows) {
    JoinAlgorithm planned = spec.plan().algorithm();
    JoinEstimate expected = spec.plan().expected();
    if (expected == null
        || expected.settled()
        || planned == JoinAlgorithm.NESTED_LOOP
        || compiler.join() != null) {
      return planned;
    }
    Device device = compiler.resources().context().device();
    JoinShape shape = shape(spec, expected, buildRows);
    JoinModel model = new JoinModel(device.profile());
    List<JoinPrice> prices = model.forQueries(shape);
    JoinPrice present = price(prices, planned);
    MemoryBudget budget = device.memory();
    double free = Math.max(0, (double) budget.limit() - budget.used());
    JoinPrice best = cheapest(prices, shape, free, present);
    boolean fits = JoinModel.fits(present, shape, free);
    if (best.algorithm() == planned || fits && !pays(device, best, present, model)) {
      return planned;
    }
    compiler
        .resources()
        .metrics(node)
        .addNote(
            String.format(
                Locale.ROOT,
                "switched at run time: %,.0f build rows were expected, %,d came; %s, %.3f ms, in"
                    + " place of %s, %s",
                expected.buildRows(),
                buildRows,
                best.algorithm().label(),
                best.nanos() / 1e6,
                planned.label(),
                fits
                    ? String.format(Locale.ROOT, "%.3f ms", present.nanos() / 1e6)
                    : String.format(
                        Locale.ROOT,
                        "which needs %,.0f MiB of %,.0f that are free",
                        present.bytes() / (1 << 20),
                        free / (1 << 20))));
    return best.algorithm();
  }

  /** Whether an algorithm is so much cheaper than the planned one that it is worth a change. */
  private static boolean pays(Device device, JoinPrice best, JoinPrice present, JoinModel model) {
    return best.nanos() * model.doubt(best.algorithm()) <= present.nanos()
        && (!device.profile().host()
            || FIRST_USES.pays(best.algorithm(), present.nanos() - best.nanos()));
  }

  /**
   * Whether two sides that are both there are joined quicker by partitions, as the model has it,
   * than by one table over the build side.
   */
  static boolean partitions(Device device, JoinSpec spec, long buildRows, long probeRows) {
    JoinSettings.SpilledJoinMethod wanted = EngineSettings.current().joins().spilled();
    if (wanted != JoinSettings.SpilledJoinMethod.AUTO) {
      return wanted == JoinSettings.SpilledJoinMethod.PARTITIONED;
    }
    JoinShape shape =
        new JoinShape(
            side(spec.build(), buildRows),
            side(spec.probe(), probeRows),
            Long.BYTES,
            buildRows,
            Double.POSITIVE_INFINITY,
            1,
            probeRows,
            Skew.none(buildRows),
            false);
    // Both sides come to the device in any case, so that a wrong choice costs little.
    List<JoinPrice> prices = new JoinModel(device.profile()).forQueries(shape);
    return price(prices, JoinAlgorithm.PARTITIONED_HASH).nanos()
        < price(prices, JoinAlgorithm.NON_PARTITIONED_HASH).nanos();
  }

  static JoinPrice price(List<JoinPrice> prices, JoinAlgorithm algorithm) {
    for (JoinPrice price : prices) {
      if (price.algorithm() == algorithm) {
        return price;
      }
    }
    throw new IllegalArgumentException("no price of " + algorithm);
  }

  /** The first of the cheapest that there is room for. */
  private static JoinPrice cheapest(
      List<JoinPrice> prices, JoinShape shape, double free, JoinPrice ifNone) {
    JoinPrice best = null;
    for (JoinPrice price : prices) {
      boolean better = best == null || Double.compare(price.nanos(), best.nanos()) < 0;
      if (better && JoinModel.fits(price, shape, free)) {
        best = price;
      }
    }
    return best == null ? ifNone : best;
  }

  private static JoinShape shape(JoinSpec spec, JoinEstimate expected, int buildRows) {
    double more = buildRows / Math.max(1, expected.buildRows());
    double range = range(spec.buildKeyShapes());
    double distinct = Math.min(Math.min(buildRows, range), Math.max(1, expected.distinct() * more));
    return new JoinShape(
        side(spec.build(), buildRows),
        side(spec.probe(), expected.probeRows()),
        Long.BYTES,
        distinct,
        range,
        Math.min(1, expected.matchRatio()),
        within(spec),
        expected.outRows() * more,
        Skew.of(expected.topShare(), distinct),
        true);
  }

  /** How many different words keys can have by their bounds. */
  static double range(List<ColumnShape> keys) {
    double range = 1;
    for (ColumnShape key : keys) {
      ValueRange bounds = key.range();
      range *= bounds == null ? Double.POSITIVE_INFINITY : (double) bounds.max() - bounds.min() + 1;
    }
    return range;
  }

  /** The share of probe rows within the build side's bounds, if keys are spread evenly. */
  private static double within(JoinSpec spec) {
    double within = 1;
    for (int i = 0; i < spec.buildKeyShapes().size(); i++) {
      ValueRange build = spec.buildKeyShapes().get(i).range();
      ValueRange probe = spec.probeKeyShapes().get(i).range();
      within *=
          build == null || probe == null
              ? 1
              : JoinShape.within(build.min(), build.max(), probe.min(), probe.max());
    }
    return within;
  }

  static JoinShape.JoinSideShape side(List<ColumnShape> columns, double rows) {
    int bytes = 0;
    int gathered = 0;
    for (ColumnShape column : columns) {
      boolean text = column.storage() == Storage.BYTES;
      bytes += text ? TEXT_BYTES : column.storage().width();
      gathered += text || column.mayBeNull() || column.storage().width() > Long.BYTES ? 1 : 0;
    }
    return new JoinShape.JoinSideShape(rows, columns.size(), bytes, gathered, false);
  }
}
