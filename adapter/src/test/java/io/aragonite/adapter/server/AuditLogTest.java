package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the audit log has of Avatica's clients. */
@Timeout(60)
class AuditLogTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  private List<JsonNode> lines() throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : Files.readAllLines(folder.resolve("audit%g.log.0"))) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  private static Connection connect(QueryServer server, String password) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("avatica_user", "ann");
    properties.setProperty("avatica_password", password);
    return DriverManager.getConnection(server.clientUrl(), properties);
  }

  private static void work(Connection connection, Statement statement) throws SQLException {
    try (ResultSet rows =
        statement.executeQuery(
            "select n_name, r_name from nation join region on n_regionkey = r_regionkey")) {
      while (rows.next()) {
        // all rows are read
      }
    }
    assertThrows(
        SQLException.class,
        () -> statement.executeQuery("select 1 / (n_nationkey - 5) from nation"));
    assertThrows(
        SQLException.class,
        () -> statement.executeQuery("select * from 'https://ann:pw@host/x.csv?signature=abc'"));
    assertThrows(
        SQLException.class, () -> connection.prepareStatement("select nothing from nation"));
    statement.execute("create table t as select n_name from nation where n_nationkey < 3");
    try (PreparedStatement prepared =
        connection.prepareStatement("select count(*) from nation where n_nationkey > ?")) {
      prepared.setInt(1, 3);
      prepared.executeQuery().close();
    }
  }

  @Test
  void hasLoginsAndStatements() throws Exception {
    Path users = Files.writeString(folder.resolve("users"), "ann: a\n");
    try (AuditLog audit = AuditLog.open(folder.resolve("audit%g.log"));
        QueryServer server = QueryServer.start(options(users, audit));
        Connection connection = connect(server, "a");
        Statement statement = connection.createStatement()) {
      work(connection, statement);
      assertThrows(Exception.class, () -> connect(server, "wrong").createStatement());
    }
    List<JsonNode> lines = lines();
    assertEquals("login", lines.getFirst().get("event").asText());
    assertEquals("ann", lines.getFirst().get("user").asText());
    assertEquals("127.0.0.1", lines.getFirst().get("address").asText());
    assertEquals("avatica", lines.getFirst().get("protocol").asText());
    assertFalse(lines.getFirst().has("error"));
    JsonNode join = lines.get(1);
    assertEquals(25, join.get("rows").asLong());
    assertEquals("[\"tpch.nation\",\"tpch.region\"]", join.get("tables").toString());
    assertEquals(16, join.get("query").asText().length());
    assertTrue(join.get("sql").asText().startsWith("select n_name"));
    assertTrue(join.get("ms").isIntegralNumber());
    assertFalse(join.has("error"));
    assertEquals("AR-201", lines.get(2).get("error").asText());
    JsonNode url = lines.get(3);
    assertTrue(url.has("error"), url.toString());
    assertFalse(url.toString().contains("abc") || url.toString().contains("pw"), url.toString());
    assertEquals("AR-103", lines.get(4).get("error").asText());
    assertEquals(3, lines.get(5).get("rows").asLong());
    assertEquals("[\"tpch.nation\"]", lines.get(5).get("tables").toString());
    assertEquals(
        "select count(*) from nation where n_nationkey > ?", lines.get(6).get("sql").asText());
    assertEquals(1, lines.get(6).get("rows").asLong());
    assertEquals("login", lines.get(7).get("event").asText());
    assertEquals("AR-404", lines.get(7).get("error").asText());
    assertEquals(8, lines.size(), lines.toString());
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(
            Files.getPosixFilePermissions(folder.resolve("audit%g.log.0"))));
  }

  /**
   * Another thread prepares statements that are nested deeply; they are of their user all the same.
   */
  @Test
  void deepStatementsAreOfTheirUser() throws Exception {
    Path users = Files.writeString(folder.resolve("users"), "ann: a\n");
    String deep = "select current_user as who from region where 1 = 1" + " or 1 = 2".repeat(300);
    try (AuditLog audit = AuditLog.open(folder.resolve("audit%g.log"));
        QueryServer server = QueryServer.start(options(users, audit));
        Connection connection = connect(server, "a");
        Statement statement = connection.createStatement();
        PreparedStatement prepared = connection.prepareStatement(deep)) {
      for (ResultSet rows : List.of(statement.executeQuery(deep), prepared.executeQuery())) {
        assertTrue(rows.next());
        assertEquals("ann", rows.getString(1));
        rows.close();
      }
    }
    List<JsonNode> lines = lines();
    assertEquals(3, lines.size(), lines.toString());
    for (JsonNode line : lines) {
      assertEquals("ann", line.get("user").asText(), line.toString());
      assertEquals("avatica", line.get("protocol").asText(), line.toString());
    }
  }

  private static ServerOptions options(Path users, AuditLog audit) {
    return new ServerOptions(
            "jdbc:aragonite:tpch=0.01;device=cpu;threads=1",
            "127.0.0.1",
            0,
            false,
            Duration.ofMinutes(1),
            null,
            users,
            null,
            null)
        .withRules(new ServerRules(null, audit, Admission.unlimited()));
  }

  /** A name or a text makes no lines of its own, and no fields. */
  @Test
  void textIsOnlyText() throws Exception {
    try (AuditLog audit = AuditLog.open(folder.resolve("audit%g.log"))) {
      ClientIdentity client =
          new ClientIdentity("avatica", "x\"}\n{\"event\":\"login\",\"user\":\"root", "here");
      audit.notPrepared(
          client,
          "select '\u2028\n\r\u0000{0}'" + "x".repeat(100_000),
          new AragoniteException(ErrorCode.SYNTAX, "no"));
    }
    List<JsonNode> lines = lines();
    assertEquals(1, lines.size());
    assertTrue(lines.getFirst().get("user").asText().startsWith("x\"}\n{"));
    assertEquals((1 << 12) + 1, lines.getFirst().get("sql").asText().length());
  }

  /** Statements that are not prepared do not push the other lines out. */
  @Test
  void manyThatAreNotPreparedAreCounted() throws Exception {
    int many = 10_000;
    AragoniteException error = new AragoniteException(ErrorCode.SYNTAX, "no");
    ClientIdentity ann = new ClientIdentity("avatica", "ann", "here");
    try (AuditLog audit = AuditLog.open(folder.resolve("audit%g.log"))) {
      for (int i = 0; i < many; i++) {
        audit.notPrepared(ann, "selec", error);
      }
      audit.notPrepared(new ClientIdentity("avatica", "bob", "here"), "selec", error);
      Thread.sleep(1_100);
      audit.notPrepared(ann, "selec", error);
    }
    List<JsonNode> lines = lines();
    assertTrue(lines.size() < 100, () -> lines.size() + " lines");
    assertEquals("bob", lines.get(lines.size() - 2).get("user").asText());
    long counted = 0;
    for (JsonNode line : lines) {
      counted += 1 + line.path("notPreparedBefore").asLong();
    }
    assertEquals(many + 2, counted);
  }

  @Test
  void aFileThatCannotBeWrittenIsRefused() {
    AragoniteException error =
        assertThrows(
            AragoniteException.class, () -> AuditLog.open(folder.resolve("nowhere/audit.log")));
    assertEquals(ErrorCode.SERVER_REFUSED, error.code());
    assertTrue(String.valueOf(error.getMessage()).contains("nowhere"), error.getMessage());
  }

  @Test
  void onlyTheServersUserReadsAnyOfItsFiles() throws Exception {
    Path path = folder.resolve("private.log");
    try (AuditLog log = AuditLog.open(path, 1_000)) {
      for (int i = 0; i < 40; i++) {
        log.login(new ClientIdentity("avatica", "somebody", "127.0.0.1"), null);
      }
      try (Stream<Path> files = Files.list(folder)) {
        List<Path> all =
            files.filter(file -> file.getFileName().toString().startsWith("private")).toList();
        assertTrue(all.size() > 3, all.toString());
        for (Path file : all) {
          assertEquals(
              "rw-------",
              PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
              file.toString());
        }
      }
    }
  }
}
