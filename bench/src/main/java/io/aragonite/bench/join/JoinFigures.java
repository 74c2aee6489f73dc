package io.aragonite.bench.join;

import io.aragonite.bench.data.Zipf;

import io.aragonite.exec.plan.JoinAlgorithm;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The papers' figures of joins, from measured results: for each configuration a bar for each
 * algorithm, and a mark at the time of the best peer.
 */
public final class JoinFigures {
  private static final int LEFT = 110;
  private static final int TOP = 56;
  private static final int BAR = 12;
  private static final int GAP = 10;
  private static final int WIDTH = 640;
  private static final int LABEL = 110;

  /** A colour for each algorithm. */
  private static final List<String> COLOURS =
      List.of("#8a8a8a", "#0b6e99", "#7fb3c8", "#a0522d", "#e0a030");

  private JoinFigures() {}

  /**
   * Figures as SVG, by names of files; those for which nothing was measured are left out.
   *
   * @param where what the results were measured on
   */
  public static Map<String, String> of(List<JoinBench.JoinResult> results, String where) {
    Map<String, String> figures = new LinkedHashMap<>();
    add(
        figures,
        results,
        where,
        "match",
        "Match ratio",
        n -> n.equals("wide") || starts(n, "match"));
    add(figures, results, where, "skew", "Zipf's law on S", n -> n.matches("wide|zipf-[0-9.]*"));
    add(
        figures,
        results,
        where,
        "skew-both",
        "Zipf's law on R (r) and on both (b), beside as many even pairs",
        n -> n.matches("m:n|zipf-[rb].*|even-.*"));
    add(
        figures,
        results,
        where,
        "columns",
        "Columns and widths",
        n -> List.of("narrow", "wide", "wide-4+4", "payload-8", "key-8").contains(n));
    add(figures, results, where, "sizes", "Rows of R and S", n -> starts(n, "2^"));
    add(
        figures,
        results,
        where,
        "keys",
        "Kinds of keys",
        n ->
            List.of("wide", "key-8", "clustered", "negative", "m:n").contains(n)
                || starts(n, "sparse"));
    add(figures, results, where, "sequences", "Sequences of joins", n -> starts(n, "sequence"));
    add(
        figures,
        results,
        where,
        "benchmarks",
        "Joins of TPC-H and TPC-DS",
        n -> n.matches("J[1-5]"));
    return figures;
  }

  private static boolean starts(String name, String start) {
    return name.startsWith(start);
  }

  private static void add(
      Map<String, String> figures,
      List<JoinBench.JoinResult> results,
      String where,
      String file,
      String title,
      Predicate<String> wanted) {
    Map<String, List<JoinBench.JoinResult>> groups = new LinkedHashMap<>();
    for (JoinBench.JoinResult result : results) {
      if (result.error() == null && wanted.test(result.config().name())) {
        groups.computeIfAbsent(result.config().name(), n -> new ArrayList<>()).add(result);
      }
    }
    if (!groups.isEmpty()) {
      figures.put("joins-" + file + ".svg", svg(title + ", " + where, groups));
    }
  }

  private static String svg(String title, Map<String, List<JoinBench.JoinResult>> groups) {
    double longest =
        groups.values().stream()
            .flatMap(List::stream)
            .mapToDouble(r -> Math.max(r.millis(), peer(r)))
            .max()
            .orElse(1);
    StringBuilder body = new StringBuilder();
    int label = LEFT;
    for (Map.Entry<String, JoinAlgorithm> entry : JoinBench.ALGORITHMS.entrySet()) {
      body.append(bar(label, 28, 10, entry.getValue())).append(text(label + 14, 38, entry.getKey()));
      label += LABEL;
    }
    body.append(text(LEFT, 52, "| best peer"));
    int y = TOP;
    for (Map.Entry<String, List<JoinBench.JoinResult>> group : groups.entrySet()) {
      int height = group.getValue().size() * BAR;
      body.append(text(8, y + height / 2 + 4, group.getKey()));
      for (int i = 0; i < group.getValue().size(); i++) {
        body.append(result(group.getValue().get(i), y + i * BAR, WIDTH / longest));
      }
      double peer = peer(group.getValue().getFirst());
      if (peer > 0) {
        body.append(
            String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"2\" height=\"%d\" fill=\"#c00000\"/>%n",
                LEFT + peer * WIDTH / longest,
                y - 2,
                height + 2));
      }
      y += height + GAP;
    }
    return String.format(
            Locale.ROOT,
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" \
            font-family="sans-serif" font-size="11">
            <rect width="%1$d" height="%2$d" fill="white"/>
            <text x="8" y="18" font-size="13">%3$s</text>
            """,
            LEFT + WIDTH + LABEL,
            y + GAP,
            escape(title))
        + body
        + "</svg>\n";
  }

  private static double peer(JoinBench.JoinResult result) {
    return result.config().peers().stream().mapToDouble(Double::doubleValue).min().orElse(0);
  }

  private static String result(JoinBench.JoinResult result, int y, double scale) {
    StringBuilder bars = new StringBuilder("<g><title>");
    bars.append(
        escape(
            String.format(
                Locale.ROOT,
                "%s: %s %.2f ms",
                result.config().name(),
                result.algorithm().shortName(),
                result.millis())));
    bars.append("</title>");
    double width = result.millis() * scale;
    bars.append(bar(LEFT, y, width, result.algorithm()));
    String millis = String.format(Locale.ROOT, "%.2f ms", result.millis());
    return bars.append(text((int) (LEFT + width) + 4, y + BAR - 2, millis)).append("</g>\n").toString();
  }

  private static String bar(double x, int y, double width, JoinAlgorithm algorithm) {
    return String.format(
        Locale.ROOT,
        "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
        x,
        y,
        width,
        BAR - 2,
        COLOURS.get(List.copyOf(JoinBench.ALGORITHMS.values()).indexOf(algorithm)));
  }

  private static String text(int x, int y, String text) {
    return String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\">%s</text>%n", x, y, escape(text));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
