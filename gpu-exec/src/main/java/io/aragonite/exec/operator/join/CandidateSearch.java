package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds which probe rows have a partner, of ranges of candidates each. A row that has been found to
 * have one is not looked at again: each round tests more candidates of fewer rows. Where candidates
 * are in an order, a binary search leaves those within the row's bounds before.
 */
final class CandidateSearch {
  private static final ColumnShape INT = ColumnShape.of(DataType.INT32);
  private static final ColumnShape FLAG = ColumnShape.of(DataType.BOOLEAN);

  /** How many times more candidates a round tests than the one before. */
  private static final int GROWTH = 4;

  private static final int MOST_CANDIDATES = 1 << 20;

  /** Of first, last, and end: the place in the middle. */
  private final CompiledProjection middle;

  /** Of begin, end, middle, and whether what is searched for begins at the middle or before. */
  private final CompiledProjection halves;

  /** Of begin, end, and number: how many are tested, and where those begin that are not. */
  private final CompiledProjection steps;

  private final CompiledProjection sum;
  private final CompiledProjection before;
  private final CompiledPredicate isRange;
  private final CompiledPredicate isUnset;

  CandidateSearch(ExpressionCompiler compiler) {
    Expr begin = number(0);
    Expr end = number(1);
    Expr third = number(2);
    Expr found = Expr.ref(3, DataType.BOOLEAN);
    Expr open = Expr.call(Op.LT, DataType.BOOLEAN, begin, end);
    // Not half of the sum, which may be more than an INT32.
    Expr half = calc(Op.PLUS, begin, calc(Op.DIVIDE, calc(Op.MINUS, end, begin), literal(2)));
    this.middle = compiler.projection(List.of(least(half, third)), Collections.nCopies(3, INT));
    Expr toRight =
        Expr.call(Op.AND, DataType.BOOLEAN, open, Expr.call(Op.NOT, DataType.BOOLEAN, found));
    Expr toLeft = Expr.call(Op.AND, DataType.BOOLEAN, open, found);
    this.halves =
        compiler.projection(
            List.of(
                Expr.call(
                    Op.CASE, DataType.INT32, toRight, calc(Op.PLUS, third, literal(1)), begin),
                Expr.call(Op.CASE, DataType.INT32, toLeft, third, end)),
            List.of(INT, INT, INT, FLAG));
    Expr tested = least(calc(Op.MINUS, end, begin), third);
    this.steps =
        compiler.projection(
            List.of(tested, calc(Op.PLUS, begin, tested)), Collections.nCopies(3, INT));
    this.sum = compiler.projection(List.of(calc(Op.PLUS, begin, end)), List.of(INT, INT));
    this.before = compiler.projection(List.of(calc(Op.MINUS, begin, literal(1))), List.of(INT));
    this.isRange = compiler.predicate(open, List.of(INT, INT));
    this.isUnset =
        compiler.predicate(
            Expr.call(Op.NOT, DataType.BOOLEAN, Expr.ref(0, DataType.BOOLEAN)), List.of(FLAG));
  }

  private static Expr number(int column) {
    return Expr.ref(column, DataType.INT32);
  }

  private static Expr literal(long value) {
    return Expr.literal(value, DataType.INT32);
  }

  private static Expr calc(Op op, Expr a, Expr b) {
    return Expr.call(op, DataType.INT32, a, b);
  }

  private static Expr least(Expr a, Expr b) {
    return Expr.call(Op.CASE, DataType.INT32, Expr.call(Op.LT, DataType.BOOLEAN, a, b), a, b);
  }

  /**
   * Rows of a batch and where the candidates of each begin and end, in scratch memory.
   *
   * @param rows 32-bit, ascending
   */
  record Ranges(Buffer rows, Buffer begins, Buffer ends, int count) {}

  /**
   * The sides of a search.
   *
   * @param ids the build row at each place; null: place i is row i
   * @param check what a pair must pass; null: all do
   */
  record CandidateRows(
      ColumnBatch probe, ColumnBatch build, @Nullable Buffer ids, @Nullable PairPredicate check) {}

  /** The ranges from places and lengths, of rows that have a candidate. */
  Ranges ranges(ExecContext context, Buffer rows, Buffer firsts, Buffer counts, int count) {
    Buffer ends = ints(context, sum, count, firsts, counts).getFirst();
    return open(context, new Ranges(rows, firsts, ends, count));
  }

  /** The same range for all rows. */
  Ranges ranges(ExecContext context, Buffer rows, int count, int end) {
    return new Ranges(rows, filled(context, 0, count), filled(context, end, count), count);
  }

