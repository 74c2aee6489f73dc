package io.aragonite.exec.plan;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;

/**
 * The aggregate functions that devices compute. All but COUNT skip nulls and are null over no rows
 * (SUM0 is 0). The rest of SQL's aggregates are composed of these by the planner, or are host
 * aggregates.
 */
public enum AggregateFunction {
  /** Rows, or non-null values. */
  COUNT,
  /**
   * Exact for integers and decimals; NUMERIC_OVERFLOW if the total does not fit the result type.
   */
  SUM,
  SUM0,
  /** By value; FALSE before TRUE; text by bytes. */
  MIN,
  MAX,
  /** Some value, not null if there is one. */
  ANY_VALUE,
  /**
   * The value of the only row, null over no rows, SCALAR_SUBQUERY_ROWS if there is a second row.
   */
  SINGLE_VALUE,
  BIT_AND,
  BIT_OR,
  BIT_XOR;

  /**
   * The type of a part's result, where parts of the rows are aggregated by themselves and then
   * {@link #merge merged}. Sums that fit the type when all is added need not fit it in parts.
   *
   * @param type of the whole result
   */
  public DataType partial(DataType type) {
    boolean exact = type.kind().isInteger() || type.kind() == TypeKind.DECIMAL;
    return (this == SUM || this == SUM0) && exact
        ? DataType.decimal(DataType.MAX_DECIMAL_PRECISION, type.scale(), type.nullable())
        : type;
  }

  /** The function that combines partial results of this one. */
  public AggregateFunction merge() {
    return this == COUNT ? SUM0 : this;
  }
}
