package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.device.GroupTable;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cuda.CudaGroupTable.Added;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.testing.TestSeed;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a first part of a batch says of the groups of the others. */
class CudaGroupTableTest {
  private static final int FIRST = 1 << 17;

  private final Random random = TestSeed.random(getClass());

  @Test
  void equallyFrequentValuesAreForeseen() {
    for (int distinct : new int[] {1000, 100_000, 1_000_000, 2_000_000}) {
      check(2_000_000, () -> random.nextInt(distinct));
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

  @Test
  @Tag("gpu")
  void aTableIsMadeOnceForWhatIsExpected() {
    int rows = 1_200_000;
    LongStream different = LongStream.range(0, rows).map(n -> n * 0x9E3779B97F4A7C15L);
    assertEquals(
        List.of(tableBytes(1 << 18), tableBytes(1 << 22)), tables(1L << 30, different, rows));
  }

  /** Others would have to give way to what may not come. */
  @Test
  @Tag("gpu")
  void whatIsExpectedTakesNoMoreThanAPartOfWhatMemoryHasToSpare() {
    LongStream again = LongStream.range(0, 600_001).map(n -> n % FIRST * 0x9E3779B97F4A7C15L);
    assertEquals(List.of(tableBytes(1 << 18)), tables(256L << 20, again, FIRST));
  }

  /** Words of a later batch that an array has no entry for make it larger once. */
  @Test
  @Tag("gpu")
  void anArrayGrowsToWhatALaterBatchHas() {
    List<Long> taken = new ArrayList<>();
    try (CudaDevice device = TestGpu.device(1L << 30);
        TestContext context = new TestContext(device);
        GroupTable table = new CudaGroupTable(recording(context.memory(), taken))) {
      int rows = 700_000;
      long[] small = LongStream.range(0, rows).map(n -> n % 1000).toArray();
      long[] large = LongStream.range(0, rows).map(n -> n < 600_000 ? n % 1000 : n).toArray();
      assertEquals(1000, assign(context, table, small));
      assertEquals(100_000, assign(context, table, large));
      assertEquals(101_000, table.groups());
    }
    assertEquals(List.of(4L << 10, 4L << 20), taken);
  }

  private static int assign(TestContext context, GroupTable table, long[] words) {
    Buffer given = context.longs(words);
    Buffer groups = context.scratch().allocate(4L * words.length);
    Buffer first = context.scratch().allocate(4L * words.length);
    return table.assign(context, given, words.length, groups, first);
  }

  private static long tableBytes(long slots) {
    return 16 * (slots + 1);
  }

  /** The tables that a batch takes on a GPU with so much memory. */
  private static List<Long> tables(long memoryBytes, LongStream batch, int groups) {
    List<Long> taken = new ArrayList<>();
    try (CudaDevice device = TestGpu.device(memoryBytes);
        TestContext context = new TestContext(device)) {
      QueryMemory memory = recording(context.memory(), taken);
      long[] values = batch.toArray();
      Buffer words = context.longs(values);
      Buffer out = context.memory().allocate(4L * values.length);
      Buffer newRows = context.memory().allocate(4L * values.length);
      try (GroupTable table = context.aggregate().newGroupTable(context, memory)) {
        table.assign(context, words, values.length, out, newRows);
        assertEquals(groups, table.groups());
      }
    }
    return taken;
  }

  /** The same memory, which writes down what is taken of it. */
  private static QueryMemory recording(QueryMemory memory, List<Long> taken) {
    return (QueryMemory)
        Proxy.newProxyInstance(
            QueryMemory.class.getClassLoader(),
            new Class<?>[] {QueryMemory.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("allocate")) {
                taken.add((long) arguments[0]);
              }
              return method.invoke(memory, arguments);
            });
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
