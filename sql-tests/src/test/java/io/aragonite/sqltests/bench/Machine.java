package io.aragonite.sqltests.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** What a measurement ran on. */
public final class Machine {
  private Machine() {}

  /** Processor, cores, JVM and present load, in a line. */
  public static String describe() {
    return String.format(
        Locale.ROOT,
        "%s, %d cores, Java %s, heap at most %.1f GB, load %.2f",
        valueOf("/proc/cpuinfo", "model name"),
        Runtime.getRuntime().availableProcessors(),
        Runtime.version(),
        Runtime.getRuntime().maxMemory() / 1e9,
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  /** The largest memory that this process has had, as the system tells it, such as "2345 kB". */
  public static String peakMemory() {
    return valueOf("/proc/self/status", "VmHWM");
  }

  private static String valueOf(String file, String key) {
    try (Stream<String> lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(key))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }
}
