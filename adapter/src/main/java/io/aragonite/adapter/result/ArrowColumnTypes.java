package io.aragonite.adapter.result;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;

/** What the engine's values are in Arrow vectors. */
public final class ArrowColumnTypes {
  private ArrowColumnTypes() {}

  private static TimeUnit unit(TimestampUnit unit) {
    return switch (unit) {
      case MILLIS -> TimeUnit.MILLISECOND;
      case MICROS -> TimeUnit.MICROSECOND;
      case NANOS -> TimeUnit.NANOSECOND;
    };
  }

  /** The type of vectors; what only the host has are texts. */
  public static ArrowType of(DataType type) {
    return switch (type.kind()) {
      case NULL -> ArrowType.Null.INSTANCE;
      case BOOLEAN -> ArrowType.Bool.INSTANCE;
      case INT8 -> new ArrowType.Int(8, true);
      case INT16 -> new ArrowType.Int(16, true);
      case INT32 -> new ArrowType.Int(32, true);
      case INT64 -> new ArrowType.Int(64, true);
      case FLOAT32 -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case FLOAT64 -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case DECIMAL -> new ArrowType.Decimal(type.precision(), type.scale(), 128);
      case DATE -> new ArrowType.Date(DateUnit.DAY);
      case TIME -> new ArrowType.Time(TimeUnit.MICROSECOND, 64);
      case TIMESTAMP -> new ArrowType.Timestamp(unit(type.timestampUnit()), null);
      case INSTANT -> new ArrowType.Timestamp(unit(type.timestampUnit()), "UTC");
      case INTERVAL_MONTH -> new ArrowType.Interval(IntervalUnit.YEAR_MONTH);
      case INTERVAL_DAY -> new ArrowType.Duration(TimeUnit.MILLISECOND);
      case BINARY -> ArrowType.Binary.INSTANCE;
      case CHAR, VARCHAR, OPAQUE -> ArrowType.Utf8.INSTANCE;
    };
  }
}
