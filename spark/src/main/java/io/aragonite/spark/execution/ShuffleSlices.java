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

  private final Iterator<ColumnarBatch> batches;
  private final PartitionIds partitions;
  private final List<DataType> types;
  private final ShuffleMetrics metrics;
  private final @Nullable SliceBuilder[] builders;
  private final int[] starts;
  private final Deque<Product2<Object, InternalRow>> ready = new ArrayDeque<>();
  private int[] order = {};
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
    assert sum == held;
    return held;
  }

  private void add(ColumnarBatch batch) {
    int rows = batch.numRows();
    metrics.rows().add(rows);
    sort(batch, rows);
    for (int partition = 0; partition < builders.length; partition++) {
      int from = starts[partition];
      int to = starts[partition + 1];
      if (from == to) {
        continue;
      }
      SliceBuilder builder = builders[partition];
      if (builder == null) {
        builder = new SliceBuilder(types);
        builders[partition] = builder;
        held += builder.capacity();
      }
      long before = builder.capacity();
      builder.add(batch, order, from, to);
      held += builder.capacity() - before;
      if (builder.bytes() >= SLICE_BYTES) {
        finish(partition, builder);
      }
    }
    if (held > HELD_BYTES) {
      finishAll();
    }
  }

  /** Puts the rows' numbers in the order of their partitions. */
  private void sort(ColumnarBatch batch, int rows) {
    if (order.length < rows) {
      order = new int[rows];
    }
    Arrays.fill(starts, 0);
    if (builders.length == 1) {
      for (int i = 0; i < rows; i++) {
        order[i] = i;
      }
      starts[1] = rows;
      return;
    }
    int[] places = new int[rows];
    partitions.of(batch, places);
    for (int i = 0; i < rows; i++) {
      starts[places[i] + 1]++;
    }
    for (int i = 0; i < builders.length; i++) {
      starts[i + 1] += starts[i];
    }
    int[] next = Arrays.copyOf(starts, builders.length);
    for (int i = 0; i < rows; i++) {
      order[next[places[i]]++] = i;
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
    held -= builder.capacity();
    builders[partition] = null; // its arrays go, else those of all partitions would stay
    metrics.dataSize().add(builder.sparkBytes());
    UnsafeRow slice = builder.finish();
    metrics.sliceBytes().add(slice.getSizeInBytes());
    ready.add(new Tuple2<>(partition, slice));
  }
}
