package io.aragonite.rules.runtime;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.Dictionary;
import io.aragonite.exec.column.HostObjects;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.translate.TypeMapping;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.function.Function;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactoryImpl;
import org.apache.calcite.runtime.SqlFunctions;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Reads the values of a column in Calcite's internal forms. */
abstract class ColumnReader {
  private final long rowIds;
  private final long validity;
  private final long values;
  private final long offsets;
  private final int width;

  private ColumnReader(Column column) {
    rowIds = column.rowIds() == null ? 0 : column.rowIds().ids().address();
    validity = column.validity() == null ? 0 : column.validity().address();
    values = column.values().address();
    offsets = column.offsets().address();
    width = column.shape().storage().width();
  }

  /** The value of a row of the batch, null for SQL's null. */
  final @Nullable Object get(int row) {
    int place = row;
    if (rowIds != 0) {
      place = Mem.getInt(rowIds + 4L * row);
      if (place < 0) {
        return null;
      }
    }
    if (validity != 0 && !Mem.getBit(validity, place)) {
      return null;
    }
    return value(place);
  }

  abstract @Nullable Object value(long row);

  final long values() {
    return values;
  }

  final long offsets() {
    return offsets;
  }

  /** A whole number of up to 64 bits. */
  final long integer(long row) {
    return switch (width) {
      case 1 -> Mem.getByte(values + row);
      case 2 -> Mem.getShort(values + 2 * row);
      case 4 -> Mem.getInt(values + 4 * row);
      default -> Mem.getLong(values + 8 * row);
    };
  }

  static ColumnReader of(Column column, RelDataType relType, HostObjects objects) {
    ColumnReader internal = internal(column, relType, objects);
    Function<Object, Object> form =
        relType instanceof RelDataTypeFactoryImpl.JavaType javaType
            ? javaForm(javaType.getJavaClass())
            : null;
    if (form == null) {
      return internal;
    }
    return new ColumnReader(column) {
      @Override
      @Nullable Object value(long row) {
        Object value = internal.value(row);
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

  private static ColumnReader internal(Column column, RelDataType relType, HostObjects objects) {
    DataType type = TypeMapping.of(relType);
    return switch (column.shape().storage()) {
      case NONE -> nulls(column);
      case BYTE, SHORT, INT, LONG ->
          type.kind() == TypeKind.DECIMAL
              ? decimals(column, column.shape().type().scale())
              : integers(column, relType);
      case LONG128 -> wideDecimals(column, column.shape().type().scale());
      case FLOAT -> floats(column, type.kind());
      case DOUBLE -> doubles(column, type.kind());
      case BYTES -> bytes(column, type.kind());
      case CODE -> codes(column, type.kind());
      case HANDLE -> handles(column, objects);
    };
  }

  private static ColumnReader nulls(Column column) {
    return new ColumnReader(column) {
      @Override
      @Nullable Object value(long row) {
        return null;
      }
    };
  }

  private static ColumnReader integers(Column column, RelDataType type) {
    SqlTypeName name = type.getSqlTypeName();
    return new ColumnReader(column) {
      @Override
      Object value(long row) {
        long value = integer(row);
        return switch (name) {
          case BOOLEAN -> value != 0;
          case TINYINT -> (byte) value;
          case SMALLINT -> (short) value;
          case INTEGER, DATE, TIME, INTERVAL_YEAR, INTERVAL_YEAR_MONTH, INTERVAL_MONTH ->
              (int) value;
          default -> value;
        };
      }
    };
  }

  private static ColumnReader decimals(Column column, int scale) {
    return new ColumnReader(column) {
      @Override
      Object value(long row) {
        return BigDecimal.valueOf(integer(row), scale);
      }
    };
  }

  private static ColumnReader wideDecimals(Column column, int scale) {
    return new ColumnReader(column) {
      @Override
      Object value(long row) {
        long low = Mem.getLong(values() + 16 * row);
        long high = Mem.getLong(values() + 16 * row + 8);
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

  private static ColumnReader floats(Column column, TypeKind kind) {
    return new ColumnReader(column) {
      @Override
      Object value(long row) {
        float value = Mem.getFloat(values() + 4 * row);
        return kind == TypeKind.FLOAT64 ? (Object) (double) value : (Object) value;
      }
    };
  }

  private static ColumnReader doubles(Column column, TypeKind kind) {
    return new ColumnReader(column) {
      @Override
      Object value(long row) {
        double value = Mem.getDouble(values() + 8 * row);
        return kind == TypeKind.FLOAT32 ? (Object) (float) value : (Object) value;
      }
    };
  }

  private static Object variable(byte[] bytes, TypeKind kind) {
    return kind == TypeKind.BINARY
        ? new ByteString(bytes)
        : new String(bytes, StandardCharsets.UTF_8);
  }

  private static ColumnReader bytes(Column column, TypeKind kind) {
    return new ColumnReader(column) {
      @Override
      Object value(long row) {
        int start = Mem.getInt(offsets() + 4 * row);
        byte[] bytes = new byte[Mem.getInt(offsets() + 4 * row + 4) - start];
        Mem.copy(values() + start, bytes, 0, bytes.length);
        return variable(bytes, kind);
      }
    };
  }

  private static ColumnReader codes(Column column, TypeKind kind) {
    Dictionary dictionary = column.shape().dictionary();
    if (dictionary == null) {
      throw new IllegalStateException("codes without a dictionary");
    }
    if (dictionary.size() > column.dataRows()) {
      return new ColumnReader(column) {
        @Override
        Object value(long row) {
          return variable(dictionary.bytes(Mem.getInt(values() + 4 * row)), kind);
        }
      };
    }
    @Nullable Object[] known = new Object[dictionary.size()];
    return new ColumnReader(column) {
      @Override
      Object value(long row) {
        int code = Mem.getInt(values() + 4 * row);
        Object value = known[code];
        if (value == null) {
          value = variable(dictionary.bytes(code), kind);
          known[code] = value;
        }
        return value;
      }
    };
  }

  private static ColumnReader handles(Column column, HostObjects objects) {
    return new ColumnReader(column) {
      @Override
      Object value(long row) {
        return objects.get(Mem.getLong(values() + 8 * row));
      }
    };
  }
}
