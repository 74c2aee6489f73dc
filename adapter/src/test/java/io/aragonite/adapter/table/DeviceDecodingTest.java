package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.parquet.JavaWriter;
import io.aragonite.adapter.format.parquet.JavaWriter.WriterSettings;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.RawColumnMemory;
import io.aragonite.exec.device.TableCache;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.memory.RawMemory;
import io.aragonite.exec.page.PageEncoding;
import io.aragonite.exec.settings.SettingsProperty;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.table.StoredPage;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import io.aragonite.exec.vector.Dictionary;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.format.Util;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Columns of Parquet files that a device decodes are those that the host decodes: in host memory
 * that stands for a device's, or on a GPU ({@code aragonite.test.device=cuda}).
 */
class DeviceDecodingTest {
  private static final String PAGES = SettingsProperty.PAGES.key();

  private static final String SCHEMA =
      """
      optional int32 a; required int64 b; optional int64 c; optional double d; required float e;
      optional int32 f (DATE); optional int32 g (DECIMAL(9,2)); optional int64 h (DECIMAL(18,2));
      optional fixed_len_byte_array(7) i (DECIMAL(15,2)); required int32 j; optional int64 k;
      optional binary l (UTF8); required binary m (UTF8); required boolean n;
      optional binary o (UTF8); required binary p (UTF8);
      """;

  /** Columns of texts that repeat, which are the device's where they are in dictionaries. */
  private static final Set<String> TEXTS = Set.of("l", "m");

  @TempDir private Path directory;

  private final Random random = TestSeed.random(DeviceDecodingTest.class);
  private final Device device = TestDevices.create();
  private final TestContext context = new TestContext(device);
  private final MemoryBudget deviceBudget = new MemoryBudget("deviceMemory", 1 << 26);

  /** Small texts are the device's too. */
  @BeforeAll
  static void all() {
    System.setProperty(PAGES, "on");
  }

  @AfterAll
  static void usual() {
    System.clearProperty(PAGES);
  }

  @AfterEach
  void close() {
    context.close();
    device.close();
    assertEquals(0, deviceBudget.used());
  }

