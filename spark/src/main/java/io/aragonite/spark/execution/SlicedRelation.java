package io.aragonite.spark.execution;

import io.aragonite.exec.type.DataType;
import io.aragonite.spark.column.SliceBatch;
import io.aragonite.spark.column.SliceColumnVector;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.XXH64;
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

  /** Bytes of a slot of Spark's map, which has up to three a row. */
  private static final long SLOT = 16;

  private final List<UnsafeRow> slices;
  private final List<org.apache.spark.sql.types.DataType> sparkTypes;
  private final List<DataType> types;
  private final HashedRelationBroadcastMode mode;
  private transient @Nullable HashedRelation hashed;
  private transient @Nullable Boolean unique;

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

  /**
   * Whether no two rows have one key: the driver asks for every join of Spark's, and need not make
   * Spark's relation for that. Keys are compared by 64 bits; of keys that only share those Spark
   * looks for several rows, and finds one.
   */
  synchronized boolean keyIsUnique() {
    Boolean known = unique;
    if (known == null) {
      long[] hashes = keyHashes();
      Arrays.sort(hashes);
      known = true;
      for (int i = 1; i < hashes.length && known; i++) {
        known = hashes[i - 1] != hashes[i];
      }
      unique = known;
    }
    return known;
  }

  /** Of the rows that have no null among their keys. */
  private long[] keyHashes() {
    long[] hashes = new long[Math.toIntExact(BroadcastSlices.rows(slices))];
    UnsafeProjection keys = UnsafeProjection.create(mode.key());
    int count = 0;
    for (UnsafeRow slice : slices) {
      java.util.Iterator<InternalRow> rows = batch(slice).rowIterator();
      while (rows.hasNext()) {
        UnsafeRow key = keys.apply(rows.next());
        if (!key.anyNull()) {
          hashes[count++] =
              XXH64.hashUnsafeWords(
                  key.getBaseObject(), key.getBaseOffset(), key.getSizeInBytes(), 0);
        }
      }
    }
    return Arrays.copyOf(hashes, count);
  }

  /**
   * The bytes of Spark's relation, about: its rows, in which its planning and its limits know
   * sizes, and the slots of its map.
   */
  long relationBytes() {
    long rows = BroadcastSlices.rows(slices);
    long slots = Long.highestOneBit(3 * rows + 1);
    return SLOT * slots + slices.stream().mapToLong(slice -> batch(slice).sparkBytes()).sum();
  }
}
