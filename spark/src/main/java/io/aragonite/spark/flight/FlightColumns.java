package io.aragonite.spark.flight;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Arrow's vectors as Spark's columns; copied are only times of other units than Spark's, and
 * integers smaller than those of its JDBC source.
 */
final class FlightColumns {
  private final StructType schema;
  private final BufferAllocator allocator;

  private final List<FieldVector> copies = new ArrayList<>();

  FlightColumns(StructType schema, BufferAllocator allocator) {
    this.schema = schema;
    this.allocator = allocator;
  }

  /** Valid until {@link #clear} and until the stream goes on. */
  ColumnarBatch of(VectorSchemaRoot root) {
    StructField[] fields = schema.fields();
    // Where Spark wants no column the statement selects a constant.
    ColumnVector[] columns = new ColumnVector[fields.length];
    for (int i = 0; i < fields.length; i++) {
      columns[i] = column(root.getVector(i), fields[i]);
    }
    return new ColumnarBatch(columns, root.getRowCount());
  }

  private ColumnVector column(FieldVector vector, StructField field) {
    FieldVector known =
        switch (vector) {
          case TimeStampVector times
              when vector.getField().getType() instanceof ArrowType.Timestamp type
                  && type.getUnit() != org.apache.arrow.vector.types.TimeUnit.MICROSECOND ->
              micros(times, type);
          case TinyIntVector small when field.dataType() instanceof IntegerType -> widened(small);
          case SmallIntVector small when field.dataType() instanceof IntegerType -> widened(small);
          default -> vector;
        };
    DataType type;
    ArrowColumnVector column;
    try {
      column = new ArrowColumnVector(known);
      type = column.dataType();
    } catch (UnsupportedOperationException e) {
      throw unexpected(vector, field);
    }
    if (!type.equals(field.dataType())) {
      throw unexpected(vector, field);
    }
    return column;
  }

  /** Spark's JDBC source has no smaller integers. */
  private IntVector widened(BaseIntVector small) {
    IntVector copy = new IntVector(small.getField().getName(), allocator);
    copies.add(copy);
    int rows = small.getValueCount();
    copy.allocateNew(rows);
    for (int row = 0; row < rows; row++) {
      if (!small.isNull(row)) {
        copy.set(row, (int) small.getValueAsLong(row));
      }
    }
    copy.setValueCount(rows);
    return copy;
  }

  /** Spark's JDBC source cuts digits off, too. */
  private TimeStampVector micros(TimeStampVector times, ArrowType.Timestamp type) {
    TimeUnit unit =
        switch (type.getUnit()) {
          case SECOND -> TimeUnit.SECONDS;
          case MILLISECOND -> TimeUnit.MILLISECONDS;
          case MICROSECOND -> TimeUnit.MICROSECONDS;
          case NANOSECOND -> TimeUnit.NANOSECONDS;
        };
    TimeStampVector copy =
        type.getTimezone() == null
            ? new TimeStampMicroVector(times.getName(), allocator)
            : new TimeStampMicroTZVector(times.getName(), allocator, type.getTimezone());
    copies.add(copy);
    int rows = times.getValueCount();
    copy.allocateNew(rows);
    for (int row = 0; row < rows; row++) {
      if (!times.isNull(row)) {
        copy.set(row, micros(times.get(row), unit));
      }
    }
    copy.setValueCount(rows);
    return copy;
  }

  private static long micros(long time, TimeUnit unit) {
    return unit == TimeUnit.NANOSECONDS ? Math.floorDiv(time, 1000L) : unit.toMicros(time);
  }

  private static AragoniteException unexpected(FieldVector vector, StructField field) {
    return new AragoniteException(
        ErrorCode.TYPE_UNSUPPORTED,
        "The column %s is %s by Flight and %s for Spark. Read it through JDBC: leave out the option %s."
            .formatted(
                field.name(),
                vector.getField().getType(),
                field.dataType().sql(),
                FlightServer.OPTION));
  }

  /** Frees what was copied. */
  void clear() {
    copies.forEach(FieldVector::close);
    copies.clear();
  }
}
