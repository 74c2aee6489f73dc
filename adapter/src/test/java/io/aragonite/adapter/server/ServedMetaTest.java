package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.execution.ClientRequest;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.Meta.ConnectionHandle;
import org.apache.calcite.avatica.Meta.StatementHandle;
import org.apache.calcite.avatica.NoSuchConnectionException;
import org.apache.calcite.avatica.remote.TypedValue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a server keeps what its clients do not touch, and who ends what they run. */
@Timeout(60)
class ServedMetaTest {
  private static final String URL = "jdbc:aragonite:tpch=0.01;threads=1;device=cpu";
  private static final Duration SHORT = Duration.ofMillis(50);

  private static ServedMeta open(@Nullable Duration limit, @Nullable Duration idle)
      throws Exception {
    ServedMeta meta =
        new ServedMeta(
            new ServerOptions(URL, "127.0.0.1", 0, false, limit, idle, null, null, null));
    meta.keepOpen();
    meta.openConnection(new ConnectionHandle("client"), Map.of());
    return meta;
  }

  /** Touches as many segments of the caches as there are, which then drop what has expired. */
  private static void disturb(ServedMeta meta) {
    for (int i = 0; i < 30; i++) {
      ConnectionHandle other = new ConnectionHandle("other " + i);
      meta.openConnection(other, Map.of());
      for (int s = 0; s < 20; s++) {
        meta.closeStatement(meta.createStatement(other));
      }
      meta.closeConnection(other);
    }
  }

  @Test
  void aStatementThatRunsIsNotIdle() throws Exception {
    ServedMeta meta = open(Duration.ofSeconds(50), SHORT);
    ExecutorService client = Executors.newSingleThreadExecutor();
    try {
      StatementHandle statement =
          meta.prepare(
              new ConnectionHandle("client"),
              "select count(*) from orders l, orders o where l.o_orderkey + o.o_orderkey < ?",
              -1);
      Future<Meta.ExecuteResult> running =
          client.submit(() ->
              meta.execute(statement, List.of(TypedValue.ofJdbc(0, Calendar.getInstance())), 100));
      Thread.sleep(4 * SHORT.toMillis());
      disturb(meta);
      Meta.Frame rows = running.get(50, TimeUnit.SECONDS).resultSets.getFirst().firstFrame;
      assertEquals("[[0]]", text(rows));
      meta.closeStatement(statement);
    } finally {
      client.shutdownNow();
      meta.close();
    }
  }

  private static StatementHandle toCancel(String connection, StatementHandle statement) {
    return new StatementHandle(connection, ~statement.id, null);
  }

  private static void assertCancelled(Executable work) {
    StringWriter told = new StringWriter();
    assertThrows(Exception.class, work).printStackTrace(new PrintWriter(told));
    assertTrue(told.toString().contains("AR-602"), told::toString);
  }

  @Test
  void onlyItsClientCancelsAQuery() throws Exception {
    ServedMeta meta = open(null, null);
    ExecutorService client = Executors.newSingleThreadExecutor();
    try {
      meta.openConnection(new ConnectionHandle("other"), Map.of());
      StatementHandle statement =
          meta.prepare(
              new ConnectionHandle("client"),
              "select count(*) from lineitem a, lineitem b, lineitem c"
                  + " where a.l_quantity + b.l_quantity + c.l_quantity < -1",
              -1);
      Future<Meta.ExecuteResult> running =
          client.submit(() -> {
            try (ClientRequest _ =
                ClientRequest.begin(true, new ClientIdentity("avatica", null, "here"))) {
              return meta.execute(statement, List.of(), 100);
            }
          });
      for (int i = 0; i < 10; i++) {
        meta.closeStatement(toCancel("other", statement));
        Thread.sleep(50);
      }
      assertFalse(running.isDone());
      while (!running.isDone()) {
        meta.closeStatement(toCancel("client", statement));
        Thread.sleep(50);
      }
      assertCancelled(running::get);
    } finally {
      client.shutdownNow();
      meta.close();
    }
  }

  @Test
  void rowsToComeAreCancelledBetweenTwoFetches() throws Exception {
    ServedMeta meta = open(null, null);
    try {
      meta.openConnection(new ConnectionHandle("other"), Map.of());
      StatementHandle statement =
          meta.prepare(
              new ConnectionHandle("client"), "select l_orderkey, l_comment from lineitem", -1);
      assertFalse(meta.execute(statement, List.of(), 10).resultSets.getFirst().firstFrame.done);
      meta.closeStatement(toCancel("other", statement));
      assertFalse(meta.fetch(statement, 10, 10).done);
      meta.closeStatement(toCancel("client", statement));
      assertCancelled(() -> meta.fetch(statement, 20, 10));
      meta.execute(statement, List.of(), 10);
      assertFalse(meta.fetch(statement, 10, 10).done);
    } finally {
      meta.close();
    }
  }

  private static String text(Meta.Frame frame) {
    List<List<Object>> rows = new ArrayList<>();
    for (Object row : frame.rows) {
      rows.add(row instanceof Object[] values ? List.of(values) : List.of(row));
    }
    return rows.toString();
  }

  @Test
  void anIdleConnectionIsClosed() throws Exception {
    ServedMeta meta = open(SHORT, SHORT);
    try {
      Thread.sleep(4 * SHORT.toMillis());
      disturb(meta);
      assertThrows(
          NoSuchConnectionException.class,
          () -> meta.createStatement(new ConnectionHandle("client")));
    } finally {
      meta.close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void withoutOneOfBothLimitsNothingIsClosed(boolean limited) throws Exception {
    ServedMeta meta = open(limited ? SHORT : null, limited ? null : SHORT);
    try {
      Thread.sleep(4 * SHORT.toMillis());
      disturb(meta);
      assertEquals("client", meta.createStatement(new ConnectionHandle("client")).connectionId);
    } finally {
      meta.close();
    }
  }
}
