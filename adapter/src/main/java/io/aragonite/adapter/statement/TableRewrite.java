package io.aragonite.adapter.statement;

import io.aragonite.adapter.ddl.TableStatement.Assignment;
import io.aragonite.adapter.ddl.TableStatement.Delete;
import io.aragonite.adapter.ddl.TableStatement.Update;
import io.aragonite.adapter.sql.parse.InsertedValues;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The queries whose rows a table has after a DELETE or an UPDATE: those that stay, or all of them,
 * some with other values.
 */
final class TableRewrite {
  /** Whether a row is one that changes: the last column of an update's rows. */
  private static final String CHANGED = InsertedValues.ALIAS + "changed";

  private final String table;
  private final String name;
  private final UnaryOperator<String> quoted;

  /**
   * @param table with its schema, in quotes
   * @param name the table's alone, in quotes
   * @param quoted puts a name into quotes
   */
  TableRewrite(String table, String name, UnaryOperator<String> quoted) {
    this.table = table;
    this.name = name;
    this.quoted = quoted;
  }

  private String alias(@Nullable String written) {
    return written == null ? name : written;
  }

  /** The rows that a DELETE with a condition leaves: those for which it is false or unknown. */
  String kept(Delete delete) {
    return "SELECT * FROM %s AS %s WHERE (%s\n) IS NOT TRUE"
        .formatted(table, alias(delete.alias()), delete.condition());
  }

  /**
   * The rows after an UPDATE, and behind them whether each is one that it is about.
   *
   * @param cast writes a cast of an expression to the type of a column
   * @throws AragoniteException UNKNOWN_COLUMN, INVALID_STATEMENT if a column is set twice
   */
  String updated(Update update, List<TableColumn> columns, Function<TableColumn, String> cast) {
    List<String> names = columns.stream().map(TableColumn::name).toList();
    boolean[] set = new boolean[columns.size()];
    for (Assignment assignment : update.assignments()) {
      int place = TableColumn.find(names, assignment.column());
      if (place < 0) {
        throw TableColumn.unknown(update.target(), assignment.column(), names);
      }
      if (set[place]) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "Column \"%s\" of \"%s\" is set twice.".formatted(names.get(place), update.target()));
      }
      set[place] = true;
    }
    return whole(update, names, set, columns, cast);
  }

  /**
   * Values and the condition stand in the order in which they were written: their markers count.
   */
  private String whole(
      Update update,
      List<String> names,
      boolean[] set,
      List<TableColumn> columns,
      Function<TableColumn, String> cast) {
    String alias = alias(update.alias());
    List<String> made = new ArrayList<>();
    for (Assignment assignment : update.assignments()) {
      int place = TableColumn.find(names, assignment.column());
      made.add(
          "CASE WHEN %s THEN %s END AS %s"
              .formatted(
                  CHANGED,
                  cast.apply(columns.get(place)).formatted(assignment.value() + "\n"),
                  InsertedValues.ALIAS + place));
    }
    List<String> list = new ArrayList<>();
    for (int i = 0; i < set.length; i++) {
      String now = alias + "." + quoted.apply(names.get(i));
      list.add(
          set[i]
              ? "CASE WHEN %s THEN %s ELSE %s END".formatted(CHANGED, InsertedValues.ALIAS + i, now)
              : now);
    }
    list.add(CHANGED);
    String changed =
        update.condition() == null ? "TRUE" : "(%s\n) IS TRUE".formatted(update.condition());
    return "SELECT %s FROM (SELECT %s.*, %s FROM (SELECT %s.*, %s AS %s FROM %s AS %s) AS %s) AS %s"
        .formatted(
            String.join(", ", list),
            alias,
            String.join(", ", made),
            alias,
            changed,
            CHANGED,
            table,
            alias,
            alias,
            alias);
  }
}
