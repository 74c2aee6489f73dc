package io.aragonite.exec.operator.window;

import static io.aragonite.exec.operator.window.Terms.cast;
import static io.aragonite.exec.operator.window.Terms.choose;
import static io.aragonite.exec.operator.window.Terms.greatest;
import static io.aragonite.exec.operator.window.Terms.least;
import static io.aragonite.exec.operator.window.Terms.plus;
import static io.aragonite.exec.operator.window.Terms.test;

import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowCall.Function;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.Bound;
import io.aragonite.exec.plan.WindowFrame.Exclude;
import io.aragonite.exec.plan.WindowFrame.Kind;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What calls of a window over a chunk of the rows, and what they had come to before, make together
 * (a running function of two stretches of rows is one of the function over each).
 *
 * @param window computed for each chunk; the numbers of rows are a call of it
 * @param whole finds the aggregates over all rows; null: there are none
 * @param rank the call that tells where the last peers of a chunk begin; -1: it may end anywhere
 * @param kept of the columns of a chunk, its calls' values and those before: these with the chunk's
 * @param results what comes out, of those columns and the aggregates over all rows
 * @param types of what comes out
 */
record Carries(
    Window window,
    @Nullable Carries whole,
    int rank,
    List<Expr> kept,
    List<Expr> results,
    List<DataType> types) {

  /** Whether a window is known to be computed like this. */
  static boolean takes(Window window, List<ColumnShape> inputs) {
    return window.partitionBy().isEmpty()
        && window.calls().stream().allMatch(call -> takes(window, call, inputs));
  }

  private static boolean takes(Window window, WindowCall call, List<ColumnShape> inputs) {
    boolean first = window.frame().start().kind() == Kind.UNBOUNDED_PRECEDING;
    boolean plain = first && window.frame().exclude() == Exclude.NO_OTHERS && !call.ignoreNulls();
    boolean running = plain && window.frame().end().kind() == Kind.CURRENT_ROW && !whole(window);
    return switch (call.function()) {
      case ROW_NUMBER, RANK, DENSE_RANK -> true;
      case FIRST_VALUE, LAST_VALUE -> running;
      case AGGREGATE -> plain && (running || whole(window)) && takes(call.aggregate(), inputs);
      default -> false;
    };
  }

  private static boolean takes(@Nullable AggregateCall call, List<ColumnShape> inputs) {
    if (call == null || call.function() == null || call.distinct() || !call.orderBy().isEmpty()) {
      return false;
    }
    return switch (call.function()) {
      case COUNT, SUM, SUM0 -> true;
      // Which of two floating-point values is less is not only a comparison: NaN, and zeros.
      case MIN, MAX -> !inputs.get(call.args().getFirst()).type().kind().isFloat();
      default -> false;
    };
  }

  /** Whether all rows are in every frame. */
  private static boolean whole(Window window) {
    WindowFrame frame = window.frame();
    return frame.start().kind() == Kind.UNBOUNDED_PRECEDING
        && (frame.end().kind() == Kind.UNBOUNDED_FOLLOWING
            || (frame.end().kind() == Kind.CURRENT_ROW
                && !frame.rows()
                && window.orderBy().isEmpty()));
  }

  /** Of a window that this takes. */
  static Carries of(Window window, List<ColumnShape> inputs) {
    List<WindowCall> ofAll = new ArrayList<>();
    List<WindowCall> running = new ArrayList<>();
    for (WindowCall call : window.calls()) {
      boolean all = whole(window) && call.function() == Function.AGGREGATE;
      (all ? ofAll : running).add(partial(call));
    }
    Carries whole =
        ofAll.isEmpty()
            ? null
            : make(new Window(window.input(), List.of(), List.of(), window.frame(), ofAll), inputs);
    // Of frames nothing is left where all aggregates are over all rows.
    WindowFrame frame =
        whole == null
            ? window.frame()
            : new WindowFrame(
                true,
                new Bound(Kind.UNBOUNDED_PRECEDING, null),
                new Bound(Kind.CURRENT_ROW, null),
                Exclude.NO_OTHERS);
    Window chunks =
        new Window(
            window.input(),
            List.of(),
            running.isEmpty() ? List.of() : window.orderBy(),
            frame,
            running);
    Carries made = make(chunks, inputs);
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
      boolean all = whole(window) && call.function() == Function.AGGREGATE;
      Expr value = all ? Expr.ref(totals++, nullable(partial(call))) : made.kept.get(next++);
      results.add(cast(value, call.type()));
      types.add(call.type());
    }
    return new Carries(made.window, whole, made.rank, made.kept, results, types);
  }

  private static Carries make(Window window, List<ColumnShape> inputs) {
    List<WindowCall> calls = new ArrayList<>(window.calls());
    int place = calls.size();
    calls.add(new WindowCall(Function.ROW_NUMBER, null, List.of(), false, DataType.INT64));
    int rank = -1;
    if (window.calls().stream().anyMatch(call -> asksForPeers(window, call))) {
      rank = calls.size();
      calls.add(new WindowCall(Function.RANK, null, List.of(), false, DataType.INT64));
    }
    Window complete =
        new Window(window.input(), List.of(), window.orderBy(), window.frame(), calls);
    List<Expr> kept = new ArrayList<>();
    int first = inputs.size() + calls.size();
    for (int i = 0; i < calls.size(); i++) {
      Expr rowsBefore = Expr.ref(first + place, DataType.INT64.withNullable(true));
      DataType type = nullable(calls.get(i));
      Expr here = Expr.ref(inputs.size() + i, type);
      kept.add(together(complete, calls.get(i), here, Expr.ref(first + i, type), rowsBefore));
    }
    return new Carries(
        complete, null, rank, kept, kept, calls.stream().map(c -> nullable(c)).toList());
  }

  private static DataType nullable(WindowCall call) {
    return call.type().withNullable(true);
  }

  /** Sums that fit their type need not fit it in parts. */
  private static WindowCall partial(WindowCall call) {
    AggregateCall given = call.aggregate();
    if (given == null) {
      return call;
    }
    AggregateCall part = given.partial();
    return new WindowCall(call.function(), part, call.args(), call.ignoreNulls(), part.type());
  }

  /** Whether a chunk must not end between equal rows. */
  private static boolean asksForPeers(Window window, WindowCall call) {
    return !window.orderBy().isEmpty()
        && switch (call.function()) {
          case RANK, DENSE_RANK -> true;
          case ROW_NUMBER -> false;
          default -> !window.frame().rows() && !whole(window);
        };
  }

  private static Expr together(
      Window window, WindowCall call, Expr here, Expr before, Expr rowsBefore) {
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
          case MAX -> greatest(here, before);
          case null, default -> throw new IllegalStateException("no running aggregate");
        };
    return choose(test(Op.IS_NULL, before), here, choose(test(Op.IS_NULL, here), before, both));
  }
}
