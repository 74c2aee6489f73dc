package io.aragonite.exec.bench;

import io.aragonite.exec.device.CopyQueue.Stretch;
import io.aragonite.exec.group.DeviceGroup.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What devices and their streams did over time, as an SVG: a line each, a box a stretch. */
final class Timeline {
  private static final Map<String, String> COLOURS =
      Map.of(
          "all", "#c9d7e8",
          "collecting", "#7fa7d1",
          "partitioning", "#3a6ea5",
          "copying", "#d9822b",
          "sorting", "#5b9a5b",
          "joining", "#8a5aa5",
          "waiting", "#e3e3e3");

  private static final int WIDTH = 900;
  private static final int LEFT = 110;
  private static final int LINE = 34;

  private Timeline() {}

  /**
   * A line.
   *
   * @param spans those that others are drawn over come last
   */
  record Line(String name, List<Span> spans) {}

  /** A line for a device's thread, and one for each of its streams that did something. */
  static List<Line> lines(int device, List<Span> thread, List<Stretch> stretches) {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line(device + ": thread", thread));
    Map<String, List<Span>> streams = new TreeMap<>();
    for (Stretch stretch : stretches) {
      streams
          .computeIfAbsent(device + ": " + stretch.stream(), key -> new ArrayList<>())
          .add(new Span(stretch.what(), stretch.from(), stretch.to()));
    }
    streams.forEach((name, spans) -> lines.add(new Line(name, spans)));
    return lines;
  }

  /** The same to read: each stretch's begin and length in milliseconds. */
  static String text(List<Line> lines) {
    long first =
        lines.stream().flatMap(line -> line.spans.stream()).mapToLong(Span::from).min().orElse(0);
    StringBuilder text = new StringBuilder();
    for (Line line : lines) {
      text.append(line.name).append('\n');
      line.spans.stream()
          .sorted(Comparator.comparingLong(Span::from))
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
      for (Span span : line.spans) {
        first = Math.min(first, span.from());
        last = Math.max(last, span.to());
      }
    }
    double scale = (WIDTH - LEFT - 10.0) / Math.max(1, last - first);
    int height = 60 + LINE * lines.size();
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n"
            .formatted(WIDTH, height));
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"10\" y=\"18\">%s: %.2f ms; light blue: the rest%n</text>%n",
            title,
            (last - first) / 1e6));
    int x = 10;
    for (String what :
        List.of("collecting", "partitioning", "copying", "sorting", "joining", "waiting")) {
      svg.append(
          "<rect x=\"%d\" y=\"26\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"36\">%s</text>%n"
              .formatted(x, COLOURS.get(what), x + 14, what));
      x += 110;
    }
    for (int i = 0; i < lines.size(); i++) {
      int y = 48 + LINE * i;
      svg.append("<text x=\"10\" y=\"%d\">%s</text>%n".formatted(y + 16, lines.get(i).name));
      // The whole is behind what it is made of.
      for (Span span : lines.get(i).spans.reversed()) {
        svg.append(
            String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.2f\" height=\"24\" fill=\"%s\"><title>%s %.3f"
                    + " ms</title></rect>%n",
                LEFT + (span.from() - first) * scale,
                y,
                (span.to() - span.from()) * scale,
                COLOURS.getOrDefault(span.what(), "#000000"),
                span.what(),
                (span.to() - span.from()) / 1e6));
      }
    }
    return svg.append("</svg>\n").toString();
  }
}
