package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExprColumns;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The order of build rows by a column that a residual condition bounds by values of the probe row.
 * Of rows in this order, those within the bounds stand together.
 */
final class RowOrder {
  private final Ordering ordering;
  private final @Nullable PairPredicate lower;
  private final @Nullable PairPredicate upper;
  private final @Nullable PairPredicate difference;

  /**
   * By what rows are sorted.
   *
   * @param word ascends with the column; null: rows stay as they are
   * @param present rows that can pass at all; null: all
   */
  private record Ordering(
      @Nullable CompiledProjection word, int bits, @Nullable CompiledPredicate present) {}

  private RowOrder(
      Ordering ordering,
      @Nullable PairPredicate lower,
      @Nullable PairPredicate upper,
      @Nullable PairPredicate difference) {
    this.ordering = ordering;
    this.lower = lower;
    this.upper = upper;
    this.difference = difference;
  }

  /** What holds of build rows from some row on; null if there is no such bound. */
  @Nullable PairPredicate lower() {
    return lower;
  }

  /** What holds of build rows up to some row; null if there is no such bound. */
  @Nullable PairPredicate upper() {
    return upper;
  }

  /**
   * That the column differs from a value: if it does not at the first and at the last of some rows,
   * it does at none of them. Null if there is no such term.
   */
  @Nullable PairPredicate difference() {
    return difference;
  }

  /** A comparison of the build side's column with a value of the probe side. */
  private record Bound(int column, Op op, Expr condition) {}

  /** The order for a join's residual condition, which is there. */
  static RowOrder of(JoinSpec spec, ExpressionCompiler compiler) {
    List<Expr> terms = terms(spec.plan().residual());
    List<Bound> bounds = new ArrayList<>();
    for (Expr term : terms) {
      Bound bound = bound(spec, term);
      if (bound != null && (bounds.isEmpty() || bounds.getFirst().column() == bound.column())) {
        bounds.add(bound);
      }
    }
    if (bounds.isEmpty()) {
      return new RowOrder(new Ordering(null, 0, null), null, null, null);
    }
    int column = bounds.getFirst().column();
    return new RowOrder(
        ordering(spec, compiler, column),
        PairPredicate.of(compiler, spec, all(bounds, Op.GT, Op.GE)),
        PairPredicate.of(compiler, spec, all(bounds, Op.LT, Op.LE)),
        PairPredicate.of(compiler, spec, difference(bounds)));
  }

