package io.aragonite.bench.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

  /** Other threads of the JVM work as they like, so that one quiet sleep of many has to do. */
  @Test
  void sleepDoesNotCount() throws InterruptedException {
    double least = 1;
    for (int i = 0; i < 50 && least > 0.5; i++) {
      long wall = System.nanoTime();
      long begin = ProcessorClock.withoutCompilers();
      Thread.sleep(100);
      long taken = ProcessorClock.withoutCompilers() - begin;
      least = Math.min(least, (double) taken / (System.nanoTime() - wall));
    }
    double share = least;
    assertTrue(share <= 0.5, () -> "worked for " + share + " of every sleep");
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
