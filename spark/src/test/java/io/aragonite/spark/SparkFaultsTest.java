package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.spark.execution.ExecutorEngine;
import io.aragonite.spark.execution.HeldRelations;
import io.aragonite.spark.plan.ColumnarBroadcastExec;
import io.aragonite.spark.plan.ColumnarShuffleExec;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.worker.Worker;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What goes wrong in a cluster in the middle of a query: two executors of a core each, processes of
 * their own, on workers with an address each, since Spark has no second attempt on the same host.
 */
class SparkFaultsTest {
  /** The harm comes while the fragment below holds the table of a broadcast. */
  private static final String QUERY =
      "select g, sum(f), count(*) from (select g, fault('%s', s + e) f from "
          + "(select v %% 7 g, v %% 101 h, sum(v) s from t group by 1, 2) "
          + "join (select v d, v * v e from t where v < 90) on h = d) group by g";

  /** How long a task waits that another attempt is to overtake. */
  private static final long SLOW_MILLIS = 300_000;

  private static final long DEADLINE_NANOS = 180_000_000_000L;

  @TempDir static Path folder;
  private static final List<RpcEnv> CLUSTER = new ArrayList<>();
  private static final Set<String> ENDS = new ConcurrentSkipListSet<>();
  private static SparkSide spark;
  private static List<Row> expected = List.of();

  /** Passes values on, and does harm once, in the task that comes first. */
  private record Fault(String folder) implements UDF2<String, Long, Long> {
    @Override
    public Long call(String kind, Long value) throws Exception {
      boolean harmless = kind.equals("none") || kind.equals("lose") && shuffled().isEmpty();
      if (harmless || !first(kind)) {
        return value;
      }
      switch (kind) {
        case "fail" -> throw new IllegalStateException("on purpose");
        case "kill" -> Runtime.getRuntime().halt(1);
        case "slow" -> Thread.sleep(SLOW_MILLIS);
        default -> {
          for (File file : shuffled()) {
            Files.delete(file.toPath());
          }
        }
      }
      return value;
    }

    private boolean first(String kind) throws IOException {
      try {
        String held = String.valueOf(HeldRelations.count());
        Files.writeString(Path.of(folder, kind), held, StandardOpenOption.CREATE_NEW);
        return true;
      } catch (FileAlreadyExistsException e) {
        return false;
      }
    }

    /** What tasks of this executor have written for others. */
    private static List<File> shuffled() {
      return CollectionConverters.asJava(
              SparkEnv.get().blockManager().diskBlockManager().getAllFiles())
          .stream()
          .filter(file -> file.getName().matches("shuffle_.*[.]data"))
          .toList();
    }
  }

  @BeforeAll
  static void start() throws IOException {
    Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
    SparkConf conf =
        new SparkConf().set("spark.master.rest.enabled", "false").set("spark.ui.enabled", "false");
    var master = Master.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, conf);
    CLUSTER.add(master._1());
    String url = "spark://127.0.0.1:" + master._1().address().port();
    for (int i = 1; i <= 2; i++) {
      CLUSTER.add(
          Worker.startRpcEnvAndEndpoint(
              "127.0.0." + i, 0, 0, 1, 1024, new String[] {url},
              folder.resolve("work").toString(), Option.apply(i), conf, Option.empty()));
    }
    Path executors = Files.createDirectories(folder.resolve("tmp"));
    spark =
        new SparkSide(
            url,
            Map.ofEntries(
                Map.entry("spark.driver.host", "127.0.0.1"),
                Map.entry("spark.driver.bindAddress", "127.0.0.1"),
                Map.entry("spark.executorEnv.JAVA_HOME", System.getProperty("java.home")),
                Map.entry("spark.executorEnv.SPARK_SCALA_VERSION", "2.13"),
                Map.entry("spark.executor.memory", "512m"),
                Map.entry(
                    "spark.executor.extraJavaOptions",
                    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir=" + executors),
                Map.entry("spark.aragonite.memory", "64m"),
                Map.entry("spark.shuffle.io.maxRetries", "1"),
                Map.entry("spark.shuffle.io.retryWait", "100ms"),
                Map.entry("spark.speculation", "true"),
                Map.entry("spark.speculation.interval", "100ms"),
                Map.entry("spark.speculation.quantile", "0.5"),
                Map.entry("spark.speculation.minTaskRuntime", "500ms"),
                Map.entry("spark.sql.files.openCostInBytes", "128m"),
                Map.entry("spark.sql.codegen.wholeStage", "false"),
                Map.entry("spark.sql.codegen.factoryMode", "NO_CODEGEN"),
                Map.entry("spark.sql.adaptive.coalescePartitions.enabled", "false"),
                Map.entry("spark.sql.shuffle.partitions", "4")));
    spark.session().sparkContext().addSparkListener(
        new SparkListener() {
          @Override
          public void onTaskEnd(SparkListenerTaskEnd end) {
            ENDS.add(end.reason().getClass().getSimpleName().replace("$", ""));
          }
        });
    spark.session().udf().register("fault", new Fault(folder.toString()), DataTypes.LongType);
    String data = folder.resolve("t").toString();
    spark.session().range(0, 20_000, 1, 4).toDF("v").write().parquet(data);
    spark.session().read().parquet(data).createOrReplaceTempView("t");
    expected = spark.plain(QUERY.formatted("none"));
  }

