package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.execution.Deadlines;
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
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A statement has a slot while the engine works for it, and no longer. */
@Timeout(120)
class SlotsTest {
  private static final int ANY = Integer.MAX_VALUE;

  /** Some 1.5 million rows, of which the engine makes a few batches ahead. */
  private static final String MANY =
      "select l_orderkey, l_comment, n_name from lineitem, nation where n_nationkey < 5";

  private static final String ONE = "select count(*) from nation";

  @TempDir private Path folder;

  private static Admission.Turn enter(Admission admission, String user, Execution run) {
    Admission.Turn turn = admission.enter(user, ANY, run);
    run.onWait(turn);
    run.onEnd(turn::end);
    return turn;
  }

  private static void eventually(String what, java.util.concurrent.Callable<Boolean> condition)
      throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.call()) {
      assertTrue(System.nanoTime() < end, what);
      Thread.sleep(10);
    }
  }

  @Test
  void whatIsCancelledHasItsSlotUntilItsWorkHasEnded() {
    Admission admission = new Admission(1, Duration.ofMillis(300));
    Execution cancelled = new Execution(null);
    enter(admission, "ann", cancelled);
    cancelled.cancel();
    assertEquals(
        ErrorCode.TOO_MANY_QUERIES,
        assertThrows(
                AragoniteException.class, () -> admission.enter("bob", ANY, new Execution(null)))
            .code());
    cancelled.close();
    assertTrue(admission.isQuiet());
    Execution late = new Execution(Duration.ofMillis(1));
    assertThrows(
        AragoniteException.class,
        () -> {
          enter(admission, "ann", late);
          while (true) {
            late.check();
          }
        });
    assertEquals(ErrorCode.TIMED_OUT, late.ended().code());
    late.close();
    admission.enter("bob", ANY, new Execution(null)).end();
  }

  @Test
  void whoGoesOnIsBeforeHisOwnButTakesTurnsWithOthers() throws Exception {
    Admission admission = new Admission(1, Duration.ofSeconds(30));
    Execution open = new Execution(null);
    enter(admission, "ann", open);
    open.waitForClient();
    Execution other = new Execution(null);
    enter(admission, "bob", other); // when the other's patience has ended
    List<String> order = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (String name : List.of("ann 2", "cyd", "ann 1")) {
      Thread thread =
          Thread.ofPlatform()
              .start(() -> {
                if (name.equals("ann 1")) {
                  open.goOn();
                  order.add(name);
                  open.close();
                } else {
                  Execution run = new Execution(null);
                  enter(admission, name.substring(0, 3), run);
                  order.add(name);
                  run.close();
                }
              });
      threads.add(thread);
      while (thread.getState() != Thread.State.TIMED_WAITING) {
        Thread.sleep(1); // they stand in this order
      }
    }
    other.close();
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of("ann 1", "cyd", "ann 2"), order);
    assertTrue(admission.isQuiet());
  }

  @Test
  void whoWaitsToGoOnCanBeCancelled() throws Exception {
    Admission admission = new Admission(1, Duration.ofSeconds(30));
    Execution open = new Execution(null);
    enter(admission, "ann", open);
    open.waitForClient();
    Execution other = new Execution(null);
    enter(admission, "bob", other);
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      Future<?> waits = threads.submit(open::goOn);
      Thread.sleep(100);
      assertFalse(waits.isDone());
      open.cancel();
      Exception error = assertThrows(java.util.concurrent.ExecutionException.class, waits::get);
      assertEquals(ErrorCode.CANCELLED, ((AragoniteException) error.getCause()).code());
    }
    other.close();
    assertTrue(admission.isQuiet(), "what was cancelled while it waited is over");
    open.close();
    admission.enter("bob", ANY, new Execution(null)).end();
  }

  @Test
  void whatEndsWhileItWaitsKeepsNobodyElse() throws Exception {
    Admission admission = new Admission(1, Duration.ofSeconds(30));
    CountDownLatch ends = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    admission.enter("ann", ANY, new Execution(null)).end(); // loads what takes time
    Execution open = new Execution(Duration.ofSeconds(2));
    Admission.Turn turn = admission.enter("ann", ANY, open);
    open.onWait(turn);
    open.onEnd(() -> {
      ends.countDown();
      await(told); // a log on a slow disk
      turn.end();
    });
    open.waitForClient();
    Execution other = new Execution(null);
    enter(admission, "bob", other);
    // Who waits sees that time is up, not the timer.
    Deadlines.after(Duration.ZERO, () -> await(told));
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      Future<?> waits = threads.submit(open::goOn);
      await(ends);
      assertFalse(threads.submit(admission::isQuiet).get(10, TimeUnit.SECONDS));
      assertFalse(waits.isDone());
      told.countDown();
      Exception error = assertThrows(java.util.concurrent.ExecutionException.class, waits::get);
      assertEquals(ErrorCode.TIMED_OUT, ((AragoniteException) error.getCause()).code());
    } finally {
      told.countDown();
    }
    other.close();
    assertTrue(admission.isQuiet());
    admission.enter("cyd", ANY, new Execution(null)).end();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private QueryServer start(Admission admission, String limits) throws Exception {
    Files.writeString(folder.resolve("users"), "ann: a\nbob: b\n");
    Files.writeString(
        folder.resolve("access.json"),
        """
        {"roles": {"all": {"grants": [{"schema": "tpch"}]}},
         "users": {"ann": {"roles": ["all"]%s}, "bob": {"roles": ["all"]}}}
        """
            .formatted(limits));
    return QueryServer.start(
        new ServerOptions(
                "jdbc:aragonite:tpch=0.01;device=cpu;threads=2",
                "127.0.0.1",
                0,
                false,
                null,
                null,
                folder.resolve("users"),
                null,
                null)
            .withRules(new ServerRules(folder.resolve("access.json"), AuditLog.off(), admission)));
  }

  private static Connection connect(QueryServer server, String user) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("avatica_user", user);
    properties.setProperty("avatica_password", user.substring(0, 1));
    return DriverManager.getConnection(server.clientUrl(), properties);
  }

  private static long rows(ResultSet rows) throws SQLException {
    long count = 0;
    while (rows.next()) {
      count++;
    }
    return count;
  }

  private static long count(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next());
      return rows.getLong(1);
    }
  }

  private static String metrics() throws Exception {
    return new String(ServerMetrics.text(), StandardCharsets.UTF_8);
  }

  @Test
  void openResultsHoldNoSlots() throws Exception {
    Admission admission = new Admission(2, Duration.ofSeconds(5));
    try (QueryServer server = start(admission, "");
        Connection ann = connect(server, "ann");
        Connection bob = connect(server, "bob")) {
      long all = 5 * count(bob, "select count(*) from lineitem");
      List<ResultSet> results = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        ResultSet rows = ann.createStatement().executeQuery(MANY);
        assertTrue(rows.next());
        results.add(rows);
      }
      eventually("their slots are free", () -> metrics().contains("aragonite_queries_running 0.0"));
      assertTrue(metrics().contains("aragonite_results_waiting 5.0"), metrics());
      assertTrue(metrics().contains("aragonite_query_slots 2.0"), metrics());
      assertEquals(25, count(bob, ONE));
      assertFalse(admission.isQuiet(), "a server that stops waits for results that are read");
      assertEquals(all - 1, rows(results.get(3)), "it goes on where it was");
      results.get(0).getStatement().cancel();
      for (ResultSet rows : results) {
        rows.getStatement().close();
      }
      eventually("all are over", admission::isQuiet);
    }
    assertTrue(metrics().contains("aragonite_results_waiting 0.0"), metrics());
    assertTrue(metrics().contains("aragonite_queries_running 0.0"), metrics());
  }

  @Test
  void openResultsCountForTheirUser() throws Exception {
    Admission admission = new Admission(10, Duration.ofMillis(200));
    try (QueryServer server = start(admission, ", \"limits\": {\"queries\": 1}");
        Connection ann = connect(server, "ann");
        Connection bob = connect(server, "bob");
        Statement statement = ann.createStatement()) {
      ResultSet rows = statement.executeQuery(MANY);
      assertTrue(rows.next());
      Thread.sleep(500);
      String refused = assertThrows(SQLException.class, () -> count(ann, ONE)).getMessage();
      assertTrue(refused.contains("AR-608"), refused);
      assertEquals(25, count(bob, ONE));
      statement.close();
      assertEquals(25, count(ann, ONE));
    }
  }

  @Test
  void resultsThatNobodyReadsAreGivenBack() throws Exception {
    Admission admission = new Admission(1, Duration.ofSeconds(5), Duration.ofMillis(500));
    try (QueryServer server = start(admission, "");
        Connection ann = connect(server, "ann");
        Statement statement = ann.createStatement()) {
      assertEquals(25, count(ann, ONE));
      ResultSet rows = statement.executeQuery(MANY);
      assertTrue(rows.next());
      assertFalse(admission.isQuiet());
      eventually("it is given back", admission::isQuiet);
      Exception error = assertThrows(Exception.class, () -> rows(rows));
      assertTrue(error.getMessage().contains("AR-609"), error.getMessage());
      assertEquals(25, count(ann, ONE));
      assertTrue(statement.executeQuery(ONE).next(), "the statement can be run again");
    }
  }

  @Test
  void notMoreThanMayWorkWhileClientsCancelAndLeaveResults() throws Exception {
    Admission admission = new Admission(2, Duration.ofSeconds(30));
    try (QueryServer server = start(admission, "");
        ExecutorService clients = Executors.newCachedThreadPool()) {
      List<Future<Integer>> ended = new ArrayList<>();
      for (int client = 0; client < 6; client++) {
        String user = client % 2 == 0 ? "ann" : "bob";
        int number = client;
        ended.add(
            clients.submit(() -> {
              int answers = 0;
              try (Connection connection = connect(server, user)) {
                for (int i = 0; i < 8; i++) {
                  try (Statement statement = connection.createStatement()) {
                    ResultSet rows = statement.executeQuery(MANY);
                    assertTrue(rows.next());
                    if ((i + number) % 3 == 0) {
                      Thread.sleep(50);
                    }
                    if ((i + number) % 2 == 0) {
                      statement.cancel();
                    }
                  }
                  assertEquals(25, count(connection, ONE));
                  answers++;
                }
              }
              return answers;
            }));
      }
      while (!ended.stream().allMatch(Future::isDone)) {
        String running = metrics().replaceAll("(?s).*\naragonite_queries_running (\\S+).*", "$1");
        assertTrue(Double.parseDouble(running) <= 2, running);
        Thread.sleep(5);
      }
      for (Future<Integer> answers : ended) {
        assertEquals(8, answers.get());
      }
    }
    eventually("all are over", admission::isQuiet);
  }
}
