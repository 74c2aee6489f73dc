package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.spark.plan.ColumnarShuffleExec;
import io.aragonite.spark.plan.ColumnarUnionExec;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Columns between fragments, beside rows between Spark's operators. */
class ColumnarShuffleTest {
  private static final String NO_BROADCAST = "spark.sql.autoBroadcastJoinThreshold=-1";

  @TempDir static Path folder;
  private static SparkSide spark;

  @BeforeAll
  static void start() {
    spark = new SparkSide("local[2]");
    String values =
        "select cast(id % 97 as int) k, id * 1000000007 l, cast(id % 5 as byte) y, "
            + "if(id % 7 = 0, null, cast(id % 300 as smallint)) s, "
            + "case id % 6 when 0 then double('NaN') when 1 then -0.0D when 2 then null else id / 3.0D end d, "
            + "cast(id as float) f, cast(id - 1250 as decimal(9,2)) m, "
            + "cast(id - 1250 as decimal(38,4)) * 1234567890123456789012 w, "
            + "if(id % 9 = 0, null, repeat('ü', cast(id % 13 as int))) t, "
            + "date_add(date'1995-01-01', cast(id % 1000 as int)) day, "
            + "timestamp_micros(id * 1000003) ts, id % 3 = 0 b, cast(cast(id as string) as binary) bin "
            + "from range(2500)";
    spark.session().sql(values).write().parquet(folder.resolve("v").toString());
    spark.session().read().parquet(folder.resolve("v").toString()).createOrReplaceTempView("v");
  }

  @AfterAll
  static void stop() {
    spark.close();
  }

  private static Dataset<Row> same(String sql, String... settings) {
    return spark.same(sql, settings);
  }

  private static List<SparkPlan> shuffles(Dataset<Row> query) {
    return SparkSide.operators(query).stream()
        .filter(ShuffleExchangeLike.class::isInstance)
        .toList();
  }

  private static long count(Dataset<Row> query, Class<?> kind) {
    return SparkSide.operators(query).stream().filter(kind::isInstance).count();
  }

  @ParameterizedTest
  @ValueSource(strings = {"k", "l, y", "s", "d, f", "m", "w", "t, bin", "day", "ts, b", "k + 1, t"})
  void keysOfAllTypesMeetSparksRows(String keys) {
    // Spark's own exchange on one side, since there is a function that stays with it.
    String sql =
        "select x.*, y.n from (select * from v where l > 5) x join (select %s, count(*) n, max(reverse(t)) r from v group by %s) y on %s"
            .formatted(named(keys), keys, equal(keys));
    String adaptive = "spark.sql.adaptive.enabled=" + (keys.length() % 2 == 0);
    Dataset<Row> query = same(sql, NO_BROADCAST, adaptive, "spark.sql.shuffle.partitions=7");
    assertTrue(count(query, ColumnarShuffleExec.class) > 0, () -> shuffles(query).toString());
  }

  private static String named(String keys) {
    String[] parts = keys.split(", ", -1);
    StringBuilder named = new StringBuilder();
    for (int i = 0; i < parts.length; i++) {
      named.append(i == 0 ? "" : ", ").append(parts[i]).append(" as key").append(i);
    }
    return named.toString();
  }

  private static String equal(String keys) {
    String[] parts = keys.split(", ", -1);
    StringBuilder equal = new StringBuilder();
    for (int i = 0; i < parts.length; i++) {
      equal.append(i == 0 ? "" : " and ").append("x.").append(parts[i]).append(" = key").append(i);
    }
    return equal.toString();
  }

  @Test
  void sizesAreThoseOfSparksRowsAndBytesAreFewer() {
    String sql = "select k, t, sum(m), max(w), min(day), count(*) from v group by k, t";
    Dataset<Row> ours = same(sql);
    Dataset<Row> theirs =
        spark.with(
            List.of("spark.aragonite.enabled=false"),
            () -> {
              Dataset<Row> query = spark.session().sql(sql);
              query.collectAsList();
              return query;
            });
    SparkPlan columns = shuffles(ours).getFirst();
    SparkPlan rows = shuffles(theirs).getFirst();
    assertTrue(columns instanceof ColumnarShuffleExec);
    assertEquals(rows.metrics().apply("dataSize").value(), columns.metrics().apply("dataSize").value());
    assertEquals(
        rows.metrics().apply("shuffleRecordsWritten").value(), columns.metrics().apply("rows").value());
    long bytes = SparkSide.shuffled(ours);
    assertTrue(bytes > 0 && bytes <= SparkSide.shuffled(theirs), bytes + " bytes");
    long converted = 0;
    for (var fragment : SparkSide.fragments(ours)) {
      converted += (long) fragment.metrics().apply("inputRows").value();
    }
    assertEquals(0, converted, "rows between fragments");
  }

