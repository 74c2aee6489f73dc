package io.aragonite.adapter.table;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * For which rows of a sample a predicate is true, and for which it is false. Numbers are compared
 * as such, a predicate of one column of texts is tried once for each different text, and the rest
 * is interpreted row by row. As there, AND and OR look only at rows that are not decided yet.
 *
 * @param yes rows for which it is true
 * @param no rows for which it is false
 */
record SampledTruth(BitSet yes, BitSet no) {
  /**
   * @param columns the values of each column that the predicate names
   * @param among the rows that are asked for
   */
  static SampledTruth of(Expr predicate, IntFunction<SampleValues> columns, BitSet among) {
    if (predicate instanceof Expr.Call call) {
      switch (call.op()) {
        case AND -> {
          return logic(call.args(), columns, among, false);
        }
        case OR -> {
          return logic(call.args(), columns, among, true);
        }
        case NOT -> {
          SampledTruth truth = of(call.args().getFirst(), columns, among);
          return new SampledTruth(truth.no, truth.yes);
        }
        case EQ, NE, LT, LE, GT, GE -> {
          SampledTruth found = compared(call, columns, among);
          if (found != null) {
            return found;
          }
        }
        default -> {}
      }
    }
    return interpreted(predicate, columns, among);
  }

  /** AND ({@code decisive} false) and OR (true). */
  private static SampledTruth logic(
      List<Expr> args, IntFunction<SampleValues> columns, BitSet among, boolean decisive) {
    BitSet decided = new BitSet();
    BitSet open = (BitSet) among.clone();
    BitSet others = (BitSet) among.clone();
    for (Expr arg : args) {
      if (open.isEmpty()) {
        break;
      }
      SampledTruth truth = of(arg, columns, open);
      BitSet stops = decisive ? truth.yes : truth.no;
      decided.or(stops);
      open.andNot(stops);
      others.and(decisive ? truth.no : truth.yes);
    }
    return decisive ? new SampledTruth(decided, others) : new SampledTruth(others, decided);
  }

  /** Of a column of numbers and another one, or a number; null for anything else. */
  private static @Nullable SampledTruth compared(
      Expr.Call call, IntFunction<SampleValues> columns, BitSet among) {
    Expr left = call.args().get(0);
    Expr right = call.args().get(1);
    boolean turned = left instanceof Expr.Literal;
    Expr other = turned ? left : right;
    if (!((turned ? right : left) instanceof Expr.InputRef ref)) {
      return null;
    }
    SampleValues values = columns.apply(ref.index());
    SampleValues others =
        other instanceof Expr.InputRef column ? columns.apply(column.index()) : null;
    Long constant =
        other instanceof Expr.Literal literal ? unscaled(literal.value(), values.scale()) : null;
    if (values.scale() < 0
        || (others == null ? constant == null : others.scale() != values.scale())) {
      return null;
    }
    Op op = call.op();
    int less = turned ? 1 : -1;
    long number = constant == null ? 0 : constant;
    BitSet yes = new BitSet();
    BitSet no = new BitSet();
    for (int row = among.nextSetBit(0); row >= 0; row = among.nextSetBit(row + 1)) {
      if (!values.nulls().get(row) && (others == null || !others.nulls().get(row))) {
        long a = values.number(row);
        long b = others != null ? others.number(row) : number;
        (holds(op, a < b ? less : a > b ? -less : 0) ? yes : no).set(row);
      }
    }
    return new SampledTruth(yes, no);
  }

  private static boolean holds(Op op, int order) {
    return switch (op) {
      case EQ -> order == 0;
      case NE -> order != 0;
      case LT -> order < 0;
      case LE -> order <= 0;
      case GT -> order > 0;
      default -> order >= 0;
    };
  }

  /** A number of a scale; null if it has more digits, or is none. */
  private static @Nullable Long unscaled(@Nullable Object value, int scale) {
    if (value instanceof Long number && scale == 0) {
      return number;
    }
    BigDecimal decimal =
        value instanceof Long number
            ? BigDecimal.valueOf(number)
            : value instanceof BigDecimal given ? given : null;
    if (decimal == null || scale < 0) {
      return null;
    }
    BigDecimal scaled = decimal.setScale(scale, RoundingMode.DOWN);
    return scaled.compareTo(decimal) != 0 || scaled.unscaledValue().bitLength() >= Long.SIZE
        ? null
        : Long.valueOf(scaled.unscaledValue().longValue());
  }

  private static SampledTruth interpreted(
      Expr predicate, IntFunction<SampleValues> columns, BitSet among) {
    SampleValues texts = onlyTexts(predicate, columns);
    BitSet yes = new BitSet();
    BitSet no = new BitSet();
    BitSet tried = new BitSet();
    BitSet are = new BitSet();
    BitSet areNot = new BitSet();
    int[] at = new int[1]; // one function for all rows: first queries wait for each object
    Interpreter.Row reader = column -> columns.apply(column).get(at[0]);
    for (int row = among.nextSetBit(0); row >= 0; row = among.nextSetBit(row + 1)) {
      int place = texts == null ? row : texts.place(row);
      if (!tried.get(place)) {
        tried.set(place);
        at[0] = row;
        Object value = Interpreter.evaluate(predicate, reader);
        are.set(place, Boolean.TRUE.equals(value));
        areNot.set(place, Boolean.FALSE.equals(value));
      }
      yes.set(row, are.get(place));
      no.set(row, areNot.get(place));
    }
    return new SampledTruth(yes, no);
  }

  /** The values of the one column that a predicate is of, if they are texts. */
  private static @Nullable SampleValues onlyTexts(
      Expr predicate, IntFunction<SampleValues> columns) {
    BitSet named = new BitSet();
    TableSample.references(predicate, named);
    if (named.cardinality() != 1) {
      return null;
    }
    SampleValues values = columns.apply(named.nextSetBit(0));
    return values.places() == 0 ? null : values;
  }
}
