package io.aragonite.rules.function;

import java.util.List;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlBasicAggFunction;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlOperandTypeChecker;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.apache.calcite.util.Optionality;

/**
 * Aggregates that take one row of a group by its place in an order. The planner writes them by
 * windows. Each may be null: where no row counts.
 */
public final class OrderedFunctions {
  /** {@code FIRST_IN_ORDER(x) WITHIN GROUP (ORDER BY y)}, the first row's value, a null too. */
  public static final SqlAggFunction FIRST = inOrder("FIRST_IN_ORDER", OperandTypes.ANY);

  /** The last row's value, a null too. */
  public static final SqlAggFunction LAST = inOrder("LAST_IN_ORDER", OperandTypes.ANY);

  /**
   * {@code FIRST(x)} without an order of its own: of the first row where rows are in order, else of
   * any that is not null.
   */
  public static final SqlAggFunction FIRST_OF_ROWS = ofRows("FIRST_OF_ROWS");

  /** {@code LAST(x)} without an order of its own. */
  public static final SqlAggFunction LAST_OF_ROWS = ofRows("LAST_OF_ROWS");

  /** {@code MODE_IN_ORDER(x)}, of values that are equally frequent the first one in the order. */
  public static final SqlAggFunction MODE = inOrder("MODE_IN_ORDER", OperandTypes.ANY);

  /** {@code MIN_BY(x, y)}, x of the row with the least y; rows with a null do not count. */
  public static final SqlAggFunction MIN_BY = extreme("MIN_BY", SqlKind.ARG_MIN);

  /** {@code MAX_BY(x, y)}, x of the row with the greatest y. */
  public static final SqlAggFunction MAX_BY = extreme("MAX_BY", SqlKind.ARG_MAX);

  /**
   * {@code QUANTILE_CONT(p) WITHIN GROUP (ORDER BY x)}: between the two values beside a share of
   * the rows. A DOUBLE; Calcite's PERCENTILE_CONT has the type of the values.
   */
  public static final SqlAggFunction QUANTILE_CONT =
      SqlBasicAggFunction.create(
              "QUANTILE_CONT",
              SqlKind.PERCENTILE_CONT,
              nullable(ReturnTypes.DOUBLE),
              OperandTypes.UNIT_INTERVAL_NUMERIC_LITERAL)
          .withGroupOrder(Optionality.MANDATORY)
          .withPercentile(true)
          .withAllowsFraming(false);

  /**
   * {@code QUANTILE_DISC(x, p) WITHIN GROUP (ORDER BY x)}: the first value behind a share of the
   * rows, of any type.
   */
  public static final SqlAggFunction QUANTILE_DISC =
      inOrder("QUANTILE_DISC", OperandTypes.family(SqlTypeFamily.ANY, SqlTypeFamily.NUMERIC));

  private OrderedFunctions() {}

  /** All of them. */
  public static List<SqlAggFunction> all() {
    return List.of(
        FIRST,
        LAST,
        FIRST_OF_ROWS,
        LAST_OF_ROWS,
        MODE,
        MIN_BY,
        MAX_BY,
        QUANTILE_CONT,
        QUANTILE_DISC);
  }

  private static SqlReturnTypeInference nullable(SqlReturnTypeInference type) {
    return type.andThen(SqlTypeTransforms.FORCE_NULLABLE);
  }

  private static SqlAggFunction inOrder(String name, SqlOperandTypeChecker operands) {
    return SqlBasicAggFunction.create(
            name, SqlKind.OTHER_FUNCTION, nullable(ReturnTypes.ARG0), operands)
        .withGroupOrder(Optionality.MANDATORY)
        .withAllowsFraming(false);
  }

  private static SqlAggFunction ofRows(String name) {
    return SqlBasicAggFunction.create(
            name, SqlKind.ANY_VALUE, nullable(ReturnTypes.ARG0), OperandTypes.ANY)
        .withGroupOrder(Optionality.FORBIDDEN);
  }

  private static SqlAggFunction extreme(String name, SqlKind kind) {
    return SqlBasicAggFunction.create(
            name, kind, nullable(ReturnTypes.ARG0), OperandTypes.ANY_COMPARABLE)
        .withGroupOrder(Optionality.FORBIDDEN);
  }
}
