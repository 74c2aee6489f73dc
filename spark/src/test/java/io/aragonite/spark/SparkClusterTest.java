package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.spark.plan.ColumnarShuffleExec;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Executors that come and go as Spark wants them, with less memory than a query's shuffle has bytes.
 * They are processes, and take long: {@code -Daragonite.spark.faults=true} asks for them.
 */
@EnabledIfSystemProperty(named = "aragonite.spark.faults", matches = "true")
class SparkClusterTest {
  private static final int ROWS = 1_600_000;
  private static final int KEYS = 1000;
  private static final int WIDTH = 400;

  private static final long ROW_GROUP = 8 << 20;

  /** Heap and engine of an executor. */
  private static final long EXECUTOR_BYTES = 512L + 64 << 20;

  private static final long DEADLINE_NANOS = 300_000_000_000L;

  @TempDir static Path folder;
  private static final AtomicInteger CAME = new AtomicInteger();
  private static final AtomicInteger WENT = new AtomicInteger();
  private static SparkSide spark;

  @BeforeAll
  static void start() throws IOException {
    Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
    spark =
        new SparkSide(
            "local-cluster[2,1,1024]",
            Map.ofEntries(
                Map.entry("spark.executorEnv.JAVA_HOME", System.getProperty("java.home")),
                Map.entry("spark.executorEnv.SPARK_SCALA_VERSION", "2.13"),
                Map.entry("spark.executor.memory", "512m"),
                Map.entry("spark.executor.extraJavaOptions", "-XX:+UseSerialGC"),
                Map.entry("spark.aragonite.memory", "64m"),
                Map.entry("spark.dynamicAllocation.enabled", "true"),
                Map.entry("spark.dynamicAllocation.minExecutors", "0"),
                Map.entry("spark.dynamicAllocation.maxExecutors", "2"),
                Map.entry("spark.dynamicAllocation.executorIdleTimeout", "2s"),
                Map.entry("spark.dynamicAllocation.shuffleTracking.enabled", "true"),
                Map.entry("spark.dynamicAllocation.shuffleTracking.timeout", "2s"),
                Map.entry("spark.sql.shuffle.partitions", "8")));
    spark.session().sparkContext().addSparkListener(
        new SparkListener() {
          @Override
          public void onExecutorAdded(SparkListenerExecutorAdded added) {
            CAME.incrementAndGet();
          }

          @Override
          public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
            WENT.incrementAndGet();
          }
        });
    String data = folder.resolve("t").toString();
    spark.session()
        .range(0, ROWS, 1, 4)
        .selectExpr("id", "id % " + KEYS + " k", "rpad(cast(id as string), " + WIDTH + ", 'x') t")
        .write()
        // What is read at once has to fit the engine's memory.
        .option("compression", "none")
        .option("parquet.block.size", ROW_GROUP)
        .parquet(data);
    spark.session().read().parquet(data).createOrReplaceTempView("t");
  }

  @AfterAll
  static void stop() {
    spark.close();
  }

  @Test
  void shufflesBeyondMemoryAndExecutorsThatGoEndRight() throws Exception {
    // A window has all columns of a key's rows.
    Dataset<Row> query =
        spark.session().sql(
            "select count(*), sum(r * length(t)), max(t) from"
                + " (select t, row_number() over (partition by k order by id) r from t)");
    assertRight(query.collectAsList());
    long most =
        SparkSide.operators(query).stream()
            .filter(ColumnarShuffleExec.class::isInstance)
            .mapToLong(exchange -> (long) exchange.metrics().apply("sliceBytes").value())
            .max()
            .orElse(0);
    assertTrue(most > EXECUTOR_BYTES, most + " bytes of slices");
    assertTrue(CAME.get() >= 1, CAME::toString);

    await(() -> WENT.get() == CAME.get());
    int before = CAME.get();
    // What the executors had written for the stage above went with them.
    assertRight(query.collectAsList());
    assertTrue(CAME.get() > before, CAME::toString);
  }

  @Test
  void executorsHaveTheFlagsOfTheUserAndOurs() {
    String flags =
        JavaSparkContext.fromSparkContext(spark.session().sparkContext())
            .parallelize(List.of(1), 1)
            .map(i -> String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()))
            .first();
    assertTrue(flags.contains("-XX:+UseSerialGC"), flags);
    assertTrue(flags.contains("CompileThresholdScaling,*codegen.Generated*::*"), flags);
  }

  private static void assertRight(List<Row> rows) {
    long each = ROWS / KEYS;
    assertEquals(ROWS, rows.getFirst().getLong(0));
    assertEquals(each * (each + 1) / 2 * KEYS * WIDTH, rows.getFirst().getLong(1));
    assertEquals("9" + "x".repeat(WIDTH - 1), rows.getFirst().getString(2));
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "executors went: " + WENT + " of " + CAME);
      Thread.sleep(100);
    }
  }
}
