package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.testing.TestSample;
import io.aragonite.spark.SparkBenchmark.SparkStatement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Some of TPC-DS's queries; {@code build/spark-tpcds} runs all of them. */
class SparkTpcdsTest {
  /** Without the largest dimensions, whose size does not follow the scale. */
  private static final List<String> TABLES = List.of("store_sales", "item", "reason");

  /** What Q96 has beside them. */
  private static final List<String> MORE = List.of("household_demographics", "time_dim", "store");

  private static final double SCALE = 0.01;

  @TempDir static Path folder;

  @Test
  void queriesAreRightAndMostlyInFragments() {
    try (SparkSide spark = new SparkSide("local[2]")) {
      SparkBenchmark tpcds = SparkBenchmark.tpcds(SCALE);
      SparkTables.open(spark.session(), tpcds.data(), TABLES, folder);
      List<Integer> queries = new ArrayList<>(List.of(9, 28, 41, 44));
      // Spark takes longer to write its tables than to answer all others.
      if (new TestSample(SparkTpcdsTest.class).has(0.2)) {
        SparkTables.open(spark.session(), tpcds.data(), MORE, folder);
        queries.add(96);
      }
      int answered = 0;
      int inFragments = 0;
      int left = 0;
      for (SparkStatement statement : tpcds.of(queries)) {
        Dataset<Row> query = spark.session().sql(statement.sql());
        List<Row> rows =
            spark.with(List.of("spark.sql.codegen.wholeStage=false"), query::collectAsList);
        assertTrue(
            SparkSide.same(spark.interpreted(statement.sql()), rows, 1e-9),
            () -> statement.name() + ": " + rows);
        answered += rows.isEmpty() ? 0 : 1;
        inFragments +=
            SparkSide.fragments(query).stream().mapToInt(f -> f.operatorNames().size()).sum();
        left += SparkSide.leftOperators(query).size();
      }
      assertTrue(answered >= queries.size() - 2, answered + " queries have rows");
      double share = (double) inFragments / (inFragments + left);
      assertTrue(share >= 0.8, share + " of the operators are in fragments");
    }
  }
}
