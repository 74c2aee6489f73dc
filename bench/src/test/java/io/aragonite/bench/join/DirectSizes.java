package io.aragonite.bench.join;

import io.aragonite.exec.engine.Devices;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Locale;

/**
 * From how many rows on the partitioned join gains by payload that lies where keys say: the wide
 * join with that form and without, by turns, both sides of the same size: {@code DirectSizes
 * cpu|cuda [FROM TO]}, powers of two.
 */
public final class DirectSizes {
  private static final int RUNS = 25;

  private DirectSizes() {}

  /** Prints milliseconds, the median of the quicker of two rounds. */
  public static void main(String[] arguments) {
    int from = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 16;
    int to = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 24;
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter(), true);
    try (Device device = Devices.open(arguments[0], 1, 8L << 30);
        JoinBench bench = new JoinBench(device, RUNS, nowhere)) {
      System.out.printf("%-6s %12s %12s%n", "rows", "a table", "by the key");
      for (int log2 = from; log2 <= to; log2++) {
        double[] best = {Double.MAX_VALUE, Double.MAX_VALUE};
        // The first of three rounds warms up.
        for (int turn = 0; turn < 6; turn++) {
          System.setProperty("aragonite.join.parts", turn % 2 == 0 ? "off" : "on");
          List<JoinCase> cases =
              JoinCase.all(log2).stream().filter(c -> c.name().equals("wide")).toList();
          for (JoinBench.JoinResult result : bench.run(cases, List.of(JoinAlgorithm.PARTITIONED_HASH))) {
            if (result.error() != null) {
              throw new IllegalStateException(result.error());
            }
            if (turn >= 2) {
              best[turn % 2] = Math.min(best[turn % 2], result.millis());
            }
          }
        }
        System.out.printf(Locale.ROOT, "2^%-4d %12.3f %12.3f%n", log2, best[0], best[1]);
      }
    }
  }
}
