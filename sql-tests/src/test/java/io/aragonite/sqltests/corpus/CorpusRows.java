package io.aragonite.sqltests.corpus;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Time;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a result, or of a script.
 *
 * @param rows in the order of the result
 */
record CorpusRows(List<List<Cell>> rows) {
  private static final int SHOWN = 12;

  /** Reads a result to its end and closes it. */
  static CorpusRows read(ResultSet result) throws SQLException {
    try (result) {
      int columns = result.getMetaData().getColumnCount();
      List<List<Cell>> rows = new ArrayList<>();
      while (result.next()) {
        List<Cell> row = new ArrayList<>(columns);
        for (int i = 1; i <= columns; i++) {
          Object value = result.getObject(i);
          // a Time has whole milliseconds, and shows seconds
          row.add(Cell.of(value instanceof Time ? result.getObject(i, LocalTime.class) : value));
        }
        rows.add(row);
      }
      return new CorpusRows(rows);
    }
  }

  /** What a statement answers that has no rows: how many it has changed. */
  static CorpusRows count(long rows) {
    return parse(List.of(rows + " changed"));
  }

  /** Rows of a script, cells separated by bars. */
  static CorpusRows parse(List<String> lines) {
    List<List<Cell>> rows = new ArrayList<>();
    for (String line : lines) {
      List<Cell> row = new ArrayList<>();
      for (String cell : line.split("\\|", -1)) {
        row.add(Cell.parse(cell));
      }
      rows.add(row);
    }
    return new CorpusRows(rows);
  }

  /**
   * How these rows differ from those expected, null if they do not.
   *
   * @param ordered whether the order of rows counts
   */
  @Nullable String difference(CorpusRows expected, boolean ordered) {
    List<List<Cell>> left = ordered ? rows : sorted(rows);
    List<List<Cell>> right = ordered ? expected.rows : sorted(expected.rows);
    if (left.size() != right.size()) {
      return "%d rows instead of %d%n%s".formatted(left.size(), right.size(), both(expected));
    }
    for (int i = 0; i < left.size(); i++) {
      if (!same(left.get(i), right.get(i))) {
        return "row %d is %s instead of %s%n%s"
            .formatted(i + 1, show(left.get(i)), show(right.get(i)), both(expected));
      }
    }
    return null;
  }

  private static boolean same(List<Cell> left, List<Cell> right) {
    if (left.size() != right.size()) {
      return false;
    }
    for (int i = 0; i < left.size(); i++) {
      if (!left.get(i).same(right.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static List<List<Cell>> sorted(List<List<Cell>> rows) {
    return rows.stream()
        .map(row -> new KeyedCells(keys(row, Cell::sortKey), row))
        .sorted(
            Comparator.comparing(KeyedCells::key)
                // Digits beyond those of the key: exact numbers first, they are the same in both.
                .thenComparing(keyed -> keys(keyed.row, Cell::exactKey))
                .thenComparing(KeyedCells::row, CorpusRows::byApproximate))
        .map(KeyedCells::row)
        .toList();
  }

  /** A row and what it is sorted by first, made once. */
  private record KeyedCells(String key, List<Cell> row) {}

  private static String keys(List<Cell> row, Function<Cell, String> key) {
    return row.stream().map(key).collect(Collectors.joining("\u0001"));
  }

  private static int byApproximate(List<Cell> left, List<Cell> right) {
    for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
      BigDecimal a = left.get(i).number();
      BigDecimal b = right.get(i).number();
      int order = a == null || b == null ? 0 : a.compareTo(b);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private String both(CorpusRows expected) {
    return "got:\n" + this + "expected:\n" + expected;
  }

  private static String show(List<Cell> row) {
    String text = row.stream().map(Cell::toString).collect(Collectors.joining("|"));
    return text.length() <= 200 ? text : text.substring(0, 200) + "...";
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    sorted(rows).stream()
        .limit(SHOWN)
        .forEach(row -> text.append("  ").append(show(row)).append('\n'));
    if (rows.size() > SHOWN) {
      text.append("  and %d more%n".formatted(rows.size() - SHOWN));
    }
    return text.toString();
  }
}
