package io.aragonite.spark.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.spark.column.ConversionCounter;
import io.aragonite.spark.column.EngineColumnVector;
import io.aragonite.spark.column.RowBatches;
import io.aragonite.spark.column.SliceColumnVector;
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

/** The heap that a task's slices take. */
class ShuffleSlicesTest {
  private static final List<DataType> TYPES =
      List.of(DataType.of(TypeKind.INT64, true), DataType.of(TypeKind.VARCHAR, true));
  private static final int ROWS = 2000;

  /** Another partition gets the rows of each batch, so arrays that stay would add up. */
  @Test
  void roomForMoreRowsCounts() {
    int partitions = 300;
    ConversionCounter counter =
        new ConversionCounter() {
          @Override
          public void rows(long count) {}

          @Override
          public void columnRows(long count) {}
        };
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
                      counter)
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

  private static SQLMetric metric() {
    return new SQLMetric("sum", 0);
  }
}
