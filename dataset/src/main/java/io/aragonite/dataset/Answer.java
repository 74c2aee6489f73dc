package io.aragonite.dataset;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a query's result, in a form that does not depend on the engine.
 *
 * @param columns names and kinds
 * @param rows values, null for SQL's NULL, else of the class that the kind says
 */
public record Answer(List<AnswerColumn> columns, List<List<@Nullable Object>> rows) {
  /** What a value is, and so how it is compared ({@link AnswerCheck}). */
  public enum AnswerKind {
    /** Integer of any width, as {@link BigDecimal}. */
    INTEGER,
    /** Exact decimal, as {@link BigDecimal}. */
    DECIMAL,
    /** Approximate number, as {@link Double}. */
    DOUBLE,
    /** As {@link LocalDate}. */
    DATE,
    /** Anything else in the form of {@link ResultSet#getString}, spaces at the end removed. */
    TEXT
  }

  /** A column of a result. */
  public record AnswerColumn(String name, AnswerKind kind) {}

  /** Copies the lists. */
  public Answer {
    columns = List.copyOf(columns);
    rows = Collections.unmodifiableList(new ArrayList<>(rows));
  }

  /** Reads what is left of a result. */
  public static Answer of(ResultSet result) throws SQLException {
    ResultSetMetaData metadata = result.getMetaData();
    List<AnswerColumn> columns = new ArrayList<>();
    for (int i = 1; i <= metadata.getColumnCount(); i++) {
      columns.add(
          new AnswerColumn(metadata.getColumnLabel(i).toLowerCase(Locale.ROOT), kind(metadata, i)));
    }
    List<List<@Nullable Object>> rows = new ArrayList<>();
    while (result.next()) {
      List<@Nullable Object> row = new ArrayList<>(columns.size());
      for (int i = 0; i < columns.size(); i++) {
        row.add(value(result, i + 1, columns.get(i).kind));
      }
      rows.add(Collections.unmodifiableList(row));
    }
    return new Answer(columns, rows);
  }

  /**
   * The answer as text: a line {@code name:KIND|…}, then one for each row, values separated by
   * {@code |}, NULL as {@code \N}. {@link #ofText} reads it.
   */
  public String toText() {
    return AnswerText.write(this);
  }

  /** Reads what {@link #toText} wrote. */
  public static Answer ofText(InputStream text) throws IOException {
    return AnswerText.read(text);
  }

  private static AnswerKind kind(ResultSetMetaData metadata, int column) throws SQLException {
    return switch (metadata.getColumnType(column)) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> AnswerKind.INTEGER;
      case Types.DECIMAL, Types.NUMERIC -> AnswerKind.DECIMAL;
      case Types.REAL, Types.FLOAT, Types.DOUBLE -> AnswerKind.DOUBLE;
      case Types.DATE -> AnswerKind.DATE;
      default -> // what DuckDB makes of the sum of integers
          "HUGEINT".equals(metadata.getColumnTypeName(column))
              ? AnswerKind.INTEGER
              : AnswerKind.TEXT;
    };
  }

  private static @Nullable Object value(ResultSet result, int column, AnswerKind kind)
      throws SQLException {
    if (kind == AnswerKind.DOUBLE) {
      double value = result.getDouble(column);
      return result.wasNull() ? null : value;
    }
    String text = result.getString(column);
    return text == null ? null : parse(text, kind);
  }

  /** The value that a text stands for. */
  static Object parse(String text, AnswerKind kind) {
    return switch (kind) {
      case INTEGER, DECIMAL -> new BigDecimal(text);
      case DOUBLE -> Double.valueOf(text);
      case DATE -> LocalDate.parse(text);
      case TEXT -> text.stripTrailing();
    };
  }

  /** The text of a value, as {@link #ofText} reads it. */
  public static String format(Object value) {
    return value instanceof BigDecimal number ? number.toPlainString() : value.toString();
  }
}
