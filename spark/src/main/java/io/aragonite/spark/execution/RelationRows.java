package io.aragonite.spark.execution;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.execution.joins.EmptyHashedRelation$;
import org.apache.spark.sql.execution.joins.HashedRelation;
import org.apache.spark.sql.execution.joins.HashedRelationWithAllNullKeys$;
import org.apache.spark.sql.execution.joins.LongHashedRelation;
import scala.collection.Iterator$;

/**
 * All rows of a hashed relation, key by key. Rows with a null key are not in it: no join that asks
 * for it wants them, but for NOT IN, which gets a row of nulls in place of all rows.
 */
final class RelationRows implements Iterator<InternalRow> {
  private final HashedRelation relation;
  private final scala.collection.Iterator<InternalRow> keys;
  private scala.collection.Iterator<InternalRow> rows = Iterator$.MODULE$.empty();

  private RelationRows(HashedRelation shared) {
    this.relation = shared.asReadOnlyCopy();
    this.keys = shared.asReadOnlyCopy().keys();
  }

  /**
   * The rows, each used before the next is asked for.
   *
   * @param relation a hashed one, or rows
   * @param width columns of a row
   */
  static Iterator<InternalRow> of(Object relation, int width) {
    if (relation instanceof InternalRow[] rows) {
      return Arrays.asList(rows).iterator(); // for joins without equalities
    }
    HashedRelation shared = (HashedRelation) relation;
    if (shared.equals(HashedRelationWithAllNullKeys$.MODULE$)) {
      // All that NOT IN has to know of it.
      return List.<InternalRow>of(new GenericInternalRow(width)).iterator();
    }
    if (shared.equals(EmptyHashedRelation$.MODULE$)) {
      return Collections.emptyIterator();
    }
    if (shared instanceof LongHashedRelation || shared.maxNumKeysIndex() == 0) {
      return new RelationRows(shared);
    }
    // A key of several rows comes several times from keys() there.
    return scala.jdk.javaapi.CollectionConverters.asJava(
        shared.asReadOnlyCopy().valuesWithKeyIndex().map(row -> row.getValue()));
  }

  @Override
  public boolean hasNext() {
    while (!rows.hasNext() && keys.hasNext()) {
      rows = relation.get(keys.next());
    }
    return rows.hasNext();
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return rows.next();
  }
}
