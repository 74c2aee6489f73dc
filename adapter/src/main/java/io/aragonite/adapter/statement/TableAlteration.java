package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema.OwnTable;
import io.aragonite.adapter.ddl.TableStatement.AddColumn;
import io.aragonite.adapter.ddl.TableStatement.Alteration;
import io.aragonite.adapter.ddl.TableStatement.DropColumn;
import io.aragonite.adapter.ddl.TableStatement.RenameColumn;
import io.aragonite.adapter.ddl.TableStatement.RenameTable;
import io.aragonite.adapter.ddl.TableStatement.SetDefault;
import io.aragonite.adapter.ddl.TableStatement.SetNullable;
import io.aragonite.adapter.ddl.TableStatement.SetType;
import io.aragonite.adapter.sql.SqlTokens;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.adapter.table.TableRules.CheckRule;
import io.aragonite.adapter.table.TableRules.KeyRule;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a table has after ALTER TABLE.
 *
 * @param select its columns as those of the table before, in SQL; null: nothing changes
 */
record TableAlteration(@Nullable String select, List<TableColumn> columns, TableRules rules) {
  /** A column that is added or gets another type or default, looked at whether it can be. */
  record DefinedColumn(TableColumn column, String type, String defaultValue) {}

  /**
   * @param table whose columns change
   * @param defined the column of ADD COLUMN, or of a new type or default; null: none
   * @param quoted puts a name into quotes
   * @throws AragoniteException UNKNOWN_COLUMN, INVALID_STATEMENT
   */
  static TableAlteration of(
      OwnTable table,
      Alteration change,
      @Nullable DefinedColumn defined,
      UnaryOperator<String> quoted) {
    List<TableColumn> columns = new ArrayList<>(TableColumn.of(table.data()));
    List<String> names = table.data().columnNames();
    List<String> select = new ArrayList<>(names.stream().map(quoted).toList());
    TableRules rules = table.rules();
    switch (change) {
      case RenameColumn rename -> {
        int place = place(table, rename.column());
        int other = TableColumn.find(names, rename.name());
        requireFree(table, other == place ? -1 : other);
        requireUnchecked(table, names.get(place));
        TableColumn column = columns.get(place);
        columns.set(place, column.as(rename.name(), column.type().nullable()));
        select.set(place, select.get(place) + " AS " + quoted.apply(rename.name()));
      }
      case DropColumn drop -> {
        if (drop.ifExists() && TableColumn.find(names, drop.column()) < 0) {
          return new TableAlteration(null, columns, rules);
        }
        int place = place(table, drop.column());
        requireUnchecked(table, names.get(place));
        columns.remove(place);
        select.remove(place);
        rules = without(table, place);
      }
      case AddColumn add -> {
        int known = TableColumn.find(names, add.column().name());
        if (known >= 0 && add.ifNotExists()) {
          return new TableAlteration(null, columns, rules);
        }
        requireFree(table, known);
        if (defined != null) {
          columns.add(defined.column);
          String value =
              defined.defaultValue.isEmpty() ? "NULL" : "(" + defined.defaultValue + "\n)";
          select.add(
              "CAST(%s AS %s) AS %s"
                  .formatted(value, defined.type, quoted.apply(defined.column.name())));
        }
        rules = with(table, defined == null ? "" : defined.defaultValue);
      }
      case SetType set ->
          retype(table, place(table, set.column()), set, defined, columns, select, quoted);
      case SetDefault set -> rules = with(table, place(table, set.column()), set.defaultValue());
      case SetNullable set -> {
        int place = place(table, set.column());
        requireNoPrimary(table, place, set);
        TableColumn column = columns.get(place);
        columns.set(place, column.as(column.name(), set.nullable()));
      }
      case RenameTable _ -> throw new IllegalArgumentException("a name is no column");
    }
    return new TableAlteration(String.join(", ", select), columns, rules);
  }

  private static void retype(
      OwnTable table,
      int place,
      SetType set,
      @Nullable DefinedColumn defined,
      List<TableColumn> columns,
      List<String> select,
      UnaryOperator<String> quoted) {
    TableColumn before = columns.get(place);
    requireUnchecked(table, before.name());
    requireNoKey(table, place);
    if (defined == null) {
      return;
    }
    columns.set(place, defined.column.as(before.name(), before.type().nullable()));
    String value = set.using() == null ? quoted.apply(before.name()) : "(" + set.using() + "\n)";
    select.set(
        place, "CAST(%s AS %s) AS %s".formatted(value, defined.type, quoted.apply(before.name())));
  }

  private static void requireNoPrimary(OwnTable table, int place, SetNullable set) {
    KeyRule primary = table.rules().primaryKey();
    if (set.nullable() && primary != null && primary.columns().contains(place)) {
      throw refused(
          table,
          "has the primary key \"%s\" of this column, which has no nulls"
              .formatted(primary.name()));
    }
  }

  private static void requireNoKey(OwnTable table, int place) {
    for (KeyRule key : table.rules().keys()) {
      if (key.columns().contains(place)) {
        throw refused(
            table, "has a key \"%s\" of this column; make the table anew".formatted(key.name()));
      }
    }
  }

  private static int place(OwnTable table, String column) {
    List<String> names = table.data().columnNames();
    int place = TableColumn.find(names, column);
    if (place < 0) {
      throw TableColumn.unknown(table.data().name(), column, names);
    }
    return place;
  }

  private static void requireFree(OwnTable table, int place) {
    if (place >= 0) {
      throw refused(
          table,
          "has a column \"%s\" already; take another name"
              .formatted(table.data().columnNames().get(place)));
    }
  }

  /**
   * @param name a column's, or the table's
   * @throws AragoniteException INVALID_STATEMENT if a CHECK may speak of it
   */
  static void requireUnchecked(OwnTable table, String name) {
    for (CheckRule check : table.rules().checks()) {
      for (String token : SqlTokens.list(check.condition())) {
        if (SqlTokens.unquoted(token).equalsIgnoreCase(name)) {
          throw refused(
              table,
              "has a CHECK \"%s\" that speaks of \"%s\"; make the table anew"
                  .formatted(check.name(), name));
        }
      }
    }
  }

  private static TableRules without(OwnTable table, int place) {
    if (table.data().columnNames().size() == 1) {
      throw refused(table, "would have no columns; use DROP TABLE");
    }
    requireNoKey(table, place);
    List<KeyRule> keys = new ArrayList<>();
    for (KeyRule key : table.rules().keys()) {
      keys.add(
          new KeyRule(
              key.name(),
              key.primary(),
              key.columns().stream().map(column -> column > place ? column - 1 : column).toList()));
    }
    List<String> defaults = new ArrayList<>(table.rules().defaults());
    if (place < defaults.size()) {
      defaults.remove(place);
    }
    return new TableRules(List.copyOf(keys), table.rules().checks(), List.copyOf(defaults));
  }

  private static TableRules with(OwnTable table, String defaultValue) {
    return with(table, table.data().columnNames().size(), defaultValue);
  }

  private static TableRules with(OwnTable table, int place, String defaultValue) {
    List<String> defaults = new ArrayList<>(table.rules().defaults());
    while (defaults.size() <= place) {
      defaults.add("");
    }
    defaults.set(place, defaultValue);
    return new TableRules(table.rules().keys(), table.rules().checks(), List.copyOf(defaults));
  }

  private static AragoniteException refused(OwnTable table, String why) {
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT, "Table \"%s\" %s.".formatted(table.data().name(), why));
  }
}
