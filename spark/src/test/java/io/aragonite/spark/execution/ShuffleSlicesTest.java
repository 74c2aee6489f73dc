package io.aragonite.spark.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.spark.column.ConversionCounter;
import io.aragonite.spark.column.EngineColumnVector;
import io.aragonite.spark.column.RowBatches;
import io.aragonite.spark.column.SliceBuilder;
import io.aragonite.spark.column.SliceColumnVector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

/** The heap that a task's slices take, and what they are made of. */
class ShuffleSlicesTest {
  private static final List<DataType> TYPES =
      List.of(DataType.of(TypeKind.INT64, true), DataType.of(TypeKind.VARCHAR, true));
  private static final int ROWS = 2000;

  private static final ConversionCounter UNCOUNTED =
      new ConversionCounter() {
        @Override
        public void rows(long count) {}

        @Override
        public void columnRows(long count) {}
      };

  /** Another partition gets the rows of each batch, so arrays that stay would add up. */
  @Test
  void roomForMoreRowsCounts() {
    int partitions = 300;
    try (CpuDevice device =
            new CpuDevice(
                1, new MemoryBudget("memory", 1L << 26), new CpuExpressionCompiler());
        QueryMemory memory = device.newQueryMemory(0)) {
      UTF8String text = UTF8String.fromString("x".repeat(100));
      ColumnBatch columns =
          Objects.requireNonNull(
              new RowBatches(
                      IntStream.range(0, ROWS)
                          .<InternalRow>mapToObj(
                              i -> new GenericInternalRow(new Object[] {(long) i, text}))
                          .iterator(),
                      TYPES,
                      UNCOUNTED)
                  .next(memory, ROWS));
      ColumnarBatch batch =
          new ColumnarBatch(
              new ColumnVector[] {
                new EngineColumnVector(DataTypes.LongType, columns.column(0)),
                new EngineColumnVector(DataTypes.StringType, columns.column(1))
              },
              columns.rows());
      int[] number = {0};
      ShuffleSlices slices =
          new ShuffleSlices(
              Collections.nCopies(5 * partitions, batch).iterator(),
              (rows, places) -> java.util.Arrays.fill(places, number[0]++ % partitions),
              partitions,
              TYPES,
              new ShuffleMetrics(metric(), metric(), metric(), metric()));
      long most = 0;
      long rows = 0;
      while (slices.hasNext()) {
        UnsafeRow slice = (UnsafeRow) slices.next()._2();
        rows +=
            SliceColumnVector.batch(
                    slice, List.of(DataTypes.LongType, DataTypes.StringType), TYPES)
                .numRows();
        most = Math.max(most, slices.held());
      }
      assertEquals(5L * partitions * ROWS, rows);
      assertEquals(0, slices.held());
      assertTrue(most <= ShuffleSlices.HELD_BYTES + (2 << 20), most + " bytes held");
    }
  }

  /** A batch is put in order block by block; its texts end where its memory may end. */
  @Test
  void rowsOfALargeBatchComeInTheirOrder() {
    int rows = 50_000;
    int partitions = 7;
    try (CpuDevice device =
            new CpuDevice(1, new MemoryBudget("memory", 1L << 26), new CpuExpressionCompiler());
        QueryMemory memory = device.newQueryMemory(0)) {
      ColumnBatch columns =
          Objects.requireNonNull(
              new RowBatches(
                      IntStream.range(0, rows).mapToObj(ShuffleSlicesTest::row).iterator(),
                      TYPES,
                      UNCOUNTED)
                  .next(memory, rows));
      ColumnarBatch batch =
          new ColumnarBatch(
              new ColumnVector[] {
                new EngineColumnVector(DataTypes.LongType, columns.column(0)),
                new EngineColumnVector(DataTypes.StringType, columns.column(1))
              },
              rows);
      ShuffleSlices slices =
          new ShuffleSlices(
              List.of(batch, batch).iterator(),
              (all, places) -> java.util.Arrays.setAll(places, i -> i * 31 % partitions),
              partitions,
              TYPES,
              new ShuffleMetrics(metric(), metric(), metric(), metric()));
      List<List<String>> read = new ArrayList<>();
      IntStream.range(0, partitions).forEach(i -> read.add(new ArrayList<>()));
      while (slices.hasNext()) {
        var slice = slices.next();
        SliceColumnVector.batch(
                (UnsafeRow) slice._2(), List.of(DataTypes.LongType, DataTypes.StringType), TYPES)
            .rowIterator()
            .forEachRemaining(row -> read.get((int) slice._1()).add(text(row)));
      }
      for (int partition = 0; partition < partitions; partition++) {
        int wanted = partition;
        List<String> once =
            IntStream.range(0, rows)
                .filter(i -> i * 31 % partitions == wanted)
                .mapToObj(i -> text(row(i)))
                .toList();
        List<String> twice = new ArrayList<>(once);
        twice.addAll(once);
        assertEquals(twice, read.get(partition), "partition " + partition);
      }
    }
  }

