package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.dataset.Answer;
import io.aragonite.tpch.TpchQuery;
import io.aragonite.tpch.TpchRunner;
import io.aragonite.tpch.TpchRunner.Options;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TPC-H in too little memory: alone, and by several connections with cancels between. */
class SpillTpchTest {
  private static final double SCALE = 0.1;

  /** Tables of this scale take about 60 MB, and the largest query as much. */
  private static final int MEGABYTES = 30;

  private static final int CONNECTIONS = 8;

  /** How long connections are kept busy; -Daragonite.soak.seconds=600 for the whole soak. */
  private static final int SECONDS = Integer.getInteger("aragonite.soak.seconds", 6);

  @TempDir Path folder;

  private String url(int megabytes) {
    return "jdbc:aragonite:device=cpu;tpch=%s;threads=2;memory=%dMB;fallback=off;spill=%s"
        .formatted(SCALE, megabytes, folder);
  }

  @Test
  void allAnswersAreRight() throws SQLException, IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (Connection connection = DriverManager.getConnection(url(MEGABYTES));
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      int status = TpchRunner.of(connection, Options.standard(SCALE), out).run().exitStatus();
      assertEquals(0, status, () -> text.toString(StandardCharsets.UTF_8));
    }
    assertEmpty();
  }

  @Test
  @Timeout(1200)
  void connectionsShareMemory() throws Exception {
    long seed = Long.getLong("aragonite.seed", 1);
    AtomicInteger right = new AtomicInteger();
    AtomicInteger cancelled = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    List<Thread> threads = new ArrayList<>();
    try (ScheduledExecutorService canceller = Executors.newScheduledThreadPool(2)) {
      for (int i = 0; i < CONNECTIONS; i++) {
        Random random = new Random(seed + i);
        threads.add(
            Thread.ofPlatform()
                .start(() -> {
                  try (Connection connection = DriverManager.getConnection(url(2 * MEGABYTES))) {
                    while (System.nanoTime() < end) {
                      TpchQuery query = TpchQuery.of(1 + random.nextInt(TpchQuery.COUNT));
                      long cancelAfter = random.nextInt(4) == 0 ? random.nextInt(300) : -1;
                      switch (run(connection, query, cancelAfter, canceller)) {
                        case "right" -> right.incrementAndGet();
                        case "53200" -> refused.incrementAndGet();
                        case "57014" -> cancelled.incrementAndGet();
                        case String other -> wrong.add(query + ": " + other);
                      }
                    }
                  } catch (Throwable e) {
                    wrong.add(e.toString());
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join(TimeUnit.SECONDS.toMillis(SECONDS + 120));
        assertFalse(thread.isAlive(), () -> "a connection is stuck\n" + stacks());
      }
    }
    System.out.printf(
        "soak: %s right, %s cancelled, %s refused for memory; repeat with"
            + " -Daragonite.seed=%d%n",
        right, cancelled, refused, seed);
    assertEquals(List.of(), List.copyOf(wrong));
    assertTrue(right.get() > refused.get(), "most queries were refused");
    assertEmpty();
  }

  private static String stacks() {
    StringBuilder text = new StringBuilder();
    Thread.getAllStackTraces()
        .forEach((thread, frames) -> {
          text.append(thread).append('\n');
          for (StackTraceElement frame : frames) {
            text.append("    ").append(frame).append('\n');
          }
        });
    return text.toString();
  }

  /** "right", an SQLSTATE, or what is wrong. */
  private static String run(
      Connection connection,
      TpchQuery query,
      long cancelAfterMillis,
      ScheduledExecutorService canceller) {
    try (Statement statement = connection.createStatement()) {
      if (cancelAfterMillis >= 0) {
        canceller.schedule(
            () -> {
              statement.cancel();
              return true;
            },
            cancelAfterMillis,
            TimeUnit.MILLISECONDS);
      }
      try (ResultSet result = statement.executeQuery(query.sql(SCALE))) {
        Answer answer = Answer.of(result);
        Answer expected = query.answer(SCALE).orElseThrow();
        return query.compare(expected, answer).orElse("right");
      }
    } catch (SQLException e) {
      String state = e.getSQLState();
      boolean expected = "53200".equals(state) || ("57014".equals(state) && cancelAfterMillis >= 0);
      return expected ? state : e.toString();
    }
  }

  private void assertEmpty() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
  }
}
