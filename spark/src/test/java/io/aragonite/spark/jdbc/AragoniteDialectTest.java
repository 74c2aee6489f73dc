package io.aragonite.spark.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog;
import org.apache.spark.sql.jdbc.JdbcDialects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements over Aragonite's tables through JDBC, beside Spark's answers over the same files. */
class AragoniteDialectTest {
  private static final String COLUMNS =
      """
      select id, if(id % 7 = 0, null, cast(id * 31 % 1000 as int)) i, cast(id % 5 as int) k,
        case id % 6 when 0 then null when 1 then '' when 2 then 'it''s' when 3 then '\uffee'
          when 4 then '\ud83d\ude00' else 'A_b%c\\\\d' end t,
        if(id = 3, null, cast(id * 7 % 997 / 100.0 as decimal(5,2))) m,
        cast(id * 1000000000000 as decimal(30,4)) w,
        if(id % 13 = 0, null, date_add(date '1995-01-01', cast(id % 3000 as int))) day,
        cast(timestamp_micros(id * 1234567891) as timestamp_ntz) ntz, timestamp_micros(id * 999999) ts,
        if(id = 5, null, id % 2 = 0) b, cast(concat('x', id % 3) as binary) bin, cast(id % 100 as smallint) s,
        cast(id / 10 as float) f,
        case id % 9 when 0 then null when 1 then double('NaN') when 2 then -0.0d when 3 then 0.0d
          when 4 then double('Infinity') else id / 3.0d end d, id `a "b`
      from range(0, 501, 1, 1)
      """;

  @TempDir static Path folder;
  private static SparkSession spark;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
            .config("spark.sql.optimizer.datasourceV2JoinPushdown", "true")
            .config("spark.sql.catalog.ara", JDBCTableCatalog.class.getName())
            .config("spark.sql.catalog.ara.url", "jdbc:aragonite:device=cpu;memory=256MB;directory=" + folder)
            .config("spark.sql.catalog.ara.driver", IsolatedDriver.class.getName())
            .config("spark.sql.catalog.ara.pushDownJoin", "true")
            .getOrCreate();
    spark.sparkContext().setLogLevel("ERROR");
    write("wide", COLUMNS);
    write("few", "select cast(id as int) k, concat('n', id) name, id * 2 v from range(0, 4, 1, 1)");
    write("none", "select cast(id as int) k, id v from range(0, 3, 1, 1) where id > 5");
  }

  private static void write(String name, String sql) {
    spark.sql(sql).write().parquet(folder.resolve(name).toString());
    spark.read().parquet(folder.resolve(name).toString()).createOrReplaceTempView(name);
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  /** The same rows as Spark's own; returns the plan. */
  private static String same(String sql) {
    String ours = sql.replaceAll("\\b(wide|few|none)\\b", "ara.files.$1");
    assertEquals(rows(sql), rows(ours), sql);
    return spark.sql("explain extended " + ours).collectAsList().getFirst().getString(0);
  }

  private static List<String> rows(String sql) {
    List<String> rows = new ArrayList<>();
    for (Row row : spark.sql(sql).collectAsList()) {
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < row.length(); i++) {
        values.add(row.get(i) instanceof byte[] bytes ? Arrays.toString(bytes) : row.get(i));
      }
      rows.add(values.toString());
    }
    Collections.sort(rows);
    return rows;
  }

  @Test
  void isFoundByItsUrls() {
    for (String url : List.of("jdbc:aragonite:tpch=1", "JDBC:Aragonite:", "jdbc:aragonite:remote:url=http://a:1")) {
      assertInstanceOf(AragoniteDialect.class, JdbcDialects.get(url));
    }
    assertFalse(JdbcDialects.get("jdbc:aragoniteother:") instanceof AragoniteDialect);
    assertFalse(JdbcDialects.get("jdbc:avatica:remote:url=http://a:1") instanceof AragoniteDialect);
  }

  @Test
  void columnsOfAllTypes() {
    same("select * from wide");
    same("select * from none");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          i > 500 and (k = 1 or k is null) | "i" > 500
          not (i <=> 31) | IS NOT DISTINCT FROM
          i in (31, 62, 93, null) | IN (
          t = 'it''s' | 'it''s'
          t = '' | = ''
          t >= 'B' | >= 'B'
          t like 'A\\\\_b\\\\%%' | LIKE
          t like '%c%' | LIKE
          t = '😀' or t > '😀' | '😀'
          m = 0.07 or m < 1.5 | 0.07
          w > 12345678901234567.5 | 12345678901234567.5
          day >= date '1996-02-29' | DATE '1996-02-29'
          ntz < timestamp_ntz '1970-01-01 01:00:00.000001' | TIMESTAMP '1970-01-01
          b | "b"
          not b | NOT
          bin = X'7831' | X'7831'
          s < 7S | "s"
          f = 0.1f or f > 49.9f | AS REAL
          d = 0.0d | "d" =
          d > 100.5d | 1.005E2
          coalesce(i, k) = 3 | COALESCE
          case when k = 1 then i else id end < 30 | CASE
          """)
  void filters(String condition, String pushed) {
    String plan = same("select id, d from wide where " + condition);
    assertFalse(plan.substring(plan.indexOf("== Physical")).contains("Filter ("), plan);
    assertTrue(plan.contains("PushedFilters"), plan);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          d = double('NaN')
          i + 1 > 700
          ts < timestamp '1970-01-01 00:01:00Z'
          upper(t) = 'A_B%C\\\\D'
          year(ntz) = 1970
          substring(t, -1) = 's'
          """)
  void filtersThatStayWithSpark(String condition) {
    String plan = same("select id from wide where " + condition);
    assertTrue(plan.substring(plan.indexOf("== Physical")).contains("Filter ("), plan);
  }

  @Test
  void aggregates() {
    for (String sql :
        List.of(
            "select count(*), count(i), count(distinct k), sum(i), sum(id), sum(m), min(day), max(t), max(d), min(ntz), max(b) from wide",
            "select k, sum(m), min(t), count(*) from wide group by k",
            "select d, count(*) from wide group by d",
            "select sum(v), count(*), max(v) from none",
            "select k, sum(v) from none group by k",
            "select sum(i) filter (where k > 2) from wide",
            "select case when i > 500 then 'a' else 'b' end c, count(*) from wide group by 1")) {
      assertTrue(same(sql).contains("PushedAggregates"), sql);
    }
    same("select t, avg(i), avg(m) from wide group by t");
    for (String sql :
        List.of("select stddev_samp(i) from wide", "select sum(i * 2) from wide", "select sum(s + 1) from wide")) {
      assertFalse(same(sql).contains("PushedAggregates: ["), sql);
    }
  }

  @Test
  void firstRows() {
    assertTrue(same("select id from wide order by t nulls last, id desc limit 7").contains("PushedTopN"));
    assertTrue(same("select id from wide order by d, id limit 300").contains("PushedTopN"));
    assertTrue(same("select v from few limit 9").contains("PushedLimit"));
    assertTrue(same("select id from wide order by id limit 5 offset 3").contains("PushedOffset"));
    same("select `a \"b` from wide where `a \"b` > 490");
  }

  @Test
  void joins() {
    String plan = same("select w.id, f.name from wide w join few f on w.k = f.k where f.v > 2");
    assertTrue(plan.contains("PushedJoins"), plan);
    assertTrue(
        same("select f.name, sum(w.m) from wide w join few f on w.k = f.k group by f.name").contains("PushedAggregates"));
    same("select w.id, f.name from wide w left join few f on w.k = f.k and w.i > 300");
    same("select f.v, n.v from few f right join none n on f.k = n.k");
  }
}
