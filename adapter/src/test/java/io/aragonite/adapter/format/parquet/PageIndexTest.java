package io.aragonite.adapter.format.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.FileValues;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.adapter.format.parquet.JavaWriter.WriterSettings;
import io.aragonite.exec.table.ZoneMap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Indexes of pages: each value is within the bounds of its page, and any rows can be read alone.
 */
class PageIndexTest {
  private static final int ROWS = 10_000;

  private static final String SCHEMA =
      """
      required int32 a; optional int64 b; optional binary t (STRING); optional double d;
      optional fixed_len_byte_array(9) n (DECIMAL(20,2)); required int32 u (INTEGER(32,false));
      optional int96 old; optional int32 day (DATE);
      """;

  @TempDir Path directory;

  private Path write(WriterVersion version) throws IOException {
    Random random = new Random(3);
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      boolean some = random.nextInt(4) > 0 && (i < 3000 || i > 5000);
      byte[] nine = ByteBuffer.allocate(9).putLong(1, i * 31L - 100_000).array();
      Arrays.fill(nine, 0, 1, (byte) (i * 31L < 100_000 ? -1 : 0));
      String text = "é".repeat(i % 90) + i;
      rows.add(
          Arrays.asList(
              i,
              some ? i / 7L : null,
              some ? (i / 1000 + text).getBytes(StandardCharsets.UTF_8) : null,
              some ? (i % 901 == 0 ? Double.NaN : i / 4.0 - 500) : null,
              some ? nine : null,
              Integer.MAX_VALUE - 5000 + i,
              some ? new byte[12] : null,
              some ? i / 100 : null));
    }
    Path path = directory.resolve("t.parquet");
    JavaWriter.write(
        path,
        SCHEMA,
        rows,
        new WriterSettings(version, true, false, CompressionCodecName.SNAPPY, 300, 4000, false));
    return path;
  }

  private static boolean within(ZoneMap zone, @Nullable Object value) {
    return switch (value) {
      case null -> zone.nulls() != 0;
      case Double d when d.isNaN() -> zone.mayBeNaN();
      case String text -> {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        yield (zone.min() == null || Arrays.compareUnsigned((byte[]) zone.min(), bytes) <= 0)
            && (zone.max() == null || Arrays.compareUnsigned((byte[]) zone.max(), bytes) >= 0);
      }
      case LocalDate day -> within(zone, day.toEpochDay());
      default -> compare(zone.min(), value) <= 0 && compare(zone.max(), value) >= 0;
    };
  }

  @SuppressWarnings("unchecked")
  private static int compare(@Nullable Object bound, Object value) {
    return bound == null ? 0 : ((Comparable<Object>) bound).compareTo(value);
  }

  @Test
  void valuesAreWithinTheBoundsOfTheirPages() throws IOException {
    for (WriterVersion version : WriterVersion.values()) {
      try (ParquetFile file = ParquetFile.open(write(version))) {
        List<List<@Nullable Object>> rows = FileValues.rows(file);
        int bounded = 0;
        for (int c = 0; c < file.columns().size(); c++) {
          int row = 0;
          for (FilePart part : file.parts()) {
            List<ZoneMap> zones = part.zones(c);
            assertTrue(zones.size() > 5 || c == 6, zones.size() + " pages of column " + c);
            assertEquals(part.rows(), zones.stream().mapToLong(ZoneMap::rows).sum());
            for (ZoneMap zone : zones) {
              bounded += zone.min() != null && zone.max() != null || zone.isEmpty() ? 1 : 0;
              for (int i = 0; i < zone.rows(); i++, row++) {
                Object value = rows.get(row).get(c);
                assertTrue(within(zone, value), value + " in " + zone);
              }
            }
          }
        }
        assertTrue(bounded > 150, bounded + " pages have bounds");
      }
    }
  }

  @Test
  void anyRowsCanBeReadAlone() throws IOException {
    Random random = new Random(4);
    try (ParquetFile file = ParquetFile.open(write(WriterVersion.PARQUET_1_0))) {
      List<List<@Nullable Object>> rows = FileValues.rows(file);
      int first = 0;
      for (FilePart part : file.parts()) {
        for (int round = 0; round < 20; round++) {
          int from = random.nextInt(part.rows());
          int to = from + 1 + random.nextInt(part.rows() - from);
          FilePart some = part.rows(from, to);
          assertEquals(to - from, some.rows());
          int column = random.nextInt(file.columns().size());
          List<@Nullable Object> values = FileValues.values(some, column);
          for (int i = 0; i < values.size(); i++) {
            assertEquals(rows.get(first + from + i).get(column), values.get(i));
          }
          assertEquals(to - from, some.zones(column).stream().mapToLong(ZoneMap::rows).sum());
        }
        first += part.rows();
      }
    }
  }

  /** An index with any byte changed is passed over or tells something; it never fails. */
  @Test
  void damagedIndexesFailNothing() throws IOException {
    byte[] whole = Files.readAllBytes(write(WriterVersion.PARQUET_2_0));
    int footer =
        ByteBuffer.wrap(whole).order(java.nio.ByteOrder.LITTLE_ENDIAN).getInt(whole.length - 8);
    int end = whole.length - 8 - footer;
    Random random = new Random(5);
    for (int round = 0; round < 400; round++) {
      byte[] damaged = whole.clone();
      for (int i = 0; i < 3; i++) {
        damaged[end - 1 - random.nextInt(6000)] = (byte) random.nextInt();
      }
      Path path = Files.write(directory.resolve("damaged.parquet"), damaged);
      try (ParquetFile file = ParquetFile.open(path)) {
        for (FilePart part : file.parts()) {
          for (int c = 0; c < file.columns().size(); c++) {
            assertEquals(part.rows(), part.zones(c).stream().mapToLong(ZoneMap::rows).sum());
          }
        }
      }
    }
  }

  /** Of a row group only the pages are read whose index does not exclude the filter. */
  @Test
  void queriesReadPages() throws IOException, SQLException {
    write(WriterVersion.PARQUET_1_0);
    try (Connection connection =
            DriverManager.getConnection("jdbc:aragonite:directory=" + directory + ";threads=2");
        Statement statement = connection.createStatement()) {
      String select =
          " count(*), sum(a), count(b) from t where u between %1$d + 4100 and %1$d + 4200";
      String sql = "select" + select.formatted(Integer.MAX_VALUE - 5000L);
      StringBuilder plan = new StringBuilder();
      try (ResultSet rows = statement.executeQuery("explain analyze " + sql)) {
        while (rows.next()) {
          plan.append(rows.getString(1)).append('\n');
        }
      }
      assertTrue(plan.toString().contains("actual: 300 rows"), plan::toString);
      assertTrue(plan.toString().contains("parts read 1, parts skipped 2"), plan::toString);
      try (ResultSet rows = statement.executeQuery(sql)) {
        assertTrue(rows.next());
        assertEquals(101, rows.getLong(1));
        assertEquals(101 * 4150, rows.getLong(2));
        assertEquals(0, rows.getLong(3));
      }
    }
  }
}
