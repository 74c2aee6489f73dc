package io.aragonite.adapter.cli;

import io.aragonite.adapter.options.PhysicalMemory;
import io.aragonite.adapter.options.Units;
import io.aragonite.dataset.DatasetCache;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.device.cuda.CudaGpu;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.JvmDefects;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code aragonite doctor}: looks at the machine and says what is missing. */
@Command(
    name = "doctor",
    description = {
      "Looks at what Aragonite finds on this machine, and says what to do about what is missing.",
      "Exit status 0: queries run; 1: they do not."
    },
    mixinStandardHelpOptions = true,
    addMethodSubcommands = false)
final class DoctorCommand implements Callable<Integer> {
  private static final int NEEDED_JAVA = 25;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ConnectionArguments connection = new ConnectionArguments();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    boolean java = java(out);
    line(
        out,
        "CPU",
        "%d processors, %s"
            .formatted(Runtime.getRuntime().availableProcessors(), System.getProperty("os.arch")));
    memory(out);
    cache(out);
    gpu(out);
    boolean queries = query(out);
    out.flush();
    return java && queries ? 0 : Main.FAILED;
  }

  private static void line(PrintWriter out, String what, String finding) {
    out.printf("%-10s %s%n", what, finding);
  }

  private static boolean java(PrintWriter out) {
    Optional<String> wrong =
        Runtime.version().feature() < NEEDED_JAVA
            ? Optional.of("use a JDK " + NEEDED_JAVA)
            : JvmDefects.found();
    line(
        out,
        "Java",
        "%s, %s%s"
            .formatted(
                Runtime.version(),
                System.getProperty("java.home"),
                wrong.map(reason -> "  -> " + reason).orElse("")));
    return wrong.isEmpty();
  }

  private static void memory(PrintWriter out) {
    long physical = PhysicalMemory.bytes();
    long heap = Runtime.getRuntime().maxMemory();
    line(
        out,
        "Memory",
        "%s, of which the Java heap may take %s; tables and queries take memory= (default 50%%: %s)"
            .formatted(
                Units.formatBytes(physical),
                Units.formatBytes(heap),
                Units.formatBytes(physical / 2.0)));
  }

  private static void cache(PrintWriter out) {
    Path root = DatasetCache.defaultRoot();
    String finding = root.toString();
    if (Files.isDirectory(root)) {
      try (Stream<Path> files = Files.walk(root)) {
        long bytes = files.filter(Files::isRegularFile).mapToLong(DoctorCommand::size).sum();
        finding += ", %s used".formatted(Units.formatBytes(bytes));
        if (!Files.isWritable(root)) {
          finding += "  -> it cannot be written: set ARAGONITE_CACHE to a folder that can";
        }
      } catch (IOException | java.io.UncheckedIOException e) {
        finding += "  -> it cannot be read: " + e.getMessage();
      }
    } else {
      finding += ", not there yet";
    }
    line(out, "Cache", finding);
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0;
    }
  }

  private static void gpu(PrintWriter out) {
    CudaDriver driver = CudaDriver.get();
    String missing = driver.missing();
    if (driver.version() > 0) {
      line(out, "Driver", "NVIDIA's, for CUDA " + release(driver.version()));
    }
    if (missing != null) {
      line(out, "GPU", "none to use; queries run on the CPU  -> " + missing);
    }
    for (CudaGpu gpu : driver.gpus()) {
      line(out, "GPU", describe(gpu, driver.gpus()));
    }
    int kernels = CudaDriver.kernelsVersion();
    line(
        out,
        "Kernels",
        kernels == 0
            ? "none in this build, which runs on the CPU only  -> build it where nvcc of the CUDA"
                + " toolkit is"
            : "built with CUDA %s for compute capabilities %s, and newer ones through the driver"
                .formatted(
                    release(kernels),
                    Stream.of(CudaDriver.kernelsArchitectures().split(" "))
                        .map(DoctorCommand::capability)
                        .collect(Collectors.joining(", "))));
  }

  private static String release(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }

  /** For instance 9.0 for 90. */
  private static String capability(String number) {
    int split = number.length() - 1;
    return number.substring(0, split) + "." + number.substring(split);
  }

  private static String describe(CudaGpu gpu, List<CudaGpu> all) {
    String text =
        "%s, %s: %s (compute capability %s), %d SMs, %s of L2"
            .formatted(
                gpu.name(),
                gpu.productName(),
                memory(gpu),
                capability(String.valueOf(gpu.capability())),
                gpu.sms(),
                Units.formatBytes(gpu.l2Bytes()));
    String peers =
        all.stream()
            .filter(other -> other.ordinal() != gpu.ordinal() && gpu.canAccess(other))
            .map(CudaGpu::name)
            .collect(Collectors.joining(", "));
    if (all.size() > 1) {
      text += peers.isEmpty() ? ", reads no other GPU's memory" : ", reads the memory of " + peers;
    }
    return gpu.supported()
        ? text
        : text + "  -> too old: compute capability 8.0 is needed; use device=cpu";
  }

  private static String memory(CudaGpu gpu) {
    String total = Units.formatBytes(gpu.memoryBytes());
    try {
      return "%s of %s free".formatted(Units.formatBytes(gpu.freeBytes()), total);
    } catch (AragoniteException e) {
      return "%s  -> it cannot be used: %s".formatted(total, e.getMessage());
    }
  }

  private boolean query(PrintWriter out) {
    long start = System.nanoTime();
    try (Connection open = connection.open();
        Statement statement = open.createStatement();
        ResultSet rows =
            statement.executeQuery("select sum(x) from (values (1), (2), (3)) as t(x)")) {
      boolean right = rows.next() && rows.getInt(1) == 6;
      line(
          out,
          "Query",
          right
              ? "a query ran, in " + Units.formatNanos(System.nanoTime() - start)
              : "a query gave a wrong answer  -> please report this");
      return right;
    } catch (SQLException e) {
      line(out, "Query", "failed: " + e.getMessage());
      return false;
    }
  }
}
