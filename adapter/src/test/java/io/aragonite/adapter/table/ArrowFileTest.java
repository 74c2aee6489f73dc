package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.TestUnpacking;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.io.FileOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrow files as tables: every value that was written is read, whatever the batches' sizes. */
class ArrowFileTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              nullable("k", new ArrowType.Int(64, true)),
              nullable("flag", new ArrowType.Bool()),
              nullable("price", new ArrowType.Decimal(20, 2, 128)),
              nullable("wide", new ArrowType.Decimal(38, 0, 128)),
              nullable("city", new ArrowType.Utf8()),
              nullable("note", new ArrowType.LargeUtf8()),
              nullable("u", new ArrowType.Int(32, false)),
              nullable("at", new ArrowType.Timestamp(TimeUnit.MICROSECOND, null)),
              nullable("day", new ArrowType.Date(DateUnit.MILLISECOND)),
              nullable("x", new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE)),
              nullable(
                  "list",
                  new ArrowType.LargeList(),
                  nullable("item", new ArrowType.Int(8, true)))));

  @TempDir Path directory;
  private final MemoryBudget budget = new MemoryBudget("memory", 1L << 30);
  private final List<@Nullable Object[]> expected = new ArrayList<>();

  private static Field nullable(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.nullable(type), List.of(children));
  }

  @AfterEach
  void nothingIsLeft() {
    assertEquals(0, budget.used());
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, NO_COMPRESSION",
    "1, 1, NO_COMPRESSION",
    "7, 3, NO_COMPRESSION",
    "1000, 1000, ZSTD",
    "1000, 63, LZ4_FRAME",
    "5000, 129, NO_COMPRESSION",
    "200000, 70001, NO_COMPRESSION"
  })
  void readsWhatWasWritten(int rows, int batch, CompressionUtil.CodecType codec)
      throws IOException {
    long seed = Long.getLong("aragonite.seed", System.nanoTime());
    System.out.println("ArrowFileTest -Daragonite.seed=" + seed);
    write(directory.resolve("t.arrow"), rows, batch, codec, new Random(seed));
    try (TableCatalog catalog = TableCatalog.open(directory, budget, TestUnpacking.ANY, 2)) {
      CachedTable table = assertNotNull2(catalog.table("t"));
      assertEquals(rows, table.rows());
      List<Integer> all = IntStream.range(0, 10).boxed().toList();
      try (Table.Pin pin = table.pin(all)) {
        int row = 0;
        for (ColumnBatch chunk : pin.chunks()) {
          for (int i = 0; i < chunk.rows(); i++, row++) {
            for (int c = 0; c < 10; c++) {
              assertEquals(
                  expected.get(row)[c], value(chunk.column(c), i), "row " + row + " column " + c);
            }
          }
        }
        assertEquals(rows, row);
      }
      checkStatistics(table);
    }
  }

  @Test
  void namesThatDifferInCaseOnlyAreToldApart() throws IOException {
    Schema schema =
        new Schema(
            List.of(
                nullable("id", new ArrowType.Int(64, true)),
                nullable("ID", new ArrowType.Int(64, true))));
    try (RootAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
        FileOutputStream out = new FileOutputStream(directory.resolve("t.arrow").toFile());
        ArrowFileWriter writer = new ArrowFileWriter(root, null, out.getChannel())) {
      ((BigIntVector) root.getVector(0)).setSafe(0, 1);
      ((BigIntVector) root.getVector(1)).setSafe(0, 2);
      root.setRowCount(1);
      writer.writeBatch();
    }
    try (TableCatalog catalog = TableCatalog.open(directory, budget, TestUnpacking.ANY, 1)) {
      CachedTable table = assertNotNull2(catalog.table("t"));
      assertEquals(List.of("id", "ID_2"), table.columnNames());
      try (Table.Pin pin = table.pin(List.of(1))) {
        assertEquals(2L, value(pin.chunks().getFirst().column(0), 0));
      }
    }
  }

  private void checkStatistics(CachedTable table) {
    for (int c : new int[] {0, 4, 6}) {
      int column = c;
      TableColumnStatistics statistics = table.statistics().of(c);
      long distinct =
          expected.stream().map(r -> r[column]).filter(v -> v != null).distinct().count();
      assertEquals(expected.size(), statistics.rows());
      assertEquals(expected.stream().filter(r -> r[column] == null).count(), statistics.nulls());
      double tolerance = statistics.exact() ? 0 : 0.1 * distinct;
      assertEquals(distinct, statistics.distinct(), tolerance, "distinct of column " + c);
    }
  }

  private static CachedTable assertNotNull2(@Nullable CachedTable table) {
    assertNotNull(table);
    return table;
  }

  @Test
  void narrowsAndEncodes() throws IOException {
    write(
        directory.resolve("t.arrow"),
        5000,
        1000,
        CompressionUtil.CodecType.NO_COMPRESSION,
        new Random(1));
    try (TableCatalog catalog = TableCatalog.open(directory, budget, TestUnpacking.ANY, 2);
        Table.Pin pin = assertNotNull2(catalog.table("t")).pin(List.of(2, 3, 4, 5))) {
      assertEquals(Storage.LONG, pin.shapes().get(0).storage());
      assertEquals(Storage.LONG128, pin.shapes().get(1).storage());
      assertEquals(Storage.CODE8, pin.shapes().get(2).storage());
      assertEquals(Storage.BYTES, pin.shapes().get(3).storage());
    }
  }

  @Test
  void aListIsRefusedOnlyWhenItIsRead() throws IOException {
    write(
        directory.resolve("t.arrow"),
        10,
        10,
        CompressionUtil.CodecType.NO_COMPRESSION,
        new Random(1));
    try (TableCatalog catalog = TableCatalog.open(directory, budget, TestUnpacking.ANY, 1)) {
      CachedTable table = assertNotNull2(catalog.table("t"));
      assertNull(table.file().columns().get(10).type());
      AragoniteException e =
          assertThrows(AragoniteException.class, () -> table.pin(List.of(0, 10)));
      assertEquals(ErrorCode.COLUMN_TYPE_UNSUPPORTED, e.code());
      assertTrue(e.getMessage().contains("\"list\""), e.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 11, 100, 2000})
  void aTruncatedFileIsBroken(int length) throws IOException {
    Path file = directory.resolve("t.arrow");
    write(file, 100, 100, CompressionUtil.CodecType.NO_COMPRESSION, new Random(1));
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, java.util.Arrays.copyOf(bytes, length));
    try (TableCatalog catalog = TableCatalog.open(directory, budget, TestUnpacking.ANY, 1)) {
      AragoniteException e = Objects.requireNonNull(catalog.broken().get("t"));
      assertEquals(ErrorCode.FILE_BROKEN, e.code());
      assertTrue(e.getMessage().contains("t.arrow"), e.getMessage());
    }
  }

  @Test
  void randomDamageIsAnErrorOrWrongValuesButNeverACrash() throws IOException {
    long seed = Long.getLong("aragonite.seed", System.nanoTime());
    System.out.println("ArrowFileTest -Daragonite.seed=" + seed);
    Random random = new Random(seed);
    Path file = directory.resolve("t.arrow");
    write(file, 300, 100, CompressionUtil.CodecType.NO_COMPRESSION, random);
    byte[] bytes = Files.readAllBytes(file);
    for (int round = 0; round < 200; round++) {
      byte[] damaged = bytes.clone();
      for (int i = 0; i < 3; i++) {
        damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      }
      Files.write(file, damaged);
      try (TableCatalog catalog = TableCatalog.open(directory, budget, TestUnpacking.ANY, 1)) {
        CachedTable table = catalog.table("t");
        if (table == null) {
          assertTrue(catalog.broken().containsKey("t"));
          continue;
        }
        for (int c = 0; c < table.columnNames().size(); c++) {
          try (Table.Pin pin = table.pin(List.of(c))) {
            assertFalse(pin.shapes().isEmpty());
          } catch (AragoniteException e) {
            assertTrue(
                e.code().number() / 100 == 3 || e.code().number() / 100 == 6, e.getMessage());
          }
        }
      }
    }
  }

  @Test
  void directoriesThatAreNone() {
    AragoniteException missing =
        assertThrows(
            AragoniteException.class,
            () ->
                TableCatalog.open(directory.resolve("none"), budget, TestUnpacking.ANY, 1).close());
    assertEquals(ErrorCode.DIRECTORY_NOT_FOUND, missing.code());
    AragoniteException empty =
        assertThrows(
            AragoniteException.class,
            () -> TableCatalog.open(directory, budget, TestUnpacking.ANY, 1).close());
    assertEquals(ErrorCode.DIRECTORY_EMPTY, empty.code());
  }

  @Test
  void twoFilesForOneName() throws IOException {
    for (String name : new String[] {"t.arrow", "t.feather"}) {
      write(directory.resolve(name), 1, 1, CompressionUtil.CodecType.NO_COMPRESSION, new Random(1));
    }
    AragoniteException e =
        assertThrows(
            AragoniteException.class,
            () -> TableCatalog.open(directory, budget, TestUnpacking.ANY, 1).close());
    assertEquals(ErrorCode.DUPLICATE_TABLE, e.code());
  }

  @Test
  void theBudgetTakesBackWhatIsNotPinned() throws IOException {
    write(
        directory.resolve("t.arrow"),
        100_000,
        10_000,
        CompressionUtil.CodecType.NO_COMPRESSION,
        new Random(1));
    MemoryBudget small = new MemoryBudget("memory", 3_000_000);
    try (TableCatalog catalog = TableCatalog.open(directory, small, TestUnpacking.ANY, 2)) {
      CachedTable table = assertNotNull2(catalog.table("t"));
      for (int round = 0; round < 2; round++) {
        for (int c : new int[] {0, 2, 3, 9}) {
          table.pin(List.of(c)).close();
        }
      }
      assertTrue(small.used() > 0 && small.used() <= 3_000_000);
      AragoniteException e =
          assertThrows(AragoniteException.class, () -> table.pin(List.of(0, 2, 3, 9)));
      assertEquals(ErrorCode.MEMORY_EXCEEDED, e.code());
      table.pin(List.of(0)).close();
    }
    assertEquals(0, small.used());
  }

  private void write(Path file, int rows, int batch, CompressionUtil.CodecType codec, Random random)
      throws IOException {
    expected.clear();
    try (RootAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator);
        var out =
            Files.newByteChannel(
                file,
                java.nio.file.StandardOpenOption.CREATE,
                java.nio.file.StandardOpenOption.WRITE,
                java.nio.file.StandardOpenOption.TRUNCATE_EXISTING);
        ArrowFileWriter writer =
            codec == CompressionUtil.CodecType.NO_COMPRESSION
                ? new ArrowFileWriter(root, new DictionaryProvider.MapDictionaryProvider(), out)
                : new ArrowFileWriter(
                    root,
                    new DictionaryProvider.MapDictionaryProvider(),
                    out,
                    Map.of(),
                    IpcOption.DEFAULT,
                    CommonsCompressionFactory.INSTANCE,
                    codec)) {
      writer.start();
      for (int from = 0; from < rows; from += batch) {
        int count = Math.min(batch, rows - from);
        root.getFieldVectors().forEach(FieldVector::reset);
        for (int i = 0; i < count; i++) {
          Object[] row = row(random, from + i);
          expected.add(row);
          for (int c = 0; c < 10; c++) {
            if (row[c] == null) {
              root.getVector(c).setNull(i);
            } else {
              set(root.getVector(c), i, row[c]);
            }
          }
        }
        root.setRowCount(count);
        writer.writeBatch();
      }
      writer.end();
    }
  }

  private static @Nullable Object[] row(Random random, int row) {
    Object[] values = {
      (long) row * 3 - 100,
      random.nextBoolean(),
      BigDecimal.valueOf(random.nextInt(), 2),
      new BigDecimal(new java.math.BigInteger(120, random)).negate(),
      "city " + random.nextInt(20),
      "note " + row + " ".repeat(random.nextInt(20)),
      random.nextInt() & 0xFFFFFFFFL,
      random.nextInt() * 1000L,
      (long) random.nextInt(40000) - 20000,
      random.nextGaussian()
    };
    for (int c = 0; c < values.length; c++) {
      if (random.nextInt(7) == 0) {
        values[c] = null;
      }
    }
    return values;
  }

  private static void set(FieldVector vector, int i, Object value) {
    switch (vector) {
      case BigIntVector v -> v.setSafe(i, (Long) value);
      case BitVector v -> v.setSafe(i, (Boolean) value ? 1 : 0);
      case DecimalVector v -> v.setSafe(i, (BigDecimal) value);
      case VarCharVector v -> v.setSafe(i, ((String) value).getBytes(StandardCharsets.UTF_8));
      case LargeVarCharVector v -> v.setSafe(i, ((String) value).getBytes(StandardCharsets.UTF_8));
      case UInt4Vector v -> v.setSafe(i, ((Long) value).intValue());
      case TimeStampMicroVector v -> v.setSafe(i, (Long) value);
      case DateMilliVector v -> v.setSafe(i, (Long) value * 86_400_000L);
      case Float8Vector v -> v.setSafe(i, (Double) value);
      default -> throw new IllegalArgumentException(vector.getClass().getName());
    }
  }

  private static @Nullable Object value(Column column, int i) {
    if (column.validity() != null && !Mem.getBit(column.validity().address(), i)) {
      return null;
    }
    DataType type = column.shape().type();
    long address = column.values().address();
    return switch (column.shape().storage()) {
      case BYTE -> Mem.getByte(address + i) != 0;
      case INT -> (long) Mem.getInt(address + 4L * i);
      case LONG ->
          type.kind() == TypeKind.DECIMAL
              ? BigDecimal.valueOf(Mem.getLong(address + 8L * i), type.scale())
              : (Object) Mem.getLong(address + 8L * i);
      case LONG128 ->
          new BigDecimal(
              java.math.BigInteger.valueOf(Mem.getLong(address + 16L * i + 8))
                  .shiftLeft(64)
                  .add(
                      new java.math.BigInteger(
                          Long.toUnsignedString(Mem.getLong(address + 16L * i)))),
              type.scale());
      case DOUBLE -> Mem.getDouble(address + 8L * i);
      case CODE, CODE8, CODE16 ->
          java.util.Objects.requireNonNull(column.shape().dictionary()).text(column.code(i));
      case BYTES -> {
        int start = Mem.getInt(column.offsets().address() + 4L * i);
        byte[] bytes = new byte[Mem.getInt(column.offsets().address() + 4L * i + 4) - start];
        Mem.copy(address + start, bytes, 0, bytes.length);
        yield new String(bytes, StandardCharsets.UTF_8);
      }
      default -> throw new IllegalArgumentException(column.shape().toString());
    };
  }
}
