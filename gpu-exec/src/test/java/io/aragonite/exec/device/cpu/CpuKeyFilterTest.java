package io.aragonite.exec.device.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a filter has a bit for each word of its range. */
class CpuKeyFilterTest {
  private final CpuDevice device =
      new CpuDevice(1, new MemoryBudget("memory", 1 << 26), new CpuExpressionCompiler());

  @ParameterizedTest
  @CsvSource({
    "8388607, 0, true", // 1 MiB in any case
    "8388609, 0, false",
    "12000000, 3000000, true", // the orders of TPC-H scale 2
    "12000000, 500000, false",
    "67108863, 60000000, true",
    "67108866, 1000000000, false",
  })
  void wideRangesHaveBitsIfManyWordsAreTested(long range, double tested, boolean exact) {
    try (TestContext context = new TestContext(device)) {
      Buffer words = context.longs(new long[] {5, 5 + range / 2, 5 + range});
      try (CpuKeyFilter filter = new CpuKeyFilter(words, 3, tested, context.memory())) {
        assertEquals(exact, filter.exact());
        assertEquals(exact ? 3 : -1, filter.distinct());
      }
      context.memory().free(words);
    }
  }
}
