package io.aragonite.spark.execution;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.joins.HashedRelation;
import org.apache.spark.sql.execution.joins.ValueRowWithKeyIndex;
import org.jspecify.annotations.Nullable;
import scala.collection.Iterator;

/** A relation of slices, by keys that are not one long. */
public final class KeySlicedRelation implements HashedRelation, SlicedRelation.Holder, Serializable {
  private static final long serialVersionUID = 1L;

  private final SlicedRelation sliced;

  /** Spark's relation, or a view of it that one task has. */
  private transient @Nullable HashedRelation view;

  KeySlicedRelation(SlicedRelation sliced) {
    this.sliced = sliced;
  }

  @Override
  public SlicedRelation sliced() {
    return sliced;
  }

  private HashedRelation hashed() {
    HashedRelation known = view;
    if (known == null) {
      known = sliced.hashed();
      view = known;
    }
    return known;
  }

  @Override
  public KeySlicedRelation asReadOnlyCopy() {
    KeySlicedRelation copy = new KeySlicedRelation(sliced);
    copy.view = sliced.hashed().asReadOnlyCopy();
    return copy;
  }

  @Override
  public long estimatedSize() {
    return sliced.relationBytes();
  }

  @Override
  public Iterator<InternalRow> get(InternalRow key) {
    return hashed().get(key);
  }

  @Override
  public Iterator<InternalRow> get(long key) {
    return hashed().get(key);
  }

  @Override
  public InternalRow getValue(InternalRow key) {
    return hashed().getValue(key);
  }

  @Override
  public InternalRow getValue(long key) {
    return hashed().getValue(key);
  }

  @Override
  public Iterator<ValueRowWithKeyIndex> getWithKeyIndex(InternalRow key) {
    return hashed().getWithKeyIndex(key);
  }

  @Override
  public ValueRowWithKeyIndex getValueWithKeyIndex(InternalRow key) {
    return hashed().getValueWithKeyIndex(key);
  }

  @Override
  public Iterator<ValueRowWithKeyIndex> valuesWithKeyIndex() {
    return hashed().valuesWithKeyIndex();
  }

  @Override
  public int maxNumKeysIndex() {
    return hashed().maxNumKeysIndex();
  }

  @Override
  public boolean keyIsUnique() {
    return sliced.keyIsUnique();
  }

  @Override
  public Iterator<InternalRow> keys() {
    return hashed().keys();
  }

  @Override
  public void close() {}
}
