package io.aragonite.exec.plan;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.table.BlockRanges;
import io.aragonite.exec.table.SortedColumnCheck;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.lang.foreign.Arena;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A table of boxed values (in the forms of {@code Expr.Literal}) in any storage, with garbage under
 * its nulls. Its memory is the garbage collector's.
 */
public final class TestTable implements Table {
  private final List<ColumnShape> shapes;
  private final List<ColumnBatch> chunks = new ArrayList<>();
  private final Arena arena = Arena.ofAuto();
  private boolean keeps;

  /**
   * @param chunkRows rows of a chunk, a multiple of 64
   */
  public TestTable(
      List<ColumnShape> shapes,
      List<? extends List<? extends @Nullable Object>> rows,
      int chunkRows) {
    this.shapes = shapes;
    for (int from = 0; from < Math.max(1, rows.size()); from += chunkRows) {
      List<? extends List<? extends @Nullable Object>> some =
          rows.subList(from, Math.min(rows.size(), from + chunkRows));
      List<Column> columns = new ArrayList<>();
      for (int c = 0; c < shapes.size(); c++) {
        columns.add(column(shapes.get(c), some, c));
      }
      chunks.add(new ColumnBatch(columns, some.size()));
    }
  }

  private Buffer allocate(long bytes) {
    return new Buffer(arena.allocate(bytes + 64, 64).address(), bytes);
  }

  private Column column(
      ColumnShape shape, List<? extends List<? extends @Nullable Object>> rows, int c) {
    int count = rows.size();
    Storage storage = shape.storage();
    byte[][] texts = new byte[count][];
    boolean variable = storage == Storage.BYTES;
    int total = 0;
    for (int i = 0; variable && i < count; i++) {
      Object value = rows.get(i).get(c);
      // A null has bytes too: nobody may look at them.
      texts[i] = value == null ? new byte[] {'?', '!'} : bytes(value);
      total += texts[i].length;
    }
    Buffer values = allocate(variable ? total : (long) count * storage.width());
    Buffer offsets = variable ? allocate((count + 1) * 4L) : Buffer.EMPTY;
    Buffer validity = shape.mayBeNull() ? allocate(count / 64 * 8L + 8) : null;
    int at = 0;
    for (int i = 0; i < count; i++) {
      Object value = rows.get(i).get(c);
      if (validity != null && value != null) {
        long address = validity.address() + i / 8;
        Mem.putByte(address, (byte) (Mem.getByte(address) | 1 << (i & 7)));
      } else if (value == null && validity == null) {
        throw new IllegalArgumentException("null in a column of " + shape);
      }
      if (variable) {
        Mem.putInt(offsets.address() + i * 4L, at);
        Mem.copy(texts[i], 0, values.address() + at, texts[i].length);
        at += texts[i].length;
        Mem.putInt(offsets.address() + i * 4L + 4, at);
      } else {
        put(shape, values.address(), i, value);
      }
    }
    return new Column(shape, count, values, offsets, validity, null);
  }

  private static byte[] bytes(Object value) {
    return value instanceof byte[] b ? b : ((String) value).getBytes(StandardCharsets.UTF_8);
  }

  private static void put(ColumnShape shape, long address, int row, @Nullable Object value) {
    long garbage = 0xDEAD_BEEF_0BAD_F00DL * (row + 1);
    BigInteger wide = BigInteger.valueOf(garbage);
    if (value instanceof BigDecimal decimal) {
      wide = decimal.setScale(shape.type().scale()).unscaledValue();
    } else if (value instanceof Boolean truth) {
      wide = truth ? BigInteger.ONE : BigInteger.ZERO;
    } else if (value instanceof Long number) {
      wide = BigInteger.valueOf(number);
    }
    switch (shape.storage()) {
      case NONE -> {}
      case BYTE -> Mem.putByte(address + row, wide.byteValue());
      case SHORT -> Mem.putShort(address + row * 2L, wide.shortValue());
      case INT -> Mem.putInt(address + row * 4L, wide.intValue());
      case LONG -> Mem.putLong(address + row * 8L, wide.longValue());
      case LONG128 -> {
        Mem.putLong(address + row * 16L, wide.longValue());
        Mem.putLong(address + row * 16L + 8, wide.shiftRight(64).longValue());
      }
      case FLOAT ->
          Mem.putFloat(
              address + row * 4L, value == null ? Float.NaN : ((Double) value).floatValue());
      case DOUBLE -> Mem.putDouble(address + row * 8L, value == null ? Double.NaN : (Double) value);
      case CODE -> {
        var dictionary = Objects.requireNonNull(shape.dictionary());
        int code = value == null ? dictionary.size() - 1 : dictionary.find(bytes(value));
        Mem.putInt(address + row * 4L, code);
      }
      case BYTES, HANDLE, CODE8, CODE16 -> throw new IllegalArgumentException(shape.toString());
    }
  }

  @Override
  public ColumnShape shape(int column) {
    return shapes.get(column);
  }

  /** Has queries keep the hash tables that they make over its columns. */
  public TestTable keepingHashTables() {
    keeps = true;
    return this;
  }

  @Override
  public boolean keepsHashTables() {
    return keeps;
  }

  /** A scan of all columns. */
  public PhysicalPlan scan() {
    List<Integer> all = IntStream.range(0, shapes.size()).boxed().toList();
    return new PhysicalPlan.Scan(this, all, columnTypes());
  }

  @Override
  public boolean ascends(int column) {
    return SortedColumnCheck.is(chunks.stream().map(chunk -> chunk.column(column)).toList());
  }

  @Override
  public @Nullable BlockRanges blockRanges(int column) {
    return BlockRanges.of(chunks.stream().map(chunk -> chunk.column(column)).toList(), 50);
  }

  @Override
  public String name() {
    return "test";
  }

  @Override
  public List<String> columnNames() {
    return IntStream.range(0, shapes.size()).mapToObj(i -> "c" + i).toList();
  }

  @Override
  public List<DataType> columnTypes() {
    return shapes.stream().map(ColumnShape::type).toList();
  }

  @Override
  public long rows() {
    return chunks.stream().mapToLong(ColumnBatch::rows).sum();
  }

  @Override
  public Pin pin(List<Integer> columns) {
    List<ColumnBatch> pinned =
        chunks.stream()
            .map(c -> new ColumnBatch(columns.stream().map(c::column).toList(), c.rows()))
            .toList();
    return new Pin() {
      @Override
      public List<ColumnShape> shapes() {
        return columns.stream().map(shapes::get).toList();
      }

      @Override
      public List<ColumnBatch> chunks() {
        return pinned;
      }

      @Override
      public void close() {}
    };
  }
}
