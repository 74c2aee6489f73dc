package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class LoadWorkersTest {
  private static final int TASKS = 100;

  private final LoadWorkers workers = new LoadWorkers(4);
  private final Set<Thread> threads = Collections.newSetFromMap(new ConcurrentHashMap<>());

  @Test
  void runsEachTaskOnce() {
    AtomicIntegerArray runs = new AtomicIntegerArray(TASKS);
    workers.forEach(TASKS, runs::incrementAndGet);
    workers.forEach(0, runs::incrementAndGet);
    for (int i = 0; i < TASKS; i++) {
      assertEquals(1, runs.get(i), "runs of task " + i);
    }
  }

  @Test
  void threadsHelpEachOther() {
    CountDownLatch all = new CountDownLatch(4);
    workers.forEach(4, task -> meet(all));
    assertEquals(0, all.getCount());
  }

  /** The caller's thread alone does what it is not helped with. */
  @Test
  void workBesideQueriesIsOneThreads() {
    LoadWorkers.beside(
        () -> false, () -> workers.forEach(TASKS, task -> threads.add(Thread.currentThread())));
    assertEquals(Set.of(Thread.currentThread()), threads);
    assertFalse(LoadWorkers.isBeside());
  }

  /** Two threads meet behind the task that asks for help, and not before. */
  @Test
  void helpComesLater() {
    AtomicBoolean helped = new AtomicBoolean();
    CountDownLatch two = new CountDownLatch(2);
    LoadWorkers.beside(
        helped::get,
        () ->
            workers.forEach(
                TASKS,
                task -> {
                  if (task < TASKS - 2) {
                    threads.add(Thread.currentThread());
                    helped.set(task == TASKS - 3);
                  } else {
                    meet(two);
                  }
                }));
    assertEquals(Set.of(Thread.currentThread()), threads);
    assertEquals(0, two.getCount());
  }

  @Test
  void throwsWhatATaskThrows() {
    IllegalStateException error =
        assertThrows(
            IllegalStateException.class,
            () ->
                workers.forEach(
                    TASKS,
                    task -> {
                      if (task == TASKS / 2) {
                        throw new IllegalStateException("half");
                      }
                    }));
    assertEquals("half", error.getMessage());
  }

  private static void meet(CountDownLatch all) {
    all.countDown();
    try {
      assertTrue(all.await(10, TimeUnit.SECONDS), "threads do not meet");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
