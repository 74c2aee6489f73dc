package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.testing.TestSample;
import io.aragonite.spark.execution.ExecutorEngine;
import io.aragonite.spark.plan.CollectSlicesExec;
import io.aragonite.spark.plan.ColumnarBroadcastExec;
import io.aragonite.spark.plan.FragmentExec;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkArithmeticException;
import org.apache.spark.SparkException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec;
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers of fragments beside Spark's own, over values that engines differ on. Of the statements
 * that are to have an operator in a fragment a build runs some ({@link TestSample}).
 */
class FragmentAnswersTest {
  private static final String NO_BROADCAST = "spark.sql.autoBroadcastJoinThreshold=-1";
  private static final String HASH_JOIN = "spark.sql.join.preferSortMergeJoin=false";
  private static final String SMALL_MAPS = "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold=64m";
  private static final String NO_ADAPTIVE = "spark.sql.adaptive.enabled=false";

  private static final TestSample SAMPLE = new TestSample(FragmentAnswersTest.class);

  @TempDir static Path folder;
  private static SparkSide spark;

  @BeforeAll
  static void start() {
    spark = new SparkSide("local[2]");
    RandomTables.open(spark.session(), folder);
  }

  @AfterAll
  static void stop() {
    spark.close();
  }

  /** Same rows; returns the fragments. */
  private static List<FragmentExec> same(String sql, String... settings) {
    return spark.with(
        List.of(settings),
        () -> {
          boolean ordered = sql.contains("order by");
          Dataset<Row> query = spark.session().sql(sql);
          List<String> ours = SparkSide.text(query.collectAsList(), ordered);
          assertEquals(SparkSide.text(spark.interpreted(sql), ordered), ours, sql);
          return SparkSide.fragments(query);
        });
  }

  private static void inFragment(String operator, String sql, String... settings) {
    if (!SAMPLE.has(0.2)) {
      return;
    }
    List<FragmentExec> fragments = same(sql, settings);
    assertTrue(
        fragments.stream()
            .anyMatch(f -> f.operatorNames().stream().anyMatch(name -> name.endsWith(operator))),
        () -> sql + ": no " + operator + " among " + fragments);
  }

  @Test
  void columnsOfAllTypesComeThroughFiltersAndProjections() {
    inFragment("Filter", "select * from a where i > 3 and l is not null");
    inFragment("Filter", "select * from few where s <> 1 or b");
    inFragment("Project", "select i + 1, l * 2, -s, d + f, m * m, w + m, m - i, abs(m) from a");
    same("select i from nothing where i > 0");
    inFragment("Project", "select i, struct(t, m + 1 as n, w, cast(null as int)) from a where b");
    inFragment("Filter", "select count(*) from a where t like 'a%' or t = 'über' or t like '%B'");
    inFragment("Filter", "select t from a where contains(t, '%') or startswith(t, 'x_')");
    inFragment("Filter", "select t, i from a where i in (1, 2, 3) or t in ('a', null, 'abc')");
    inFragment(
        "Project",
        "select case when i > 3 then m when b then 1.5 end, coalesce(i, s, 7), if(b, t, 'no') from a");
    inFragment("Project", "select year(day), month(day), day(day), substring(t, 2, 2), i % 7 from a");
    inFragment("Project", "select i <=> s, not b, b and i > 3, b or i > 3, t is null from a");
    inFragment("Filter", "select * from a where ts > timestamp '2020-01-01 00:00:00.000003'");
    inFragment(
        "Project",
        "select cast(m as decimal(15,1)), cast(-m as decimal(14,0)), cast(w as decimal(28,2)) from a");
    inFragment("Project", "select m * 1.5, m / 7.0, cast(m as decimal(20,3)), cast(i as double) from a");
  }

