package io.aragonite.rules.metadata;

import org.apache.calcite.rel.RelNode;
import org.jspecify.annotations.Nullable;

/**
 * Rows of relations that somebody knows better than statistics tell, such as those that an earlier
 * run counted. Found as services; without one all rows are estimates.
 */
public interface RowCountSource {
  /**
   * The one that knows something of the query that this thread plans, or one that knows nothing.
   */
  static RowCountSource current() {
    for (RowCountSource source : RowCountSources.FOUND) {
      if (source.knows()) {
        return source;
      }
    }
    return RowCountSources.NONE;
  }

  /** Whether it knows anything of the query that this thread plans, so that it is worth asking. */
  default boolean knows() {
    return false;
  }

  /** The rows of a join, filter or grouping; null if they are not known. */
  default @Nullable Double rows(RelNode relation) {
    return null;
  }

  /** The rows of a join of some of a query's relations; null if they are not known. */
  default @Nullable Double rows(JoinedRelations relations) {
    return null;
  }

  /** How the source calls a relation, for EXPLAIN; null: not at all. */
  default @Nullable String name(RelNode relation) {
    return null;
  }
}
