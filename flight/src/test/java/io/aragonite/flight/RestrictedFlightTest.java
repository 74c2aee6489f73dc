package io.aragonite.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.server.Admission;
import io.aragonite.adapter.server.AuditLog;
import io.aragonite.adapter.server.ServerOptions;
import io.aragonite.adapter.server.ServerRules;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody with few rights would try, through Arrow Flight SQL. */
@Timeout(120)
class RestrictedFlightTest {
  private static final String ACCESS =
      """
      {"roles": {
         "clerk": {"grants": [
           {"schema": "files", "table": "people", "columns": ["id", "name", "dept"],
            "rows": "owner = CURRENT_USER"},
           {"schema": "files", "table": "depts"}]},
         "root": {"everything": true}},
       "users": {"ann": {"roles": ["clerk"]}, "root": {"roles": ["root"]}}}
      """;

  @TempDir private static Path folder;
  private static FlightSqlServer server;

  @BeforeAll
  static void start() throws Exception {
    Path data = Files.createDirectory(folder.resolve("data"));
    StringBuilder people = new StringBuilder("id,name,dept,salary,owner\n");
    for (int i = 0; i < 300; i++) {
      people.append("%d,n%d,%d,%d,%s\n".formatted(i, i, i % 3, i, i % 10 == 0 ? "ann" : "cyd"));
    }
    people.append("1000,secret,0,0,cyd\n");
    Files.writeString(data.resolve("people.csv"), people);
    Files.writeString(data.resolve("depts.csv"), "dept,title\n0,zero\n1,one\n2,two\n");
    Files.writeString(data.resolve("payroll.csv"), "who,amount\nx,1\n");
    Files.writeString(folder.resolve("users"), "ann: a\nroot: r\nnobody: n\n");
    Files.writeString(folder.resolve("access.json"), ACCESS);
    server = FlightSqlServer.start(options("access.json"));
  }

  private static ServerOptions options(String access) {
    return new ServerOptions(
            "jdbc:aragonite:directory=%s;device=cpu;threads=2;fileAccess=all"
                .formatted(folder.resolve("data")),
            "127.0.0.1",
            0,
            false,
            Duration.ofMinutes(1),
            null,
            folder.resolve("users"),
            null,
            null)
        .withRules(new ServerRules(folder.resolve(access), AuditLog.off(), Admission.unlimited()));
  }

  @AfterAll
  static void stop() throws SQLException {
    server.close();
  }

