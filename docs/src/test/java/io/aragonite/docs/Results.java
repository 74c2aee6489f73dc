package io.aragonite.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of {@code bench/results}: lines {@code # key: value} that say what was measured, where,
 * when and how, a line with the names of the columns, and the rows. {@code bench/results/README.md}
 * describes the keys.
 *
 * @param name the file's name without {@code .csv}
 * @param facts the values of each key, in the order of their lines; of {@code column NAME} one
 *     each, {@code heading} or {@code heading; what it means}
 * @param columns the names of the columns
 * @param rows the cells of each row, as many as there are columns
 */
record Results(
    String name, Map<String, List<String>> facts, List<String> columns, List<List<String>> rows) {
  private static final Pattern FACT = Pattern.compile("# ([^:]+): (.+)");
  private static final Pattern CELL =
      Pattern.compile("\\G(?:\"((?:[^\"]|\"\")*)\"|([^,\"]*))(,|$)");

  static Results read(Path file) throws IOException {
    Map<String, List<String>> facts = new LinkedHashMap<>();
    List<List<String>> rows = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      Matcher fact = FACT.matcher(line);
      if (fact.matches()) {
        facts.computeIfAbsent(fact.group(1), key -> new ArrayList<>()).add(fact.group(2));
      } else if (line.startsWith("#")) {
        throw new IOException(file + ": not \"# key: value\": " + line);
      } else {
        rows.add(cells(file, line));
      }
    }
    if (rows.size() < 2) {
      throw new IOException(file + ": no rows");
    }
    String name = file.getFileName().toString().replaceFirst("\\.csv$", "");
    return new Results(name, facts, rows.removeFirst(), rows);
  }

  private static List<String> cells(Path file, String line) throws IOException {
    List<String> cells = new ArrayList<>();
    Matcher cell = CELL.matcher(line);
    while (cell.find()) {
      String quoted = cell.group(1);
      cells.add(quoted != null ? quoted.replace("\"\"", "\"") : cell.group(2));
      if (cell.group(3).isEmpty()) {
        return cells;
      }
    }
    throw new IOException(file + ": not a line of CSV: " + line);
  }

  /** All values of a key; none if the file has no such line. */
  List<String> all(String key) {
    return facts.getOrDefault(key, List.of());
  }

  /** The first value of a key; the empty text if the file has no such line. */
  String fact(String key) {
    return all(key).isEmpty() ? "" : all(key).getFirst();
  }

  /** The columns that pages show: those that {@code # page:} names, else all. */
  List<String> shown() {
    return fact("page").isEmpty() ? columns : List.of(fact("page").split(" "));
  }

  /** How many rows pages show: as many as {@code # rows:} says, else all. */
  int limit() {
    return fact("rows").isEmpty() ? rows.size() : Integer.parseInt(fact("rows"));
  }

  /** What pages write above a column. */
  String heading(String column) {
    return fact("column " + column).replaceFirst(";.*", "");
  }

  String cell(List<String> row, String column) {
    return row.get(columns.indexOf(column));
  }
}
