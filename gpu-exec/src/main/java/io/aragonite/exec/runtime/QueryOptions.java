package io.aragonite.exec.runtime;

import io.aragonite.exec.plan.JoinAlgorithm;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How a query is to run.
 *
 * @param parameters values of the plan's parameters, boxed as in {@link
 *     io.aragonite.exec.expr.Expr.Literal}
 * @param workers threads at most; 0: the device's own number
 * @param memoryBytes what this query may use of the budget at most; 0: all of it
 * @param timeout null for none; counted from the start of execution
 * @param cancelled asked at every batch, from any worker: whether the query is to end with
 *     CANCELLED (JDBC's cancel flag); null for none
 * @param join the algorithm of all joins that have an equality; null: the plan's
 * @param statement what the query is a part of, by identity: whoever reads its rows may be waiting
 *     for those of another part; null: it is whole
 */
public record QueryOptions(
    List<@Nullable Object> parameters,
    int workers,
    long memoryBytes,
    @Nullable Duration timeout,
    @Nullable BooleanSupplier cancelled,
    @Nullable JoinAlgorithm join,
    @Nullable Object statement) {
  public static final QueryOptions DEFAULT = new QueryOptions(List.of(), 0, 0, null);

  public QueryOptions(
      List<@Nullable Object> parameters,
      int workers,
      long memoryBytes,
      @Nullable Duration timeout) {
    this(parameters, workers, memoryBytes, timeout, null, null);
  }

  public QueryOptions(
      List<@Nullable Object> parameters,
      int workers,
      long memoryBytes,
      @Nullable Duration timeout,
      @Nullable BooleanSupplier cancelled,
      @Nullable JoinAlgorithm join) {
    this(parameters, workers, memoryBytes, timeout, cancelled, join, null);
  }
}
