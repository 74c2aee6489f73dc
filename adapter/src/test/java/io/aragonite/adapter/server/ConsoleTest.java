package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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
import java.util.Base64;
import java.util.List;
import java.util.Properties;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The console over HTTP: who sees and cancels what, and what other pages cannot do. */
@Timeout(120)
class ConsoleTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String ACCESS =
      """
      {"roles": {
         "clerk": {"grants": [
           {"schema": "files", "table": "people", "rows": "owner = CURRENT_USER"},
           {"schema": "files", "table": "depts"}]},
         "root": {"everything": true}},
       "users": {"ann": {"roles": ["clerk"]}, "bob": {"roles": ["clerk"]}, "root": {"roles": ["root"]}}}
      """;

  /** Takes hours. */
  private static final String LONG =
      "select count(*) from depts a, depts b, depts c, depts d, depts e, depts f"
          + " where a.n + b.n + c.n + d.n + e.n + f.n < -1";

  private static final String HOSTILE =
      "select '</script><img src=x onerror=alert(1)>' as \"<b>x</b>\"";

  @TempDir private static Path folder;
  private static QueryServer server;
  private static HttpClient http;

  @BeforeAll
  static void start() throws Exception {
    Path data = Files.createDirectory(folder.resolve("data"));
    StringBuilder depts = new StringBuilder("n,title\n");
    for (int i = 0; i < 1000; i++) {
      depts.append(i).append(",t").append(i).append('\n');
    }
    Files.writeString(data.resolve("depts.csv"), depts);
    Files.writeString(data.resolve("people.csv"), "id,owner\n1,ann\n2,bob\n3,cyd\n");
    Files.writeString(folder.resolve("users"), "ann: a\nbob: b\nroot: r\n");
    Files.writeString(folder.resolve("access.json"), ACCESS);
    server = QueryServer.start(options(Admission.unlimited()));
    http = HttpClient.newHttpClient();
  }

  private static ServerOptions options(Admission admission) {
    return new ServerOptions(
            "jdbc:aragonite:directory=%s;device=cpu;threads=2".formatted(folder.resolve("data")),
            "127.0.0.1",
            0,
            true,
            Duration.ofMinutes(5),
            null,
            folder.resolve("users"),
            null,
            null)
        .withRules(new ServerRules(folder.resolve("access.json"), AuditLog.off(), admission));
  }

  @AfterAll
  static void stop() throws SQLException {
    http.close();
    server.close();
  }

  private static Connection connect(QueryServer server, String user) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("avatica_user", user);
    properties.setProperty("avatica_password", user.substring(0, 1));
    return DriverManager.getConnection(server.clientUrl(), properties);
  }

  private static HttpRequest.Builder request(
      QueryServer server, @Nullable String user, String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    if (user != null && !user.isEmpty()) {
      String login = user + ":" + user.charAt(0);
      request.header(
          "Authorization",
          "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
    }
    return request;
  }

  private static HttpResponse<String> get(@Nullable String user, String path) throws Exception {
    return http.send(request(server, user, path).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static JsonNode json(QueryServer server, String user, String path) throws Exception {
    HttpResponse<String> answer =
        http.send(request(server, user, path).build(), HttpResponse.BodyHandlers.ofString());
    assertEquals(200, answer.statusCode(), path);
    assertEquals(
        "application/json;charset=utf-8", answer.headers().firstValue("Content-Type").orElse(""));
    return JSON.readTree(answer.body());
  }

  private static int cancel(QueryServer server, String user, String id, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        request(server, user, "/console/queries/" + id + "/cancel")
            .POST(HttpRequest.BodyPublishers.noBody());
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  /** The newest query that a user sees and that has something. */
  private static @Nullable JsonNode find(
      QueryServer server, String user, Predicate<JsonNode> wanted) throws Exception {
    return StreamSupport.stream(
            json(server, user, "/console/queries").get("queries").spliterator(), false)
        .filter(wanted)
        .findFirst()
        .orElse(null);
  }

  private static JsonNode await(QueryServer server, String user, Predicate<JsonNode> wanted)
      throws Exception {
    while (true) {
      JsonNode found = find(server, user, wanted);
      if (found != null) {
        return found;
      }
      Thread.sleep(20);
    }
  }

  private static Predicate<JsonNode> is(String sql, String state) {
    return query ->
        query.get("sql").asText().equals(sql) && query.get("state").asText().equals(state);
  }

  /** A statement that runs until it is cancelled. */
  private static final class Running implements AutoCloseable {
    private final Connection connection;
    private final Thread thread;
    private volatile @Nullable SQLException error;

    Running(QueryServer server, String user, String sql) throws SQLException {
      connection = connect(server, user);
      thread =
          Thread.ofPlatform()
              .start(() -> {
                try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                  boolean _ = rows.next();
                } catch (SQLException e) {
                  error = e;
                }
              });
    }

    String error() throws InterruptedException {
      thread.join();
      return String.valueOf(error == null ? null : error.getMessage());
    }

    @Override
    public void close() throws Exception {
      thread.join();
      connection.close();
    }
  }

  private static void read(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        // all of it
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/console",
    "/console/",
    "/console/console.js",
    "/console/console.css",
    "/console/queries",
    "/console/queries/1",
    "/console/devices",
    "/console/nothing"
  })
  void wantsALogin(String path) throws Exception {
    HttpResponse<String> answer = get(null, path);
    assertEquals(401, answer.statusCode());
    assertEquals("401 Unauthorized\n", answer.body());
  }

  @Test
  void pageHasNoCodeOfItsOwn() throws Exception {
    HttpResponse<String> page = get("ann", "/console");
    assertEquals(200, page.statusCode());
    String policy = page.headers().firstValue("Content-Security-Policy").orElse("");
    assertTrue(policy.startsWith("default-src 'none'; script-src 'self';"), policy);
    assertFalse(policy.contains("unsafe"), policy);
    assertEquals("nosniff", page.headers().firstValue("X-Content-Type-Options").orElse(""));
    assertEquals("no-store", page.headers().firstValue("Cache-Control").orElse(""));
    assertFalse(page.body().contains("style=") || page.body().contains("onclick"), page.body());
    assertTrue(page.body().contains("<script src=\"/console/console.js\" defer></script>"));
    HttpResponse<String> script = get("ann", "/console/console.js");
    assertEquals(200, script.statusCode());
    for (String dangerous :
        List.of(
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://")) {
      String own = script.body().replace("'http://www.w3.org/2000/svg'", "");
      assertFalse(own.contains(dangerous), dangerous);
    }
    assertEquals(200, get("ann", "/console/console.css").statusCode());
    assertEquals(405, get("ann", "/console/../console.js").statusCode()); // none of the console's
    assertEquals(404, get("ann", "/console/package-info.class").statusCode());
  }

  @Test
  void textIsOnlyText() throws Exception {
    try (Connection ann = connect(server, "ann");
        Statement statement = ann.createStatement()) {
      read(statement, HOSTILE);
      JsonNode query = await(server, "ann", is(HOSTILE, "done"));
      assertEquals(1, query.get("rows").asLong());
      assertEquals("avatica", query.get("protocol").asText());
      assertFalse(query.get("mayCancel").asBoolean());
      String wrong = "select * from \"<img src=x onerror=alert(1)>\"";
      assertThrows(SQLException.class, () -> read(statement, wrong));
      JsonNode failed = await(server, "ann", is(wrong, "failed"));
      assertEquals("AR-102", failed.get("code").asText());
      assertTrue(failed.get("error").asText().contains("<img src=x"), failed.toString());
      HttpResponse<String> answer = get("ann", "/console/queries");
      assertEquals("nosniff", answer.headers().firstValue("X-Content-Type-Options").orElse(""));
      String url = "select * from 'https://ann:pw@host/x.csv?signature=secret'";
      assertThrows(SQLException.class, () -> read(statement, url));
      String all = get("ann", "/console/queries").body();
      assertFalse(all.contains("secret") || all.contains("pw@"), all);
    }
  }

  @Test
  void longTextsAreCut() throws Exception {
    try (Connection ann = connect(server, "ann");
        Statement statement = ann.createStatement()) {
      String sql = "select 7 /* " + "y".repeat(70_000) + " */";
      read(statement, sql);
      JsonNode listed =
          await(server, "ann", query -> query.get("sql").asText().startsWith("select 7 /*"));
      assertEquals(501, listed.get("sql").asText().length());
      JsonNode one = json(server, "ann", "/console/queries/" + listed.get("id").asText());
      assertEquals(65_537, one.get("sql").asText().length());
    }
  }

  @Test
  void planIsThatOfExplain() throws Exception {
    String sql = "select count(*) from depts a join depts b on a.n = b.n where a.title like 't1%'";
    try (Connection root = connect(server, "root");
        Statement statement = root.createStatement()) {
      read(statement, sql);
      String id = await(server, "root", is(sql, "done")).get("id").asText();
      JsonNode query = json(server, "root", "/console/queries/" + id);
      JsonNode told = query.get("plan").get("plan");
      assertEquals(1, told.get("actualRows").asLong(), query.toString());
      assertTrue(told.findValue("candidates").size() > 2, query.toString());
      assertTrue(query.get("peakMemoryBytes").asLong() > 0, query.toString());
      assertEquals("cpu", query.get("device").asText());
      try (ResultSet rows = statement.executeQuery("explain analyze as json " + sql)) {
        assertTrue(rows.next());
        JsonNode explained = JSON.readTree(rows.getString(1)).get("plan");
        assertEquals(shape(explained), shape(told));
      }
    }
  }

  /** What two runs of a plan have alike. */
  private static String shape(JsonNode node) {
    List<String> inputs = new ArrayList<>();
    node.get("inputs").forEach(input -> inputs.add(shape(input)));
    return "%s %s %s %s %s"
        .formatted(
            node.get("node"),
            node.get("actualRows"),
            node.get("estimatedRows"),
            node.get("candidates"),
            inputs);
  }

  @Test
  void planOfASlowQueryIsKept() throws Exception {
    String sql =
        "select count(*) from depts a, depts b, depts c where a.n + b.n < c.n and a.n < 60";
    try (Connection root = connect(server, "root");
        Statement statement = root.createStatement()) {
      read(statement, sql);
    }
    JsonNode ended = await(server, "root", is(sql, "done"));
    assertTrue(ended.get("elapsedMillis").asLong() >= 100, ended.toString());
    JsonNode query = json(server, "root", "/console/queries/" + ended.get("id").asText());
    assertTrue(query.has("plan"), query.toString());
    assertTrue(query.get("plan").get("plan").get("actualRows").asLong() > 0, query.toString());
  }

  @Test
  void restrictedUsersSeeAndCancelTheirOwn() throws Exception {
    try (Running running = new Running(server, "ann", LONG)) {
      JsonNode query = await(server, "ann", is(LONG, "running"));
      String id = query.get("id").asText();
      assertTrue(query.get("mayCancel").asBoolean());
      assertEquals(id, await(server, "root", is(LONG, "running")).get("id").asText());
      JsonNode one = json(server, "root", "/console/queries/" + id);
      assertTrue(one.get("plan").get("plan").has("node"), one.toString());
      assertTrue(one.get("memoryBytes").asLong() >= 0 && one.has("progress"), one.toString());

      assertEquals(null, find(server, "bob", is(LONG, "running")));
      assertEquals(404, get("bob", "/console/queries/" + id).statusCode());
      assertEquals(404, cancel(server, "bob", id, "X-Aragonite-Console", "cancel"));
      assertEquals(403, get("bob", "/console/devices").statusCode());
      assertEquals(403, get("ann", "/console/devices").statusCode());
      JsonNode devices = json(server, "root", "/console/devices");
      assertTrue(devices.get("runningQueries").asInt() >= 1, devices.toString());
      assertTrue(devices.toString().contains("\"name\":\"cpu\""), devices.toString());
      long cached =
          devices.findValues("hostMemory").stream()
              .mapToLong(memory -> memory.get("cachedBytes").asLong())
              .sum();
      assertTrue(cached > 0, devices.toString());

      assertEquals("running", await(server, "ann", is(LONG, "running")).get("state").asText());
      assertEquals(200, cancel(server, "ann", id, "X-Aragonite-Console", "cancel"));
      assertTrue(running.error().contains("AR-" + ErrorCode.CANCELLED.number()), running.error());
      JsonNode ended = await(server, "ann", is(LONG, "cancelled"));
      assertEquals(id, ended.get("id").asText());
      assertEquals(409, cancel(server, "ann", id, "X-Aragonite-Console", "cancel"));
    }
  }

  @Test
  void whoSeesAllCancelsAll() throws Exception {
    try (Running running = new Running(server, "bob", LONG)) {
      String id = await(server, "bob", is(LONG, "running")).get("id").asText();
      assertEquals(200, cancel(server, "root", id, "X-Aragonite-Console", "cancel"));
      assertTrue(running.error().contains("AR-" + ErrorCode.CANCELLED.number()), running.error());
    }
  }

  @Test
  void otherPagesCancelNothing() throws Exception {
    try (Running running = new Running(server, "ann", LONG)) {
      String id = await(server, "ann", is(LONG, "running")).get("id").asText();
      String own = "http://127.0.0.1:" + server.port();
      assertEquals(403, cancel(server, "ann", id));
      assertEquals(403, cancel(server, "ann", id, "Origin", own));
      for (String origin :
          List.of("http://example.org", "null", "https" + own.substring(4), own + "1")) {
        assertEquals(
            403, cancel(server, "ann", id, "X-Aragonite-Console", "cancel", "Origin", origin));
      }
      assertEquals(
          403,
          cancel(
              server, "ann", id, "X-Aragonite-Console", "cancel", "Sec-Fetch-Site", "same-site"));
      HttpRequest get =
          request(server, "ann", "/console/queries/" + id + "/cancel")
              .header("X-Aragonite-Console", "cancel")
              .build();
      assertEquals(404, http.send(get, HttpResponse.BodyHandlers.discarding()).statusCode());
      HttpRequest preflight =
          request(server, null, "/console/queries/" + id + "/cancel")
              .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
              .header("Origin", "http://example.org")
              .build();
      assertEquals(401, http.send(preflight, HttpResponse.BodyHandlers.discarding()).statusCode());
      assertEquals("running", await(server, "ann", is(LONG, "running")).get("state").asText());
      assertEquals(
          200,
          cancel(
              server,
              "ann",
              id,
              "X-Aragonite-Console",
              "cancel",
              "Origin",
              own,
              "Sec-Fetch-Site",
              "same-origin"));
    }
  }

  /** Figures of a table are of all its rows. */
  @Test
  void hiddenRowsAreNotToldOf() throws Exception {
    String sql = "select count(*) from people where id > 0";
    try (Connection ann = connect(server, "ann");
        Statement statement = ann.createStatement()) {
      read(statement, sql);
      JsonNode query = await(server, "ann", is(sql, "done"));
      assertFalse(query.has("peakMemoryBytes") || query.has("device"), query.toString());
      String path = "/console/queries/" + query.get("id").asText();
      JsonNode own = json(server, "ann", path);
      assertFalse(own.has("plan") || own.has("peakMemoryBytes"), own.toString());
      assertTrue(own.get("noPlan").asText().contains("rows that you do not see"), own.toString());
      JsonNode all = json(server, "root", path);
      assertTrue(all.has("plan") && all.has("peakMemoryBytes"), all.toString());
      String seen = "select count(*) from depts where n > 5";
      read(statement, seen);
      String id = await(server, "ann", is(seen, "done")).get("id").asText();
      assertTrue(json(server, "ann", "/console/queries/" + id).has("plan"));
    }
  }

  @Test
  void queuesAndOpenResultsAreSeen() throws Exception {
    QueryServer narrow = QueryServer.start(options(new Admission(1, Duration.ofMinutes(1))));
    try (QueryServer _ = narrow;
        Running first = new Running(narrow, "ann", LONG)) {
      String one = await(narrow, "root", is(LONG, "running")).get("id").asText();
      String waits = "select n from depts";
      try (Connection bob = connect(narrow, "bob");
          Statement statement = bob.createStatement()) {
        Thread waiting =
            Thread.ofPlatform()
                .start(() -> {
                  try {
                    assertTrue(statement.executeQuery(waits).next());
                  } catch (SQLException e) {
                    throw new IllegalStateException(e);
                  }
                });
        String two = await(narrow, "root", is(waits, "waiting")).get("id").asText();
        assertEquals(two, await(narrow, "bob", is(waits, "waiting")).get("id").asText());
        JsonNode devices = json(narrow, "root", "/console/devices");
        assertEquals(1, devices.get("slots").asInt());
        assertEquals(1, devices.get("runningQueries").asInt());
        assertEquals(1, devices.get("waitingQueries").asInt());
        assertEquals(200, cancel(narrow, "root", one, "X-Aragonite-Console", "cancel"));
        waiting.join();
        JsonNode open = await(narrow, "bob", is(waits, "fetching"));
        assertEquals(1000, open.get("rows").asLong());
        assertEquals(two, open.get("id").asText());
      }
      assertEquals(two(narrow, waits), "done");
      assertTrue(first.error().contains("AR-" + ErrorCode.CANCELLED.number()), first.error());
    }
  }

  private static String two(QueryServer narrow, String sql) throws Exception {
    return await(narrow, "bob", is(sql, "done")).get("state").asText();
  }

  /** What a query has spilled is what its nodes have. */
  @Test
  void spilledBytesAreThoseOfTheNodes() throws Exception {
    String sql =
        "select l_comment, l_partkey, l_suppkey from lineitem order by l_comment, l_orderkey";
    try (QueryServer tight =
            QueryServer.start(
                ServerOptions.local("jdbc:aragonite:tpch=0.1;device=cpu;threads=1;memory=40MB"));
        Connection connection = DriverManager.getConnection(tight.clientUrl());
        Statement statement = connection.createStatement()) {
      assertTrue(statement.executeQuery(sql).next());
      JsonNode query = await(tight, "", is(sql, "fetching"));
      JsonNode one = json(tight, "", "/console/queries/" + query.get("id").asText());
      long ofNodes =
          one.get("plan").findValues("spilled to disk, bytes").stream()
              .mapToLong(JsonNode::asLong)
              .sum();
      assertTrue(ofNodes > 1 << 20, one.toString());
      assertEquals(ofNodes, one.get("spilledBytes").asLong());
      assertTrue(one.get("memoryBytes").asLong() > 0, one.toString());
      JsonNode devices = json(tight, "", "/console/devices");
      JsonNode engine = null;
      for (JsonNode candidate : devices.get("engines")) {
        engine =
            candidate.get("hostMemory").get("limitBytes").asLong() == 40 << 20 ? candidate : engine;
      }
      assertTrue(engine != null && engine.get("spilledBytes").asLong() > 0, devices.toString());
      JsonNode memory = engine.get("hostMemory");
      assertEquals(40 << 20, memory.get("usedBytes").asLong() + memory.get("freeBytes").asLong());
    }
  }

  /** A page whose name has come to stand for this machine reads nothing. */
  @Test
  void foreignNamesAreRefusedWithoutALogin() throws Exception {
    try (QueryServer open =
        QueryServer.start(ServerOptions.local("jdbc:aragonite:tpch=0.01;device=cpu;threads=1"))) {
      assertTrue(status(open, "evil.example.org").startsWith("HTTP/1.1 421"));
      assertTrue(status(open, "127.0.0.1.evil.example.org").startsWith("HTTP/1.1 421"));
      assertTrue(status(open, "localhost").startsWith("HTTP/1.1 200"));
      assertTrue(status(open, "127.0.0.1:" + open.port()).startsWith("HTTP/1.1 200"));
      assertTrue(status(open, "[::1]:" + open.port()).startsWith("HTTP/1.1 200"));
    }
  }

  private static String status(QueryServer server, String host) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket
          .getOutputStream()
          .write(
              "GET /console/queries HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                  .formatted(host)
                  .getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
