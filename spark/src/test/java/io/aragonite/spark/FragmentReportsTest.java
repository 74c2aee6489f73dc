package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.spark.plan.FragmentLog;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.ui.SQLExecutionUIData;
import org.apache.spark.sql.execution.ui.SQLPlanMetric;
import org.apache.spark.sql.execution.ui.SparkPlanGraphNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.jdk.javaapi.CollectionConverters;

/** What people see of fragments: the SQL tab, the log, and what a strict session refuses. */
class FragmentReportsTest {
  private static final String JOIN =
      "select /*+ shuffle_hash(b) */ a.k, count(*) from many a join many b on a.k = b.k where a.n > 10 group by a.k";

  private static SparkSide spark;

  @BeforeAll
  static void start() {
    spark = new SparkSide("local[2]");
    spark
        .session()
        .sql("select cast(id % 50 as int) k, id n, array(id, 2) l from range(0, 2000)")
        .createOrReplaceTempView("many");
  }

  @AfterAll
  static void stop() {
    spark.close();
  }

  private static SparkSession classic() {
    return (SparkSession) spark.session();
  }

  private static Dataset<Row> run(String sql) {
    Dataset<Row> query = spark.session().sql(sql);
    assertFalse(query.collectAsList().isEmpty());
    spark.awaitEvents();
    return query;
  }

  /** As the page and the REST interface have them: by name, with the unit. */
  private static Map<String, String> metrics(SparkPlanGraphNode node, long execution) {
    var values =
        CollectionConverters.asJava(
            classic().sharedState().statusStore().executionMetrics(execution));
    Map<String, String> named = new HashMap<>();
    for (SQLPlanMetric metric : CollectionConverters.asJava(node.metrics())) {
      String value = values.get(metric.accumulatorId());
      if (value != null) {
        named.put(metric.name(), value);
      }
    }
    return named;
  }

  @Test
  void theSqlTabHasTheFiguresOfFragments() {
    Dataset<Row> query = run(JOIN);
    List<SQLExecutionUIData> executions =
        CollectionConverters.asJava(classic().sharedState().statusStore().executionsList());
    long execution = executions.getLast().executionId();
    List<Map<String, String>> fragments =
        CollectionConverters.asJava(
                classic().sharedState().statusStore().planGraph(execution).allNodes())
            .stream()
            .filter(node -> node.name().equals("AragoniteFragment"))
            .map(node -> metrics(node, execution))
            .toList();
    assertEquals(SparkSide.fragments(query).size(), fragments.size());
    Map<String, String> joined =
        fragments.stream()
            .filter(figures -> figures.containsKey("joins by hash"))
            .findFirst()
            .orElseThrow();
    assertTrue(Integer.parseInt(joined.get("joins by hash")) > 0, joined::toString);
    assertEquals("0", joined.get("joins by sort-merge"));
    assertTrue(joined.get("time in fragment").matches("(?s).*[1-9].*"), joined::toString);
    assertTrue(joined.containsKey("spilled to disk"), joined::toString);
    assertTrue(
        fragments.stream().anyMatch(figures -> "50".equals(figures.get("number of output rows"))),
        fragments::toString);
  }

  @Test
  void theLogHasALineOfAQuery() {
    var execution = ((org.apache.spark.sql.classic.Dataset<Row>) run(JOIN)).queryExecution();
    String line = FragmentLog.line(execution);
    assertTrue(
        line.matches("\\d+ operators in \\d fragments, \\d+ ms of tasks in them, 0 bytes spilled"), line);
    var mixed =
        (org.apache.spark.sql.classic.Dataset<Row>)
            run("select n, count(*) from (select n, explode(l) from many) where n > 5 group by n");
    String left = FragmentLog.line(mixed.queryExecution());
    assertTrue(left.matches(".* bytes spilled; left with Spark: .*Generate.*"), left);
    var command = (org.apache.spark.sql.classic.Dataset<Row>) spark.session().sql("show tables");
    assertEquals("", FragmentLog.line(command.queryExecution()));
    assertTrue(
        Arrays.stream(classic().listenerManager().listListeners())
            .anyMatch(FragmentLog.class::isInstance),
        "sessions tell the log of their queries");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Generate      | select n, explode(l) from many",
        "BroadcastNestedLoopJoin | select /*+ broadcast(a) */ count(*) from many a left join many b on a.n > b.n",
        "Sample        | select count(*) from many tablesample (10 percent)",
        "HashAggregate | select approx_count_distinct(n) from many",
        "Project       | select soundex(cast(n as string)) from many where n > 3"
      })
  void strictSessionsNameWhatIsLeft(String operator, String sql) {
    Exception error =
        assertThrows(
            Exception.class,
            () ->
                spark.with(
                    List.of(
                        "spark.aragonite.strict=true",
                        "spark.sql.autoBroadcastJoinThreshold=-1",
                        "spark.sql.execution.useObjectHashAggregateExec=false"),
                    () -> spark.session().sql(sql).collectAsList()));
    String message = String.valueOf(error.getMessage());
    assertTrue(
        message.contains("spark.aragonite.strict is true") && message.contains(operator),
        () -> sql + ": " + message);
    assertFalse(spark.session().sql(sql).collectAsList().isEmpty()); // the session goes on
  }
}
