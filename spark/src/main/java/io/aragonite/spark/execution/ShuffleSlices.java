package io.aragonite.spark.execution;

import io.aragonite.exec.type.DataType;
import io.aragonite.spark.column.SliceBuilder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;
import scala.Product2;
import scala.Tuple2;

/** A task's columns as what Spark's shuffle writes: a slice a record, its partition the key. */
final class ShuffleSlices implements Iterator<Product2<Object, InternalRow>> {
  /** Bytes of a partition's rows that become a slice. */
  private static final long SLICE_BYTES = 1 << 19;

  /** Bytes of all partitions' rows that are held at most, with room for more, but for a batch. */
  static final long HELD_BYTES = 24 << 20;

  /** Rows that are put in order at once: what all partitions read of them stays in the caches. */
  private static final int BLOCK_ROWS = 1 << 13;

  private final Iterator<ColumnarBatch> batches;
  private final PartitionIds partitions;
  private final List<DataType> types;
  private final ShuffleMetrics metrics;
  private final @Nullable SliceBuilder[] builders;
  private final int[] starts;
  private final Deque<Product2<Object, InternalRow>> ready = new ArrayDeque<>();

  /** Builders without rows, whose arrays the next ones use. */
  private final Deque<SliceBuilder> spare = new ArrayDeque<>();

  private final int[] order = new int[BLOCK_ROWS];
  private int[] places = {};
  private long held;
  private boolean ended;

  /** Says of each row of a batch where it goes. */
  interface PartitionIds {
    void of(ColumnarBatch batch, int[] partitions);
  }

  /**
   * @param count partitions
   */
  ShuffleSlices(
      Iterator<ColumnarBatch> batches,
      PartitionIds partitions,
      int count,
      List<DataType> types,
      ShuffleMetrics metrics) {
    this.batches = batches;
    this.partitions = partitions;
    this.types = types;
    this.metrics = metrics;
    this.builders = new SliceBuilder[count];
    this.starts = new int[count + 1];
  }

  @Override
  public boolean hasNext() {
    while (ready.isEmpty() && !ended) {
      ColumnarBatch batch = batches.hasNext() ? batches.next() : null;
      long start = System.nanoTime();
      if (batch == null) {
        ended = true;
        finishAll();
        forgetSpare();
      } else {
        add(batch);
      }
      metrics.nanos().add(System.nanoTime() - start);
    }
    return !ready.isEmpty();
  }

  @Override
  public Product2<Object, InternalRow> next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return ready.remove();
  }

  /** Bytes of the heap that builders of slices have now. */
  long held() {
    long sum = 0;
    for (SliceBuilder builder : builders) {
      sum += builder == null ? 0 : builder.capacity();
    }
    for (SliceBuilder builder : spare) {
      sum += builder.capacity();
    }
    assert sum == held;
    return held;
  }

  private void add(ColumnarBatch batch) {
    int rows = batch.numRows();
    metrics.rows().add(rows);
    if (places.length < rows) {
      places = new int[rows];
    }
    if (builders.length > 1) {
      partitions.of(batch, places);
    }
    for (int from = 0; from < rows; from += BLOCK_ROWS) {
      int to = Math.min(rows, from + BLOCK_ROWS);
      sort(from, to);
      addSorted(batch);
    }
  }

  private void addSorted(ColumnarBatch batch) {
    for (int partition = 0; partition < builders.length; partition++) {
      int from = starts[partition];
      int to = starts[partition + 1];
      if (from == to) {
        continue;
      }
      SliceBuilder builder = builders[partition];
      if (builder == null) {
        builder = newBuilder();
        builders[partition] = builder;
      }
      long before = builder.capacity();
      builder.add(batch, order, from, to);
      held += builder.capacity() - before;
      if (builder.bytes() >= SLICE_BYTES) {
        finish(partition, builder);
      }
    }
    if (held > HELD_BYTES) {
      forgetSpare();
    }
    if (held > HELD_BYTES) {
      finishAll();
      forgetSpare();
    }
  }

  private SliceBuilder newBuilder() {
    SliceBuilder builder = spare.poll();
    if (builder == null) {
      builder = new SliceBuilder(types);
      held += builder.capacity();
    }
    return builder;
  }

  private void forgetSpare() {
    for (SliceBuilder builder : spare) {
      held -= builder.capacity();
    }
    spare.clear();
  }

  /** Puts the numbers of some rows in the order of their partitions. */
  private void sort(int from, int to) {
    Arrays.fill(starts, 0);
    for (int row = from; row < to; row++) {
      starts[places[row] + 1]++;
    }
    for (int i = 0; i < builders.length; i++) {
      starts[i + 1] += starts[i];
    }
    int[] next = Arrays.copyOf(starts, builders.length);
    for (int row = from; row < to; row++) {
      order[next[places[row]]++] = row;
    }
  }

  private void finishAll() {
    for (int partition = 0; partition < builders.length; partition++) {
      SliceBuilder builder = builders[partition];
      if (builder != null) {
        finish(partition, builder);
      }
    }
  }

  private void finish(int partition, SliceBuilder builder) {
    builders[partition] = null;
    metrics.dataSize().add(builder.sparkBytes());
    long before = builder.capacity(); // the bits of nulls go
    UnsafeRow slice = builder.finish();
    metrics.sliceBytes().add(slice.getSizeInBytes());
    ready.add(new Tuple2<>(partition, slice));
    held -= before - builder.capacity();
    spare.add(builder);
  }
}
