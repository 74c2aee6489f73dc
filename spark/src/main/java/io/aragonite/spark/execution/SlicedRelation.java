package io.aragonite.spark.execution;

import io.aragonite.exec.type.DataType;
import io.aragonite.spark.column.SliceBatch;
import io.aragonite.spark.column.SliceColumnVector;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.joins.HashedRelation;
import org.apache.spark.sql.execution.joins.HashedRelationBroadcastMode;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A broadcast relation as slices. Fragments take the slices, rows with null keys included; where an
 * operator of Spark's looks into it, Spark's own relation is made of them, once an executor.
 */
public final class SlicedRelation implements Serializable {
  private static final long serialVersionUID = 1L;

  private final List<UnsafeRow> slices;
  private final List<org.apache.spark.sql.types.DataType> sparkTypes;
  private final List<DataType> types;
  private final HashedRelationBroadcastMode mode;
  private transient @Nullable HashedRelation hashed;

  /** What Spark takes for a relation. */
  interface Holder {
    SlicedRelation sliced();
  }

  /**
   * @param mode makes Spark's own relation of rows
   */
  SlicedRelation(
      List<UnsafeRow> slices,
      List<org.apache.spark.sql.types.DataType> sparkTypes,
      List<DataType> types,
      HashedRelationBroadcastMode mode) {
    this.slices = slices;
    this.sparkTypes = sparkTypes;
    this.types = types;
    this.mode = mode;
  }

  List<UnsafeRow> slices() {
    return slices;
  }

  /** Spark's relation of the same rows, for all tasks. */
  synchronized HashedRelation hashed() {
    HashedRelation known = hashed;
    if (known == null) {
      UnsafeProjection rows =
          UnsafeProjection.create(sparkTypes.toArray(new org.apache.spark.sql.types.DataType[0]));
      // Not by Java's streams: they read ahead, and rows are used one by one.
      Iterator<InternalRow> all =
          CollectionConverters.asScala(slices.iterator())
              .flatMap(slice -> CollectionConverters.asScala(batch(slice).rowIterator()))
              .map(rows::apply);
      known = mode.transform(all, Option.apply((Object) BroadcastSlices.rows(slices)));
      hashed = known;
    }
    return known;
  }

  private SliceBatch batch(UnsafeRow slice) {
    return SliceColumnVector.batch(slice, sparkTypes, types);
  }

  /** The bytes of its rows as Spark's: what its planning and its limits know sizes in. */
  long sparkBytes() {
    return slices.stream().mapToLong(slice -> batch(slice).sparkBytes()).sum();
  }
}
