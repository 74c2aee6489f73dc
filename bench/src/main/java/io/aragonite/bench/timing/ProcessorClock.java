package io.aragonite.bench.timing;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** How long the processors have worked for this process, whatever else the machine does. */
public final class ProcessorClock {
  /** CLOCK_PROCESS_CPUTIME_ID of Linux. */
  private static final int PROCESS_CLOCK = 2;

  private static final MethodHandle CLOCK =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

  private ProcessorClock() {}

  /**
   * Nanoseconds for which the processors have worked for this process, native threads included. The
   * JVM's own figure goes in steps of 10 ms.
   */
  public static long nanos() {
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
}