  @AfterAll
  static void stop() {
    spark.close();
    for (RpcEnv part : CLUSTER.reversed()) {
      part.shutdown();
      part.awaitTermination();
    }
  }

  /**
   * Waiting and further executors take long: {@code -Daragonite.spark.faults=true} wants them.
   *
   * @param ending how Spark calls the end of an attempt that did not make it
   */
  @ParameterizedTest
  @CsvSource({
    "fail, ExceptionFailure",
    "lose, FetchFailed",
    "slow, TaskKilled",
    "kill, ExecutorLostFailure"
  })
  void queriesEndRightAndNothingIsLeft(String kind, String ending) throws Exception {
    assumeTrue(
        kind.equals("fail") || kind.equals("lose") || Boolean.getBoolean("aragonite.spark.faults"));
    // Attempts that harm befalls are not to be overtaken, but for the slow one.
    String never = String.valueOf(DEADLINE_NANOS);
    spark.session().sparkContext().conf()
        .set("spark.speculation.multiplier", kind.equals("slow") ? "2" : never);
    spark.awaitEvents();
    ENDS.clear();
    endsRight(kind);
    assertTrue(Files.exists(folder.resolve(kind)), "harm was done");
    assertNotEquals("0", Files.readString(folder.resolve(kind)), "broadcasts held then");
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    Set<String> held = held();
    while ((held.size() != 2 || !held.stream().allMatch(h -> h.endsWith(": nothing")))
        && System.nanoTime() < deadline) {
      Thread.sleep(50);
      held = held();
    }
    assertEquals(2, held.size(), held::toString);
    assertTrue(held.stream().allMatch(h -> h.endsWith(": nothing")), held::toString);
    spark.awaitEvents();
    assertTrue(ENDS.contains(ending), ENDS::toString);
  }

  /** Nothing of the query is reachable when it returns. */
  private static void endsRight(String kind) {
    Dataset<Row> query = spark.session().sql(QUERY.formatted(kind));
    long start = System.nanoTime();
    List<Row> rows = query.collectAsList();
    assertTrue(System.nanoTime() - start < SLOW_MILLIS * 1_000_000, "nobody waits for a slow task");
    assertEquals(SparkSide.text(expected, false), SparkSide.text(rows, false));
    assertTrue(SparkSide.fragments(query).size() >= 3, () -> query.queryExecution().toString());
    assertTrue(
        SparkSide.operators(query).stream().filter(ColumnarShuffleExec.class::isInstance).count() == 2,
        () -> query.queryExecution().toString());
    assertTrue(
        SparkSide.operators(query).stream().anyMatch(ColumnarBroadcastExec.class::isInstance),
        () -> query.queryExecution().toString());
  }

  /**
   * What the engine of each executor has in memory and in files, between queries. Broadcasts are
   * there until collectors have found, on the driver and then in the executor, that nobody has them.
   */
  private static Set<String> held() {
    System.gc();
    return new TreeSet<>(
        JavaSparkContext.fromSparkContext(spark.session().sparkContext())
            .parallelize(Collections.nCopies(4, 0), 4)
            .map(
                part -> {
                  System.gc();
                  Thread.sleep(50); // else one executor may have run all of them
                  MemoryBudget memory = ExecutorEngine.get().device().memory();
                  List<String> held = new ArrayList<>(files());
                  if (HeldRelations.count() > 0) {
                    held.add(HeldRelations.count() + " broadcasts");
                  }
                  if (memory.used() != memory.cached()) {
                    held.add(memory.used() - memory.cached() + " bytes");
                  }
                  return SparkEnv.get().executorId()
                      + ": "
                      + (held.isEmpty() ? "nothing" : held);
                })
            .collect());
  }

  /** Open files of data, and files in the folder for what spills. */
  private static List<String> files() throws IOException {
    List<String> files = new ArrayList<>();
    try (Stream<Path> spilled = Files.walk(Path.of(System.getProperty("java.io.tmpdir")))) {
      spilled
          .filter(path -> path.toString().contains("aragonite-spill") && Files.isRegularFile(path))
          .forEach(path -> files.add(path.toString()));
    }
    Path open = Path.of("/proc/self/fd");
    if (Files.exists(open)) {
      try (Stream<Path> links = Files.list(open)) {
        for (Path link : links.toList()) {
          try {
            String target = Files.readSymbolicLink(link).toString();
            if (target.replace(" (deleted)", "").endsWith(".parquet")) {
              files.add(target);
            }
          } catch (IOException e) {
            // Its file is closed by now.
          }
        }
      }
    }
    return files;
  }
}
