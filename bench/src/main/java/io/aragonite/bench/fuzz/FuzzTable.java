package io.aragonite.bench.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A random table.
 *
 * @param name in the SQL of both engines
 * @param columns in their order; the first is {@code id}, the number of the row
 * @param nested columns behind them, each of which holds several values
 * @param rows literals, one for each column
 * @param storage where we find its rows
 */
record FuzzTable(String name, List<FuzzColumn> columns, List<FuzzNested> nested, List<List<String>> rows, FuzzStorage storage) {
  private static final int ROWS_AT_ONCE = 500;

  /** A column: its name, the SQL type that it is declared as, and the kind of its values. */
  record FuzzColumn(String name, String sqlType, FuzzType type) {}

  FuzzTable {
    columns = List.copyOf(columns);
    nested = List.copyOf(nested);
    rows = List.copyOf(rows);
  }

  /** The same table with other rows. */
  FuzzTable withRows(List<List<String>> others) {
    return new FuzzTable(name, columns, nested, others, storage);
  }

  /** The same table, which each connection to the directory has. */
  FuzzTable inDirectory() {
    return storage.inDirectory() ? this : new FuzzTable(name, columns, nested, rows, FuzzStorage.PARQUET);
  }

  /** The names of all columns, with commas. */
  String columnNames() {
    return Stream.concat(columns.stream().map(FuzzColumn::name), nested.stream().map(FuzzNested::name)).collect(Collectors.joining(", "));
  }

  /** The statements that make it. */
  List<String> statements() {
    List<String> statements = new ArrayList<>();
    statements.add(
        "create table %s (%s)"
            .formatted(
                name,
                Stream.concat(
                        columns.stream().map(column -> column.name() + " " + column.sqlType()),
                        nested.stream().map(column -> column.name() + " " + column.sqlType()))
                    .collect(Collectors.joining(", "))));
    for (int from = 0; from < rows.size(); from += ROWS_AT_ONCE) {
      statements.add(
          "insert into %s values %s"
              .formatted(
                  name,
                  rows.subList(from, Math.min(rows.size(), from + ROWS_AT_ONCE)).stream()
                      .map(row -> "(" + String.join(", ", row) + ")")
                      .collect(Collectors.joining(", "))));
    }
    return statements;
  }
}
