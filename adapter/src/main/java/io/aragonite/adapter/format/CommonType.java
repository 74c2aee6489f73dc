package io.aragonite.adapter.format;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import org.jspecify.annotations.Nullable;

/** The type that holds the values of a column which the files of a table have in several types. */
public final class CommonType {
  /** Digits of the widest integers. */
  private static final int LONG_DIGITS = 19;

  private CommonType() {}

  /** The narrower type that holds all values of both; null if there is none. */
  public static @Nullable DataType of(DataType a, DataType b) {
    boolean nullable = a.nullable() || b.nullable();
    DataType common = a.sameAs(b) ? a : different(a, b);
    return common == null ? null : common.withNullable(nullable);
  }

  private static @Nullable DataType different(DataType a, DataType b) {
    if (a.kind() == TypeKind.NULL) {
      return b.withNullable(true);
    }
    if (b.kind() == TypeKind.NULL) {
      return a.withNullable(true);
    }
    if (isNumber(a) && isNumber(b)) {
      return number(a, b);
    }
    if (a.kind().isText() && b.kind().isText()) {
      boolean bounded = a.precision() >= 0 && b.precision() >= 0;
      int length = bounded ? Math.max(a.precision(), b.precision()) : -1;
      return new DataType(TypeKind.VARCHAR, length, 0, false);
    }
    if (a.kind() == b.kind()) {
      return new DataType(a.kind(), longer(a, b), 0, false);
    }
    return isMoment(a) && isMoment(b)
        ? new DataType(TypeKind.TIMESTAMP, Math.max(a.precision(), b.precision()), 0, false)
        : null;
  }

  private static int longer(DataType a, DataType b) {
    boolean unlimited = a.precision() < 0 || b.precision() < 0;
    return unlimited ? -1 : Math.max(a.precision(), b.precision());
  }

  private static boolean isMoment(DataType type) {
    return type.kind() == TypeKind.DATE || type.kind() == TypeKind.TIMESTAMP;
  }

  private static boolean isNumber(DataType type) {
    return isInteger(type.kind()) || type.kind() == TypeKind.DECIMAL || isFloat(type.kind());
  }

  static boolean isInteger(TypeKind kind) {
    return switch (kind) {
      case INT8, INT16, INT32, INT64 -> true;
      default -> false;
    };
  }

  private static boolean isFloat(TypeKind kind) {
    return kind == TypeKind.FLOAT32 || kind == TypeKind.FLOAT64;
  }

  private static DataType number(DataType a, DataType b) {
    if (isFloat(a.kind()) || isFloat(b.kind())) {
      return DataType.FLOAT64;
    }
    if (isInteger(a.kind()) && isInteger(b.kind())) {
      return a.kind().compareTo(b.kind()) > 0 ? a : b;
    }
    int scale = Math.max(a.scale(), b.scale());
    int precision = Math.max(digits(a) - a.scale(), digits(b) - b.scale()) + scale;
    return precision <= DataType.MAX_DECIMAL_PRECISION
        ? DataType.decimal(precision, scale, false)
        : DataType.FLOAT64;
  }

  private static int digits(DataType type) {
    return switch (type.kind()) {
      case INT8 -> 3;
      case INT16 -> 5;
      case INT32 -> 10;
      case INT64 -> LONG_DIGITS;
      default -> type.precision();
    };
  }
}
