package io.aragonite.exec.type;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * A SQL type as the engine sees it.
 *
 * @param kind the kind
 * @param precision digits of a DECIMAL, declared length of CHAR, VARCHAR and BINARY (-1:
 *     unlimited), fractional-second digits of TIME, TIMESTAMP and INSTANT; 0 elsewhere
 * @param scale digits after the point of a DECIMAL; 0 elsewhere
 * @param nullable whether values may be null
 */
public record DataType(TypeKind kind, int precision, int scale, boolean nullable)
    implements Serializable {
  public static final int MAX_DECIMAL_PRECISION = 38;

  /** Digits of a fraction of a second that a TIMESTAMP has at most. */
  public static final int MAX_TIMESTAMP_PRECISION = 9;

  /** Digits of a fraction of a second that a TIME has at most. */
  public static final int MAX_TIME_PRECISION = 6;

  /** A decimal of at most this many digits fits 64 bits. */
  public static final int MAX_LONG_PRECISION = 18;

  public static DataType of(TypeKind kind, boolean nullable) {
    return new DataType(kind, kind.isVariable() ? -1 : 0, 0, nullable);
  }

  public static DataType decimal(int precision, int scale, boolean nullable) {
    return new DataType(TypeKind.DECIMAL, precision, scale, nullable);
  }

  /** A TIME with so many digits of a fraction of a second. */
  public static DataType time(int precision, boolean nullable) {
    return new DataType(TypeKind.TIME, precision, 0, nullable);
  }

  /** A TIMESTAMP with so many digits of a fraction of a second. */
  public static DataType timestamp(int precision, boolean nullable) {
    return new DataType(TypeKind.TIMESTAMP, precision, 0, nullable);
  }

  public static final DataType BOOLEAN = of(TypeKind.BOOLEAN, false);
  public static final DataType INT32 = of(TypeKind.INT32, false);
  public static final DataType INT64 = of(TypeKind.INT64, false);
  public static final DataType FLOAT64 = of(TypeKind.FLOAT64, false);
  public static final DataType DATE = of(TypeKind.DATE, false);
  public static final DataType VARCHAR = of(TypeKind.VARCHAR, false);

  public DataType withNullable(boolean newNullable) {
    return nullable == newNullable ? this : new DataType(kind, precision, scale, newNullable);
  }

  /** The same type, nullability aside. */
  public boolean sameAs(DataType other) {
    return withNullable(false).equals(other.withNullable(false));
  }

  /** What the values of a TIME, TIMESTAMP or INSTANT count. */
  public TimestampUnit timestampUnit() {
    return kind == TypeKind.TIME ? TimestampUnit.MICROS : TimestampUnit.of(precision);
  }

  // Those that the compiler leaves to the JVM are made when they are first called: milliseconds of
  // a
  // first query.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DataType type
        && kind == type.kind
        && precision == type.precision
        && scale == type.scale
        && nullable == type.nullable;
  }

  @Override
  public int hashCode() {
    return ((31 * kind.hashCode() + precision) * 31 + scale) * 31 + Boolean.hashCode(nullable);
  }

  @Override
  public String toString() {
    String base =
        switch (kind) {
          case DECIMAL -> "DECIMAL(" + precision + ", " + scale + ")";
          case CHAR, VARCHAR, BINARY -> precision < 0 ? kind.name() : kind + "(" + precision + ")";
          case TIMESTAMP ->
              timestampUnit() == TimestampUnit.MILLIS
                  ? kind.sqlName()
                  : "TIMESTAMP(" + precision + ")";
          case INSTANT -> "TIMESTAMP(" + precision + ") WITH TIME ZONE";
          default -> kind.sqlName();
        };
    return nullable ? base : base + " NOT NULL";
  }
}
