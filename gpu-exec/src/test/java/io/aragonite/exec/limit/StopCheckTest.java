package io.aragonite.exec.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Whose interrupts end a query. */
class StopCheckTest {
  @Test
  void interruptsOfOtherThreadsEndNoQuery() {
    AtomicBoolean cancelled = new AtomicBoolean();
    StopCheck query =
        new StopCheck(() -> {
          if (cancelled.get() || Thread.currentThread().isInterrupted()) {
            throw new AragoniteException(ErrorCode.CANCELLED, "It was cancelled.");
          }
        });
    StopCheck other = query.forAnotherThread();
    assertEquals(query.reading(), other.reading());
    Thread.currentThread().interrupt();
    try {
      assertThrows(AragoniteException.class, query::check);
      other.check();
      assertTrue(Thread.currentThread().isInterrupted(), "the interrupt is still there");
      cancelled.set(true);
      assertThrows(AragoniteException.class, other::check);
      assertTrue(Thread.currentThread().isInterrupted(), "behind an error, too");
    } finally {
      boolean _ = Thread.interrupted();
    }
    assertThrows(AragoniteException.class, other::check);
  }
}
