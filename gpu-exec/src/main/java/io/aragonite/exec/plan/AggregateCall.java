package io.aragonite.exec.plan;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One aggregate of an Aggregate or Window node.
 *
 * @param function the function; null for a host aggregate
 * @param host the host aggregate; null for a built-in function
 * @param name what EXPLAIN and messages call it
 * @param args input columns (none for COUNT(*))
 * @param distinct whether equal argument rows count once; a host aggregate sees to that itself
 * @param filter a BOOLEAN input column, -1 for none
 * @param orderBy the order in which a host aggregate wants its rows
 * @param type result type
 */
public record AggregateCall(
    @Nullable AggregateFunction function,
    @Nullable HostAggregate host,
    String name,
    List<Integer> args,
    boolean distinct,
    int filter,
    List<SortKey> orderBy,
    DataType type)
    implements Serializable {
  public AggregateCall {
    if ((function == null) == (host == null)) {
      throw new IllegalArgumentException("exactly one of function and host");
    }
    if (host != null && distinct) {
      throw new IllegalArgumentException(name + ": a host aggregate is distinct by itself");
    }
    args = List.copyOf(args);
    orderBy = List.copyOf(orderBy);
  }

  public static AggregateCall of(AggregateFunction function, DataType type, Integer... args) {
    return new AggregateCall(
        function, null, function.name(), List.of(args), false, -1, List.of(), type);
  }

  /**
   * What a host aggregate yields for rows.
   *
   * @throws AragoniteException if it fails
   */
  public @Nullable Object onHost(List<@Nullable Object[]> rows) {
    try {
      return Objects.requireNonNull(host).aggregate(rows);
    } catch (AragoniteException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT, name + " failed: " + AragoniteException.reason(e), e);
    }
  }

  /** The same over a part of the rows, whose results {@link AggregateFunction#merge} merges. */
  public AggregateCall partial() {
    DataType part = function == null ? type : function.partial(type);
    return new AggregateCall(function, host, name, args, distinct, filter, orderBy, part);
  }
}
