package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
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
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who comes with a token, through Avatica and to the console. */
@Timeout(120)
class TokenLoginTest {
  private static final String ACCESS =
      """
      {"roles": {
         "clerk": {"grants": [
           {"schema": "files", "table": "people", "rows": "owner = CURRENT_USER"}]},
         "reader": {"grants": [{"schema": "files", "table": "depts"}]},
         "ids": {"grants": [{"schema": "files", "table": "people", "columns": ["id"], "rows": "id < 3"}]},
         "root": {"everything": true}},
       "users": {"ann": {"roles": ["clerk"]}, "pat": {"roles": ["reader"]}}}
      """;

  @TempDir private static Path folder;
  private static TokenIssuer issuer;
  private static AuditLog audit;
  private static QueryServer server;

  @BeforeAll
  static void start() throws Exception {
    issuer = new TokenIssuer("one");
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.writeString(data.resolve("people.csv"), "id,owner\n1,ann\n2,bob\n3,ann\n");
    Files.writeString(data.resolve("depts.csv"), "dept\n0\n1\n");
    Files.writeString(folder.resolve("users"), "pat: pw\n");
    Files.writeString(folder.resolve("access.json"), ACCESS);
    Files.writeString(folder.resolve("keys.json"), issuer.keys());
    audit = AuditLog.open(folder.resolve("audit"));
    server = QueryServer.start(options(folder.resolve("users"), folder.resolve("access.json")));
  }

  private static ServerOptions options(Path users, Path access) {
    return new ServerOptions(
            "jdbc:aragonite:directory=%s;device=cpu;threads=2".formatted(folder.resolve("data")),
            "127.0.0.1",
            0,
            false,
            Duration.ofMinutes(1),
            null,
            users,
            null,
            null)
        .withRules(
            new ServerRules(
                access,
                audit,
                Admission.unlimited(),
                new BearerTokens(issuer.options(folder.resolve("keys.json").toString()))));
  }

  @AfterAll
  static void stop() throws SQLException {
    server.close();
    audit.close();
  }

  private static String url(QueryServer server) {
    return server.clientUrl().replaceFirst(";authentication=.*", "");
  }

  private static Connection connect(String token) throws SQLException {
    return connect(server, token);
  }

