package io.aragonite.spark.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.spark.column.ConversionCounter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who makes the columns of a broadcast relation, who waits, and what is left. */
@Timeout(60)
class RelationColumnsTest {
  private static final List<DataType> TEXT = List.of(DataType.of(TypeKind.VARCHAR, true));
  private static final RelationColumns.SharedColumns COLUMNS =
      new RelationColumns.SharedColumns(List.of(new UnsafeRow(1)), null);

  @Test
  void slicesEndByBytesToo() {
    UTF8String text = UTF8String.fromString("x".repeat(150 << 10));
    AtomicLong counted = new AtomicLong();
    ConversionCounter counter =
        new ConversionCounter() {
          @Override
          public void rows(long count) {
            counted.addAndGet(count);
          }

          @Override
          public void columnRows(long count) {
            throw new AssertionError("no columns of Spark's");
          }
        };
    List<UnsafeRow> slices =
        RelationColumns.slices(
            IntStream.range(0, 200)
                .<InternalRow>mapToObj(i -> new GenericInternalRow(new Object[] {text}))
                .iterator(),
            TEXT,
            counter,
            () -> false);
    assertEquals(200, counted.get());
    assertTrue(slices.size() >= 7, slices.size() + " slices of 30 MB");
    for (UnsafeRow slice : slices) {
      assertTrue(slice.getSizeInBytes() < 5 << 20, slice.getSizeInBytes() + " bytes");
    }
  }

  @Test
  void whoWaitsCanBeKilledAndTakesOverWhenTheMakerFails() throws Exception {
    Object relation = new Object();
    CountDownLatch making = new CountDownLatch(1);
    CountDownLatch fails = new CountDownLatch(1);
    CompletableFuture<RelationColumns.SharedColumns> maker =
        CompletableFuture.supplyAsync(
            () ->
                RelationColumns.shared(
                    relation,
                    TEXT,
                    () -> false,
                    () -> {
                      making.countDown();
                      try {
                        fails.await();
                      } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                      }
                      throw new IllegalStateException("killed");
                    }),
            task -> Thread.ofPlatform().start(task));
    making.await();
    assertThrows(
        TaskKilledException.class,
        () -> RelationColumns.shared(relation, TEXT, () -> true, () -> COLUMNS));
    AtomicBoolean waits = new AtomicBoolean();
    CompletableFuture<RelationColumns.SharedColumns> other =
        CompletableFuture.supplyAsync(
            () ->
                RelationColumns.shared(
                    relation,
                    TEXT,
                    () -> {
                      waits.set(true);
                      return false;
                    },
                    () -> COLUMNS),
            task -> Thread.ofPlatform().start(task));
    while (!waits.get()) {
      Thread.sleep(5);
    }
    fails.countDown();
    assertThrows(ExecutionException.class, maker::get);
    assertSame(COLUMNS, other.get(30, TimeUnit.SECONDS));
    assertSame(
        COLUMNS,
        RelationColumns.shared(
            relation,
            TEXT,
            () -> false,
            () -> {
              throw new AssertionError("made twice");
            }));
  }

  @Test
  void nothingIsLeftOfARelationThatNobodyHolds() throws Exception {
    int before = RelationColumns.known();
    Object relation = new Object();
    RelationColumns.shared(relation, TEXT, () -> false, () -> COLUMNS);
    assertEquals(before + 1, RelationColumns.known());
    java.lang.ref.Reference.reachabilityFence(relation);
    relation = null;
    while (RelationColumns.known() > before) {
      System.gc();
      Thread.sleep(20);
    }
  }
}
