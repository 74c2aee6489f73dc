package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.TestSeed;
import io.aragonite.exec.device.cuda.CudaGroupTable.Added;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** What a first part of a batch says of the groups of the others. */
class CudaGroupTableTest {
  private static final int FIRST = 1 << 17;

  private final Random random = TestSeed.random(getClass());

  @Test
  void equallyFrequentValuesAreForeseen() {
    for (int distinct : new int[] {1000, 100_000, 1_000_000, 5_000_000}) {
      check(5_000_000, () -> random.nextInt(distinct));
    }
  }

  @Test
  void valuesInTheirOrderAreForeseen() {
    for (int times : new int[] {1, 4, 1000}) {
      long[] next = {0};
      check(3_000_000, () -> next[0]++ / times);
    }
  }

  @Test
  void nothingNewIsForeseenWhereTheSecondHalfBringsNothing() {
    assertEquals(0, new Added(10, 10).expected(1 << 30));
    assertEquals(0, Added.NONE.expected(1 << 30));
  }

  @Test
  void whatOnlyTheSecondHalfBringsGoesOn() {
    assertEquals(1000L << 10, new Added(1000, 0).expected((long) FIRST / 2 << 10));
  }

  private void check(int rows, LongSupplier values) {
    Set<Long> seen = new HashSet<>();
    int early = 0;
    for (int i = 0; i < FIRST; i++) {
      seen.add(values.getAsLong());
      early = i < FIRST / 2 ? seen.size() : early;
    }
    Added first = new Added(seen.size(), early);
    for (int i = FIRST; i < rows; i++) {
      seen.add(values.getAsLong());
    }
    double actual = seen.size() - first.all();
    assertEquals(actual, first.expected(rows - FIRST), 0.2 * actual + 100, first.toString());
  }
}