  private static InternalRow row(int number) {
    boolean isNull = number % 11 == 0;
    UTF8String text = UTF8String.fromString("t" + number + "x".repeat(number % 61));
    return new GenericInternalRow(
        new Object[] {number % 13 == 0 ? null : number * 1_000_003L, isNull ? null : text});
  }

  private static String text(InternalRow row) {
    return (row.isNullAt(0) ? "null" : row.getLong(0)) + " " + row.getUTF8String(1);
  }

  /** A column as tables on a device have it: 4 values from {@code least} on, the third is null. */
  private static Column narrow(DataType type, Storage storage, int least, QueryMemory memory) {
    Buffer values = memory.allocate(4L * storage.width());
    for (int i = 0; i < 4; i++) {
      long at = values.address() + (long) i * storage.width();
      switch (storage.width()) {
        case 1 -> Mem.putByte(at, (byte) (least + i));
        case 2 -> Mem.putShort(at, (short) (least + i));
        default -> Mem.putInt(at, least + i);
      }
    }
    Buffer validity = memory.allocate(8);
    Mem.putLong(validity.address(), 0b1011);
    Dictionary texts =
        new Dictionary(
            IntStream.range(0, 4).mapToObj(i -> new byte[] {(byte) ('a' + i)}).toArray(byte[][]::new));
    Dictionary dictionary = storage.isCode() ? texts : null;
    ColumnShape shape = new ColumnShape(type, storage, true, dictionary, null);
    return new Column(shape, 4, values, Buffer.EMPTY, validity, null);
  }

  /** Spark's values of a column, as its rows read them, and as slices bring them. */
  private static String read(ColumnVector vector) {
    return IntStream.range(0, 4)
        .mapToObj(
            i -> {
              InternalRow row = new ColumnarBatch(new ColumnVector[] {vector}, 4).getRow(i);
              return row.isNullAt(0) ? "null" : String.valueOf(row.get(0, vector.dataType()));
            })
        .toList()
        .toString();
  }

  @Test
  void columnsAreReadByTheirStorage() {
    var narrow = DataTypes.createDecimalType(9, 2);
    var wide = DataTypes.createDecimalType(30, 2);
    DataType text = DataType.of(TypeKind.VARCHAR, true);
    record StorageCase(
        org.apache.spark.sql.types.DataType spark, DataType type, Storage storage, String expected) {}
    List<StorageCase> cases =
        List.of(
            new StorageCase(DataTypes.LongType, DataType.of(TypeKind.INT64, true), Storage.INT, "[-1, 0, null, 2]"),
            new StorageCase(DataTypes.DateType, DataType.of(TypeKind.DATE, true), Storage.SHORT, "[-1, 0, null, 2]"),
            new StorageCase(DataTypes.IntegerType, DataType.of(TypeKind.INT32, true), Storage.BYTE, "[-1, 0, null, 2]"),
            new StorageCase(narrow, DataType.decimal(9, 2, true), Storage.BYTE, "[-0.01, 0.00, null, 0.02]"),
            new StorageCase(wide, DataType.decimal(30, 2, true), Storage.SHORT, "[-0.01, 0.00, null, 0.02]"),
            new StorageCase(DataTypes.StringType, text, Storage.CODE8, "[a, b, null, d]"),
            new StorageCase(DataTypes.StringType, text, Storage.CODE16, "[a, b, null, d]"));
    try (CpuDevice device =
            new CpuDevice(1, new MemoryBudget("memory", 1L << 20), new CpuExpressionCompiler());
        QueryMemory memory = device.newQueryMemory(0)) {
      for (StorageCase c : cases) {
        Column column = narrow(c.type(), c.storage(), c.storage().isCode() ? 0 : -1, memory);
        EngineColumnVector vector = new EngineColumnVector(c.spark(), column);
        assertEquals(c.expected(), read(vector), c::toString);
        SliceBuilder builder = new SliceBuilder(List.of(c.type()));
        builder.add(new ColumnarBatch(new ColumnVector[] {vector}, 4), new int[] {0, 1, 2, 3}, 0, 4);
        ColumnarBatch slice =
            SliceColumnVector.batch(builder.finish(), List.of(c.spark()), List.of(c.type()));
        assertEquals(c.expected(), read(slice.column(0)), c::toString);
      }
    }
  }

  private static SQLMetric metric() {
    return new SQLMetric("sum", 0);
  }
}
