package io.aragonite.exec.cost;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.Skew;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a whole plan takes on a device whose columns are there: to choose between devices, not
 * between plans. Joins and groupings are priced by their models from what the planner expected of
 * them; what it did not write down is guessed alike for all devices. A scan hands out references to
 * columns: reading is charged to whoever reads. What has no figure of its own in a profile is of
 * TPC-H's operators at scale 30 on one H200 (2026-11-22).
 */
public final class PlanPrice {
  /** Steps of a recursion, of which nothing is known. */
  private static final double STEPS = 10;

  /** Bytes of a text: what dictionaries and short texts come to. */
  private static final int TEXT_BYTES = 16;

  /** A code of a dictionary. */
  private static final int CODE_BYTES = 4;

  /** What a filter keeps and a grouping makes of its rows. */
  private static final double KEPT = 0.5;

  private static final double GROUPS = 0.1;

  /** Bytes that a filter writes and reads of each row, beside the columns that it looks at. */
  private static final double FILTERED_BYTES = 8;

  /** Reading a text letter by letter, over reading its bytes in order. */
  private static final double LETTERS = 5;

  /** Steps in which rows are sorted by a text that is in no dictionary, some letters each. */
  private static final int TEXT_STEPS = 24;

  /** Values made that an operation of an expression takes as long as. */
  private static final double OPERATION = 1.2;

  /** Passes of a sort: words of 64 bits by digits of eight. */
  private static final int PASSES = 8;

  private final MachineProfile device;
  private final JoinModel joins;
  private final GroupModel groups;
  private final BiPredicate<Table, Integer> inOrder;

  /**
   * @param device what it was measured to do, all workers together
   */
  public PlanPrice(MachineProfile device) {
    this(device, (table, column) -> false);
  }

  /**
   * @param inOrder whether a table is known to be in the order of a column
   */
  public PlanPrice(MachineProfile device, BiPredicate<Table, Integer> inOrder) {
    this.device = device;
    this.inOrder = inOrder;
    this.joins = new JoinModel(device);
    this.groups = new GroupModel(device);
  }

  private record Priced(double nanos, double rows) {}

  /** Nanoseconds. */
  public double nanos(PhysicalPlan plan) {
    return price(plan, 1).nanos;
  }

  /** Nanoseconds of these in which operators launch and wait, however few rows they have. */
  public double fixedNanos(PhysicalPlan plan) {
    return price(plan, 0).nanos;
  }

  /**
   * @param share of all rows that there are
   */
  private Priced price(PhysicalPlan plan, double share) {
    double below = 0;
    double rows = 0;
    double all = 0;
    if (!(plan instanceof PhysicalPlan.MultiwayJoin)) {
      for (PhysicalPlan input : plan.inputs()) {
        Priced priced = price(input, share);
        below += priced.nanos;
        rows = Math.max(rows, priced.rows);
        all += priced.rows;
      }
    }
    Priced here = own(plan, share, rows, all);
    return plan instanceof PhysicalPlan.Recursion
        // Each step launches what its plan does; how many there are nobody knows before.
        ? new Priced(STEPS * below, here.rows)
        : new Priced(below + here.nanos, here.rows);
  }

