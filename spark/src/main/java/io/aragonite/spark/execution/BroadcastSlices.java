package io.aragonite.spark.execution;

import io.aragonite.exec.type.DataType;
import io.aragonite.spark.column.SliceBatch;
import io.aragonite.spark.column.SliceBuilder;
import io.aragonite.spark.column.SliceColumnVector;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/** A task's columns as slices for a broadcast; those of a shuffle go on as they are. */
public final class BroadcastSlices implements Iterator<InternalRow> {
  /** Bytes of values after which a slice ends. */
  private static final long SLICE_BYTES = 4 << 20;

  private final Iterator<ColumnarBatch> batches;
  private final SliceBuilder builder;
  private final SQLMetric nanos;
  private @Nullable InternalRow ready;
  private int[] order = {};

  private BroadcastSlices(Iterator<ColumnarBatch> batches, List<DataType> types, SQLMetric nanos) {
    this.batches = batches;
    this.builder = new SliceBuilder(types);
    this.nanos = nanos;
  }

  /**
   * The slices, each valid until the next is asked for.
   *
   * @param columns of fragments, or of a shuffle's slices
   * @param nanos takes the time that they take to make
   */
  public static RDD<InternalRow> of(
      RDD<ColumnarBatch> columns, List<DataType> types, SQLMetric nanos) {
    return PartitionMapping.map(
        columns, InternalRow.class, batches -> new BroadcastSlices(batches, types, nanos));
  }

  /** Slices that have been collected; Spark has taken them for rows of as many fields as columns. */
  public static List<InternalRow> read(Iterator<InternalRow> collected) {
    List<InternalRow> slices = new ArrayList<>();
    while (collected.hasNext()) {
      UnsafeRow row = (UnsafeRow) collected.next();
      UnsafeRow slice = new UnsafeRow(1);
      slice.pointTo(row.getBaseObject(), row.getBaseOffset(), row.getSizeInBytes());
      slices.add(slice);
    }
    return slices;
  }

  /** How many rows are in slices. */
  public static long rows(List<? extends InternalRow> slices) {
    return slices.stream().mapToLong(slice -> SliceColumnVector.rows((UnsafeRow) slice)).sum();
  }

  @Override
  public boolean hasNext() {
    while (ready == null && batches.hasNext()) {
      ColumnarBatch batch = batches.next();
      if (batch instanceof SliceBatch slice) {
        ready = slice.row();
      } else {
        add(batch);
      }
    }
    if (ready == null && builder.rows() > 0) {
      long start = System.nanoTime();
      ready = builder.finish();
      nanos.add(System.nanoTime() - start);
    }
    return ready != null;
  }

  private void add(ColumnarBatch batch) {
    long start = System.nanoTime();
    int rows = batch.numRows();
    if (order.length < rows) {
      order = new int[rows];
      for (int i = 0; i < rows; i++) {
        order[i] = i;
      }
    }
    builder.add(batch, order, 0, rows);
    if (builder.bytes() >= SLICE_BYTES) {
      ready = builder.finish();
    }
    nanos.add(System.nanoTime() - start);
  }

  @Override
  public InternalRow next() {
    InternalRow slice = hasNext() ? ready : null;
    if (slice == null) {
      throw new NoSuchElementException();
    }
    ready = null;
    return slice;
  }
}
