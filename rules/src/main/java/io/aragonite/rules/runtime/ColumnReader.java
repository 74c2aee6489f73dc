package io.aragonite.rules.runtime;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.HostObjects;
import io.aragonite.rules.translate.CalciteValues;
import io.aragonite.rules.translate.TypeMapping;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.Function;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactoryImpl;
import org.apache.calcite.runtime.SqlFunctions;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of a column in Calcite's internal forms.
 *
 * <p>A value is asked for when another thread may just have closed the result. So values come from
 * arrays of the heap: the next rows of a column are copied there while the result's memory is held
 * ({@link Guard}), some thousand at a time, which takes less than looking at each in its place.
 */
abstract class ColumnReader {
  /** Rows that are copied first; then four times as many each time. */
  private static final int FIRST_ROWS = 64;

  /** Rows that are copied at most: a column of them stays in a core's nearest cache. */
  private static final int MOST_ROWS = 2048;

  /** Runs what looks into the memory of a batch, which is not freed meanwhile. */
  interface Guard {
    void read(Runnable reader);
  }

  private final Guard guard;
  private Column column;
  private byte @Nullable [] valid;

  /** The first row that has been copied, and how many have. */
  private int from;

  private int count;
  private int size = FIRST_ROWS;

  private ColumnReader(Column column, Guard guard) {
    this.guard = guard;
    this.column = column;
    begin(column);
  }

  /**
   * Reads the next batch's column from now on, if it is of the same form; else another reader does.
   */
  final boolean read(Column next) {
    if (!next.shape().equals(column.shape())) {
      return false;
    }
    begin(next);
    return true;
  }

  private void begin(Column next) {
    if (next.rowIds() != null) {
      throw new IllegalArgumentException("result columns have no indirection");
    }
    column = next;
    count = 0;
    valid = next.validity() == null ? null : new byte[MOST_ROWS / 8 + 1];
  }

  /** The column that is read now. */
  final Column column() {
    return column;
  }

  /**
   * The value of a row of the batch, null for SQL's null.
   *
   * @throws AragoniteException INVALID_CALL if the result has been closed
   */
  final @Nullable Object get(int row) {
    int place = row - from;
    if (place < 0 || place >= count) {
      fetch(row);
      place = 0;
    }
    byte[] bits = valid;
    if (bits != null) {
      int bit = (from & 7) + place;
      if ((bits[bit >> 3] >> (bit & 7) & 1) == 0) {
        return null;
      }
    }
    return value(place);
  }

  private void fetch(int row) {
    count = 0; // there are none if this fails
    guard.read(() -> copyFrom(row));
    size = Math.min(MOST_ROWS, 4 * size);
  }

  private void copyFrom(int row) {
    int copied = copy(row, Math.min(size, column.rows() - row));
    byte[] bits = valid;
    Buffer validity = column.validity();
    if (bits != null && validity != null) {
      int first = row >> 3;
      Mem.copy(validity.address() + first, bits, 0, (row + copied + 7 >> 3) - first);
    }
    from = row;
    count = copied;
  }

  /**
   * Copies values from {@code row} on.
   *
   * @param count how many at most, one at least
   * @return how many, one at least
   */
  abstract int copy(int row, int count);

  /** The value at a place among those that were copied, which is not null. */
  abstract @Nullable Object value(int place);

  /** Values of up to 32 bits. */
  private abstract static class Ints extends ColumnReader {
    private final int width;
    private int[] ints = new int[FIRST_ROWS];

    Ints(Column column, Guard guard) {
      super(column, guard);
      width = column.shape().storage().width();
    }

    @Override
    final int copy(int row, int count) {
      if (ints.length < count) {
        ints = new int[MOST_ROWS];
      }
      long at = column().values().address() + (long) row * width;
      switch (width) {
        case 1 -> {
          for (int i = 0; i < count; i++) {
            ints[i] = Mem.getByte(at + i);
          }
        }
        case 2 -> {
          for (int i = 0; i < count; i++) {
            ints[i] = Mem.getShort(at + 2L * i);
          }
        }
        default -> Mem.copy(at, ints, count);
      }
      return count;
    }

    final int number(int place) {
      return ints[place];
    }
  }

  /** Values of 64 bits, or of two times as many: the low word first. */
  private abstract static class Longs extends ColumnReader {
    private final int words;
    private long[] longs = new long[FIRST_ROWS];

    Longs(Column column, Guard guard) {
      super(column, guard);
      words = column.shape().storage().width() / 8;
    }

    @Override
    final int copy(int row, int count) {
      if (longs.length < count * words) {
        longs = new long[MOST_ROWS * words];
      }
      Mem.copy(column().values().address() + 8L * words * row, longs, count * words);
      return count;
    }

