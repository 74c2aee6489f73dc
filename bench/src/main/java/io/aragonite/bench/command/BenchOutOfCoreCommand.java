package io.aragonite.bench.command;

import picocli.CommandLine.Mixin;
import io.aragonite.adapter.cli.Main;
import io.aragonite.adapter.cli.Quantities;

import io.aragonite.adapter.options.PhysicalMemory;
import io.aragonite.exec.engine.Devices;
import io.aragonite.bench.outofcore.OutOfCoreBench;
import io.aragonite.bench.outofcore.OutOfCoreBench.Case;
import io.aragonite.bench.outofcore.OutOfCoreBench.OutOfCoreResult;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code aragonite bench outofcore}: joins of more than the device's memory holds. */
@Command(
    name = "outofcore",
    description = {
      "Joins tables R and S of 4+4-byte rows in host memory with a device that does not hold them:"
          + " probe: R stays on the device, S streams through it, sums come out; output: as many"
          + " bytes come out as S has; join: neither side fits; curve: both sides together have"
          + " half of the budget to eight times the budget, every run brings them to the device"
          + " anew. The number of rows and the sums of both payloads are checked.",
      "Exit status 0: all answers are right; 1: one is not."
    },
    mixinStandardHelpOptions = true)
final class BenchOutOfCoreCommand implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions("cpu", 3);

  @Option(
      names = "--cases",
      split = ",",
      paramLabel = "<name>",
      description = "What to measure: ${COMPLETION-CANDIDATES} (default: all).")
  private @Nullable List<Case> cases;

  @Option(
      names = "--algorithm",
      paramLabel = "nphj|hsmj",
      description =
          "How sides that do not fit are joined: by hash, or sorted in host memory (default:"
              + " ${DEFAULT-VALUE}).")
  private String algorithm = "nphj";

  @Option(
      names = "--bytes",
      paramLabel = "<size>",
      converter = Quantities.Bytes.class,
      description = "Bytes of S that streams (default: 64GB; on the cpu 256MB).")
  private @Nullable Long bytes;

  @Option(
      names = "--build-rows",
      paramLabel = "<log2>",
      description = "2 to this power rows has R that stays (default: 25; on the cpu 18).")
  private @Nullable Integer buildRows;

  @Option(
      names = "--memory",
      paramLabel = "<size>",
      converter = Quantities.Bytes.class,
      description = "The device's memory for join and curve (default: 8GB; on the cpu 64MB).")
  private @Nullable Long memory;

  @Option(
      names = "--side",
      paramLabel = "<size>",
      converter = Quantities.Bytes.class,
      description = "Bytes of either side of join (default: four times --memory).")
  private @Nullable Long side;

  @Option(
      names = "--host-memory",
      paramLabel = "<size>",
      converter = Quantities.Bytes.class,
      description = "Host memory beside a GPU (default: 85 %% of the machine's).")
  private @Nullable Long hostMemory;

  @Option(
      names = "--pinned",
      paramLabel = "<size>",
      converter = Quantities.Bytes.class,
      description =
          "Of it that may be page-locked, for tables first, then for what queries put aside"
              + " (default: 90 %%).")
  private @Nullable Long pinned;

  @Option(names = "--svg", paramLabel = "<file>", description = "Draws the curve there.")
  private @Nullable Path svg;

  @Override
  public Integer call() throws Exception {
    options.check();
    options.require(
        algorithm.equals("nphj") || algorithm.equals("hsmj"),
        "--algorithm is nphj or hsmj, not " + algorithm);
    boolean cpu = options.cpu();
    int log2 = buildRows != null ? buildRows : cpu ? 18 : 25;
    options.require(log2 >= 4 && log2 <= 30, "--build-rows is a number from 4 to 30");
    long budget = memory != null ? memory : cpu ? 64L << 20 : 8_000_000_000L;
    long host = hostMemory != null ? hostMemory : PhysicalMemory.bytes() / 20 * 17;
    long locked = pinned != null ? pinned : host / 10 * 9;
    OutOfCoreBench.Sizes sizes =
        new OutOfCoreBench.Sizes(
            bytes != null ? bytes : cpu ? 256L << 20 : 64_000_000_000L,
            1L << log2,
            budget,
            side != null ? side : 4 * budget);
    PrintWriter out = options.out();
    OutOfCoreBench bench =
        new OutOfCoreBench(
            size -> Devices.open(options.device(), options.threads(), host, size, locked),
            algorithm.equals("hsmj")
                ? JoinAlgorithm.HOST_SORT_MERGE
                : JoinAlgorithm.NON_PARTITIONED_HASH,
            options.repeat(),
            out);
    List<Case> chosen = cases == null ? Arrays.asList(Case.values()) : cases;
    List<OutOfCoreResult> results = bench.run(chosen, sizes);
    double step = OutOfCoreBench.largestStep(results);
    if (step > 0) {
      out.printf("largest step of the curve: %.2f times the time a byte (1.5 may be)%n", step);
    }
    options.writeCsv(OutOfCoreBench.csv(results));
    if (svg != null) {
      Files.writeString(
          svg, OutOfCoreBench.svg(results, "Joins on %s, every run cold".formatted(options.device())));
    }
    out.flush();
    return results.stream().allMatch(r -> r.error() == null) ? 0 : Main.FAILED;
  }
}