  @Test
  void functionsOfTextsAndDatesAreSparks() {
    inFragment(
        "Project",
        "select trim(t), ltrim('ba', t), rtrim('c😀', t), trim(both 'ü' from concat(' ', t, ' ')), replace(t, 'b', 'xyz'), replace(t, 'zz'), "
            + "instr(t, 'b'), instr(t, '😀'), i | 5, s ^ 7, ~l, isnan(d), isnan(f) from a");
    inFragment(
        "Project",
        "select quarter(day), dayofweek(day), weekday(day), dayofyear(day), weekofyear(day), add_months(day, 13), add_months(day, -1) from a");
    inFragment(
        "Project",
        "select quarter(c), dayofweek(c), weekday(c), dayofyear(c), weekofyear(c), add_months(c, -2), add_months(c, 1200) from "
            + "(select explode(array(date '0001-01-01', date '1582-10-15', date '1969-12-31', date '2000-02-29', date '2021-01-03', "
            + "date '2026-12-31', date '9999-12-31', null)) c)");
    inFragment(
        "Project",
        "select datediff(day, date '1996-02-29'), date_diff(date '1995-06-01', day), last_day(day), trunc(day, 'year'), trunc(day, 'QUARTER'), trunc(day, 'mon') from a");
    inFragment(
        "Project",
        "select datediff(c, date '1970-01-01'), datediff(date '9999-12-31', c), last_day(c), trunc(c, 'YY'), trunc(c, 'quarter'), trunc(c, 'MM') from "
            + "(select explode(array(date '0001-01-01', date '0004-02-03', date '1582-10-04', date '1582-10-15', date '1900-02-28', date '1969-12-31', "
            + "date '2000-02-29', date '2021-01-31', date '9999-12-31', null)) c)");
    inFragment("Aggregate", "select t, bit_and(i), bit_or(l), bit_xor(s), bit_or(i) filter (where b) from a group by t");
    inFragment("Aggregate", "select bit_and(i), bit_or(l), bit_xor(s) from nothing");
    inFragment("Aggregate", "select t, count(i, l), count(m, b, day) filter (where s > 0) from a group by t");
    inFragment("Window", "select i, count(l, t) over (partition by i) from a");
  }

  /** Some letters are newer than the JDK's, and some texts become longer or shorter. */
  @Test
  void casesOfTextsAreSparks() {
    List<String> texts =
        List.of("Stra\u00dfe", "\u01c6", "\u0130I", "\u0131i", "\u0391\u03a3 \u0391\u03a3\u0391", "\ufb03",
            "\ua7ce\ua7cf", "\uD81B\uDEA0", "@AZ[`az{\u007f", "");
    String sql =
        "select upper(c), lower(c), upper(lower(c)), lower(concat(c, '\u00c9')), c from (select explode(array(null, '%s')) c)"
            .formatted(String.join("', '", texts));
    List<FragmentExec> fragments = same(sql);
    assertEquals(List.of(List.of("Project")), fragments.stream().map(FragmentExec::operatorNames).toList());
    assertTrue(
        spark.session().sql(sql).collectAsList().stream()
            .anyMatch(row -> !row.isNullAt(4) && !row.getString(4).toUpperCase(Locale.ROOT).equals(row.getString(0))),
        "no letter that the JDK lacks");
    assertEquals(List.of(), same(sql, "spark.sql.icu.caseMappings.enabled=false"));
    inFragment("HashAggregate", "select upper(t), count(*) from a where lower(t) <> 'ab' group by upper(t)");
  }

  @Test
  void floatsAreComparedAndGroupedAsSparkDoes() {
    inFragment("Filter", "select d, f from a where d > 1 or f = 0.0");
    inFragment("Filter", "select d from a where d = double('NaN') or d < -0.0");
    inFragment("Aggregate", "select d, count(*) from a group by d");
    inFragment("Aggregate", "select f, min(d), max(d) from a group by f");
    inFragment("Sort", "select d, i from a order by d desc nulls last, i, l, t, m");
    inFragment("Sort", "select f + cast(0 as float) from a order by f");
    same("select a.d, b.i from a join b on a.d = b.d where a.i = 3 and b.i = 4", NO_BROADCAST);
  }

  @Test
  void aggregatesAreSparks() {
    String functions =
        "count(*), count(t), sum(i), sum(l), sum(s), sum(m), sum(w), min(m), max(t), min(day), "
            + "max(ts), avg(i), avg(m), min(b), count(distinct t)";
    inFragment("Aggregate", "select " + functions + " from a");
    inFragment("Aggregate", "select " + functions + " from nothing");
    inFragment("Aggregate", "select i, " + functions + " from a group by i");
    inFragment("Aggregate", "select t, day, sum(m) from a group by t, day");
    inFragment("Aggregate", "select t, sum(m) from few group by t having sum(m) > 10");
    inFragment("Aggregate", "select distinct t, i from a");
    inFragment("Aggregate", "select i % 3, count(distinct t), sum(distinct s) from a group by 1");
    inFragment("Aggregate", "select sum(m) filter (where i > 3), count(*) filter (where b) from a");
    inFragment("Aggregate", "select i, sum(m) from a group by i", NO_ADAPTIVE);
    inFragment("SortAggregate", "select i, max(t), min(bin) from a group by i order by i");
    // Summing floats in another order changes the last bits: of these it does not.
    inFragment("Aggregate", "select i, sum(d), avg(f) from a where d < 10 group by i");
  }

