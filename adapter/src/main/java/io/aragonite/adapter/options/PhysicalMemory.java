package io.aragonite.adapter.options;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How much memory this machine, or the container around it, has. On Linux it is read from where the
 * kernel tells it, which is quicker at start-up than the JDK's management classes.
 */
public final class PhysicalMemory {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final List<Path> LIMITS =
      List.of(
          Path.of("/sys/fs/cgroup/memory.max"),
          Path.of("/sys/fs/cgroup/memory/memory.limit_in_bytes"));

  private PhysicalMemory() {}

  /** Bytes. */
  public static long bytes() {
    try {
      for (String line : Files.readAllLines(MEMINFO)) {
        if (line.startsWith("MemTotal:")) {
          long total = Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
          return Math.min(total, containerLimit());
        }
      }
    } catch (IOException | NumberFormatException e) {
      // not Linux: ask the JDK
    }
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getTotalMemorySize();
  }

  private static long containerLimit() {
    for (Path path : LIMITS) {
      try {
        return Long.parseLong(Files.readString(path).trim());
      } catch (IOException | NumberFormatException e) {
        // no such file, or "max": no limit
      }
    }
    return Long.MAX_VALUE;
  }
}