  /**
   * What a node takes without its inputs, and its rows.
   *
   * @param rows of the largest input
   * @param all rows of all inputs
   */
  private Priced own(PhysicalPlan plan, double share, double rows, double all) {
    double width = width(plan.types());
    return switch (plan) {
      case PhysicalPlan.Scan scan -> new Priced(0, share * Math.max(0, scan.table().rows()));
      case PhysicalPlan.Values values ->
          new Priced(device.steps(1, 1), share * values.rows().size());
      case PhysicalPlan.Series series ->
          new Priced(device.steps(1, 1) + made(share * series.rows(), 1, 4), share * series.rows());
      case PhysicalPlan.RowInput host -> new Priced(device.steps(1, 1), share);
      case PhysicalPlan.BatchInput host -> new Priced(device.steps(1, 1), share);
      case PhysicalPlan.Filter filter ->
          new Priced(
              device.steps(2, 2) + filtered(filter, rows),
              Double.isInfinite(filter.expected())
                  ? rows * KEPT
                  : Math.min(rows, share * filter.expected()));
      case PhysicalPlan.Project project -> new Priced(projected(project, rows), rows);
      case PhysicalPlan.Repeat repeat ->
          new Priced(device.steps(3, 1) + made(rows, repeat.types().size(), 8), rows);
      case PhysicalPlan.Join join -> join(join, rows, share);
      // By its joins of two relations, whose inputs are its own.
      case PhysicalPlan.MultiwayJoin multiway -> price(multiway.otherwise(), share);
      case PhysicalPlan.Aggregate aggregate -> aggregate(aggregate, rows, share);
      case PhysicalPlan.Sort sort ->
          new Priced(sort(sort, rows, width), Math.min(rows, fetched(sort)));
      case PhysicalPlan.SetOperation operation -> {
        boolean union = operation.kind() == PhysicalPlan.SetOperation.SetOperationKind.UNION;
        double nanos = union && operation.all() ? 0 : device.steps(8, 3) + all * device.hitNanos();
        yield new Priced(nanos, union ? all : rows);
      }
      case PhysicalPlan.WorkingRows working -> new Priced(device.steps(1, 1), share);
      case PhysicalPlan.MaterializedCte cte -> new Priced(0, rows);
      case PhysicalPlan.Recursion recursion -> new Priced(0, STEPS * all);
      // Collected and partitioned; what moves between devices is ExchangeModel's.
      case PhysicalPlan.Exchange exchange -> new Priced(device.sequential(4 * rows * width), rows);
      case PhysicalPlan.Window window ->
          new Priced(
              device.steps(8, 3)
                  + sorted(rows, PASSES, width)
                  + made(rows, window.calls().size(), 8),
              rows);
    };
  }

  private double projected(PhysicalPlan.Project project, double rows) {
    int computed =
        (int) project.expressions().stream().filter(e -> !(e instanceof Expr.InputRef)).count();
    return computed == 0
        ? 0
        : device.steps(2, 1)
            + rows * operations(project.expressions())
            + made(rows, computed, 8.0 * computed);
  }

  private Priced aggregate(PhysicalPlan.Aggregate aggregate, double rows, double share) {
    double expected =
        Double.isInfinite(aggregate.expected()) ? rows * GROUPS : share * aggregate.expected();
    int sets = aggregate.groupingSets().size();
    double out = aggregate.keys().isEmpty() ? 1 : Math.clamp(expected, 1, Math.max(1, rows * sets));
    // Coarser sets take in the groups of a finer one, where partial results tell enough.
    boolean mergeable =
        aggregate.calls().stream().noneMatch(call -> call.distinct() || call.function() == null);
    long finest =
        IntStream.range(0, sets).filter(set -> !mergeable || aggregate.finest(set) == set).count();
    double price = finest * grouped(aggregate, rows, out);
    return new Priced(
        finest == sets
            ? price
            : price + (sets - finest) * grouped(aggregate, Math.min(rows, out), out),
        out);
  }

  private double sort(PhysicalPlan.Sort sort, double rows, double width) {
    boolean some = sort.fetch() != null || sort.keys().isEmpty();
    long texts =
        sort.keys().stream().filter(key -> letters(sort.input(), key.column()) > 0).count();
    return device.steps(8, 5)
        + texts * device.steps(TEXT_STEPS, TEXT_STEPS)
        + sorted(rows, some ? 1 : PASSES, width);
  }

  private static double fetched(PhysicalPlan.Sort sort) {
    return sort.fetch() instanceof Expr.Literal count && count.value() instanceof Long rows
        ? rows
        : Double.POSITIVE_INFINITY;
  }

  private double filtered(PhysicalPlan.Filter filter, double rows) {
    Set<Integer> columns = new TreeSet<>();
    lookedAt(filter.predicate(), columns);
    double bytes = FILTERED_BYTES;
    for (int column : columns) {
      DataType type = filter.input().types().get(column);
      bytes +=
          Storage.of(type) == Storage.BYTES
              ? CODE_BYTES + LETTERS * letters(filter.input(), column)
              : Storage.of(type).width();
    }
    return rows * operations(List.of(filter.predicate())) + device.sequential(rows * bytes);
  }

  /** Bytes of a text that is in no dictionary; 0 if it is, or nothing is known. */
  private static double letters(PhysicalPlan plan, int column) {
    Origin from =
        Storage.of(plan.types().get(column)) == Storage.BYTES ? origin(plan, column) : null;
    if (from == null || from.table.rows() <= 0) {
      return 0;
    }
    return Math.max(0, (double) from.table.bytes(from.column) / from.table.rows() - CODE_BYTES);
  }

  private record Origin(Table table, int column) {}

