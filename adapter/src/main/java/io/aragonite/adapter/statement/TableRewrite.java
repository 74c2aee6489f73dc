package io.aragonite.adapter.statement;

import io.aragonite.adapter.ddl.TableStatement.Assignment;
import io.aragonite.adapter.ddl.TableStatement.Delete;
import io.aragonite.adapter.ddl.TableStatement.Update;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.Converter;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.jspecify.annotations.Nullable;

/**
 * The queries whose rows a table has after a DELETE or an UPDATE: those that stay, and those with
 * other values behind them. Values are made of rows that change alone.
 */
final class TableRewrite {
  private final String table;
  private final String name;
  private final UnaryOperator<String> quoted;
  private final boolean numbered;

  /**
   * @param table with its schema, in quotes
   * @param name the table's alone, in quotes
   * @param quoted puts a name into quotes
   * @param numbered whether the table has the numbers of its rows behind its columns
   */
  TableRewrite(String table, String name, UnaryOperator<String> quoted, boolean numbered) {
    this.table = table;
    this.name = name;
    this.quoted = quoted;
    this.numbered = numbered;
  }

  /** Of a table as it is. */
  static TableRewrite of(WriteScope scope, CachedTable data) {
    String name = scope.quoted(data.name());
    return new TableRewrite(
        scope.quoted(scope.schema().name()) + "." + name, name, scope::quoted, false);
  }

  /** The table with its schema, in quotes. */
  String table() {
    return table;
  }

  /** All rows, each with a number behind its columns. */
  String numbered() {
    return "SELECT *, ROW_NUMBER() OVER () AS %s FROM %s".formatted(number(), table);
  }

  private String number() {
    return quoted.apply(HeldRows.NUMBER);
  }

  /** The rows of a table that has numbers, without these. */
  String of(String rows, List<TableColumn> columns) {
    return "SELECT %s FROM %s".formatted(names(columns), rows);
  }

  private String names(List<TableColumn> columns) {
    return String.join(", ", columns.stream().map(column -> quoted.apply(column.name())).toList());
  }

  /** The rows whose numbers another table lacks. */
  String without(String rows, List<TableColumn> columns) {
    return "SELECT %1$s FROM %2$s AS stays WHERE NOT EXISTS (SELECT 1 FROM %3$s AS goes WHERE goes.%4$s = stays.%4$s)"
        .formatted(names(columns), table, rows, number());
  }

  private String from(@Nullable String alias) {
    return " FROM %s AS %s".formatted(table, alias(alias));
  }

  private String alias(@Nullable String written) {
    return written == null ? name : written;
  }

  /** The rows that a DELETE with a condition leaves: those for which it is false or unknown. */
  String kept(Delete delete) {
    return "SELECT *"
        + from(delete.alias())
        + (delete.using() == null
            ? isNot(delete.condition())
            : " WHERE NOT " + exists(delete.using(), delete.condition()));
  }

  /** The rows that a DELETE takes away. */
  String deleted(Delete delete) {
    String where = "";
    if (delete.using() != null) {
      where = " WHERE " + exists(delete.using(), delete.condition());
    } else if (delete.condition() != null) {
      where = " WHERE (%s\n) IS TRUE".formatted(delete.condition());
    }
    return "SELECT *" + from(delete.alias()) + where;
  }

  /**
   * The rows of a DELETE with USING beside those that they go with: a column of several of the
   * tables is an error there, and would be that of one of them in a subquery.
   */
  String joined(Delete delete) {
    return "SELECT 1%s, %s\n WHERE (%s\n)"
        .formatted(from(delete.alias()), delete.using(), delete.condition());
  }

  private static String exists(String tables, @Nullable String condition) {
    return "EXISTS (SELECT 1 FROM %s\n WHERE (%s\n))".formatted(tables, condition);
  }

  private static String isNot(@Nullable String condition) {
    return " WHERE (%s\n) IS NOT TRUE".formatted(condition);
  }

