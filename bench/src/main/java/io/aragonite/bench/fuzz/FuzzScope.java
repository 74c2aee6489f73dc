package io.aragonite.bench.fuzz;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The columns that an expression may name.
 *
 * @param columns those of the query's own FROM
 * @param outer those of the query around it; null where there is none, or none may be named
 */
record FuzzScope(List<ScopeColumn> columns, @Nullable FuzzScope outer) {
  /** A column: how it is written, with its alias, and the kind of its values. */
  record ScopeColumn(String sql, FuzzType type) {}

  FuzzScope {
    columns = List.copyOf(columns);
  }

  /** The same with the columns of one more item of FROM. */
  FuzzScope and(List<ScopeColumn> more) {
    List<ScopeColumn> all = new ArrayList<>(columns);
    all.addAll(more);
    return new FuzzScope(all, outer);
  }

  /** The query's own columns of a kind. */
  List<ScopeColumn> of(FuzzType type) {
    return columns.stream().filter(column -> column.type() == type).toList();
  }
}
