package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.testing.TestSeed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The arena over host memory. */
class CudaArenaTest {
  private static final int MB = 1 << 20;

  private record Mark(long mark, int live) {}

  private static CudaArena arena(MemoryBudget budget, QueryMemory memory) {
    return new CudaArena(memory, () -> budget.limit() - budget.used());
  }

  @Test
  void liveBuffersDoNotOverlap() {
    Random random = TestSeed.random(CudaArenaTest.class);
    MemoryBudget budget = new MemoryBudget("memory", 600L * MB);
    try (NativeQueryMemory memory = new NativeQueryMemory(budget, 0);
        CudaArena arena = arena(budget, memory)) {
      List<Buffer> live = new ArrayList<>();
      ArrayDeque<Mark> marks = new ArrayDeque<>();
      int refused = 0;
      for (int step = 0; step < 3000; step++) {
        int choice = random.nextInt(10);
        if (choice < 6) {
          long bytes = random.nextInt(12) == 0 ? random.nextInt(40 * MB) : random.nextInt(300_000);
          try {
            Buffer buffer = arena.allocate(bytes);
            assertEquals(bytes, buffer.size());
            assertEquals(0, buffer.address() % 64);
            for (Buffer other : live) {
              assertTrue(
                  buffer.address() + bytes + 64 <= other.address()
                      || other.address() + other.size() + 64 <= buffer.address(),
                  buffer + " overlaps " + other);
            }
            live.add(buffer);
          } catch (AragoniteException e) {
            assertEquals(ErrorCode.MEMORY_EXCEEDED, e.code());
            refused++;
          }
        } else if (choice < 8 && marks.size() < 20) {
          marks.push(new Mark(arena.mark(), live.size()));
        } else if (!marks.isEmpty()) {
          Mark mark = marks.pop();
          arena.release(mark.mark);
          live.subList(mark.live, live.size()).clear();
        } else {
          arena.reset();
          live.clear();
        }
      }
      assertTrue(refused < 3000);
    }
    assertEquals(0, budget.used());
  }

  @Test
  void secondBatchTakesNothingNew() {
    MemoryBudget budget = new MemoryBudget("memory", 1L << 30);
    try (NativeQueryMemory memory = new NativeQueryMemory(budget, 0);
        CudaArena arena = arena(budget, memory)) {
      long first = 0;
      for (int batch = 0; batch < 4; batch++) {
        arena.reset();
        for (int i = 0; i < 3; i++) {
          arena.allocate(1000);
          arena.allocate(20 * MB - 100 * batch);
          long mark = arena.mark();
          arena.allocate(30 * MB);
          arena.allocate(5 * MB);
          arena.release(mark);
        }
        if (batch == 0) {
          first = memory.used();
          assertTrue(first < (60 + 30 + 16 + 64 + 8) * (long) MB, first + " bytes");
        }
        assertEquals(first, memory.used());
      }
    }
  }

  @Test
  void keptBlocksGiveWayToOneThatIsNeeded() {
    MemoryBudget budget = new MemoryBudget("memory", 100 * MB);
    try (NativeQueryMemory memory = new NativeQueryMemory(budget, 0);
        CudaArena arena = arena(budget, memory)) {
      arena.allocate(20 * MB);
      arena.allocate(30 * MB);
      arena.reset();
      arena.allocate(80 * MB);
      arena.reset();
      // Too large a block, but there is no other.
      arena.allocate(40 * MB);
      assertThrows(AragoniteException.class, () -> arena.allocate(40 * MB));
      arena.allocate(MB);
    }
    assertEquals(0, budget.used());
  }
}
