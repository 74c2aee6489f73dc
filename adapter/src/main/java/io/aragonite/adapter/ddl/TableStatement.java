package io.aragonite.adapter.ddl;

import java.util.List;
import java.util.Map;

/** A statement that makes, fills or takes away tables of a connection, or writes files. */
public sealed interface TableStatement {
  /** What happens if there is a table of the name already. */
  enum IfExists {
    FAIL,
    KEEP,
    REPLACE
  }

  /** What the statement is about: a table's name, without the schema, or a file. */
  String target();

  /** CREATE VIEW, with the columns' names if they are given. */
  record CreateView(String target, List<String> columns, String query, IfExists ifExists)
      implements TableStatement {}

  /** CREATE TABLE AS. */
  record CreateTableAs(String target, List<String> columns, String query, IfExists ifExists)
      implements TableStatement {}

  /** CREATE TABLE with columns. */
  record CreateTable(String target, List<ColumnDefinition> columns, IfExists ifExists)
      implements TableStatement {}

  /**
   * A column as it is declared.
   *
   * @param type in SQL
   */
  record ColumnDefinition(String name, String type, boolean nullable) {}

  /** INSERT; no columns: all of them. */
  record Insert(String target, List<String> columns, String query) implements TableStatement {}

  /** COPY, with its options as they are written; one without a value has none. */
  record CopyTo(String target, String query, Map<String, List<String>> options)
      implements TableStatement {}

  /** DROP TABLE, DROP VIEW. */
  record Drop(String target, boolean view, boolean ifExists) implements TableStatement {}
}
