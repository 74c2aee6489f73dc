package io.aragonite.bench.multi;

import io.aragonite.exec.device.CopyQueue.Stretch;
import io.aragonite.exec.collective.Rank.TimeSpan;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What devices and their streams did over time, as an SVG: a line each, a box a stretch. */
final class Timeline {
  /** In the order of the legend. */
  private static final Map<String, String> COLOURS = new LinkedHashMap<>();

  static {
    COLOURS.put("all", "#dfe8f1");
    COLOURS.put("opening", "#c7b299");
    COLOURS.put("beginning", "#c7b299");
    COLOURS.put("deciding", "#b58b5a");
    COLOURS.put("counting", "#9fc5a8");
    COLOURS.put("collecting", "#7fa7d1");
    COLOURS.put("partitioning", "#3a6ea5");
    COLOURS.put("copying", "#d9822b");
    COLOURS.put("sorting", "#5b9a5b");
    COLOURS.put("merging", "#3f7a5f");
    COLOURS.put("joining", "#8a5aa5");
    COLOURS.put("placing", "#8a5aa5");
    COLOURS.put("bits", "#c04f6b");
    COLOURS.put("finding", "#e0a1b2");
    COLOURS.put("payload", "#5b9a5b");
    COLOURS.put("waiting", "#e3e3e3");
    COLOURS.put("ending", "#b9a7c9");
    COLOURS.put("closing", "#b9a7c9");
    COLOURS.put("rest", "#c9c9a0");
  }

  private static final String OTHER = "#707070";
  private static final int WIDTH = 900;
  private static final int LEFT = 110;
  private static final int LINE = 34;

  /** Names of the legend in a row. */
  private static final int NAMES = 8;

  private static final int MOST_TICKS = 20;

  private Timeline() {}

  /**
   * A line.
   *
   * @param spans those that others are drawn over come last
   */
  record Line(String name, List<TimeSpan> spans) {}

  /** A line for a device's thread, and one for each of its streams that did something. */
  static List<Line> lines(int device, List<TimeSpan> thread, List<Stretch> stretches) {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line(device + ": thread", thread));
    Map<String, List<TimeSpan>> streams = new TreeMap<>();
    for (Stretch stretch : stretches) {
      streams
          .computeIfAbsent(device + ": " + stretch.stream(), key -> new ArrayList<>())
          .add(new TimeSpan(stretch.what(), stretch.from(), stretch.to()));
    }
    streams.forEach((name, spans) -> lines.add(new Line(name, spans)));
    return lines;
  }

  /** The same to read: each stretch's begin and length in milliseconds. */
  static String text(List<Line> lines) {
    long first =
        lines.stream().flatMap(line -> line.spans.stream()).mapToLong(TimeSpan::from).min().orElse(0);
    StringBuilder text = new StringBuilder();
    for (Line line : lines) {
      text.append(line.name).append('\n');
      line.spans.stream()
          .sorted(Comparator.comparingLong(TimeSpan::from))
          .forEach(span ->
              text.append(
                  String.format(
                      Locale.ROOT,
                      "  %8.3f %8.3f %s%n",
                      (span.from() - first) / 1e6,
                      (span.to() - span.from()) / 1e6,
                      span.what())));
    }
    return text.toString();
  }

  static String svg(String title, List<Line> lines) {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (Line line : lines) {
      for (TimeSpan span : line.spans) {
        first = Math.min(first, span.from());
        last = Math.max(last, span.to());
      }
    }
    double scale = (WIDTH - LEFT - 10.0) / Math.max(1, last - first);
    List<String> names = names(lines);
    int top = 38 + 18 * ((names.size() + NAMES - 1) / NAMES);
    int height = top + LINE * lines.size() + 24;
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n"
            .formatted(WIDTH, height));
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"10\" y=\"18\">%s: %.2f ms</text>%n",
            title,
            (last - first) / 1e6));
    for (int i = 0; i < names.size(); i++) {
      int x = 10 + 110 * (i % NAMES);
      int y = 26 + 18 * (i / NAMES);
      svg.append(
          "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>%n"
              .formatted(x, y, colour(names.get(i)), x + 14, y + 10, names.get(i)));
    }
    ticks(svg, (last - first) / 1e6, scale * 1e6, top, top + LINE * lines.size());
    for (int i = 0; i < lines.size(); i++) {
      int y = top + LINE * i;
      svg.append("<text x=\"10\" y=\"%d\">%s</text>%n".formatted(y + 16, lines.get(i).name));
      // The whole is behind what it is made of.
      for (TimeSpan span : lines.get(i).spans.reversed()) {
        svg.append(
            String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.2f\" height=\"24\" fill=\"%s\"><title>%s %.3f"
                    + " ms</title></rect>%n",
                LEFT + (span.from() - first) * scale,
                y,
                (span.to() - span.from()) * scale,
                colour(span.what()),
                span.what(),
                (span.to() - span.from()) / 1e6));
      }
    }
    return svg.append("</svg>\n").toString();
  }

  private static String colour(String what) {
    return COLOURS.getOrDefault(what, OTHER);
  }

  /** What the lines have, those with a colour of their own first. */
  private static List<String> names(List<Line> lines) {
    Set<String> there = new LinkedHashSet<>();
    lines.forEach(line -> line.spans.forEach(span -> there.add(span.what())));
    List<String> names = new ArrayList<>(COLOURS.keySet());
    names.retainAll(there);
    there.removeAll(COLOURS.keySet());
    names.addAll(there);
    return names;
  }

  /**
   * Milliseconds below the lines.
   *
   * @param scale of a millisecond
   */
  private static void ticks(StringBuilder svg, double millis, double scale, int top, int bottom) {
    double step = 1e-3;
    for (int i = 0; millis / step > MOST_TICKS; i++) {
      step *= i % 3 == 1 ? 2.5 : 2;
    }
    for (int i = 0; i * step <= millis; i++) {
      double x = LEFT + i * step * scale;
      svg.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#eeeeee\"/>"
                  + "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
              x,
              top - 4,
              x,
              bottom,
              x,
              bottom + 14,
              number(i * step)));
    }
  }

  private static String number(double millis) {
    return BigDecimal.valueOf(millis)
        .round(new MathContext(6))
        .stripTrailingZeros()
        .toPlainString();
  }
}
