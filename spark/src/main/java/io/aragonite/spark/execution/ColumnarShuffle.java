package io.aragonite.spark.execution;

import io.aragonite.exec.type.DataType;
import io.aragonite.spark.column.SliceColumnVector;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.PartitionIdPassthrough;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.shuffle.ShuffleWriteProcessor;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.Product2;
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
   * @param id Spark's expression for the partition of a row; null: all rows go to the first
   * @param columns over which the expression is
   */
  public record ShufflePlacement(int count, @Nullable Expression id, Seq<Attribute> columns)
      implements Serializable {
    private ShuffleSlices.PartitionIds ids() {
      Expression expression = id;
      if (expression == null) {
        return (batch, partitions) -> {};
      }
      Seq<Expression> ids = CollectionConverters.asScala(List.of(expression)).toSeq();
      UnsafeProjection projection = UnsafeProjection.create(ids, columns);
      return (batch, partitions) -> {
        Iterator<InternalRow> rows = batch.rowIterator();
        for (int i = 0; i < batch.numRows(); i++) {
          partitions[i] = projection.apply(rows.next()).getInt(0);
        }
      };
    }
  }

  /** The dependency of a stage that reads on tasks that write. */
  public ShuffleDependency<Object, InternalRow, InternalRow> dependency(
      RDD<ColumnarBatch> columns,
      ShufflePlacement placement,
      ShuffleMetrics metrics,
      ShuffleWriteProcessor processor) {
    RDD<Product2<Object, InternalRow>> slices =
        columns
            .toJavaRDD()
            .<Product2<Object, InternalRow>>mapPartitions(batches -> new ShuffleSlices(
                batches, placement.ids(), placement.count(), types, metrics))
            .rdd();
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
    return slices
        .toJavaRDD()
        .map(row -> SliceColumnVector.batch((UnsafeRow) row, sparkTypes, types))
        .rdd();
  }
}
