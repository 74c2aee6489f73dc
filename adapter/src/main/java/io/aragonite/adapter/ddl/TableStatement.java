package io.aragonite.adapter.ddl;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement that makes, fills or takes away tables of a connection, or writes files. */
public sealed interface TableStatement {
  /** What happens if there is a table of the name already. */
  enum IfExists {
    FAIL,
    KEEP,
    REPLACE
  }

  /** The name of a table, without the schema, which is the connection's own. */
  String table();

  /** The query whose rows are wanted; null if the statement has none. */
  default @Nullable String query() {
    return null;
  }

  /** CREATE VIEW, with the columns' names if they are given. */
  record CreateView(String table, List<String> columns, String query, IfExists ifExists)
      implements TableStatement {}

  /** CREATE TABLE AS. */
  record CreateTableAs(String table, List<String> columns, String query, IfExists ifExists)
      implements TableStatement {}

  /** CREATE TABLE with columns. */
  record CreateTable(String table, List<ColumnDefinition> columns, IfExists ifExists)
      implements TableStatement {}

  /**
   * A column as it is declared.
   *
   * @param type in SQL
   */
  record ColumnDefinition(String name, String type, boolean nullable) {}

  /** INSERT; no columns: all of them. */
  record Insert(String table, List<String> columns, String query) implements TableStatement {}

  /** DROP TABLE, DROP VIEW. */
  record Drop(String table, boolean view, boolean ifExists) implements TableStatement {}
}
