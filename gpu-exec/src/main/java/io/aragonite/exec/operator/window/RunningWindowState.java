package io.aragonite.exec.operator.window;

import static io.aragonite.exec.operator.window.ExprBuilder.cast;
import static io.aragonite.exec.operator.window.ExprBuilder.choose;
import static io.aragonite.exec.operator.window.ExprBuilder.greatest;
import static io.aragonite.exec.operator.window.ExprBuilder.least;
import static io.aragonite.exec.operator.window.ExprBuilder.plus;
import static io.aragonite.exec.operator.window.ExprBuilder.test;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowCall.Function;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.Exclude;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.plan.WindowFrame.FrameBoundKind;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What calls of a window over a chunk of the rows, and what they had come to before, make together
 * (a running function of two stretches of rows is one of the function over each).
 *
 * @param window computed for each chunk; the numbers of rows are a call of it
 * @param whole finds the aggregates over all rows; null: there are none
 * @param rank the call that tells where the last peers of a chunk begin; -1: it may end anywhere
 * @param lags how many rows before itself a row looks at
 * @param leads how many behind
 * @param kept of the columns of a chunk, its calls' values and those before: these with the chunk's
 * @param results what comes out, of those columns and the aggregates over all rows
 * @param types of what comes out
 */
record RunningWindowState(
    Window window,
    @Nullable RunningWindowState whole,
    int rank,
    int lags,
    int leads,
    List<Expr> kept,
    List<Expr> results,
    List<DataType> types) {

  /** How far away a row may be that LAG or LEAD looks at. */
  private static final int MOST_REACH = 1 << 20;

  /** Whether a window is known to be computed like this. */
  static boolean takes(Window window, List<ColumnShape> inputs) {
    return window.partitionBy().isEmpty()
        && window.calls().stream().allMatch(call -> takes(window, call, inputs))
        && (window.calls().stream().noneMatch(call -> looksAway(window, call))
            || window.calls().stream().noneMatch(call -> asksForPeers(window, call)));
  }

  /** Whether a row's value is of rows near it: chunks overlap then, and may end between peers. */
  private static boolean looksAway(Window window, WindowCall call) {
    return switch (call.function()) {
      case LAG, LEAD -> true;
      case AGGREGATE, FIRST_VALUE, LAST_VALUE, NTH_VALUE, COMOMENT -> moving(window) != null;
      default -> false;
    };
  }

  /**
   * The rows of a frame that moves with its row, by how far they are ahead; null: another frame.
   */
  private static @Nullable ValueRange moving(Window window) {
    Long start = ahead(window.frame().start());
    Long end = ahead(window.frame().end());
    return window.frame().rows() && start != null && end != null
        ? new ValueRange(Math.min(start, end), Math.max(start, end))
        : null;
  }

  private static @Nullable Long ahead(FrameBound bound) {
    long rows =
        bound.offset() instanceof Expr.Literal literal && literal.value() instanceof Long number
            ? number
            : Long.MAX_VALUE;
    return switch (bound.kind()) {
      case CURRENT_ROW -> 0L;
      case PRECEDING -> rows < 0 || rows > MOST_REACH ? null : -rows;
      case FOLLOWING -> rows < 0 || rows > MOST_REACH ? null : rows;
      case UNBOUNDED_PRECEDING, UNBOUNDED_FOLLOWING -> null;
    };
  }

  /** How many rows ahead a call looks at least and at most; null: that is not known. */
  private static @Nullable ValueRange reach(
      Window window, WindowCall call, List<ColumnShape> inputs) {
    if (call.function() != Function.LAG && call.function() != Function.LEAD) {
      return moving(window);
    }
    ValueRange known =
        call.args().size() < 2 ? new ValueRange(1, 1) : inputs.get(call.args().get(1)).range();
    if (known == null || known.min() < -MOST_REACH || known.max() > MOST_REACH) {
      return null;
    }
    return call.function() == Function.LEAD ? known : new ValueRange(-known.max(), -known.min());
  }

  /** How many rows LAG looks back, if that is one number; -1: it is not. */
  private static long back(WindowCall call, List<ColumnShape> inputs) {
    if (call.function() != Function.LAG || call.args().size() < 2) {
      return -1;
    }
    ValueRange reach = inputs.get(call.args().get(1)).range();
    if (reach == null || reach.min() != reach.max()) {
      return -1;
    }
    return inputs.get(call.args().get(1)).mayBeNull() ? -1 : reach.min();
  }

  /** How many rows a window's calls look ahead at most; of a window that this takes. */
  private static int ahead(Window window, List<ColumnShape> inputs, boolean back) {
    long most = 0;
    for (WindowCall call : window.calls()) {
      ValueRange reach = looksAway(window, call) ? reach(window, call, inputs) : null;
      if (reach != null) {
        most = Math.max(most, back ? -reach.min() : reach.max());
      }
    }
    return (int) most;
  }

  private static boolean takes(Window window, WindowCall call, List<ColumnShape> inputs) {
    boolean first = window.frame().start().kind() == FrameBoundKind.UNBOUNDED_PRECEDING;
    boolean plain = first && window.frame().exclude() == Exclude.NO_OTHERS && !call.ignoreNulls();
    FrameBoundKind end = window.frame().end().kind();
    boolean running = plain && end == FrameBoundKind.CURRENT_ROW && !whole(window);
    return switch (call.function()) {
      case ROW_NUMBER, RANK, DENSE_RANK -> true;
      // The first row is in every frame that does not end before the current one.
      case FIRST_VALUE -> plain && end != FrameBoundKind.PRECEDING || moving(window) != null;
      case LAST_VALUE -> running || moving(window) != null;
      case NTH_VALUE -> moving(window) != null;
      case LAG, LEAD ->
          !call.ignoreNulls()
              && reach(window, call, inputs) != null
              && (call.args().size() < 3 || back(call, inputs) >= 0);
      case AGGREGATE ->
          (moving(window) != null || plain && (running || whole(window)))
              && takes(call.aggregate());
      case COMOMENT -> moving(window) != null || plain && (running || whole(window));
      default -> false;
    };
  }

  private static boolean takes(@Nullable AggregateCall call) {
    if (call == null || call.function() == null || !call.orderBy().isEmpty()) {
      return false;
    }
    return switch (call.function()) {
      case COUNT, SUM, SUM0 -> !call.distinct();
      // The least of different values is the least of all.
      case MIN, MAX -> true;
      default -> false;
    };
  }

  /** Whether all rows are in every frame. */
  private static boolean whole(Window window) {
    WindowFrame frame = window.frame();
    return frame.start().kind() == FrameBoundKind.UNBOUNDED_PRECEDING
        && (frame.end().kind() == FrameBoundKind.UNBOUNDED_FOLLOWING
            || (frame.end().kind() == FrameBoundKind.CURRENT_ROW
                && !frame.rows()
                && window.orderBy().isEmpty()));
  }

  private static boolean overAll(WindowCall call) {
    return call.function() == Function.AGGREGATE || call.function() == Function.COMOMENT;
  }

  /** Of a window that this takes. */
  static RunningWindowState of(Window window, List<ColumnShape> inputs) {
    List<WindowCall> ofAll = new ArrayList<>();
    List<WindowCall> running = new ArrayList<>();
    for (WindowCall call : window.calls()) {
      boolean all = whole(window) && overAll(call);
      (all ? ofAll : running).add(partial(call));
    }
    RunningWindowState whole =
        ofAll.isEmpty()
            ? null
            : make(new Window(window.input(), List.of(), List.of(), window.frame(), ofAll), inputs);
    // Of frames nothing is left where all aggregates are over all rows.
    WindowFrame frame =
        whole == null
            ? window.frame()
            : new WindowFrame(
                true,
                new FrameBound(FrameBoundKind.UNBOUNDED_PRECEDING, null),
                new FrameBound(FrameBoundKind.CURRENT_ROW, null),
                Exclude.NO_OTHERS);
    Window chunks =
        new Window(
            window.input(),
            List.of(),
            running.isEmpty() ? List.of() : window.orderBy(),
            frame,
            running);
    RunningWindowState made = make(chunks, inputs);
    int width = inputs.size();
    int totals = width + 2 * made.window.calls().size();
    List<Expr> results = new ArrayList<>();
    List<DataType> types = new ArrayList<>();
    for (int i = 0; i < width; i++) {
      results.add(Expr.ref(i, inputs.get(i).type()));
      types.add(inputs.get(i).type());
    }
    int next = 0;
    for (WindowCall call : window.calls()) {
      boolean all = whole(window) && overAll(call);
      Expr value = all ? Expr.ref(totals++, nullable(partial(call))) : made.kept.get(next++);
      if (call.function() == Function.LAG && call.args().size() > 2) {
        // The first rows have none before them.
        Expr number = made.kept.get(running.size());
        Expr otherwise = Expr.ref(call.args().get(2), inputs.get(call.args().get(2)).type());
        Expr none = test(Op.LE, number, ExprBuilder.number(back(call, inputs)));
        value = choose(none, cast(otherwise, value.type()), value);
      }
      results.add(cast(value, call.type()));
      types.add(call.type());
    }
    return new RunningWindowState(
        made.window, whole, made.rank, made.lags, made.leads, made.kept, results, types);
  }

  private static RunningWindowState make(Window window, List<ColumnShape> inputs) {
    List<WindowCall> calls = new ArrayList<>(window.calls());
    int place = calls.size();
    calls.add(new WindowCall(Function.ROW_NUMBER, null, List.of(), false, DataType.INT64));
    int rank = -1;
    if (window.calls().stream().anyMatch(call -> asksForPeers(window, call))) {
      rank = calls.size();
      calls.add(new WindowCall(Function.RANK, null, List.of(), false, DataType.INT64));
    }
    Map<Integer, Integer> moments = addMoments(window, calls);
    Window complete =
        new Window(window.input(), List.of(), window.orderBy(), window.frame(), calls);
    List<Expr> kept = new ArrayList<>();
    int first = inputs.size() + calls.size();
    for (int i = 0; i < calls.size(); i++) {
      Expr rowsBefore = Expr.ref(first + place, DataType.INT64.withNullable(true));
      DataType type = nullable(calls.get(i));
      Expr here = Expr.ref(inputs.size() + i, type);
      Integer rows = moments.get(i);
      kept.add(
          rows == null
              ? together(complete, calls.get(i), here, Expr.ref(first + i, type), rowsBefore)
              : RunningMoments.together(
                  calls.get(i), i, rows, inputs.size(), inputs.size() + calls.size()));
    }
    return new RunningWindowState(
        complete,
        null,
        rank,
        ahead(complete, inputs, true),
        ahead(complete, inputs, false),
        kept,
        kept,
        calls.stream().map(c -> nullable(c)).toList());
  }

  /**
   * Adds what moments of two stretches of rows are put together of.
   *
   * @return where their numbers of rows are among the calls, by calls
   */
  private static Map<Integer, Integer> addMoments(Window window, List<WindowCall> calls) {
    Map<Integer, Integer> places = new HashMap<>();
    for (int i = 0; i < window.calls().size(); i++) {
      WindowCall call = window.calls().get(i);
      if (call.function() != Function.COMOMENT || looksAway(window, call)) {
        continue;
      }
      int rows = calls.size();
      places.put(i, rows);
      for (WindowCall part : RunningMoments.parts(call)) {
        places.put(calls.size(), rows);
        calls.add(part);
      }
    }
    return places;
  }

  private static DataType nullable(WindowCall call) {
    return call.type().withNullable(true);
  }

  /** A call as a chunk has it: sums that fit their type need not fit it in parts. */
  private static WindowCall partial(WindowCall call) {
    AggregateCall given = call.aggregate();
    if (given == null) {
      // What LAG is where there is no such row is added in the end.
      return call.function() == Function.LAG && call.args().size() > 2
          ? new WindowCall(call.function(), null, call.args().subList(0, 2), false, call.type())
          : call;
    }
    AggregateCall part = given.partial();
    return new WindowCall(call.function(), part, call.args(), call.ignoreNulls(), part.type());
  }

  /** Whether a chunk must not end between equal rows. */
  private static boolean asksForPeers(Window window, WindowCall call) {
    return !window.orderBy().isEmpty()
        && switch (call.function()) {
          case RANK, DENSE_RANK -> true;
          case ROW_NUMBER, LAG, LEAD -> false;
          default -> !window.frame().rows() && !whole(window);
        };
  }

  private static Expr together(
      Window window, WindowCall call, Expr here, Expr before, Expr rowsBefore) {
    if (looksAway(window, call)) {
      return here;
    }
    return switch (call.function()) {
      case ROW_NUMBER -> sum(here, before);
      case DENSE_RANK -> window.orderBy().isEmpty() ? here : sum(here, before);
      case RANK -> window.orderBy().isEmpty() ? here : sum(here, rowsBefore);
      case FIRST_VALUE -> choose(test(Op.IS_NULL, rowsBefore), here, before);
      case LAST_VALUE -> here;
      case AGGREGATE -> aggregates(call, here, before);
      default -> throw new IllegalStateException(call.function().toString());
    };
  }

  private static Expr sum(Expr here, Expr before) {
    return choose(test(Op.IS_NULL, before), here, plus(here, before));
  }

  private static Expr aggregates(WindowCall call, Expr here, Expr before) {
    AggregateCall aggregate = call.aggregate();
    Expr both =
        switch (aggregate == null ? null : aggregate.function()) {
          case COUNT, SUM, SUM0 -> plus(here, before);
          case MIN -> least(here, before);
          case MAX -> greatest(before, here);
          case null, default -> throw new IllegalStateException("no running aggregate");
        };
    return choose(test(Op.IS_NULL, before), here, choose(test(Op.IS_NULL, here), before, both));
  }
}
