package io.aragonite.adapter.format;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a table file decodes to, as Java objects to compare. */
public final class FileValues {
  private FileValues() {}

  /** The values of a column of all parts; all memory must be back afterwards. */
  public static List<@Nullable Object> column(TableFile file, int column) {
    List<@Nullable Object> values = new ArrayList<>();
    for (FilePart part : file.parts()) {
      values.addAll(values(part, column));
    }
    return values;
  }

  /** The values of a column of one part. */
  public static List<@Nullable Object> values(FilePart part, int column) {
    MemoryBudget budget = new MemoryBudget("memory", 1L << 30);
    List<@Nullable Object> values = new ArrayList<>();
    try (QueryMemory memory = new NativeQueryMemory(budget, 0);
        Decoded decoded = part.read(column, memory)) {
      assertEquals(part.rows(), decoded.column().rows());
      for (int i = 0; i < part.rows(); i++) {
        values.add(value(decoded, i));
      }
    }
    assertEquals(0, budget.used(), "bytes still held");
    return values;
  }

  /**
   * The values of a column of integers of all parts, asked for in a narrower storage. Parts have it
   * where all values of the file fit, and the widest where some of their own do not.
   */
  public static List<@Nullable Object> column(TableFile file, int column, Storage narrow) {
    MemoryBudget budget = new MemoryBudget("memory", 1L << 30);
    List<@Nullable Object> values = new ArrayList<>();
    boolean allNarrow = true;
    boolean allFit = true;
    for (FilePart part : file.parts()) {
      try (QueryMemory memory = new NativeQueryMemory(budget, 0);
          Decoded wide = part.read(column, memory);
          Decoded decoded = part.read(column, memory, 0, narrow)) {
        for (int i = 0; i < part.rows(); i++) {
          values.add(value(decoded, i));
        }
        boolean isNarrow = decoded.column().shape().storage() == narrow;
        allNarrow &= isNarrow;
        allFit &= fits(wide.column(), narrow);
        assertEquals(isNarrow ? narrow : wide.column().shape().storage(), storage(decoded));
      }
    }
    assertEquals(allFit, allNarrow, "whether " + narrow + " holds the values");
    assertEquals(0, budget.used(), "bytes still held");
    return values;
  }

  private static Storage storage(Decoded decoded) {
    return decoded.column().shape().storage();
  }

  private static boolean fits(Column column, Storage narrow) {
    boolean longs = column.shape().storage() == Storage.LONG;
    for (int i = 0; i < column.dataRows(); i++) {
      long at = column.values().address();
      long value = longs ? Mem.getLong(at + 8L * i) : Mem.getInt(at + 4L * i);
      boolean present = column.validity() == null || Mem.getBit(column.validity().address(), i);
      if (present && !new ValueRange(value, value).fits(narrow.width())) {
        return false;
      }
    }
    return true;
  }

  /** All columns that can be read, by row. */
  public static List<List<@Nullable Object>> rows(TableFile file) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int c = 0; c < file.columns().size(); c++) {
      if (file.columns().get(c).type() == null) {
        continue;
      }
      List<@Nullable Object> values = column(file, c);
      for (int i = 0; i < values.size(); i++) {
        if (rows.size() == i) {
          rows.add(new ArrayList<>());
        }
        rows.get(i).add(values.get(i));
      }
    }
    return rows;
  }

  private static @Nullable Object value(Decoded decoded, int row) {
    Column column = decoded.column();
    PartDictionary dictionary = decoded.dictionary();
    if (dictionary == null) {
      return value(column, row);
    }
    if (column.validity() != null && !Mem.getBit(column.validity().address(), row)) {
      return null;
    }
    long at = column.values().address();
    int number =
        switch (column.shape().storage()) {
          case BYTE -> Mem.getByte(at + row) & 0xFF;
          case SHORT -> Mem.getShort(at + 2L * row) & 0xFFFF;
          default -> Mem.getInt(at + 4L * row);
        };
    byte[] bytes = new byte[dictionary.length(number)];
    Mem.copy(dictionary.address(number), bytes, 0, bytes.length);
    return ofBytes(column.shape().type(), bytes);
  }

  private static Object ofBytes(DataType type, byte[] bytes) {
    return type.kind().isText()
        ? new String(bytes, StandardCharsets.UTF_8)
        : HexFormat.of().formatHex(bytes);
  }

  private static @Nullable Object value(Column column, int row) {
    DataType type = column.shape().type();
    if (column.validity() != null && !Mem.getBit(column.validity().address(), row)) {
      return null;
    }
    long at = column.values().address();
    return switch (column.shape().storage()) {
      case NONE -> null;
      case BYTE ->
          type.kind() == io.aragonite.exec.type.TypeKind.BOOLEAN
              ? (Object) (Mem.getByte(at + row) != 0)
              : integer(type, Mem.getByte(at + row));
      case SHORT -> integer(type, Mem.getShort(at + 2L * row));
      case INT -> integer(type, Mem.getInt(at + 4L * row));
      case LONG -> integer(type, Mem.getLong(at + 8L * row));
      case LONG128 -> {
        byte[] bytes =
            ByteBuffer.allocate(16)
                .putLong(Mem.getLong(at + 16L * row + 8))
                .putLong(Mem.getLong(at + 16L * row))
                .array();
        yield new BigDecimal(new BigInteger(bytes), type.scale());
      }
      case FLOAT -> Mem.getFloat(at + 4L * row);
      case DOUBLE -> Mem.getDouble(at + 8L * row);
      case BYTES -> ofBytes(type, bytes(column, row));
      case CODE, CODE8, CODE16 -> column.shape().dictionary().text(column.code(row));
      case HANDLE -> throw new AssertionError("a file has no handles");
    };
  }

  private static byte[] bytes(Column column, int row) {
    int start = Mem.getInt(column.offsets().address() + 4L * row);
    byte[] bytes = new byte[Mem.getInt(column.offsets().address() + 4L * row + 4) - start];
    Mem.copy(column.values().address() + start, bytes, 0, bytes.length);
    return bytes;
  }

  private static Object integer(DataType type, long value) {
    return switch (type.kind()) {
      case DECIMAL -> BigDecimal.valueOf(value, type.scale());
      case DATE -> LocalDate.ofEpochDay(value);
      case TIME -> LocalTime.ofNanoOfDay(value * 1_000);
      case TIMESTAMP, INSTANT -> {
        long perSecond = type.timestampUnit().perSecond();
        long nanos = Math.floorMod(value, perSecond) * (1_000_000_000 / perSecond);
        yield LocalDateTime.ofEpochSecond(
            Math.floorDiv(value, perSecond), (int) nanos, ZoneOffset.UTC);
      }
      default -> value;
    };
  }
}
