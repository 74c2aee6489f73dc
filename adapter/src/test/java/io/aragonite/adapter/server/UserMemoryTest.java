package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.util.Base64;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a user's limit of memory does not hold goes to files; where that does not help, an error.
 */
@Timeout(120)
class UserMemoryTest {
  private static final long LIMIT = 6 << 20;

  private static final String SORT =
      "select l_comment, l_partkey, l_suppkey, l_orderkey from lineitem"
          + " order by l_comment, l_orderkey, l_linenumber";

  /** All rows of a group are in memory together. */
  private static final String TEXT = "select length(string_agg(l_comment, ',')) from lineitem";

  @TempDir private Path folder;
  private QueryServer server;

  @BeforeEach
  void start() throws Exception {
    Files.writeString(folder.resolve("users"), "ann: a\nbob: b\n");
    Path access =
        Files.writeString(
            folder.resolve("access.json"),
            """
            {"roles": {"all": {"grants": [{"schema": "tpch"}]}},
             "users": {"ann": {"roles": ["all"], "limits": {"memory": "6MB"}}, "bob": {"roles": ["all"]}}}
            """);
    server =
        QueryServer.start(
            new ServerOptions(
                    "jdbc:aragonite:tpch=0.1;device=cpu;threads=1;memory=400MB",
                    "127.0.0.1",
                    0,
                    false,
                    Duration.ofMinutes(2),
                    null,
                    folder.resolve("users"),
                    null,
                    null)
                .withRules(new ServerRules(access, AuditLog.off(), Admission.unlimited())));
  }

  @AfterEach
  void stop() throws SQLException {
    server.close();
  }

  private Connection connect(String user) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("avatica_user", user);
    properties.setProperty("avatica_password", user.substring(0, 1));
    return DriverManager.getConnection(server.clientUrl(), properties);
  }

  private static String first(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next());
      return rows.getString(1);
    }
  }

  /** What the console tells of the query that a user ran last. */
  private JsonNode lastOf(String user) throws Exception {
    String login =
        Base64.getEncoder()
            .encodeToString((user + ":" + user.charAt(0)).getBytes(StandardCharsets.UTF_8));
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(
                      URI.create("http://127.0.0.1:%d/console/queries".formatted(server.port())))
                  .header("Authorization", "Basic " + login)
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      return new ObjectMapper().readTree(answer.body()).get("queries").get(0);
    }
  }

  @Test
  void whatItDoesNotHoldGoesToFiles() throws Exception {
    try (Connection ann = connect("ann");
        Connection bob = connect("bob")) {
      String wanted = first(bob, SORT);
      JsonNode free = lastOf("bob");
      assertEquals(0, free.get("spilledBytes").asLong(), free.toString());
      assertTrue(free.get("peakMemoryBytes").asLong() > LIMIT, free.toString());
      assertEquals(wanted, first(ann, SORT));
      JsonNode limited = lastOf("ann");
      assertTrue(limited.get("spilledBytes").asLong() > 0, limited.toString());
      assertTrue(limited.get("peakMemoryBytes").asLong() <= LIMIT, limited.toString());
    }
  }

  @Test
  void whatFilesDoNotHelpIsAnError() throws Exception {
    try (Connection ann = connect("ann");
        Connection bob = connect("bob")) {
      assertTrue(Long.parseLong(first(bob, TEXT)) > LIMIT);
      String error = String.valueOf(assertThrows(Exception.class, () -> first(ann, TEXT)));
      assertTrue(error.contains("AR-601") && error.contains("its own limit"), error);
      assertEquals("25", first(ann, "select count(*) from nation"));
    }
  }
}
