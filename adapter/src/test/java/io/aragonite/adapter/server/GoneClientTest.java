package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client asked for ends when it goes away, or when its time is up. */
@Timeout(60)
class GoneClientTest {
  private static final String URL = "jdbc:aragonite:tpch=0.01;threads=2;device=cpu";

  /** Takes hours. */
  private static final String LONG =
      "select count(*) from lineitem a, lineitem b, lineitem c"
          + " where a.l_quantity + b.l_quantity + c.l_quantity < -1";

  /** The same for a single row. */
  private static final String LONG_ROW =
      "select regexp_like(repeat('x', 60) || n_name, '(x|x)*y\\1') from nation";

  private static Connection keep;

  /** The engine and its tables stay between servers. */
  @BeforeAll
  static void load() throws SQLException {
    keep = DriverManager.getConnection(URL);
    try (Statement statement = keep.createStatement();
        ResultSet rows = statement.executeQuery("select max(l_quantity + l_tax) from lineitem")) {
      assertTrue(rows.next());
    }
  }

  @AfterAll
  static void unload() throws SQLException {
    keep.close();
  }

  private static ServerOptions options(@Nullable Duration limit) {
    return new ServerOptions(URL, "127.0.0.1", 0, true, limit, null, null, null, null);
  }

  /** One request over a socket of its own, the answer not awaited. */
  private static Socket send(int port, String json) throws Exception {
    Socket socket = new Socket("127.0.0.1", port);
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(
        ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    request.writeBytes(body);
    OutputStream out = socket.getOutputStream();
    out.write(request.toByteArray());
    out.flush();
    return socket;
  }

  private static String ask(int port, String json) throws Exception {
    try (Socket socket = send(port, json)) {
      return answer(socket);
    }
  }

  private static String answer(Socket socket) throws Exception {
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.read());
    }
    String length = head.toString().replaceAll("(?is).*content-length: *(\\d+).*", "$1");
    return new String(in.readNBytes(Integer.parseInt(length)), StandardCharsets.UTF_8);
  }

  private static void open(int port) throws Exception {
    ask(port, "{\"request\":\"openConnection\",\"connectionId\":\"c\",\"info\":{}}");
  }

  private static int statement(int port) throws Exception {
    String made = ask(port, "{\"request\":\"createStatement\",\"connectionId\":\"c\"}");
    return Integer.parseInt(made.replaceAll("(?s).*\"statementId\":(\\d+).*", "$1"));
  }

  private static String execute(int statement, String sql) {
    return "{\"request\":\"prepareAndExecute\",\"connectionId\":\"c\",\"statementId\":%d,\"sql\":\"%s\",\"maxRowCount\":-1,\"maxRowsInFirstFrame\":100}"
        .formatted(statement, sql.replace("\\", "\\\\"));
  }

  /** Whether a thread of the server is at work on a request. */
  private static boolean busy() {
    return Thread.getAllStackTraces().values().stream()
        .anyMatch(stack ->
            java.util.Arrays.stream(stack)
                .anyMatch(frame ->
                    frame.getClassName().equals(ServedHandler.class.getName())
                        && frame.getMethodName().equals("answer")));
  }

  private static void awaitBusy(boolean wanted, long millis) throws InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    boolean busy = busy();
    while (busy != wanted && System.nanoTime() < end) {
      Thread.sleep(20);
      busy = busy();
    }
    assertEquals(wanted, busy, wanted ? "the query does not run" : "the query runs on");
  }

  @Test
  void aQueryEndsWhenItsClientHasGone() throws Exception {
    try (QueryServer server = QueryServer.start(options(null))) {
      int port = server.port();
      open(port);
      for (String sql : new String[] {LONG, LONG_ROW}) {
        int statement = statement(port);
        try (Socket gone = send(port, execute(statement, sql))) {
          awaitBusy(true, 10_000);
          Thread.sleep(500);
          assertTrue(busy(), sql);
        }
        awaitBusy(false, 3_000);
        assertTrue(
            ask(port, execute(statement, "select 1 + 1")).contains("missingStatement\":true"),
            "the statement is closed");
        assertTrue(ask(port, execute(statement(port), "select 1 + 1")).contains("\"rows\":[[2]]"));
      }
    }
  }

  @Test
  void aFetchEndsWhenItsClientHasGone() throws Exception {
    try (QueryServer server = QueryServer.start(options(null))) {
      int port = server.port();
      open(port);
      int statement = statement(port);
      // Rows come at once, but then none for hours.
      String rows =
          ask(
              port,
              execute(
                  statement,
                  "select l_orderkey from lineitem union all "
                      + LONG.replace("count(*)", "a.l_orderkey")));
      assertTrue(rows.contains("\"rows\""), rows);
      int known = rows.split("\\[").length; // about
      assertTrue(known > 100, rows);
      String fetch =
          "{\"request\":\"fetch\",\"connectionId\":\"c\",\"statementId\":%d,\"offset\":%d,\"fetchMaxRowCount\":60175}";
      assertTrue(ask(port, fetch.formatted(statement, 100)).contains("\"done\":false"));
      try (Socket gone = send(port, fetch.formatted(statement, 50_100))) {
        awaitBusy(true, 10_000);
      }
      awaitBusy(false, 3_000);
    }
  }

  @Test
  void aClientThatSendsTheNextRequestAtOnceGetsItsAnswer() throws Exception {
    try (QueryServer server = QueryServer.start(options(null))) {
      int port = server.port();
      open(port);
      String sql =
          "select count(*) from lineitem a, part b where a.l_quantity + b.p_retailprice < 1";
      try (Socket socket = send(port, execute(statement(port), sql))) {
        awaitBusy(true, 10_000);
        socket.getOutputStream().write("POST / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        assertTrue(answer(socket).contains("\"rows\":[[0]]"));
      }
    }
  }

  @Test
  void aClientsTimeLimitCountsUnlessItIsLonger() throws Exception {
    try (QueryServer server = QueryServer.start(options(Duration.ofMillis(1500)))) {
      assertTimesOut(server.clientUrl(), "300ms", "300");
      assertTimesOut(server.clientUrl(), "1h", "1.5");
    }
    try (QueryServer server = QueryServer.start(options(null))) {
      assertTimesOut(server.clientUrl(), "300ms", "300");
      Exception error =
          assertThrows(
              Exception.class,
              () -> DriverManager.getConnection(server.clientUrl(), limit("soon")).close());
      assertTrue(String.valueOf(error.getMessage()).contains("timeout"), error.getMessage());
    }
  }

  private static Properties limit(String timeout) {
    Properties properties = new Properties();
    properties.setProperty("timeout", timeout);
    return properties;
  }

  private static void assertTimesOut(String url, String timeout, String limit) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url, limit(timeout));
        Statement statement = connection.createStatement()) {
      for (String sql : new String[] {LONG, LONG_ROW}) {
        long start = System.nanoTime();
        SQLException error =
            assertThrows(
                SQLException.class,
                () -> {
                  try (ResultSet rows = statement.executeQuery(sql)) {
                    rows.next();
                  }
                });
        assertEquals(ErrorCode.TIMED_OUT.number(), error.getErrorCode(), error.getMessage());
        assertTrue(error.getMessage().contains(limit), error.getMessage());
        assertTrue(System.nanoTime() - start < 10_000_000_000L, "too late");
      }
    }
  }
}
