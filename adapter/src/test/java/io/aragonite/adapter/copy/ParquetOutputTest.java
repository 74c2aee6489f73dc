package io.aragonite.adapter.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.lz4.Lz4JavaCompressor;
import io.airlift.compress.v3.snappy.SnappyJavaCompressor;
import io.airlift.compress.v3.zstd.ZstdJavaCompressor;
import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.FileValues;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.TestUnpacking;
import io.aragonite.adapter.table.TableFormat;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryReservation;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.LocalInputFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parquet files of vectors: what we read, what DuckDB does, and what parquet-java does. */
class ParquetOutputTest {
  private static final DataType DECIMAL = DataType.decimal(38, 4, true);

  @TempDir private Path folder;
  private final BufferAllocator allocator = new RootAllocator();
  private final Random random = new Random(Long.getLong("aragonite.seed", 1));
  private final List<ParquetField> fields = new ArrayList<>();
  private final List<FieldVector> vectors = new ArrayList<>();
  private final List<List<@Nullable Object>> expected = new ArrayList<>();
  private final MapDictionaryProvider dictionaries = new MapDictionaryProvider();

  @AfterEach
  void close() {
    vectors.forEach(FieldVector::close);
    dictionaries.close();
    allocator.close();
  }

  private static DataType type(TypeKind kind) {
    return DataType.of(kind, true);
  }

