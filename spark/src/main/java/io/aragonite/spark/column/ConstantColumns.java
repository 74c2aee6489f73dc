package io.aragonite.spark.column;

import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;

/** Columns with one value in all rows. */
public final class ConstantColumns {
  private ConstantColumns() {}

  /**
   * @param type the engine's type of the value
   * @param memory where the column is, whose buffers are the caller's
   */
  public static Column of(
      ConstantColumnVector value, DataType type, int rows, QueryMemory memory) {
    ColumnBuilder column = new ColumnBuilder(type, memory);
    column.add(value, 0, rows);
    return column.finish();
  }
}
