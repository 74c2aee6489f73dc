package io.aragonite.exec.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** An aggregate function that only the host can run, over all rows of a group at once. */
@FunctionalInterface
public interface HostAggregate {
  /**
   * @param rows the argument values of each row of the group that passed the filter, boxed as in
   *     {@link io.aragonite.exec.expr.Expr.Literal}, in the order asked for
   */
  @Nullable Object aggregate(List<@Nullable Object[]> rows);
}