  private static Connection connect(QueryServer server, String token) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("authentication", "BEARER");
    properties.setProperty("avatica_user", "anybody");
    properties.setProperty("bearer_token", token);
    return DriverManager.getConnection(url(server), properties);
  }

  private static Connection login(String user, String password) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("authentication", "BASIC");
    properties.setProperty("avatica_user", user);
    properties.setProperty("avatica_password", password);
    return DriverManager.getConnection(url(server), properties);
  }

  private static String withRoles(String user, String... roles) throws Exception {
    return issuer.token(
        user, claims -> claims.claim("realm_access", Map.of("roles", List.of(roles))));
  }

  private static long count(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next());
      return rows.getLong(1);
    }
  }

  private static HttpResponse<String> get(String path, String authorization) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
              .header("Authorization", authorization)
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void rightsAreThoseOfTheUserAndOfTheRoles() throws Exception {
    String people = "select count(*) from people";
    String depts = "select count(*) from depts";
    try (Connection connection = connect(issuer.token("ann"))) {
      assertEquals(2, count(connection, people));
      assertThrows(SQLException.class, () -> count(connection, depts));
    }
    try (Connection connection = connect(withRoles("ann", "reader", "unknown"))) {
      assertEquals(2, count(connection, people));
      assertEquals(2, count(connection, depts));
    }
    try (Connection connection = connect(withRoles("bob", "clerk"))) {
      assertEquals(1, count(connection, people));
    }
    try (Connection connection = login("token", withRoles("zoe", "root"))) {
      assertEquals(3, count(connection, people));
    }
    try (Connection connection = login("pat", "pw")) {
      assertEquals(2, count(connection, depts));
    }
    for (String token : List.of(issuer.token("zoe"), withRoles("zoe", "none"))) {
      Exception error = assertThrows(Exception.class, () -> connect(token).close());
      assertTrue(String.valueOf(error.getMessage()).contains("AR-408"), error.getMessage());
    }
    Exception error =
        assertThrows(Exception.class, () -> connect(withRoles("bob", "clerk", "ids")).close());
    assertTrue(String.valueOf(error.getMessage()).contains("add up"), error.getMessage());
    assertFalse(error.getMessage().contains("access.json"), error.getMessage());
  }

  @Test
  void aPasswordMayBeAToken() throws Exception {
    String token = issuer.token("ann");
    for (String name : List.of("ann", "token")) {
      try (Connection connection = login(name, token)) {
        assertEquals(2, count(connection, "select count(*) from people"));
      }
    }
    Exception error = assertThrows(Exception.class, () -> login("pat", token).close());
    assertTrue(String.valueOf(error.getMessage()).contains("401"), error.getMessage());
  }

  @Test
  void pagesTakeTokens() throws Exception {
    String root = withRoles("zoe", "root");
    for (String path : List.of("/console", "/console/queries", "/metrics")) {
      assertEquals(200, get(path, "Bearer " + root).statusCode(), path);
      HttpResponse<String> refused = get(path, "Bearer " + root + "x");
      assertEquals(401, refused.statusCode(), path);
      List<String> challenges = refused.headers().allValues("WWW-Authenticate");
      assertTrue(challenges.getFirst().contains("error=\"invalid_token\""), challenges::toString);
      assertTrue(challenges.getLast().startsWith("Basic "), challenges::toString);
    }
    String basic =
        Base64.getEncoder().encodeToString(("zoe:" + root).getBytes(StandardCharsets.UTF_8));
    assertEquals(200, get("/console", "Basic " + basic).statusCode());
    assertEquals(403, get("/metrics", "Bearer " + issuer.token("ann")).statusCode());
    assertEquals(200, get("/console/queries", "Bearer " + issuer.token("ann")).statusCode());
  }

  @Test
  void refusedTokensAreToldWithoutTheirText() throws Exception {
    Thread.sleep(1_100); // one a second is told
    String expired =
        issuer.token(
            "ann", claims -> claims.expirationTime(Date.from(Instant.now().minusSeconds(90))));
    String before = get("/metrics", "Bearer " + withRoles("zoe", "root")).body();
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    PrintStream err = System.err;
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      assertEquals(401, get("/console", "Bearer " + expired).statusCode());
      assertEquals(431, get("/console", "Bearer ey" + "A".repeat(1 << 17)).statusCode());
      assertEquals(401, get("/console", "Bearer ey" + "A".repeat(1 << 15)).statusCode());
      Exception error = assertThrows(Exception.class, () -> connect(expired).close());
      assertTrue(String.valueOf(error.getMessage()).contains("401"), error.getMessage());
    } finally {
      System.setErr(err);
    }
    String told = log.toString(StandardCharsets.UTF_8);
    assertTrue(told.contains("a login of 'ann' from 127.0.0.1 was refused"), told);
    assertTrue(told.contains("expired"), told);
    String lines = Files.readString(folder.resolve("audit.0"));
    assertTrue(lines.contains("\"reason\":\"The token has expired; get a new one.\""), lines);
    for (String text : List.of(told, lines)) {
      for (String part : expired.split("[.]", -1)) {
        assertFalse(text.contains(part), text);
      }
      assertFalse(text.contains("AAAAAAAA"), text);
    }
    String after = get("/metrics", "Bearer " + withRoles("zoe", "root")).body();
    assertTrue(refusals(after) - refusals(before) >= 3, after);
  }

  private static double refusals(String metrics) {
    String name = "aragonite_requests_refused_total{protocol=\"avatica\",reason=\"token\"} ";
    return metrics
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  @Test
  void noRequestOutlivesItsToken() throws Exception {
    // Good for three seconds more, since clocks may differ by a minute.
    String token =
        issuer.token(
            "ann", claims -> claims.expirationTime(Date.from(Instant.now().minusSeconds(57))));
    Connection connection = connect(token);
    assertEquals(2, count(connection, "select count(*) from people"));
    Thread.sleep(4_000);
    Exception error =
        assertThrows(Exception.class, () -> count(connection, "select count(*) from people"));
    assertTrue(String.valueOf(error.getMessage()).contains("401"), error.getMessage());
    try (Connection again = connect(issuer.token("ann"))) {
      assertEquals(2, count(again, "select count(*) from people"));
    }
  }

  @Test
  void tokensAloneAreALogin() throws Exception {
    try (QueryServer alone = QueryServer.start(options(null, folder.resolve("access.json")));
        Connection connection = connect(alone, issuer.token("ann"))) {
      assertEquals(2, count(connection, "select count(*) from people"));
      assertTrue(alone.clientUrl().endsWith(";authentication=BEARER"), alone.clientUrl());
      Exception nobody =
          assertThrows(Exception.class, () -> DriverManager.getConnection(url(alone)).close());
      assertTrue(String.valueOf(nobody.getMessage()).contains("401"), nobody.getMessage());
    }
    ServerOptions open =
        new ServerOptions(
                "jdbc:aragonite:device=cpu", "0.0.0.0", 0, false, null, null, null, null, null)
            .withRules(options(null, null).rules());
    AragoniteException error =
        assertThrows(AragoniteException.class, () -> QueryServer.start(open));
    assertTrue(error.getMessage().contains("--keystore"), error.getMessage());
  }
}
