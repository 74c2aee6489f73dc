package io.aragonite.adapter.cli;

import io.aragonite.adapter.PhysicalMemory;
import io.aragonite.adapter.Units;
import io.aragonite.tpch.TpchData;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
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
    mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
  private static final int NEEDED_JAVA = 25;
  private static final Path NVIDIA_DRIVER = Path.of("/proc/driver/nvidia/version");

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
    int feature = Runtime.version().feature();
    boolean good = feature >= NEEDED_JAVA;
    line(
        out,
        "Java",
        "%s, %s%s"
            .formatted(
                Runtime.version(),
                System.getProperty("java.home"),
                good ? "" : "  -> use a JDK " + NEEDED_JAVA));
    return good;
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
    Path root = TpchData.defaultCacheRoot();
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
    if (!Files.exists(NVIDIA_DRIVER)) {
      line(
          out,
          "GPU",
          "none: no NVIDIA driver is loaded; queries run on the CPU  -> a GPU needs its driver and"
              + " nothing else");
    } else {
      line(out, "GPU", "an NVIDIA driver is loaded");
    }
    line(
        out,
        "Kernels",
        "none in this build, so that it runs on the CPU only, whether there is a GPU or not");
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
