package io.aragonite.sqltests.logic;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.testing.TestSample;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The 622 scripts of sqllogictest (of its artifact, with 7.2 million queries) give what they say,
 * but for what {@code logic-allowed.txt} has. A build runs some queries of some scripts, others
 * each day; {@code -Daragonite.sample=all} runs all, which takes hours, {@code
 * -Daragonite.logic.queries=N} with it N of each script, {@code -Daragonite.logic.seconds=N} as
 * many as end in that time.
 */
class SqlLogicTest {
  private static final String FIRST = "test/select1.test";
  private static final int SCRIPTS = 622;

  /** About six. */
  private static final double SHARE = 0.01;

  private static final int QUERIES = 40;
  private static final int CHANGES = 400;

  private static List<String> scripts() throws IOException {
    URL first = SqlLogicTest.class.getResource("/" + FIRST);
    assumeTrue(first != null, "the scripts are not on the class path (bundles have none)");
    JarURLConnection jar = (JarURLConnection) requireNonNull(first).openConnection();
    List<String> scripts =
        jar.getJarFile().stream()
            .map(entry -> entry.getName())
            .filter(name -> name.startsWith("test/") && name.endsWith(".test"))
            .sorted()
            .toList();
    assertEquals(SCRIPTS, scripts.size());
    return scripts;
  }

  @Test
  @Timeout(value = 2, unit = TimeUnit.DAYS)
  void scriptsGiveWhatTheySay() throws Exception {
    boolean whole = TestSample.isWhole();
    int queries =
        Integer.getInteger("aragonite.logic.queries", whole ? Integer.MAX_VALUE : QUERIES);
    long seed = Long.getLong("aragonite.seed", 1);
    LogicAllowList allowed = new LogicAllowList();
    LogicRun run =
        new LogicRun(
            "jdbc:aragonite:device=cpu;threads=1",
            allowed,
            queries,
            whole ? Integer.MAX_VALUE : CHANGES,
            seed,
            Long.getLong("aragonite.logic.seconds", TimeUnit.DAYS.toSeconds(2)));
    List<String> scripts =
        new ArrayList<>(new TestSample(SqlLogicTest.class).some(scripts(), SHARE));
    // A run of so many seconds reaches other scripts with another seed.
    Collections.shuffle(scripts, new Random(seed));
    try (ExecutorService threads =
        Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
      List<Future<?>> runs = new ArrayList<>();
      for (String script : scripts) {
        runs.add(
            threads.submit(() -> {
              run.run(script);
              return null;
            }));
      }
      for (Future<?> each : runs) {
        each.get();
      }
    }
    System.out.println("SqlLogicTest: %d scripts, %s".formatted(scripts.size(), run));
    assertTrue(run.findings().isEmpty(), () -> String.join("\n", run.findings()));
    assertTrue(run.right() > 0);
    if (whole && queries == Integer.MAX_VALUE && run.isWhole(scripts.size())) {
      assertEquals(List.of(), allowed.unused());
    }
  }
}
