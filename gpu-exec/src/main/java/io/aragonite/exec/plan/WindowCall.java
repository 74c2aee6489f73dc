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
 *     buckets; FIRST_VALUE, LAST_VALUE: value; NTH_VALUE: value, n; COMOMENT: two FLOAT64)
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
  /**
   * Window functions. COMOMENT adds up the products of the distances of two values from their means
   * over the rows of a frame that have both; it is null if none has. The other COMOMENT functions
   * tell how many such rows there are, and the means in two parts, the second what rounding takes
   * from the first: what it takes to add two of them up.
   */
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
    NTH_VALUE,
    COMOMENT,
    COMOMENT_ROWS,
    COMOMENT_LEFT_MEAN,
    COMOMENT_LEFT_REST,
    COMOMENT_RIGHT_MEAN,
    COMOMENT_RIGHT_REST
  }
}
