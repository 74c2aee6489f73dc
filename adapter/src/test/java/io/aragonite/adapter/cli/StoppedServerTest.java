package io.aragonite.adapter.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that is told to stop by SIGTERM. */
@Timeout(600)
class StoppedServerTest {
  private static final String CLOSED = "There is no such connection";

  /** Some seconds of work. */
  private static final String WORK =
      "select count(*) from orders a, lineitem b where a.o_totalprice + b.l_quantity < %s"
          + " and a.o_orderkey < 20000";

  private static final String ENDLESS =
      "select count(*) from lineitem a, lineitem b, lineitem c"
          + " where a.l_quantity + b.l_quantity + c.l_quantity < -1";

  @TempDir private Path folder;

  private Process start(String... options) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "serve",
                "--tpch=0.01",
                "--device=cpu",
                "--port=0",
                "--audit=" + folder.resolve("audit")));
    line.addAll(List.of(options));
    return new ProcessBuilder(line).redirectErrorStream(true).start();
  }

  private static String url(BufferedReader said) throws Exception {
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      if (line.startsWith("Connect with ")) {
        return line.substring("Connect with ".length());
      }
    }
    throw new AssertionError("the server has not started");
  }

  private static HttpResponse<String> get(String url, String path) throws Exception {
    String address = url.substring(url.indexOf("http://")).split(";")[0];
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(address + path)).build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  /** Waits until the server works on a statement. */
  private static void awaitRunning(String url, Future<?> statement) throws Exception {
    while (!statement.isDone()
        && !get(url, "/metrics").body().contains("\naragonite_queries_running 1.0")) {
      Thread.sleep(20);
    }
  }

  /** Waits until the server has heard the signal, or is gone. */
  private static void awaitStopping(String url) throws Exception {
    try {
      while (get(url, "/ready").statusCode() != 503) {
        Thread.sleep(20);
      }
    } catch (IOException e) {
      assertTrue(isGone(url), e.toString());
    }
  }

  private static boolean isGone(String url) throws Exception {
    try {
      return get(url, "/health").statusCode() != 200;
    } catch (IOException e) {
      return true; // nobody is there any more
    }
  }

  /** The answer counts: a server that stops may have closed the statement before the client. */
  private static long count(Connection connection, String sql) throws SQLException {
    Statement statement = connection.createStatement();
    ResultSet rows = statement.executeQuery(sql);
    assertTrue(rows.next());
    long count = rows.getLong(1);
    try {
      statement.close();
    } catch (SQLException e) {
      // The server may be gone, which Avatica tells with a state or without one.
      boolean gone = "08003".equals(e.getSQLState()) || "08S01".equals(e.getSQLState());
      assertTrue(gone || "While closing statement".equals(e.getMessage()), e.toString());
    }
    return count;
  }

  @ParameterizedTest
  @CsvSource({"60s, true", "1s, false"})
  void statementsGoOnForAWhile(String time, boolean finish) throws Exception {
    Process server = start("--stop-time=" + time);
    try (BufferedReader said = server.inputReader();
        ExecutorService clients = Executors.newCachedThreadPool()) {
      String url = url(said);
      Connection connection = DriverManager.getConnection(url);
      Connection other = DriverManager.getConnection(url);
      assertEquals(60175, count(connection, "select count(*) from lineitem"));
      assertEquals(1, count(other, "select 1"));
      Future<Long> running =
          clients.submit(() -> count(connection, finish ? WORK.formatted("-1") : ENDLESS));
      awaitRunning(url, running);
      server.destroy(); // SIGTERM
      awaitStopping(url);
      Exception refused = assertThrows(Exception.class, () -> count(other, "select 1"));
      String reason = String.valueOf(refused.getMessage());
      // After a second the server may have closed the connections that nobody works on.
      boolean late = !finish && reason.contains(CLOSED);
      assertTrue(reason.contains("AR-404") || late || isGone(url), reason);
      if (finish) {
        assertEquals(0, running.get());
      } else {
        Exception ended = assertThrows(Exception.class, running::get);
        String message = String.valueOf(ended.getMessage());
        // The server may have closed the connection before its client asks for the answer.
        boolean closed = message.contains(CLOSED);
        assertTrue(message.contains("AR-") || closed, message);
      }
      assertTrue(server.waitFor(120, TimeUnit.SECONDS));
      assertEquals(0, server.exitValue());
    } finally {
      server.destroyForcibly();
    }
    List<String> lines = Files.readAllLines(folder.resolve("audit.0"));
    assertTrue(lines.stream().anyMatch(line -> line.contains(", lineitem b")), "in the log");
  }

  @Test
  void aSecondSignalDoesNotWait() throws Exception {
    Process server = start("--stop-time=1h");
    try (BufferedReader said = server.inputReader();
        ExecutorService clients = Executors.newCachedThreadPool()) {
      String url = url(said);
      Connection connection = DriverManager.getConnection(url);
      Future<Long> running = clients.submit(() -> count(connection, ENDLESS));
      awaitRunning(url, running);
      server.destroy();
      awaitStopping(url); // two signals at once may be one
      assertTrue(server.isAlive());
      server.destroy();
      assertTrue(server.waitFor(120, TimeUnit.SECONDS));
      assertThrows(Exception.class, running::get);
    } finally {
      server.destroyForcibly();
    }
  }
}
