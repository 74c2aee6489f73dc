package io.aragonite.exec.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.exec.memory.BlockPool.PooledBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlockPoolTest {
  private static final long KIB = 1 << 10;

  private final MemoryBudget budget = new MemoryBudget("memory", 1000 * KIB);
  private final BlockPool pool = new BlockPool(budget, 500 * KIB);

  private PooledBlock block(long total) {
    budget.reserve(total, "A test");
    return new PooledBlock(NativeHeap.malloc(total), total);
  }

  @AfterEach
  void closedPoolHoldsNothing() {
    pool.close();
    assertEquals(0, budget.used());
    pool.give(block(100 * KIB));
    assertEquals(0, budget.used());
  }

  @Test
  void keepsBlocksWithTheirReservation() {
    PooledBlock block = block(100 * KIB);
    pool.give(block);
    assertEquals(100 * KIB, budget.used());
    assertNull(pool.take(101 * KIB));
    assertNull(pool.take(70 * KIB), "a block much larger than asked for");
    assertEquals(block, pool.take(90 * KIB));
    assertNull(pool.take(90 * KIB));
    pool.give(block);
  }

  @Test
  void smallAndVeryLargeBlocksAreFreed() {
    pool.give(block(10 * KIB));
    pool.give(block(300 * KIB));
    assertEquals(0, budget.used());
  }

  @Test
  void theOldestGoFirst() {
    for (int i = 0; i < 6; i++) {
      pool.give(block(100 * KIB + i * 8));
    }
    assertEquals(4 * 100 * KIB + (2 + 3 + 4 + 5) * 8, budget.used());
    PooledBlock newest = pool.take(100 * KIB + 40);
    assertNotNull(newest);
    pool.give(newest);
  }

  @Test
  void givesWayToWhoNeedsMemory() {
    for (int i = 0; i < 4; i++) {
      pool.give(block(100 * KIB));
    }
    budget.reserve(750 * KIB, "A table");
    assertEquals(950 * KIB, budget.used());
    PooledBlock first = pool.take(100 * KIB);
    PooledBlock second = pool.take(100 * KIB);
    assertNull(pool.take(100 * KIB));
    assertNotNull(first);
    assertNotNull(second);
    pool.give(first);
    pool.give(second);
    budget.release(750 * KIB);
  }
}