  @ParameterizedTest
  @ValueSource(strings = {"broadcast", "sort-merge", "hash", "not adaptive"})
  void joinsAreSparks(String kind) {
    String[] settings =
        switch (kind) {
          case "sort-merge" -> new String[] {NO_BROADCAST};
          case "hash" -> new String[] {NO_BROADCAST, HASH_JOIN, SMALL_MAPS};
          case "not adaptive" -> new String[] {NO_BROADCAST, NO_ADAPTIVE};
          default -> new String[0];
        };
    String operator =
        switch (kind) {
          case "broadcast" -> "BroadcastHashJoin";
          case "hash" -> "ShuffledHashJoin";
          default -> "SortMergeJoin";
        };
    String a = "(select i, t, m, day from a where s > 0)";
    String b = "(select i, t, m, day from b where s < 0)";
    boolean few = kind.equals("not adaptive");
    for (String type : few ? List.of("left") : List.of("inner", "left", "right")) {
      inFragment(
          operator,
          "select a.t, b.m from %s a %s join %s b on a.t = b.t and a.i = b.i and a.m < b.m"
              .formatted(a, type, b),
          settings);
    }
    if (!few) {
      for (String type : List.of("left semi", "left anti")) {
        inFragment(
            operator,
            "select * from %s a %s join %s b on a.i = b.i and a.m > b.m".formatted(a, type, b),
            settings);
      }
      inFragment(
          operator, "select * from %s a join %s b on a.i + 1 = b.i * 2".formatted(a, b), settings);
      inFragment(
          operator, "select * from %s a left join %s b on a.i = b.i".formatted(a, b), settings);
    }
    if (!kind.equals("broadcast")) {
      inFragment(
          operator, "select * from %s a full join %s b on a.day = b.day".formatted(a, b), settings);
    }
    same("select a.i from %s a join nothing b on a.i = b.i".formatted(a), settings);
  }

  @Test
  void existenceJoinsAreSparks() {
    for (String broadcast : List.of("10m", "-1")) {
      String setting = "spark.sql.autoBroadcastJoinThreshold=" + broadcast;
      inFragment(
          "Join",
          "select i, exists (select 1 from b where b.i = a.i and b.s < 0) or t = 'a' from a where s > 0",
          setting);
      String keyed = "exists (select 1 from b where b.i = a.i and (b.m > a.m or b.t = a.t)";
      inFragment("Join", "select * from a where " + keyed + ") or b", setting);
      inFragment("Join", "select i, " + keyed + " and b.s < a.s) from a where i > 3", setting);
      inFragment("Join", "select * from a where exists (select 1 from b where b.m > a.m and b.s < a.s) or b", setting);
    }
  }

  @Test
  void notInIsSparks() {
    for (String right :
        List.of(
            "i from b where i > 3",
            "i from b where i > 3 or i is null",
            "i from b where m > 100000",
            "i from few where m > 100000")) {
      same("select i, t from a where i not in (select %s)".formatted(right));
    }
    for (String nulls : List.of("", " or i is null")) {
      inFragment(
          "BroadcastHashJoin",
          "select i from a where i not in (select i from b where i > 3%s)".formatted(nulls),
          NO_ADAPTIVE);
    }
  }

  /** INITCAP stays with Spark, and so does the join, whose broadcast is of a fragment's columns. */
  @ParameterizedTest
  @ValueSource(strings = {"i", "t"})
  void sparksJoinsReadBroadcastsOfColumns(String key) {
    String sql =
        ("select /*+ broadcast(x) */ a.i, a.t, x.l, x.w from a left join"
                + " (select * from b where i > 3) x on a.%1$s = x.%1$s"
                + " and initcap(cast(a.day as string)) <= initcap(cast(x.day as string))")
            .formatted(key);
    Dataset<Row> query = spark.session().sql(sql);
    assertEquals(
        SparkSide.text(spark.interpreted(sql), false),
        SparkSide.text(query.collectAsList(), false));
    List<SparkPlan> operators = SparkSide.operators(query);
    assertTrue(operators.stream().anyMatch(ColumnarBroadcastExec.class::isInstance), query::toString);
    assertTrue(operators.stream().anyMatch(BroadcastHashJoinExec.class::isInstance), query::toString);
    assertTrue(
        operators.stream()
            .filter(CollectSlicesExec.class::isInstance)
            .anyMatch(slices -> (long) slices.metrics().apply("sliceTime").value() > 0),
        "time to make slices");
  }

