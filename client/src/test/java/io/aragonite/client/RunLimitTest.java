package io.aragonite.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Limits of statements whose cancellation takes as long as the test wants. */
class RunLimitTest {
  private final AtomicInteger cancels = new AtomicInteger();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  private Statement statement(int limit) {
    return (Statement)
        Proxy.newProxyInstance(
            RunLimitTest.class.getClassLoader(),
            new Class<?>[] {Statement.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("cancel")) {
                begun.countDown();
                goOn.await();
                cancels.incrementAndGet();
                return null;
              }
              return limit; // getQueryTimeout
            });
  }

  /** What the statement runs next would be cancelled otherwise. */
  @Test
  void theEndWaitsForACancellationThatHasBegun() throws Exception {
    RunLimit limit = RunLimit.of(statement(1));
    begun.await();
    CompletableFuture<Void> end = CompletableFuture.runAsync(limit::close);
    assertThrows(TimeoutException.class, () -> end.get(200, TimeUnit.MILLISECONDS));
    goOn.countDown();
    end.get();
    assertEquals(1, cancels.get());
    assertThrows(SQLTimeoutException.class, limit::checkRows);
    SQLException cause = new SQLException("cancelled");
    SQLTimeoutException told =
        assertThrows(SQLTimeoutException.class, () -> limit.check(cause));
    assertEquals(603, told.getErrorCode());
    assertEquals(cause, told.getCause());
    BatchUpdateException batch =
        assertThrows(
            BatchUpdateException.class,
            () -> limit.check(new BatchUpdateException("cancelled", new int[] {7})));
    assertEquals(603, batch.getErrorCode());
    assertEquals(7, batch.getUpdateCounts()[0]);
  }

  @Test
  void whatHasEndedIsNotCancelled() throws Exception {
    goOn.countDown();
    RunLimit ended = RunLimit.of(statement(1));
    ended.checkRows();
    ended.check(new SQLException("of another kind"));
    ended.close();
    RunLimit none = RunLimit.of(statement(0));
    assertFalse(begun.await(1500, TimeUnit.MILLISECONDS));
    none.close();
    assertEquals(0, cancels.get());
    assertTrue(begun.getCount() > 0);
  }
}
