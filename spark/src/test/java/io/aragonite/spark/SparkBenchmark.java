package io.aragonite.spark;

import io.aragonite.dataset.Dataset;
import io.aragonite.tpcds.TpcdsData;
import io.aragonite.tpcds.TpcdsQuery;
import io.aragonite.tpch.TpchData;
import io.aragonite.tpch.TpchQuery;
import io.aragonite.tpch.TpchScale;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A benchmark's data and its statements in Spark's dialect.
 *
 * @param statements in the order of their numbers
 */
record SparkBenchmark(Dataset data, List<SparkStatement> statements) {
  /**
   * A statement.
   *
   * @param number of the query it is of
   * @param unlimited without its LIMIT; equal to {@code sql} where it has none that may cut rows
   *     that are equal for the ORDER BY
   */
  record SparkStatement(int number, String name, String sql, String unlimited) {}

  /**
   * @param name tpch or tpcds
   * @throws IllegalArgumentException if the scale is out of range, or for another name
   */
  static SparkBenchmark of(String name, double scale) {
    return switch (name) {
      case "tpch" -> tpch(scale);
      case "tpcds" -> tpcds(scale);
      default -> throw new IllegalArgumentException("tpch or tpcds, not " + name);
    };
  }

  static SparkBenchmark tpch(double scale) {
    List<SparkStatement> statements = TpchQuery.all().stream().map(q -> statement(q, scale)).toList();
    return new SparkBenchmark(
        new TpchData(new TpchScale(scale), SparkTables.BATCH_ROWS), statements);
  }

  static SparkBenchmark tpcds(double scale) {
    List<SparkStatement> statements =
        IntStream.rangeClosed(1, TpcdsQuery.COUNT)
            .boxed()
            .flatMap(number -> TpcdsQuery.of(number).stream())
            .map(SparkBenchmark::statement)
            .toList();
    return new SparkBenchmark(new TpcdsData(scale, SparkTables.BATCH_ROWS), statements);
  }

  /**
   * Those of some queries.
   *
   * @throws IllegalArgumentException if there is no query of a number
   */
  List<SparkStatement> of(List<Integer> numbers) {
    for (int number : numbers) {
      if (statements.stream().noneMatch(s -> s.number() == number)) {
        throw new IllegalArgumentException("there is no query " + number);
      }
    }
    return statements.stream().filter(s -> numbers.contains(s.number())).toList();
  }

  private static SparkStatement statement(TpchQuery query, double scale) {
    String sql = query.sql(scale).replaceAll("fetch first (\\d+) rows only", "limit $1");
    return new SparkStatement(query.number(), query.toString(), sql, sql);
  }

  private static SparkStatement statement(TpcdsQuery query) {
    return new SparkStatement(
        query.number(), query.name(), dialect(query.sql()), dialect(query.unlimited()));
  }

  /** Spark wants the word INTERVAL, and names in quotes of its own. */
  private static String dialect(String sql) {
    return sql.replaceAll("([+-])\\s*(\\d+) days\\b", "$1 interval $2 days")
        .replaceAll("\"([^\"]*)\"", "`$1`");
  }
}
