package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.WindowOps.RowSorter;
import io.aragonite.exec.device.WindowResult;
import io.aragonite.exec.device.WindowResult.Computed;
import io.aragonite.exec.device.WindowResult.Picked;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.vector.Column;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates over frames. Counts and exact sums are differences of running totals, so that any
 * frame costs the same; floating sums, minima and the like run along with frames that only grow and
 * ask a tree of partial results for any other.
 */
final class Aggregates {
  private final ExecContext context;
  private final SortedRows sorted;
  private final Frames frames;
  private final WindowCall call;
  private final AggregateCall aggregate;
  private final Selection selection;
  private final @Nullable Column argument;
  private final int[] pieces = new int[6];

  Aggregates(
      ExecContext context,
      SortedRows sorted,
      Frames frames,
      Window window,
      WindowCall call,
      RowSorter sorter) {
    this.context = context;
    this.sorted = sorted;
    this.frames = frames;
    this.call = call;
    AggregateCall given = call.aggregate();
    if (given == null || given.host() != null || given.function() == null) {
      throw unsupported("The aggregate " + (given == null ? "" : given.name()) + " as a window");
    }
    this.aggregate = given;
    this.argument = given.args().isEmpty() ? null : sorted.batch().column(given.args().getFirst());
    this.selection = select(window, given, sorter);
  }

  private static AragoniteException unsupported(String what) {
    return new AragoniteException(
        ErrorCode.NOT_ON_DEVICE, what + " function cannot run on this device; allow fallback.");
  }

  private Selection select(Window window, AggregateCall given, RowSorter sorter) {
    QueryMemory memory = context.memory();
    NullCheck nulls = argument == null ? null : new NullCheck(argument);
    WindowValues filter =
        given.filter() < 0 ? null : new WindowValues(sorted.batch().column(given.filter()));
    boolean rows = given.function() == AggregateFunction.SINGLE_VALUE;
    Buffer first = Buffer.EMPTY;
    if (given.distinct() && countsRepeats(given)) {
      if (!frames.running() || filter != null || given.args().size() != 1) {
        throw unsupported("DISTINCT in the window");
      }
      int column = given.args().getFirst();
      first = Selection.firstOccurrences(context, sorted, window, column, sorter);
    }
    long firsts = first.address();
    Selection result =
        Selection.of(
            memory,
            sorted.count(),
            p -> {
              int row = sorted.order().get(p);
              return (rows || nulls == null || !nulls.isNull(row))
                  && (firsts == 0 || Mem.getByte(firsts + p) != 0)
                  && (filter == null || (!filter.isNull(row) && filter.integer(row) != 0));
            });
    memory.free(first);
    return result;
  }

  private static boolean countsRepeats(AggregateCall given) {
    return switch (given.function()) {
      case COUNT, SUM, SUM0, BIT_XOR -> true;
      case null, default -> false;
    };
  }

  /** The result: a row of the argument or a computed column. */
  WindowResult compute() {
    AggregateFunction function = aggregate.function();
    if (function == null) {
      throw new IllegalStateException();
    }
    WindowResult result =
        switch (function) {
          case MIN -> extreme(-1);
          case MAX -> extreme(1);
          case ANY_VALUE, SINGLE_VALUE -> some(function == AggregateFunction.SINGLE_VALUE);
          case COUNT -> computed(out -> counts(out));
          case SUM, SUM0 -> sum(function == AggregateFunction.SUM0);
          case BIT_AND, BIT_OR, BIT_XOR -> computed(out -> bits(function, out));
        };
    selection.free(context.memory());
    return result;
  }

  private interface Filler {
    void fill(WindowOutput out);
  }

  private Computed computed(Filler filler) {
    WindowOutput out = new WindowOutput(context.memory(), call.type(), sorted.count());
    filler.fill(out);
    return new Computed(out.finish(), null);
  }

  private int count(int pieceCount) {
    int count = 0;
    for (int i = 0; i < pieceCount; i++) {
      count += selection.count(pieces[2 * i], pieces[2 * i + 1]);
    }
    return count;
  }

  private void poll(int p) {
    if ((p & 0xff) == 0) {
      context.checkCancelled();
    }
  }

  private void counts(WindowOutput out) {
    for (int p = 0; p < sorted.count(); p++) {
      poll(p);
      out.setInteger(p, count(frames.pieces(p, pieces)));
    }
  }

  private Picked some(boolean single) {
    IntVector rows = IntVector.allocate(context.memory(), sorted.count());
    for (int p = 0; p < sorted.count(); p++) {
      poll(p);
      int pieceCount = frames.pieces(p, pieces);
      int row = -1;
      for (int i = pieceCount - 1; i >= 0; i--) {
        if (selection.count(pieces[2 * i], pieces[2 * i + 1]) > 0) {
          int place = selection.before().get(pieces[2 * i]);
          row = sorted.order().get(selection.positions().get(place));
        }
      }
      if (single && count(pieceCount) > 1) {
        throw new AragoniteException(
            ErrorCode.SCALAR_SUBQUERY_ROWS,
            "SINGLE_VALUE met a second row; make sure that there is only one.");
      }
      rows.set(p, row);
    }
    return Picked.of(aggregate.args().getFirst(), rows.buffer());
  }

