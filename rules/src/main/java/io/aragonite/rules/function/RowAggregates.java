package io.aragonite.rules.function;

import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.plan.HostAggregate;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlBasicAggFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlOperandTypeChecker;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.jspecify.annotations.Nullable;

/** Aggregates that the host computes over all rows of a group or a frame; nulls do not count. */
public final class RowAggregates {
  /**
   * {@code QUANTILE_CONT_OVER(x, share)} over a frame, as OrderedFunctions.QUANTILE_CONT of a
   * group.
   */
  public static final SqlAggFunction QUANTILE_CONT =
      aggregate(
          "QUANTILE_CONT_OVER",
          ReturnTypes.DOUBLE,
          OperandTypes.family(SqlTypeFamily.NUMERIC, SqlTypeFamily.NUMERIC));

  /** {@code QUANTILE_DISC_OVER(x, share)} over a frame. */
  public static final SqlAggFunction QUANTILE_DISC =
      aggregate(
          "QUANTILE_DISC_OVER",
          ReturnTypes.ARG0,
          OperandTypes.family(SqlTypeFamily.ANY, SqlTypeFamily.NUMERIC));

  /** {@code MAD(x)}: the median of the distances from the median. */
  public static final SqlAggFunction MAD =
      aggregate("MAD", ReturnTypes.DOUBLE, OperandTypes.family(SqlTypeFamily.NUMERIC));

  /** {@code PRODUCT(x)}, a DOUBLE. */
  public static final SqlAggFunction PRODUCT =
      aggregate("PRODUCT", ReturnTypes.DOUBLE, OperandTypes.family(SqlTypeFamily.NUMERIC));

  /** {@code ENTROPY(x)}: of the frequencies of values, in bits. */
  public static final SqlAggFunction ENTROPY =
      aggregate("ENTROPY", ReturnTypes.DOUBLE, OperandTypes.ANY);

  private static final HostAggregate ANY =
      rows -> {
        for (@Nullable Object[] row : rows) {
          if (row[0] != null) {
            return row[0];
          }
        }
        return null;
      };

  private static final Map<SqlAggFunction, Ordered> ALL = new IdentityHashMap<>();

  /** An aggregate of rows whose values, the first ones or those behind, have an order. */
  @FunctionalInterface
  private interface Ordered {
    @Nullable Object aggregate(List<@Nullable Object[]> rows, Comparator<Object> order);
  }

  static {
    ALL.put(QUANTILE_CONT, RowAggregates::between);
    ALL.put(QUANTILE_DISC, RowAggregates::behind);
    ALL.put(MAD, RowAggregates::deviation);
    ALL.put(PRODUCT, RowAggregates::product);
    ALL.put(ENTROPY, RowAggregates::entropy);
    ALL.put(SqlStdOperatorTable.MODE, RowAggregates::mode);
    ALL.put(NullableFunctions.MODE, RowAggregates::mode);
    ALL.put(OrderedFunctions.MIN_BY, RowAggregates::ofLeast);
    ALL.put(OrderedFunctions.MAX_BY, RowAggregates::ofGreatest);
  }

  /** An aggregate in the order of a type; a sort that takes long ends with its query. */
  private record InOrder(Ordered aggregate, SortKeyCodec codec) implements HostAggregate {
    @Override
    public @Nullable Object aggregate(List<@Nullable Object[]> rows) {
      return aggregate.aggregate(rows, StopCheck.current().polled(codec::compare));
    }
  }

  private RowAggregates() {}

  private static SqlAggFunction aggregate(
      String name, SqlReturnTypeInference type, SqlOperandTypeChecker operands) {
    return SqlBasicAggFunction.create(
        name, SqlKind.OTHER_FUNCTION, type.andThen(SqlTypeTransforms.FORCE_NULLABLE), operands);
  }

  /** Whether an aggregate is one of these. */
  public static boolean has(SqlAggFunction function) {
    return ALL.containsKey(function);
  }

  /**
   * What computes an aggregate.
   *
   * @param types of its arguments
   * @return null for all others, and for values that have no order
   */
  public static @Nullable HostAggregate of(SqlAggFunction function, List<RelDataType> types) {
    RelDataType first = types.isEmpty() ? null : types.getFirst();
    if (function.getKind() == SqlKind.ANY_VALUE
        && first != null
        && (first.isStruct() || NestedCasts.isCollection(first))) {
      return ANY; // Calcite's code would compare the values as Java does
    }
    Ordered aggregate = ALL.get(function);
    boolean extreme =
        function.equals(OrderedFunctions.MIN_BY) || function.equals(OrderedFunctions.MAX_BY);
    SortKeyCodec codec = aggregate == null ? null : SortKeys.codec(types.get(extreme ? 1 : 0));
    return aggregate == null || codec == null ? null : new InOrder(aggregate, codec);
  }