  /** As Spark's own broadcasts without rows do, ours end a join before its other side runs. */
  @Test
  void adaptiveExecutionLeavesJoinsWithNothingOut() {
    Dataset<Row> query =
        spark
            .session()
            .sql(
                "select /*+ broadcast(x) */ a.i from a join (select * from b where i > 1000) x on"
                    + " a.i = x.i");
    assertEquals(List.of(), query.collectAsList());
    List<String> names =
        SparkSide.fragments(query).stream()
            .flatMap(fragment -> fragment.operatorNames().stream())
            .toList();
    assertFalse(names.contains("BroadcastHashJoin"), names::toString);
  }

  /** ORDER BY in capitals is a window's: rows come in any order. */
  @Test
  void windowsAreSparks() {
    inFragment(
        "Window",
        "select i, row_number() over (partition by i ORDER BY l, d, t, m, s, w, day, bin, b, ts, f), "
            + "rank() over (partition by i ORDER BY s), "
            + "dense_rank() over (partition by i ORDER BY s desc nulls first) from a");
    inFragment(
        "Window",
        "select i, sum(m) over (partition by i ORDER BY l, m, t rows between 2 preceding and 1 following), "
            + "count(t) over (partition by i ORDER BY l), min(t) over (partition by i), "
            + "avg(m) over (partition by s ORDER BY day), sum(l) over (ORDER BY i), count(*) over () from a");
    inFragment(
        "WindowGroupLimit",
        "select * from (select i, s, rank() over (partition by i ORDER BY s, t) r from a) where r <= 2");
    inFragment(
        "Window", "select i, m, sum(sum(m)) over (partition by i) from a group by i, m");
  }

  @Test
  void groupingSetsAndUnionsAreSparks() {
    inFragment("Expand", "select i, s, sum(m), grouping(i), grouping(s) from a group by rollup(i, s)");
    inFragment("Expand", "select i, b, count(*), max(t) from a group by cube(i, b)");
    inFragment("Expand", "select count(distinct i), count(distinct t), count(distinct s) from a");
    String union =
        "(select i, m from a where s > 0 union all select s, m * 2 from b union all select i, w from few)";
    for (String adaptive : List.of("true", "false")) {
      String setting = "spark.sql.adaptive.enabled=" + adaptive;
      inFragment("Aggregate", "select i, sum(m) from %s group by i".formatted(union), setting);
      same("select * from " + union, setting);
      same("select i from a where s > 1 except select i from b where s > 1", setting);
      same("select reverse(t) from (select t from a where i > 3 union all select t from b)", setting);
    }
    inFragment("Aggregate", "select t from a where i > 3 union select t from b");
  }

  @Test
  void quotientsAndTextsAreSparks() {
    inFragment("Project", "select d / 2, i / (s + 10), m / 3, d / f from a where f > 0 and f < 10");
    inFragment("Project", "select d / i, i / s from a", "spark.sql.ansi.enabled=false");
    inFragment("Project", "select i / 0, d / s from a where i is null and s > 0");
    inFragment("Project", "select t || 'ü', concat(t, t, t), length(t) from a");
    inFragment("Project", "select date_add(day, 400), day - interval 700000 days, date_sub(day, 3) from a");
    inFragment("Filter", "select i from a where day > date'1996-01-01' + interval 5 days and date_add(day, 3) < date'1997-03-01'");
    inFragment("Project", "select round(m, 1), round(m), round(-m, 1), round(w, 2), round(m, 3) from a");
  }

  @Test
  void exchangesOverFragmentsAreReused() {
    String part = "(select i, sum(m) as m from a where s > 0 group by i)";
    String sql = "select * from %s x join %s y on x.i = y.i".formatted(part, part);
    for (String adaptive : List.of("true", "false")) {
      spark.with(
          List.of(NO_BROADCAST, "spark.sql.adaptive.enabled=" + adaptive),
          () -> {
            Dataset<Row> query = spark.session().sql(sql);
            assertEquals(
                SparkSide.text(spark.interpreted(sql), false),
                SparkSide.text(query.collectAsList(), false));
            assertEquals(
                1,
                SparkSide.operators(query).stream().filter(ReusedExchangeExec.class::isInstance).count(),
                "adaptive " + adaptive);
            return query;
          });
    }
  }

