package io.aragonite.spark.execution;

import io.aragonite.exec.type.DataType;
import io.aragonite.spark.column.SliceColumnVector;
import io.aragonite.spark.column.VectorRowWriter;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.PartitionIdPassthrough;
import org.apache.spark.RangePartitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.shuffle.ShuffleWriteProcessor;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Columns through Spark's shuffle: its manager, codec, spilling and encryption write slices as rows
 * with one binary field, and its readers hand them over.
 *
 * @param sparkTypes types of the columns
 * @param types the engine's types of the columns
 */
public record ColumnarShuffle(
    List<org.apache.spark.sql.types.DataType> sparkTypes, List<DataType> types)
    implements Serializable {
  /**
   * Where rows go.
   *
   * @param count partitions
   * @param keys Spark's expression for the partition of a row, or with ranges its sort keys; none:
   *     all rows go to the first
   * @param columns over which the expressions are
   * @param ranges null: the expression is the partition
   */
  public record ShufflePlacement(
      int count,
      List<Expression> keys,
      Seq<Attribute> columns,
      @Nullable RangePartitioner<InternalRow, Object> ranges)
      implements Serializable {
    ShuffleSlices.PartitionIds ids() {
      if (keys.isEmpty()) {
        return (batch, partitions) -> {};
      }
      HashPartitionIds hashed =
          ranges == null
              ? HashPartitionIds.of(keys.getFirst(), CollectionConverters.asJava(columns))
              : null;
      if (hashed != null) {
        return hashed;
      }
      KeyRows rows = keyRows(keys, columns);
      RangePartitioner<InternalRow, Object> sampled = ranges;
      return (batch, partitions) -> {
        for (int i = 0; i < batch.numRows(); i++) {
          UnsafeRow key = rows.of(batch, i);
          partitions[i] = sampled == null ? key.getInt(0) : sampled.getPartition(key);
        }
      };
    }
  }

  /** The values of keys, each row valid until the next is asked for. */
  private interface KeyRows {
    UnsafeRow of(ColumnarBatch batch, int row);
  }

  private static KeyRows keyRows(List<Expression> keys, Seq<Attribute> output) {
    List<Integer> columns =
        HashPartitionIds.columns(keys, CollectionConverters.asJava(output));
    if (columns != null) {
      VectorRowWriter writer =
          new VectorRowWriter(keys.stream().map(Expression::dataType).toList(), columns);
      return writer::row;
    }
    UnsafeProjection projection =
        UnsafeProjection.create(CollectionConverters.asScala(keys).toSeq(), output);
    return (batch, row) -> projection.apply(batch.getRow(row));
  }

  /**
   * Ranges of an order, from a sample of the rows, which are made for it as they are by Spark's own
   * exchange. There may be fewer of them than wanted.
   *
   * @param sample rows to look at for each partition
   */
  public static ShufflePlacement ranges(
      RDD<ColumnarBatch> columns, List<SortOrder> order, Seq<Attribute> output, int count, int sample) {
    List<Expression> keys = order.stream().map(SortOrder::child).toList();
    RDD<Product2<InternalRow, Object>> rows =
        PartitionMapping.map(
            columns, Product2.class, batches -> sampled(batches, keyRows(keys, output)));
    List<SortOrder> ofKeys = new ArrayList<>();
    for (int i = 0; i < order.size(); i++) {
      SortOrder key = order.get(i);
      BoundReference place = new BoundReference(i, key.dataType(), key.nullable());
      ofKeys.add(
          new SortOrder(
              place,
              key.direction(),
              key.nullOrdering(),
              CollectionConverters.asScala(List.<Expression>of()).toSeq()));
    }
    RangePartitioner<InternalRow, Object> ranges =
        new RangePartitioner<>(
            count,
            rows,
            true,
            sample,
            new LazilyGeneratedOrdering(CollectionConverters.asScala(ofKeys).toSeq()),
            ClassTag$.MODULE$.apply(InternalRow.class));
    return new ShufflePlacement(ranges.numPartitions(), keys, output, ranges);
  }

  private static Iterator<Product2<InternalRow, Object>> sampled(
      Iterator<ColumnarBatch> batches, KeyRows keys) {
    return new Iterator<>() {
      private @Nullable ColumnarBatch batch;
      private int next;

      @Override
      public boolean hasNext() {
        while ((batch == null || next == batch.numRows()) && batches.hasNext()) {
          batch = batches.next();
          next = 0;
        }
        return batch != null && next < batch.numRows();
      }

      @Override
      public Product2<InternalRow, Object> next() {
        ColumnarBatch current = hasNext() ? batch : null;
        if (current == null) {
          throw new NoSuchElementException();
        }
        return new Tuple2<>(keys.of(current, next++).copy(), Boolean.TRUE);
      }
    };
  }

  /** The dependency of a stage that reads on tasks that write. */
  public ShuffleDependency<Object, InternalRow, InternalRow> dependency(
      RDD<ColumnarBatch> columns,
      ShufflePlacement placement,
      ShuffleMetrics metrics,
      ShuffleWriteProcessor processor) {
    List<DataType> columnTypes = types; // not the whole of this goes to tasks
    RDD<Product2<Object, InternalRow>> slices =
        PartitionMapping.map(
            columns,
            Product2.class,
            batches ->
                new ShuffleSlices(
                    batches, placement.ids(), placement.count(), columnTypes, metrics));
    ClassTag<Object> keys = ClassTag$.MODULE$.apply(Object.class);
    ClassTag<InternalRow> rows = ClassTag$.MODULE$.apply(InternalRow.class);
    return new ShuffleDependency<>(
        slices,
        new PartitionIdPassthrough(placement.count()),
        new UnsafeRowSerializer(1, null),
        Option.empty(),
        Option.empty(),
        false,
        processor,
        keys,
        rows,
        rows);
  }

  /** The columns that were written, a batch a slice, each valid until the next is asked for. */
  public RDD<ColumnarBatch> read(RDD<InternalRow> slices) {
    return PartitionMapping.map(
        slices,
        ColumnarBatch.class,
        rows ->
            new Iterator<>() {
              @Override
              public boolean hasNext() {
                return rows.hasNext();
              }

              @Override
              public ColumnarBatch next() {
                return SliceColumnVector.batch((UnsafeRow) rows.next(), sparkTypes, types);
              }
            });
  }
}
