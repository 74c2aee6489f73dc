package io.aragonite.adapter.ddl;

import io.aragonite.adapter.sql.Macros.Macro;
import io.aragonite.rules.function.NumberSequence;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A statement that makes, fills or takes away tables of a connection, or writes files. */
public sealed interface TableStatement {
  /** What happens if there is a table of the name already. */
  enum IfExists {
    FAIL,
    KEEP,
    REPLACE
  }

  /**
   * A statement and the schema of its table.
   *
   * @param schema as it is written; null: the statement names none
   * @param returning the list of RETURNING, in SQL; null: there is none
   */
  record InSchema(TableStatement statement, @Nullable String schema, @Nullable String returning) {}

  /** What the statement is about: a table's name, without the schema, a schema or a file. */
  String target();

  /** CREATE VIEW, with the columns' names if they are given. */
  record CreateView(String target, List<String> columns, String query, IfExists ifExists)
      implements TableStatement {}

  /** CREATE TABLE AS. */
  record CreateTableAs(String target, List<String> columns, String query, IfExists ifExists)
      implements TableStatement {}

  /** CREATE TABLE with columns. */
  record CreateTable(
      String target,
      List<ColumnDefinition> columns,
      List<ConstraintDefinition> constraints,
      IfExists ifExists)
      implements TableStatement {}

  /**
   * A column as it is declared.
   *
   * @param type in SQL
   * @param defaultValue an expression in SQL; empty: it has none
   */
  record ColumnDefinition(String name, String type, boolean nullable, String defaultValue) {}

  /** What a constraint is of. */
  enum ConstraintKind {
    PRIMARY_KEY,
    UNIQUE,
    CHECK
  }

  /**
   * A constraint of a table, or of a column of it.
   *
   * @param name null: it has none of its own
   * @param columns of a key
   * @param condition of a CHECK, in SQL; empty: it is a key
   */
  record ConstraintDefinition(
      ConstraintKind kind, @Nullable String name, List<String> columns, String condition) {}

  /**
   * INSERT; no columns: all of them.
   *
   * @param alias of the table behind ON CONFLICT, as it is written; null: its name
   * @param byName whether the query's columns have the names of those that they are for
   * @param query null: one row of defaults
   * @param onConflict what happens to rows whose keys are there already
   * @param conflict the columns of the one key that is meant then; none: all keys
   */
  record Insert(
      String target,
      @Nullable String alias,
      List<String> columns,
      boolean byName,
      @Nullable String query,
      OnConflict onConflict,
      List<String> conflict)
      implements TableStatement {}

  /** What an INSERT does with a row whose key is there already. */
  sealed interface OnConflict {
    /** It is an error. */
    record RaiseError() implements OnConflict {}

    /** The row is left out: DO NOTHING, OR IGNORE. */
    record DoNothing() implements OnConflict {}

    /**
     * The row that is there changes: DO UPDATE, OR REPLACE.
     *
     * @param assignments none: all columns get what the given row has
     * @param condition of the rows that change; null: all of them
     */
    record DoUpdate(List<Assignment> assignments, @Nullable String condition)
        implements OnConflict {}
  }

  /**
   * DELETE, TRUNCATE.
   *
   * @param alias of the table in the condition, as it is written; null: its name
   * @param using tables whose rows the condition is about too, in SQL; null: none
   * @param condition of the rows that go; null: all of them
   */
  record Delete(
      String target, @Nullable String alias, @Nullable String using, @Nullable String condition)
      implements TableStatement {}

  /**
   * UPDATE.
   *
   * @param alias of the table in expressions, as it is written; null: its name
   * @param from tables that the values and the condition are of too, in SQL; null: none
   * @param condition of the rows that change; null: all of them
   */
  record Update(
      String target,
      @Nullable String alias,
      List<Assignment> assignments,
      @Nullable String from,
      @Nullable String condition)
      implements TableStatement {}