  @Test
  void ordersAndLimitsAreSparks() {
    inFragment("Sort", "select i, t, m from a order by i desc nulls first, t, m nulls last");
    inFragment("Sort", "select t from a order by substring(t, 2, 1), t");
    same("select i, t, m, d, l, day from a order by i, t, m, d, l, day limit 7");
    same("select i, m from a where i > 3 order by m desc, i limit 5 offset 3");
    assertEquals(3, spark.session().sql("select i + 1 from a limit 3").collectAsList().size());
    same("select count(*) from (select i from a limit 10)");
    // A limit takes the first rows of a join's order, which Spark sorts no more.
    inFragment(
        "SortMergeJoin",
        "select a.l from a join b on a.l = b.l order by a.l limit 7",
        NO_BROADCAST,
        NO_ADAPTIVE,
        "spark.sql.shuffle.partitions=1",
        "spark.sql.execution.topKSortFallbackThreshold=0");
    // What a sort-merge join has in order, nobody sorts again.
    same("select i, count(*) from (select a.i from a join b on a.i = b.i) group by i", NO_BROADCAST);
    List<Row> ordered =
        spark.with(
            List.of(NO_BROADCAST, NO_ADAPTIVE, "spark.sql.shuffle.partitions=1"),
            () ->
                spark
                    .session()
                    .sql("select a.i, a.m from a join b on a.i = b.i order by a.i")
                    .collectAsList());
    List<Integer> keys = ordered.stream().map(row -> row.getInt(0)).toList();
    assertEquals(keys.stream().sorted().toList(), keys);
  }

  /** Orders by keys of joins that are no columns of what comes out. */
  @Test
  void ordersByExpressionsAreMadeWhereSparkReliesOnThem() {
    for (String setting : List.of(NO_ADAPTIVE, "spark.sql.adaptive.enabled=true")) {
      List<FragmentExec> first =
          same(
              "select a.i from a join (select l % 25 n from b where s = 3) b on a.i = b.n order by cast(a.i as bigint) limit 5",
              NO_BROADCAST,
              setting);
      assertTrue(first.toString().contains("SortMergeJoin"), first.toString());
      // The join above stays with Spark, and sorts nothing that is sorted.
      List<FragmentExec> below =
          same(
              "select x.i, c.n from (select a.i from a join (select l % 25 n from b where s = 3) b on a.i = b.n) x "
                  + "join (select l % 25 n, t from b where s = 3) c on x.i = c.n and (reverse(c.t) <> 'zz' or x.i > 3)",
              NO_BROADCAST,
              setting);
      assertTrue(below.toString().contains("SortMergeJoin"), below.toString());
      same(
          "select i from (select a.i from a join (select l % 25 n from b where s = 3) b on a.i = b.n order by cast(a.i as bigint) limit 7)",
          NO_BROADCAST,
          setting);
    }
    same("select i, t, m from a where i > 2 order by i + 1, substring(t, 2), t, m limit 6");
    same("select i, t, m from a where i > 2 order by i + 1, reverse(t), t, m limit 6");
  }

  @Test
  void errorsAreSparks() {
    for (String sql :
        List.of(
            "select i + 2147483647 from a where i > 0",
            "select sum(l * 1000000) * 1000000 from a where l > 0",
            "select i / 0 from a",
            "select i % 0 from a",
            "select d / i from a",
            "select cast(m * 1000000 as decimal(9,2)) from a where m > 500",
            "select sum(l + 9223372036854775807 - 40000000280) from a where l > 0")) {
      String theirs = condition(() -> spark.interpreted(sql));
      String ours = condition(() -> spark.session().sql(sql).collectAsList());
      assertEquals(theirs, ours, sql);
    }
    // What would fail is not evaluated where Spark does not.
    inFragment("Filter", "select i from a where i < 5 and i + 2147483640 > 3");
    inFragment("Project", "select case when i > 5 then -1 else i + 2147483640 end from a");
    inFragment("Filter", "select i from a where i > 5 or i + 2147483640 > 2147483641");
    inFragment("Project", "select i > 5 or i + 2147483640 > 3, i < 5 and i + 2147483640 > 3 from a");
    inFragment("Aggregate", "select sum(i + 2147483640) filter (where i < 5) from a");
    inFragment("Project", "select b = (i + 2147483647 > 3), s + (i + 2147483647) from a where s is null and b is null");
    inFragment("Project", "select coalesce(i, i + 2147483647) from a");
  }

