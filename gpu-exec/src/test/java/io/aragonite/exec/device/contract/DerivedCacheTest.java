package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.DerivedCache;
import io.aragonite.exec.device.RawColumnMemory;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.RawMemory;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who makes what several queries want at once, and who waits. */
@Timeout(60)
class DerivedCacheTest {
  private static final long BYTES = 1000;

  private final CpuDevice device = newDevice();
  private final TestContext context = new TestContext(device);
  private final MemoryBudget budget = new MemoryBudget("kept", 1 << 16);
  private final DerivedCache cache =
      new DerivedCache(new RawColumnMemory(budget, RawMemory.HOST), budget);
  private final Table table =
      new TestTable(List.of(ColumnShape.of(DataType.INT64)), List.of(List.of(1L)), 64);

  /** Those that are about to ask for a turn. */
  private final Semaphore arrived = new Semaphore(0);

  /** Until so many wait for a turn. */
  private void awaitWaiting(int many) throws InterruptedException {
    arrived.acquire(many);
    Thread.sleep(100);
  }

  private DerivedCache.MakingTurn turn(TestContext own, Object key) {
    return cache.turn(
        own,
        table,
        key,
        (made, wait) -> {
          assertTrue(made.getAsBoolean());
          wait.run();
          assertFalse(made.getAsBoolean());
        });
  }

  private static CpuDevice newDevice() {
    return new CpuDevice(1, new MemoryBudget("memory", 1 << 24), new CpuExpressionCompiler());
  }

  @AfterEach
  void close() {
    cache.close();
    assertEquals(0, budget.used());
    context.close();
    device.close();
  }

  private DerivedCache.@Nullable CacheUse keep(Object key, long bytes, Object value) {
    return keep(context, key, bytes, value);
  }

  private DerivedCache.@Nullable CacheUse keep(
      TestContext own, Object key, long bytes, Object value) {
    Buffer made = own.memory().allocate(bytes);
    try {
      return cache.keep(own, table, key, List.of(made), copies -> value);
    } finally {
      own.memory().free(made);
    }
  }

  /** As a query that wants something; what it finds when nobody makes it any more. */
  private CompletableFuture<@Nullable Object> wants(Object key) {
    return wants(key, own -> {});
  }

  /**
   * @param maker what it does if nothing is there
   */
  private CompletableFuture<@Nullable Object> wants(Object key, Consumer<TestContext> maker) {
    return CompletableFuture.supplyAsync(
        () -> {
          // With a budget of its own, which is empty when it ends.
          try (CpuDevice alone = newDevice();
              TestContext own = new TestContext(alone)) {
            arrived.release();
            try (DerivedCache.MakingTurn turn = turn(own, key)) {
              assertNotNull(turn);
              try (DerivedCache.CacheUse use = cache.find(own, table, key)) {
                if (use != null) {
                  return use.value();
                }
              }
              maker.accept(own);
              return null;
            }
          }
        },
        task -> Thread.ofPlatform().start(task));
  }

  @Test
  void othersWaitForTheOneThatMakesItAndFindIt() throws Exception {
    Object value = new Object();
    CompletableFuture<@Nullable Object> other;
    try (DerivedCache.MakingTurn turn = turn(context, "key")) {
      assertNotNull(turn);
      assertNull(cache.find(context, table, "key"));
      other = wants("key");
      // Another thing is nobody's business.
      assertNull(wants("other").get(30, TimeUnit.SECONDS));
      Thread.sleep(30);
      assertEquals(false, other.isDone());
      keep("key", BYTES, value).close();
    }
    assertSame(value, other.get(30, TimeUnit.SECONDS));
  }

  /** Without room to keep it, who has waited makes it for itself, and nobody waits for that. */
  @Test
  void whoWaitsInVainMakesItForItself() throws Exception {
    CountDownLatch atOnce = new CountDownLatch(2);
    Consumer<TestContext> together =
        own -> {
          atOnce.countDown();
          try {
            atOnce.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    CompletableFuture<@Nullable Object> first;
    CompletableFuture<@Nullable Object> second;
    try (DerivedCache.MakingTurn turn = turn(context, "key")) {
      first = wants("key", together);
      second = wants("key", together);
      awaitWaiting(2);
      assertNull(keep("key", 1 << 16, "too large"));
      turn.noRoom();
    }
    assertNull(first.get(30, TimeUnit.SECONDS));
    assertNull(second.get(30, TimeUnit.SECONDS));
  }

  /** Of those who wait for one that fails one makes it, and the others wait on. */
  @Test
  void whereOneFailsTheNextHasTheTurn() throws Exception {
    AtomicInteger makers = new AtomicInteger();
    List<CompletableFuture<@Nullable Object>> others = new ArrayList<>();
    try (DerivedCache.MakingTurn turn = turn(context, "key")) {
      assertNotNull(turn);
      for (int i = 0; i < 4; i++) {
        others.add(
            wants(
                "key",
                own -> {
                  makers.incrementAndGet();
                  keep(own, "key", BYTES, "value").close();
                }));
      }
      awaitWaiting(4);
    }
    int found = 0;
    for (CompletableFuture<@Nullable Object> other : others) {
      found += "value".equals(other.get(30, TimeUnit.SECONDS)) ? 1 : 0;
    }
    assertEquals(1, makers.get());
    assertEquals(3, found);
  }

  /** What is used cannot be shared out among queries; what nobody uses can be had. */
  @Test
  void whatIsUsedIsInNoQuerysShare() {
    long all = budget.shareable();
    keep("unused", BYTES, "value").close();
    assertEquals(all, budget.shareable());
    long before = budget.used();
    try (DerivedCache.CacheUse use = keep("used", BYTES, "value")) {
      assertNotNull(use);
      assertEquals(all - (budget.used() - before), budget.shareable());
    }
    assertEquals(all, budget.shareable());
  }

  /** Shortage takes what nobody uses. */
  @Test
  void whatIsUsedStays() throws Exception {
    try (DerivedCache.CacheUse use = keep("used", BYTES, "value")) {
      assertNotNull(use);
      keep("unused", BYTES, "value").close();
      budget.reclaim(1 << 16);
      assertNull(cache.find(context, table, "unused"));
      try (DerivedCache.CacheUse again = cache.find(context, table, "used")) {
        assertEquals("value", again.value());
      }
    }
    budget.reclaim(1 << 16);
    assertNull(cache.find(context, table, "used"));
  }
}
