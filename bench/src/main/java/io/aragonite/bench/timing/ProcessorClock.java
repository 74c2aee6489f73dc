package io.aragonite.bench.timing;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** How long the processors have worked for this process, whatever else the machine does. */
public final class ProcessorClock {
  /** CLOCK_PROCESS_CPUTIME_ID and CLOCK_THREAD_CPUTIME_ID of Linux. */
  private static final int PROCESS_CLOCK = 2;

  private static final int THREAD_CLOCK = 3;

  private static final MethodHandle CLOCK =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

  private static final CompilerThreads COMPILERS = new CompilerThreads();

  /** How long the compilers may have worked while they were asked, and how often they are at most. */
  private static final long CLOSE = 20_000;

  private static final int MOST_LOOKS = 40;

  /** What asking for the compilers' time has taken. */
  private static long asked;

  private ProcessorClock() {}

  /**
   * Nanoseconds for which the processors have worked for this process, native threads included. The
   * JVM's own figure goes in steps of 10 ms.
   */
  public static long nanos() {
    return nanos(PROCESS_CLOCK);
  }

  /**
   * The same without the JVM's compilers: of queries that have run a few times only, compiling would
   * be much of the time, now of one and now of another. They may work while they are asked, so this
   * looks until they hardly did.
   */
  public static synchronized long withoutCompilers() {
    long begin = nanos(THREAD_CLOCK);
    long least = Long.MAX_VALUE;
    long process = 0;
    long compilers = 0;
    long own = 0;
    long before = COMPILERS.nanos();
    for (int i = 0; i < MOST_LOOKS && least > CLOSE; i++) {
      long now = nanos(PROCESS_CLOCK);
      long spent = nanos(THREAD_CLOCK);
      long after = COMPILERS.nanos();
      if (after - before < least) {
        least = after - before;
        process = now;
        compilers = before + (after - before) / 2;
        own = spent - begin;
      }
      before = after;
    }
    long time = process - compilers - asked - own;
    asked += nanos(THREAD_CLOCK) - begin;
    return time;
  }

  private static long nanos(int clock) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment time = arena.allocate(ValueLayout.JAVA_LONG, 2); // seconds, nanoseconds
      if ((int) CLOCK.invokeExact(clock, time) != 0) {
        throw new IllegalStateException("the system has no clock of a process");
      }
      return time.getAtIndex(ValueLayout.JAVA_LONG, 0) * 1_000_000_000
          + time.getAtIndex(ValueLayout.JAVA_LONG, 1);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
