package io.aragonite.bench.cold;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a measurement side by side, for people and as a file of bench/results.
 *
 * @param what what was measured
 * @param command what repeats it
 * @param columns in their order
 * @param queries names of statements
 */
public record ColdReport(
    String what, String command, List<ColdColumn> columns, List<String> queries) {

  /** A line of the report: its first cell, and where its times are. */
  private record Line(String name, Function<ColdColumn, @Nullable ColdTime> time) {}

  private List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    if (columns.stream().anyMatch(column -> column.open() != null)) {
      lines.add(new Line("start", ColdColumn::open));
    }
    for (String query : queries) {
      lines.add(new Line(query, column -> column.times().get(query)));
    }
    lines.add(new Line("total", ColdColumn::total));
    return lines;
  }

  /** The report as a table of text. */
  public String text() {
    StringBuilder text = new StringBuilder(what).append("; ms, those of planning, and processor ms\n");
    text.append("%-6s".formatted(""));
    for (ColdColumn column : columns) {
      text.append(" | %28s".formatted(column.name()));
      if (isCompared(column)) {
        text.append(" ratio");
      }
    }
    for (Line line : lines()) {
      text.append("\n%-6s".formatted(line.name));
      for (ColdColumn column : columns) {
        ColdTime time = line.time.apply(column);
        text.append(
            " | %9s %8s %9s"
                .formatted(
                    time == null ? "" : millis(time.millis()),
                    time == null ? "" : millis(time.planMillis()),
                    time == null ? "" : millis(time.cpuMillis())));
        if (isCompared(column)) {
          text.append(" %5s".formatted(ratio(column, line)));
        }
      }
    }
    return text.append('\n').toString();
  }

  /** The report as a file of bench/results; its line "machine" is for a person to write. */
  public String csv(String machine, String date) {
    StringBuilder text = new StringBuilder();
    text.append("# what: ").append(what).append('\n');
    text.append("# machine: ").append(machine).append('\n');
    text.append("# date: ").append(date).append('\n');
    text.append("# command: ").append(command).append('\n');
    text.append("# column query: query\n");
    StringBuilder names = new StringBuilder("query");
    for (ColdColumn column : columns) {
      String name = column.name().replaceAll("[^A-Za-z0-9]+", "_");
      text.append("# column %s_ms: %s, ms\n".formatted(name, column.name()));
      text.append("# column %s_plan: %s, of them planning, ms\n".formatted(name, column.name()));
      text.append("# column %s_cpu: %s, processor ms\n".formatted(name, column.name()));
      names.append(",%1$s_ms,%1$s_plan,%1$s_cpu".formatted(name));
      if (isCompared(column)) {
        text.append("# column %s_ratio: ratio; of the times\n".formatted(name));
        names.append(",%s_ratio".formatted(name));
      }
    }
    text.append(names).append('\n');
    for (Line line : lines()) {
      text.append(line.name);
      for (ColdColumn column : columns) {
        ColdTime time = line.time.apply(column);
        text.append(',').append(time == null ? "" : millis(time.millis()));
        text.append(',').append(time == null ? "" : millis(time.planMillis()));
        text.append(',').append(time == null ? "" : millis(time.cpuMillis()));
        if (isCompared(column)) {
          text.append(',').append(ratio(column, line));
        }
      }
      text.append('\n');
    }
    return text.toString();
  }

  private boolean isCompared(ColdColumn column) {
    return peer(column) != null;
  }

  /** The same process and round of the engine to compare with. */
  private @Nullable ColdColumn peer(ColdColumn column) {
    String peer = ColdEngine.DUCKDB.name();
    return columns.stream()
        .filter(other -> other.engine().equals(peer) && !column.engine().equals(peer))
        .filter(other -> other.which().equals(column.which()))
        .findFirst()
        .orElse(null);
  }

  private String ratio(ColdColumn column, Line line) {
    ColdColumn peer = peer(column);
    ColdTime time = line.time.apply(column);
    ColdTime other = peer == null ? null : line.time.apply(peer);
    return time == null || other == null
        ? ""
        : String.format(Locale.ROOT, "%.2f", time.millis() / other.millis());
  }

  private static String millis(double millis) {
    return Double.isNaN(millis) ? "" : String.format(Locale.ROOT, "%.1f", millis);
  }
}