    final long number(int index) {
      return longs[index];
    }
  }

  /** Texts and bytes. */
  private static final class Bytes extends ColumnReader {
    /** Bytes that are copied at most, unless one value has more. */
    private static final int MOST_BYTES = 1 << 16;

    private final boolean binary;
    private int[] starts = new int[FIRST_ROWS + 1];
    private byte[] bytes = new byte[0];

    Bytes(Column column, TypeKind kind, Guard guard) {
      super(column, guard);
      binary = kind == TypeKind.BINARY;
    }

    @Override
    int copy(int row, int wanted) {
      if (starts.length <= wanted) {
        starts = new int[MOST_ROWS + 1];
      }
      Mem.copy(column().offsets().address() + 4L * row, starts, wanted + 1);
      int count = wanted;
      while (count > 1 && starts[count] - starts[0] > MOST_BYTES) {
        count = count / 2;
      }
      int length = starts[count] - starts[0];
      if (bytes.length < length || bytes.length > MOST_BYTES) {
        bytes = new byte[count == 1 ? length : Math.min(MOST_BYTES, 2 * length)];
      }
      Mem.copy(column().values().address() + starts[0], bytes, 0, length);
      return count;
    }

    @Override
    Object value(int place) {
      int start = starts[place] - starts[0];
      int length = starts[place + 1] - starts[place];
      return binary
          ? new ByteString(Arrays.copyOfRange(bytes, start, start + length))
          : new String(bytes, start, length, StandardCharsets.UTF_8);
    }
  }

  /**
   * @param guard holds the memory of the batch that the column belongs to
   * @param exact whether times come in the unit of their type: Calcite's form has milliseconds
   */
  static ColumnReader of(
      Column column, RelDataType relType, HostObjects objects, Guard guard, boolean exact) {
    ColumnReader internal =
        exact || !isFine(column)
            ? internal(column, relType, objects, guard)
            : millis(column, column.shape().type(), guard);
    Function<Object, Object> form =
        relType instanceof RelDataTypeFactoryImpl.JavaType javaType
            ? javaForm(javaType.getJavaClass())
            : relType.getSqlTypeName() == SqlTypeName.UUID
                ? text -> UUID.fromString((String) text)
                : null;
    if (form == null) {
      return internal;
    }
    return new ColumnReader(column, guard) {
      @Override
      int copy(int row, int count) {
        internal.begin(column());
        return internal.copy(row, count);
      }

      @Override
      @Nullable Object value(int place) {
        Object value = internal.value(place);
        return value == null ? null : form.apply(value);
      }
    };
  }

  /** How a class of the reflective adapter shows a value, null if in Calcite's internal form. */
  private static @Nullable Function<Object, Object> javaForm(Class<?> javaClass) {
    if (javaClass == Date.class) {
      return value -> SqlFunctions.internalToDate((Integer) value);
    }
    if (javaClass == Time.class) {
      return value -> SqlFunctions.internalToTime((Integer) value);
    }
    if (javaClass == Timestamp.class || javaClass == java.util.Date.class) {
      return value -> SqlFunctions.internalToTimestamp((Long) value);
    }
    if (javaClass == char.class || javaClass == Character.class) {
      return value -> value.toString().isEmpty() ? ' ' : value.toString().charAt(0);
    }
    return null;
  }

  private static ColumnReader internal(
      Column column, RelDataType relType, HostObjects objects, Guard guard) {
    DataType type = TypeMapping.of(relType);
    int scale = column.shape().type().scale();
    boolean decimal = type.kind() == TypeKind.DECIMAL;
    return switch (column.shape().storage()) {
      case NONE -> nulls(column, guard);
      case BYTE, SHORT, INT ->
          decimal ? smallDecimals(column, scale, guard) : ints(column, relType, guard);
      case LONG -> decimal ? decimals(column, scale, guard) : longs(column, relType, guard);
      case LONG128 -> wideDecimals(column, scale, guard);
      case FLOAT -> floats(column, type.kind(), guard);
      case DOUBLE -> doubles(column, type.kind(), guard);
      case BYTES -> new Bytes(column, type.kind(), guard);
      case CODE, CODE8, CODE16 -> codes(column, type.kind(), guard);
      case HANDLE -> handles(column, objects, guard);
    };
  }

  private static ColumnReader nulls(Column column, Guard guard) {
    return new ColumnReader(column, guard) {
      @Override
      int copy(int row, int count) {
        return count;
      }

      @Override
      @Nullable Object value(int place) {
        return null;
      }
    };
  }

