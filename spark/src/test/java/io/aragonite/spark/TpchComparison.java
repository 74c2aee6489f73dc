package io.aragonite.spark;

import io.aragonite.dataset.DatasetCache;
import io.aragonite.spark.plan.FragmentExec;
import io.aragonite.tpch.TpchQuery;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * TPC-H with Aragonite in Spark beside Spark alone: the same files, the same cores, the same
 * process, warm; answers are compared. Prints a line a query, and how many were right.
 */
public final class TpchComparison {
  private TpchComparison() {}

  /**
   * @param args scale, runs, master and numbers of queries; all may be left out
   */
  public static void main(String[] args) {
    double scale = args.length > 0 ? Double.parseDouble(args[0]) : 0.1;
    int runs = args.length > 1 ? Integer.parseInt(args[1]) : 3;
    String master = args.length > 2 ? args[2] : "local[*]";
    List<Integer> queries =
        args.length > 3
            ? Arrays.stream(args[3].split(",", -1)).map(Integer::valueOf).toList()
            : IntStream.rangeClosed(1, TpchQuery.COUNT).boxed().toList();
    Path folder = DatasetCache.defaultRoot().resolve("spark-tpch").resolve(String.valueOf(scale));
    try (SparkSide spark = new SparkSide(master)) {
      TpchTables.open(spark.session(), scale, folder);
      System.out.println(
          "query | Spark ms | Aragonite ms | shuffled KiB by Spark | by Aragonite | fragments | left with Spark");
      int right = 0;
      double[] total = new double[4];
      for (int number : queries) {
        right += compare(spark, TpchQuery.of(number), scale, runs, total) ? 1 : 0;
      }
      System.out.printf(
          Locale.ROOT,
          "total | %.0f | %.0f | %.0f | %.0f | %d of %d right%n",
          total[0],
          total[1],
          total[2],
          total[3],
          right,
          queries.size());
    }
  }

  /** A query that has run, and its rows. */
  private record Answer(Dataset<Row> query, List<Row> rows) {
    static Answer of(SparkSide spark, String sql) {
      Dataset<Row> query = spark.session().sql(sql);
      return new Answer(query, query.collectAsList());
    }
  }

  private static boolean compare(
      SparkSide spark, TpchQuery query, double scale, int runs, double[] total) {
    String sql = TpchTables.sql(query, scale);
    List<Double> theirs = new ArrayList<>();
    List<Double> ours = new ArrayList<>();
    List<Row> expected = List.of();
    List<Row> actual = List.of();
    Dataset<Row> last = null;
    double[] shuffled = new double[2];
    for (int run = 0; run < runs; run++) {
      long start = System.nanoTime();
      Answer plain =
          spark.with(List.of("spark.aragonite.enabled=false"), () -> Answer.of(spark, sql));
      expected = plain.rows();
      theirs.add((System.nanoTime() - start) / 1e6);
      start = System.nanoTime();
      Answer answer = Answer.of(spark, sql);
      last = answer.query();
      actual = answer.rows();
      ours.add((System.nanoTime() - start) / 1e6);
      shuffled = new double[] {SparkSide.shuffled(plain.query()) / 1024.0, SparkSide.shuffled(last) / 1024.0};
    }
    boolean same = SparkSide.text(expected, false).equals(SparkSide.text(actual, false));
    List<FragmentExec> fragments = last == null ? List.of() : SparkSide.fragments(last);
    String left =
        String.join("; ", fragments.stream().flatMap(f -> f.reasons().stream()).distinct().toList());
    total[0] += median(theirs);
    total[1] += median(ours);
    total[2] += shuffled[0];
    total[3] += shuffled[1];
    System.out.printf(
        Locale.ROOT,
        "%s | %.0f | %.0f | %.0f | %.0f | %d | %s%s%n",
        query,
        median(theirs),
        median(ours),
        shuffled[0],
        shuffled[1],
        fragments.size(),
        left,
        same ? "" : " WRONG: " + expected.size() + " rows, " + actual.size());
    return same;
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}
