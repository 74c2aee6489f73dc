package io.aragonite.spark.execution;

import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import io.aragonite.spark.scan.UncheckedErrors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.joins.HashedRelation;
import org.apache.spark.sql.execution.joins.LongHashedRelation;
import org.apache.spark.sql.execution.joins.ValueRowWithKeyIndex;
import org.jspecify.annotations.Nullable;
import scala.collection.Iterator;

/** A relation of slices, by a key that is one long, which Spark takes for its own of such keys. */
public final class LongSlicedRelation extends LongHashedRelation implements SlicedRelation.Holder {
  private static final long serialVersionUID = 1L;

  private SlicedRelation sliced;

  /** Spark's relation, or a view of it that one task has. */
  private transient @Nullable HashedRelation view;

  /** For {@link #readExternal}. */
  @SuppressWarnings("NullAway") // set when it is read
  public LongSlicedRelation() {}

  LongSlicedRelation(SlicedRelation sliced) {
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
  public LongSlicedRelation asReadOnlyCopy() {
    LongSlicedRelation copy = new LongSlicedRelation(sliced);
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

  @Override
  public void writeExternal(ObjectOutput out) {
    try {
      out.writeObject(sliced);
    } catch (IOException e) {
      throw UncheckedErrors.raise(e);
    }
  }

  @Override
  public void readExternal(ObjectInput in) {
    try {
      sliced = (SlicedRelation) in.readObject();
    } catch (IOException | ClassNotFoundException e) {
      throw UncheckedErrors.raise(e);
    }
  }
}