  /**
   * MERGE.
   *
   * @param alias of the table in expressions, as it is written; null: its name
   * @param source a table, view or query with its name, in SQL
   * @param condition of the rows of source and table that go together, in SQL
   */
  record MergeInto(
      String target,
      @Nullable String alias,
      String source,
      String condition,
      List<MergeClause> clauses)
      implements TableStatement {}

  /**
   * A WHEN of a MERGE; the first that holds counts.
   *
   * @param matched whether it is of pairs, and not of rows of the source without one
   * @param condition behind AND; null: it always holds
   */
  record MergeClause(boolean matched, @Nullable String condition, MergeAction action) {}

  /** What a MERGE does. */
  sealed interface MergeAction {
    /** The row of the table gets other values. */
    record MergeUpdate(List<Assignment> assignments) implements MergeAction {}

    /** The row of the table goes. */
    record MergeDelete() implements MergeAction {}

    /** A row is added; no columns: all of them. */
    record MergeInsert(List<String> columns, List<String> values) implements MergeAction {}

    /** Nothing happens. */
    record MergeNothing() implements MergeAction {}
  }

  /** The new value of a column, an expression. */
  record Assignment(String column, String value) {}

  /** COPY, with its options as they are written; one without a value has none. */
  record CopyTo(String target, String query, Map<String, List<String>> options)
      implements TableStatement {}

  /**
   * COPY of a file into a table.
   *
   * @param columns those that the file has; none: all
   * @param options as they are written; one without a value has none
   */
  record CopyFrom(
      String target, List<String> columns, String file, Map<String, List<String>> options)
      implements TableStatement {}

  /** CREATE MACRO, CREATE FUNCTION. */
  record CreateMacro(Macro macro, IfExists ifExists) implements TableStatement {
    @Override
    public String target() {
      return macro.name();
    }
  }

  /** DROP MACRO, DROP FUNCTION. */
  record DropMacro(String target, boolean ifExists) implements TableStatement {}

  /** CREATE SEQUENCE. */
  record CreateSequence(String target, NumberSequence.Definition definition, IfExists ifExists)
      implements TableStatement {}

  /** DROP SEQUENCE. */
  record DropSequence(String target, boolean ifExists) implements TableStatement {}

  /** ALTER TABLE. */
  record AlterTable(String target, Alteration alteration) implements TableStatement {}

  /** What ALTER TABLE changes. */
  sealed interface Alteration {}

  /** RENAME TO. */
  record RenameTable(String name) implements Alteration {}

  /** RENAME COLUMN. */
  record RenameColumn(String column, String name) implements Alteration {}

  /** ADD COLUMN, behind the others. */
  record AddColumn(ColumnDefinition column, boolean ifNotExists) implements Alteration {}

  /**
   * ALTER COLUMN TYPE.
   *
   * @param using what the column has then, an expression in SQL; null: what it had
   */
  record SetType(String column, String type, @Nullable String using) implements Alteration {}

  /** ALTER COLUMN SET DEFAULT; an empty one: DROP DEFAULT. */
  record SetDefault(String column, String defaultValue) implements Alteration {}

  /** ALTER COLUMN SET NOT NULL, DROP NOT NULL. */
  record SetNullable(String column, boolean nullable) implements Alteration {}

  /** DROP COLUMN. */
  record DropColumn(String column, boolean ifExists) implements Alteration {}

  /** CREATE SCHEMA. */
  record CreateSchema(String target, boolean ifNotExists) implements TableStatement {}

  /**
   * DROP SCHEMA.
   *
   * @param cascade whether what is in it goes too
   */
  record DropSchema(String target, boolean ifExists, boolean cascade) implements TableStatement {}

  /**
   * DROP TABLE, DROP VIEW of several.
   *
   * @param names with those of their schemas, if these are written
   */
  record Drop(List<DroppedName> names, boolean view, boolean ifExists) implements TableStatement {
    @Override
    public String target() {
      return names.getFirst().name();
    }
  }

  /**
   * What is dropped.
   *
   * @param schema as it is written; null: the statement names none
   */
  record DroppedName(@Nullable String schema, String name) {}
}
