package io.aragonite.exec.type;

/**
 * How the values of a column lie in memory. It follows from the type except where a narrower form
 * is enough: a DECIMAL whose values are known to fit is LONG whatever its precision, text with few
 * distinct values is CODE, and columns of tables have integers and codes as narrow as their bounds
 * allow.
 */
public enum Storage {
  /** Nothing is stored: all values are null. */
  NONE(0),
  /** One byte: BOOLEAN (0 or 1) and integers. */
  BYTE(1),
  SHORT(2),
  INT(4),
  LONG(8),
  /** 128-bit two's complement, little-endian: low word first. */
  LONG128(16),
  FLOAT(4),
  DOUBLE(8),
  /** 32-bit offsets (rows + 1 of them, the first need not be 0) into bytes. */
  BYTES(0),
  /** 32-bit codes into an ordered dictionary. */
  CODE(4),
  /** Codes into a dictionary of up to 2^7 values, and of up to 2^15. */
  CODE8(1),
  CODE16(2),
  /** 64-bit handles into the query's {@link io.aragonite.exec.vector.HostObjects}. */
  HANDLE(8);

  private final int width;

  Storage(int width) {
    this.width = width;
  }

  /** Bytes of a value; 0 for NONE and BYTES. */
  public int width() {
    return width;
  }

  /** Whether values are codes into a dictionary, of any width; none is negative. */
  public boolean isCode() {
    return this == CODE || this == CODE8 || this == CODE16;
  }

  /** Whether values are signed integers of up to 8 bytes. */
  public boolean isInteger() {
    return this == BYTE || this == SHORT || this == INT || this == LONG;
  }

  /** Whether values of this storage, which are integers, can be had in a wider one. */
  public boolean widensTo(Storage wider) {
    return isInteger() && width < wider.width && (wider.isInteger() || wider == LONG128);
  }

  /** The storage of a type where nothing narrower is known. */
  public static Storage of(DataType type) {
    return switch (type.kind()) {
      case NULL -> NONE;
      case BOOLEAN, INT8 -> BYTE;
      case INT16 -> SHORT;
      case INT32, DATE, INTERVAL_MONTH -> INT;
      case INT64, TIME, TIMESTAMP, INSTANT, INTERVAL_DAY -> LONG;
      case FLOAT32 -> FLOAT;
      case FLOAT64 -> DOUBLE;
      case DECIMAL -> type.precision() <= DataType.MAX_LONG_PRECISION ? LONG : LONG128;
      case CHAR, VARCHAR, BINARY -> BYTES;
      case OPAQUE -> HANDLE;
    };
  }
}
