package io.aragonite.sqltests.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** What a measurement ran on. */
public final class Machine {
  /** CLOCK_PROCESS_CPUTIME_ID of Linux. */
  private static final int PROCESS_CLOCK = 2;

  private static final MethodHandle CLOCK =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

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

  /**
   * Nanoseconds for which the processors have worked for this process, native threads included. The
   * JVM's own figure goes in steps of 10 ms.
   */
  public static long processorNanos() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment time = arena.allocate(ValueLayout.JAVA_LONG, 2); // seconds, nanoseconds
      if ((int) CLOCK.invokeExact(PROCESS_CLOCK, time) != 0) {
        throw new IllegalStateException("the system has no clock of a process");
      }
      return time.getAtIndex(ValueLayout.JAVA_LONG, 0) * 1_000_000_000
          + time.getAtIndex(ValueLayout.JAVA_LONG, 1);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
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
