package io.aragonite.rules.metadata;

import com.google.common.collect.BoundType;
import com.google.common.collect.Range;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.translate.CalciteValues;
import io.aragonite.rules.translate.TypeMapping;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUnknownAs;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.NlsString;
import org.apache.calcite.util.Sarg;
import org.apache.calcite.util.TimeString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/**
 * The fraction of rows that a predicate keeps, from statistics of its columns one by one: shares of
 * frequent values and one over the number of the others for equalities, quantiles for ranges,
 * independence between columns.
 */
final class SelectivityEstimator {
  private static final double EQUALITY = 0.1;
  static final double RANGE = 0.33;
  private static final double LIKE = 0.1;
  private static final double OTHER = 0.25;
  static final double LEAST = 1e-9;

  private final RelNode rel;
  private final RelMetadataQuery mq;
  private final Map<Integer, ColumnStatistics> statistics = new HashMap<>();

  SelectivityEstimator(RelNode rel, RelMetadataQuery mq) {
    this.rel = rel;
    this.mq = mq;
  }

  /** The fraction, above zero and at most one. */
  double estimate(@Nullable RexNode predicate) {
    if (predicate == null) {
      return 1;
    }
    return Math.clamp(selectivity(predicate), LEAST, 1);
  }

  private double selectivity(RexNode predicate) {
    if (predicate.isAlwaysTrue()) {
      return 1;
    }
    if (predicate.isAlwaysFalse()) {
      return 0;
    }
    return switch (predicate.getKind()) {
      case AND -> conjunction(RelOptUtil.conjunctions(predicate));
      case OR -> {
        double none = 1;
        for (RexNode term : RelOptUtil.disjunctions(predicate)) {
          none *= 1 - selectivity(term);
        }
        yield 1 - none;
      }
      case NOT -> 1 - selectivity(((RexCall) predicate).getOperands().get(0));
      case EQUALS, NOT_EQUALS, IS_NOT_DISTINCT_FROM, IS_DISTINCT_FROM ->
          equality((RexCall) predicate);
      case LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL ->
          comparison((RexCall) predicate);
      case SEARCH -> search((RexCall) predicate);
      case IS_NULL -> nulls((RexCall) predicate);
      case IS_NOT_NULL -> 1 - nulls((RexCall) predicate);
      case LIKE -> LIKE;
      case INPUT_REF -> 0.5;
      case LITERAL -> 0;
      default -> OTHER;
    };
  }

  /** Two bounds of one column are one range, not two independent predicates. */
  private double conjunction(List<RexNode> terms) {
    double result = 1;
    Map<RexNode, double[]> ranges = new HashMap<>();
    for (RexNode term : terms) {
      double[] range = range(term);
      if (range == null) {
        result *= selectivity(term);
        continue;
      }
      RexNode column = ((RexCall) term).getOperands().get(0);
      ranges.merge(
          column, range, (a, b) -> new double[] {Math.max(a[0], b[0]), Math.min(a[1], b[1])});
    }
    for (double[] range : ranges.values()) {
      result *= Math.max(0, range[1] - range[0]);
    }
    return result;
  }

  /** The part of a column's span that a comparison with a constant keeps, from and to in [0, 1]. */
  private double @Nullable [] range(RexNode term) {
    boolean comparison =
        switch (term.getKind()) {
          case LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> true;
          default -> false;
        };
    if (!comparison) {
      return null;
    }
    RexCall call = (RexCall) term;
    Double value = number(call.getOperands().get(1), call.getOperands().get(0));
    if (!(call.getOperands().get(0) instanceof RexInputRef ref) || value == null) {
      return null;
    }
    // Where values are few, whether a bound belongs to the range counts.
    boolean upper = term.isA(SqlKind.LESS_THAN) || term.isA(SqlKind.LESS_THAN_OR_EQUAL);
    boolean beyond = term.isA(SqlKind.LESS_THAN_OR_EQUAL) || term.isA(SqlKind.GREATER_THAN);
    double at = position(ref.getIndex(), value, beyond);
    if (Double.isNaN(at)) {
      return null;
    }
    return upper ? new double[] {0, at} : new double[] {at, 1};
  }

  /**
   * The share of values below one, or not above it; NaN if that is not known. Values are evenly
   * spread between the bounds of what is known.
   */
  private double position(int column, double value, boolean with) {
    ColumnStatistics figures = statistics(column);
    Double min = figures.min();
    Double max = figures.max();
    if (min != null && max != null && (value < min || value > max)) {
      return value < min ? 0 : 1;
    }
    double below = figures.histogram().below(value);
    if (Double.isNaN(below)) {
      return min == null || max == null
          ? Double.NaN
          : max <= min ? 0.5 : Math.clamp((value - min) / (max - min), 0, 1);
    }
    return with ? Math.min(1, below + equal(column, value)) : below;
  }

  /** The share of rows with a value, from its frequency if that is known. */
  private double equal(int column, Object value) {
    ColumnStatistics figures = statistics(column);
    double distinct = Math.max(1, distinct(column));
    Histogram histogram = figures.histogram();
    Double min = figures.min();
    Double max = figures.max();
    if (value instanceof Double number && min != null && max != null) {
      if (number < min || number > max) {
        return 0;
      }
    }
    Double frequent = histogram.share(value);
    if (frequent != null) {
      return frequent;
    }
    double others = distinct - histogram.frequent().size();
    return others < 1
        ? 1 / distinct / 10
        : histogram.known() ? (1 - histogram.frequentShare()) / others : 1 / distinct;
  }

  private double equal(RexNode operand, @Nullable Object value) {
    return operand instanceof RexInputRef ref && value != null
        ? equal(ref.getIndex(), value)
        : 1 / distinct(operand);
  }

