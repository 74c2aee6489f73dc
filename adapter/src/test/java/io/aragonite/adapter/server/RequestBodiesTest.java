package io.aragonite.adapter.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies that come slowly, or many at once: they hold no thread, and so much memory at most. */
@Timeout(120)
class RequestBodiesTest {
  private static final String URL = "jdbc:aragonite:tpch=0.01;threads=1;device=cpu";
  private static final Duration LONG = Duration.ofSeconds(60);

  /** More than there are threads. */
  private static final int MANY = 300;

  private static QueryServer start(Duration patience, long memory) throws SQLException {
    return QueryServer.start(ServerOptions.local(URL), patience, new RequestMemory(memory));
  }

  /** A request some of whose body has been sent. */
  private static Socket begun(QueryServer server, int length, int sent) throws IOException {
    Socket client = new Socket("127.0.0.1", server.port());
    client.setSoTimeout(30_000);
    String head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n".formatted(length);
    client.getOutputStream().write((head + "x".repeat(sent)).getBytes(US_ASCII));
    return client;
  }

  private static String status(Socket client) throws IOException {
    byte[] line = client.getInputStream().readNBytes("HTTP/1.1 200".length());
    return new String(line, US_ASCII).replace("HTTP/1.1 ", "");
  }

  private static void assertAlive(QueryServer server) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/health"))
            .timeout(Duration.ofSeconds(30))
            .build();
    HttpResponse<String> health =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertEquals(200, health.statusCode());
    try (Connection connection = DriverManager.getConnection(server.clientUrl());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from nation")) {
      assertTrue(rows.next());
      assertEquals(25, rows.getInt(1));
    }
  }

  @Test
  void manyUnfinishedBodiesHoldNoThread() throws Exception {
    List<Socket> clients = new ArrayList<>();
    try (QueryServer server = start(LONG, 64 << 20)) {
      for (int i = 0; i < MANY; i++) {
        clients.add(begun(server, 1000, i % 3 * 400));
      }
      assertAlive(server);
      Socket last = clients.getLast();
      last.getOutputStream().write("x".repeat(1000).getBytes(US_ASCII));
      assertEquals("400", status(last), "a body that has come is looked at");
      assertAlive(server);
    } finally {
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  @Test
  void aTrickleAfterMuchIsSlow() throws Exception {
    try (QueryServer server = start(Duration.ofSeconds(1), 64 << 20);
        Socket client = begun(server, 20_000_000, 200_000)) {
      int sent = 0;
      while (client.getInputStream().available() == 0 && sent < 1000) {
        client.getOutputStream().write('x');
        Thread.sleep(20);
        sent++;
      }
      assertTrue(sent < 1000, "never refused");
      assertEquals("408", status(client));
      assertAlive(server);
    }
  }

  @Test
  void bodiesHaveSoManyBytesAtOnce() throws Exception {
    try (QueryServer server = start(LONG, 1 << 20)) {
      try (Socket large = begun(server, 600_000, 0)) {
        assertEquals("413", status(large));
      }
      try (Socket first = begun(server, 400_000, 390_000)) {
        try (Socket second = begun(server, 400_000, 0)) {
          awaitRead(first);
          second.getOutputStream().write("x".repeat(300_000).getBytes(US_ASCII));
          assertEquals("429", status(second), "both are of nobody");
        }
        assertAlive(server);
        first.getOutputStream().write("x".repeat(10_000).getBytes(US_ASCII));
        assertEquals("400", status(first));
      }
      try (Socket again = begun(server, 400_000, 400_000)) {
        assertEquals("400", status(again), "memory has been given back");
      }
      assertAlive(server);
      String metrics = new String(ServerMetrics.text(), StandardCharsets.UTF_8);
      assertTrue(metrics.contains("reason=\"429\""), metrics);
    }
  }

  /** What was sent is on its way for a moment; nothing tells that the server has it. */
  private static void awaitRead(Socket client) throws Exception {
    client.getOutputStream().flush();
    Thread.sleep(500);
  }

  @Test
  void usersHaveHalfOfItEach() {
    RequestMemory memory = new RequestMemory(1000);
    try (RequestMemory.Share one = memory.share("one");
        RequestMemory.Share two = memory.share("two")) {
      one.add(500);
      assertEquals(429, refused(one));
      two.add(500);
      try (RequestMemory.Share three = memory.share("three")) {
        assertEquals(503, refused(three));
        two.close();
        two.close();
        three.add(500);
      }
    }
    memory.share("one").add(500);
  }

  private static int refused(RequestMemory.Share share) {
    try {
      share.add(1);
      return 0;
    } catch (org.eclipse.jetty.http.HttpException.RuntimeException e) {
      return e.getCode();
    }
  }

  @Test
  void requestsWaitForTheirTurnWithoutAThread() {
    RequestWorkers workers = new RequestWorkers(2);
    Queue<Runnable> later = new ArrayDeque<>();
    Executor executor = later::add;
    List<String> done = new ArrayList<>();
    workers.run(
        executor,
        () ->
            workers.run(
                executor,
                () -> {
                  workers.run(executor, () -> done.add("third"));
                  workers.run(executor, () -> done.add("fourth"));
                  assertEquals(List.of(), done);
                  done.add("second");
                }));
    assertEquals(List.of("second"), done);
    while (!later.isEmpty()) {
      later.remove().run();
    }
    assertEquals(List.of("second", "third", "fourth"), done);
    workers.run(executor, () -> done.add("fifth"));
    assertEquals("fifth", done.getLast());
  }
}
