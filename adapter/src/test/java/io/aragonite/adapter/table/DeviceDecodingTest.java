package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import io.aragonite.exec.memory.RawMemory;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.Columns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Columns of Parquet files that a device decodes are those that the host decodes: in host memory
 * that stands for a device's, or on a GPU ({@code aragonite.test.device=cuda}).
 */
class DeviceDecodingTest {
  private static final String SCHEMA =
      """
      optional int32 a; required int64 b; optional int64 c; optional double d; required float e;
      optional int32 f (DATE); optional int32 g (DECIMAL(9,2)); optional int64 h (DECIMAL(18,2));
      optional fixed_len_byte_array(7) i (DECIMAL(15,2)); required int32 j; optional int64 k;
      """;

  @TempDir private Path directory;

  private final Random random = TestSeed.random(DeviceDecodingTest.class);
  private final Device device = TestDevices.create();
  private final TestContext context = new TestContext(device);
  private final MemoryBudget deviceBudget = new MemoryBudget("deviceMemory", 1 << 26);

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
      rows.add(row);
    }
    return rows;
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
      CompressionCodecName.UNCOMPRESSED, CompressionCodecName.SNAPPY
    };
    for (WriterVersion version : WriterVersion.values()) {
      for (CompressionCodecName codec : codecs) {
        for (boolean dictionary : new boolean[] {true, false}) {
          Path path = directory.resolve("t.parquet");
          int rows = 1 + random.nextInt(3000);
          WriterSettings settings =
              new WriterSettings(version, dictionary, false, codec, 170, 1000, dictionary);
          JavaWriter.write(path, SCHEMA, rows(rows), settings);
          compare(path, version == WriterVersion.PARQUET_2_0 && !dictionary);
        }
      }
    }
  }

  private void compare(Path path, boolean prefixes) {
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
          assertEquals(host.shapes(), pin.shapes(), name);
          List<@Nullable Object> values = new ArrayList<>();
          host.chunks().forEach(chunk -> values.addAll(hostValues(chunk.column(0))));
          assertEquals(values, values(pin), name);
          // Newer writers have bytes with shared prefixes, which are the host's to decode.
          boolean byHost = prefixes && name.equals("i");
          if (decodes() && !byHost) {
            assertEquals(Map.of(), pin.decodedByHost(), name);
            assertTrue(pin.decodedPageBytes() > 0, name);
            assertEquals(before, untouched.used(), name);
          } else {
            assertEquals(0, pin.decodedPageBytes(), name);
            assertEquals(
                decodes() ? Map.of(name, "values in DELTA_BYTE_ARRAY") : Map.of(),
                pin.decodedByHost());
          }
        }
      }
    }
  }

  private static List<@Nullable Object> hostValues(Column column) {
    return Columns.values(column);
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
      assertEquals(500, table.statistics(1).rows());
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
      table.profile(2);
      assertEquals(before, budget.used());
      assertEquals(1, table.computations());
      TableColumnStatistics expected = loaded.statistics(2);
      TableColumnStatistics found = table.statistics(2);
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
    WriterSettings settings =
        new WriterSettings(
            WriterVersion.PARQUET_1_0, true, false, CompressionCodecName.SNAPPY, 100, 1000, false);
    JavaWriter.write(path, SCHEMA, rows(1000), settings);
    byte[] whole = Files.readAllBytes(path);
    int errors = 0;
    for (int round = 0; round < 40; round++) {
      byte[] broken = whole.clone();
      for (int i = 0; i < 30; i++) {
        broken[4 + random.nextInt(broken.length * 2 / 3)] ^= (byte) (1 << random.nextInt(8));
      }
      Files.write(path, broken);
      errors += read(path);
    }
    assertTrue(errors > 0);
  }

  private int read(Path path) {
    int errors = 0;
    MemoryBudget budget = new MemoryBudget("memory", 1 << 26);
    try (CachedTable table = table(path, budget);
        TableCache cache = cache()) {
      for (int c = 0; c < table.columnNames().size(); c++) {
        try (Table.Pin pin = pin(cache, table, c)) {
          assertEquals(1000, pin.chunks().stream().mapToInt(ColumnBatch::rows).sum());
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
