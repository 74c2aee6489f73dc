package io.aragonite.rules.metadata;

import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.rel.RelNode;
import org.jspecify.annotations.Nullable;

/**
 * Cardinalities that the planner takes in place of its estimates: counted in an earlier run,
 * learned or known otherwise. {@code AragoniteConnection.setCardinalities} gives one to a
 * connection. Users of their own Calcite planner put it into the planner's {@link Context}.
 *
 * <p>The planner asks for every join, filter and grouping that it considers, so answers should be
 * quick and must be the same for all forms of a relation. Threads that plan may ask at the same
 * time.
 */
public interface CardinalityProvider {
  /** The rows of a join, filter or grouping; null: the planner estimates them. */
  @Nullable Double rows(RelNode relation);

  /** The rows of a join of some of a query's relations; null: the planner estimates them. */
  @Nullable Double rows(JoinedRelations relations);

  /**
   * The name of a relation. EXPLAIN shows it as {@code relation}, so that the actual rows of
   * EXPLAIN ANALYZE can be attributed to it; null: no name.
   */
  default @Nullable String name(RelNode relation) {
    return null;
  }

  /** The provider in the context of a planner, null if there is none. */
  static @Nullable CardinalityProvider of(RelOptPlanner planner) {
    Context context = planner.getContext();
    return context == null ? null : context.unwrap(CardinalityProvider.class);
  }
}
