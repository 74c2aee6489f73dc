package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.copy.CopyTarget;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** COPY, from JDBC; files are read back here and by DuckDB. */
class CopyTest {
  private static final String ROWS =
      """
      select i, s, cast(d2 as decimal(9, 2)) as d2, d3, d9, dt, ts, tm, ok, r, d, b,
        cast(t as tinyint) as t, cast(sm as smallint) as sm
      from (values
        (cast(1 as int), cast('plain' as varchar), cast(1.50 as decimal(9, 2)),
         cast(12345678901234.567 as decimal(18, 3)),
         cast(-12345678901234567890123456789.123456789 as decimal(38, 9)), date '1969-12-31',
         timestamp '2020-02-29 23:59:59.123', time '01:02:03', true, cast(1.5 as real),
         cast(-0.1 as double), cast(9000000000 as bigint), cast(-7 as tinyint),
         cast(300 as smallint)),
        (2, 'comma, "quote"', -1, -1, 1, date '2020-02-29', timestamp '1960-01-01 00:00:00',
         time '23:59:59', false, 0, 0, 0, 0, 0),
        (3, 'two
      lines', null, null, null, null, null, null, null, null, null, null, null, null),
        (4, '', 0, 0, 0, null, null, null, null, null, null, null, null, null),
        (5, null, null, null, null, null, null, null, null, null, null, null, null, null),
        (6, '\\N', null, null, null, null, null, null, null, null, null, null, null, null),
        (7, ' blank ', null, null, null, null, null, null, null, null, null, null, null, null),
        (8, 'äöü €', null, null, null, null, null, null, null, null, null, null, null, null)
      ) as v (i, s, d2, d3, d9, dt, ts, tm, ok, r, d, b, t, sm)
      """;

