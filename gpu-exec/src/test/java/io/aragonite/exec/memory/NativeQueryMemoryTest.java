package io.aragonite.exec.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NativeQueryMemoryTest {
  private static final long MIB = 1 << 20;

  private final MemoryBudget budget = new MemoryBudget("memory", 4 * MIB);

  @AfterEach
  void nothingIsLeft() {
    MemoryLeaks.assertReleased(budget);
  }

  @Test
  void buffersAreAlignedAndPoisoned() {
    assertTrue(MemoryDebug.ON, "tests run with -Daragonite.memory.debug=true");
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      for (long size : new long[] {0, 1, 63, 64, 65, 4095, 100_000}) {
        Buffer buffer = memory.allocate(size);
        assertEquals(0, buffer.address() % 64);
        assertEquals(size, buffer.size());
        for (long i = 0; i < size; i++) {
          assertEquals(MemoryDebug.POISON, Mem.getByte(buffer.address() + i));
        }
        // The spare line is the user's.
        Mem.fill(buffer.address(), size + 64, (byte) 7);
        memory.free(buffer);
      }
      assertEquals(0, memory.used());
      assertTrue(memory.peak() >= 100_000);
    }
  }

  @Test
  void growKeepsTheContents() {
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      Buffer buffer = memory.grow(Buffer.EMPTY, 8);
      Mem.putLong(buffer.address(), 42);
      Buffer grown = memory.grow(buffer, 100_000);
      assertEquals(42, Mem.getLong(grown.address()));
      assertEquals(100_000, grown.size());
    }
  }

  @Test
  void closeFreesWhatIsHeld() {
    QueryMemory memory = new NativeQueryMemory(budget, 0);
    memory.allocate(1000);
    memory.newArena().allocate(1000);
    assertTrue(budget.used() > 2000);
    memory.close();
    assertEquals(0, budget.used());
    AragoniteException e = assertThrows(AragoniteException.class, () -> memory.allocate(1));
    assertEquals(ErrorCode.CANCELLED, e.code());
  }

  @Test
  void budgetRefusesWhatDoesNotFit() {
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      memory.allocate(3 * MIB);
      AragoniteException e = assertThrows(AragoniteException.class, () -> memory.allocate(2 * MIB));
      assertEquals(ErrorCode.MEMORY_EXCEEDED, e.code());
      assertTrue(e.getMessage().contains("budget of 4,194,304 bytes"), e.getMessage());
      assertTrue(memory.used() < 3 * MIB + 1024);
    }
  }

  @Test
  void limitOfAQueryIsBelowTheBudget() {
    try (QueryMemory memory = new NativeQueryMemory(budget, MIB)) {
      AragoniteException e = assertThrows(AragoniteException.class, () -> memory.allocate(2 * MIB));
      assertEquals(ErrorCode.MEMORY_EXCEEDED, e.code());
      assertTrue(e.getMessage().contains("limit of 1,048,576 bytes"), e.getMessage());
      assertEquals(0, memory.used());
      memory.allocate(MIB / 2);
    }
  }

  @Test
  void holdersAreAskedToGiveWay() throws Exception {
    budget.reserve(3 * MIB, "A cache");
    List<Long> asked = new ArrayList<>();
    AutoCloseable registration =
        budget.onShortage(bytes -> {
          asked.add(bytes);
          budget.release(3 * MIB);
          return 3 * MIB;
        });
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      memory.allocate(2 * MIB);
      assertEquals(1, asked.size());
      assertTrue(asked.get(0) >= MIB && asked.get(0) < 2 * MIB, asked.toString());
      registration.close();
      assertThrows(AragoniteException.class, () -> memory.allocate(3 * MIB));
      assertEquals(1, asked.size());
    }
  }

  @Test
  void overrunsAreFound() {
    for (long place : new long[] {-1, 128, 191}) {
      QueryMemory memory = new NativeQueryMemory(budget, 0);
      Buffer buffer = memory.allocate(64);
      Mem.putByte(buffer.address() + place, (byte) 0);
      AragoniteException e = assertThrows(AragoniteException.class, () -> memory.free(buffer));
      assertEquals(ErrorCode.INTERNAL, e.code());
      assertTrue(e.getMessage().contains("overrunsAreFound"), e.getMessage());
      memory.close();
    }
    QueryMemory memory = new NativeQueryMemory(budget, 0);
    Buffer buffer = memory.allocate(64);
    Mem.putByte(buffer.address() + 128, (byte) 0);
    assertThrows(AragoniteException.class, memory::close);
  }

  @Test
  void overrunsInAnArenaAreFound() {
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      QueryMemory.Arena arena = memory.newArena();
      Buffer buffer = arena.allocate(10);
      Mem.putByte(buffer.address() + 128, (byte) 0);
      AragoniteException e = assertThrows(AragoniteException.class, arena::reset);
      assertTrue(e.getMessage().contains("overrunsInAnArenaAreFound"), e.getMessage());
      arena.close();
    }
  }

  @Test
  void freeingTwiceIsAnError() {
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      Buffer buffer = memory.allocate(10);
      memory.free(buffer);
      AragoniteException e = assertThrows(AragoniteException.class, () -> memory.free(buffer));
      assertEquals(ErrorCode.INTERNAL, e.code());
      memory.free(Buffer.EMPTY);
    }
  }

  @Test
  void leaksAreNamed() {
    QueryMemory memory = new NativeQueryMemory(budget, 0);
    memory.allocate(10);
    AssertionError e = assertThrows(AssertionError.class, () -> MemoryLeaks.assertReleased(budget));
    assertTrue(String.valueOf(e.getMessage()).contains("leaksAreNamed"), e::getMessage);
    memory.close();
  }

  @Test
  void arenaReusesItsBlocks() {
    try (QueryMemory memory = new NativeQueryMemory(budget, 0);
        QueryMemory.Arena arena = memory.newArena()) {
      Buffer first = arena.allocate(1000);
      Mem.putLong(first.address(), 1);
      Buffer large = arena.allocate(MIB);
      Buffer behind = arena.allocate(300_000);
      assertFalse(first.address() == large.address() || large.address() == behind.address());
      long used = memory.used();
      arena.reset();
      Buffer again = arena.allocate(1000);
      assertEquals(first.address(), again.address());
      assertEquals(MemoryDebug.POISON, Mem.getByte(again.address()));
      arena.allocate(MIB);
      arena.allocate(300_000);
      assertEquals(used, memory.used());
    }
  }

  @Test
  void arenaGoesBackToAMark() {
    try (QueryMemory memory = new NativeQueryMemory(budget, 0);
        QueryMemory.Arena arena = memory.newArena()) {
      long empty = arena.mark();
      Buffer kept = arena.allocate(100);
      Mem.putLong(kept.address(), 42);
      long mark = arena.mark();
      Buffer first = arena.allocate(100);
      arena.allocate(MIB);
      arena.release(mark);
      assertEquals(first.address(), arena.allocate(100).address());
      assertEquals(42, Mem.getLong(kept.address()));
      arena.release(empty);
      assertEquals(kept.address(), arena.allocate(100).address());
    }
  }

  @Test
  void threadsShareAnAccount() throws Exception {
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      List<Thread> threads = new ArrayList<>();
      List<Throwable> errors = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        Thread thread =
            new Thread(() -> {
              for (int i = 0; i < 500; i++) {
                memory.free(memory.allocate(i * 7L));
              }
            });
        thread.setUncaughtExceptionHandler((ignored, e) -> {
          synchronized (errors) {
            errors.add(e);
          }
        });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(List.of(), errors);
      assertEquals(0, memory.used());
    }
  }
}