  @Test
  void partitionsAreCoalescedSplitAndReadWhereTheyWereWritten() {
    String join = "select x.t, y.m from v x join v y on x.y = y.y and x.k < 3 and y.k < 3 where x.b";
    Dataset<Row> coalesced = same(join, NO_BROADCAST, "spark.sql.shuffle.partitions=20");
    assertTrue(
        SparkSide.operators(coalesced).stream()
            .anyMatch(o -> o instanceof AQEShuffleReadExec read && read.hasCoalescedPartition()));
    String skewed =
        "select x.l, y.m from (select if(k < 90, 0, k) z, l from v where l >= 0) x "
            + "join (select k z, m from v where k < 95 and m > 0) y on x.z = y.z";
    Dataset<Row> split =
        same(
            skewed,
            NO_BROADCAST,
            "spark.sql.shuffle.partitions=6",
            "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes=100",
            "spark.sql.adaptive.skewJoin.skewedPartitionFactor=1.1",
            "spark.sql.adaptive.advisoryPartitionSizeInBytes=2000",
            "spark.sql.adaptive.coalescePartitions.enabled=false");
    assertTrue(
        SparkSide.operators(split).stream()
            .anyMatch(o -> o instanceof AQEShuffleReadExec read && read.hasSkewedPartition()));
    // Planned as a sort-merge join, found to be small: what was shuffled is read where it lies.
    Dataset<Row> local =
        same(
            "select x.l, y.c from v x join (select k, count(*) c from v where b group by k) y on x.k = y.k",
            NO_BROADCAST,
            "spark.sql.adaptive.autoBroadcastJoinThreshold=10000");
    assertTrue(
        SparkSide.operators(local).stream()
            .anyMatch(o -> o instanceof AQEShuffleReadExec read && read.isLocalRead()));
  }

  @Test
  void sparksOperatorsReadColumns() {
    same("select round(skewness(x), 6), max(reverse(t)) from (select k, t, sum(f) x from v group by k, t)");
    // An exchange is right below what stays with Spark.
    String sql = "select reverse(t), k from (select /*+ repartition(2, k) */ k, t from v where y < 3)";
    Dataset<Row> read =
        same(sql, "spark.sql.adaptive.enabled=false", "spark.sql.codegen.wholeStage=false");
    assertTrue(
        SparkSide.operators(read).stream()
            .anyMatch(
                operator ->
                    operator instanceof ColumnarToRowExec rows
                        && rows.child() instanceof ColumnarShuffleExec),
        () -> SparkSide.operators(read).toString());
  }

  /** Of what Spark sorts it tells peak memory; of many slices it writes a file for each partition. */
  @Test
  void fewSlicesAreSortedAndManyAreNot() {
    String table = folder.resolve("h").toString();
    spark.session().range(0, 1_150_000, 1, 1).selectExpr("xxhash64(id) h").write().parquet(table);
    spark.session().read().parquet(table).createOrReplaceTempView("h");
    Queue<TaskMetrics> tasks = new ConcurrentLinkedQueue<>();
    SparkListener listener =
        new SparkListener() {
          @Override
          public void onTaskEnd(SparkListenerTaskEnd end) {
            tasks.add(end.taskMetrics());
          }
        };
    String sql =
        "select count(*), bit_xor(h), sum(n) from (select h, count(*) n from h where h %% %d = 0 group by h)";
    List<String> settings =
        List.of(
            "spark.sql.files.maxPartitionBytes=1g",
            "spark.sql.shuffle.partitions=7",
            "spark.sql.adaptive.enabled=false");
    for (int step : List.of(1, 1500)) {
      // Hashes of different numbers differ: each is a group of its own, which Spark need not find.
      Row expected = spark.interpreted("select count(*), bit_xor(h), count(*) from h where h %% %d = 0".formatted(step)).getFirst();
      spark.awaitEvents();
      spark.session().sparkContext().addSparkListener(listener);
      Dataset<Row> query = spark.session().sql(sql.formatted(step));
      assertEquals(List.of(expected), spark.with(settings, query::collectAsList));
      spark.awaitEvents();
      spark.session().sparkContext().removeSparkListener(listener);
      assertTrue(count(query, ColumnarShuffleExec.class) > 1, () -> shuffles(query).toString());
      long most = 0;
      for (TaskMetrics task : tasks) {
        long bytes = task.shuffleWriteMetrics().bytesWritten();
        assertEquals(bytes > 0 && bytes < 1 << 22, task.peakExecutionMemory() > 0, bytes + " bytes");
        most = Math.max(most, bytes);
      }
      assertEquals(step == 1, most > 1 << 23, most + " bytes");
      tasks.clear();
    }
  }

  /** No exchange is above a union of inputs that are partitioned alike. */
  @Test
  void unionsKeepThePartitioningOfTheirInputs() {
    String both = "(select k, t from v group by k, t union all select k, repeat(t, 2) from v group by k, t)";
    String keys = "(select k from v group by k union all select k from v where k > 4 group by k)";
    spark.session().sql("select k, s from v").repartition(4, new org.apache.spark.sql.Column("k")).createOrReplaceTempView("parted");
    spark.session().catalog().cacheTable("parted");
    for (String adaptive : List.of("true", "false")) {
      String[] settings = {
        "spark.sql.adaptive.enabled=" + adaptive,
        "spark.sql.shuffle.partitions=4",
        "spark.sql.adaptive.coalescePartitions.enabled=false"
      };
      Dataset<Row> grouped = same("select k, count(*) from " + keys + " group by k", settings);
      assertTrue(count(grouped, ColumnarUnionExec.class) > 0, () -> SparkSide.operators(grouped).toString());
      assertEquals(2, shuffles(grouped).size(), "exchanges below the union alone");
      same("select k, count(*), min(t) from " + both + " group by k", settings);
      // Rows of Spark's above it, and below it.
      same("select k, count(*), max(reverse(cast(k as string))) from " + keys + " group by k", settings);
      same("select k, count(*) from (select k from v group by k union all select k from (select k, kurtosis(f) from v group by k)) group by k", settings);
      same("select x.k, y.k from " + keys + " x join " + keys + " y on x.k = y.k", NO_BROADCAST, settings[0], settings[1]);
      // Columns of Spark's.
      same("select k, count(*) from (select k from parted union all select k from parted) group by k", settings);
    }
    spark.session().catalog().clearCache();
  }
}
