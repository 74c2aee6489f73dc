package io.aragonite.sqltests.estimates;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.plan.EstimateBench;
import io.aragonite.bench.plan.EstimateBench.EstimateCheck;
import io.aragonite.bench.plan.EstimateBench.Pair;
import io.aragonite.tpch.TpchQuery;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Match ratios and rows of joins as the planner expects them, on TPC-H and on skewed data. */
class EstimatesTest {
  private static final PrintWriter OUT = new PrintWriter(System.out, true, StandardCharsets.UTF_8);

  private static void assertClose(
      String what, List<EstimateCheck> found, double median, double most) {
    EstimateBench.print(what, found, OUT);
    assertTrue(EstimateBench.error(found, 0.5) <= median, what + ": median");
    assertTrue(EstimateBench.error(found, 0.95) <= most, what + ": 95 %");
  }

  private static List<EstimateCheck> of(String what, List<EstimateCheck> all) {
    List<EstimateCheck> some = all.stream().filter(e -> e.what().startsWith(what)).toList();
    assertFalse(some.isEmpty(), what);
    return some;
  }

  @Test
  void tpch() throws Exception {
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.1;device=cpu;threads=2")) {
      EstimateBench bench = new EstimateBench(connection);
      List<EstimateCheck> ratios = new ArrayList<>();
      for (Pair pair : EstimateBench.TPCH) {
        ratios.add(bench.matchRatio(pair));
      }
      assertClose("match ratios", ratios, 1.2, 2);
      List<EstimateCheck> rows = new ArrayList<>();
      List<EstimateCheck> groups = new ArrayList<>();
      for (TpchQuery query : TpchQuery.all()) {
        rows.addAll(bench.joinRows("Q" + query.number(), query.sql()));
        groups.addAll(bench.groupRows("Q" + query.number(), query.sql()));
      }
      assertClose("rows of joins", rows, 1.5, Double.MAX_VALUE);
      assertClose("groups", groups, 1.5, Double.MAX_VALUE);
      // Years of a date, values that a filter lists, keys that a semi-join leaves.
      assertClose("Q9", of("Q9: nation, o_year", groups), 1.5, 1.5);
      assertClose("Q12", of("Q12: l_shipmode", groups), 1.5, 1.5);
      assertClose("Q16", of("Q16: p_brand", groups), 1.5, 1.5);
      assertClose("Q17", of("Q17: $f1", groups), 1.5, 1.5);
      assertClose("Q17", of("Q17: =($f1, p_partkey)", rows), 1.5, 1.5);
      // How many orders customers have.
      assertClose("Q13", of("Q13: count(o_orderkey)", groups), 2, 2);
      // Of lines those of the few orders that a semi-join leaves, not all.
      assertClose("Q18", of("Q18: =(l_orderkey", rows), 50, 50);
    }
  }

  /** Customers without orders, a third: said by a left join whose partner is null. */
  @Test
  void rowsWithoutAPartner() throws Exception {
    String sql =
        "select c_mktsegment, c_custkey, count(*) from customer left join orders on c_custkey ="
            + " o_custkey where o_custkey is null group by c_mktsegment, c_custkey";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.1;device=cpu;threads=2")) {
      EstimateBench bench = new EstimateBench(connection);
      assertClose("no orders", bench.joinRows("no orders", sql), 1.2, 1.2);
    }
  }

  /** Rows of either side that have no partner come out beside the pairs. */
  @Test
  void outerJoinsOfFewKeysInCommon(@TempDir Path folder) throws Exception {
    StringBuilder these = new StringBuilder("k,a\n");
    StringBuilder those = new StringBuilder("k,b\n");
    for (int i = 0; i < 50_000; i++) {
      these.append(i).append(",1\n");
      those.append(i % 1_000 + 49_000 + i / 1_000 % 2 * 1_000).append(",2\n");
    }
    Files.writeString(folder.resolve("these.csv"), these);
    Files.writeString(folder.resolve("those.csv"), those);
    List<EstimateCheck> rows = new ArrayList<>();
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:device=cpu;threads=2;directory=" + folder)) {
      EstimateBench bench = new EstimateBench(connection);
      // 49,000 without a partner, 25,000 pairs, 25,000 of the other side without one.
      for (String type : List.of("full", "left", "right")) {
        String join = "select count(*), sum(a), sum(b) from these x %s join those y on x.k = y.k";
        rows.addAll(bench.joinRows(type, join.formatted(type)));
      }
    }
    assertClose("full join", of("full", rows), 1.1, 1.1);
    assertClose("left join", of("left", rows), 1.1, 1.1);
    assertClose("right join", of("right", rows), 1.1, 1.1);
  }

  /** What one join of several relations yields is joined by keys of known columns. */
  @Test
  void joinsAboveACycle() throws Exception {
    String sql =
        "select n_name, count(*) from customer, orders, lineitem, supplier, nation where c_custkey"
            + " = o_custkey and l_orderkey = o_orderkey and l_suppkey = s_suppkey and c_nationkey ="
            + " s_nationkey and s_nationkey = n_nationkey group by n_name";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;device=cpu;threads=2;multiway=on")) {
      EstimateBench bench = new EstimateBench(connection);
      assertClose(
          "nations", of("nations: =(c_nationkey, n_", bench.joinRows("nations", sql)), 1.5, 1.5);
    }
  }

  /** Brands have one category each, and a filter takes some years or months. */
  @Test
  void groupsBySeveralColumnsOfATable(@TempDir Path folder) throws Exception {
    StringBuilder items = new StringBuilder("item,brand,category,year,month\n");
    for (int i = 0; i < 40_000; i++) {
      int brand = i * 7 % 500;
      items.append(i).append(",b").append(brand).append(",c").append(brand / 25).append(',');
      items.append(1900 + i / 400).append(',').append(i / 33 % 12 + 1).append('\n');
    }
    Files.writeString(folder.resolve("items.csv"), items);
    List<EstimateCheck> groups = new ArrayList<>();
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:device=cpu;threads=2;directory=" + folder)) {
      EstimateBench bench = new EstimateBench(connection);
      groups.addAll(
          bench.groupRows(
              "brands", "select brand, category, count(*) from items group by brand, category"));
      String some = "year = 1950 or year = 1949 and month = 12 or year = 1951 and month = 1";
      groups.addAll(
          bench.groupRows(
              "months",
              "select year, month, count(*) from items where %s group by year, month"
                  .formatted(some)));
    }
    assertClose("brands", of("brands", groups), 1.1, 1.1);
    assertClose("months", of("months", groups), 1.5, 1.5);
  }

  /** A calendar has more days than those on which something is sold, of which a filter is asked. */
  @Test
  void calendar(@TempDir Path folder) throws Exception {
    int days = 50_000;
    int sold = 30_000;
    StringBuilder calendar = new StringBuilder("day,week,month,year\n");
    for (int day = 0; day < days; day++) {
      calendar.append(day + 100).append(',').append(day / 7).append(',');
      calendar.append(day / 30 % 12).append(',').append(day / 360).append('\n');
    }
    StringBuilder sales = new StringBuilder("day,item\n");
    for (int i = 0; i < 80_000; i++) {
      sales.append(sold + 100 + i / 400 * 7).append(',').append(i % 10).append('\n');
    }
    Files.writeString(folder.resolve("calendar.csv"), calendar);
    Files.writeString(folder.resolve("sales.csv"), sales);
    List<EstimateCheck> rows = new ArrayList<>();
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:device=cpu;threads=2;directory=" + folder)) {
      EstimateBench bench = new EstimateBench(connection);
      String joined = "select count(*) from sales s join calendar c on s.day = c.day";
      // 30,000 / 360 = 83.3; 200 weeks are sold, until day 31,400.
      rows.addAll(bench.joinRows("year", joined + " where c.year = 85"));
      rows.addAll(bench.joinRows("month", joined + " where c.year = 85 and c.month = 7"));
      rows.addAll(bench.joinRows("never", joined + " where c.year = 20"));
      String weeks = " join calendar w on w.week = c.week where w.year = 85";
      rows.addAll(bench.joinRows("weeks", "select count(*) from calendar c" + weeks));
      rows.addAll(bench.joinRows("sold weeks", joined + weeks));
      // A function of the host is not tried on samples.
      String hidden = " and md5(cast(s.item as varchar)) <> 'a'";
      rows.addAll(bench.joinRows("hidden filter", joined + " where c.year = 85" + hidden));
      String twice =
          "select count(*) from (select day from sales union all select day from sales) s"
              + " join calendar c on s.day = c.day";
      rows.addAll(bench.joinRows("union", twice + weeks));
    }
    assertTrue(rows.size() >= 6, rows.toString());
    assertClose("years of sales", of("year", rows), 1.2, 1.2);
    assertClose("months of sales", of("month", rows), 1.5, 1.5);
    assertClose("days without sales", of("never", rows), 2, 2);
    assertClose("weeks of years", of("weeks", rows), 1.5, 1.5);
    assertClose("weeks with sales", of("sold weeks", rows), 2, 8);
    assertClose("years beside a filter that is not tried", of("hidden filter", rows), 1.5, 1.5);
    assertClose("weeks of a union", of("union", rows), 2, 8);
  }

  /** Of two columns each side has more values of one: most rows have no partner. */
  @Test
  void columnsOfWhichEachSideHasMore(@TempDir Path folder) throws Exception {
    StringBuilder people = new StringBuilder("country,zip\n");
    for (int i = 0; i < 20_000; i++) {
      people.append('C').append(i % 200).append(',').append(i / 200 % 10).append('\n');
    }
    StringBuilder places = new StringBuilder("country,zip\n");
    for (int i = 0; i < 4_000; i++) {
      places.append("c1,").append(i % 2_000).append('\n');
    }
    Files.writeString(folder.resolve("people.csv"), people);
    Files.writeString(folder.resolve("places.csv"), places);
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:device=cpu;threads=2;directory=" + folder)) {
      EstimateBench bench = new EstimateBench(connection);
      String sql =
          "select count(*) from people a join places b"
              + " on a.country = upper(b.country) and a.zip = b.zip";
      assertClose("two columns", bench.joinRows("two columns", sql), 2, 2);
      // 20,000 rows of 10 zips and 4,000 of 2,000 have 10 in common.
      String both =
          "select count(*) from (select zip from people intersect select zip from places) x"
              + " join places b on b.zip = x.zip";
      assertClose("intersect", bench.joinRows("intersect", both), 2, 2);
      String first =
          "select count(*) from (select zip, country, row_number() over (order by zip, country) r"
              + " from people) x join places b on b.zip = x.zip where x.r <= 10";
      assertClose("first rows", bench.joinRows("first rows", first), 2, 2);
      String firstOfEach =
          "select count(*) from (select zip, row_number() over (partition by zip order by country)"
              + " r from people) x join places b on b.zip = x.zip where x.r < 4";
      assertClose("first of each", bench.joinRows("first of each", firstOfEach), 2, 2);
    }
  }

  @Test
  void zipf(@TempDir Path folder) throws Exception {
    long seed = 20261121;
    Random random = new Random(seed);
    int keys = 20_000;
    double[] exponents = {0.5, 1, 1.5};
    for (double exponent : exponents) {
      double[] sums = new double[keys + 1];
      for (int k = 1; k <= keys; k++) {
        sums[k] = sums[k - 1] + Math.pow(k, -exponent);
      }
      StringBuilder text = new StringBuilder("k,a,b\n");
      for (int i = 0; i < 150_000; i++) {
        double place = random.nextDouble() * sums[keys];
        int low = 0;
        int high = keys;
        while (low < high) {
          int middle = (low + high) >>> 1;
          if (sums[middle + 1 > keys ? keys : middle + 1] < place) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        // Frequent keys lie anywhere among the others.
        long key = (low * 7919L + 13) % keys;
        text.append(key).append(',').append(random.nextInt(100)).append(',').append(i % 7);
        text.append('\n');
      }
      Files.writeString(folder.resolve("zipf" + (int) (10 * exponent) + ".csv"), text);
    }
    for (int part : new int[] {1, 2, 5, 20}) {
      StringBuilder text = new StringBuilder("k,c\n");
      for (int k = 0; k < keys; k++) {
        if (random.nextInt(part) == 0) {
          text.append(k).append(',').append(random.nextInt(10)).append('\n');
        }
      }
      Files.writeString(folder.resolve("part" + part + ".csv"), text);
    }
    List<EstimateCheck> ratios = new ArrayList<>();
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:directory=" + folder)) {
      EstimateBench bench = new EstimateBench(connection);
      for (double exponent : exponents) {
        String table = "zipf" + (int) (10 * exponent);
        for (int part : new int[] {1, 2, 5, 20}) {
          ratios.add(bench.matchRatio(new Pair(table, "k", "", "part" + part, "k", "")));
          ratios.add(bench.matchRatio(new Pair(table, "k", "a < 20", "part" + part, "k", "")));
          ratios.add(bench.matchRatio(new Pair(table, "k", "", "part" + part, "k", "c in (1, 4)")));
        }
      }
    }
    System.out.println("EstimatesTest.zipf, seed " + seed);
    assertClose("match ratios, Zipf", ratios, 1.2, 2);
  }
}
