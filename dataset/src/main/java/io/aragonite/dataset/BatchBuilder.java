package io.aragonite.dataset;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Collects rows column by column in Java arrays and copies each array to its Arrow vector at once,
 * which costs a fraction of Arrow's checked row-by-row setters.
 */
public final class BatchBuilder {
  private final Schema schema;
  private final int expected;
  private final List<BatchColumn> columns = new ArrayList<>();

  /**
   * @param expected rows that there is room for at first
   */
  public BatchBuilder(Schema schema, int expected) {
    this.schema = schema;
    this.expected = Math.max(1, expected);
  }

  /** A column being filled; one call of {@code add} or {@link #addNull} for each row. */
  public abstract static sealed class BatchColumn {
    private final BitSet nulls = new BitSet();
    int size;

    /** Appends a row without a value. */
    public final void addNull() {
      nulls.set(size);
      addNothing();
    }

    abstract void addNothing();

    abstract void copyTo(FieldVector vector);

    final ArrowBuf allocateFixed(FieldVector vector) {
      ((BaseFixedWidthVector) vector).allocateNew(size);
      setValidity(vector.getValidityBuffer());
      return vector.getDataBuffer();
    }

    final void setValidity(ArrowBuf validity) {
      validity.setZero(0, validity.capacity());
      validity.setOne(0L, size / 8L);
      if (size % 8 != 0) {
        validity.setByte(size / 8, (1 << size % 8) - 1);
      }
      for (int row = nulls.nextSetBit(0); row >= 0; row = nulls.nextSetBit(row + 1)) {
        validity.setByte(row / 8, validity.getByte(row / 8) & ~(1 << row % 8));
      }
    }

    private String fault(Field field, int rows) {
      if (size != rows) {
        return field.getName() + ": " + size + " rows, not " + rows;
      }
      return nulls.isEmpty() || field.isNullable() ? "" : field.getName() + " has a null";
    }
  }

  /** The next column, of kind BIGINT. */
  public Longs longs() {
    return add(new Longs(expected));
  }

  /** The next column, of kind INTEGER or DATE. */
  public Ints ints() {
    return add(new Ints(expected));
  }

  /** The next column, of kind DECIMAL. */
  public Decimals decimals() {
    return add(new Decimals(expected));
  }

  /** The next column, of kind CHAR or VARCHAR. */
  public Strings strings() {
    return add(new Strings(expected));
  }

  private <C extends BatchColumn> C add(C column) {
    columns.add(column);
    return column;
  }

  /** The batch as vectors, to be closed by the caller. */
  public VectorSchemaRoot build(BufferAllocator allocator) {
    VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
    try {
      int rows = columns.getFirst().size;
      for (int i = 0; i < columns.size(); i++) {
        BatchColumn column = columns.get(i);
        String fault = column.fault(schema.getFields().get(i), rows);
        if (!fault.isEmpty()) {
          throw new IllegalStateException(fault);
        }
        column.copyTo(root.getVector(i));
      }
      root.setRowCount(rows);
      return root;
    } catch (Throwable e) {
      root.close();
      throw e;
    }
  }

  private static int grown(int size) {
    return Math.max(64, size + (size >> 1));
  }

  /** Whole numbers of 64 bits. */
  public static final class Longs extends BatchColumn {
    private long[] values;

    Longs(int rows) {
      values = new long[rows];
    }

    /** Appends a value. */
    public void add(long value) {
      if (size == values.length) {
        values = Arrays.copyOf(values, grown(size));
      }
      values[size++] = value;
    }

    @Override
    void addNothing() {
      add(0);
    }

    @Override
    void copyTo(FieldVector vector) {
      ArrowBuf data = allocateFixed(vector);
      data.nioBuffer(0, size * Long.BYTES)
          .order(ByteOrder.LITTLE_ENDIAN)
          .asLongBuffer()
          .put(values, 0, size);
      vector.setValueCount(size);
    }
  }

  /** Whole numbers of 32 bits, and days. */
  public static final class Ints extends BatchColumn {
    private int[] values;

    Ints(int rows) {
      values = new int[rows];
    }

    /** Appends a value. */
    public void add(int value) {
      if (size == values.length) {
        values = Arrays.copyOf(values, grown(size));
      }
      values[size++] = value;
    }

    @Override
    void addNothing() {
      add(0);
    }

    @Override
    void copyTo(FieldVector vector) {
      ArrowBuf data = allocateFixed(vector);
      data.nioBuffer(0, size * Integer.BYTES)
          .order(ByteOrder.LITTLE_ENDIAN)
          .asIntBuffer()
          .put(values, 0, size);
      vector.setValueCount(size);
    }
  }

  /** Decimals in units of their last digit, widened to Arrow's 128 bits. */
  public static final class Decimals extends BatchColumn {
    private long[] words;

    Decimals(int rows) {
      words = new long[2 * rows];
    }

    /** Appends a value. */
    public void add(long unscaled) {
      if (2 * size == words.length) {
        words = Arrays.copyOf(words, 2 * grown(size));
      }
      words[2 * size] = unscaled;
      words[2 * size + 1] = unscaled >> 63;
      size++;
    }

    @Override
    void addNothing() {
      add(0);
    }

    @Override
    void copyTo(FieldVector vector) {
      ArrowBuf data = allocateFixed(vector);
      data.nioBuffer(0, size * 2 * Long.BYTES)
          .order(ByteOrder.LITTLE_ENDIAN)
          .asLongBuffer()
          .put(words, 0, 2 * size);
      vector.setValueCount(size);
    }
  }

  /** Text. */
  public static final class Strings extends BatchColumn {
    private int[] offsets;
    private byte[] bytes;

    Strings(int rows) {
      offsets = new int[rows + 1];
      bytes = new byte[Math.max(64, 16 * rows)];
    }

    /** Appends a value. */
    @SuppressWarnings("deprecation") // takes the low bytes: exact for ASCII, and copies once
    public void add(String value) {
      if (isAscii(value)) {
        int start = reserve(value.length());
        value.getBytes(0, value.length(), bytes, start);
      } else {
        byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(encoded, 0, bytes, reserve(encoded.length), encoded.length);
      }
    }

    private static boolean isAscii(String value) {
      for (int i = 0; i < value.length(); i++) {
        if (value.charAt(i) >= 0x80) {
          return false;
        }
      }
      return true;
    }

    /** Begins a row of so many bytes; where they go. */
    private int reserve(int length) {
      int start = offsets[size];
      int end = Math.addExact(start, length);
      if (end > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length + (bytes.length >> 1)));
      }
      if (size + 1 == offsets.length) {
        offsets = Arrays.copyOf(offsets, grown(size) + 1);
      }
      offsets[++size] = end;
      return start;
    }

    @Override
    void addNothing() {
      reserve(0);
    }

    @Override
    void copyTo(FieldVector vector) {
      VarCharVector strings = (VarCharVector) vector;
      strings.allocateNew(Math.max(1, offsets[size]), size);
      setValidity(strings.getValidityBuffer());
      strings
          .getOffsetBuffer()
          .nioBuffer(0, (size + 1) * Integer.BYTES)
          .order(ByteOrder.LITTLE_ENDIAN)
          .asIntBuffer()
          .put(offsets, 0, size + 1);
      strings.getDataBuffer().setBytes(0, bytes, 0, offsets[size]);
      strings.setLastSet(size - 1);
      strings.setValueCount(size);
    }
  }
}