  private static Ordering ordering(JoinSpec spec, ExpressionCompiler compiler, int column) {
    ColumnShape shape = spec.build().get(column);
    Expr value = Expr.ref(column, shape.type());
    KeyLayout layout = KeyLayouts.choose(List.of(shape));
    return new Ordering(
        compiler.projection(List.of(new Expr.KeyWord(List.of(value), layout)), spec.build()),
        layout.parts().getFirst().bits(),
        shape.mayBeNull()
            ? compiler.predicate(Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, value), spec.build())
            : null);
  }

  private static List<Expr> terms(@Nullable Expr residual) {
    if (residual instanceof Expr.Call call && call.op() == Op.AND) {
      return call.args().stream().flatMap(term -> terms(term).stream()).toList();
    }
    return residual == null ? List.of() : List.of(residual);
  }

  private static @Nullable Expr all(List<Bound> bounds, Op strict, Op other) {
    return JoinSpec.and(
        bounds.stream()
            .filter(bound -> bound.op() == strict || bound.op() == other)
            .map(Bound::condition)
            .toList());
  }

  /**
   * One term only: where the first row has one excluded value and the last another one, rows
   * between them may have neither. The others are tested with the whole condition.
   */
  private static @Nullable Expr difference(List<Bound> bounds) {
    return bounds.stream()
        .filter(bound -> bound.op() == Op.NE)
        .map(Bound::condition)
        .findFirst()
        .orElse(null);
  }

  private static @Nullable Bound bound(JoinSpec spec, Expr term) {
    if (!(term instanceof Expr.Call call) || call.args().size() != 2) {
      return null;
    }
    int first = column(spec, call.args().get(0));
    int second = column(spec, call.args().get(1));
    Op op = call.op();
    if (first >= 0 && isOfProbe(spec, call.args().get(1))) {
      return isComparison(op) ? new Bound(first, op, term) : null;
    }
    if (second >= 0 && isOfProbe(spec, call.args().get(0))) {
      return isComparison(op) ? new Bound(second, mirrored(op), term) : null;
    }
    return null;
  }

  private static boolean isComparison(Op op) {
    return switch (op) {
      case LT, LE, GT, GE, NE -> true;
      default -> false;
    };
  }

  private static Op mirrored(Op op) {
    return switch (op) {
      case LT -> Op.GT;
      case LE -> Op.GE;
      case GT -> Op.LT;
      case GE -> Op.LE;
      default -> op;
    };
  }

  /** The build side's column that a value is or widens, if its words ascend with it; else -1. */
  private static int column(JoinSpec spec, Expr value) {
    Expr inner = value;
    if (value instanceof Expr.Call cast
        && cast.op() == Op.CAST
        && cast.type().kind().isNumeric()
        && cast.args().getFirst().type().kind().isNumeric()) {
      inner = cast.args().getFirst();
    }
    if (!(inner instanceof Expr.InputRef ref)) {
      return -1;
    }
    boolean left = ref.index() < spec.left().size();
    if (left != spec.buildLeft()) {
      return -1;
    }
    int column = left ? ref.index() : ref.index() - spec.left().size();
    KeyLayout layout = KeyLayouts.choose(List.of(spec.build().get(column)));
    // A word of all bits is signed, and words are sorted as unsigned ones.
    return layout.exact() && layout.parts().getFirst().bits() < Long.SIZE ? column : -1;
  }

  private static boolean isOfProbe(JoinSpec spec, Expr value) {
    return ExprColumns.of(value).stream()
        .allMatch(column -> column < spec.left().size() != spec.buildLeft());
  }

  /**
   * Lists the build rows that can pass, in order.
   *
   * @param ids room for all rows
   * @param words room for as many words, which are overwritten
   * @return how many
   */
  int sort(ExecContext context, ColumnBatch rows, Buffer ids, Buffer words) {
    CompiledProjection word = ordering.word();
    int total = rows.rows();
    if (word == null) {
      context.scan().iota(context, ids, 0, total);
      return total;
    }
    int batchRows = context.device().properties().batchRows();
    int done = 0;
    for (int from = 0; from < total; from += batchRows) {
      context.checkCancelled();
      int count = Math.min(batchRows, total - from);
      long mark = context.scratch().mark();
      Buffer numbers = context.scratch().allocate(4L * count);
      context.scan().iota(context, numbers, from, count);
      ColumnBatch piece = Materialization.rows(context, rows, numbers, count);
      CompiledPredicate present = ordering.present();
      if (present != null) {
        Buffer places = context.scratch().allocate(4L * count);
        int kept = present.select(context, piece, places);
        Buffer some = context.scratch().allocate(4L * kept);
        context.gather().gatherIds(context, numbers, places, kept, some);
        numbers = some;
        count = kept;
        piece = Materialization.rows(context, rows, numbers, count);
      }
      if (count > 0) {
        Buffer found = word.evaluate(context, piece).column(0).values();
        context
            .device()
            .transfers()
            .copy(context, found, words.slice(8L * done, 8L * count), 8L * count);
        context
            .device()
            .transfers()
            .copy(context, numbers, ids.slice(4L * done, 4L * count), 4L * count);
      }
      done += count;
      context.scratch().release(mark);
    }
    context.sort().sortPairs(context, words, ids, done, 0, ordering.bits());
    return done;
  }
}