  private Picked extreme(int sign) {
    WindowValues values = new WindowValues(sorted.batch().column(aggregate.args().getFirst()));
    SegmentTree.Ids better =
        (a, b) -> {
          if (a < 0 || b < 0) {
            return Math.max(a, b);
          }
          return values.compare(b, a) * sign > 0 ? b : a;
        };
    IntVector rows = IntVector.allocate(context.memory(), sorted.count());
    if (frames.running()) {
      int best = -1;
      int reached = 0;
      for (int p = 0; p < sorted.count(); p++) {
        poll(p);
        if (p == frames.low().get(p)) {
          best = -1;
          reached = p;
        }
        for (; reached < frames.high().get(p); reached++) {
          best = better.combine(best, selected(reached));
        }
        rows.set(p, best);
      }
      return Picked.of(aggregate.args().getFirst(), rows.buffer());
    }
    SegmentTree tree = SegmentTree.ids(context, sorted.count(), this::selected, better);
    for (int p = 0; p < sorted.count(); p++) {
      poll(p);
      int pieceCount = frames.pieces(p, pieces);
      int best = -1;
      for (int i = 0; i < pieceCount; i++) {
        best = better.combine(best, tree.ids(pieces[2 * i], pieces[2 * i + 1], better, -1));
      }
      rows.set(p, best);
    }
    tree.free(context.memory());
    return Picked.of(aggregate.args().getFirst(), rows.buffer());
  }

  /** The row at a position if it is selected, else -1. */
  private int selected(int p) {
    return selection.count(p, p + 1) > 0 ? sorted.order().get(p) : -1;
  }

  private Computed sum(boolean zero) {
    Column column = sorted.batch().column(aggregate.args().getFirst());
    WindowValues values = new WindowValues(column);
    WindowOutput out = new WindowOutput(context.memory(), call.type(), sorted.count());
    if (values.isFloating()) {
      floatingSums(values, zero, out);
      return new Computed(out.finish(), null);
    }
    if (column.shape().type().scale() != call.type().scale() && !out.isFloating()) {
      throw new AragoniteException(
          ErrorCode.INTERNAL,
          "SUM of " + column.shape().type() + " cannot yield " + call.type() + " in a window.");
    }
    ExactSums sums = new ExactSums(context.memory(), sorted.count());
    for (int p = 0; p < sorted.count(); p++) {
      poll(p);
      int row = selected(p);
      sums.add(p, row < 0 ? 0 : values.high(row), row < 0 ? 0 : values.integer(row));
    }
    for (int p = 0; p < sorted.count(); p++) {
      poll(p);
      int pieceCount = frames.pieces(p, pieces);
      if (count(pieceCount) == 0 && !zero) {
        out.setNull(p);
      } else {
        sums.total(pieces, pieceCount, p, out);
      }
    }
    sums.free(context.memory());
    return new Computed(out.finish(), null);
  }

  private void floatingSums(WindowValues values, boolean zero, WindowOutput out) {
    boolean running = frames.running();
    SegmentTree tree =
        running
            ? null
            : SegmentTree.doubles(
                context,
                sorted.count(),
                p -> {
                  int row = selected(p);
                  return row < 0 ? 0 : values.floating(row);
                });
    double sum = 0;
    int reached = 0;
    for (int p = 0; p < sorted.count(); p++) {
      poll(p);
      if (tree == null && p == frames.low().get(p)) {
        sum = 0;
        reached = p;
      }
      int pieceCount = frames.pieces(p, pieces);
      if (tree != null) {
        sum = 0;
        for (int i = 0; i < pieceCount; i++) {
          sum += tree.sum(pieces[2 * i], pieces[2 * i + 1]);
        }
      } else {
        for (; reached < frames.high().get(p); reached++) {
          int row = selected(reached);
          sum += row < 0 ? 0 : values.floating(row);
        }
      }
      if (count(pieceCount) == 0 && !zero) {
        out.setNull(p);
      } else {
        out.setFloating(p, sum);
      }
    }
    if (tree != null) {
      tree.free(context.memory());
    }
  }

  private void bits(AggregateFunction function, WindowOutput out) {
    WindowValues values = new WindowValues(sorted.batch().column(aggregate.args().getFirst()));
    long neutral = function == AggregateFunction.BIT_AND ? -1 : 0;
    SegmentTree.WordCombiner combine =
        switch (function) {
          case BIT_AND -> (a, b) -> a & b;
          case BIT_OR -> (a, b) -> a | b;
          default -> (a, b) -> a ^ b;
        };
    SegmentTree tree =
        SegmentTree.words(
            context,
            sorted.count(),
            p -> {
              int row = selected(p);
              return row < 0 ? neutral : values.integer(row);
            },
            combine);
    for (int p = 0; p < sorted.count(); p++) {
      poll(p);
      int pieceCount = frames.pieces(p, pieces);
      if (count(pieceCount) == 0) {
        out.setNull(p);
        continue;
      }
      long word = neutral;
      for (int i = 0; i < pieceCount; i++) {
        word =
            combine.combine(word, tree.words(pieces[2 * i], pieces[2 * i + 1], combine, neutral));
      }
      out.setInteger(p, word);
    }
    tree.free(context.memory());
  }
}
