package io.aragonite.bench.growth;

import io.aragonite.dataset.Answer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Times a query over tables of several scales, by turns, so that what else a machine does counts
 * for all of them.
 */
public final class GrowthBench {
  private final List<Connection> connections;
  private final List<Double> scales;
  private final int warmups;
  private final int repeat;
  private final LongSupplier nanos;

  /**
   * @param connections one for each scale
   * @param scales ascending
   * @param warmups runs of each before those that count
   * @param repeat runs of each that count, of which the quickest is taken
   * @param nanos the clock: {@link System#nanoTime}, or that of the processors
   */
  public GrowthBench(
      List<Connection> connections,
      List<Double> scales,
      int warmups,
      int repeat,
      LongSupplier nanos) {
    this.connections = List.copyOf(connections);
    this.scales = List.copyOf(scales);
    this.warmups = warmups;
    this.repeat = repeat;
    this.nanos = nanos;
  }

  /**
   * What a query took.
   *
   * @param millis at each scale
   */
  public record Growth(String name, List<Double> scales, List<Double> millis) {
    /**
     * Time at the largest scale over what the time at another one would have grown to in the
     * proportion of the scales: 1 is linear, more is worse.
     *
     * @param from number of the other scale
     */
    public double overLinear(int from) {
      return millis.getLast() / scales.getLast() / (millis.get(from) / scales.get(from));
    }

    /** A line of CSV: query, each time, and the growth from each scale to the last. */
    public String line() {
      StringBuilder line = new StringBuilder(name);
      millis.forEach(time -> line.append(String.format(Locale.ROOT, ",%.2f", time)));
      for (int from = 0; from < scales.size() - 1; from++) {
        line.append(String.format(Locale.ROOT, ",%.2f", overLinear(from)));
      }
      return line.toString();
    }

    /** The heading of {@link #line}. */
    public static String heading(List<Double> scales) {
      StringBuilder line = new StringBuilder("query");
      scales.forEach(scale -> line.append(String.format(Locale.ROOT, ",scale %s ms", scale)));
      for (int from = 0; from < scales.size() - 1; from++) {
        line.append(
            String.format(Locale.ROOT, ",%s to %s", scales.get(from), scales.getLast()));
      }
      return line.toString();
    }

    /** All queries together. */
    public static Growth total(List<Growth> all) {
      List<Double> scales = all.getFirst().scales;
      List<Double> sums = new ArrayList<>();
      for (int i = 0; i < scales.size(); i++) {
        int at = i;
        sums.add(all.stream().mapToDouble(growth -> growth.millis.get(at)).sum());
      }
      return new Growth("all " + all.size(), scales, sums);
    }
  }

  /**
   * Runs a query at all scales.
   *
   * @param sql its text at each scale
   */
  public Growth run(String name, List<String> sql) throws SQLException {
    double[] best = new double[scales.size()];
    Arrays.fill(best, Double.POSITIVE_INFINITY);
    List<PreparedStatement> statements = new ArrayList<>();
    try {
      for (int i = 0; i < best.length; i++) {
        statements.add(connections.get(i).prepareStatement(sql.get(i)));
      }
      for (int run = 0; run < warmups + repeat; run++) {
        for (int i = 0; i < best.length; i++) {
          int at = (i + run) % best.length; // none is always first
          double time = millis(statements.get(at));
          best[at] = run < warmups ? best[at] : Math.min(best[at], time);
        }
      }
    } finally {
      for (PreparedStatement statement : statements) {
        statement.close();
      }
    }
    return new Growth(name, scales, Arrays.stream(best).boxed().toList());
  }

  private double millis(PreparedStatement statement) throws SQLException {
    long begin = nanos.getAsLong();
    try (ResultSet rows = statement.executeQuery()) {
      Answer.of(rows);
    }
    return (nanos.getAsLong() - begin) / 1e6;
  }
}
