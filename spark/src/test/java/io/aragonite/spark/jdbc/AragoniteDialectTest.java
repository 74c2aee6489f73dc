package io.aragonite.spark.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.spark.AragonitePlugin;
import io.aragonite.spark.isolated.IsolatedDriver;
import io.aragonite.spark.isolated.IsolatedServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog;
import org.apache.spark.sql.jdbc.JdbcDialects;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jspecify.annotations.Nullable;

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
  private static IsolatedServer server;

  @BeforeAll
  static void start() throws Exception {
    spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
            .config("spark.sql.optimizer.datasourceV2JoinPushdown", "true")
            .config("spark.sql.catalog.ara", AragoniteCatalog.class.getName())
            .config("spark.sql.catalog.ara.url", "jdbc:aragonite:device=cpu;memory=256MB;directory=" + folder)
            .config("spark.sql.adaptive.enabled", "false")
            .config("spark.sql.codegen.wholeStage", "false")
            .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
            .config("spark.sql.maxMetadataStringLength", "10000")
            .config("spark.sql.catalog.ara.driver", IsolatedDriver.class.getName())
            .config("spark.sql.catalog.ara.pushDownJoin", "true")
            .config("spark.sql.catalog.fl", AragoniteCatalog.class.getName())
            .config("spark.sql.catalog.fl.url", "jdbc:aragonite:device=cpu;memory=256MB;directory=" + folder)
            .config("spark.sql.catalog.fl.driver", IsolatedDriver.class.getName())
            .config("spark.sql.catalog.fl.pushDownJoin", "true")
            .config("spark.plugins", AragonitePlugin.class.getName())
            .config("spark.aragonite.enabled", "false")
            .config("spark.aragonite.memory", "128m")
            .config("spark.sql.catalog.plain", JDBCTableCatalog.class.getName())
            .config("spark.sql.catalog.plain.url", "jdbc:aragonite:device=cpu;memory=256MB;directory=" + folder)
            .config("spark.sql.catalog.plain.driver", IsolatedDriver.class.getName())
            .getOrCreate();
    spark.sparkContext().setLogLevel("ERROR");
    write("wide", COLUMNS);
    write("few", "select cast(id as int) k, concat('n', id) name, id * 2 v from range(0, 4, 1, 1)");
    write("none", "select cast(id as int) k, id v from range(0, 3, 1, 1) where id > 5");
    spark.conf().set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS");
    write("millis", "select id, if(id = 2, null, timestamp_millis(id * 999999 - 1000)) ts from range(0, 4, 1, 1)");
    server = new IsolatedServer("jdbc:aragonite:device=cpu;memory=256MB;directory=" + folder);
    spark.conf().set("spark.sql.catalog.fl.flight", server.location());
  }

  private static void write(String name, String sql) {
    spark.sql(sql).write().parquet(folder.resolve(name).toString());
    spark.read().parquet(folder.resolve(name).toString()).createOrReplaceTempView(name);
  }

  @AfterAll
  static void stop() throws Exception {
    spark.stop();
    server.close();
  }

  /** The same rows as Spark's own; returns the plan, which names what was pushed. */
  private static String same(String sql) {
    return same("ara", sql);
  }

  private static String same(String catalog, String sql) {
    Dataset<Row> ours = spark.sql(sql.replaceAll("\\b(wide|few|none|millis)\\b", catalog + ".files.$1"));
    assertEquals(rows(spark.sql(sql)), rows(ours), sql);
    return ours.queryExecution().executedPlan().toString();
  }

  /** What the plan has in the brackets behind a name. */
  private static List<String> pushed(String plan, String name) {
    Matcher found = Pattern.compile(name + ": (\\[.*?\\])(?=, [A-Z][A-Za-z]+: )").matcher(plan);
    return found.results().map(result -> result.group(1)).toList();
  }

  private static List<String> rows(Dataset<Row> data) {
    List<String> rows = new ArrayList<>();
    for (Row row : data.collectAsList()) {
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

  /** One statement of all conditions: `condition | what Spark pushes of it`. */
  private static void filters(String cases) {
    List<String[]> all = cases.lines().map(line -> line.split(" \\| ", 2)).toList();
    List<String> parts = new ArrayList<>();
    for (String[] one : all) {
      parts.add("select " + parts.size() + " c, id, d from wide where " + one[0]);
    }
    String plan = same(String.join(" union all ", parts));
    assertEquals(all.stream().map(one -> one[1]).toList(), pushed(plan, "PushedFilters"), plan);
  }

  @Test
  void filters() {
    filters(
        """
        i > 500 and (k = 1 or k is null) | [i IS NOT NULL, i > 500, (k = 1) OR (k IS NULL)]
        not (i <=> 31) | [NOT (((i IS NOT NULL AND 31 IS NOT NULL AND i = 31) OR (i IS NULL AND 31 IS NULL)))]
        i in (31, 62, 93, null) | [i IN (31, 62, 93, null)]
        t = "it's" | [t IS NOT NULL, t = 'it''s']
        t = '' | [t IS NOT NULL, t = '']
        t >= 'B' | [t IS NOT NULL, t >= 'B']
        startswith(t, 'A_b%') | [t IS NOT NULL, t LIKE 'A\\_b\\%%' ESCAPE '\\']
        t like '%c%' | [t IS NOT NULL, t LIKE '%c%' ESCAPE '\\']
        t = '😀' or t > '😀' | [(t = '😀') OR (t > '😀')]
        m = 0.07 or m < 1.5 | [(m = 0.07) OR (m < 1.50)]
        w > 12345678901234567.5 | [w IS NOT NULL, w > 12345678901234567.5000]
        day >= date '1996-02-29' | [day IS NOT NULL, day >= 9555]
        ntz < timestamp_ntz '1970-01-01 01:00:00.000001' | [ntz IS NOT NULL, ntz < 3600000001]
        b | [b IS NOT NULL, b = true]
        not b | [b IS NOT NULL, NOT (b = true)]
        bin = X'7831' | [bin IS NOT NULL, bin = 0x7831]
        s < 7S | [s IS NOT NULL, s < 7]
        f = 0.1f or f > 49.9f | [(f = 0.1) OR (f > 49.9)]
        d = 0.0d | [d IS NOT NULL, d = 0.0]
        d > 100.5d | [d IS NOT NULL, d > 100.5]
        coalesce(i, k) = 3 | [(COALESCE(i, k)) = 3]
        case when k = 1 then i else id end < 30 | [(CASE WHEN k = 1 THEN CAST(i AS long) ELSE id END) < 30]
        """);
  }

  @Test
  void filtersThatStayWithSpark() {
    filters(
        """
        d = double('NaN') | [d IS NOT NULL]
        i + 1 > 700 | [i IS NOT NULL]
        ts < timestamp '1970-01-01 00:01:00Z' | [ts IS NOT NULL]
        upper(t) = 'A_B%C\\\\D' | [t IS NOT NULL]
        year(ntz) = 1970 | [ntz IS NOT NULL]
        substring(t, -1) = 's' | [t IS NOT NULL]
        t like 'A\\\\_b\\\\%%' | [t IS NOT NULL]
        """);
  }

  @Test
  void aggregates() {
    assertAggregates(
        "select count(*), count(i), count(distinct k), sum(i), sum(id), sum(m), min(day), max(t), max(d), min(ntz), max(b) from wide",
        "[COUNT(*), COUNT(i), COUNT(DISTINCT k), SUM(i), SUM(id), SUM(m), MIN(day), MAX(t), MAX(d), MIN(ntz), MAX(b)]");
    assertAggregates("select k, sum(m), min(t), count(*) from wide group by k", "[SUM(m), MIN(t), COUNT(*)]");
    assertAggregates("select sum(v), count(*), max(v) from none", "[SUM(v), COUNT(*), MAX(v)]");
    assertAggregates("select k, sum(v) from none group by k", "[SUM(v)]");
    assertAggregates(
        "select case when i > 500 then 'a' else 'b' end c, count(*) from wide group by 1", "[COUNT(*)]");
    assertAggregates("select t, avg(i), avg(m) from wide group by t", "[SUM(i), COUNT(i), SUM(m), COUNT(m)]");
  }

  @Test
  void aggregatesThatStayWithSpark() {
    for (String sql :
        List.of(
            "select d, count(*) from wide group by d",
            "select case when k = 1 then -0.0d else 0.0d end z, count(*) from wide group by 1",
            "select avg(id) from wide where i > 900",
            "select stddev_samp(k) from few",
            "select sum(k * 2) from few")) {
      assertAggregates(sql, null);
    }
  }

  /** Spark's own catalog pushes no keys, since it knows no types. */
  @Test
  void groupsOfSparksCatalog() {
    String plan = spark.sql("select k, sum(v) from plain.files.few group by k").queryExecution().executedPlan().toString();
    assertEquals(List.of(), pushed(plan, "PushedAggregates"), plan);
    plan = spark.sql("select sum(v) from plain.files.few").queryExecution().executedPlan().toString();
    assertEquals(List.of("[SUM(v)]"), pushed(plan, "PushedAggregates"), plan);
  }

  private static void assertAggregates(String sql, @Nullable String functions) {
    String plan = same(sql);
    assertEquals(
        functions == null ? List.of() : List.of(sorted(functions)),
        pushed(plan, "PushedAggregates").stream().map(AragoniteDialectTest::sorted).toList(),
        plan);
  }

  /** Spark lists the parts of averages in any order. */
  private static List<String> sorted(String functions) {
    return Stream.of(functions.substring(1, functions.length() - 1).split(", ")).sorted().toList();
  }

  @Test
  void firstRows() {
    String plan = same("select id from wide order by t nulls last, id desc limit 7");
    assertTrue(plan.contains("PushedTopN: ORDER BY [t ASC NULLS LAST, id DESC NULLS LAST] LIMIT 7"), plan);
    plan = same("select id from wide order by d, id limit 300");
    assertTrue(plan.contains("PushedTopN: ORDER BY [d ASC NULLS FIRST, id ASC NULLS FIRST] LIMIT 300"), plan);
    plan = same("select v from few limit 9");
    assertTrue(plan.contains("PushedLimit: LIMIT 9"), plan);
    plan = same("select id from wide order by id limit 5 offset 3");
    assertTrue(plan.contains("PushedOffset: OFFSET 3"), plan);
    same("select `a \"b` from wide where `a \"b` > 490");
  }

  @Test
  void joins() {
    for (String sql :
        List.of(
            "select w.id, f.name from wide w join few f on w.k = f.k where f.v > 2",
            "select w.id, f.name from wide w left join few f on w.k = f.k and w.i > 300",
            "select f.v, n.v from few f right join none n on f.k = n.k")) {
      String plan = same(sql);
      assertFalse(plan.contains("Join "), plan);
    }
    assertAggregates("select f.name, sum(w.m) from wide w join few f on w.k = f.k group by f.name", "[SUM(m)]");
    assertAggregates("select w.d, count(*) from wide w join few f on w.k = f.k group by w.d", null);
  }

  /** Same rows by Flight, and the statements that the plan shows. */
  private static void byFlight(String sql, String... statements) {
    String plan = same("fl", sql);
    assertFalse(plan.contains("JDBC"), plan);
    Matcher found = Pattern.compile("Statement: (.*?) RuntimeFilters").matcher(plan);
    assertEquals(List.of(statements), found.results().map(result -> result.group(1)).toList(), plan);
  }

  @Test
  void columnsOfAllTypesByFlight() {
    same("fl", "select * from wide");
    same("fl", "select * from millis");
    byFlight("select * from none", "SELECT \"k\",\"v\" FROM \"files\".\"none\"");
    byFlight("select 1 from few", "SELECT 1 FROM \"files\".\"few\"");
  }

  @Test
  void statementsByFlight() {
    byFlight(
        "select t, sum(m), avg(i) from wide where i > 500 and d <> 0 group by t",
        "SELECT \"t\",SUM(\"m\"),SUM(\"i\"),COUNT(\"i\") FROM \"files\".\"wide\"  WHERE (\"i\" IS NOT NULL) AND "
            + "(\"d\" IS NOT NULL) AND (\"i\" > 500) AND (NOT (\"d\" = 0.0E0)) GROUP BY \"t\"");
    byFlight(
        "select id from wide order by t nulls last, id desc limit 7 offset 2",
        "SELECT \"id\" FROM \"files\".\"wide\"     ORDER BY \"t\" ASC NULLS LAST, \"id\" DESC NULLS LAST LIMIT 7 OFFSET 2");
    byFlight("select v from few limit 9", "SELECT \"v\" FROM \"files\".\"few\"     LIMIT 9");
    for (String sql :
        List.of(
            "select w.id, f.name from wide w left join few f on w.k = f.k and w.i > 300",
            "select sum(w.i + u.i), max(concat(w.t, u.t)), max(w.w + u.w) from wide w join wide u on w.k = u.k and u.id < 250")) {
      String plan = same("fl", sql);
      assertTrue(plan.contains(" JOIN ") && !plan.contains("Join"), plan);
    }
  }

  /** As on a class path with adapter's plain jar, where the driver's class is, and Calcite is not. */
  @Test
  void aDriverWithoutItsLibraries() {
    CaseInsensitiveStringMap options =
        new CaseInsensitiveStringMap(
            Map.of("url", "jdbc:aragonite:device=cpu", "driver", "io.aragonite.adapter.AragoniteDriver"));
    AragoniteException error =
        assertThrows(
            AragoniteException.class, () -> new AragoniteCatalog().initialize("sales", options));
    assertEquals(ErrorCode.INVALID_PROPERTY, error.code());
    assertTrue(
        error.getMessage().contains("spark.sql.catalog.sales.driver=io.aragonite.client.ClientDriver"),
        error.getMessage());
  }

  /** Each of Spark's partitions is a statement. */
  @Test
  void partitionsByFlight() {
    Dataset<Row> parts =
        spark.read().option("partitionColumn", "id").option("lowerBound", "0").option("upperBound", "501")
            .option("numPartitions", "3").table("fl.files.wide").select("id", "t");
    assertEquals(3, parts.rdd().getNumPartitions());
    assertEquals(rows(spark.sql("select id, t from wide")), rows(parts));
  }

  /** Arrow's columns are a fragment's input as they are. */
  @Test
  void fragmentsTakeColumnsOfFlight() {
    spark.conf().set("spark.aragonite.enabled", "true");
    try {
      String plan = same("fl", "select id, i * 2, upper(t), d, bin, w, ts from wide where i + k > 300");
      assertTrue(plan.contains("AragoniteFragment") && !plan.contains("RowToColumnar"), plan);
    } finally {
      spark.conf().set("spark.aragonite.enabled", "false");
    }
  }
}