  /** Those of some rows of a batch whose flags are not set, ascending. */
  Ranges unset(ExecContext context, Ranges of, Buffer flags, int batchRows) {
    Buffer places = context.scratch().allocate(4L * of.count());
    RowIds ids = new RowIds(of.rows(), of.count(), false);
    Column column = new Column(FLAG, batchRows, flags, Buffer.EMPTY, null, ids);
    int kept = isUnset.select(context, new ColumnBatch(List.of(column), of.count()), places);
    return kept == of.count() ? of : some(context, of, places, kept);
  }

  private Ranges open(ExecContext context, Ranges of) {
    Buffer places = context.scratch().allocate(4L * of.count());
    int kept = isRange.select(context, batch(of.count(), of.begins(), of.ends()), places);
    return kept == of.count() ? of : some(context, of, places, kept);
  }

  private static Ranges some(ExecContext context, Ranges of, Buffer places, int count) {
    return new Ranges(
        gathered(context, of.rows(), places, count),
        gathered(context, of.begins(), places, count),
        gathered(context, of.ends(), places, count),
        count);
  }

  private static Buffer gathered(ExecContext context, Buffer ids, Buffer places, int count) {
    Buffer out = context.scratch().allocate(4L * count);
    context.gather().gatherIds(context, ids, places, count, out);
    return out;
  }

  private static Buffer filled(ExecContext context, int value, int count) {
    Buffer out = context.scratch().allocate(4L * count);
    context.scan().fill(context, out, Integer.BYTES, value, count);
    return out;
  }

  private static ColumnBatch batch(int count, Buffer... ints) {
    List<Column> columns =
        List.of(ints).stream()
            .map(values -> new Column(INT, count, values, Buffer.EMPTY, null, null))
            .toList();
    return new ColumnBatch(columns, count);
  }

  private static List<Buffer> ints(
      ExecContext context, CompiledProjection of, int count, Buffer... ints) {
    return of.evaluate(context, batch(count, ints)).columns().stream().map(Column::values).toList();
  }

  /** Sets the flags of the rows that have a candidate within an order's bounds that passes. */
  void mark(ExecContext context, CandidateRows sides, Ranges of, RowOrder order, Buffer flags) {
    Ranges ranges = of;
    PairPredicate lower = order.lower();
    if (lower != null && ranges.count() > 0) {
      Buffer begins = searched(context, sides, ranges, lower, true);
      ranges = open(context, new Ranges(ranges.rows(), begins, ranges.ends(), ranges.count()));
    }
    PairPredicate upper = order.upper();
    if (upper != null && ranges.count() > 0) {
      Buffer ends = searched(context, sides, ranges, upper, false);
      ranges = open(context, new Ranges(ranges.rows(), ranges.begins(), ends, ranges.count()));
    }
    PairPredicate difference = order.difference();
    if (difference != null && ranges.count() > 0) {
      ranges = differing(context, sides, ranges, difference, flags);
    }
    mark(context, sides, ranges, flags);
  }

  /**
   * Where in each range a condition begins to hold, or ends: the first place at which it has the
   * value {@code wanted}.
   */
  private Buffer searched(
      ExecContext context,
      CandidateRows sides,
      Ranges of,
      PairPredicate condition,
      boolean wanted) {
    int count = of.count();
    Buffer begins = copied(context, of.begins(), count);
    Buffer ends = copied(context, of.ends(), count);
    // A row whose search has ended looks at one of its own candidates, too.
    Buffer lasts = ints(context, before, count, ends).getFirst();
    long mark = context.scratch().mark();
    while (isRange(context, begins, ends, count)) {
      context.checkCancelled();
      Buffer middles = ints(context, middle, count, begins, ends, lasts).getFirst();
      Buffer passed = context.scratch().allocate(4L * count);
      int passing =
          condition.select(
              context,
              sides.probe(),
              sides.build(),
              of.rows(),
              build(context, sides, middles, count),
              count,
              passed);
      Column found =
          new Column(
              FLAG,
              count,
              flags(context, passed, passing, count, wanted),
              Buffer.EMPTY,
              null,
              null);
      List<Column> numbers = batch(count, begins, ends, middles).columns();
      List<Column> next =
          halves
              .evaluate(context, new ColumnBatch(JoinSpec.concat(numbers, List.of(found)), count))
              .columns();
      context.device().transfers().copy(context, next.get(0).values(), begins, 4L * count);
      context.device().transfers().copy(context, next.get(1).values(), ends, 4L * count);
      context.scratch().release(mark);
    }
    context.scratch().release(mark);
    return begins;
  }

  private boolean isRange(ExecContext context, Buffer begins, Buffer ends, int count) {
    Buffer places = context.scratch().allocate(4L * count);
    return isRange.select(context, batch(count, begins, ends), places) > 0;
  }