  /** A whole number as Calcite has it. */
  private static Object integer(long value, SqlTypeName name) {
    return switch (name) {
      case BOOLEAN -> value != 0;
      case TINYINT -> (byte) value;
      case SMALLINT -> (short) value;
      case INTEGER, DATE, INTERVAL_YEAR, INTERVAL_YEAR_MONTH, INTERVAL_MONTH -> (int) value;
      default -> value;
    };
  }

  private static ColumnReader ints(Column column, RelDataType type, Guard guard) {
    SqlTypeName name = type.getSqlTypeName();
    // The frequent form has no choice to make at each value.
    return integer(0, name) instanceof Integer
        ? new Ints(column, guard) {
          @Override
          Object value(int place) {
            return number(place);
          }
        }
        : new Ints(column, guard) {
          @Override
          Object value(int place) {
            return integer(number(place), name);
          }
        };
  }

  private static ColumnReader longs(Column column, RelDataType type, Guard guard) {
    SqlTypeName name = type.getSqlTypeName();
    return integer(0, name) instanceof Long
        ? new Longs(column, guard) {
          @Override
          Object value(int place) {
            return number(place);
          }
        }
        : new Longs(column, guard) {
          @Override
          Object value(int place) {
            return integer(number(place), name);
          }
        };
  }

  private static boolean isFine(Column column) {
    DataType type = column.shape().type();
    return (type.kind().isTimestamp() || type.kind() == TypeKind.TIME)
        && type.timestampUnit() != TimestampUnit.MILLIS
        && column.shape().storage() == Storage.LONG;
  }

  private static ColumnReader millis(Column column, DataType type, Guard guard) {
    boolean time = type.kind() == TypeKind.TIME;
    return new Longs(column, guard) {
      @Override
      Object value(int place) {
        long millis = CalciteValues.toMillis(number(place), type);
        return time ? (Object) (int) millis : millis;
      }
    };
  }

  private static ColumnReader smallDecimals(Column column, int scale, Guard guard) {
    return new Ints(column, guard) {
      @Override
      Object value(int place) {
        return BigDecimal.valueOf(number(place), scale);
      }
    };
  }

  private static ColumnReader decimals(Column column, int scale, Guard guard) {
    return new Longs(column, guard) {
      @Override
      Object value(int place) {
        return BigDecimal.valueOf(number(place), scale);
      }
    };
  }

  private static ColumnReader wideDecimals(Column column, int scale, Guard guard) {
    return new Longs(column, guard) {
      @Override
      Object value(int place) {
        long low = number(2 * place);
        long high = number(2 * place + 1);
        return high == low >> 63
            ? BigDecimal.valueOf(low, scale)
            : new BigDecimal(wide(high, low), scale);
      }
    };
  }

  private static BigInteger wide(long high, long low) {
    BigInteger unsigned = BigInteger.valueOf(low & Long.MAX_VALUE);
    if (low < 0) {
      unsigned = unsigned.setBit(63);
    }
    return BigInteger.valueOf(high).shiftLeft(64).or(unsigned);
  }

  private static ColumnReader floats(Column column, TypeKind kind, Guard guard) {
    return new Ints(column, guard) {
      @Override
      Object value(int place) {
        float value = Float.intBitsToFloat(number(place));
        return kind == TypeKind.FLOAT64 ? (Object) (double) value : (Object) value;
      }
    };
  }

  private static ColumnReader doubles(Column column, TypeKind kind, Guard guard) {
    return new Longs(column, guard) {
      @Override
      Object value(int place) {
        double value = Double.longBitsToDouble(number(place));
        return kind == TypeKind.FLOAT32 ? (Object) (float) value : (Object) value;
      }
    };
  }

  private static Object variable(byte[] bytes, TypeKind kind) {
    return kind == TypeKind.BINARY
        ? new ByteString(bytes)
        : new String(bytes, StandardCharsets.UTF_8);
  }

  private static ColumnReader codes(Column column, TypeKind kind, Guard guard) {
    Dictionary dictionary = column.shape().dictionary();
    if (dictionary == null) {
      throw new IllegalStateException("codes without a dictionary");
    }
    if (dictionary.size() > column.dataRows()) {
      return new Ints(column, guard) {
        @Override
        Object value(int place) {
          return variable(dictionary.bytes(number(place)), kind);
        }
      };
    }
    @Nullable Object[] known = new Object[dictionary.size()];
    return new Ints(column, guard) {
      @Override
      Object value(int place) {
        int code = number(place);
        Object value = known[code];
        if (value == null) {
          value = variable(dictionary.bytes(code), kind);
          known[code] = value;
        }
        return value;
      }
    };
  }

  private static ColumnReader handles(Column column, HostObjects objects, Guard guard) {
    return new Longs(column, guard) {
      @Override
      Object value(int place) {
        return objects.get(number(place));
      }
    };
  }
}