  private ColumnStatistics statistics(int column) {
    return statistics.computeIfAbsent(column, key -> ColumnStatisticsFinder.find(rel, mq, key));
  }

  private double distinct(RexNode operand) {
    return operand instanceof RexInputRef ref ? distinct(ref.getIndex()) : 1 / EQUALITY;
  }

  private double distinct(int column) {
    double distinct = statistics(column).distinct();
    if (distinct >= 1) {
      return distinct;
    }
    Double estimate = mq.getDistinctRowCount(rel, ImmutableBitSet.of(column), null);
    return estimate != null && estimate >= 1 ? estimate : 1 / EQUALITY;
  }

  private double equality(RexCall call) {
    RexNode left = call.getOperands().get(0);
    RexNode right = call.getOperands().get(1);
    double equal;
    if (left instanceof RexInputRef && right instanceof RexInputRef) {
      equal = 1 / Math.max(distinct(left), distinct(right));
    } else if (left instanceof RexInputRef) {
      equal = equal(left, value(right, left));
    } else if (right instanceof RexInputRef) {
      equal = equal(right, value(left, right));
    } else {
      equal = EQUALITY;
    }
    boolean same = call.isA(SqlKind.EQUALS) || call.isA(SqlKind.IS_NOT_DISTINCT_FROM);
    return same ? equal : 1 - equal;
  }

  private double comparison(RexCall call) {
    double[] range = range(call);
    return range == null ? RANGE : range[1] - range[0];
  }

  private double search(RexCall call) {
    RexNode operand = call.getOperands().get(0);
    Sarg<?> sarg = ((RexLiteral) call.getOperands().get(1)).getValueAs(Sarg.class);
    if (sarg == null) {
      return OTHER;
    }
    if (sarg.isComplementedPoints()) {
      double points = 0;
      Sarg<?> absent = sarg.negate();
      for (Range<?> range : absent.rangeSet.asRanges()) {
        points += equal(operand, value((Object) range.lowerEndpoint(), operand));
      }
      return Math.max(0, 1 - points);
    }
    double result = sarg.nullAs == RexUnknownAs.TRUE ? nullFraction(operand) : 0;
    for (Range<?> range : sarg.rangeSet.asRanges()) {
      result += fraction(operand, range);
    }
    return result;
  }

  private double fraction(RexNode operand, Range<?> range) {
    boolean point =
        range.hasLowerBound()
            && range.hasUpperBound()
            && range.lowerEndpoint().equals(range.upperEndpoint())
            && range.lowerBoundType() == BoundType.CLOSED;
    if (point) {
      return equal(operand, value((Object) range.lowerEndpoint(), operand));
    }
    Double from = range.hasLowerBound() ? number((Object) range.lowerEndpoint(), operand) : null;
    Double to = range.hasUpperBound() ? number((Object) range.upperEndpoint(), operand) : null;
    if (!(operand instanceof RexInputRef ref)
        || range.hasLowerBound() && from == null
        || range.hasUpperBound() && to == null) {
      return RANGE;
    }
    boolean after = from != null && range.lowerBoundType() == BoundType.OPEN;
    boolean with = to != null && range.upperBoundType() == BoundType.CLOSED;
    double low = from == null ? 0 : position(ref.getIndex(), from, after);
    double high = to == null ? 1 : position(ref.getIndex(), to, with);
    return Double.isNaN(low) || Double.isNaN(high)
        ? RANGE
        : Math.max(1 / distinct(operand), high - low);
  }

  private double nulls(RexCall call) {
    return nullFraction(call.getOperands().get(0));
  }

  private double nullFraction(RexNode operand) {
    if (!operand.getType().isNullable()) {
      return 0;
    }
    if (operand instanceof RexInputRef ref) {
      double nulls = statistics(ref.getIndex()).nulls();
      double rows = ColumnStatisticsFinder.tableRows(rel, mq, ref.getIndex());
      if (nulls >= 0 && rows > 0) {
        return Math.min(1, nulls / rows);
      }
    }
    return EQUALITY;
  }

  /** A constant in the form of {@link Histogram}; null if it is no constant. */
  private static @Nullable Object value(RexNode node, RexNode column) {
    if (node.isA(SqlKind.CAST)) {
      return value(((RexCall) node).getOperands().get(0), column);
    }
    Comparable<?> value =
        node instanceof RexLiteral literal ? literal.getValueAs(Comparable.class) : null;
    return value == null ? null : value((Object) value, column);
  }

  private static @Nullable Object value(Object value, RexNode column) {
    return value instanceof NlsString text ? text.getValue() : number(value, column);
  }

  /** The number that a literal is, in the unit of what it is compared with; null if it is none. */
  static @Nullable Double number(RexNode node, RexNode column) {
    if (node.isA(SqlKind.CAST)) {
      return number(((RexCall) node).getOperands().get(0), column);
    }
    if (!(node instanceof RexLiteral literal)) {
      return null;
    }
    Comparable<?> value = literal.getValueAs(Comparable.class);
    return value == null ? null : number((Object) value, column);
  }

  private static @Nullable Double number(Object value, RexNode column) {
    return switch (value) {
      case BigDecimal number -> number.doubleValue();
      case Number number -> number.doubleValue();
      case TimeString time -> (double) CalciteValues.time(time);
      case DateString date -> (double) date.getDaysSinceEpoch();
      case TimestampString timestamp -> {
        double millis = timestamp.getMillisSinceEpoch();
        DataType type = TypeMapping.of(column.getType());
        yield type.kind() == TypeKind.TIMESTAMP ? millis * type.timestampUnit().perMilli() : millis;
      }
      default -> null;
    };
  }
}
