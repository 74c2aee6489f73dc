package io.aragonite.bench.command;

import picocli.CommandLine.Mixin;
import io.aragonite.adapter.cli.Main;

import io.aragonite.exec.engine.Devices;
import io.aragonite.bench.multi.HostJoinBench;
import io.aragonite.bench.multi.MultiBench;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code aragonite bench multi}: several devices together. */
@Command(
    name = "multi",
    description = {
      "Measures copies between the devices, and joins R and S that are spread over them, on 1, 2, 4"
          + " and 8 of them; every answer is checked.",
      "Exit status 0: all answers are right; 1: one is not."
    },
    mixinStandardHelpOptions = true)
final class BenchMultiCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private BenchOptions options = new BenchOptions("cuda", 5);

  @Mixin private HostMemoryOption memory = new HostMemoryOption();

  @Option(
      names = "--count",
      paramLabel = "<n>",
      description = "How many devices there are (default: all GPUs; of the cpu 2).")
  private @Nullable Integer count;

  @Option(
      names = "--rows",
      paramLabel = "<log2>",
      description =
          "2 to this power are the rows of a side for each device (default: 27; on the cpu 18);"
              + " with --host those of a side (default: 29; on the cpu 18).")
  private @Nullable Integer rows;

  @Option(
      names = "--host",
      description =
          "Times queries over the join of tables in host memory that no device has seen instead"
              + " (hsmj is the sort-merge join of Maltenberger 2024).")
  private boolean host;

  @Option(
      names = "--bytes",
      split = ",",
      paramLabel = "4|8",
      description = "With --host: how wide keys and payload are (default: ${DEFAULT-VALUE}).")
  private List<Integer> bytes = List.of(4);

  @Option(
      names = "--on",
      split = ",",
      paramLabel = "<n>",
      description = "With --host: of how many devices (default: 1, 2, 4 and so on).")
  private List<Integer> on = List.of();

  @Option(
      names = "--sorted",
      description = "With --host: sides that lie in the order of their keys.")
  private boolean sorted;

  @Option(
      names = "--zipf",
      split = ",",
      paramLabel = "<z>",
      description =
          "How uneven S's keys are: 0 not at all, Infinity one key only (default:"
              + " ${DEFAULT-VALUE}).")
  private List<Double> zipf = List.of(0.0);

  @Option(
      names = "--algorithms",
      split = ",",
      paramLabel = "nphj|phj|smj|hsmj",
      description =
          "What each device joins its part with (default: ${DEFAULT-VALUE}); hsmj with --host only.")
  private List<String> algorithms = List.of("phj");

  @Option(
      names = "--svg",
      paramLabel = "<folder>",
      description = "Draws there what each device did when.")
  private @Nullable Path svg;

  @Override
  public Integer call() throws Exception {
    options.check();
    boolean cpu = options.cpu();
    int devices = count != null ? count : cpu ? 2 : Math.max(1, CudaDriver.get().gpus().size());
    int log2 = rows != null ? rows : cpu ? 18 : host ? 29 : 27;
    options.require(devices >= 1, "--count is 1 at least");
    int all = host ? log2 : log2 + 31 - Integer.numberOfLeadingZeros(devices);
    options.require(
        log2 >= 10 && all <= 30, "--rows is 10 at least, and all rows of a side are 2^30 at most");
    List<JoinAlgorithm> chosen = new ArrayList<>();
    for (String name : algorithms) {
      JoinAlgorithm algorithm = named(name);
      if (algorithm == null || algorithm == JoinAlgorithm.HOST_SORT_MERGE && !host) {
        throw new ParameterException(
            spec.commandLine(),
            "--algorithms are nphj, phj, smj and with --host hsmj, not " + name);
      }
      chosen.add(algorithm);
    }
    if (host) {
      return hostJoins(devices, log2, chosen);
    }
    List<Device> open =
        Devices.open(options.device(), devices, options.threads(), memory.bytes());
    try (MultiBench bench = new MultiBench(open, options.repeat(), options.out())) {
      bench.copies(cpu ? 1L << 24 : 1L << 32);
      for (double z : zipf) {
        bench.joins(log2, z, chosen);
      }
      return written(bench.results(), bench.pictures());
    } finally {
      open.forEach(Device::close);
    }
  }

  private int hostJoins(int devices, int log2, List<JoinAlgorithm> chosen)
      throws IOException {
    options.require(
        !bytes.isEmpty() && bytes.stream().allMatch(width -> width == 4 || width == 8),
        "--bytes are 4 and 8");
    List<Integer> counts = on;
    if (counts.isEmpty()) {
      counts = new ArrayList<>();
      for (int some = 1; some <= devices; some *= 2) {
        counts.add(some);
      }
    }
    options.require(
        counts.stream().allMatch(some -> some >= 1 && some <= devices), "--on are 1 to " + devices);
    // Tables are page-locked, up to three quarters of the memory.
    long room = memory.bytes();
    List<Device> open =
        Devices.open(options.device(), devices, options.threads(), room, room / 4 * 3);
    try (HostJoinBench bench = new HostJoinBench(open, options.repeat(), options.out())) {
      for (int width : bytes) {
        for (double z : zipf) {
          bench.joins(log2, width, z, sorted, counts, chosen);
        }
      }
      return written(bench.results(), Map.of());
    } finally {
      open.forEach(Device::close);
    }
  }

  /** Writes what is asked for, and says whether all answers are right. */
  private int written(List<MultiBench.MultiResult> results, Map<String, String> pictures)
      throws IOException {
    options.writeCsv(MultiBench.csv(results));
    if (svg != null) {
      Files.createDirectories(svg);
      for (Map.Entry<String, String> picture : pictures.entrySet()) {
        Files.writeString(svg.resolve(picture.getKey()), picture.getValue());
      }
    }
    return results.stream().allMatch(MultiBench.MultiResult::right) ? 0 : Main.FAILED;
  }

  private static @Nullable JoinAlgorithm named(String name) {
    try {
      return JoinAlgorithm.named(name);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
