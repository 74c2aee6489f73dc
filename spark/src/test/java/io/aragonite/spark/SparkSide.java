package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.spark.plan.CollectSlicesExec;
import io.aragonite.spark.plan.ColumnarShuffleExec;
import io.aragonite.spark.plan.FragmentExec;
import io.aragonite.spark.plan.FragmentRule;
import io.aragonite.spark.plan.FragmentLog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.BaseSubqueryExec;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.InputAdapter;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec;
import org.apache.spark.sql.execution.exchange.Exchange;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike;
import scala.Option;

/** A session with the plugin, whose fragments can be turned off: Spark's own answers then. */
final class SparkSide implements AutoCloseable {
  private final SparkSession session;

  /**
   * @param master where Spark runs
   */
  SparkSide(String master) {
    this(master, Map.of());
  }

  /**
   * @param settings of Spark's, beside those of all tests
   */
  SparkSide(String master, Map<String, String> settings) {
    SparkSession.Builder builder =
        SparkSession.builder()
            .master(master)
            // Executors that are processes of their own have this one's classes.
            .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
            .appName("aragonite")
            .config("spark.plugins", AragonitePlugin.class.getName())
            .config("spark.aragonite.memory", "512m")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.warehouse.dir", System.getProperty("java.io.tmpdir") + "/warehouse");
    settings.forEach(builder::config);
    // As Spark has it: what the JVM is told counts.
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith("spark.")) {
        builder.config(name, System.getProperty(name));
      }
    }
    session = builder.getOrCreate();
    session.sparkContext().setLogLevel("ERROR");
  }

  SparkSession session() {
    return session;
  }

  /** Runs with settings, which are as they were before when it returns. */
  <T> T with(List<String> settings, Supplier<T> work) {
    Map<String, Option<String>> before = new HashMap<>();
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      String name = setting.substring(0, equals);
      before.put(name, session.conf().getOption(name));
      session.conf().set(name, setting.substring(equals + 1));
    }
    try {
      return work.get();
    } finally {
      before.forEach((name, value) -> {
        if (value.isDefined()) {
          session.conf().set(name, value.get());
        } else {
          session.conf().unset(name);
        }
      });
    }
  }

  /** Spark's own rows. */
  List<Row> plain(String sql) {
    return with(List.of("spark.aragonite.enabled=false"), () -> session.sql(sql).collectAsList());
  }

  /** The same in the way that takes least for few rows: no code, one partition, one plan. */
  List<Row> interpreted(String sql) {
    return with(
        List.of(
            "spark.aragonite.enabled=false",
            "spark.sql.codegen.wholeStage=false",
            "spark.sql.codegen.factoryMode=NO_CODEGEN",
            "spark.sql.shuffle.partitions=1",
            "spark.sql.adaptive.enabled=false"),
        () -> session.sql(sql).collectAsList());
  }

  /** Runs a query whose rows, in any order, have to be Spark's own. */
  Dataset<Row> same(String sql, String... settings) {
    return with(
        List.of(settings),
        () -> {
          Dataset<Row> query = session.sql(sql);
          List<String> ours = text(query.collectAsList(), false);
          assertEquals(text(interpreted(sql), false), ours, sql);
          return query;
        });
  }

  /** Rows as text, sorted unless their order counts. */
  static List<String> text(List<Row> rows, boolean ordered) {
    List<String> text = new ArrayList<>();
    for (Row row : rows) {
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < row.length(); i++) {
        values.add(row.get(i) instanceof byte[] bytes ? Arrays.toString(bytes) : row.get(i));
      }
      text.add(values.toString());
    }
    if (!ordered) {
      Collections.sort(text, Comparator.naturalOrder());
    }
    return text;
  }

  /**
   * Whether rows are the same in any order; of floats their difference may be a share of their
   * values.
   */
  static boolean same(List<Row> some, List<Row> others, double tolerance) {
    if (some.size() != others.size()) {
      return false;
    }
    List<Row> left = sorted(some);
    List<Row> right = sorted(others);
    for (int i = 0; i < left.size(); i++) {
      if (!same(left.get(i), right.get(i), tolerance)) {
        return false;
      }
    }
    return true;
  }

  /** By what is no float, and then by all. */
  private static List<Row> sorted(List<Row> rows) {
    return rows.stream()
        .sorted(
            Comparator.comparing((Row row) -> key(row, false))
                .thenComparing(row -> key(row, true)))
        .toList();
  }

  private static String key(Row row, boolean floats) {
    StringBuilder key = new StringBuilder();
    for (int i = 0; i < row.length(); i++) {
      if (!(row.get(i) instanceof Double)) {
        key.append(row.get(i)).append('|');
      } else if (floats) {
        key.append("%.6e".formatted(row.getDouble(i))).append('|');
      }
    }
    return key.toString();
  }

  private static boolean same(Row some, Row other, double tolerance) {
    for (int i = 0; i < some.length(); i++) {
      boolean close =
          some.get(i) instanceof Double a
              && other.get(i) instanceof Double b
              && Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
      if (!close && !Objects.equals(some.get(i), other.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Waits until listeners know all that has happened. */
  void awaitEvents() {
    try {
      session.sparkContext().listenerBus().waitUntilEmpty();
    } catch (java.util.concurrent.TimeoutException e) {
      throw new IllegalStateException("Spark's listeners are behind", e);
    }
  }

  /** The operators of a query that has run, exchanges' stages included. */
  static List<SparkPlan> operators(Dataset<Row> query) {
    return FragmentLog.operators(
        ((org.apache.spark.sql.classic.Dataset<Row>) query).queryExecution().executedPlan());
  }

  /** Bytes that the shuffles of a query that has run have written. */
  static long shuffled(Dataset<Row> query) {
    long sum = 0;
    for (SparkPlan operator : operators(query)) {
      if (operator instanceof ShuffleExchangeLike) {
        sum += (long) operator.metrics().apply("shuffleBytesWritten").value();
      }
    }
    return sum;
  }

  /** The operators that stayed with Spark, each with its reason but for the place in the query. */
  static List<String> leftWithReasons(Dataset<Row> query) {
    List<String> left = new ArrayList<>();
    for (SparkPlan operator : operators(query)) {
      var reason = operator.getTagValue(FragmentRule.LEFT);
      if (reason.isDefined()) {
        left.add(reason.get().replaceAll(" in .*", ""));
      }
    }
    return left;
  }

  static List<FragmentExec> fragments(Dataset<Row> query) {
    return operators(query).stream()
        .filter(FragmentExec.class::isInstance)
        .map(FragmentExec.class::cast)
        .toList();
  }

  /** Names of operators that compute something and are Spark's: neither edges nor exchanges. */
  static List<String> leftOperators(Dataset<Row> query) {
    List<String> left = new ArrayList<>();
    for (SparkPlan operator : operators(query)) {
      boolean edge =
          operator instanceof FragmentExec
              || operator instanceof CollectSlicesExec
              || operator instanceof WholeStageCodegenExec
              || operator instanceof InputAdapter
              || operator instanceof ColumnarToRowExec
              || operator instanceof Exchange
              || operator instanceof AQEShuffleReadExec
              || operator instanceof BaseSubqueryExec
              || operator.children().isEmpty();
      if (!edge) {
        left.add(operator.nodeName());
      }
    }
    return left;
  }

  @Override
  public void close() {
    session.stop();
  }
}