  /** Adds a column; nulls have what was there before in their place. */
  private void column(
      String name, DataType type, int rows, double nulls, IntFunction<@Nullable Object> values) {
    FieldVector vector =
        switch (type.kind()) {
          case INT32 -> new IntVector(name, allocator);
          case INT64 -> new BigIntVector(name, allocator);
          case FLOAT32 -> new Float4Vector(name, allocator);
          case FLOAT64 -> new Float8Vector(name, allocator);
          case BOOLEAN -> new BitVector(name, allocator);
          case DECIMAL -> new DecimalVector(name, allocator, type.precision(), type.scale());
          default -> new VarCharVector(name, allocator);
        };
    vector.setInitialCapacity(rows);
    vector.allocateNew();
    List<@Nullable Object> column = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      @Nullable Object value = values.apply(row);
      if (value != null) {
        set(vector, row, value);
      }
      column.add(random.nextDouble() < nulls ? null : value);
    }
    vector.setValueCount(rows);
    for (int row = 0; row < rows; row++) {
      if (column.get(row) == null) {
        BitVectorHelper.unsetBit(vector.getValidityBuffer(), row);
      }
    }
    add(vector, new ParquetField(name, type), column);
  }

  private void add(FieldVector vector, ParquetField field, List<@Nullable Object> column) {
    vectors.add(vector);
    fields.add(field);
    expected.add(column);
  }

  private static void set(FieldVector vector, int row, Object value) {
    switch (vector) {
      case IntVector ints -> ints.setSafe(row, (int) (long) value);
      case BigIntVector longs -> longs.setSafe(row, (long) value);
      case Float4Vector floats -> floats.setSafe(row, (float) value);
      case Float8Vector doubles -> doubles.setSafe(row, (double) value);
      case BitVector bits -> bits.setSafe(row, (boolean) value ? 1 : 0);
      case DecimalVector decimals -> decimals.setSafe(row, (BigDecimal) value);
      default ->
          ((VarCharVector) vector).setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** A column of codes, as queries bring texts that their tables have in dictionaries. */
  private void codes(String name, int rows, double nulls, List<String> words) {
    VarCharVector texts = new VarCharVector(name, allocator);
    texts.allocateNew();
    for (int i = 0; i < words.size(); i++) {
      texts.setSafe(i, words.get(i).getBytes(StandardCharsets.UTF_8));
    }
    texts.setValueCount(words.size());
    DictionaryEncoding encoding =
        new DictionaryEncoding(vectors.size(), true, new ArrowType.Int(32, true));
    dictionaries.put(new Dictionary(texts, encoding));
    IntVector vector =
        new IntVector(name, new FieldType(true, new ArrowType.Int(32, true), encoding), allocator);
    vector.allocateNew(rows);
    List<@Nullable Object> column = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      int code = random.nextInt(words.size());
      boolean missing = random.nextDouble() < nulls;
      vector.set(row, missing ? Integer.MIN_VALUE : code);
      column.add(missing ? null : words.get(code));
    }
    vector.setValueCount(rows);
    for (int row = 0; row < rows; row++) {
      if (column.get(row) == null) {
        BitVectorHelper.unsetBit(vector.getValidityBuffer(), row);
      }
    }
    add(vector, new ParquetField(name, type(TypeKind.VARCHAR)), column);
  }

  /** Writes the columns, whose rows come in slices, as one row group. */
  private Path write(PageCompression compression, int... cuts) throws IOException {
    Path path = folder.resolve("t.parquet");
    int rows = expected.getFirst().size();
    VectorSchemaRoot root = new VectorSchemaRoot(vectors);
    List<RowSlice> slices = new ArrayList<>();
    int from = 0;
    for (int cut : cuts) {
      if (cut < rows) {
        slices.add(new RowSlice(root, from, cut));
        from = cut;
      }
    }
    slices.add(new RowSlice(root, from, rows));
    MemoryBudget budget = new MemoryBudget("memory", 1L << 30);
    try (OutputStream out = Files.newOutputStream(path);
        CopyMemory memory = new CopyMemory(budget);
        MemoryReservation block = memory.reserve(0);
        ParquetOutput output =
            new ParquetOutput(out, compression, fields, new QueryWords(dictionaries))) {
      output.encode(slices, block).append();
      output.finish();
    }
    assertEquals(0, budget.used());
    return path;
  }

  private static String text(@Nullable Object value) {
    return switch (value) {
      case Double number -> "double " + Long.toHexString(Double.doubleToRawLongBits(number));
      case Float number -> "float " + Integer.toHexString(Float.floatToRawIntBits(number));
      case BigDecimal decimal -> decimal.toPlainString();
      case null -> "null";
      default -> value.toString();
    };
  }

  private static List<String> column(List<List<@Nullable Object>> rows, int column) {
    return rows.stream().map(row -> text(row.get(column))).toList();
  }

  private void assertRead(Path path) throws Exception {
    List<List<@Nullable Object>> others;
    try (DuckDb duckDb = new DuckDb()) {
      others = duckDb.rows("select * from '" + path + "'");
    }
    List<Group> groups = groups(path);
    try (TableFile file = TableFormat.PARQUET.open(path, TestUnpacking.ANY)) {
      for (int c = 0; c < fields.size(); c++) {
        String name = fields.get(c).name();
        List<String> wanted = expected.get(c).stream().map(ParquetOutputTest::text).toList();
        assertEquals(
            wanted,
            FileValues.column(file, c).stream().map(ParquetOutputTest::text).toList(),
            name);
        assertEquals(wanted, column(others, c), name);
        int at = c;
        assertEquals(wanted, groups.stream().map(group -> text(value(group, at))).toList(), name);
      }
    }
  }

  private @Nullable Object value(Group group, int column) {
    if (group.getFieldRepetitionCount(column) == 0) {
      return null;
    }
    DataType type = fields.get(column).type();
    return switch (type.kind()) {
      case INT32 -> (long) group.getInteger(column, 0);
      case INT64 -> group.getLong(column, 0);
      case FLOAT32 -> group.getFloat(column, 0);
      case FLOAT64 -> group.getDouble(column, 0);
      case BOOLEAN -> group.getBoolean(column, 0);
      case DECIMAL ->
          new BigDecimal(new BigInteger(group.getBinary(column, 0).getBytes()), type.scale());
      default -> group.getString(column, 0);
    };
  }

  private static List<Group> groups(Path path) throws IOException {
    List<Group> groups = new ArrayList<>();
    try (ParquetReader<Group> reader =
        new ParquetReader.Builder<Group>(
            new LocalInputFile(path), new PlainParquetConfiguration()) {
          @Override
          protected ReadSupport<Group> getReadSupport() {
            return new GroupReadSupport();
          }
        }.build()) {
      for (Group group = reader.read(); group != null; group = reader.read()) {
        groups.add(group);
      }
    }
    return groups;
  }

  private static final String LONG_WORD = "a long word that begins like others ";

  private void numbers(int rows, double nulls) {
    column("sorted", type(TypeKind.INT64), rows, nulls, row -> 3L * row + row % 3);
    column("same", type(TypeKind.INT32), rows, nulls, row -> -7L);
    column("dense", type(TypeKind.INT32), rows, nulls, row -> (long) random.nextInt(-9, 100));
    column("few", type(TypeKind.INT64), rows, nulls, row -> Long.MIN_VALUE >> random.nextInt(9));
    column("any", type(TypeKind.INT64), rows, nulls, row -> random.nextLong());
    column("int", type(TypeKind.INT32), rows, nulls, row -> (long) random.nextInt());
    column("runs", type(TypeKind.INT32), rows, nulls, row -> (long) (row / 97 % 5));
    column(
        "ends",
        type(TypeKind.INT32),
        rows,
        nulls,
        row -> row % 2 == 0 ? Integer.MAX_VALUE - (long) row : Integer.MIN_VALUE + (long) row);
    column(
        "wraps",
        type(TypeKind.INT64),
        rows,
        nulls,
        row -> row % 2 == 0 ? Long.MAX_VALUE - row : Long.MIN_VALUE + row);
    column("double", type(TypeKind.FLOAT64), rows, nulls, row -> random.nextGaussian());
    column("float", type(TypeKind.FLOAT32), rows, nulls, row -> random.nextInt(50) / 4f);
    column("bit", type(TypeKind.BOOLEAN), rows, nulls, row -> random.nextBoolean());
    column(
        "wide",
        DECIMAL,
        rows,
        nulls,
        row -> new BigDecimal(new BigInteger(random.nextInt(1, 120), random), 4).negate());
  }

  private void texts(int rows, double nulls) {
    column("words", type(TypeKind.VARCHAR), rows, nulls, row -> LONG_WORD + random.nextInt(30) % 7);
    column("texts", type(TypeKind.VARCHAR), rows, nulls, row -> "ä".repeat(row % 17) + row);
    codes("coded", rows, nulls, List.of("", "A", "b€", LONG_WORD + 1, LONG_WORD + 2));
    List<String> many = new ArrayList<>();
    for (int i = 0; i < 200_000; i++) {
      many.add(String.format("%06d", i));
    }
    codes("coded apart", rows, nulls, many);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, SNAPPY",
    "1, 0, SNAPPY",
    "1, 1, NONE",
    "7, 0.5, ZSTD",
    "8, 0.2, NONE",
    "129, 0, LZ4_RAW",
    "1000, 0.9, GZIP",
    "20001, 0.1, SNAPPY",
    "40007, 0, SNAPPY",
    "45000, 1, SNAPPY"
  })
  void valuesAreReadByAll(int rows, double nulls, PageCompression compression) throws Exception {
    numbers(rows, nulls);
    texts(rows, nulls);
    assertRead(write(compression, 3, 130, 19_998, 20_005));
  }

  @Test
  void encodingsAreTheSmallest() throws Exception {
    numbers(60_000, 0);
    texts(60_000, 0);
    Path path = write(PageCompression.SNAPPY);
    List<String> encodings = new ArrayList<>();
    try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(path))) {
      for (ColumnChunkMetaData chunk : chunks(reader)) {
        Set<Encoding> data = new TreeSet<>(chunk.getEncodingStats().getDataEncodings());
        encodings.add(chunk.getPath().toDotString() + " " + data);
      }
    }
    assertEquals(
        List.of(
            "sorted [DELTA_BINARY_PACKED]",
            "same [RLE_DICTIONARY]",
            "dense [RLE_DICTIONARY]",
            "few [RLE_DICTIONARY]",
            "any [PLAIN]",
            "int [PLAIN]",
            "runs [RLE_DICTIONARY]",
            "ends [DELTA_BINARY_PACKED]",
            "wraps [DELTA_BINARY_PACKED]",
            "double [PLAIN]",
            "float [RLE_DICTIONARY]",
            "bit [PLAIN]",
            "wide [PLAIN]",
            "words [RLE_DICTIONARY]",
            "texts [PLAIN]",
            "coded [RLE_DICTIONARY]",
            "coded apart [PLAIN]"),
        encodings);
  }

  private static List<ColumnChunkMetaData> chunks(ParquetFileReader reader) {
    List<BlockMetaData> blocks = reader.getFooter().getBlocks();
    return blocks.isEmpty() ? List.of() : blocks.getFirst().getColumns();
  }

  /** Bounds of columns and pages, of which a reader leaves out what a filter excludes. */
  @Test
  void boundsHoldTheValues() throws Exception {
    int rows = 50_000;
    column("n", type(TypeKind.INT32), rows, 0, row -> (long) row);
    column("nan", type(TypeKind.FLOAT64), rows, 0, row -> row == 30_000 ? Double.NaN : row + 0.5);
    column("zero", type(TypeKind.FLOAT64), rows, 0, row -> row % 2 == 0 ? -0.0 : 0.0);
    column("low", type(TypeKind.FLOAT32), rows, 0, row -> row % 3 == 0 ? -1f : 0f);
    column("late", type(TypeKind.INT64), rows, 0, row -> row < 20_480 ? null : (Object) 5L);
    column("text", type(TypeKind.VARCHAR), rows, 0, row -> String.format("k%05d", row));
    column(
        "huge", type(TypeKind.VARCHAR), rows, 0, row -> row == 9 ? "z".repeat(3 << 20) : "a" + row);
    Path path = write(PageCompression.SNAPPY);
    assertRead(path);
    InputFile input = new LocalInputFile(path);
    try (ParquetFileReader reader = ParquetFileReader.open(input)) {
      List<ColumnChunkMetaData> chunks = chunks(reader);
      assertEquals("min: 0, max: 49999, num_nulls: 0", chunks.get(0).getStatistics().toString());
      assertFalse(chunks.get(1).getStatistics().hasNonNullValue());
      assertNull(reader.readColumnIndex(chunks.get(1)));
      Statistics<?> zeros = chunks.get(2).getStatistics();
      assertEquals("-0.0 0.0", zeros.minAsString() + " " + zeros.maxAsString());
      Statistics<?> low = chunks.get(3).getStatistics();
      assertEquals("-1.0 0.0", low.minAsString() + " " + low.maxAsString());
      ColumnIndex late = Objects.requireNonNull(reader.readColumnIndex(chunks.get(4)));
      assertEquals(List.of(true, false, false), late.getNullPages());
      assertEquals(List.of(20_480L, 0L, 0L), late.getNullCounts());
      OffsetIndex places = reader.readOffsetIndex(chunks.get(5));
      assertEquals(3, places.getPageCount());
      assertEquals(40_960, places.getFirstRowIndex(2));
      assertNull(reader.readColumnIndex(chunks.get(6)));
      assertFalse(chunks.get(6).getStatistics().hasNonNullValue());
      assertTrue(reader.readOffsetIndex(chunks.get(6)).getPageCount() > 3);
    }
    try (DuckDb duckDb = new DuckDb()) {
      assertEquals(
          List.of(List.of(20_000L, (long) rows, 1L, 10L)),
          duckDb.rows(
              "select count(*) filter (nan >= 30000.5), (select count(*) from '%1$s' where zero = 0), (select count(*) from '%1$s' where nan = 'nan'), (select count(*) from '%1$s' where text between 'k29995' and 'k30004') from '%1$s'"
                  .formatted(path)));
    }
  }

  /** The room that a compressor wants for the longest page is an array. */
  @Test
  void theLongestPageCanBeCompressed() {
    for (Compressor compressor :
        List.of(new SnappyJavaCompressor(), new ZstdJavaCompressor(), new Lz4JavaCompressor())) {
      int longest = (int) PageCompression.SNAPPY.mostBytes();
      int most = compressor.maxCompressedLength(longest);
      assertTrue(most > longest && most < Integer.MAX_VALUE - 8, compressor + " " + most);
    }
    assertTrue(PageCompression.NONE.mostBytes() < Integer.MAX_VALUE - 8);
  }
}