  private List<List<@Nullable Object>> rows(int count) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] decimal = new byte[7];
      random.nextBytes(decimal);
      List<@Nullable Object> row = new ArrayList<>();
      row.add(rarelyNull(random.nextInt()));
      row.add((long) i * 3);
      row.add(rarelyNull((long) random.nextInt(20)));
      row.add(rarelyNull(random.nextGaussian()));
      row.add(random.nextFloat());
      row.add(rarelyNull(8000 + random.nextInt(2500)));
      row.add(rarelyNull(random.nextInt(1_000_000) - 500_000));
      row.add(rarelyNull(random.nextLong(1L << 50)));
      row.add(rarelyNull(decimal));
      row.add(random.nextInt(3));
      row.add(null);
      row.add(rarelyNull(text(40)));
      row.add(text(60));
      row.add(random.nextBoolean());
      row.add(rarelyNull(text(1 << 30)));
      row.add(text(1 << 30));
      rows.add(row);
    }
    return rows;
  }

  /** One of some texts, of which not all have the same length, nor only ASCII. */
  private byte[] text(int texts) {
    int number = random.nextInt(texts);
    return ("é".repeat(number % 3) + number * 7919L).getBytes(StandardCharsets.UTF_8);
  }

  private @Nullable Object rarelyNull(Object value) {
    return random.nextInt(7) == 0 ? null : value;
  }

  private static CachedTable table(Path path, MemoryBudget budget) {
    return new CachedTable("t", path, ParquetFile.open(path), budget, new LoadWorkers(1));
  }

  private @Nullable TableCache cache() {
    return device.traits().hostMemory()
        ? new TableCache(new RawColumnMemory(deviceBudget, RawMemory.HOST), deviceBudget)
        : null;
  }

  private Table.Pin pin(@Nullable TableCache cache, Table table, int column) {
    return cache == null
        ? device.pin(context, table, List.of(column))
        : cache.pin(context, table, List.of(column));
  }

  private List<@Nullable Object> values(Table.Pin pin) {
    List<@Nullable Object> values = new ArrayList<>();
    for (ColumnBatch chunk : pin.chunks()) {
      Column column = chunk.column(0);
      values.addAll(context.values(column));
    }
    return values;
  }

  /** Whether the device of this run decodes. */
  private boolean decodes() {
    return device.traits().hostMemory() || TestDevices.name().equals("cuda");
  }

  @Test
  void sameColumnsAsTheHosts() throws IOException {
    CompressionCodecName[] codecs = {
      CompressionCodecName.UNCOMPRESSED,
      CompressionCodecName.SNAPPY,
      CompressionCodecName.ZSTD,
      CompressionCodecName.LZ4_RAW,
      CompressionCodecName.GZIP
    };
    for (WriterVersion version : WriterVersion.values()) {
      for (CompressionCodecName codec : codecs) {
        for (boolean dictionary : new boolean[] {true, false}) {
          Path path = directory.resolve("t.parquet");
          // Of few rows a writer makes no dictionary.
          int rows = 1000 * random.nextInt(3) + 400 + random.nextInt(600);
          WriterSettings settings =
              new WriterSettings(version, dictionary, false, codec, 170, 1000, dictionary);
          JavaWriter.write(path, SCHEMA, rows(rows), settings);
          compare(path, dictionary, version == WriterVersion.PARQUET_2_0);
        }
      }
    }
  }

  /** Why the host decodes a column; null: a device does. */
  private static @Nullable String hostsReason(String name, boolean dictionary, boolean newer) {
    if (name.equals("n")) {
      return "values of type BOOLEAN";
    }
    boolean repeats = TEXTS.contains(name);
    if (repeats && !dictionary) {
      return "texts that repeat, for which the host makes a dictionary";
    }
    // Newer writers have bytes with shared prefixes.
    return newer && !dictionary && name.equals("i") ? "values in DELTA_BYTE_ARRAY" : null;
  }

  private void compare(Path path, boolean dictionary, boolean newer) {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 26);
    MemoryBudget untouched = new MemoryBudget("memory", 1 << 26);
    try (CachedTable expected = table(path, budget);
        CachedTable table = table(path, untouched);
        TableCache cache = cache()) {
      for (int c = 0; c < table.columnNames().size(); c++) {
        long before = untouched.used();
        try (Table.Pin host = expected.pin(List.of(c));
            Table.Pin pin = pin(cache, table, c)) {
          String name = table.columnNames().get(c);
          assertSameShape(host.shapes().getFirst(), pin.shapes().getFirst(), name);
          List<@Nullable Object> values = new ArrayList<>();
          host.chunks().forEach(chunk -> values.addAll(hostValues(chunk.column(0))));
          assertEquals(values, values(pin), name);
          String reason = hostsReason(name, dictionary, newer);
          if (decodes() && reason == null) {
            assertEquals(Map.of(), pin.decodedByHost(), name);
            assertTrue(pin.decodedPageBytes() > 0, name);
            assertEquals(before, untouched.used(), name);
          } else {
            assertEquals(0, pin.decodedPageBytes(), name);
            assertEquals(
                decodes() ? Map.of(name, String.valueOf(reason)) : Map.of(), pin.decodedByHost());
          }
        }
      }
    }
  }

  /** DuckDB writes lengths as differences in front of all texts. */
  @Test
  void lengthsAsDifferences() throws SQLException {
    Path path = directory.resolve("t.parquet");
    String texts = "'é' || i * 7919 || repeat('x', i % 5)";
    for (String codec : List.of("snappy", "lz4_raw")) {
      try (DuckDb duckDb = new DuckDb()) {
        duckDb.execute(
            ("copy (select case when i % 7 > 0 then "
                + texts
                + " end a, "
                + texts
                + " b,"
                + " if(i // 2048 = 1, null, "
                + texts
                + ") c from range(5000) t(i)) to '"
                + path
                + "' (format parquet, parquet_version v2, row_group_size 2048, compression "
                + codec
                + ")"));
      }
      decodedAs(path, 3);
    }
  }

  /**
   * The same but for the dictionary, of which each has its own, with the same texts; the device's
   * as narrow as may be.
   */
  private static void assertSameShape(ColumnShape wide, ColumnShape device, String name) {
    ColumnShape host = wide.narrowest();
    Dictionary a = host.dictionary();
    Dictionary b = device.dictionary();
    assertEquals(a == null, b == null, name);
    if (a != null && b != null) {
      assertEquals(texts(a), texts(b), name);
    }
    assertEquals(
        new ColumnShape(host.type(), host.storage(), host.mayBeNull(), null, host.range()),
        new ColumnShape(device.type(), device.storage(), device.mayBeNull(), null, device.range()),
        name);
  }

  private static List<String> texts(Dictionary dictionary) {
    return IntStream.range(0, dictionary.size()).mapToObj(dictionary::text).toList();
  }

  private static List<@Nullable Object> hostValues(Column column) {
    return Columns.values(column);
  }

  private static WriterSettings snappy(boolean dictionary) {
    return new WriterSettings(
        WriterVersion.PARQUET_1_0, dictionary, false, CompressionCodecName.SNAPPY, 300, 900, false);
  }

  /** Files one behind the other, of which each has its own dictionaries. */
  @Test
  void severalFilesAsOneTable() throws IOException {
    List<Path> paths = new ArrayList<>();
    for (int rows : new int[] {700, 400, 1400}) {
      Path path = directory.resolve(rows + ".parquet");
      JavaWriter.write(path, SCHEMA, rows(rows), snappy(true));
      paths.add(path);
    }
    MemoryBudget budget = new MemoryBudget("memory", 1 << 26);
    MemoryBudget untouched = new MemoryBudget("memory", 1 << 26);
    try (CachedTable expected = parted(paths, budget);
        CachedTable table = parted(paths, untouched);
        TableCache cache = cache()) {
      for (int c = 0; c < table.columnNames().size(); c++) {
        String name = table.columnNames().get(c);
        try (Table.Pin host = expected.pin(List.of(c));
            Table.Pin pin = pin(cache, table, c)) {
          assertSameShape(host.shapes().getFirst(), pin.shapes().getFirst(), name);
          List<@Nullable Object> values = new ArrayList<>();
          host.chunks().forEach(chunk -> values.addAll(hostValues(chunk.column(0))));
          assertEquals(values, values(pin), name);
          assertEquals(decodes() && !name.equals("n"), pin.decodedPageBytes() > 0, name);
        }
      }
    }
  }

  private static CachedTable parted(List<Path> paths, MemoryBudget budget) {
    List<TableFile> files = paths.stream().<TableFile>map(ParquetFile::open).toList();
    PartitionColumns none =
        new PartitionColumns(
            List.of(), paths.stream().<List<@Nullable Object>>map(path -> List.of()).toList());
    LoadWorkers workers = new LoadWorkers(2);
    TableFile all = PartedFile.of(paths, files, none, workers);
    return new CachedTable("t", paths.getFirst(), all, budget, workers);
  }

  /** A writer gives a dictionary up that becomes too large: the pages before stay as they are. */
  @Test
  void dictionariesThatWereGivenUp() throws IOException {
    for (WriterVersion version : WriterVersion.values()) {
      Path path = directory.resolve("t.parquet");
      JavaWriter.write(
          path, GROWING, growing(4500), givenUp(version, CompressionCodecName.SNAPPY), 8000);
      boolean newer = version == WriterVersion.PARQUET_2_0;
      for (int c = 0; c < 5; c++) {
        boolean number = c == 2 || c == 3;
        PageEncoding differences = number ? PageEncoding.DELTA : PageEncoding.DELTA_STRINGS;
        PageEncoding later = newer ? differences : PageEncoding.PLAIN;
        assertEquals(Set.of(PageEncoding.DICTIONARY, later), encodings(path, c), "column " + c);
      }
      decodedAs(path, 5);
    }
  }

  private static final String GROWING =
      """
      required binary a (UTF8); optional binary b (UTF8); required int64 c; optional int64 d;
      required binary e (UTF8);
      """;

  private static WriterSettings givenUp(WriterVersion version, CompressionCodecName codec) {
    return new WriterSettings(version, true, false, codec, 300, 2000, false);
  }

  /** A page comes before the dictionary that it refers to. */
  @Test
  void dictionaryBehindAPage() throws IOException {
    for (String schema : List.of("required binary a (UTF8);", "required int64 a;")) {
      boolean texts = schema.contains("binary");
      List<List<@Nullable Object>> rows = new ArrayList<>();
      growing(1000).forEach(row -> rows.add(row.subList(texts ? 0 : 2, texts ? 1 : 3)));
      Path path = directory.resolve("t.parquet");
      WriterSettings settings =
          givenUp(WriterVersion.PARQUET_1_0, CompressionCodecName.UNCOMPRESSED);
      JavaWriter.write(path, schema, rows, settings, texts ? 8000 : 2000);
      byte[] bytes = Files.readAllBytes(path);
      int first = 4;
      int second = pageEnd(bytes, first);
      int end = pageEnd(bytes, second);
      byte[] swapped = bytes.clone();
      System.arraycopy(bytes, second, swapped, first, end - second);
      System.arraycopy(bytes, first, swapped, first + end - second, second - first);
      Files.write(path, swapped);
      assertEquals(1, read(path, 1000));
    }
  }

  private static int pageEnd(byte[] file, int from) throws IOException {
    ByteArrayInputStream in = new ByteArrayInputStream(file, from, file.length - from);
    int size = Util.readPageHeader(in).getCompressed_page_size();
    return file.length - in.available() + size;
  }

  /** Of the first chunk's pages. */
  private static Set<PageEncoding> encodings(Path path, int column) {
    try (ParquetFile file = ParquetFile.open(path);
        QueryMemory memory = new NativeQueryMemory(new MemoryBudget("pages", 1 << 26), 0)) {
      return file.encoded(column).get().chunk(0, memory).get().pages().stream()
          .filter(page -> !page.dictionary())
          .map(StoredPage::encoding)
          .collect(Collectors.toSet());
    }
  }

  /** Rows that are as others at first, and differ later. */
  private List<List<@Nullable Object>> growing(int count) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i % 2000 < 700 ? i % 3 : i;
      byte[] text = ("é text " + number).repeat(70).getBytes(StandardCharsets.UTF_8);
      long value = number * 1_000_000_007L;
      List<@Nullable Object> row = new ArrayList<>();
      row.add(text);
      row.add(rarelyNull(text));
      row.add(value);
      row.add(rarelyNull(value));
      row.add(i % 7 == 0 ? new byte[0] : text);
      rows.add(row);
    }
    return rows;
  }

  private void decodedAs(Path path, int columns) {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 26);
    try (CachedTable expected = table(path, budget);
        CachedTable table = table(path, budget);
        TableCache cache = cache()) {
      for (int c = 0; c < columns; c++) {
        try (Table.Pin host = expected.pin(List.of(c));
            Table.Pin pin = pin(cache, table, c)) {
          String name = table.columnNames().get(c);
          assertSameShape(host.shapes().getFirst(), pin.shapes().getFirst(), name);
          List<@Nullable Object> values = new ArrayList<>();
          host.chunks().forEach(chunk -> values.addAll(hostValues(chunk.column(0))));
          assertEquals(values, values(pin), name);
          assertEquals(Map.of(), pin.decodedByHost(), name);
          assertEquals(decodes(), pin.decodedPageBytes() > 0, name);
        }
      }
    }
  }

  /**
   * What the host has in memory goes to a device as it is; and the device's column is no host's.
   */
  @Test
  void columnsInMemoryAreNotDecodedAgain() throws IOException {
    Path path = directory.resolve("t.parquet");
    WriterSettings settings =
        new WriterSettings(
            WriterVersion.PARQUET_1_0, true, false, CompressionCodecName.SNAPPY, 1000, 1000, false);
    JavaWriter.write(path, SCHEMA, rows(500), settings);
    MemoryBudget budget = new MemoryBudget("memory", 1 << 26);
    try (CachedTable table = table(path, budget)) {
      try (EncodedColumn encoded = table.encoded(0).get()) {
        assertEquals(500, encoded.rows());
      }
      table.pin(List.of(0)).close();
      assertFalse(table.encoded(0).present());
      assertEquals(500, table.statistics().of(1).rows());
      assertFalse(table.encoded(1).present());
    }
  }

  @Test
  void figuresOfAColumnThatMemoryDoesNotHold() throws IOException {
    Path path = directory.resolve("t.parquet");
    WriterSettings settings =
        new WriterSettings(
            WriterVersion.PARQUET_1_0, true, false, CompressionCodecName.SNAPPY, 1000, 1000, false);
    JavaWriter.write(path, SCHEMA, rows(700), settings);
    MemoryBudget budget = new MemoryBudget("memory", 1 << 26);
    try (CachedTable table = table(path, budget);
        CachedTable loaded = table(path, budget)) {
      long before = budget.used();
      table.statistics().profile(2);
      assertEquals(before, budget.used());
      assertEquals(1, table.statistics().computations());
      TableColumnStatistics expected = loaded.statistics().of(2);
      TableColumnStatistics found = table.statistics().of(2);
      assertEquals(expected.nulls(), found.nulls());
      assertEquals(expected.range(), found.range());
      assertEquals(expected.distinct(), found.distinct());
      assertEquals(expected.distribution().sampled(), found.distribution().sampled());
    }
  }

  @Test
  void bytesOfPagesAreCounted() throws IOException {
    Path path = directory.resolve("t.parquet");
    WriterSettings settings =
        new WriterSettings(
            WriterVersion.PARQUET_1_0,
            false,
            false,
            CompressionCodecName.UNCOMPRESSED,
            1000,
            1000,
            false);
    JavaWriter.write(path, SCHEMA, rows(700), settings);
    MemoryBudget budget = new MemoryBudget("memory", 1 << 26);
    try (CachedTable table = table(path, budget);
        TableCache cache = cache()) {
      try (Table.Pin pin = pin(cache, table, 1)) {
        assertEquals(decodes() ? 700 * 8 : 0, pin.decodedPageBytes());
      }
      if (decodes()) {
        try (Table.Pin again = pin(cache, table, 1)) {
          assertEquals(0, again.decodedPageBytes());
        }
      }
    }
  }

  /** Whatever a page's bytes are: the error names file, column and page, or there is none. */
  @Test
  void brokenPages() throws IOException {
    Path path = directory.resolve("t.parquet");
    for (boolean dictionary : new boolean[] {true, false}) {
      WriterSettings settings =
          new WriterSettings(
              WriterVersion.PARQUET_1_0,
              dictionary,
              false,
              CompressionCodecName.SNAPPY,
              100,
              1000,
              false);
      JavaWriter.write(path, SCHEMA, rows(1000), settings);
      brokenPages(path);
    }
    for (WriterVersion version : WriterVersion.values()) {
      WriterSettings settings = givenUp(version, CompressionCodecName.UNCOMPRESSED);
      JavaWriter.write(path, GROWING, growing(1000), settings, 8000);
      brokenPages(path);
    }
  }

  private void brokenPages(Path path) throws IOException {
    byte[] whole = Files.readAllBytes(path);
    int errors = 0;
    for (int round = 0; round < 20; round++) {
      byte[] broken = whole.clone();
      for (int i = 0; i < 30; i++) {
        broken[4 + random.nextInt(broken.length * 2 / 3)] ^= (byte) (1 << random.nextInt(8));
      }
      Files.write(path, broken);
      errors += read(path, 1000);
    }
    assertTrue(errors > 0);
  }

  /** How many columns cannot be read. */
  private int read(Path path, int rows) {
    int errors = 0;
    MemoryBudget budget = new MemoryBudget("memory", 1 << 26);
    try (CachedTable table = table(path, budget);
        TableCache cache = cache()) {
      for (int c = 0; c < table.columnNames().size(); c++) {
        try (Table.Pin pin = pin(cache, table, c)) {
          assertEquals(rows, pin.chunks().stream().mapToInt(ColumnBatch::rows).sum());
        } catch (AragoniteException e) {
          assertEquals(ErrorCode.FILE_BROKEN, e.code());
          String message = String.valueOf(e.getMessage());
          assertTrue(message.contains("t.parquet"), message);
          String place =
              "column \"%s\" of row group \\d+: page \\d+: .*"
                  .formatted(table.columnNames().get(c));
          assertTrue(message.matches(".*" + place), message);
          errors++;
        }
      }
    }
    return errors;
  }
}
