package io.aragonite.exec.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.HostFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closing a result or an engine that another thread is using. */
@Timeout(60)
class EngineCloseTest {
  /** What a reader gets whom a close meets at work, or between two batches. */
  private static final Set<ErrorCode> STOPPED =
      EnumSet.of(ErrorCode.CANCELLED, ErrorCode.INVALID_CALL);

  /** A function that a worker stays in until it is let go. */
  private static final class Held implements HostFunction {
    final CountDownLatch inside = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);

    @Override
    public Object apply(@Nullable Object[] arguments) {
      inside.countDown();
      boolean interrupted = false;
      while (go.getCount() > 0) {
        try {
          go.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      return Objects.requireNonNull(arguments[0]);
    }
  }

  private static PhysicalPlan plan(long rows, HostFunction function) {
    List<List<@Nullable Object>> values =
        LongStream.range(0, rows).mapToObj(i -> Arrays.asList((Object) i)).toList();
    TestTable table = new TestTable(List.of(ColumnShape.of(DataType.INT64)), values, 640);
    Expr number = Expr.ref(0, DataType.INT64);
    return new PhysicalPlan.Project(
        table.scan(),
        List.of(
            number,
            new Expr.HostFunctionCall("held", function, List.of(number), false, DataType.INT64)));
  }

  /** On a thread of its own: these wait for each other. */
  private static CompletableFuture<Void> async(Runnable task) {
    return CompletableFuture.runAsync(task, work -> Thread.ofPlatform().daemon().start(work));
  }

  private static void drain(BatchResult result) {
    for (ColumnBatch batch = result.next(); batch != null; ) {
      batch = result.next();
    }
  }

  private static void assertStopped(CompletableFuture<?> task) {
    ExecutionException error =
        assertThrows(ExecutionException.class, () -> task.get(30, TimeUnit.SECONDS));
    AragoniteException cause =
        (AragoniteException) Objects.requireNonNull(error.getCause(), error::toString);
    assertTrue(STOPPED.contains(cause.code()), cause.getMessage());
  }

  /** Whether something is still under way after a while. */
  private static void assertWaits(CompletableFuture<?> task) {
    assertThrows(TimeoutException.class, () -> task.get(200, TimeUnit.MILLISECONDS));
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 20_000})
  void closingAResultWaitsForItsWorkers(int rows) throws Exception {
    Held held = new Held();
    try (TestEngine engine = new TestEngine(2, 64)) {
      BatchResult result = engine.engine().execute(plan(rows, held), QueryOptions.DEFAULT);
      CompletableFuture<Void> reader = async(() -> drain(result));
      held.inside.await();
      CompletableFuture<Void> closing = async(result::close);
      CompletableFuture<Void> again = async(result::close);
      assertWaits(closing);
      assertWaits(again);
      AragoniteException late = assertThrows(AragoniteException.class, result::next);
      assertEquals(ErrorCode.INVALID_CALL, late.code());
      held.go.countDown();
      closing.get(30, TimeUnit.SECONDS);
      again.get(30, TimeUnit.SECONDS);
      engine.assertReleased();
      assertStopped(reader);
    }
  }

  @Test
  void closingAnEngineWaitsForItsQueries() throws Exception {
    Held held = new Held();
    TestEngine engine = new TestEngine(2, 64);
    BatchResult result = engine.engine().execute(plan(20_000, held), QueryOptions.DEFAULT);
    BatchResult idle = engine.engine().execute(plan(100, held), QueryOptions.DEFAULT);
    CompletableFuture<Void> reader = async(() -> drain(result));
    held.inside.await();
    CompletableFuture<Void> closing = async(engine.engine()::close);
    assertWaits(closing);
    AragoniteException late =
        assertThrows(
            AragoniteException.class,
            () -> engine.engine().execute(plan(100, held), QueryOptions.DEFAULT));
    assertEquals(ErrorCode.INVALID_CALL, late.code());
    held.go.countDown();
    closing.get(30, TimeUnit.SECONDS);
    engine.assertReleased();
    assertStopped(reader);
    assertEquals(ErrorCode.INVALID_CALL, assertThrows(AragoniteException.class, idle::next).code());
    idle.close();
    engine.close();
  }

  /** A worker, or who reads, would wait for itself. */
  @Test
  void aFunctionOfAQueryMayCloseIt() throws Exception {
    AtomicReference<@Nullable BatchResult> own = new AtomicReference<>();
    TestEngine engine = new TestEngine(2, 64);
    HostFunction closes =
        arguments -> {
          Objects.requireNonNull(own.get()).close();
          engine.engine().close();
          return Objects.requireNonNull(arguments[0]);
        };
    BatchResult result = engine.engine().execute(plan(20_000, closes), QueryOptions.DEFAULT);
    own.set(result);
    CompletableFuture<Void> reader = async(() -> drain(result));
    // A reader that is between two batches then comes too late.
    assertStopped(reader);
    // Nobody is inside any more: whoever closes now returns when all is free.
    engine.close();
  }

  @Test
  void rowsAreHeldWhileTheyAreRead() throws Exception {
    try (TestEngine engine = new TestEngine(2, 64)) {
      BatchResult result =
          engine
              .engine()
              .execute(
                  plan(20_000, arguments -> Objects.requireNonNull(arguments[0])),
                  QueryOptions.DEFAULT);
      ColumnBatch batch = some(result.next());
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      CompletableFuture<Void> reading =
          async(() ->
              result.read(
                  batch,
                  () -> {
                    inside.countDown();
                    try {
                      go.await();
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                    assertEquals(batch.rows(), TestEngine.rows(batch).size());
                  }));
      inside.await();
      CompletableFuture<Void> moving = async(result::next);
      assertWaits(moving);
      CompletableFuture<Void> closing = async(result::close);
      assertWaits(closing);
      go.countDown();
      reading.get(30, TimeUnit.SECONDS);
      closing.get(30, TimeUnit.SECONDS);
      AragoniteException late =
          assertThrows(AragoniteException.class, () -> result.read(batch, () -> {}));
      assertEquals(ErrorCode.INVALID_CALL, late.code());
    }
  }

  /** Another thread has moved on: the memory of the rows before is used for others. */
  @Test
  void rowsThatAreGoneAreNotRead() {
    try (TestEngine engine = new TestEngine(2, 64);
        BatchResult result =
            engine
                .engine()
                .execute(
                    plan(20_000, arguments -> Objects.requireNonNull(arguments[0])),
                    QueryOptions.DEFAULT)) {
      ColumnBatch first = some(result.next());
      ColumnBatch second = some(result.next());
      AragoniteException gone =
          assertThrows(AragoniteException.class, () -> result.read(first, () -> {}));
      assertEquals(ErrorCode.INVALID_CALL, gone.code());
      boolean[] read = {false};
      result.read(second, () -> read[0] = true);
      assertTrue(read[0]);
      drain(result);
    }
  }

  private static ColumnBatch some(@Nullable ColumnBatch batch) {
    return Objects.requireNonNull(batch);
  }
}