  @TempDir private Path folder;
  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("memory=256MB;threads=2");
  }

  @AfterEach
  void close() throws Exception {
    connection.close();
    try (Stream<Path> files = Files.walk(folder)) {
      assertEquals(List.of(), files.filter(file -> file.toString().contains(".tmp")).toList());
    }
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private long update(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeLargeUpdate(sql.replace("$", folder.toString()));
    }
  }

  private List<String> rows(String sql) throws SQLException {
    return query(connection, sql.replace("$", folder.toString()));
  }

  private void error(ErrorCode code, String sql, String... words) {
    assertError(code, () -> update(sql), words);
  }

  private List<String> duckdb(String sql) throws SQLException {
    try (Connection other = DriverManager.getConnection("jdbc:duckdb:")) {
      return query(other, sql.replace("$", folder.toString()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "snappy", "zstd", "lz4_raw", "gzip"})
  void parquetKeepsValuesAndTypes(String compression) throws Exception {
    assertEquals(
        8, update("copy (" + ROWS + ") to '$/t.parquet' (compression " + compression + ")"));
    assertEquals(rows(ROWS + " order by i"), rows("select * from '$/t.parquet' order by i"));
    assertEquals(
        rows("select d2 * 2, d3, d9, ts from (" + ROWS + ") where i = 1"),
        rows("select d2 * 2, d3, d9, ts from '$/t.parquet' where i = 1"));
    assertEquals(
        List.of(
            "INTEGER|VARCHAR|DECIMAL(9,2)|DECIMAL(18,3)|DECIMAL(38,9)|DATE|TIMESTAMP|TIME|BOOLEAN"
                + "|FLOAT|DOUBLE|BIGINT|TINYINT|SMALLINT"),
        duckdb(
            "select "
                + String.join(
                    ", ",
                    Stream.of("i s d2 d3 d9 dt ts tm ok r d b t sm".split(" "))
                        .map("any_value(typeof(%s))"::formatted)
                        .toList())
                + " from '$/t.parquet'"));
    assertEquals(
        List.of(
            "1|plain|1.50|12345678901234.567|-12345678901234567890123456789.123456789|1969-12-31"
                + "|2020-02-29 23:59:59.123|01:02:03|true|1.5|-0.1|9000000000|-7|300",
            "3|two\nlines" + "|null".repeat(12)),
        duckdb("select * from '$/t.parquet' where i in (1, 3) order by i"));
    assertEquals(
        List.of("8|1"), duckdb("select count(*), count(*) filter (s = '') from '$/t.parquet'"));
  }

  @Test
  void arrowKeepsValuesAndTypes() throws Exception {
    assertEquals(8, update("copy (" + ROWS + ") to '$/t.arrow'"));
    assertEquals(rows(ROWS + " order by i"), rows("select * from '$/t.arrow' order by i"));
  }

  @Test
  void csvKeepsValues() throws Exception {
    update("create table t as " + ROWS);
    assertEquals(8, update("copy t to '$/t.csv'"));
    String types =
        "types => {'d2': 'DECIMAL(9, 2)', 'd3': 'DECIMAL(18, 3)', 'd9': 'DECIMAL(38, 9)',"
            + " 'i': 'INTEGER', 'r': 'REAL', 't': 'TINYINT', 'sm': 'SMALLINT', 'ts': 'TIMESTAMP'}";
    assertEquals(
        rows("select * from t order by i"),
        rows("select * from read_csv('$/t.csv', " + types + ") order by i"));
    assertEquals(
        List.of("comma, \"quote\"", "two\nlines", ""),
        duckdb("select s from read_csv('$/t.csv', header = true) where i in (2, 3, 4) order by i")
            .stream()
            .map(text -> text.equals("null") ? "" : text)
            .toList());
    update("copy t (i, s) to '$/o.csv' with (header false, delimiter '|', quote '''', null '-')");
    assertEquals(
        List.of(
            "1|plain",
            "2|comma, \"quote\"",
            "3|'two",
            "lines'",
            "4|''",
            "5|-",
            "6|'\\N'",
            "7|' blank '",
            "8|äöü €"),
        Files.readAllLines(folder.resolve("o.csv")));
    assertEquals(
        rows("select i, s from t order by i"),
        rows(
            "select * from read_csv('$/o.csv', header = false, delim = '|', quote = '''',"
                + " nullstr = '-') order by 1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"parquet", "arrow", "csv", "json"})
  void bytesComeBack(String format) throws Exception {
    update("create table b (i int, x varbinary)");
    update("insert into b values (1, x'00ff'), (2, x''), (3, null), (4, x'deadbeef')");
    update("copy b to '$/b." + format + "'");
    update("create table c (i int, x varbinary)");
    String options = format.equals("csv") ? " (header true)" : "";
    assertEquals(4, update("copy c from '$/b." + format + "'" + options));
    assertEquals(
        List.of("1|00ff", "2|", "3|null", "4|deadbeef"), rows("select i, x from c order by i"));
  }

  @Test
  void textsThatAreNoBytes() throws Exception {
    Files.writeString(folder.resolve("b.csv"), "1,0g\n");
    update("create table b (i int, x varbinary)");
    error(ErrorCode.INVALID_CAST, "copy b from '$/b.csv' (header false)", "'0g'", "hexadecimal");
    assertEquals(List.of(), rows("select * from b"));
  }

  @Test
  void quotedValuesAreNotNull() throws Exception {
    update("create table z (i int, d decimal(9, 2), f double, dt date, ok boolean, s varchar)");
    update(
        "insert into z values (0, 0, 0, date '2020-01-02', false, '0'), (1, 0.10, 1.5, null, true,"
            + " null), (null, null, null, null, null, '')");
    for (String word : new String[] {"0", "0.00", "0.0", "2020-01-02", "false", "1"}) {
      update("copy z to '$/z.csv' (header false, overwrite true, null '" + word + "')");
      update("create table c as select * from z where false");
      update("copy c from '$/z.csv' (header false, null '" + word + "')");
      assertEquals(rows("select * from z order by s"), rows("select * from c order by s"), word);
      update("drop table c");
    }
    Files.writeString(folder.resolve("q.csv"), "\"-\",\"-\"\n-,-\n\"7\",\"7\"\n");
    update("create table q (i int, s varchar)");
    update("copy q from '$/q.csv' (header false, null '-')"); // a quoted word that is no number
    assertEquals(List.of("null|-", "null|null", "7|7"), rows("select * from q"));
  }

  @Test
  void numbersOfJsonAreThoseOfTheTable() throws Exception {
    Files.writeString(
        folder.resolve("n.json"),
        """
        {"d": 12345678901234567890.123456789, "b": 9007199254740993, "r": 1.00000005960464477539062500001, "f": 0.1, "s": 1.50, "x": 10}
        {"d": "-1.0000000005", "b": 1.5, "r": 1e3, "f": 1E-7, "s": 12345678901234567890.5, "x": "00ff"}
        {"d": 1.5e3, "b": -9223372036854775808, "r": null, "f": "7", "s": "a", "x": null}
        {"d": null, "b": null, "s": true}
        """);
    update("create table n (s varchar, d decimal(38, 9), b bigint, r real, f double, x varbinary)");
    update("copy n from '$/n.json'");
    assertEquals(
        List.of(
            "1.50|12345678901234567890.123456789|9007199254740993|1.0000001|0.1|10",
            "12345678901234567890.5|-1.000000001|2|1000.0|1.0E-7|00ff",
            "a|1500.000000000|-9223372036854775808|null|7.0|null",
            "true|null|null|null|null|null"),
        rows("select * from n"));
    Files.writeString(folder.resolve("l.json"), "{\"d\": 1e40}\n");
    error(ErrorCode.NUMERIC_OVERFLOW, "copy n from '$/l.json'");
    Files.writeString(folder.resolve("t.json"), "{\"d\": \"x\"}\n");
    error(ErrorCode.INVALID_CAST, "copy n from '$/t.json'", "'x'");
    assertEquals(List.of("4"), rows("select count(*) from n"));
  }

  @Test
  void nullsAreTold() throws Exception {
    update("create table z as select * from (values (0, '0'), (1, null), (null, 'x')) v(i, s)");
    update(
        "copy (select i, s from z order by s nulls first) to '$/z.csv' (header false, null '0')");
    assertEquals(List.of("1,0", "\"0\",\"0\"", "0,x"), Files.readAllLines(folder.resolve("z.csv")));
    update("copy (select i from z order by i) to '$/one.csv'");
    assertEquals(List.of("0", "1", "null"), rows("select * from '$/one.csv' order by 1"));
    update("copy (select i from z where i is null) to '$/null.csv'");
    assertEquals(List.of("null"), rows("select * from '$/null.csv'"));
    update("copy (select i from z where i = 7) to '$/none.csv'");
    assertEquals(List.of(), rows("select * from '$/none.csv'"));
    error(ErrorCode.INVALID_ARGUMENT, "copy z to '$/x.csv' (null 'a,b')", "'a,b'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"parquet", "csv", "arrow"})
  void manyRowsInOrder(String format) throws Exception {
    update("create table t as select * from (values (0)) v(i)");
    for (int rows = 1; rows < 400_000; rows *= 2) {
      update("insert into t select i + " + rows + " from t");
    }
    String query =
        "select i, i * 1.5 as x, case when mod(i, 7) = 0 then null else 'text ' || i end as s,"
            + " mod(i, 5) as k from t order by i";
    assertEquals(524_288, update("copy (" + query + ") to '$/t." + format + "'"));
    String check =
        "select count(*), sum(i), count(distinct i), sum(x), count(s), min(s), max(s), sum(k) from"
            + " ";
    assertEquals(rows(check + "(" + query + ")"), rows(check + "'$/t." + format + "'"));
    assertEquals(List.of("0", "1", "2"), rows("select i from '$/t." + format + "' limit 3"));
    if (format.equals("parquet")) {
      assertEquals(
          duckdb(
              "select 524288, sum(i), sum(x), count(s) from (select i, i * 1.5 as x, case when i %"
                  + " 7 = 0 then null else 'x' end as s from range(524288) r(i))"),
          duckdb("select count(*), sum(i), sum(x), count(s) from '$/t.parquet'"));
      assertEquals(
          List.of("5"),
          duckdb("select count(distinct row_group_id) from parquet_metadata('$/t.parquet')"));
      assertEquals(
          List.of("0|122879"),
          duckdb(
              "select stats_min_value, stats_max_value from parquet_metadata('$/t.parquet') where"
                  + " row_group_id = 0 and path_in_schema = 'i'"));
      assertEquals(List.of("7"), duckdb("select i from '$/t.parquet' where i = 7"));
    }
  }

  @Test
  void foldersOfPartitions() throws Exception {
    update(
        "create table t as select * from (values (1, 'a', 2020, date '2020-01-01'),"
            + " (2, 'b/ c', 2020, null), (3, null, 2021, null), (4, 'a', 2021, date '2020-01-01'))"
            + " v(i, k, y, d)");
    assertEquals(4, update("copy t to '$/out' (format parquet, partition_by (y, k))"));
    assertEquals(
        rows("select i, d, y, k from t order by i"), rows("select * from '$/out' order by i"));
    assertEquals(
        List.of(
            "1|2020-01-01|2020|a", "2|null|2020|b/ c", "3|null|2021|null", "4|2020-01-01|2021|a"),
        duckdb("select i, d, y, k from read_parquet('$/out/**/*.parquet') order by i"));
    error(
        ErrorCode.FILE_UNREADABLE,
        "copy t to '$/out' (format parquet, partition_by y)",
        "overwrite");
    assertEquals(4, update("copy t to '$/out' (format csv, partition_by (d), overwrite)"));
    assertEquals(
        List.of(
            "1|a|2020|2020-01-01", "2|b/ c|2020|null", "3|null|2021|null", "4|a|2021|2020-01-01"),
        rows("select * from '$/out' order by i"));
    Files.writeString(folder.resolve("out/notes.txt"), "keep me");
    error(
        ErrorCode.FILE_UNREADABLE,
        "copy t to '$/out' (format csv, partition_by (d), overwrite)",
        "notes.txt");
    assertEquals("keep me", Files.readString(folder.resolve("out/notes.txt")));
    error(
        ErrorCode.UNKNOWN_COLUMN, "copy t to '$/o2' (format csv, partition_by (z))", "i, k, y, d");
    error(
        ErrorCode.INVALID_STATEMENT,
        "copy (select 1 as a) to '$/o2' (format csv, partition_by (a))");
  }

  /**
   * As delimited files have them, whatever the type; and a text that is the name of null's folder.
   */
  @Test
  void valuesInNamesOfFolders() throws Exception {
    update(
        "copy (select 1 as i, x'00ff' as b, time '12:00:00' as t, timestamp '2024-01-01"
            + " 00:00:00.125' as ts, '__HIVE_DEFAULT_PARTITION__' as s union all select 2, x'00ff',"
            + " null, null, null union all select 3, x'00ff', null, null, '') to '$/kinds' (format"
            + " parquet, partition_by (b, t, ts, s))");
    assertEquals(
        List.of(
            "1|00ff|12:00:00|2024-01-01 00:00:00.125|__HIVE_DEFAULT_PARTITION__",
            "2|00ff|null|null|null",
            "3|00ff|null|null|"),
        rows("select i, b, t, ts, s from '$/kinds' order by i"));
    assertEquals(
        rows("select i, b, t, ts from '$/kinds' order by i"),
        duckdb(
            "select i, b, t, ts from read_parquet('$/kinds/**/*.parquet', hive_partitioning = true,"
                + " hive_types_autocast = false) order by i"));
  }

  @Test
  void emptyResults() throws Exception {
    for (String format : List.of("parquet", "csv", "arrow")) {
      String file = "'$/e." + format + "'";
      assertEquals(
          0,
          update("copy (select 1 as a, 'x' as b from (values (1)) v(z) where z = 2) to " + file));
      assertEquals(List.of("0"), rows("select count(*) from " + file));
    }
    assertEquals(List.of("0"), duckdb("select count(*) from '$/e.parquet'"));
  }

  @Test
  void parametersAndFallbackWork() throws Exception {
    try (PreparedStatement copy =
        connection.prepareStatement(
            "copy (select cast(? as int) as a, array[1, 2][2] as b) to '" + path("p.csv") + "'")) {
      copy.setInt(1, 42);
      assertEquals(1, copy.executeUpdate());
    }
    assertEquals("a,b\n42,2\n", Files.readString(folder.resolve("p.csv")));
  }

  /** Calcite's code hands out rows, which are put into batches here. */
  @Test
  void rowsOfCalcitesCodeInSeveralBlocks() throws Exception {
    update("create table n as select * from (values (0)) v(i)");
    for (int rows = 1; rows < 100_000; rows *= 2) {
      update("insert into n select i + " + rows + " from n");
    }
    String query =
        "select x, 'text ' || x as s from (select i + max(0) over (order by i rows between i - i"
            + " preceding and current row) as x from n)";
    String plan = String.join("\n", rows("explain plan for " + query));
    assertTrue(plan.contains("[calcite]"), plan);
    for (String format : List.of("parquet", "csv", "arrow")) {
      assertEquals(131_072, update("copy (" + query + ") to '$/n." + format + "'"));
      assertEquals(
          rows("select count(distinct x), sum(x), count(distinct s) from (" + query + ")"),
          rows("select count(distinct x), sum(x), count(distinct s) from '$/n." + format + "'"));
    }
    assertEquals(131_072, update("create table m as " + query));
    assertEquals(List.of("131072"), rows("select count(distinct s) from m"));
  }

  @Test
  void aFailedCopyLeavesNothing() throws Exception {
    Files.writeString(folder.resolve("kept.csv"), "old");
    error(ErrorCode.FILE_UNREADABLE, "copy (select 1 as a) to '$/kept.csv'", "overwrite");
    String failing =
        "select 1 / (i - 300000) as x from (select a.i * 1000 + b.i as i from n a, n b) q";
    update("create table n as select * from (values (0)) v(i)");
    for (int rows = 1; rows < 1000; rows *= 2) {
      update("insert into n select i + " + rows + " from n");
    }
    for (String format : List.of("parquet", "csv", "arrow")) {
      error(
          ErrorCode.DIVISION_BY_ZERO,
          "copy (" + failing + ") to '$/kept.csv' (format " + format + ", overwrite)");
    }
    assertEquals("old", Files.readString(folder.resolve("kept.csv")));
    assertEquals(1, files());
    assertEquals(1, update("copy (select 1 as a) to '$/kept.csv' (overwrite true)"));
    assertEquals("a\n1\n", Files.readString(folder.resolve("kept.csv")));
    error(ErrorCode.FILE_UNREADABLE, "copy n to '$/none/x.csv'", "folder");
    error(ErrorCode.FILE_UNREADABLE, "copy n to '$' (format csv, overwrite)", "folder");
  }

  private long files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.count();
    }
  }

  @Test
  void aCancelledCopyLeavesNothing() throws Exception {
    update("create table n as select * from (values (0)) v(i)");
    for (int rows = 1; rows < 5000; rows *= 2) {
      update("insert into n select i + " + rows + " from n");
    }
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(1);
      assertError(
          ErrorCode.TIMED_OUT,
          () ->
              statement.execute(
                  "copy (select a.i, b.i as j, 'text ' || c.i as s from n a, n b, n c) to '"
                      + path("big.parquet")
                      + "'"));
    }
    assertEquals(0, files());
  }

  /** Blocks are smaller, and wait for each other, where memory is short. */
  @ParameterizedTest
  @ValueSource(strings = {"parquet", "csv", "json", "arrow"})
  void littleMemoryIsKept(String format) throws Exception {
    String rows =
        "select n, 'text ' || n as s, repeat('long ' || n, 20) as t from generate_series(1, 300000)"
            + " as g(n)";
    try (Connection small = TestConnections.open("memory=48MB;threads=2;device=cpu");
        Statement statement = small.createStatement()) {
      String target = path("little." + format);
      assertEquals(300_000, statement.executeUpdate("copy (" + rows + ") to '" + target + "'"));
      assertError(
          ErrorCode.MEMORY_EXCEEDED,
          () ->
              statement.executeUpdate(
                  "copy (select repeat('x', 9000000 + n) as t from generate_series(1, 3) as g(n))"
                      + " to '%s' (overwrite)".formatted(target)),
          "memory");
    }
    assertEquals(
        rows("select count(*), sum(n), max(s), sum(char_length(t)) from (" + rows + ")"),
        rows(
            "select count(*), sum(n), max(s), sum(char_length(t)) from '$/little." + format + "'"));
  }

  /** What COPY has written goes into a table of the same columns; values have the table's types. */
  @ParameterizedTest
  @ValueSource(strings = {"parquet", "arrow", "json", "csv"})
  void filesIntoTables(String format) throws Exception {
    update("create table t (id int, s varchar, d date, v decimal(9, 2))");
    String rows =
        "select * from (values (1, '007', date '2020-02-29', 1.50), (2, 'a|\"b\"', null, null),"
            + " (3, cast(null as varchar), date '1969-12-31', -0.01)) as x (id, s, d, v)";
    update("copy (%s) to '$/x.%s'".formatted(rows, format));
    String header = format.equals("csv") ? " (header true)" : "";
    assertEquals(3, update("copy t from '$/x.%s'%s".formatted(format, header)));
    assertEquals(rows(rows + " order by id"), rows("select * from t order by id"));
  }

  @Test
  void columnsAndOptionsOfAFileIntoATable() throws Exception {
    update("create table t (id int primary key, s varchar, n int default 5)");
    Files.writeString(folder.resolve("x.txt"), "00|1\n-|2\n");
    assertEquals(
        2,
        update(
            "copy t (s, id) from '$/x.txt' with (format csv, header false, delimiter '|', null"
                + " '-')"));
    assertEquals(List.of("1|00|5", "2|null|5"), rows("select * from t order by id"));
    error(ErrorCode.INVALID_ARGUMENT, "copy t from '$/x.txt' (format csv)", "header true");
    error(ErrorCode.UNKNOWN_COLUMN, "copy t (q) from '$/x.txt' (format csv, header)", "q");
    error(ErrorCode.UNKNOWN_TABLE, "copy u from '$/x.txt' (format csv, header)", "u");
    error(ErrorCode.INVALID_ARGUMENT, "copy t from '$/x.txt' (format csv, header, x)", "option x");
    Files.writeString(folder.resolve("y.csv"), "9,a,b\n");
    error(ErrorCode.CSV_VALUE, "copy t from '$/y.csv' (header false)", "y.csv");
    assertEquals(List.of("2"), rows("select count(*) from t"));
  }

  @Test
  void badStatements() throws Exception {
    error(ErrorCode.SYNTAX, "copy (select 1", "')'");
    error(ErrorCode.SYNTAX, "copy t to", "path");
    error(ErrorCode.UNKNOWN_TABLE, "copy t from '$/x.csv'", "\"t\"");
    error(ErrorCode.SYNTAX, "copy (select 1) from '$/x.csv'", "TO");
    error(ErrorCode.UNKNOWN_TABLE, "copy t to '$/x.csv'", "'t'");
    error(
        ErrorCode.UNKNOWN_COLUMN,
        "copy (select b from (values (1)) v(a)) to '$/x.csv'",
        "column 14");
    error(ErrorCode.INVALID_ARGUMENT, "copy (select 1 as a) to '$/x'", "format");
    error(ErrorCode.INVALID_ARGUMENT, "copy (select 1 as a) to '$/x' (format xml)", "xml");
    error(ErrorCode.INVALID_ARGUMENT, "copy (select 1 as a) to '$/x.csv' (headr)", "header");
    error(ErrorCode.INVALID_ARGUMENT, "copy (select 1 as a) to '$/x.parquet' (header)", "csv");
    for (String delimiter : new String[] {" ", "-", ".", "7", "e", "\""}) {
      error(
          ErrorCode.INVALID_ARGUMENT,
          "copy (select 1 as a) to '$/x.csv' (delimiter '" + delimiter + "')",
          "'" + delimiter + "'");
    }
    for (String quote : new String[] {" ", "-", ".", "7", "e", "é"}) {
      error(
          ErrorCode.INVALID_ARGUMENT,
          "copy (select 1 as a) to '$/x.csv' (quote '" + quote + "')",
          "quote",
          "'" + quote + "'");
    }
    error(
        ErrorCode.INVALID_ARGUMENT,
        "copy (select 1 as a) to '$/x.parquet' (compression brotli)",
        "zstd");
    error(ErrorCode.INVALID_STATEMENT, "copy (select 1 as a, 2 as a) to '$/x.parquet'", "\"a\"");
    error(ErrorCode.COLUMN_TYPE_UNSUPPORTED, "copy (select array[1] as a) to '$/x.csv'", "\"a\"");
    try (Connection limited =
            TestConnections.open(
                "fileAccess=directory;directory="
                    + Files.writeString(folder.resolve("a.csv"), "a\n1\n").getParent());
        Statement statement = limited.createStatement()) {
      assertError(
          ErrorCode.FILE_NOT_ALLOWED,
          () -> statement.execute("copy a to '" + path("b.csv") + "'"),
          "fileAccess=all");
    }
    assertTrue(files() == 1, () -> String.format(Locale.ROOT, "files left"));
  }

  @Test
  void whatIsNoFileIsNotReplaced() throws Exception {
    Path device = Path.of("/dev/null");
    error(
        ErrorCode.FILE_UNREADABLE,
        "copy (select 1 as a) to '/dev/null' (format csv, overwrite true)",
        "/dev/null",
        "neither file nor folder");
    assertTrue(Files.exists(device) && !Files.isRegularFile(device));
  }

  /** A process that ends while it writes a file and a folder. */
  static final class EndedProcess {
    private EndedProcess() {}

    public static void main(String[] folder) throws IOException {
      Path file = new CopyTarget(Path.of(folder[0], "f.csv"), false, false).temporary();
      Files.writeString(file, "a");
      Path parts = new CopyTarget(Path.of(folder[0], "f"), true, false).temporary();
      Files.writeString(Files.createDirectories(parts.resolve("a=1")).resolve("data.csv"), "a");
      System.exit(0);
    }
  }

  @Test
  void aProcessThatEndsLeavesNothing() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                EndedProcess.class.getName(),
                folder.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
  }
}
