package io.aragonite.spark.execution;

import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.joins.EmptyHashedRelation$;
import org.apache.spark.sql.execution.joins.HashedRelation;
import org.apache.spark.sql.execution.joins.HashedRelationBroadcastMode;
import org.apache.spark.sql.types.LongType$;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Spark's mode of a hashed relation, equal to it, which takes slices in place of rows.
 */
public final class SliceBroadcastMode extends HashedRelationBroadcastMode {
  private static final long serialVersionUID = 1L;

  private final List<org.apache.spark.sql.types.DataType> sparkTypes;
  private final List<DataType> types;

  /**
   * @param key Spark's keys of the relation
   * @param sparkTypes types of the columns
   * @param types the engine's types of the columns
   */
  public SliceBroadcastMode(
      Seq<Expression> key,
      List<org.apache.spark.sql.types.DataType> sparkTypes,
      List<DataType> types) {
    super(key, false);
    this.sparkTypes = sparkTypes;
    this.types = types;
  }

  @Override
  public HashedRelation transform(Iterator<InternalRow> slices, Option<Object> sizeHint) {
    List<UnsafeRow> all = new ArrayList<>();
    slices.foreach(slice -> all.add((UnsafeRow) slice));
    if (BroadcastSlices.rows(all) == 0) {
      // By which adaptive execution knows that there is nothing to join with.
      return EmptyHashedRelation$.MODULE$;
    }
    SlicedRelation sliced =
        new SlicedRelation(
            List.copyOf(all), sparkTypes, types, new HashedRelationBroadcastMode(key(), false));
    // Of a key that is one long Spark makes a relation that its operators treat differently.
    boolean ofLongs = key().length() == 1 && key().head().dataType().equals(LongType$.MODULE$);
    return ofLongs ? new LongSlicedRelation(sliced) : new KeySlicedRelation(sliced);
  }

  @Override
  public HashedRelation transform(InternalRow[] slices) {
    return transform(
        CollectionConverters.asScala(List.of(slices).iterator()), Option.empty());
  }
}
