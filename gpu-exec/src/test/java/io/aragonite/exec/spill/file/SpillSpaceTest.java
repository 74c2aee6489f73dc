package io.aragonite.exec.spill.file;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.memory.MemoryBudget;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who waits for memory that others hold, and who gives up. */
@Timeout(30)
class SpillSpaceTest {
  /** Well below what a query waits at most, and above what it takes to see that all wait. */
  private static final long SOON_SECONDS = 6;

  private static final long BYTES = 1000;

  @TempDir private Path folder = Path.of("");
  private final MemoryBudget budget = new MemoryBudget("memory", BYTES);
  private final AtomicLong numbers = new AtomicLong();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private @Nullable SpillSpace made;

  @BeforeEach
  void open() {
    made = new SpillSpace(folder, 1 << 20, budget);
    budget.reserve(BYTES, "Queries");
  }

  @AfterEach
  void close() {
    threads.close();
    budget.release(BYTES);
    space().close();
  }

  private SpillSpace space() {
    SpillSpace known = made;
    if (known == null) {
      throw new IllegalStateException();
    }
    return known;
  }

  /** A query that can give up nothing. */
  private final class Query implements SpillingQuery {
    private final @Nullable Object statement;
    private final long number = numbers.incrementAndGet();
    private final boolean emits;

    Query(@Nullable Object statement, boolean emits) {
      this.statement = statement;
      this.emits = emits;
      space().add(this);
    }

    Future<Boolean> waits() {
      return threads.submit(() -> space().awaitOthers(this, budget, 1, () -> {}));
    }

    @Override
    public MemoryBudget budget() {
      return budget;
    }

    @Override
    public long number() {
      return number;
    }

    @Override
    public boolean emits() {
      return emits;
    }

    @Override
    public @Nullable Object statement() {
      return statement;
    }

    @Override
    public long spillable() {
      return 0;
    }

    @Override
    public long evict(long wanted) {
      return 0;
    }

    @Override
    public boolean sawEnd(long count) {
      return false;
    }

    @Override
    public boolean mayTryAgain() {
      return false;
    }
  }

  @Test
  void aPartDoesNotWaitForTheOthersOfItsStatement() throws Exception {
    Object statement = new Object();
    new Query(statement, true);
    Query second = new Query(statement, false);
    assertFalse(second.waits().get(SOON_SECONDS, TimeUnit.SECONDS));
    threads.submit(() -> space().enter(second, true, () -> {})).get(SOON_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void aQueryWaitsForOthers() throws Exception {
    Query other = new Query(new Object(), true);
    Future<Boolean> hope = new Query(new Object(), false).waits();
    Thread.sleep(700);
    assertFalse(hope.isDone(), "the other one still runs");
    space().remove(other);
    assertTrue(hope.get(SOON_SECONDS, TimeUnit.SECONDS));
  }

  /** A part of one is held up by another part, which waits as the other statement does. */
  @Test
  void oneOfTwoStatementsGivesUp() throws Exception {
    Object statement = new Object();
    new Query(statement, true);
    Future<Boolean> part = new Query(statement, false).waits();
    Query whole = new Query(null, false);
    Future<Boolean> last = whole.waits();
    assertFalse(last.get(SOON_SECONDS, TimeUnit.SECONDS), "the youngest");
    space().remove(whole);
    assertTrue(part.get(SOON_SECONDS, TimeUnit.SECONDS));
  }

  /** Who waits for what a query makes does not end before that. */
  @Test
  void nobodyWaitsForWhoFollows() throws Exception {
    CountDownLatch made = new CountDownLatch(1);
    CountDownLatch follows = new CountDownLatch(1);
    Query follower = new Query(null, true);
    AtomicBoolean makes = new AtomicBoolean(true);
    Future<?> followed =
        threads.submit(() ->
            space()
                .following(
                    follower,
                    makes::get,
                    () -> {
                      follows.countDown();
                      await(made);
                    }));
    follows.await();
    Query maker = new Query(null, true);
    assertFalse(maker.waits().get(SOON_SECONDS / 2, TimeUnit.SECONDS));
    // It has not found yet that it may go on, but nobody is in its way.
    makes.set(false);
    Future<Boolean> early = maker.waits();
    Thread.sleep(200);
    assertFalse(early.isDone(), "the other one is about to run again");
    made.countDown();
    followed.get();
    Future<Boolean> hope = maker.waits();
    Thread.sleep(60);
    assertFalse(hope.isDone(), "the other one runs again");
    space().remove(follower);
    assertTrue(early.get(SOON_SECONDS, TimeUnit.SECONDS));
    assertTrue(hope.get(SOON_SECONDS, TimeUnit.SECONDS));
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(2 * SOON_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
