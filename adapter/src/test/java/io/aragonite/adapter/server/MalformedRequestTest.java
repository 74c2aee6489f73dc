package io.aragonite.adapter.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.remote.ProtobufTranslationImpl;
import org.apache.calcite.avatica.remote.Service;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Requests that are none: the answer is short and says nothing of the server's code, and the server
 * goes on.
 */
@Timeout(120)
class MalformedRequestTest {
  private static final String URL = "jdbc:aragonite:tpch=0.01;threads=1;device=cpu";
  private static final long SEED = Long.getLong("aragonite.seed", 20261123);
  private static final int ROUNDS = Integer.getInteger("aragonite.fuzz.requests", 400);

  /** A line of a stack trace, a class, a package of the server's, or a path. */
  private static final Pattern TRACE =
      Pattern.compile(
          "\\bat"
              + " [a-z]+\\.|\\.java\\b|Exception|\\b(java|javax|org|com|io)\\.[a-z]+\\.|jetty|/home/|/work/|/root/|/tmp/",
          Pattern.CASE_INSENSITIVE);

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static ServerOptions options(boolean json) {
    return new ServerOptions(URL, "127.0.0.1", 0, json, null, null, null, null, null);
  }

  private static HttpResponse<byte[]> post(int port, byte[] body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    return CLIENT.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  private static void assertShort(HttpResponse<byte[]> answer, String what) {
    String text = new String(answer.body(), StandardCharsets.ISO_8859_1);
    if (answer.statusCode() == 200) {
      return;
    }
    assertTrue(text.length() < 2_000, () -> what + " -> " + text);
    assertFalse(
        TRACE
            .matcher(
                text.replace("\"exceptions\":[]", "")
                    .replaceAll(
                        "org\\.apache\\.calcite\\.avatica\\.proto\\.[A-Za-z]+\\$[A-Za-z]+", ""))
            .find(),
        () -> "%s -> %d %s".formatted(what, answer.statusCode(), text));
  }

  /** A line of a header now and then, of the first request and of one behind it. */
  @Test
  void slowHeadersEndTheirConnection() throws Exception {
    try (QueryServer server =
        QueryServer.start(
            ServerOptions.local("jdbc:aragonite:tpch=0.01;device=cpu;threads=1"),
            Duration.ofSeconds(3),
            RequestMemory.ofHeap())) {
      for (String before : List.of("", "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
        try (Socket client = new Socket("127.0.0.1", server.port())) {
          client.setSoTimeout(200);
          client.getOutputStream().write((before + "GET /health HTTP/1.1\r\n").getBytes(US_ASCII));
          int sent = 0;
          while (!ended(client) && sent < 300) {
            client.getOutputStream().write(("X-%d: y\r\n".formatted(sent++)).getBytes(US_ASCII));
          }
          assertTrue(sent > 5 && sent < 300, sent + " lines");
        } catch (SocketException e) {
          // it has been ended while a line was being sent
        }
      }
      assertAlive(server);
      String metrics = new String(ServerMetrics.text(), StandardCharsets.UTF_8);
      assertTrue(metrics.contains("slow-header"), metrics);
    }
  }

  /** Reads for a moment: whether the server has closed the connection. */
  private static boolean ended(Socket client) throws IOException {
    try {
      return client.getInputStream().read(new byte[4096]) < 0;
    } catch (SocketTimeoutException e) {
      return false;
    }
  }

  private static void assertAlive(QueryServer server) throws Exception {
    try (Connection connection = DriverManager.getConnection(server.clientUrl());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from nation")) {
      assertTrue(rows.next());
      assertEquals(25, rows.getInt(1));
    }
  }

  private static List<String> jsonRequests() {
    return List.of(
        "{\"request\":\"openConnection\",\"connectionId\":\"c\",\"info\":{}}",
        "{\"request\":\"createStatement\",\"connectionId\":\"c\"}",
        "{\"request\":\"prepareAndExecute\",\"connectionId\":\"c\",\"statementId\":1,\"sql\":\"select"
            + " 1\",\"maxRowCount\":-1,\"maxRowsInFirstFrame\":10}",
        "{\"request\":\"prepare\",\"connectionId\":\"c\",\"sql\":\"select n_name from nation where"
            + " n_nationkey = ?\",\"maxRowCount\":10}",
        "{\"request\":\"execute\",\"statementHandle\":{\"connectionId\":\"c\",\"id\":1,\"signature\":null},\"parameterValues\":[{\"type\":\"INTEGER\",\"value\":3}],\"maxRowCount\":10}",
        "{\"request\":\"fetch\",\"connectionId\":\"c\",\"statementId\":1,\"offset\":0,\"fetchMaxRowCount\":10}",
        "{\"request\":\"getTables\",\"connectionId\":\"c\",\"catalog\":null,\"schemaPattern\":\"%\",\"tableNamePattern\":\"%\",\"typeList\":[]}",
        "{\"request\":\"connectionSync\",\"connectionId\":\"c\",\"connProps\":{\"connProps\":\"connPropsImpl\",\"autoCommit\":true,\"dirty\":true}}",
        "{\"request\":\"closeStatement\",\"connectionId\":\"c\",\"statementId\":1}",
        "{\"request\":\"syncResults\",\"connectionId\":\"c\",\"statementId\":1,\"state\":{\"type\":\"SQL\",\"sql\":\"select"
            + " 1\"},\"offset\":0}");
  }

  private static final String[] VALUES = {
    "null",
    "-1",
    "1e999",
    "99999999999999999999",
    "\"x\"",
    "true",
    "[]",
    "{}",
    "[[[[]]]]",
    "\"\\u0000\"",
    "{\"type\":\"java.lang.Runtime\"}",
    "\"../../etc/passwd\"",
    "2147483647"
  };

  private static String mutated(Random random, String request) {
    String text = request;
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      switch (random.nextInt(5)) {
        case 0 -> { // another value
          List<int[]> places = new ArrayList<>();
          var values =
              Pattern.compile(":(\"[^\"]*\"|-?[0-9]+|null|true|\\{\\}|\\[\\])").matcher(text);
          while (values.find()) {
            places.add(new int[] {values.start(1), values.end(1)});
          }
          if (!places.isEmpty()) {
            int[] place = places.get(random.nextInt(places.size()));
            text =
                text.substring(0, place[0])
                    + VALUES[random.nextInt(VALUES.length)]
                    + text.substring(place[1]);
          }
        }
        case 1 -> text = text.substring(0, random.nextInt(text.length() + 1));
        case 2 ->
            text = text.replaceFirst("\"[a-zA-Z]+\":", "\"nobody" + random.nextInt(9) + "\":");
        case 3 -> {
          int at = random.nextInt(text.length() + 1);
          text = text.substring(0, at) + (char) random.nextInt(300) + text.substring(at);
        }
        default -> text = text.replace("\"c\"", "\"c" + random.nextInt(3) + "\"");
      }
      if (text.isEmpty()) {
        return text;
      }
    }
    return text;
  }

  @Test
  void jsonThatIsNoRequest() throws Exception {
    System.out.println("MalformedRequestTest: to repeat, run with -Daragonite.seed=" + SEED);
    Random random = new Random(SEED);
    try (QueryServer server = QueryServer.start(options(true))) {
      int port = server.port();
      List<String> requests = jsonRequests();
      for (String request : requests) {
        assertShort(post(port, request.getBytes(StandardCharsets.UTF_8)), request);
      }
      for (int i = 0; i < ROUNDS; i++) {
        String text = mutated(random, requests.get(random.nextInt(requests.size())));
        assertShort(post(port, text.getBytes(StandardCharsets.UTF_8)), text);
      }
      for (String text :
          new String[] {
            "",
            "null",
            "{}",
            "[",
            "{\"request\":\"nothing\"}",
            "[".repeat(1 << 20),
            "{\"a\":".repeat(1 << 18),
            "\"" + "x".repeat(30 << 20) + "\"",
            "{\"request\":\"fetch\",\"connectionId\":\"nobody\",\"statementId\":7}",
          }) {
        HttpResponse<byte[]> answer = post(port, text.getBytes(StandardCharsets.UTF_8));
        assertTrue(answer.statusCode() >= 400, text.length() > 99 ? text.substring(0, 99) : text);
        assertShort(answer, text.length() > 99 ? text.substring(0, 99) : text);
      }
      assertAlive(server);
    }
  }

  @Test
  void protobufThatIsNoRequest() throws Exception {
    System.out.println("MalformedRequestTest: to repeat, run with -Daragonite.seed=" + SEED);
    Random random = new Random(SEED);
    ProtobufTranslationImpl translation = new ProtobufTranslationImpl();
    List<byte[]> requests = new ArrayList<>();
    for (Service.Request request :
        List.of(
            new Service.OpenConnectionRequest("c", Map.of()),
            new Service.CreateStatementRequest("c"),
            new Service.PrepareAndExecuteRequest("c", 1, "select 1", 10L),
            new Service.PrepareRequest("c", "select n_name from nation where n_nationkey = ?", 10L),
            new Service.FetchRequest("c", 1, 0, 10),
            new Service.ExecuteRequest(new Meta.StatementHandle("c", 1, null), List.of(), 10),
            new Service.CloseStatementRequest("c", 1))) {
      requests.add(translation.serializeRequest(request));
    }
    try (QueryServer server = QueryServer.start(options(false))) {
      for (int i = 0; i < ROUNDS; i++) {
        byte[] body = requests.get(random.nextInt(requests.size())).clone();
        if (random.nextInt(4) == 0) {
          body = new byte[random.nextInt(200)];
          random.nextBytes(body);
        }
        for (int k = random.nextInt(4); k > 0 && body.length > 0; k--) {
          body[random.nextInt(body.length)] = (byte) random.nextInt(256);
        }
        body =
            java.util.Arrays.copyOf(
                body, body.length - (body.length == 0 ? 0 : random.nextInt(3) / 2));
        assertShort(post(server.port(), body), "request " + i + " of seed " + SEED);
      }
      assertAlive(server);
    }
  }

  @Test
  void whatIsNoHttp() throws Exception {
    System.out.println("MalformedRequestTest: to repeat, run with -Daragonite.seed=" + SEED);
    Random random = new Random(SEED);
    List<byte[]> requests = new ArrayList<>();
    for (String text :
        new String[] {
          "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
          "PUT /../../x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
          "TRACE / HTTP/1.1\r\nHost: x\r\n\r\n",
          "BREW / HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET / HTTP/9.9\r\n\r\n",
          "POST / HTTP/1.1\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999999999999999\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
          "POST / HTTP/1.1\r\nHost: x\r\nX: " + "y".repeat(100_000) + "\r\n\r\n",
          "\r\n\r\n\r\n",
        }) {
      requests.add(text.getBytes(StandardCharsets.US_ASCII));
    }
    for (int i = 0; i < 30; i++) {
      byte[] bytes = new byte[1 + random.nextInt(300)];
      random.nextBytes(bytes);
      requests.add(bytes);
    }
    try (QueryServer server = QueryServer.start(options(false))) {
      for (byte[] request : requests) {
        String answer = raw(server.port(), request);
        assertFalse(
            TRACE.matcher(answer).find(),
            () -> new String(request, StandardCharsets.ISO_8859_1) + " -> " + answer);
        assertTrue(answer.length() < 2_000, answer);
        assertFalse(answer.startsWith("HTTP/1.1 200"), answer);
        if (new String(request, StandardCharsets.ISO_8859_1).contains("Length: 99999999999\r")) {
          assertTrue(answer.startsWith("HTTP/1.1 413"), answer);
        }
      }
      assertAlive(server);
    }
  }

  /** A body that comes byte by byte, one that stops, and a connection that says nothing. */
  @Test
  void whatIsSlowIsRefused() throws Exception {
    String head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n";
    try (QueryServer server =
        QueryServer.start(options(false), Duration.ofMillis(250), RequestMemory.ofHeap())) {
      for (int bytes : new int[] {100, 1, 0}) {
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
          socket.setSoTimeout(10_000);
          OutputStream out = socket.getOutputStream();
          if (bytes > 0) {
            out.write(head.getBytes(StandardCharsets.US_ASCII));
          }
          InputStream in = socket.getInputStream();
          for (int i = 0; i < bytes && in.available() == 0; i++) {
            out.write('x');
            Thread.sleep(10);
          }
          String answer = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
          String wanted = bytes > 0 ? "HTTP/1.1 408" : "";
          assertTrue(answer.startsWith(wanted) && answer.isEmpty() == wanted.isEmpty(), answer);
        }
      }
      assertAlive(server);
    }
  }

  private static String raw(int port, byte[] request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(500);
      OutputStream out = socket.getOutputStream();
      out.write(request);
      out.flush();
      socket.shutdownOutput();
      StringBuilder answer = new StringBuilder();
      try {
        for (int b = socket.getInputStream().read(); b >= 0; b = socket.getInputStream().read()) {
          answer.append((char) b);
        }
      } catch (SocketTimeoutException | java.net.SocketException e) {
        return answer.toString(); // what there is
      }
      return answer.toString();
    }
  }
}