  /**
   * The rows that an UPDATE with a condition leaves as they are. Its values are in the query, where
   * they are asked of no row, if they have parameter markers: these are counted from the first one.
   */
  String kept(Update update, List<TableColumn> columns, Function<TableColumn, String> cast) {
    StringBuilder never = new StringBuilder();
    List<String> values = new ArrayList<>();
    for (Assignment assignment : update.assignments()) {
      if (assignment.value().contains("?")) {
        TableColumn column = columns.get(place(update, columns, assignment));
        values.add(value(column, assignment, cast));
        never.append(" AND (").append(values.getLast()).append(") IS NULL");
      }
    }
    String kept = "(%s\n) IS NOT TRUE".formatted(update.condition());
    return "SELECT *%s WHERE %s"
        .formatted(
            from(update.alias()), never.isEmpty() ? kept : "(FALSE" + never + ") OR " + kept);
  }

  /**
   * Whether a query has a row of its table, or has it not, for what is in the row alone, and the
   * same each time that it is asked.
   *
   * @param plan of it
   */
  static boolean isOfRow(RelNode plan) {
    if (plan instanceof TableScan) {
      return true;
    }
    boolean[] fixed = {
      plan.getInputs().size() == 1
          && (plan instanceof Filter || plan instanceof Project || plan instanceof Converter)
    };
    RelNode _ =
        plan.accept(
            new RexShuttle() {
              @Override
              public RexNode visitCall(RexCall call) {
                fixed[0] &=
                    call.getOperator().isDeterministic() && !call.getOperator().isDynamicFunction();
                return super.visitCall(call);
              }

              @Override
              public RexNode visitOver(RexOver over) {
                fixed[0] = false;
                return over;
              }

              @Override
              public RexNode visitSubQuery(RexSubQuery query) {
                fixed[0] = false;
                return query;
              }
            });
    return fixed[0] && isOfRow(plan.getInput(0));
  }

  /** The error of an UPDATE with FROM, of which several rows go with one of the table. */
  static AragoniteException severalRows(String table) {
    return new AragoniteException(
        ErrorCode.SCALAR_SUBQUERY_ROWS,
        "More than one row of FROM goes with a row of \"%s\", so that there is no one new value; group the rows of FROM, or take one of each by DISTINCT ON."
            .formatted(table));
  }

  /**
   * The rows that an UPDATE changes, with their new values.
   *
   * @param cast writes a cast of an expression to the type of a column
   * @throws AragoniteException UNKNOWN_COLUMN, INVALID_STATEMENT if a column is set twice
   */
  String changed(Update update, List<TableColumn> columns, Function<TableColumn, String> cast) {
    boolean[] set = new boolean[columns.size()];
    // Values stand in the order in which they were written: their parameter markers count.
    List<String> made = new ArrayList<>();
    for (Assignment assignment : update.assignments()) {
      int place = place(update, columns, assignment);
      if (set[place]) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "Column \"%s\" of \"%s\" is set twice."
                .formatted(columns.get(place).name(), update.target()));
      }
      set[place] = true;
      made.add(value(columns.get(place), assignment, cast) + " AS " + own(columns, place));
    }
    String alias = alias(update.alias());
    List<String> list = new ArrayList<>();
    for (int i = 0; i < set.length; i++) {
      String column = quoted.apply(columns.get(i).name());
      list.add(alias + "." + (set[i] ? own(columns, i) + " AS " + column : column));
    }
    if (numbered) {
      list.add(alias + "." + number());
    }
    String where =
        update.condition() == null ? "" : " WHERE (%s\n) IS TRUE".formatted(update.condition());
    return "SELECT %s FROM (SELECT %s, %s.*%s%s) AS %s"
        .formatted(
            String.join(", ", list),
            String.join(", ", made),
            alias,
            from(update.alias()) + (update.from() == null ? "" : ", " + update.from() + "\n"),
            where,
            alias);
  }

  private static int place(Update update, List<TableColumn> columns, Assignment assignment) {
    List<String> names = columns.stream().map(TableColumn::name).toList();
    int place = TableColumn.find(names, assignment.column());
    if (place < 0) {
      throw TableColumn.unknown(update.target(), assignment.column(), names);
    }
    return place;
  }

  private static String value(
      TableColumn column, Assignment assignment, Function<TableColumn, String> cast) {
    return cast.apply(column).formatted(assignment.value() + "\n");
  }

  /** A name for a column's new value that no column has. */
  private String own(List<TableColumn> columns, int place) {
    String own = "new" + place;
    while (TableColumn.find(columns.stream().map(TableColumn::name).toList(), own) >= 0) {
      own += "_";
    }
    return quoted.apply(own);
  }
}
