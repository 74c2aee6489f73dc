package io.aragonite.adapter.result;

import io.aragonite.adapter.format.nested.NestedEncoder;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.HostObjects;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.jspecify.annotations.Nullable;

/** Copies a column of a batch into an Arrow vector. */
final class ColumnToArrow {
  private final Column column;
  private final int rows;
  private final BufferAllocator allocator;
  private final List<ArrowBuf> buffers = new ArrayList<>();

  private ColumnToArrow(Column column, BufferAllocator allocator) {
    if (column.rowIds() != null) {
      throw new IllegalArgumentException("result columns have no indirection");
    }
    this.column = column;
    this.rows = column.rows();
    this.allocator = allocator;
  }

  /**
   * Returns the bytes that the vector takes.
   *
   * @param encoder of objects; null: their texts are taken
   */
  static long load(
      Column column,
      FieldVector vector,
      BufferAllocator allocator,
      @Nullable NestedEncoder encoder,
      HostObjects objects) {
    if (vector instanceof NullVector nulls) {
      nulls.setValueCount(column.rows());
      return 0;
    }
    ColumnToArrow copy = new ColumnToArrow(column, allocator);
    try {
      int nulls = copy.validity();
      if (column.shape().storage() == Storage.HANDLE) {
        copy.handles(encoder, objects);
      } else {
        copy.values(vector);
      }
      vector.loadFieldBuffers(new ArrowFieldNode(copy.rows, nulls), copy.buffers);
      return copy.buffers.stream().mapToLong(ArrowBuf::readableBytes).sum();
    } finally {
      copy.buffers.forEach(ArrowBuf::close);
    }
  }

  private ArrowBuf buffer(long bytes) {
    ArrowBuf buffer = allocator.buffer(Math.max(8, (bytes + 7) & ~7L));
    buffers.add(buffer);
    buffer.writerIndex(bytes);
    return buffer;
  }

  /** Writes the bitmap and returns the number of nulls. */
  private int validity() {
    int bytes = (rows + 7) / 8;
    ArrowBuf bits = buffer(bytes);
    if (column.shape().storage() == Storage.NONE) {
      Mem.fill(bits.memoryAddress(), bytes, (byte) 0);
      return rows;
    }
    if (column.validity() == null) {
      Mem.fill(bits.memoryAddress(), bytes, (byte) -1);
      return 0;
    }
    Mem.copy(column.validity().address(), bits.memoryAddress(), bytes);
    int valid = 0;
    for (int i = 0; i < rows; i++) {
      valid += Mem.getBit(bits.memoryAddress(), i) ? 1 : 0;
    }
    return rows - valid;
  }

  private boolean isNull(int row) {
    return column.validity() != null && !Mem.getBit(column.validity().address(), row);
  }

  private void values(FieldVector vector) {
    ColumnShape shape = column.shape();
    long from = column.values().address();
    switch (shape.storage()) {
      case NONE -> empty(vector);
      case BYTE, SHORT, INT, LONG -> {
        if (vector instanceof BitVector) {
          bits(from);
        } else {
          integers(from, ((BaseFixedWidthVector) vector).getTypeWidth());
        }
      }
      case FLOAT, DOUBLE, LONG128 -> copy(from, (long) rows * shape.storage().width());
      case CODE, CODE8, CODE16 -> {
        if (vector instanceof IntVector) {
          codes();
        } else {
          decode(java.util.Objects.requireNonNull(shape.dictionary()));
        }
      }
      case BYTES -> bytes();
      case HANDLE -> throw new IllegalStateException("objects are no values");
    }
  }

  private void empty(FieldVector vector) {
    if (vector instanceof BitVector) {
      zero(buffer((rows + 7) / 8));
    } else if (vector instanceof BaseFixedWidthVector fixed) {
      zero(buffer((long) rows * fixed.getTypeWidth()));
    } else {
      zero(buffer((rows + 1) * 4L));
      buffer(0);
    }
  }

  private static void zero(ArrowBuf buffer) {
    Mem.fill(buffer.memoryAddress(), buffer.writerIndex(), (byte) 0);
  }

