package io.aragonite.adapter.format.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.FileValues;
import io.aragonite.adapter.format.nested.NestedValue;
import io.aragonite.exec.type.DataType;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
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
            + " TIMESTAMP(6) WITH TIME ZONE",
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
  void nestedColumnsDoNotShiftOthers() throws SQLException {
    Path path =
        write(
            "select range as a, [range, range + 1] as l, {'x': range, 'y': {'z': [1]}} as s, map"
                + " {'k': range} as m, 'z' || range as b from range(100)",
            "");
    try (ParquetFile file = ParquetFile.open(path)) {
      assertEquals(5, file.columns().size());
      for (int nested : new int[] {1, 2, 3}) {
        assertNotNull(file.columns().get(nested).nested(), file.columns().get(nested).fileType());
      }
      List<List<@Nullable Object>> flat = new ArrayList<>();
      for (List<@Nullable Object> row : FileValues.rows(file)) {
        flat.add(Arrays.asList(row.get(0), row.get(4)));
      }
      assertEquals(duck.rows("select a, b from read_parquet('" + path + "')"), flat);
    }
  }

  /** As early writers had them, which the format's rules for compatibility list. */
  @Test
  void listsAndMapsOfEarlyWritersAreRead() throws IOException {
    Path path = directory.resolve("early.parquet");
    JavaWriter.GroupFiller filler =
        row -> {
          row.append("bare", 1).append("bare", 2);
          row.addGroup("plain").append("element", 3).append("element", 4);
          row.addGroup("named").addGroup("array").append("x", 5);
          row.addGroup("tuple").addGroup("tuple_tuple").append("x", 6);
          row.addGroup("two").addGroup("bag").append("x", 7).append("y", 8);
          row.addGroup("old").addGroup("map").append("k", 9).append("v", 10);
        };
    JavaWriter.write(
        path,
        """
        repeated int32 bare;
        optional group plain (LIST) { repeated int32 element; }
        optional group named (LIST) { repeated group array { required int32 x; } }
        optional group tuple (LIST) { repeated group tuple_tuple { required int32 x; } }
        optional group two (LIST) { repeated group bag { optional int32 x; optional int32 y; } }
        optional group old (MAP_KEY_VALUE) { repeated group map { required int32 k; optional int32 v; } }
        """,
        List.of(List.of(filler), List.of()),
        new JavaWriter.WriterSettings(
            WriterVersion.PARQUET_1_0,
            true,
            false,
            CompressionCodecName.UNCOMPRESSED,
            100,
            100,
            true));
    try (ParquetFile file = ParquetFile.open(path)) {
      List<@Nullable Object> first = new ArrayList<>();
      List<@Nullable Object> second = new ArrayList<>();
      for (int c = 0; c < file.columns().size(); c++) {
        NestedValue values =
            new NestedValue(Objects.requireNonNull(file.columns().get(c).nested()), "c");
        List<@Nullable Object> column = FileValues.column(file, c);
        first.add(text(values.apply(new @Nullable Object[] {bytes(column.get(0))})));
        second.add(text(values.apply(new @Nullable Object[] {bytes(column.get(1))})));
      }
      assertEquals(List.of("[1, 2]", "[3, 4]", "[[5]]", "[[6]]", "[[7, 8]]", "{9=10}"), first);
      assertEquals(Arrays.asList("[]", "null", "null", "null", "null", "null"), second);
    }
  }

  private static byte @Nullable [] bytes(@Nullable Object value) {
    return value == null ? null : HexFormat.of().parseHex((String) value);
  }

  /** Structs are arrays, which do not print what they hold. */
  private static String text(@Nullable Object value) {
    return switch (value) {
      case Object[] struct -> Arrays.toString(struct);
      case List<?> list -> list.stream().map(ParquetTypesTest::text).toList().toString();
      case null, default -> String.valueOf(value);
    };
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
