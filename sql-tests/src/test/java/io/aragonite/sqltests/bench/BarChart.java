package io.aragonite.sqltests.bench;

import java.util.List;
import java.util.Locale;

/** Timings as a picture: for each query a bar for each engine, its best time. */
public final class BarChart {
  private static final List<String> COLOURS = List.of("#0b6e99", "#e0a030", "#8a8a8a", "#a0522d");
  private static final int LEFT = 60;
  private static final int TOP = 50;
  private static final int BAR = 14;
  private static final int GAP = 12;
  private static final int WIDTH = 640;
  private static final int FOOT = 30;
  private static final int LABEL = 110;

  private BarChart() {}

  /**
   * Draws an SVG document.
   *
   * @param title what was measured and where
   */
  public static String svg(String title, List<String> engines, List<List<Timing>> all) {
    double longest =
        all.stream()
            .flatMap(List::stream)
            .filter(Timing::ran)
            .mapToDouble(Timing::best)
            .max()
            .orElse(1);
    int group = engines.size() * BAR + GAP;
    int height = TOP + all.size() * group + FOOT;
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" \
            font-family="sans-serif" font-size="11">
            <rect width="%1$d" height="%2$d" fill="white"/>
            <text x="10" y="18" font-size="13">%3$s</text>
            """,
            LEFT + WIDTH + LABEL,
            height,
            escape(title)));
    for (int i = 0; i < engines.size(); i++) {
      int x = LEFT + i * LABEL;
      svg.append(rectangle(x, 28, 10, 10, i));
      svg.append(text(x + 14, 37, engines.get(i)));
    }
    for (int row = 0; row < all.size(); row++) {
      int y = TOP + row * group;
      svg.append(text(10, y + engines.size() * BAR / 2 + 4, all.get(row).get(0).query()));
      for (int i = 0; i < engines.size(); i++) {
        Timing timing = all.get(row).get(i);
        double width = timing.ran() ? WIDTH * timing.best() / longest : 0;
        svg.append(rectangle(LEFT, y + i * BAR, width, BAR - 2, i));
        String label =
            timing.ran() ? String.format(Locale.ROOT, "%.1f ms", timing.best()) : "failed";
        svg.append(text((int) (LEFT + width + 4), y + i * BAR + 10, label));
      }
    }
    return svg.append("</svg>\n").toString();
  }

  private static String rectangle(int x, int y, double width, int height, int colour) {
    return String.format(
        Locale.ROOT,
        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
        x,
        y,
        width,
        height,
        COLOURS.get(colour % COLOURS.size()));
  }

  private static String text(int x, int y, String text) {
    return String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\">%s</text>%n", x, y, escape(text));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
