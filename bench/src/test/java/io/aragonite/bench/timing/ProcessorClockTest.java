package io.aragonite.bench.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Clocks of what the processors do for this process. */
class ProcessorClockTest {
  private static final long MILLISECOND = 1_000_000;

  @Test
  void workOfThisThreadCountsWithoutCompilersToo() {
    long begin = ProcessorClock.withoutCompilers();
    long all = ProcessorClock.nanos();
    while (ProcessorClock.nanos() - all < 50 * MILLISECOND) {
      Thread.onSpinWait();
    }
    long taken = ProcessorClock.withoutCompilers() - begin;
    assertTrue(taken >= MILLISECOND, () -> taken + " ns");
  }

  /** Compilers that work between two looks at the system's figures must not turn the clock back. */
  @Test
  void theClockDoesNotGoBackWhileCompilersWork() {
    long worst = 0;
    long sum = 0;
    long before = ProcessorClock.withoutCompilers();
    for (int i = 0; i < 300; i++) {
      int seed = i;
      sum += IntStream.range(0, 2_000).mapToObj(j -> List.of(j, "x" + j + seed)).distinct().count();
      long now = ProcessorClock.withoutCompilers();
      worst = Math.min(worst, now - before);
      before = now;
    }
    assertEquals(600_000, sum);
    long back = -worst;
    assertTrue(back <= MILLISECOND / 4, () -> back + " ns back");
  }

  /** The JVM's own clock goes in steps of 10 ms. Other tests work meanwhile, so that one try of many has to do. */
  @Test
  void timeIsThatOfTheProcessAndNotOfTheWall() throws InterruptedException {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 50 && least > 30 * MILLISECOND; i++) {
      long expected = system.getProcessCpuTime();
      long begin = ProcessorClock.nanos();
      Thread.sleep(100);
      long taken = ProcessorClock.nanos() - begin;
      least = Math.min(least, Math.abs(system.getProcessCpuTime() - expected - taken));
    }
    long away = least;
    assertTrue(away <= 30 * MILLISECOND, () -> away + " ns away from the JVM's clock");
  }

  @Test
  void compilersWorkForCodeThatIsNew() {
    CompilerThreads compilers = new CompilerThreads();
    long begin = compilers.nanos();
    long process = ProcessorClock.nanos();
    long sum = 0;
    for (int i = 0; i < 20; i++) {
      sum += IntStream.range(0, 100_000).mapToObj(j -> List.of(j, "x" + j)).distinct().count();
    }
    assertEquals(2_000_000, sum);
    long taken = compilers.nanos() - begin;
    long all = ProcessorClock.nanos() - process;
    assertTrue(taken > 0 && taken <= all, () -> taken + " of " + all + " ns");
  }
}
