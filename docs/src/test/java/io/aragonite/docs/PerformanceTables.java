package io.aragonite.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The tables of docs/performance.md and of bench/results/README.md, in Markdown, from the files of
 * bench/results. A table is named by its file, or by several with {@code +} between: their columns
 * stand side by side then, rows with the same first cell in one.
 */
final class PerformanceTables {
  static final Path FOLDER = Path.of("..", "bench", "results");

  private PerformanceTables() {}

  /** All files of results by their names. */
  static Map<String, Results> results() throws IOException {
    Map<String, Results> results = new TreeMap<>();
    try (Stream<Path> files = Files.list(FOLDER)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".csv")).toList()) {
        Results read = Results.read(file);
        results.put(read.name(), read);
      }
    }
    return results;
  }

  /** A table, and below it a line for each file: where its figures come from. */
  static String table(List<Results> files) {
    List<String> headings = new ArrayList<>();
    Map<String, List<String>> rows = new LinkedHashMap<>();
    for (Results file : files) {
      append(file, headings, rows);
    }
    StringBuilder text = new StringBuilder(row(headings));
    text.append("|---".repeat(headings.size())).append("|\n");
    for (List<String> cells : rows.values()) {
      boolean bold = cells.getFirst().equals("total");
      text.append(row(bold ? cells.stream().map(PerformanceTables::bold).toList() : cells));
    }
    for (Results file : files) {
      text.append("- ").append(source(file)).append('\n');
    }
    return text.toString();
  }

  /** Adds a file's columns to the right of those of the files before, for the rows of the first. */
  private static void append(Results file, List<String> headings, Map<String, List<String>> rows) {
    boolean first = headings.isEmpty();
    List<String> columns = first ? file.shown() : file.shown().subList(1, file.shown().size());
    columns.forEach(column -> headings.add(file.heading(column)));
    for (List<String> row : file.rows().subList(0, file.limit())) {
      String id = file.cell(row, file.shown().getFirst());
      if (first) {
        // rows of one file may begin alike
        String key = rows.containsKey(id) ? id + " " + rows.size() : id;
        rows.put(key, new ArrayList<>());
        id = key;
      }
      List<String> cells = rows.get(id);
      if (cells != null) {
        columns.forEach(column -> cells.add(file.cell(row, column)));
      }
    }
    for (List<String> cells : rows.values()) {
      while (cells.size() < headings.size()) {
        cells.add("");
      }
    }
  }

  private static String source(Results file) {
    StringBuilder text = new StringBuilder();
    text.append(file.fact("machine")).append(", ").append(file.fact("date"));
    String between = ": ";
    for (String command : file.all("command")) {
      text.append(between).append('`').append(command).append('`');
      between = "; ";
    }
    for (String note : file.all("note")) {
      text.append(". ").append(note.replaceFirst("\\.$", ""));
    }
    return text.append('.').toString();
  }

  /** A line a file: what is in it. */
  static String index() throws IOException {
    StringBuilder text = new StringBuilder(row(List.of("file", "what", "machine", "measured")));
    text.append("|---|---|---|---|\n");
    for (Results file : results().values()) {
      String link = "[" + file.name() + "](" + file.name() + ".csv)";
      text.append(row(List.of(link, file.fact("what"), file.fact("machine"), file.fact("date"))));
    }
    return text.toString();
  }

  private static String bold(String cell) {
    return cell.isEmpty() ? "" : "**" + cell + "**";
  }

  private static String row(List<String> cells) {
    return "| "
        + String.join(" | ", cells.stream().map(c -> c.replace("|", "\\|")).toList())
        + " |\n";
  }
}
