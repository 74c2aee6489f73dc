package io.aragonite.adapter.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.aragonite.adapter.options.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * An SVG picture of a plan as EXPLAIN ANALYZE tells it in JSON: a box a node, with its time and
 * rows, estimated and actual; the redder the box, the larger its part of the time; the wider a
 * line, the more rows go along it.
 */
final class PlanPicture {
  private static final int WIDTH = 230;
  private static final int HEIGHT = 92;
  private static final int GAP_X = 24;
  private static final int GAP_Y = 44;
  private static final int TEXT = 34;

  private final StringBuilder svg = new StringBuilder();
  private final List<String> boxes = new ArrayList<>();
  private double nanos;
  private double rows = 1;
  private int nextLeaf;
  private int depth;

  private PlanPicture() {}

  /**
   * The picture.
   *
   * @param explained what EXPLAIN ANALYZE AS JSON says
   */
  static String of(JsonNode explained) {
    return new PlanPicture().draw(explained);
  }

  private String draw(JsonNode explained) {
    JsonNode plan = explained.path("plan");
    measure(plan, 1);
    double root = place(plan, 0);
    int width = Math.max(1, nextLeaf) * (WIDTH + GAP_X) + GAP_X;
    int height = depth * (HEIGHT + GAP_Y) + GAP_Y;
    String head =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">%n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>%n"
            .formatted(width, height, width, height);
    text(
        root + 8,
        20,
        "%s rows in %s"
            .formatted(
                Units.formatRows(explained.path("rows").asLong()),
                Units.formatNanos(explained.path("nanos").asLong())),
        "");
    return head + svg + String.join("", boxes) + "</svg>\n";
  }

  private void measure(JsonNode node, int level) {
    depth = Math.max(depth, level);
    nanos += node.path("actualNanos").asDouble();
    rows = Math.max(rows, node.path("actualRows").asDouble());
    node.path("inputs").forEach(input -> measure(input, level + 1));
  }

  /** Draws a node below its inputs' middle; returns its left edge. */
  private double place(JsonNode node, int level) {
    List<Double> inputs = new ArrayList<>();
    for (JsonNode input : node.path("inputs")) {
      inputs.add(place(input, level + 1));
    }
    double x =
        inputs.isEmpty()
            ? GAP_X + (double) nextLeaf++ * (WIDTH + GAP_X)
            : (inputs.getFirst() + inputs.getLast()) / 2;
    double y = GAP_Y + (double) level * (HEIGHT + GAP_Y);
    int i = 0;
    for (JsonNode input : node.path("inputs")) {
      double share = Math.log1p(input.path("actualRows").asDouble()) / Math.log1p(rows);
      svg.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#88a\""
                  + " stroke-width=\"%.1f\"/>%n",
              inputs.get(i++) + WIDTH / 2.0,
              y + HEIGHT + GAP_Y,
              x + WIDTH / 2.0,
              y + HEIGHT,
              1 + 7 * share));
    }
    box(node, x, y);
    return x;
  }

  private void box(JsonNode node, double x, double y) {
    double share = nanos == 0 ? 0 : node.path("actualNanos").asDouble() / nanos;
    int fade = (int) Math.round(245 - 150 * Math.sqrt(share));
    StringBuilder out = new StringBuilder();
    out.append(
        String.format(
            Locale.ROOT,
            "<g><title>%s</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"4\""
                + " fill=\"rgb(250,%d,%d)\" stroke=\"#446\"/>%n",
            escaped(node.path("decision").asText("")),
            x,
            y,
            WIDTH,
            HEIGHT,
            fade,
            fade));
    List<String> lines = new ArrayList<>();
    lines.add(node.path("node").asText() + " [" + node.path("device").asText() + "]");
    lines.add(shortened(node.path("variant").asText("")));
    lines.add(shortened(what(node)));
    boolean ran = node.has("actualNanos");
    lines.add(
        ran
            ? "%s, %.0f %% of the time"
                .formatted(Units.formatNanos(node.path("actualNanos").asLong()), 100 * share)
            : "not timed by itself");
    lines.add(
        "rows: %s%s estimated"
            .formatted(
                ran ? Units.formatRows(node.path("actualRows").asLong()) + ", " : "",
                Units.formatRows(node.path("estimatedRows").asDouble())));
    double at = y + 16;
    for (String line : lines) {
      out.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%.1f\"%s>%s</text>%n",
              x + 8,
              at,
              at == y + 16 ? " font-weight=\"bold\"" : "",
              escaped(line)));
      at += 16;
    }
    boxes.add(out.append("</g>\n").toString());
  }

  private static String what(JsonNode node) {
    for (String key : List.of("table", "condition", "keys", "order", "columns", "calls")) {
      if (node.has(key)) {
        return node.path(key).asText();
      }
    }
    return "";
  }

  private void text(double x, double y, String line, String style) {
    svg.append(
        String.format(
            Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>%n", x, y, style, escaped(line)));
  }

  private static String shortened(String text) {
    return text.length() <= TEXT ? text : text.substring(0, TEXT - 1) + "\u2026";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
