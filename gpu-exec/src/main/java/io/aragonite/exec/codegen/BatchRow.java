package io.aragonite.exec.codegen;

import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Int128;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.HostObjects;
import io.aragonite.exec.vector.RowIds;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One row of a batch as boxed values; {@link #row} may be moved. */
public final class BatchRow implements Interpreter.Row {
  private final ColumnBatch batch;
  private final HostObjects hostObjects;

  /** The row of the batch. */
  public int row;

  public BatchRow(ColumnBatch batch, HostObjects hostObjects) {
    this.batch = batch;
    this.hostObjects = hostObjects;
  }

  @Override
  public @Nullable Object get(int column) {
    Column data = batch.column(column);
    int at = dataRow(data, row);
    return at < 0 ? null : value(data, at);
  }

  @Override
  public int code(int column) {
    Column data = batch.column(column);
    return data.code(dataRow(data, row));
  }

  /** The row of the data behind the indirection, or -1 for a null. */
  private static int dataRow(Column column, int row) {
    RowIds rowIds = column.rowIds();
    int at = rowIds == null ? row : Mem.getInt(rowIds.ids().address() + 4L * row);
    Buffer validity = column.validity();
    return at < 0 || validity == null || Mem.getBit(validity.address(), at) ? at : -1;
  }

  private @Nullable Object value(Column column, int at) {
    long address = column.values().address();
    TypeKind kind = column.shape().type().kind();
    return switch (column.shape().storage()) {
      case NONE -> null;
      case BYTE -> {
        byte value = Mem.getByte(address + at);
        yield kind == TypeKind.BOOLEAN ? (Object) (value != 0) : integer(column, value);
      }
      case SHORT -> integer(column, Mem.getShort(address + 2L * at));
      case INT -> integer(column, Mem.getInt(address + 4L * at));
      case LONG -> integer(column, Mem.getLong(address + 8L * at));
      case LONG128 ->
          decimal(
              Mem.getLong(address + 16L * at + 8),
              Mem.getLong(address + 16L * at),
              column.shape().type().scale());
      case FLOAT -> (double) Mem.getFloat(address + 4L * at);
      case DOUBLE -> Mem.getDouble(address + 8L * at);
      case BYTES -> {
        int from = Mem.getInt(column.offsets().address() + 4L * at);
        int to = Mem.getInt(column.offsets().address() + 4L * at + 4);
        byte[] bytes = new byte[to - from];
        Mem.copy(address + from, bytes, 0, bytes.length);
        yield kind == TypeKind.BINARY ? bytes : new String(bytes, StandardCharsets.UTF_8);
      }
      case CODE, CODE8, CODE16 -> {
        Dictionary dictionary = Objects.requireNonNull(column.shape().dictionary());
        int code = column.code(at);
        yield kind == TypeKind.BINARY ? dictionary.bytes(code).clone() : dictionary.text(code);
      }
      case HANDLE -> hostObjects.get(Mem.getLong(address + 8L * at));
    };
  }

  private static Object integer(Column column, long value) {
    DataType type = column.shape().type();
    return type.kind() == TypeKind.DECIMAL
        ? (Object) BigDecimal.valueOf(value, type.scale())
        : (Object) value;
  }

  static BigDecimal decimal(long high, long low, int scale) {
    if (high == low >> 63) {
      return BigDecimal.valueOf(low, scale);
    }
    return new BigDecimal(Int128.of(high, low), scale);
  }
}
