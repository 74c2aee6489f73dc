package io.aragonite.exec.spill;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.MemoryBudget;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a query may count on beside others. */
class FairShareTest {
  private static final long BYTES = 1 << 20;

  @Test
  void whatQueriesUseTogetherIsNotSharedOut() throws Exception {
    MemoryBudget memory = new MemoryBudget("memory", BYTES);
    AtomicLong pinned = new AtomicLong();
    try (CpuDevice device = new CpuDevice(1, memory, new CpuExpressionCompiler());
        TestContext context = new TestContext(device);
        AutoCloseable cache = memory.onShortage(wanted -> 0, () -> BYTES / 2, pinned::get);
        QuerySpill one = query(context)) {
      assertEquals(BYTES, one.fairShare(), "a cache gives way");
      pinned.set(BYTES / 4);
      assertEquals(BYTES / 4 * 3, one.fairShare());
      try (QuerySpill two = query(context)) {
        assertEquals(BYTES / 8 * 3, two.fairShare());
        two.leave();
      }
      pinned.set(2 * BYTES);
      assertEquals(0, one.fairShare(), "it is never less than nothing");
      one.leave();
    }
  }

  private static QuerySpill query(TestContext context) {
    return new QuerySpill(context.device(), context.memory(), context.hostMemory(), 0, null);
  }
}