  /** What failed, was killed or stopped early has given its memory back. */
  @Test
  void nothingIsHeldWhenQueriesEnd() throws Exception {
    assertThrows(Exception.class, () -> spark.session().sql("select sum(i + 2147483647) from a group by t").collectAsList());
    spark.session().sql("select a.i + 1 from a join b on a.s = b.s join few c on a.s = c.s limit 3").collectAsList();
    Thread query =
        new Thread(
            () -> {
              spark.session().sparkContext().setJobGroup("killed", "", true);
              spark.session()
                  .sql("select count(*) from a x, a y, a z where x.s = y.s and y.s = z.s and x.m + y.m > z.m")
                  .collectAsList();
            });
    query.setUncaughtExceptionHandler((thread, error) -> {});
    MemoryBudget memory = ExecutorEngine.get().device().memory();
    assertTrue(comes(() -> memory.used() == memory.cached()), "bytes of the engine in use before");
    query.start();
    assertTrue(comes(() -> memory.used() > memory.cached()), "the query uses memory");
    assertTrue(query.isAlive());
    spark.session().sparkContext().cancelJobGroup("killed");
    query.join();
    assertTrue(comes(() -> memory.used() == memory.cached()), () -> memory.used() + " bytes of the engine in use");
  }

  /** Waits for it. */
  private static boolean comes(BooleanSupplier state) throws InterruptedException {
    long deadline = System.nanoTime() + 20_000_000_000L;
    while (System.nanoTime() < deadline) {
      if (state.getAsBoolean()) {
        return true;
      }
      Thread.sleep(5);
    }
    return false;
  }

  private static String condition(org.junit.jupiter.api.function.Executable query) {
    Throwable error = assertThrows(Throwable.class, query);
    while (error instanceof SparkException && error.getCause() != null) {
      error = error.getCause();
    }
    return error instanceof SparkArithmeticException arithmetic
        ? arithmetic.getCondition().replace("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", "ARITHMETIC_OVERFLOW")
        : error.toString();
  }

  @Test
  void whatIsNotExactStaysWithSparkAndSaysWhy() {
    String ansi = "spark.sql.ansi.enabled=false";
    List<FragmentExec> wrapping = same("select i + 2147483647 from a where i > 0", ansi);
    assertTrue(wrapping.toString().contains("without ANSI mode"), wrapping.toString());
    same("select i / 0, i % 0 from a where i > 1", ansi);
    same("select skewness(i) from a");
    String reversed = "select reverse(t) from a where i > 3";
    assertTrue(same(reversed).toString().contains("Project: expression reverse"));
    RuntimeException refused =
        assertThrows(
            RuntimeException.class,
            () ->
                spark.with(
                    List.of("spark.aragonite.strict=true"),
                    () -> spark.session().sql(reversed).collectAsList()));
    assertTrue(refused.getMessage().contains("expression reverse"), refused.getMessage());
    assertTrue(
        spark.with(
            List.of("spark.aragonite.enabled=false"),
            () -> {
              Dataset<Row> query = spark.session().sql(reversed);
              query.collectAsList();
              return SparkSide.fragments(query).isEmpty();
            }));
  }

  @Test
  void strictNamesAllThatStaysWithSpark() {
    for (List<String> named :
        List.of(
            List.of("CollectLimit: it hands", "select i + 1 from a where i > 2 limit 3"),
            List.of("Exchange: RoundRobinPartitioning", "select /*+ repartition(3) */ i + 1 from a"),
            List.of("TakeOrderedAndProject: ", "select i, t from a where i > 2 order by reverse(t), i limit 3"))) {
      String sql = named.getLast();
      RuntimeException refused =
          assertThrows(
              RuntimeException.class,
              () ->
                  spark.with(
                      List.of("spark.aragonite.strict=true"),
                      () -> spark.session().sql(sql).collectAsList()),
              sql);
      assertTrue(refused.getMessage().contains(named.getFirst()), refused.getMessage());
      same(sql.replace(" limit 3", ""));
    }
    spark.with(
        List.of("spark.aragonite.strict=true"),
        () -> spark.session().sql("select i, sum(m) from a where i > 2 group by i").collectAsList());
  }

