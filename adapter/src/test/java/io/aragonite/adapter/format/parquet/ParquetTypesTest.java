package io.aragonite.adapter.format.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.FileValues;
import io.aragonite.exec.type.DataType;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that DuckDB wrote: each type, with and without nulls, in its encodings and codecs. */
class ParquetTypesTest {
  private static DuckDb duck;

  @TempDir Path directory;

  @BeforeAll
  static void open() throws SQLException {
    duck = new DuckDb();
  }

  @AfterAll
  static void close() throws SQLException {
    duck.close();
  }

  private Path write(String query, String options) throws SQLException {
    Path path = directory.resolve("t.parquet");
    duck.execute("copy (" + query + ") to '" + path + "' (format parquet" + options + ")");
    return path;
  }

  private void assertSameAsDuck(Path path) throws SQLException {
    List<List<@Nullable Object>> expected = duck.rows("select * from read_parquet('" + path + "')");
    try (ParquetFile file = ParquetFile.open(path)) {
      List<List<@Nullable Object>> rows = FileValues.rows(file);
      assertEquals(expected.size(), rows.size());
      for (int i = 0; i < rows.size(); i++) {
        assertEquals(expected.get(i), rows.get(i), "row " + i);
      }
    }
  }

  /** Values that spread over a type's range: a hash, cut to what fits. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "(h % 2 = 0); BOOLEAN",
        "(h % 256 - 128)::tinyint; TINYINT",
        "(h % 65536 - 32768)::smallint; SMALLINT",
        "(h % 4294967296 - 2147483648)::integer; INTEGER",
        "(h - 9223372036854775808)::bigint; BIGINT",
        "(h % 256)::utinyint; SMALLINT",
        "(h % 65536)::usmallint; INTEGER",
        "(h % 4294967296)::uinteger; BIGINT",
        "h::ubigint; DECIMAL(20, 0)",
        "((h % 19999 - 9999)::integer / 100)::decimal(4, 2); DECIMAL(4, 2)",
        "(h % 1999999999 - 999999999)::bigint::decimal(9, 0); DECIMAL(9, 0)",
        "((h % 2000000 - 1000000)::bigint * 1.001)::decimal(18, 3); DECIMAL(18, 3)",
        "((h - 9223372036854775808) * 1000000007)::decimal(38, 0); DECIMAL(38, 0)",
        "((h % 2000000)::integer - 1000000)::decimal(25, 5) / 7; DOUBLE",
        "((h % 2000000)::integer - 1000000)::decimal(25, 5); DECIMAL(25, 5)",
        "(h % 1000003 / 7)::float; REAL",
        "h / 7.0e5; DOUBLE",
        "date '1900-01-01' + (h % 100000)::integer; DATE",
        "time '00:00:00' + to_microseconds((h % 86400000000)::bigint); TIME",
        "make_timestamp((h % 4000000000000000 - 2000000000000000)::bigint); TIMESTAMP(6)",
        "make_timestamp((h % 4000000000000000 - 2000000000000000)::bigint)::timestamp_ms;"
            + " TIMESTAMP",
        "make_timestamp((h % 4000000000000000 - 2000000000000000)::bigint)::timestamptz;"
            + " TIMESTAMP(6)",
        "make_timestamp_ns((h % 4000000000000000000 - 2000000000000000000)::bigint); TIMESTAMP(9)",
        "('v' || h); VARCHAR",
        "repeat('é😀z', (h % 40)::integer); VARCHAR",
        "repeat('x', (h % 7)::integer); VARCHAR",
        "('b' || h)::blob; BINARY",
        "md5(h::varchar)::uuid; VARCHAR(36)",
        "('{\"a\": ' || h || '}')::json; VARCHAR",
        "('c' || h % 3)::enum('c0', 'c1', 'c2'); VARCHAR",
      })
  void everyTypeIsRead(String expression, String type) throws SQLException {
    for (String nulls : List.of("%s", "case when i %% 7 < 2 then null else %s end")) {
      for (int rows : new int[] {1, 63, 5003}) {
        String select =
            "select %s as c, case when i > 1000000 then 0 end as empty from (select range as i, hash(range)::hugeint as h from range(%d))"
                .formatted(nulls.formatted(expression), rows);
        for (String version : List.of("v1", "v2")) {
          Path path = write(select, ", parquet_version " + version + ", row_group_size 2048");
          assertSameAsDuck(path);
          try (ParquetFile file = ParquetFile.open(path)) {
            DataType found = file.columns().getFirst().type();
            assertEquals(type, String.valueOf(found), file.columns().getFirst().fileType());
            assertEquals((rows + 2047) / 2048, file.parts().size());
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"uncompressed", "snappy", "gzip", "zstd", "lz4", "lz4_raw"})
  void everyCodecIsRead(String codec) throws SQLException {
    String select =
        "select range as i, (range % 17)::varchar as few, 'text ' || hash(range) as many, case when"
            + " range % 3 > 0 then range / 8.0 end as d from range(20011)";
    assertSameAsDuck(write(select, ", compression " + codec + ", row_group_size 5000"));
    assertSameAsDuck(
        write(select, ", compression " + codec + ", parquet_version v2, row_group_size 5000"));
  }

  @Test
  void nestedColumnsAreLeftOutAndDoNotShiftOthers() throws SQLException {
    Path path =
        write(
            "select range as a, [range, range + 1] as l, {'x': range, 'y': {'z': [1]}} as s, map"
                + " {'k': range} as m, 'z' || range as b from range(100)",
            "");
    try (ParquetFile file = ParquetFile.open(path)) {
      assertEquals(5, file.columns().size());
      for (int nested : new int[] {1, 2, 3}) {
        assertNull(file.columns().get(nested).type(), file.columns().get(nested).fileType());
      }
      assertEquals(
          duck.rows("select a, b from read_parquet('" + path + "')"), FileValues.rows(file));
    }
  }

  @Test
  void aFileWithoutRowsHasItsColumns() throws SQLException {
    Path path = write("select 1 as a, 'x' as b where false", "");
    try (ParquetFile file = ParquetFile.open(path)) {
      assertEquals(2, file.columns().size());
      assertEquals(List.of(), FileValues.column(file, 1));
    }
  }
}