  /** Where a column's values are from; null if they are made. */
  private static @Nullable Origin origin(PhysicalPlan plan, int column) {
    return switch (plan) {
      case PhysicalPlan.Scan scan -> new Origin(scan.table(), scan.columns().get(column));
      case PhysicalPlan.Filter filter -> origin(filter.input(), column);
      case PhysicalPlan.Sort sort -> origin(sort.input(), column);
      case PhysicalPlan.Project project ->
          project.expressions().get(column) instanceof Expr.InputRef ref
              ? origin(project.input(), ref.index())
              : null;
      case PhysicalPlan.Join join -> {
        int left = join.left().types().size();
        yield column < left ? origin(join.left(), column) : origin(join.right(), column - left);
      }
      case PhysicalPlan.Aggregate aggregate -> {
        int call = column - aggregate.keys().size();
        if (call < 0) {
          yield origin(aggregate.input(), aggregate.keys().get(column));
        }
        yield call < aggregate.calls().size()
                && aggregate.calls().get(call).function() == AggregateFunction.ANY_VALUE
            ? origin(aggregate.input(), aggregate.calls().get(call).args().getFirst())
            : null;
      }
      default -> null;
    };
  }

  private static void lookedAt(Expr expression, Set<Integer> columns) {
    switch (expression) {
      case Expr.InputRef ref -> columns.add(ref.index());
      case Expr.Call call -> call.args().forEach(arg -> lookedAt(arg, columns));
      case Expr.HostFunctionCall call -> call.args().forEach(arg -> lookedAt(arg, columns));
      default -> {}
    }
  }

  private double grouped(PhysicalPlan.Aggregate aggregate, double rows, double out) {
    List<AggregateCall> calls = aggregate.calls();
    long distinct = calls.stream().filter(AggregateCall::distinct).count();
    if (device.host()) {
      return rows
          * (calls.size() * (OPERATION * device.valueNanos() + device.sequential(16))
              + (aggregate.keys().isEmpty() ? 0 : device.hitNanos() + device.sequential(16))
              + distinct * (device.missNanos() + device.sequential(16)));
    }
    int fetched = (int) calls.stream().filter(call -> !call.args().isEmpty()).count();
    // Values that count once are grouped by themselves first, of which most are different.
    double once = distinct * grouped(aggregate.keys().size() + 1, 0, 0, rows, rows, false);
    return once
        + (aggregate.keys().isEmpty()
            ? device.steps(4, 4) + device.sequential(rows * 8 * calls.size())
            : grouped(
                aggregate.keys().size(), calls.size(), fetched, rows, out, inOrder(aggregate)));
  }

  private boolean inOrder(PhysicalPlan.Aggregate aggregate) {
    return aggregate.keys().size() == 1
        && aggregate.input() instanceof PhysicalPlan.Scan scan
        && inOrder.test(scan.table(), scan.columns().get(aggregate.keys().getFirst()));
  }

  private double grouped(
      int keys, int values, int fetched, double rows, double out, boolean inOrder) {
    // Keys are mostly numbers from one on, or codes, of which there are twice as many at most.
    double bits = 1 + Math.log(Math.max(2, out)) / Math.log(2);
    GroupModel.Shape shape =
        new GroupModel.Shape(rows, out, keys, Math.max(1, values), fetched, bits, true);
    double best =
        inOrder
            ? groups.inOrder(shape)
            : Math.min(groups.table(shape), Math.min(groups.sort(shape), groups.nearTable(shape)));
    return device.steps(16, 10) + best;
  }

  private Priced join(PhysicalPlan.Join join, double rows, double share) {
    JoinEstimate expected = join.expected();
    if (expected == null) {
      return new Priced(device.steps(8, 3) + rows * device.hitNanos(), rows);
    }
    PhysicalPlan build = join.buildLeft() ? join.left() : join.right();
    PhysicalPlan probe = join.buildLeft() ? join.right() : join.left();
    double distinct = Math.max(1, share * expected.distinct());
    double out = share * expected.outRows();
    JoinShape shape =
        new JoinShape(
            JoinShape.JoinSideShape.of(
                share * expected.buildRows(), build.types().size(), width(build.types())),
            JoinShape.JoinSideShape.of(
                share * expected.probeRows(), probe.types().size(), width(probe.types())),
            Long.BYTES,
            distinct,
            // Most are numbers from one on.
            distinct * 2,
            Math.min(1, expected.matchRatio()),
            out,
            Skew.of(expected.topShare(), distinct),
            true);
    return new Priced(joins.cheapestForQueries(shape), out);
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