  /** A byte for each of {@code count} rows: 1 where {@code listed} is whether it is listed. */
  private static Buffer flags(
      ExecContext context, Buffer list, int length, int count, boolean listed) {
    Buffer flags = context.scratch().allocate(count);
    context.scan().fill(context, flags, 1, listed ? 0 : 1, count);
    if (listed) {
      context.gather().mark(context, list, length, flags);
    } else {
      Buffer zeros = context.scratch().allocate(length);
      context.scan().fill(context, zeros, 1, 0, length);
      context.gather().scatter(context, zeros, list, length, 1, flags);
    }
    return flags;
  }

  private static Buffer copied(ExecContext context, Buffer ints, int count) {
    Buffer copy = context.scratch().allocate(4L * count);
    context.device().transfers().copy(context, ints, copy, 4L * count);
    return copy;
  }

  private static Buffer build(ExecContext context, CandidateRows sides, Buffer places, int count) {
    Buffer ids = sides.ids();
    return ids == null ? places : gathered(context, ids, places, count);
  }

  /** Tests the first and the last candidate; what is left may pass with one between these. */
  private Ranges differing(
      ExecContext context, CandidateRows sides, Ranges of, PairPredicate difference, Buffer flags) {
    int count = of.count();
    Buffer lasts = ints(context, before, count, of.ends()).getFirst();
    Buffer differ = context.scratch().allocate(count);
    context.scan().fill(context, differ, 1, 0, count);
    for (Buffer places : List.of(of.begins(), lasts)) {
      Buffer rows = build(context, sides, places, count);
      Buffer passed = context.scratch().allocate(4L * count);
      int passing =
          difference.select(context, sides.probe(), sides.build(), of.rows(), rows, count, passed);
      context.gather().mark(context, passed, passing, differ);
      test(context, sides, of.rows(), rows, count, flags);
    }
    Buffer places = context.scratch().allocate(4L * count);
    int kept = context.scan().select(context, differ, count, true, places);
    return unset(context, some(context, of, places, kept), flags, sides.probe().rows());
  }

  /** Sets the flags of the probe rows of pairs that pass. */
  private static void test(
      ExecContext context,
      CandidateRows sides,
      Buffer probeRows,
      Buffer buildRows,
      int count,
      Buffer flags) {
    PairPredicate check = sides.check();
    if (check == null) {
      context.gather().mark(context, probeRows, count, flags);
      return;
    }
    Buffer passed = context.scratch().allocate(4L * count);
    int passing =
        check.select(context, sides.probe(), sides.build(), probeRows, buildRows, count, passed);
    context.gather().mark(context, gathered(context, probeRows, passed, passing), passing, flags);
  }

  /** Sets the flags of the rows that have a candidate that passes. */
  void mark(ExecContext context, CandidateRows sides, Ranges of, Buffer flags) {
    int count = of.count();
    Buffer rows = copied(context, of.rows(), count);
    Buffer begins = copied(context, of.begins(), count);
    Buffer ends = copied(context, of.ends(), count);
    int tested = 1;
    long mark = context.scratch().mark();
    while (count > 0) {
      Buffer most = filled(context, tested, count);
      List<Buffer> step = ints(context, steps, count, begins, ends, most);
      test(context, sides, new Ranges(rows, begins, ends, count), step.getFirst(), flags);
      Ranges rest = open(context, new Ranges(rows, step.get(1), ends, count));
      rest = unset(context, rest, flags, sides.probe().rows());
      count = rest.count();
      context.device().transfers().copy(context, rest.rows(), rows, 4L * count);
      context.device().transfers().copy(context, rest.begins(), begins, 4L * count);
      context.device().transfers().copy(context, rest.ends(), ends, 4L * count);
      context.scratch().release(mark);
      tested = Math.min(MOST_CANDIDATES, tested * GROWTH);
    }
  }

  /** Tests the first candidates of each range. */
  private static void test(
      ExecContext context, CandidateRows sides, Ranges of, Buffer numbers, Buffer flags) {
    int count = of.count();
    Buffer sums = context.scratch().allocate(8L * count + 8);
    long total = context.scan().exclusiveSum(context, numbers, count, sums);
    int most = Math.max(sides.probe().rows(), context.device().properties().batchRows());
    for (long from = 0; from < total; from += most) {
      context.checkCancelled();
      int pairs = (int) Math.min(most, total - from);
      long mark = context.scratch().mark();
      Buffer positions = context.scratch().allocate(4L * pairs);
      Buffer places = context.scratch().allocate(4L * pairs);
      context
          .scan()
          .expandRanges(context, sums, of.begins(), count, from, pairs, positions, places);
      test(
          context,
          sides,
          gathered(context, of.rows(), positions, pairs),
          build(context, sides, places, pairs),
          pairs,
          flags);
      context.scratch().release(mark);
    }
  }
}