  /** The first arguments that are not null. */
  private static List<Object> values(List<@Nullable Object[]> rows) {
    List<Object> values = new ArrayList<>();
    for (@Nullable Object[] row : rows) {
      Object value = row[0];
      if (value != null) {
        values.add(value);
      }
    }
    return values;
  }

  private static List<Object> sorted(List<@Nullable Object[]> rows, Comparator<Object> order) {
    List<Object> values = values(rows);
    values.sort(order);
    return values;
  }

  private static int compareNumbers(Object a, Object b) {
    return Double.compare(number(a), number(b));
  }

  private static double number(Object value) {
    return ((Number) value).doubleValue();
  }

  private static double share(List<@Nullable Object[]> rows) {
    return rows.getFirst()[1] instanceof Number share ? share.doubleValue() : Double.NaN;
  }

  private static @Nullable Object between(List<@Nullable Object[]> rows, Comparator<Object> order) {
    List<Object> values = sorted(rows, order);
    return values.isEmpty() ? null : between(values, share(rows));
  }

  private static double between(List<Object> sorted, double share) {
    double place = share * (sorted.size() - 1);
    double lower = number(sorted.get((int) Math.floor(place)));
    double upper = number(sorted.get((int) Math.ceil(place)));
    double part = place - Math.floor(place);
    if (part == 0 || lower == upper) {
      return lower;
    }
    // Infinity less infinity is no number.
    return Double.isInfinite(upper - lower)
        ? lower * (1 - part) + upper * part
        : lower + (upper - lower) * part;
  }

  private static @Nullable Object behind(List<@Nullable Object[]> rows, Comparator<Object> order) {
    List<Object> values = sorted(rows, order);
    if (values.isEmpty()) {
      return null;
    }
    // exactly: a share of 0.1 of ten rows is one row
    BigDecimal share =
        rows.getFirst()[1] instanceof BigDecimal exact ? exact : BigDecimal.valueOf(share(rows));
    BigDecimal place = share.multiply(BigDecimal.valueOf(values.size()));
    return values.get(Math.max(0, place.setScale(0, RoundingMode.CEILING).intValueExact() - 1));
  }

  private static @Nullable Object deviation(
      List<@Nullable Object[]> rows, Comparator<Object> order) {
    List<Object> values = sorted(rows, order);
    if (values.isEmpty()) {
      return null;
    }
    double median = between(values, 0.5);
    values.replaceAll(value -> Math.abs(number(value) - median));
    values.sort(StopCheck.current().polled(RowAggregates::compareNumbers));
    return between(values, 0.5);
  }

  private static @Nullable Object product(List<@Nullable Object[]> rows, Comparator<Object> order) {
    List<Object> values = values(rows);
    double product = 1;
    for (Object value : values) {
      product *= number(value);
    }
    return values.isEmpty() ? null : product;
  }

  /** How often each value is there, in their order. */
  private static Map<Object, Integer> counts(
      List<@Nullable Object[]> rows, Comparator<Object> order) {
    Map<Object, Integer> counts = new TreeMap<>(order);
    values(rows).forEach(value -> counts.merge(value, 1, Integer::sum));
    return counts;
  }

  private static Object entropy(List<@Nullable Object[]> rows, Comparator<Object> order) {
    Map<Object, Integer> counts = counts(rows, order);
    double all = counts.values().stream().mapToInt(i -> i).sum();
    double entropy = 0;
    for (int count : counts.values()) {
      entropy -= count / all * (Math.log(count / all) / Math.log(2));
    }
    return entropy + 0.0;
  }

  /** Of values that are equally frequent the least. */
  private static @Nullable Object mode(List<@Nullable Object[]> rows, Comparator<Object> order) {
    Object mode = null;
    int most = 0;
    for (Map.Entry<Object, Integer> entry : counts(rows, order).entrySet()) {
      if (entry.getValue() > most) {
        mode = entry.getKey();
        most = entry.getValue();
      }
    }
    return mode;
  }

  private static @Nullable Object ofLeast(List<@Nullable Object[]> rows, Comparator<Object> order) {
    return extreme(rows, order);
  }

  private static @Nullable Object ofGreatest(
      List<@Nullable Object[]> rows, Comparator<Object> order) {
    return extreme(rows, order.reversed());
  }

  /** The first argument where the second is the least; neither is null. */
  private static @Nullable Object extreme(List<@Nullable Object[]> rows, Comparator<Object> order) {
    Object best = null;
    Object least = null;
    for (@Nullable Object[] row : rows) {
      Object value = row[0];
      Object by = row[1];
      if (value != null && by != null && (least == null || order.compare(by, least) < 0)) {
        best = value;
        least = by;
      }
    }
    return best;
  }
}
