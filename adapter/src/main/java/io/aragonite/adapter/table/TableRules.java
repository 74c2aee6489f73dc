package io.aragonite.adapter.table;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What holds of all rows of a connection's table, beside the types of its columns.
 *
 * @param keys the primary key first, if there is one
 * @param defaults of each column, an expression in SQL; empty: it has none
 */
public record TableRules(List<KeyRule> keys, List<CheckRule> checks, List<String> defaults) {
  /** Of a table without any. */
  public static final TableRules NONE = new TableRules(List.of(), List.of(), List.of());

  /**
   * Columns whose values no two rows have in common, unless one of them is null.
   *
   * @param columns their places, in the order of the key
   */
  public record KeyRule(String name, boolean primary, List<Integer> columns) {}

  /** A condition that is true or unknown, in SQL. */
  public record CheckRule(String name, String condition) {}

  /** The default of a column, an expression in SQL; null if it has none. */
  public @Nullable String defaultOf(int column) {
    String value = column < defaults.size() ? defaults.get(column) : "";
    return value.isEmpty() ? null : value;
  }

  /** The primary key; null if there is none. */
  public @Nullable KeyRule primaryKey() {
    return keys.isEmpty() || !keys.getFirst().primary() ? null : keys.getFirst();
  }
}
