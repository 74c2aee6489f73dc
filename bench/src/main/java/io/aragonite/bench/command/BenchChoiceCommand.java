package io.aragonite.bench.command;

import picocli.CommandLine.Mixin;
import io.aragonite.adapter.cli.Main;

import io.aragonite.exec.engine.Devices;
import io.aragonite.bench.choice.ChoiceBench;
import io.aragonite.bench.choice.ChoicePoint;
import io.aragonite.bench.choice.ChoiceReport;
import io.aragonite.bench.choice.ChoiceResult;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.device.Device;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code aragonite bench choice}: what the choice of join algorithms costs. */
@Command(
    name = "choice",
    description = {
      "Times every way to join (algorithm and build side) at points drawn by a seed, and compares"
          + " the one that the cost model would choose with the best: its time over the best one's"
          + " is the regret. Every row of every algorithm's output is checked. Points with a regret"
          + " above 1.3 are timed once more, when the grid is through, and the quicker time of each"
          + " way counts: what only disturbed a run does not come back. A time is that of the quickest"
          + " of --repeat runs.",
      "Exit status 0: all answers are right; 1: one is not."
    },
    mixinStandardHelpOptions = true)
final class BenchChoiceCommand implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions("cpu", 3);

  @Mixin private HostMemoryOption memory = new HostMemoryOption();

  @Option(
      names = "--points",
      paramLabel = "<n>",
      description = "How many points (default: ${DEFAULT-VALUE}).")
  private int points = 200;

  @Option(
      names = "--seed",
      paramLabel = "<n>",
      description = "What points are drawn by (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--min-rows",
      paramLabel = "<log2>",
      description = "2 to this power rows has a side at least (default: 16; on the cpu 10).")
  private @Nullable Integer minRows;

  @Option(
      names = "--max-rows",
      paramLabel = "<log2>",
      description = "and at most (default: 28; on the cpu 22).")
  private @Nullable Integer maxRows;

  @Option(
      names = "--seconds",
      paramLabel = "<n>",
      description = "No point is begun after these (default: no limit).")
  private double seconds = Double.MAX_VALUE;

  @Option(
      names = "--clock",
      paramLabel = "wall|processor",
      description = {
        "What times are (default: ${DEFAULT-VALUE}): those of the wall's clock or, for the cpu, of",
        "its processors, over the number of threads: what others on the machine hardly change."
      })
  private String clock = "wall";

  @Option(
      names = "--from",
      paramLabel = "<file>",
      description = "Times nothing: judges the device's present profile by results in this file.")
  private @Nullable Path from;

  @Option(names = "--svg", paramLabel = "<file>", description = "Draws regret and prices there.")
  private @Nullable Path svg;

  @Override
  public Integer call() throws Exception {
    options.check();
    options.require(points >= 1, "--points is 1 at least");
    PrintWriter out = options.out();
    boolean cpu = options.cpu();
    int threads = options.threads();
    if (from != null) {
      MachineProfile profile =
          cpu ? MachineProfile.CORE.workers(threads) : MachineProfile.H200;
      report(read(from), profile, "results of " + from);
      return 0;
    }
    boolean processor = clock.equals("processor");
    options.require(
        processor ? cpu : clock.equals("wall"),
        "--clock is wall, or processor with --device cpu");
    int least = minRows != null ? minRows : cpu ? 10 : 16;
    int most = maxRows != null ? maxRows : cpu ? 22 : 28;
    options.require(
        least >= 2 && most <= 29 && least <= most,
        "--min-rows is 2 at least, --max-rows 29 at most and no less");
    try (Device on = Devices.open(options.device(), threads, memory.bytes());
        ChoiceBench bench = new ChoiceBench(on, options.repeat(), processor, out)) {
      double room = 0.7 * on.memory().limit();
      long begin = System.nanoTime();
      List<ChoiceResult> results =
          bench.run(ChoicePoint.grid(seed, points, least, most, room), seconds);
      String title =
          "%s%s, seed %d, 2^%d to 2^%d rows, quickest of %d runs"
              .formatted(on.model(), cpu ? " x " + threads : "", seed, least, most, options.repeat());
      out.printf("%s, %.0f s%n", title, (System.nanoTime() - begin) / 1e9);
      report(results, on.profile(), title);
      bench.errors().forEach(error -> out.println("WRONG: " + error));
      return bench.errors().isEmpty() && !results.isEmpty() ? 0 : Main.FAILED;
    }
  }

  private List<ChoiceResult> read(Path file) {
    try {
      return ChoiceResult.parse(Files.readAllLines(file));
    } catch (IOException | IllegalArgumentException e) {
      throw options.invalid(
          "--from is a file that bench choice --csv wrote; "
              + file
              + (e instanceof IOException ? " cannot be read: " : " is not: ")
              + e.getMessage());
    }
  }

  private void report(List<ChoiceResult> results, MachineProfile profile, String title)
      throws IOException {
    ChoiceReport report = new ChoiceReport(results, profile);
    report.print(options.out());
    options.writeCsv(ChoiceResult.csv(results, profile));
    if (svg != null) {
      Files.writeString(svg, report.svg(title));
    }
  }
}
