package io.aragonite.spark.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.spark.column.SliceBuilder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.execution.joins.EmptyHashedRelation$;
import org.apache.spark.sql.execution.joins.HashedRelation;
import org.apache.spark.sql.execution.joins.HashedRelationBroadcastMode;
import org.apache.spark.sql.execution.joins.LongHashedRelation;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** A broadcast relation of slices, as Spark's operators see it. */
class SlicedRelationTest {
  private static final List<org.apache.spark.sql.types.DataType> SPARK =
      List.of(DataTypes.LongType, DataTypes.StringType);
  private static final List<DataType> TYPES =
      List.of(DataType.of(TypeKind.INT64, true), DataType.of(TypeKind.VARCHAR, true));

  private static List<InternalRow> rows(int count) {
    List<InternalRow> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Object key = i % 7 == 0 ? null : i % 50L;
      Object text = i % 5 == 0 ? null : UTF8String.fromString("t" + i % 20);
      rows.add(new GenericInternalRow(new Object[] {key, text}));
    }
    return rows;
  }

  /** By keys, with the rows of each. */
  private static TreeSet<String> read(HashedRelation relation, UnsafeProjection keys) {
    TreeSet<String> all = new TreeSet<>();
    for (InternalRow row : rows(200)) {
      InternalRow key = keys.apply(row);
      if (key.isNullAt(0)) {
        continue;
      }
      scala.collection.Iterator<InternalRow> found = relation.get(key);
      List<String> values = new ArrayList<>();
      while (found != null && found.hasNext()) {
        InternalRow value = found.next();
        values.add((value.isNullAt(0) ? "null" : value.getLong(0)) + ":" + value.getUTF8String(1));
      }
      values.sort(null);
      all.add(key + "=" + values);
    }
    CollectionConverters.asJava(relation.asReadOnlyCopy().keys())
        .forEachRemaining(key -> all.add("key " + key));
    return all;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void sparksOperatorsSeeSparksRelation(int keyColumn) throws IOException, ClassNotFoundException {
    Expression key = new BoundReference(keyColumn, SPARK.get(keyColumn), true);
    scala.collection.immutable.Seq<Expression> keys =
        CollectionConverters.asScala(List.of(key)).toSeq();
    HashedRelationBroadcastMode sparks = new HashedRelationBroadcastMode(keys, false);
    SliceBroadcastMode ours = new SliceBroadcastMode(keys, SPARK, TYPES);
    assertEquals(sparks, ours);
    assertEquals(ours, sparks);
    assertEquals(sparks.canonicalized(), ours.canonicalized());

    UnsafeProjection unsafe =
        UnsafeProjection.create(SPARK.toArray(new org.apache.spark.sql.types.DataType[0]));
    List<InternalRow> slices = new ArrayList<>();
    SliceBuilder builder = new SliceBuilder(TYPES);
    Iterator<InternalRow> rows = rows(120).iterator();
    while (rows.hasNext()) {
      builder.add(rows.next());
      if (builder.rows() == 50 || !rows.hasNext()) {
        slices.add(builder.finish());
      }
    }
    assertEquals(120, BroadcastSlices.rows(slices));
    HashedRelation expected =
        sparks.transform(
            CollectionConverters.asScala(
                rows(120).stream().<InternalRow>map(unsafe::apply).iterator()),
            Option.apply((Object) 120L));
    HashedRelation actual =
        copied(ours.transform(CollectionConverters.asScala(slices.iterator()), Option.apply((Object) 120L)));
    assertEquals(keyColumn == 0, actual instanceof LongHashedRelation);
    assertEquals(3, ((SlicedRelation.Holder) actual).sliced().slices().size());
    assertTrue(actual.estimatedSize() >= 120 * 24, actual.estimatedSize() + " bytes");
    UnsafeProjection projection =
        UnsafeProjection.create(
            keys,
            CollectionConverters.asScala(
                    List.<org.apache.spark.sql.catalyst.expressions.Attribute>of())
                .toSeq());
    assertEquals(expected.keyIsUnique(), actual.keyIsUnique());
    assertEquals(read(expected, projection), read(actual, projection));
    assertEquals(read(expected, projection), read(actual.asReadOnlyCopy(), projection));
  }

  /** The driver is asked for it, and keys that are null are no keys. */
  @Test
  void keysAreUniqueWithoutSparksRelation() {
    assertTrue(unique(null, 1L, null, Long.MAX_VALUE, -1L));
    assertFalse(unique(5L, 1L, null, 5L));
    assertTrue(unique(Long.MIN_VALUE));
    assertTrue(unique(null, null));
  }

  private static boolean unique(Object... keys) {
    return ours(Arrays.asList(keys)).keyIsUnique();
  }

  private static HashedRelation ours(List<Object> keys) {
    SliceBuilder builder = new SliceBuilder(TYPES);
    for (Object key : keys) {
      builder.add(new GenericInternalRow(new Object[] {key, UTF8String.fromString("t")}));
    }
    List<InternalRow> slices = keys.isEmpty() ? List.of() : List.of(builder.finish());
    scala.collection.immutable.Seq<Expression> key =
        CollectionConverters.asScala(
                List.<Expression>of(new BoundReference(0, DataTypes.LongType, true)))
            .toSeq();
    return new SliceBroadcastMode(key, SPARK, TYPES)
        .transform(CollectionConverters.asScala(slices.iterator()), Option.empty());
  }

  @Test
  void withoutRowsItIsSparksEmptyOne() {
    assertSame(EmptyHashedRelation$.MODULE$, ours(List.of()));
  }

  /** What Spark's limits and its UI see; of its rows Spark counts whole pages. */
  @Test
  void sizesAreThoseOfSparksRelationButForRoomInItsPages() {
    List<Object> keys = LongStream.range(0, 100_000).<Object>mapToObj(i -> i * 1000).toList();
    LongSlicedRelation relation = (LongSlicedRelation) ours(keys);
    long slots = relation.sliced().hashed().estimatedSize() % (64 << 20);
    assertTrue(slots > 1 << 21, slots + " bytes of slots");
    double row = (relation.estimatedSize() - slots) / 100_000.0;
    assertTrue(row >= 24 && row <= 40, row + " bytes a row beside slots");
  }

  /** As an executor gets it. */
  private static HashedRelation copied(HashedRelation relation)
      throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(relation);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (HashedRelation) in.readObject();
    }
  }
}
