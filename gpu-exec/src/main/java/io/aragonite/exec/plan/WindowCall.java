package io.aragonite.exec.plan;

import io.aragonite.exec.type.DataType;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One function of a window.
 *
 * @param function which
 * @param aggregate the aggregate of AGGREGATE, null for the others
 * @param args input columns of the other functions (LAG: value, [offset, [default]]; NTILE:
 *     buckets; FIRST_VALUE, LAST_VALUE: value; NTH_VALUE: value, n)
 * @param ignoreNulls IGNORE NULLS
 * @param type result type
 */
public record WindowCall(
    Function function,
    @Nullable AggregateCall aggregate,
    List<Integer> args,
    boolean ignoreNulls,
    DataType type)
    implements Serializable {
  /** Window functions. */
  public enum Function {
    AGGREGATE,
    ROW_NUMBER,
    RANK,
    DENSE_RANK,
    PERCENT_RANK,
    CUME_DIST,
    NTILE,
    LAG,
    LEAD,
    FIRST_VALUE,
    LAST_VALUE,
    NTH_VALUE
  }
}