  private static Connection connect(FlightSqlServer server, String user) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", user.substring(0, 1));
    return DriverManager.getConnection(server.clientUrl(), properties);
  }

  private static List<String> rows(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<String> rows = new ArrayList<>();
      while (result.next()) {
        rows.add(result.getString(1));
      }
      return rows;
    }
  }

  private static String error(Connection connection, String sql) {
    SQLException error = assertThrows(SQLException.class, () -> rows(connection, sql), sql);
    return String.valueOf(error.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select count(*) from people",
        "select count(*) from people where 1 / (id - 1000) < 5",
        "select count(*) from people where cast(substring(name, 2) as integer) >= 0",
        "select count(*) from people p join depts d on p.dept = d.dept and 1 / (p.id - 1000) < 5",
        "select count(*) from people p, lateral"
            + " (select 1 / (p.id - 1000) as c from depts d where d.dept = p.dept)",
      })
  void hiddenRowsMakeNothingFail(String sql) throws Exception {
    try (Connection ann = connect(server, "ann")) {
      assertEquals(List.of("30"), rows(ann, sql));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select salary from people | AR-103",
        "select name from people order by salary | AR-103",
        "select * from payroll | AR-102",
        "select * from payrol | AR-102",
        "describe payroll | AR-102",
        "select * from 'payroll.csv' | AR-312",
        "select * from '/etc/passwd' | AR-312",
        "select * from read_csv('/etc/passwd') | AR-312",
        "copy depts to 'out.csv' | AR-408",
        "create table t as select 1 as i | AR-408",
        "analyze people | AR-408",
        "explain select * from people | AR-408",
        "explain analyze select * from people | AR-408",
        "explain plan including all attributes without implementation for"
            + " select * from people | AR-408",
      })
  void isRefused(String sql) throws Exception {
    String[] parts = sql.split(" \\| ");
    try (Connection ann = connect(server, "ann")) {
      String error = error(ann, parts[0]);
      assertTrue(error.contains(parts[1]), error);
      assertFalse(error.contains("did you mean 'payroll'") || error.contains("301"), error);
      assertEquals(List.of("30"), rows(ann, "select count(*) from people"));
    }
  }

  @Test
  void listsWhatIsGranted() throws Exception {
    try (Connection ann = connect(server, "ann")) {
      assertEquals(List.of("depts", "people"), rows(ann, "show tables"));
      TreeSet<String> seen = new TreeSet<>();
      try (ResultSet columns = ann.getMetaData().getColumns(null, "files", "%", "%")) {
        while (columns.next()) {
          seen.add(columns.getString("TABLE_NAME") + "." + columns.getString("COLUMN_NAME"));
        }
      }
      assertEquals(
          new TreeSet<>(
              List.of("depts.dept", "depts.title", "people.dept", "people.id", "people.name")),
          seen);
    }
  }

  @Test
  void usersWithoutRolesDoNothing() throws Exception {
    SQLException error =
        assertThrows(
            SQLException.class,
            () -> {
              try (Connection nobody = connect(server, "nobody")) {
                rows(nobody, "select 1");
              }
            });
    assertTrue(String.valueOf(error.getMessage()).contains("AR-408"), error.getMessage());
  }

  @Test
  void ticketsOfOthersAreNotThere() throws Exception {
    try (RootAllocator allocator = new RootAllocator();
        FlightClient plain =
            FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
                .build();
        FlightSqlClient client = new FlightSqlClient(plain)) {
      CredentialCallOption root = plain.authenticateBasicToken("root", "r").orElseThrow();
      CredentialCallOption ann = plain.authenticateBasicToken("ann", "a").orElseThrow();
      FlightInfo info = client.execute("select who from payroll", root);
      var ticket = info.getEndpoints().getFirst().getTicket();
      FlightRuntimeException error =
          assertThrows(
              FlightRuntimeException.class,
              () -> {
                try (FlightStream stream = client.getStream(ticket, ann)) {
                  stream.next();
                }
              });
      assertEquals(FlightStatusCode.NOT_FOUND, error.status().code());
      try (FlightStream stream = client.getStream(ticket, root)) {
        assertTrue(stream.next());
        assertEquals(1, stream.getRoot().getRowCount());
      }
      FlightInfo names = client.execute("select name from people where id < 20", ann);
      try (FlightStream stream =
          client.getStream(names.getEndpoints().getFirst().getTicket(), ann)) {
        for (Field field : stream.getSchema().getFields()) {
          assertNull(field.getDictionary(), "a dictionary has the values of all rows");
        }
        assertTrue(stream.next());
        assertEquals(2, stream.getRoot().getRowCount());
      }
    }
  }

  @Test
  void theAuditLogHasWhatWasAsked() throws Exception {
    try (AuditLog audit = AuditLog.open(folder.resolve("audit.log"));
        FlightSqlServer other =
            FlightSqlServer.start(
                options("access.json")
                    .withRules(new ServerRules(folder.resolve("access.json"), audit, Admission.unlimited())));
        Connection ann = connect(other, "ann")) {
      rows(ann, "select name from people where id < 20");
      error(ann, "select * from payroll");
      error(ann, "select 1 / (id - 10) from people");
      assertThrows(SQLException.class, () -> rows(connect(other, "nobody"), "select 1"));
    }
    List<String> lines = Files.readAllLines(folder.resolve("audit.log.0"));
    assertEquals(5, lines.size(), lines.toString());
    assertTrue(lines.get(0).contains("\"event\":\"login\",\"protocol\":\"flight\",\"user\":\"ann\""));
    assertTrue(lines.get(0).contains("\"address\":\"127.0.0.1\""), lines.get(0));
    assertTrue(lines.get(1).contains("\"tables\":[\"files.people\"],\"rows\":2"), lines.get(1));
    assertTrue(lines.get(2).contains("\"error\":\"AR-102\""), lines.get(2));
    assertTrue(lines.get(3).contains("\"error\":\"AR-201\""), lines.get(3));
    assertTrue(
        lines.get(4).contains("\"user\":\"nobody\"") && lines.get(4).contains("AR-408"),
        lines.get(4));
  }

  @Test
  void limitsOfAUser() throws Exception {
    Files.writeString(
        folder.resolve("limits.json"),
        ACCESS.replace(
            "\"ann\": {\"roles\": [\"clerk\"]}",
            "\"ann\": {\"roles\": [\"clerk\"],"
                + " \"limits\": {\"queries\": 1, \"rows\": 29, \"time\": \"3s\"}}"));
    Admission admission = new Admission(10, Duration.ofMillis(100));
    Path log = folder.resolve("limits.log");
    try (AuditLog audit = AuditLog.open(log);
        FlightSqlServer other =
            FlightSqlServer.start(
                options("limits.json")
                    .withRules(
                        new ServerRules(folder.resolve("limits.json"), audit, admission)));
        Connection ann = connect(other, "ann");
        Connection second = connect(other, "ann");
        ExecutorService clients = Executors.newCachedThreadPool()) {
      assertEquals(29, rows(ann, "select id from people limit 29").size());
      assertTrue(error(ann, "select id from people").contains("AR-605"));
      Future<String> running =
          clients.submit(
              () ->
                  error(
                      ann,
                      "select count(*) from people a, people b, people c, people d, people e,"
                          + " people f, people g where a.id + b.id + c.id + d.id + e.id + f.id"
                          + " + g.id < -1"));
      Thread.sleep(500);
      String refused = error(second, "select id from people limit 1");
      assertTrue(refused.contains("AR-608"), refused);
      assertTrue(running.get().contains("AR-603"), running.get());
      assertEquals(1, rows(second, "select id from people limit 1").size());
      admission.stop();
      assertTrue(error(second, "select id from people limit 1").contains("AR-404"));
    }
    assertTrue(admission.isQuiet());
    String lines = Files.readString(folder.resolve("limits.log.0"));
    for (String code : List.of("AR-605", "AR-608", "AR-603", "AR-404")) {
      assertTrue(lines.contains("\"error\":\"" + code + "\""), lines);
    }
  }

  @Test
  void aChangeCountsFromTheNextRequest() throws Exception {
    Files.writeString(folder.resolve("changed.json"), ACCESS);
    try (FlightSqlServer other = FlightSqlServer.start(options("changed.json"));
        Connection ann = connect(other, "ann")) {
      assertEquals(List.of("30"), rows(ann, "select count(*) from people"));
      Files.writeString(
          folder.resolve("changed.json"), ACCESS.replace("owner = CURRENT_USER", "id < 5"));
      Thread.sleep(1_100); // it is looked at once a second
      assertTrue(error(ann, "select count(*) from people").contains("AR-408"));
      assertEquals(List.of("5"), rows(ann, "select count(*) from people"), "a new session");
    }
  }
}
