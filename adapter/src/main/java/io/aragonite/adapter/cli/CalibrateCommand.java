package io.aragonite.adapter.cli;

import io.aragonite.adapter.options.PhysicalMemory;
import io.aragonite.adapter.options.Units;
import io.aragonite.exec.cost.LinkRates;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.engine.Calibration;
import io.aragonite.exec.engine.Devices;
import io.aragonite.exec.engine.LinkCalibration;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.ProfileStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code aragonite calibrate}: measures a device for the planner. */
@Command(
    name = "calibrate",
    description = {
      "Measures what joins are priced with on a device (bandwidths, probes, inserts, partition and"
          + " sort passes, launches, transfers from pageable and page-locked memory; of the cpu one"
          + " core), prints it beside the figures"
          + " used so far, and keeps it in the user's cache folder by device and driver. Queries of"
          + " processes that start later use it. Of several GPUs also how quickly each copies from"
          + " each other one."
    },
    mixinStandardHelpOptions = true,
    addMethodSubcommands = false)
final class CalibrateCommand implements Callable<Integer> {
  /** What is copied between two GPUs. */
  private static final long LINK_BYTES = 1L << 30;

  private static final int LINK_RUNS = 3;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--device",
      paramLabel = "cpu|cuda",
      description = "What to measure (default: ${DEFAULT-VALUE}).")
  private String device = "cpu";

  @Option(
      names = "--memory",
      paramLabel = "<size>",
      converter = Quantities.Bytes.class,
      description = "Host memory: 8GB.")
  private @Nullable Long memory;

  @Option(
      names = "--raw",
      description = "Prints what was measured instead, a figure that profiles are scaled by each.")
  private boolean raw;

  @Option(names = "--dry-run", description = "Prints only, and keeps nothing.")
  private boolean dryRun;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    long bytes = memory == null ? PhysicalMemory.bytes() / 2 : memory;
    long start = System.nanoTime();
    // Of the host one core is measured; a GPU's copies are staged by several.
    int threads = device.equals("cpu") ? 1 : Runtime.getRuntime().availableProcessors();
    try (Device on = Devices.open(device, threads, bytes);
        Calibration calibration = new Calibration(on)) {
      if (raw) {
        for (double figure : calibration.measure()) {
          out.printf(Locale.ROOT, "%.5g%n", figure);
        }
        out.flush();
        return 0;
      }
      MachineProfile before = on.profile();
      MachineProfile found = calibration.run();
      out.printf(
          "%s, measured in %s; so far: %s%n",
          on.model(), Units.formatNanos(System.nanoTime() - start), before.source());
      String[] names = ProfileStore.names();
      for (int i = 0; i < names.length; i++) {
        out.printf(
            Locale.ROOT,
            "%-24s %14.6g  was %14.6g%n",
            names[i],
            found.figures()[i],
            before.figures()[i]);
      }
      calibration
          .curves()
          .forEach((name, value) -> out.printf(Locale.ROOT, "%-34s %14.6g%n", name, value));
      if (!dryRun) {
        String measured = "%s, %s".formatted(on.model(), LocalDate.now());
        out.printf(
            "kept in %s%n",
            ProfileStore.save(
                ProfileStore.folder(), on.model(), measured, found, calibration.curves()));
      }
      out.flush();
    }
    int count = device.equals("cuda") ? CudaDriver.get().gpus().size() : 1;
    if (count > 1) {
      links(count, bytes, out);
    }
    return 0;
  }

  /** Copies between GPUs, which the choice of devices is made by. */
  private void links(int count, long hostBytes, PrintWriter out) throws IOException {
    List<Device> open = Devices.open(device, count, 1, hostBytes);
    try (ExecutorService threads =
        Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory())) {
      double[][] rates =
          new LinkCalibration(open, LINK_RUNS, threads)
              .measure(LINK_BYTES, copy -> print(copy, out));
      if (!dryRun) {
        String measured = LocalDate.now().toString();
        List<String> names = DeviceGroup.linkNames(open);
        out.printf("kept in %s%n", LinkRates.save(ProfileStore.folder(), names, measured, rates));
      }
      out.flush();
    } finally {
      open.forEach(Device::close);
    }
  }

  private static void print(LinkCalibration.LinkCopy copy, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%-34s %9.2f ms %8.1f GB/s%s%n",
        copy.name(),
        copy.millis(),
        copy.rate(),
        copy.right() ? "" : "  WRONG");
    out.flush();
  }
}