  @Test
  void functionsOfUsersAndOtherTypesStayWithTheirReason() {
    UDF1<Integer, Integer> twice = value -> value == null ? null : 2 * value;
    spark.session().udf().register("twice", twice, DataTypes.IntegerType);
    for (List<String> named :
        List.of(
            List.of("expression scalaudf", "twice(i)"),
            List.of("type array<int>", "array(i, 2)"),
            List.of("type map<int,string>", "map(i, t)"),
            List.of("type interval", "make_interval(0, 0, 0, i)"),
            List.of("type interval day to second", "make_dt_interval(i)"),
            List.of("type string collate UNICODE_CI", "t collate unicode_ci"))) {
      String sql = "select " + named.getLast() + " from a where i between 2 and 100";
      Dataset<Row> query = spark.session().sql(sql);
      List<String> ours = SparkSide.text(query.collectAsList(), false);
      assertEquals(SparkSide.text(spark.interpreted(sql), false), ours, sql);
      String reason = "Project: " + named.getFirst();
      assertEquals(List.of(reason), SparkSide.leftWithReasons(query), sql);
      String plan = query.queryExecution().toString();
      assertTrue(plan.contains("AragoniteFragment") && plan.contains(reason), plan);
    }
  }

  @Test
  void subqueriesAreRunBeforeFragmentsThatUseThem() {
    inFragment("Filter", "select * from a where m > (select avg(m) from b)");
    inFragment("Filter", "select * from a where m > (select avg(m) from b)", NO_ADAPTIVE);
    same("select count(*) from a where m > (select max(m) from nothing)");
    // Both are one subquery of Spark's, of a struct.
    List<FragmentExec> merged =
        same("select (select sum(m) from b where s > 0), (select count(t) from b where s > 0)");
    assertTrue(merged.toString().contains("[Project, HashAggregate]"), merged.toString());
    same("select i, (select max(i) from b) from a where i = (select max(i) from b)", NO_ADAPTIVE);
  }

  @Test
  void metricsCountRows() {
    Dataset<Row> query = spark.session().sql("select i from a where i >= 0");
    long rows = query.collectAsList().size();
    FragmentExec fragment = SparkSide.fragments(query).getFirst();
    assertEquals(rows, fragment.metrics().apply("numOutputRows").value());
    assertEquals(rows, fragment.metrics().apply("rowsMade").value());
    assertEquals(0L, fragment.metrics().apply("inputColumnRows").value());
    assertTrue((long) fragment.metrics().apply("scanBytes").value() > 0);
    assertTrue((long) fragment.metrics().apply("fragmentTime").value() > 0);
  }

  /**
   * Half of the 22 right, and of the operators that compute something nearly all in fragments. Few
   * rows come between them: what Spark keeps it interprets.
   */
  @Test
  void tpchIsRightAndMostlyInFragments() {
    double scale = 0.005;
    SparkBenchmark tpch = SparkBenchmark.tpch(scale);
    SparkTables.open(spark.session(), tpch.data(), folder.resolve("tpch"));
    int inFragments = 0;
    TreeSet<String> left = new TreeSet<>();
    int leftCount = 0;
    int answered = 0;
    List<SparkBenchmark.SparkStatement> statements = SAMPLE.some(tpch.statements(), 0.5);
    for (SparkBenchmark.SparkStatement statement : statements) {
      String sql = statement.sql();
      Dataset<Row> ours = spark.session().sql(sql);
      List<String> rows =
          spark.with(
              List.of("spark.sql.codegen.wholeStage=false"),
              () -> SparkSide.text(ours.collectAsList(), false));
      assertEquals(SparkSide.text(spark.interpreted(sql), false), rows, statement.name());
      answered += rows.isEmpty() ? 0 : 1;
      for (FragmentExec fragment : SparkSide.fragments(ours)) {
        inFragments += fragment.operatorNames().size();
      }
      for (String name : SparkSide.leftOperators(ours)) {
        left.add(statement.name() + " " + name);
        leftCount++;
      }
    }
    assertTrue(answered >= statements.size() - 4, answered + " queries have rows");
    double share = (double) inFragments / (inFragments + leftCount);
    // What Spark keeps may all be in the half that runs.
    double least = TestSample.isWhole() ? 0.9 : 0.75;
    assertTrue(share >= least, share + " of the operators are in fragments; left: " + left);
  }
}
