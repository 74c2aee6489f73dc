package io.aragonite.spark.column;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.jspecify.annotations.Nullable;

/** Spark's types as the engine's. */
public final class SparkTypes {
  private static final int MICROS = 6;
  private static final int BINARY_COLLATION = 0;

  private SparkTypes() {}

  /** The engine's type whose values mean the same; null if there is none. */
  public static @Nullable DataType of(
      org.apache.spark.sql.types.DataType type, boolean nullable) {
    return switch (type) {
      case BooleanType t -> DataType.of(TypeKind.BOOLEAN, nullable);
      case ByteType t -> DataType.of(TypeKind.INT8, nullable);
      case ShortType t -> DataType.of(TypeKind.INT16, nullable);
      case IntegerType t -> DataType.of(TypeKind.INT32, nullable);
      case LongType t -> DataType.of(TypeKind.INT64, nullable);
      case FloatType t -> DataType.of(TypeKind.FLOAT32, nullable);
      case DoubleType t -> DataType.of(TypeKind.FLOAT64, nullable);
      case DecimalType t when t.scale() >= 0 ->
          DataType.decimal(t.precision(), t.scale(), nullable);
      case DateType t -> DataType.of(TypeKind.DATE, nullable);
      case TimestampType t -> new DataType(TypeKind.INSTANT, MICROS, 0, nullable);
      case TimestampNTZType t -> DataType.timestamp(MICROS, nullable);
      case StringType t when t.collationId() == BINARY_COLLATION ->
          DataType.of(TypeKind.VARCHAR, nullable);
      case BinaryType t -> DataType.of(TypeKind.BINARY, nullable);
      case NullType t -> DataType.of(TypeKind.NULL, true);
      default -> null;
    };
  }
}
