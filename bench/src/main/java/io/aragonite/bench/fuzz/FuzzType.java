package io.aragonite.bench.fuzz;

import java.util.List;

/**
 * What kind of value an expression of a random statement has. Values of one kind can stand for each other, whatever their widths.
 */
enum FuzzType {
  BOOLEAN("true", "boolean"),
  INTEGER("0", "tinyint", "smallint", "integer", "bigint"),
  DECIMAL("0.5", "decimal(4, 1)", "decimal(9, 2)", "decimal(18, 4)", "decimal(25, 3)"),
  DOUBLE("cast(0 as double)", "double", "real"),
  VARCHAR("''", "varchar"),
  DATE("date '2020-01-01'", "date"),
  TIMESTAMP("timestamp '2020-01-01 00:00:00'", "timestamp");

  /** Those whose values can be added. */
  static final List<FuzzType> NUMERIC = List.of(INTEGER, DECIMAL, DOUBLE);

  private final String simplest;
  private final List<String> columnTypes;

  FuzzType(String simplest, String... columnTypes) {
    this.simplest = simplest;
    this.columnTypes = List.of(columnTypes);
  }

  /** A literal that any expression of the kind may be replaced by. */
  String simplest() {
    return simplest;
  }

  /** What columns of the kind are declared as, in the SQL that DuckDB and we share. */
  List<String> columnTypes() {
    return columnTypes;
  }
}
