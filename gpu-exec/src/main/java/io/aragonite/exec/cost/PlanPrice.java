package io.aragonite.exec.cost;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.util.List;

/**
 * What a whole plan takes on a device whose columns are there: to choose between devices, not
 * between plans. Joins are priced by their model from what the planner expected of them; what it
 * did not write down (rows after filters and groupings) is guessed alike for all devices.
 */
public final class PlanPrice {
  /** Bytes of a text: what dictionaries and short texts come to. */
  private static final int TEXT_BYTES = 16;

  /** What a filter keeps and a grouping makes of its rows. */
  private static final double KEPT = 0.5;

  private static final double GROUPS = 0.1;

  /** Launches and waits of an operator: kernels of TPC-H's queries over their operators. */
  private static final int LAUNCHES = 8;

  private static final int WAITS = 3;

  /** Values made that an operation of an expression takes as long as. */
  private static final double OPERATION = 1.2;

  /** Passes of a sort: words of 64 bits by digits of eight. */
  private static final int PASSES = 8;

  private final MachineProfile device;
  private final JoinModel joins;

  /**
   * @param device what it was measured to do, all workers together
   */
  public PlanPrice(MachineProfile device) {
    this.device = device;
    this.joins = new JoinModel(device);
  }

  private record Priced(double nanos, double rows) {}

  /** Nanoseconds. */
  public double nanos(PhysicalPlan plan) {
    return price(plan).nanos;
  }

  /** Nanoseconds of these in which operators launch and wait, however few rows they have. */
  public double fixedNanos(PhysicalPlan plan) {
    return plan.inputs().stream()
        .mapToDouble(this::fixedNanos)
        .reduce(device.steps(LAUNCHES, WAITS), Double::sum);
  }

  private Priced price(PhysicalPlan plan) {
    double below = 0;
    double rows = 0;
    if (!(plan instanceof PhysicalPlan.MultiwayJoin)) {
      for (PhysicalPlan input : plan.inputs()) {
        Priced priced = price(input);
        below += priced.nanos;
        rows = Math.max(rows, priced.rows);
      }
    }
    double start = below + device.steps(LAUNCHES, WAITS);
    double width = width(plan.types());
    return switch (plan) {
      case PhysicalPlan.Scan scan -> {
        double all = Math.max(0, scan.table().rows());
        yield new Priced(start + device.sequential(all * width), all);
      }
      case PhysicalPlan.Values values -> new Priced(start, values.rows().size());
      case PhysicalPlan.HostRows host -> new Priced(start, 1);
      case PhysicalPlan.Filter filter ->
          new Priced(
              start + rows * operations(List.of(filter.predicate())) + made(rows * KEPT, 1, 4),
              rows * KEPT);
      case PhysicalPlan.Project project -> {
        long computed =
            project.expressions().stream().filter(e -> !(e instanceof Expr.InputRef)).count();
        double nanos = rows * operations(project.expressions());
        yield new Priced(start + nanos + made(rows, (int) computed, 8.0 * computed), rows);
      }
      case PhysicalPlan.Join join -> join(join, start, rows);
      case PhysicalPlan.MultiwayJoin multiway -> price(multiway.otherwise());
      case PhysicalPlan.Aggregate aggregate -> {
        double each =
            aggregate.calls().size() * (OPERATION * device.valueNanos() + device.sequential(16))
                + (aggregate.keys().isEmpty() ? 0 : device.hitNanos() + device.sequential(16))
                + aggregate.calls().stream().filter(AggregateCall::distinct).count()
                    * (device.missNanos() + device.sequential(16));
        yield new Priced(
            start + rows * each, aggregate.keys().isEmpty() ? 1 : Math.max(1, rows * GROUPS));
      }
      case PhysicalPlan.Sort sort -> {
        boolean some = sort.fetch() != null || sort.keys().isEmpty();
        yield new Priced(start + sorted(rows, some ? 1 : PASSES, width), rows);
      }
      case PhysicalPlan.SetOperation operation ->
          new Priced(start + rows * operation.inputs().size() * device.hitNanos(), rows);
      // Collected and partitioned; what moves between devices is ExchangeModel's.
      case PhysicalPlan.Exchange exchange ->
          new Priced(start + device.sequential(4 * rows * width), rows);
      case PhysicalPlan.Window window ->
          new Priced(
              start + sorted(rows, PASSES, width) + made(rows, window.calls().size(), 8), rows);
    };
  }

  private Priced join(PhysicalPlan.Join join, double start, double rows) {
    JoinEstimate expected = join.expected();
    if (expected == null) {
      return new Priced(start + rows * device.hitNanos(), rows);
    }
    PhysicalPlan build = join.buildLeft() ? join.left() : join.right();
    PhysicalPlan probe = join.buildLeft() ? join.right() : join.left();
    JoinShape shape =
        new JoinShape(
            JoinShape.Side.of(expected.buildRows(), build.types().size(), width(build.types())),
            JoinShape.Side.of(expected.probeRows(), probe.types().size(), width(probe.types())),
            Long.BYTES,
            Math.max(1, expected.distinct()),
            // Most are numbers from one on.
            Math.max(1, expected.distinct()) * 2,
            Math.min(1, expected.matchRatio()),
            expected.outRows(),
            Skew.of(expected.topShare(), Math.max(1, expected.distinct())),
            true);
    double nanos = joins.cheapestForQueries(shape);
    return new Priced(start + nanos, expected.outRows());
  }

  private double sorted(double rows, int passes, double width) {
    return rows * passes * device.sortRowNanos() + device.sequential(2 * rows * width);
  }

  private double made(double rows, int values, double bytes) {
    return rows * values * device.valueNanos() + device.sequential(2 * rows * bytes);
  }

  private double operations(List<Expr> expressions) {
    return expressions.stream().mapToInt(PlanPrice::operations).sum()
        * OPERATION
        * device.valueNanos();
  }

  private static int operations(Expr expression) {
    return expression instanceof Expr.Call call
        ? 1 + call.args().stream().mapToInt(PlanPrice::operations).sum()
        : 0;
  }

  /** Bytes of a row. */
  public static double width(List<DataType> types) {
    return types.stream()
        .mapToDouble(type -> {
          Storage storage = Storage.of(type);
          return storage == Storage.BYTES ? TEXT_BYTES : storage.width();
        })
        .sum();
  }
}
