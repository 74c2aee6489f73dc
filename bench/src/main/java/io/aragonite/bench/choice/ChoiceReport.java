package io.aragonite.bench.choice;

import io.aragonite.bench.choice.ChoiceResult.Candidate;
import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.cost.JoinShape;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.bench.join.JoinBench;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Locale;

/** What a grid says of a model: regret, and predicted against measured time, in text and as SVG. */
public final class ChoiceReport {
  private final List<ChoiceResult> results;
  private final MachineProfile profile;
  private final JoinModel model;
  private final double[] regrets;
  private final double[] ratios;

  public ChoiceReport(List<ChoiceResult> results, MachineProfile profile) {
    this.results = results;
    this.profile = profile;
    this.model = new JoinModel(profile);
    regrets = results.stream().mapToDouble(r -> r.regret(model)).sorted().toArray();
    ratios = results.stream().mapToDouble(r -> r.predicted(model)).sorted().toArray();
  }

  public double meanRegret() {
    return Arrays.stream(regrets).average().orElse(1);
  }

  /** The regret that a share of the points does not exceed. */
  public double regret(double share) {
    return quantile(regrets, share);
  }

  /** The share of points where the chosen candidate's time was predicted to within a factor. */
  public double within(double factor) {
    long count = Arrays.stream(ratios).filter(r -> r <= factor && r >= 1 / factor).count();
    return ratios.length == 0 ? 1 : (double) count / ratios.length;
  }

  private static double quantile(double[] sorted, double share) {
    return sorted.length == 0
        ? 1
        : sorted[
            (int) Math.clamp((long) Math.ceil(share * sorted.length) - 1, 0, sorted.length - 1)];
  }

  /** A few lines, the worst points, and which algorithms were chosen and which were best. */
  public void print(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%d points; profile: %s%nregret: mean %.3f, 95 %% %.3f, worst %.3f (targets 1.05, 1.2,"
            + " 1.5)%npredicted over measured: median %.2f, 5 %% %.2f, 95 %% %.2f; within 1.5"
            + " times: %.1f %% (target 90 %%)%n",
        results.size(),
        profile.source(),
        meanRegret(),
        regret(0.95),
        regret(1),
        quantile(ratios, 0.5),
        quantile(ratios, 0.05),
        quantile(ratios, 0.95),
        100 * within(1.5));
    List<String> counts = new ArrayList<>();
    JoinBench.ALGORITHMS.forEach(
        (label, algorithm) ->
            counts.add(
                "%s %d / %d"
                    .formatted(
                        label,
                        results.stream().filter(r -> r.best().algorithm() == algorithm).count(),
                        results.stream()
                            .filter(r -> r.chosen(model).algorithm() == algorithm)
                            .count())));
    out.println("best / chosen: " + String.join(", ", counts));
    results.stream()
        .sorted(Comparator.comparingDouble(r -> -r.regret(model)))
        .limit(12)
        .forEach(r -> out.println(line(r)));
    out.flush();
  }

  private String line(ChoiceResult r) {
    Candidate chosen = r.chosen(model);
    Candidate best = r.best();
    JoinShape s = r.built().left();
    return String.format(
        Locale.ROOT,
        "%4d regret %.2f: %s %.2f ms (predicted %.2f), best %s %.2f ms (predicted %.2f); R 2^%.0f x"
            + " %d%s, S 2^%.0f x %d%s, key %d, payload %.0f, %s, %.1f rows a key, match %.2f, skew"
            + " %.2f",
        r.id(),
        r.regret(model),
        chosen.label(),
        chosen.millis(),
        r.predicted(model, chosen),
        best.label(),
        best.millis(),
        r.predicted(model, best),
        Math.log(s.build().rows()) / Math.log(2),
        s.build().columns(),
        s.build().sorted() ? " sorted" : "",
        Math.log(s.probe().rows()) / Math.log(2),
        s.probe().columns(),
        s.probe().sorted() ? " sorted" : "",
        s.wordBytes(),
        s.build().bytes() / s.build().columns(),
        4 * s.keyRange() <= 16 * s.build().rows() ? "dense" : "sparse",
        s.build().rows() / s.distinct(),
        s.matchRatio(),
        s.skew().exponent());
  }

