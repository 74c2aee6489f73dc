package io.aragonite.spark.execution;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.spark.column.ConversionCounter;
import io.aragonite.spark.column.EngineColumnVector;
import io.aragonite.spark.column.RowBatches;
import io.aragonite.spark.column.SparkTypes;
import io.aragonite.spark.column.StructColumnVector;
import io.aragonite.spark.column.VectorRowWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Add;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

/** Partitions of rows, and rows of columns, beside those of Spark's expressions. */
class HashPartitionIdsTest {
  private static final List<DataType> TYPES =
      List.of(
          DataTypes.LongType,
          DataTypes.StringType,
          DataTypes.IntegerType,
          DataTypes.ShortType,
          DataTypes.ByteType,
          DataTypes.BooleanType,
          DataTypes.FloatType,
          DataTypes.DoubleType,
          DataTypes.DateType,
          DataTypes.TimestampType,
          DataTypes.BinaryType,
          DataTypes.createDecimalType(9, 2),
          DataTypes.createDecimalType(18, 4),
          DataTypes.createDecimalType(30, 4));
  private static final int ROWS = 1500;

  private static final int[] COUNTS = {7, 1, 2, 200, 1000, 65_537, Integer.MAX_VALUE};

  private final Random random = new Random(Long.getLong("aragonite.seed", 1));

  private Object value(DataType type) {
    long[] longs = {0, -1, 1, Long.MIN_VALUE, Long.MAX_VALUE, random.nextLong()};
    double[] doubles = {
      0.0, -0.0, Double.NaN, Double.longBitsToDouble(0xFFF8_0000_0000_0001L), 1e300, -1.5
    };
    long l = longs[random.nextInt(longs.length)];
    double d = doubles[random.nextInt(doubles.length)];
    return switch (type.simpleString()) {
      case "bigint", "timestamp" -> l;
      case "string" -> UTF8String.fromString("äbc".repeat(random.nextInt(4)) + random.nextInt(3));
      case "int", "date" -> (int) l;
      case "smallint" -> (short) l;
      case "tinyint" -> (byte) l;
      case "boolean" -> (l & 1) != 0;
      case "float" -> (float) d;
      case "double" -> d;
      case "binary" -> new byte[random.nextInt(9)];
      case "decimal(9,2)" -> Decimal.apply(BigDecimal.valueOf(l % 1_000_000_000, 2), 9, 2);
      case "decimal(18,4)" ->
          Decimal.apply(BigDecimal.valueOf(l % 1_000_000_000_000_000_000L, 4), 18, 4);
      default -> Decimal.apply(BigDecimal.valueOf(l, 4).multiply(new BigDecimal("1234567")), 30, 4);
    };
  }

  private static Attribute attribute(int number, DataType type) {
    return new AttributeReference(
        "c" + number,
        type,
        true,
        Metadata.empty(),
        NamedExpression.newExprId(),
        CollectionConverters.asScala(List.<String>of()).toSeq());
  }

  private static Expression partition(List<? extends Expression> keys, int count) {
    return new HashPartitioning(CollectionConverters.<Expression>asScala(List.copyOf(keys)).toSeq(), count)
        .partitionIdExpression();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void partitionsAreSparks(boolean nulls) {
    List<Attribute> output = new ArrayList<>();
    for (int i = 0; i < TYPES.size(); i++) {
      output.add(attribute(i, TYPES.get(i)));
    }
    try (QueryMemory memory =
        new NativeQueryMemory(new MemoryBudget("memory", 1L << 24), 0)) {
      ColumnarBatch batch = batch(memory, nulls);
      for (int i = 0; i <= TYPES.size(); i++) {
        List<Attribute> keys = i == TYPES.size() ? output : List.of(output.get(i));
        Expression partition = partition(keys, COUNTS[i % COUNTS.length]);
        UnsafeProjection projection =
            UnsafeProjection.create(
                CollectionConverters.asScala(List.of(partition)).toSeq(),
                CollectionConverters.asScala(output).toSeq());
        int[] expected = new int[ROWS];
        Iterator<InternalRow> rows = batch.rowIterator();
        for (int row = 0; row < ROWS; row++) {
          expected[row] = projection.apply(rows.next()).getInt(0);
        }
        int[] partitions = new int[ROWS];
        Objects.requireNonNull(HashPartitionIds.of(partition, output)).of(batch, partitions);
        assertArrayEquals(expected, partitions, keys::toString);
      }
    }
  }

  @Test
  void rowsHaveTheBytesOfSparksProjection() {
    try (QueryMemory memory = new NativeQueryMemory(new MemoryBudget("memory", 1L << 24), 0)) {
      ColumnarBatch flat = batch(memory, true);
      List<ColumnVector> vectors = new ArrayList<>();
      StructType struct = new StructType();
      for (int i = 0; i < TYPES.size(); i++) {
        vectors.add(flat.column(i));
        struct = struct.add("f" + i, TYPES.get(i));
      }
      vectors.add(new StructColumnVector(struct, List.copyOf(vectors)));
      ColumnarBatch batch = new ColumnarBatch(vectors.toArray(new ColumnVector[0]), ROWS);
      List<DataType> types = new ArrayList<>(TYPES);
      types.add(struct);
      compareRows(batch, types, IntStream.range(0, types.size()).boxed().toList());
      compareRows(batch, types, List.of(TYPES.size(), 13, 1, 1, 0));
      compareRows(batch, types, List.of());
    }
  }

  /** Rows of some of the columns. */
  private static void compareRows(ColumnarBatch batch, List<DataType> types, List<Integer> places) {
    List<DataType> taken = places.stream().map(types::get).toList();
    UnsafeProjection projection = UnsafeProjection.create(taken.toArray(new DataType[0]));
    ColumnarBatch of =
        new ColumnarBatch(
            places.stream().map(batch::column).toArray(ColumnVector[]::new), batch.numRows());
    VectorRowWriter writer = new VectorRowWriter(taken, places);
    for (int i = 0; i < ROWS; i++) {
      assertEquals(projection.apply(of.getRow(i)), writer.row(batch, i), "row " + i);
    }
  }

  private ColumnarBatch batch(QueryMemory memory, boolean nulls) {
    List<InternalRow> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      Object[] values = new Object[TYPES.size()];
      for (int field = 0; field < values.length; field++) {
        values[field] = nulls && random.nextInt(6) == 0 ? null : value(TYPES.get(field));
      }
      rows.add(new GenericInternalRow(values));
    }
    ConversionCounter counter =
        new ConversionCounter() {
          @Override
          public void rows(long count) {
            assertEquals(ROWS, count);
          }

          @Override
          public void columnRows(long count) {
            throw new AssertionError("no columns of Spark's");
          }
        };
    List<io.aragonite.exec.type.DataType> types =
        TYPES.stream().map(type -> Objects.requireNonNull(SparkTypes.of(type, nulls))).toList();
    ColumnBatch columns =
        Objects.requireNonNull(new RowBatches(rows.iterator(), types, counter).next(memory, ROWS));
    ColumnVector[] vectors = new ColumnVector[TYPES.size()];
    for (int i = 0; i < vectors.length; i++) {
      vectors[i] = new EngineColumnVector(TYPES.get(i), columns.column(i));
    }
    return new ColumnarBatch(vectors, ROWS);
  }

  @Test
  void expressionsAreEvaluatedBySpark() {
    Attribute column = attribute(0, DataTypes.LongType);
    assertNull(HashPartitionIds.of(partition(List.of(new Add(column, column)), 3), List.of(column)));
    assertNull(HashPartitionIds.of(column, List.of(column)));
  }
}
