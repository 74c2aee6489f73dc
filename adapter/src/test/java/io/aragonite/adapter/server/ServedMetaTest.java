package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a server keeps what its clients do not touch. */
@Timeout(60)
class ServedMetaTest {
  private static final String URL = "jdbc:aragonite:tpch=0.01;threads=1;device=cpu";
  private static final Duration SHORT = Duration.ofMillis(50);

  private static ServedMeta open(@Nullable Duration limit, @Nullable Duration idle)
      throws Exception {
    ServedMeta meta = new ServedMeta(URL, limit, idle);
    meta.probe();
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
              "select count(*) from lineitem l, orders o where l.l_orderkey + o.o_orderkey < ?",
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