  private static final String[] COLOURS = {"#3b6fb6", "#c0504d", "#e0a030", "#4f9d69", "#7d5fa6"};
  private static final int SIZE = 360;
  private static final int LEFT = 60;
  private static final int TOP = 40;

  /**
   * Two charts: regret by the best candidate's time, coloured by the algorithm chosen, and
   * predicted by measured time of the chosen candidate.
   */
  public String svg(String title) {
    StringBuilder svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="960" height="470" font-family="sans-serif" font-size="12">
        <rect width="960" height="470" fill="white"/>
        """);
    text(svg, 20, 20, title, "font-size=\"14\"");
    double low = results.stream().mapToDouble(r -> r.best().millis()).min().orElse(0.1);
    double high = results.stream().mapToDouble(r -> r.chosen(model).millis()).max().orElse(1);
    Axis time = new Axis(Math.log10(low), Math.log10(high));
    double most = Math.max(1.5, regret(1));
    axes(svg, LEFT, "best candidate, ms", "regret");
    int second = LEFT + SIZE + 110;
    axes(svg, second, "measured, ms", "predicted, ms");
    for (int p = (int) Math.ceil(time.low); p <= time.high; p++) {
      for (int x : new int[] {LEFT, second}) {
        text(svg, x + time.at(p) - 10, TOP + SIZE + 16, label(p), "");
      }
      text(svg, second - 40, TOP + SIZE - time.at(p) + 4, label(p), "");
    }
    for (double r = 1; r <= most + 1e-9; r += 0.1) {
      double y = TOP + SIZE - (r - 1) / (most - 1) * SIZE;
      text(svg, LEFT - 30, y + 4, String.format(Locale.ROOT, "%.1f", r), "");
    }
    diagonal(svg, second, time, 0, "");
    diagonal(svg, second, time, Math.log10(1.5), "stroke-dasharray=\"4\"");
    diagonal(svg, second, time, -Math.log10(1.5), "stroke-dasharray=\"4\"");
    for (ChoiceResult r : results) {
      Candidate chosen = r.chosen(model);
      String colour = colour(chosen.algorithm());
      double y = TOP + SIZE - (r.regret(model) - 1) / (most - 1) * SIZE;
      dot(svg, LEFT + time.at(Math.log10(r.best().millis())), y, colour);
      double predicted = Math.log10(r.predicted(model, chosen));
      dot(
          svg,
          second + time.at(Math.log10(chosen.millis())),
          TOP + SIZE - Math.clamp(time.at(predicted), 0, SIZE),
          colour);
    }
    double x = LEFT;
    for (Map.Entry<String, JoinAlgorithm> entry : JoinBench.ALGORITHMS.entrySet()) {
      dot(svg, x, 456, colour(entry.getValue()));
      text(svg, x + 8, 460, entry.getKey(), "");
      x += 90;
    }
    return svg.append("</svg>\n").toString();
  }

  private static String colour(JoinAlgorithm algorithm) {
    return COLOURS[List.copyOf(JoinBench.ALGORITHMS.values()).indexOf(algorithm)];
  }

  private static String label(int power) {
    return power >= 0 ? "1" + "0".repeat(power) : "0." + "0".repeat(-power - 1) + "1";
  }

  private record Axis(double low, double high) {
    double at(double value) {
      return high <= low ? 0 : (value - low) / (high - low) * SIZE;
    }
  }

  private static void axes(StringBuilder svg, int left, String x, String y) {
    svg.append(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>%n"
            .formatted(left, TOP, SIZE, SIZE));
    text(svg, left + SIZE / 2.0 - 40, TOP + SIZE + 34, x, "");
    text(svg, left, TOP - 6, y, "");
  }

  private static void diagonal(StringBuilder svg, int left, Axis time, double above, String style) {
    double from = Math.max(time.low, time.low - above);
    double to = Math.min(time.high, time.high - above);
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#888\" %s/>%n",
            left + time.at(from),
            TOP + SIZE - time.at(from + above),
            left + time.at(to),
            TOP + SIZE - time.at(to + above),
            style));
  }

  private static void dot(StringBuilder svg, double x, double y, String colour) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" fill-opacity=\"0.7\"/>%n",
            x,
            y,
            colour));
  }

  private static void text(StringBuilder svg, double x, double y, String text, String style) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>%n",
            x,
            y,
            style,
            text.replace("&", "&amp;").replace("<", "&lt;")));
  }
}