  private void copy(long from, long bytes) {
    ArrowBuf to = buffer(bytes);
    if (bytes > 0) {
      Mem.copy(from, to.memoryAddress(), bytes);
    }
  }

  private void bits(long from) {
    ArrowBuf to = buffer((rows + 7) / 8);
    for (int i = 0; i < rows; i += 8) {
      int word = 0;
      for (int j = i; j < Math.min(rows, i + 8); j++) {
        word |= (Mem.getByte(from + j) & 1) << (j - i);
      }
      Mem.putByte(to.memoryAddress() + i / 8, (byte) word);
    }
  }

  /** Integers, which may be stored narrower than the vector has them. */
  private void integers(long from, int width) {
    int stored = column.shape().storage().width();
    if (stored == width) {
      copy(from, (long) rows * width);
      return;
    }
    long to = buffer((long) rows * width).memoryAddress();
    for (int i = 0; i < rows; i++) {
      long value =
          switch (stored) {
            case 1 -> Mem.getByte(from + i);
            case 2 -> Mem.getShort(from + i * 2L);
            case 4 -> Mem.getInt(from + i * 4L);
            default -> Mem.getLong(from + i * 8L);
          };
      switch (width) {
        case 2 -> Mem.putShort(to + i * 2L, (short) value);
        case 4 -> Mem.putInt(to + i * 4L, (int) value);
        case 8 -> Mem.putLong(to + i * 8L, value);
        default -> {
          Mem.putLong(to + i * 16L, value);
          Mem.putLong(to + i * 16L + 8, value >> 63);
        }
      }
    }
  }

  /** Codes as they are, with 0 under nulls, so that nobody looks up garbage. */
  private void codes() {
    long to = buffer(rows * 4L).memoryAddress();
    for (int i = 0; i < rows; i++) {
      Mem.putInt(to + i * 4L, isNull(i) ? 0 : column.code(i));
    }
  }

  private void decode(Dictionary dictionary) {
    long offsets = buffer((rows + 1) * 4L).memoryAddress();
    int total = 0;
    for (int i = 0; i < rows; i++) {
      Mem.putInt(offsets + i * 4L, total);
      if (!isNull(i)) {
        total = Math.addExact(total, dictionary.bytes(column.code(i)).length);
      }
    }
    Mem.putInt(offsets + rows * 4L, total);
    long to = buffer(total).memoryAddress();
    for (int i = 0; i < rows; i++) {
      if (!isNull(i)) {
        byte[] value = dictionary.bytes(column.code(i));
        Mem.copy(value, 0, to, value.length);
        to += value.length;
      }
    }
  }

  private void bytes() {
    long from = column.offsets().address();
    long offsets = buffer((rows + 1) * 4L).memoryAddress();
    int first = rows == 0 ? 0 : Mem.getInt(from);
    int end = rows == 0 ? 0 : Mem.getInt(from + rows * 4L);
    Mem.putInt(offsets, 0);
    for (int i = 1; i <= rows; i++) {
      Mem.putInt(offsets + i * 4L, Mem.getInt(from + i * 4L) - first);
    }
    copy(column.values().address() + first, end - first);
  }

  private void handles(@Nullable NestedEncoder encoder, HostObjects objects) {
    long from = column.values().address();
    byte[][] values = new byte[rows][];
    long offsets = buffer((rows + 1) * 4L).memoryAddress();
    int total = 0;
    for (int i = 0; i < rows; i++) {
      Mem.putInt(offsets + i * 4L, total);
      values[i] = isNull(i) ? new byte[0] : bytes(objects.get(Mem.getLong(from + i * 8L)), encoder);
      total = Math.addExact(total, values[i].length);
    }
    Mem.putInt(offsets + rows * 4L, total);
    long to = buffer(total).memoryAddress();
    for (byte[] value : values) {
      Mem.copy(value, 0, to, value.length);
      to += value.length;
    }
  }

  private static byte[] bytes(Object value, @Nullable NestedEncoder encoder) {
    if (encoder == null) {
      return String.valueOf(value).getBytes(StandardCharsets.UTF_8);
    }
    ByteBuffer bytes = encoder.encode(value);
    return Arrays.copyOf(bytes.array(), bytes.position());
  }
}
