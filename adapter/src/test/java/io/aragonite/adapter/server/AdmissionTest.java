package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How many statements run at once, who is next, and what a result may have. */
@Timeout(60)
class AdmissionTest {
  private static final int ANY = Integer.MAX_VALUE;
  private static final String LONG =
      "select count(*) from lineitem a, lineitem b, lineitem c"
          + " where a.l_quantity + b.l_quantity + c.l_quantity < -1";

  @TempDir private Path folder;

  private static Execution run() {
    return new Execution(null);
  }

  private static void assertRefused(ErrorCode code, Runnable enter) {
    assertEquals(code, assertThrows(AragoniteException.class, enter::run).code());
  }

  @Test
  void usersTakeTurns() throws Exception {
    Admission admission = new Admission(1, Duration.ofSeconds(30));
    Admission.Turn first = admission.enter("ann", ANY, run());
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (String name : List.of("ann 1", "ann 2", "ann 3", "ann 4", "bob 1", "bob 2", "cyd 1")) {
      Thread thread =
          Thread.ofPlatform()
              .start(() -> {
                Admission.Turn turn = admission.enter(name.substring(0, 3), ANY, run());
                order.add(name);
                turn.end();
              });
      threads.add(thread);
      while (thread.getState() != Thread.State.TIMED_WAITING) {
        Thread.sleep(1); // they stand in this order
      }
    }
    first.end();
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of("ann 1", "bob 1", "cyd 1", "ann 2", "bob 2", "ann 3", "ann 4"), order);
    assertTrue(admission.isQuiet());
  }

  @Test
  void oneAtItsLimitKeepsNobodyElse() throws Exception {
    Admission admission = new Admission(3, Duration.ofMillis(100));
    Admission.Turn one = admission.enter("ann", 1, run());
    assertRefused(ErrorCode.TOO_MANY_QUERIES, () -> admission.enter("ann", 1, run()));
    Admission.Turn two = admission.enter("bob", 2, run());
    Admission.Turn three = admission.enter("bob", 2, run());
    assertRefused(ErrorCode.TOO_MANY_QUERIES, () -> admission.enter("cyd", ANY, run()));
    two.end();
    two.end(); // a second time changes nothing
    Admission.Turn four = admission.enter("cyd", ANY, run());
    assertRefused(ErrorCode.TOO_MANY_QUERIES, () -> admission.enter("bob", 2, run()));
    List.of(one, three, four).forEach(Admission.Turn::end);
    assertTrue(admission.isQuiet());
  }

  @Test
  void whoWaitsCanBeCancelledAndStopped() throws Exception {
    Admission admission = new Admission(1, Duration.ofSeconds(30));
    Admission.Turn turn = admission.enter("ann", ANY, run());
    try (ExecutorService others = Executors.newCachedThreadPool()) {
      Execution cancelled = run();
      Future<?> waits = others.submit(() -> admission.enter("bob", ANY, cancelled));
      Thread.sleep(100);
      assertFalse(waits.isDone());
      cancelled.cancel();
      assertEquals(
          ErrorCode.CANCELLED,
          ((AragoniteException)
                  assertThrows(java.util.concurrent.ExecutionException.class, waits::get)
                      .getCause())
              .code());
      assertRefused(
          ErrorCode.TIMED_OUT,
          () -> admission.enter("bob", ANY, new Execution(Duration.ofMillis(100))));
      Future<?> stopped = others.submit(() -> admission.enter("bob", ANY, run()));
      Thread.sleep(100);
      admission.stop();
      assertEquals(
          ErrorCode.SERVER_REFUSED,
          ((AragoniteException)
                  assertThrows(java.util.concurrent.ExecutionException.class, stopped::get)
                      .getCause())
              .code());
    }
    assertRefused(ErrorCode.SERVER_REFUSED, () -> admission.enter("cyd", ANY, run()));
    assertFalse(admission.isQuiet());
    turn.end();
    assertTrue(admission.isQuiet());
  }

  @Test
  void nobodyFillsTheQueueAlone() throws Exception {
    Admission admission = new Admission(1, Duration.ofSeconds(30));
    Admission.Turn turn = admission.enter("ann", ANY, run());
    List<Execution> runs = new ArrayList<>();
    try (ExecutorService others = Executors.newCachedThreadPool()) {
      for (int i = 0; i < 20; i++) {
        Execution run = run();
        runs.add(run);
        others.submit(() -> admission.enter("ann", ANY, run).end());
      }
      Thread.sleep(300);
      assertRefused(ErrorCode.TOO_MANY_QUERIES, () -> admission.enter("ann", ANY, run()));
      Future<Admission.Turn> bob = others.submit(() -> admission.enter("bob", ANY, run()));
      Thread.sleep(100);
      assertFalse(bob.isDone());
      runs.forEach(Execution::cancel);
      turn.end();
      bob.get().end();
    }
  }

  private ServerOptions options(String access, Admission admission) throws Exception {
    Files.writeString(folder.resolve("users"), "ann: a\nbob: b\n");
    Files.writeString(folder.resolve("access.json"), access);
    return new ServerOptions(
            "jdbc:aragonite:tpch=0.01;device=cpu;threads=1",
            "127.0.0.1",
            0,
            false,
            Duration.ofMinutes(1),
            null,
            folder.resolve("users"),
            null,
            null)
        .withRules(new ServerRules(folder.resolve("access.json"), AuditLog.off(), admission));
  }

  private static Connection connect(QueryServer server, String user) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("avatica_user", user);
    properties.setProperty("avatica_password", user.substring(0, 1));
    return DriverManager.getConnection(server.clientUrl(), properties);
  }

  private static long count(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      long count = 0;
      while (rows.next()) {
        count++;
      }
      return count;
    }
  }

  private static String error(Connection connection, String sql) {
    return String.valueOf(
        assertThrows(SQLException.class, () -> count(connection, sql), sql).getMessage());
  }

  @Test
  void limitsOfAUser() throws Exception {
    Admission admission = new Admission(10, Duration.ofMillis(200));
    try (QueryServer server =
            QueryServer.start(
                options(
                    """
                    {"roles": {"all": {"grants": [{"schema": "tpch"}]}},
                     "users": {"ann": {"roles": ["all"],
                                       "limits": {"queries": 1, "rows": 100, "time": "2s"}},
                               "bob": {"roles": ["all"]}},
                     "limits": {"bytes": "100kb"}}
                    """,
                    admission));
        Connection ann = connect(server, "ann");
        Connection other = connect(server, "ann");
        Connection bob = connect(server, "bob");
        ExecutorService clients = Executors.newCachedThreadPool()) {
      // Generates and loads tables.
      assertEquals(1, count(bob, "select max(l_quantity), max(l_orderkey) from lineitem, nation"));
      assertEquals(25, count(ann, "select * from nation"));
      assertEquals(100, count(ann, "select * from lineitem limit 100"));
      String rows = error(ann, "select * from lineitem limit 101");
      assertTrue(rows.contains("AR-605") && rows.contains("100 rows"), rows);
      assertEquals(1000, count(bob, "select l_orderkey from lineitem limit 1000"));
      String bytes = error(bob, "select * from lineitem");
      assertTrue(bytes.contains("AR-605") && bytes.contains("100.0 KB"), bytes);
      Future<String> running = clients.submit(() -> error(ann, LONG));
      Thread.sleep(300);
      assertTrue(error(other, "select 1").contains("AR-608"));
      assertEquals(25, count(bob, "select * from nation"));
      assertTrue(running.get().contains("AR-603"), running.get());
      assertEquals(1, count(other, "select 1"));
      try (Statement statement = ann.createStatement()) {
        statement.setFetchSize(1);
        ResultSet unread = statement.executeQuery("select * from nation");
        assertTrue(unread.next());
        assertEquals(1, count(other, "select 1"), "the engine has made all rows of the other");
      }
    }
    assertTrue(admission.isQuiet());
    String metrics = new String(ServerMetrics.text(), StandardCharsets.UTF_8);
    assertTrue(metrics.contains("aragonite_queries_running 0.0"), metrics);
    assertTrue(metrics.contains("aragonite_queries_waiting 0.0"), metrics);
    assertTrue(metrics.contains("aragonite_queue_seconds_bucket"), metrics);
  }

  @Test
  void aStoppedServerEndsWhatRuns() throws Exception {
    Admission admission = new Admission(10, Duration.ofSeconds(10));
    try (QueryServer server =
            QueryServer.start(
                options(
                    "{\"roles\": {\"a\": {\"everything\": true}},"
                        + " \"users\": {\"ann\": {\"roles\": [\"a\"]}}}",
                    admission));
        ExecutorService clients = Executors.newCachedThreadPool()) {
      Connection ann = connect(server, "ann");
      Future<String> running = clients.submit(() -> error(ann, LONG));
      Thread.sleep(500);
      admission.stop();
      assertFalse(admission.isQuiet());
      Exception error =
          assertThrows(Exception.class, () -> connect(server, "ann").createStatement());
      assertTrue(String.valueOf(error.getMessage()).contains("AR-404"), error.getMessage());
      server.close();
      assertTrue(running.get().contains("AR-"), running.get());
      assertTrue(admission.isQuiet());
    }
  }
}
