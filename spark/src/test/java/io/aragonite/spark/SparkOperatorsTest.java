package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.spark.plan.ColumnarShuffleExec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What TPC-DS's plans are made of, beside Spark's own answers. */
class SparkOperatorsTest {
  private static final String NO_BROADCAST = "spark.sql.autoBroadcastJoinThreshold=-1";

  @TempDir static Path folder;
  private static SparkSide spark;

  @BeforeAll
  static void start() {
    spark = new SparkSide("local[2]");
    Random random = new Random(Long.getLong("aragonite.seed", 1));
    StructType schema =
        StructType.fromDDL(
            "k int, n int, p decimal(7,2), q decimal(7,2), m decimal(17,2), w decimal(38,10), "
                + "v decimal(38,6), d double, t string");
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      Object[] values = {
        random.nextInt(12),
        random.nextInt(1000),
        BigDecimal.valueOf(random.nextInt(2_000_000) - 1_000_000, 2),
        BigDecimal.valueOf(random.nextInt(900) + 1, 2),
        BigDecimal.valueOf(random.nextLong() % 1_000_000_000_000_000L, 2),
        new BigDecimal(new BigInteger(20 + random.nextInt(100), random), 10),
        new BigDecimal(new BigInteger(1 + random.nextInt(60), random).add(BigInteger.ONE), 6),
        random.nextInt(5) == 0 ? Double.NaN : random.nextGaussian() * 1000,
        "t" + random.nextInt(30)
      };
      for (int field = 0; field < values.length; field++) {
        if (random.nextInt(9) == 0) {
          values[field] = null;
        }
      }
      rows.add(RowFactory.create(values));
    }
    spark
        .session()
        .createDataFrame(rows, schema)
        .repartition(3)
        .write()
        .parquet(folder.resolve("r").toString());
    spark.session().read().parquet(folder.resolve("r").toString()).createOrReplaceTempView("r");
  }

  @AfterAll
  static void stop() {
    spark.close();
  }

  /** Same rows as Spark's, and an operator of that name in a fragment. */
  private static Dataset<Row> inFragment(String operator, String sql, String... settings) {
    return spark.with(
        List.of(settings),
        () -> {
          boolean ordered = sql.contains("order by 1");
          Dataset<Row> query = spark.session().sql(sql);
          List<Row> rows = query.collectAsList();
          List<Row> theirs = spark.interpreted(sql);
          if (ordered || !SparkSide.same(theirs, rows, 1e-12)) {
            assertEquals(SparkSide.text(theirs, ordered), SparkSide.text(rows, ordered), sql);
          }
          assertTrue(
              SparkSide.fragments(query).stream()
                  .anyMatch(f -> f.operatorNames().stream().anyMatch(o -> o.endsWith(operator))),
              () -> sql + ": no " + operator + "; " + SparkSide.leftWithReasons(query));
          List<String> left = new ArrayList<>(SparkSide.leftWithReasons(query));
          left.remove("Exchange: it is over an operator that hands over rows"); // a scan
          assertEquals(List.of(), left, sql);
          return query;
        });
  }

  /** Spark adds and averages these as longs and doubles. */
  @Test
  void smallDecimalsAreAggregatedInUnitsOfTheirLastDigit() {
    inFragment("HashAggregate", "select k, sum(p), sum(p * 2), sum(q) / 3 from r group by k");
    inFragment("HashAggregate", "select k, avg(p), avg(q), avg(cast(n as decimal(4,0))) from r group by k");
    inFragment("HashAggregate", "select sum(p), avg(q), count(q) from r where k > 100");
    inFragment("Project", "select k, cast(d as decimal(20,3)), cast(d / 7 as decimal(38,18)) from r");
    RuntimeException refused =
        assertThrows(
            RuntimeException.class,
            () -> spark.session().sql("select cast(d as decimal(3,1)) from r").collectAsList());
    assertTrue(refused.toString().contains("OVERFLOW") || refused.toString().contains("OUT_OF_RANGE"), refused::toString);
  }

  /** Of types of 38 digits, where Spark cuts digits off before it rounds. */
  @Test
  void productsAndQuotientsOfManyDigitsAreSparks() {
    inFragment("Project", "select p * m, m * m, p / m, m / q, m * 100 / m from r where m <> 0");
    inFragment("Project", "select w / v, v / w, w * cast(0.1234567 as decimal(8,7)) from r where w <> 0 and w < 100000000000000 and v > 1");
    inFragment("HashAggregate", "select k, avg(m), avg(v), sum(m) * 100 / sum(p) from r group by k");
    inFragment(
        "Window",
        "select k, sum(p) * 100 / sum(sum(p)) over (partition by k % 3), avg(sum(p)) over (partition by k % 3) from r group by k");
  }

  /**
   * Of equal values and of values far from 0, of one value and of none; of NaN and infinities. A
   * number is added, since the last bits are those of the values rather than of what is left.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 + stddev_samp(n), 1 + stddev_pop(k), 1 + var_samp(q), var_pop(cast(n as smallint)) filter (where n > 500), count(*)",
        "1e6 + stddev_samp(n / 3D + 1e6D), stddev_pop(cast(m as double) / 7), var_samp(d), var_pop(d) filter (where n > 500)",
        "1 + stddev_pop(if(n > 300, 0.1D, null)), stddev_samp(if(n > 300, 5, null)), var_pop(if(n = 7, n, null)), 1 + var_samp(if(n > 300, 0.01, null))",
        "var_pop(if(n > 700, 1e308D * (n - 700), n)), var_samp(if(n < 10, 1e305D * n, null))",
        "1e5 + covar_samp(n, d), 1e5 + covar_pop(if(d > 0, d, 7), k) filter (where n < 800), 1 + covar_samp(0.1D, n)"
      })
  void variancesAreSparks(String functions) {
    inFragment("HashAggregate", "select k, " + functions + " from r where d < 1e9 or k < 5 group by k");
    inFragment("HashAggregate", "select " + functions + " from r where k > 100");
  }

  /** One side of the exchange is Spark's. */
  @Test
  void buffersOfVariancesAreSparks() {
    for (String sql :
        List.of(
            "select k, stddev_samp(n), 1e5 + covar_pop(n, q), max(reverse(t)) from r group by k",
            "select k, round(stddev_samp(n / 3D), 3), skewness(n) from r group by k",
            "select k, var_pop(n / 3D), count(distinct t) from r group by k")) {
      List<Row> ours = spark.session().sql(sql).collectAsList();
      assertTrue(SparkSide.same(spark.interpreted(sql), ours, 1e-12), () -> sql + ": " + ours);
    }
  }

  /** Spark's are rounded to 34 digits. */
  @Test
  void signsOfDecimalsAreSparks() {
    inFragment("Project", "select k, -m, abs(p), -cast(n as decimal(34,2)), abs(cast(-m as decimal(34,10))) from r");
    String sql = "select k, -w, abs(-w), abs(w) from r where w > 1000000000000000000000000";
    Dataset<Row> query = spark.session().sql(sql);
    assertEquals(
        SparkSide.text(spark.interpreted(sql), false), SparkSide.text(query.collectAsList(), false));
    assertTrue(
        SparkSide.leftWithReasons(query).toString().contains("more than 34 digits"),
        () -> SparkSide.leftWithReasons(query).toString());
  }

  @Test
  void floatsAreRoundedAsBySpark() {
    inFragment(
        "Project",
        "select round(d, 2), round(d / 1e9D, 12), round(d * 1e13D, 1), round(n / 8D, 2), round(-0.001D * k, 1), round(n, 3) from r");
    inFragment("Project", "select cast(p as int), cast(m as bigint), cast(p / 3 as smallint), cast(q as tinyint), cast(p / 1000000 as int) from r where q < 100");
    inFragment("Project", "select cast(p as double), cast(m as double), cast(w as double), cast(v as double) from r");
  }

  @Test
  void rowsBeforeAndBehindAreSparks() {
    inFragment(
        "Window",
        "select k, n, lag(n) over (partition by k order by n, t, p, q), lead(t, 2) over (partition by k order by n, t, p, q), "
            + "lag(p, 3, q) over (partition by k order by n, t, p, q), lead(n, -1, 7) over (partition by k order by n, t, p, q) from r");
    inFragment(
        "Window",
        "select k, n, percent_rank() over (partition by k order by n), cume_dist() over (partition by k order by n) from r");
  }

  /** Columns of nulls alone have a type of their own, and no values. */
  @Test
  void columnsOfNullsComeOut() {
    inFragment("Project", "select k, n, null as none from r where k > 3");
    inFragment("Project", "select k, struct(null as none, n) as s from r where k > 3");
    inFragment("HashAggregate", "select k, none, count(*) from (select k, null as none from r) group by k, none");
    inFragment("HashAggregate", "select k, null as none, sum(n), max(null) from r group by k");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select x.k, y.n from r x, r y where x.n > y.n + 900 and y.k > 3",
        "select x.k, x.t, y.n from r x left join (select * from r where k > 8) y on x.n < y.n - 500",
        "select x.k, y.n from (select * from r where k > 8) x right join r y on x.n < y.n - 500",
        "select k, n from r x where exists (select * from r y where x.n > y.n and y.k > 8)",
        "select k, n from r x where not exists (select * from r y where x.n > y.n and y.k > 8)",
        "select * from (select k, sum(p) a from r group by k) x, (select n, max(q) b from r where k = 2 group by n) y",
        "select x.k, y.n from r x left join (select * from r where k > 80) y on x.n < y.n"
      })
  void nestedLoopsAreSparks(String sql) {
    spark.with(
        List.of("spark.sql.adaptive.optimizer.excludedRules="
            + "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"),
        () -> inFragment("BroadcastNestedLoopJoin", sql));
  }

  /** Each task has a partition of either side; of products of products each is a fragment. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "select x.k, x.t, y.n, y.w from (select * from r where k > 8) x, (select * from r where k = 3) y",
        "select x.k, y.n from r x join (select * from r where k > 9) y on x.n > y.n + 500",
        "select count(*), sum(x.n), max(y.p) from r x, r y where x.n < y.n or x.t = y.t",
        "select count(*), sum(x.n + y.n * z.n) from (select * from r where k = 1) x, (select * from r where k = 2) y, "
            + "(select * from r where k = 3) z where x.n < z.n",
        "select * from (select k, sum(p) a from r group by k) x, (select n, max(q) b from r where k = 2 group by n) y",
        "select /*+ broadcast(z) */ x.t, y.n, z.v from (select * from r where k = 4) x cross join (select * from r where k = 5) y "
            + "join (select t, count(*) v from r group by t) z on x.t = z.t",
        "select x.k, y.n from (select * from r where k > 80) x, r y"
      })
  void productsAreSparks(String sql) {
    for (String adaptive : List.of("true", "false")) {
      Dataset<Row> query =
          inFragment(
              "CartesianProduct",
              sql,
              NO_BROADCAST,
              "spark.sql.adaptive.enabled=" + adaptive,
              "spark.sql.shuffle.partitions=3",
              "spark.sql.adaptive.optimizer.excludedRules="
                  + "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation");
      assertTrue(
          SparkSide.fragments(query).stream().allMatch(fragment -> fragment.reasons().isEmpty()),
          () -> SparkSide.fragments(query).toString());
    }
  }

  /** A row that is kept once for all partitions is found by Spark. */
  @Test
  void loopsThatKeepWhatIsBroadcastStayWithSpark() {
    String sql = "select /*+ broadcast(x) */ x.k, y.n from (select * from r where k > 8) x left join r y on x.n < y.n - 900";
    Dataset<Row> query = spark.session().sql(sql);
    assertEquals(
        SparkSide.text(spark.interpreted(sql), false), SparkSide.text(query.collectAsList(), false));
    assertTrue(
        SparkSide.leftWithReasons(query).toString().contains("keeps rows of what is broadcast"),
        () -> SparkSide.leftWithReasons(query).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void rangesOfAnOrderAreExchangedAsColumns(String adaptive) {
    for (String keys :
        List.of("1 desc, 2 nulls last, 3, 4 desc nulls first", "1, p * 2 desc, t, n")) {
      Dataset<Row> query =
          inFragment(
              "Sort",
              "select t, p, n, k from r where k > 1 order by " + keys,
              "spark.sql.adaptive.enabled=" + adaptive,
              "spark.sql.shuffle.partitions=5");
      assertTrue(
          SparkSide.operators(query).stream().anyMatch(ColumnarShuffleExec.class::isInstance), keys);
    }
    inFragment("Sort", "select t from r where k > 100 order by 1", "spark.sql.adaptive.enabled=false");
  }

  /** Spark makes one subquery of several, and takes its fields. */
  @Test
  void fieldsOfSubqueriesAreValues() {
    String sql =
        "select k, case when (select count(*) from r where n < 500) > 10 then (select avg(p) from r where n < 500) "
            + "else (select avg(q) from r where n < 500) end from r where k = 3";
    Dataset<Row> query = spark.session().sql(sql);
    assertEquals(
        SparkSide.text(spark.interpreted(sql), false), SparkSide.text(query.collectAsList(), false));
    assertTrue(
        SparkSide.leftWithReasons(query).stream().noneMatch(r -> r.contains("getstructfield")),
        () -> SparkSide.leftWithReasons(query).toString());
  }

  @Test
  void joinsBesideNestedLoopsAreSparks() {
    inFragment(
        "SortMergeJoin", "select x.k, y.n from r x join r y on x.k = y.k and x.n > y.n + 900", NO_BROADCAST);
  }

  /** Files of CHAR may have shorter texts, and longer ones, than the column: others write them. */
  @Test
  void textsAreFilledUpWithBlanksAsBySpark() {
    String files = folder.resolve("texts").toString();
    spark
        .session()
        .sql("select n, t c, concat(t, ' ü\uD83D\uDE00') w, if(n % 3 = 0, null, substring(t, 3, 1)) e from r")
        .write()
        .parquet(files);
    spark.session().sql("drop table if exists padded");
    spark.session()
        .sql("create table padded (n int, c char(3), w char(9), e char(1)) using parquet location '%s'".formatted(files));
    inFragment("Project", "select n, c, w, e, length(c), w || '|' from padded");
    inFragment("Aggregate", "select c, e, count(*), max(w) from padded where w >= 't1' group by c, e");
    inFragment("Filter", "select n from padded where c = 't1' or w = 't1  ü\uD83D\uDE00' or e in ('7', '')");
    inFragment("HashJoin", "select x.n, y.n from padded x join padded y on x.c = y.w");
    inFragment(
        "Project",
        "select rpad(t, 2, 'x'), rpad(t, 5), lpad(t, 7, 'ü\uD83D\uDE00'), lpad(t, 0, 'x'), rpad(t, 12, 'ab') from r");
    String none = "select rpad(t, 5, ''), lpad(t, n, 'x'), rpad(t, -1, 'x') from r";
    Dataset<Row> query = spark.session().sql(none);
    assertEquals(
        SparkSide.text(spark.interpreted(none), false), SparkSide.text(query.collectAsList(), false));
    assertEquals(1, SparkSide.leftWithReasons(query).size(), query::toString);
    spark.session().sql("drop table padded");
  }

  /** Spark has any bytes as a text: what looks at no characters is its own, and else a task ends. */
  @Test
  void textsThatAreNotUtf8AreNeverCountedWrong() {
    // Above an exchange, which Spark's filters are not pushed below.
    String texts =
        "(select k, max(cast(x as string)) s from r lateral view explode(array(x'ff', x'61ff62', x'c3', x'8080', x'20c320', x'61', null)) e as x where k < 4 group by k, x)";
    for (String sql :
        List.of(
            "select s, count(*), max(s) from %s group by s",
            "select s = cast(x'ff' as string), s in (cast(x'ff' as string), 'a'), contains(s, cast(x'ff' as string)) from %s",
            "select s || 'x', replace(s, 'a', 'bc'), s like 'a%%', endswith(s, 'b') from %s where s < 'b'",
            "select contains(s, '_'), startswith(s, 'a_'), trim(s), ltrim(s), rtrim(s), trim(leading 'a' from s) from %s",
            "select length(u), s, k from (select k, s, max(cast(k as string)) u from %s group by k, s)",
            "select /*+ broadcast(y) */ r.k, length(r.t), y.s from r join %s y on r.k = y.k",
            "select length(s), substring(s, 1, 1), s from (select k, max(t) s from r group by k, t)")) {
      String filled = sql.formatted(texts);
      assertEquals(
          SparkSide.text(spark.interpreted(filled), false),
          SparkSide.text(spark.session().sql(filled).collectAsList(), false),
          filled);
    }
    for (String sql :
        List.of(
            "select length(s) from %s",
            "select upper(s) from %s",
            "select rpad(s, 5, 'x') from %s",
            "select k from %s where s like '_a'",
            "select trim(trailing ' ' from s) from %s",
            "select upper(m) from (select k, max(s || 'x') m from %s group by k)",
            "select r.k from r join %s y on r.k = y.k and length(y.s) > r.k",
            "select /*+ broadcast(y) */ r.k, length(y.s) from r join %s y on r.k = y.k",
            "select k from r where t < (select max(s) from %s)")) {
      String filled = sql.formatted(texts);
      Throwable error =
          assertThrows(Throwable.class, () -> spark.session().sql(filled).collectAsList(), filled);
      assertTrue(error.toString().contains("AR-205"), () -> filled + ": " + error);
    }
  }
}
