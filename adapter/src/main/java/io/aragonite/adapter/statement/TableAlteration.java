package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema.OwnTable;
import io.aragonite.adapter.ddl.TableStatement.AddColumn;
import io.aragonite.adapter.ddl.TableStatement.Alteration;
import io.aragonite.adapter.ddl.TableStatement.DropColumn;
import io.aragonite.adapter.ddl.TableStatement.RenameColumn;
import io.aragonite.adapter.ddl.TableStatement.RenameTable;
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
  /** A column that is added, looked at whether it can be. */
  record AddedColumn(TableColumn column, String type, String defaultValue) {}

  /**
   * @param table whose columns change
   * @param added the column of ADD COLUMN; null: none is added
   * @param quoted puts a name into quotes
   * @throws AragoniteException UNKNOWN_COLUMN, INVALID_STATEMENT
   */
  static TableAlteration of(
      OwnTable table,
      Alteration change,
      @Nullable AddedColumn added,
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
        columns.set(place, new TableColumn(rename.name(), column.type(), column.stored()));
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
        if (added != null) {
          columns.add(added.column);
          String value = added.defaultValue.isEmpty() ? "NULL" : "(" + added.defaultValue + "\n)";
          select.add(
              "CAST(%s AS %s) AS %s"
                  .formatted(value, added.type, quoted.apply(added.column.name())));
        }
        rules = with(table, added == null ? "" : added.defaultValue);
      }
      case RenameTable _ -> throw new IllegalArgumentException("a name is no column");
    }
    return new TableAlteration(String.join(", ", select), columns, rules);
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
    List<KeyRule> keys = new ArrayList<>();
    for (KeyRule key : table.rules().keys()) {
      if (key.columns().contains(place)) {
        throw refused(
            table, "has a key \"%s\" of this column; make the table anew".formatted(key.name()));
      }
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
    List<String> defaults = new ArrayList<>(table.rules().defaults());
    while (defaults.size() < table.data().columnNames().size()) {
      defaults.add("");
    }
    defaults.add(defaultValue);
    return new TableRules(table.rules().keys(), table.rules().checks(), List.copyOf(defaults));
  }

  private static AragoniteException refused(OwnTable table, String why) {
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT, "Table \"%s\" %s.".formatted(table.data().name(), why));
  }
}
