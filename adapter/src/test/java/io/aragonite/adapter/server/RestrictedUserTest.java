package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody with few rights would try, through Avatica. */
@Timeout(120)
class RestrictedUserTest {
  private static final String ACCESS =
      """
      {"roles": {
         "clerk": {"grants": [
           {"schema": "files", "table": "people", "columns": ["id", "name", "dept"],
            "rows": "owner = CURRENT_USER or public"},
           {"schema": "files", "table": "depts"}]},
         "maker": {"ownTables": true, "grants": [{"schema": "files", "table": "depts"}]},
         "root": {"everything": true}},
       "users": {"ann": {"roles": ["clerk"]}, "bob": {"roles": ["maker"]},
                 "eve": {"roles": []}, "root": {"roles": ["root"]}}}
      """;

  /** What is wrong, the line and a part of the message; ¶ is a new line. */
  private static final String WRONG =
      """
      {¶"roles": [] | Line 2 | wanted
      {¶"rolls": {}} | Line 2 | did you mean 'roles'
      {"roles": {},¶"roles": {}} | Line 2 | Duplicate
      {"roles": {"a": {},¶"a": {}}} | Line 2 | Duplicate
      {"roles": {"a": {¶"grant": []}}} | Line 2 | did you mean 'grants'
      {"roles": {"a": {"grants": [¶{"schema": "file"}]}}} | Line 2 | did you mean 'files'
      {"roles": {"a": {"grants": [¶{"schema": "metadata"}]}}} | Line 2 | no schema
      {"roles": {"a": {"grants": [¶{"table": "depts"}]}}} | Line 2 | no schema
      {"roles": {"a": {"grants": [¶{"schema": "files", "table": "dept"}]}}} | Line 2 | did you mean 'depts'
      {"roles": {"a": {"grants": [¶{"schema": "files", "table": "depts", "columns": ["titel"]}]}}} | Line 2 | did you mean 'title'
      {"roles": {"a": {"grants": [¶{"schema": "files", "columns": ["title"]}]}}} | Line 2 | no table
      {"roles": {"a": {"grants": [¶{"schema": "files", "table": "depts", "rows": "dept = "}]}}} | Line 2 | dept =
      {"roles": {"a": {"grants": [¶{"schema": "files", "table": "depts", "rows": "dept"}]}}} | Line 2 | true or false
      {"roles": {"a": {"grants": [¶{"schema": "files", "table": "depts", "rows": "dep = 1"}]}}} | Line 2 | 'dept'
      {"roles": {"a": {"grants": [¶{"schema": "files", "table": "depts", "rows": "dept in (select amount from payroll)"}]}}} | Line 2 | each row
      {"roles": {"a": {"grants": [¶{"schema": "files", "table": "depts", "rows": "count(*) > 1"}]}}} | Line 2 | each row
      {"roles": {"a": {"grants": [¶{"schema": "files", "table": "depts", "rows": "regexp_like(title, 'o')"}]}}} | Line 2 | no operation
      {"roles": {"a": {"grants": [¶{"schema": "files", "table": "depts", "rows": "current_date > date '2020-01-01' and dept = 1"}]}}} | Line 2 | moment
      {"roles": {"a": {"grants": [¶{"schema": "files", "table": "depts", "rows": "dept = ?"}]}}} | Line 2 | refused
      {"roles": {"a": {"grants": [¶{"schema": "files", "table": "depts", "rows": "true) from payroll where (true"}]}}} | Line 2 | read
      {"roles": {"a": {"everything": true, "ownTables": true}}} | Line 1 | everything
      {"users": {¶"ann": {"roles": ["clark"]}}, "roles": {"clerk": {}}} | Line 2 | did you mean 'clerk'
      {"users": {¶"zoe": {"roles": []}}} | Line 2 | 'zoe'
      {"limits": {¶"rows": 0}} | Line 2 | over 0
      {"limits": {¶"time": "soon"}} | Line 2 | 'soon'
      {"limits": {¶"memory": "much"}} | Line 2 | a size such as 1GB
      {"limits": {¶"memory": 5}} | Line 2 | in quotes
      {} {} | Line 1 | behind the end
      {"roles": {"a": {"grants": [{"schema": "files", "table": "people", "columns": ["id"], "rows": "id < 5"}]}, "b": {"grants": [{"schema": "files", "table": "people", "columns": ["name"], "rows": "id < 9"}]}}, "users": {¶"ann": {"roles": ["a", "b"]}}} | Line 2 | do not add up
      """;

  @TempDir private static Path folder;
  private static QueryServer server;

  @BeforeAll
  static void start() throws Exception {
    Path data = Files.createDirectory(folder.resolve("data"));
    StringBuilder people = new StringBuilder("id,name,dept,salary,owner,public\n");
    for (int i = 0; i < 300; i++) {
      people.append(
          "%d,n%d,%d,%d,%s,%s\n"
              .formatted(i, i, i % 3, 1000 + i, i % 10 == 0 ? "ann" : "cyd", i == 7));
    }
    // A hidden row whose values make expressions fail.
    people.append("1000,secret,0,0,cyd,false\n");
    Files.writeString(data.resolve("people.csv"), people);
    Files.writeString(data.resolve("depts.csv"), "dept,title\n0,zero\n1,one\n2,two\n");
    Files.writeString(data.resolve("payroll.csv"), "who,amount\nx,1\n");
    Files.writeString(folder.resolve("users"), "ann: a\nbob: b\neve: e\nroot: r\nnobody: n\n");
    Files.writeString(folder.resolve("access.json"), ACCESS);
    server = QueryServer.start(options("access.json"));
  }

  private static ServerOptions options(String access) {
    return new ServerOptions(
            "jdbc:aragonite:directory=%s;device=cpu;threads=2;fileAccess=all"
                .formatted(folder.resolve("data")),
            "127.0.0.1",
            0,
            true,
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

  private static Connection connect(String user, String... settings) throws SQLException {
    return connect(server, user, settings);
  }

  private static Connection connect(QueryServer server, String user, String... settings)
      throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("avatica_user", user);
    properties.setProperty("avatica_password", user.substring(0, 1));
    for (int i = 0; i < settings.length; i += 2) {
      properties.setProperty(settings[i], settings[i + 1]);
    }
    return DriverManager.getConnection(server.clientUrl(), properties);
  }

  private static List<String> rows(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<String> rows = new ArrayList<>();
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          row.append(i == 1 ? "" : "|").append(result.getString(i));
        }
        rows.add(row.toString());
      }
      return rows;
    }
  }

  private static String error(Connection connection, String sql) {
    Exception error =
        assertThrows(
            Exception.class,
            () -> {
              try (Statement statement = connection.createStatement()) {
                boolean rows = statement.execute(sql);
                assertFalse(rows && statement.getResultSet().next(), sql);
                throw new AssertionError(sql + " was done");
              }
            },
            sql);
    return String.valueOf(error.getMessage());
  }

  @Test
  void seesGrantedRowsAndColumns() throws Exception {
    try (Connection ann = connect("ann");
        Connection root = connect("root")) {
      assertEquals(List.of("31"), rows(ann, "select count(*) from people"));
      assertEquals(List.of("301"), rows(root, "select count(*) from people"));
      assertEquals(
          List.of("0|n0|0", "7|n7|1", "10|n10|1"),
          rows(ann, "select * from people order by id limit 3"));
      assertEquals(
          List.of("one|11", "two|10", "zero|10"),
          rows(
              ann,
              "select title, count(*) from people p join depts d on p.dept = d.dept"
                  + " group by title order by title"));
      assertEquals(List.of("290"), rows(ann, "select max(id) from people"));
      assertEquals(List.of("n7"), rows(ann, "select name from people where id in (5, 6, 7, 8)"));
      assertEquals(List.of(), rows(ann, "select id from people where name in ('n1', 'secret')"));
      assertEquals(
          List.of("id", "name", "dept"),
          rows(ann, "describe people").stream().map(row -> row.split("\\|")[0]).toList());
    }
  }

  /** Statements that differ in literals have one plan, each user's with the user's rows. */
  @Test
  void rowsStayHiddenFromPlansThatAreShared() throws Exception {
    try (Connection ann = connect("ann");
        Connection root = connect("root")) {
      for (int i = 0; i < 40; i++) {
        String sql = "select name from people where id = " + i;
        assertEquals(List.of("n" + i), rows(root, sql));
        assertEquals(i % 10 == 0 || i == 7 ? List.of("n" + i) : List.of(), rows(ann, sql));
      }
      for (String name : List.of("n1", "n7", "secret", "n10", "n11")) {
        String sql = "select id from people where name = '" + name + "'";
        assertEquals(1, rows(root, sql).size(), name);
        assertEquals(name.equals("n7") || name.equals("n10") ? 1 : 0, rows(ann, sql).size(), name);
      }
      for (int salary = 1000; salary < 1004; salary++) {
        String sql = "select id from people where salary = " + salary;
        assertEquals(1, rows(root, sql).size());
        assertTrue(error(ann, sql).contains("salary"));
      }
    }
  }

  /** Expressions that fail on hidden rows only do not fail; nor do they on hidden dictionaries. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "select count(*) from people where 1 / (id - 1000) < 5",
        "select count(*) from people where 1 / (id - 5) < 5",
        "select count(*) from people where cast(substring(name, 2) as integer) >= 0",
        "select count(cast(substring(name, 2) as integer)) from people",
        "select count(*) from (select cast(substring(name, 2) as integer) as c from people)"
            + " where c >= 0",
        "select count(*) from people p join depts d on p.dept = d.dept and 1 / (p.id - 1000) < 5",
        "select count(*) from people p where exists"
            + " (select 1 from depts d where d.dept = p.dept and 1 / (p.id - 1000) < 5)",
        "select count(*) from people p, lateral"
            + " (select 1 / (p.id - 1000) as c from depts d where d.dept = p.dept)",
        "select count(*) from people where (select max(d.dept) from depts d"
            + " where 1 / (people.id - 1000) < 5) = 2",
        "select sum(c) from (select count(*) as c from people group by 1 / (id - 1000))",
        "select count(*) from (select id from people order by 1 / (id - 1000))",
        "select count(*) from (select sum(1 / (id - 1000)) over (partition by dept) from people)",
        "select count(*) from people where case when id = 1000 then 1 / 0 else 1 end = 1",
        "select count(*) from people where name not like 'secre%' or 1 / 0 = 1",
      })
  void hiddenRowsMakeNothingFail(String sql) throws Exception {
    try (Connection ann = connect("ann")) {
      assertEquals(List.of("31"), rows(ann, sql));
    }
  }

  @Test
  void rowsThatAreSeenMakeThemFail() throws Exception {
    try (Connection root = connect("root")) {
      assertTrue(
          error(root, "select count(*) from people where 1 / (id - 1000) < 5").contains("AR-201"));
      assertTrue(
          error(root, "select count(cast(substring(name, 2) as integer)) from people")
              .contains("AR-203"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select salary from people",
        "select people.owner from people",
        "select name from people where salary > 1000",
        "select name from people order by salary",
        "select count(*) from people p join depts d on p.owner = d.title",
        "select sum(salary) from people group by dept",
        "select \"salary\" from files.people",
      })
  void hiddenColumnsAreNotThere(String sql) throws Exception {
    try (Connection ann = connect("ann")) {
      String error = error(ann, sql);
      assertTrue(error.contains("AR-103"), error);
      assertFalse(error.contains("did you mean 'salary'"), error);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select * from payroll",
        "select * from files.payroll",
        "select * from payrol",
        "select * from \"files\".\"payroll\"",
        "table payroll",
        "describe payroll",
        "explain select * from payroll",
        "select * from depts where dept in (select 1 from payroll)",
        "with x as (select * from payroll) select * from x",
        "create view v as select * from payroll",
        "prepare p as select * from payroll",
        "prepare p as select * from payroll where who = ?",
        "create table t as select * from payroll",
        "insert into depts select 1, who from payroll",
        "copy payroll to 'x.csv'",
        "analyze payroll",
      })
  void hiddenTablesAreNotThere(String sql) throws Exception {
    for (String user : List.of("ann", "bob")) {
      try (Connection connection = connect(user)) {
        String hidden = error(connection, sql);
        String nothing = error(connection, sql.replace("payroll", "nothing1"));
        assertEquals(nothing.replace("nothing1", "payroll"), hidden);
        assertFalse(hidden.contains("did you mean 'payroll'"), hidden);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select * from 'payroll.csv'",
        "select * from 'data/payroll.csv'",
        "select * from '*.csv'",
        "select * from '/etc/passwd'",
        "select * from read_csv('payroll.csv')",
        "select * from read_csv('/etc/passwd')",
        "select * from 'https://example.com/x.csv'",
        "select * from 's3://bucket/x.parquet'",
        "copy depts to 'out.csv'",
        "copy (select 1) to '/tmp/aragonite-out.csv'",
      })
  void filesAreNotRead(String sql) throws Exception {
    for (String user : List.of("ann", "bob")) {
      try (Connection connection = connect(user)) {
        String error = error(connection, sql);
        assertTrue(error.contains("AR-312") || error.contains("AR-408"), error);
        assertFalse(error.contains(folder.toString()), error);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create table t (i integer)",
        "create schema s",
        "alter table people rename to mine",
        "drop schema files cascade",
        "create table t as select 1 as i",
        "create view v as select * from depts",
        "drop table people",
        "insert into people values (1, 'x', 1)",
        "update people set name = 'x'",
        "delete from people",
        "analyze people",
        "explain select * from people",
        "explain analyze select * from people",
        "explain verbose select count(*) from people where name = 'secret'",
        "explain plan for select * from people",
        "explain plan including all attributes without implementation for select * from people",
        "explain plan as json for select * from people",
        "explain select * from depts where dept in (select dept from people)",
        "explain plan without implementation for select * from depts where dept in (select dept"
            + " from people)",
        "explain plan without implementation for select (select max(id) from people), dept from"
            + " depts",
      })
  void isRefused(String sql) throws Exception {
    try (Connection ann = connect("ann")) {
      String error = error(ann, sql);
      assertTrue(error.contains("AR-"), error);
      assertFalse(error.contains("301"), error);
      assertEquals(List.of("31"), rows(ann, "select count(*) from people"));
    }
  }

  /** Not the account of the server's process, nor whom a client says that it is. */
  @Test
  void currentUserIsWhoHasLoggedIn() throws Exception {
    for (String user : List.of("ann", "bob")) {
      try (Connection connection = connect(user)) {
        assertEquals(
            List.of("%1$s|%1$s|%1$s|%1$s".formatted(user)),
            rows(connection, "select current_user, session_user, user, system_user"));
        assertEquals(
            List.of("3"),
            rows(connection, "select count(*) from depts where current_user = '" + user + "'"));
      }
    }
  }

  @Test
  void explainsWhatHidesNoRows() throws Exception {
    try (Connection ann = connect("ann")) {
      String plan = String.join("\n", rows(ann, "explain select * from depts"));
      assertTrue(plan.contains("depts"), plan);
    }
  }

  @Test
  void makesTablesIfThatIsGranted() throws Exception {
    try (Connection bob = connect("bob");
        Statement statement = bob.createStatement()) {
      statement.execute("create table t as select dept, title from depts");
      statement.execute("create view v as select * from t where dept > 0");
      assertEquals(List.of("2"), rows(bob, "select count(*) from v"));
      String error = error(bob, "create view w as select * from people");
      assertTrue(error.contains("AR-102"), error);
      statement.execute("create schema own");
      statement.execute("create table own.t (dept integer check (dept >= 0), primary key (dept))");
      statement.execute("insert into own.t select dept from depts");
      assertEquals(List.of("3"), rows(bob, "select count(*) from own.t"));
      assertTrue(error(bob, "create schema files").contains("AR-306"));
      assertTrue(error(bob, "insert into files.depts values (1, 'x')").contains("AR-506"));
      statement.execute("prepare p as select count(*) from depts where dept > ?");
      assertEquals(List.of("2"), rows(bob, "execute p(0)"));
      try (Connection other = connect("bob")) {
        assertTrue(error(other, "select * from t").contains("AR-102"));
        assertTrue(error(other, "select * from own.t").contains("AR-102"));
        assertTrue(error(other, "execute p(0)").contains("AR-104"));
      }
    }
  }

  @Test
  void listsWhatIsGranted() throws Exception {
    try (Connection ann = connect("ann");
        Connection eve = connect("eve")) {
      assertEquals(List.of("depts", "people"), rows(ann, "show tables"));
      assertEquals(List.of("files", "metadata"), rows(ann, "show schemas"));
      assertEquals(List.of("metadata"), rows(eve, "show schemas"));
      assertEquals(
          List.of("depts", "people"),
          rows(ann, "select table_name from information_schema.tables order by 1"));
      assertEquals(
          List.of("id", "name", "dept"),
          rows(
              ann,
              "select column_name from information_schema.columns where table_name = 'people'"
                  + " order by ordinal_position"));
      assertEquals(
          List.of("files"), rows(ann, "select schema_name from information_schema.schemata"));
      for (String view : List.of("schemata", "tables", "columns")) {
        assertEquals(List.of(), rows(eve, "select * from information_schema." + view));
      }
      assertEquals(
          List.of("id", "name", "dept"),
          rows(ann, "summarize people").stream().map(row -> row.split("\\|")[0]).toList());
      assertEquals(
          List.of("depts", "people"),
          rows(
              ann,
              "select \"tableName\" from \"metadata\".tables where \"tableSchem\" = 'files'"
                  + " order by 1"));
      assertEquals(
          List.of("dept", "id", "name"),
          rows(
              ann,
              "select \"columnName\" from \"metadata\".columns where \"tableName\" = 'people'"
                  + " order by 1"));
      DatabaseMetaData metaData = ann.getMetaData();
      TreeSet<String> seen = new TreeSet<>();
      try (ResultSet columns = metaData.getColumns(null, null, "%", "%")) {
        while (columns.next()) {
          if (!"metadata".equals(columns.getString("TABLE_SCHEM"))) {
            seen.add(columns.getString("TABLE_NAME") + "." + columns.getString("COLUMN_NAME"));
          }
        }
      }
      assertEquals(
          new TreeSet<>(
              List.of("depts.dept", "depts.title", "people.dept", "people.id", "people.name")),
          seen);
      try (ResultSet tables = metaData.getTables(null, null, "pay%", null)) {
        assertFalse(tables.next());
      }
    }
  }

  /** A setting of the client's changes how its statements are read, not the condition. */
  @Test
  void settingsChangeNoCondition() throws Exception {
    for (String[] settings :
        new String[][] {
          {"lex", "MYSQL"},
          {"unquotedCasing", "TO_UPPER"},
          {"timeZone", "Asia/Tokyo"},
          {"typeCoercion", "false"},
          {"defaultNullCollation", "FIRST"},
          {"conformance", "ORACLE_12"},
          {"user", "cyd"},
          {"caseSensitive", "false"},
        }) {
      try (Connection ann = connect("ann", settings)) {
        assertEquals(List.of("31"), rows(ann, "select count(*) from people"), settings[0]);
      }
    }
    for (String property : List.of("fileAccess", "directory", "model", "fun", "schemaFactory")) {
      Exception error =
          assertThrows(Exception.class, () -> connect("ann", property, "all").close());
      assertTrue(error.getMessage().contains("AR-404"), error.getMessage());
    }
    try (Connection ann = connect("ann")) {
      ann.setSchema("hidden");
      Exception error = assertThrows(Exception.class, () -> rows(ann, "select * from depts"));
      assertTrue(error.getMessage().contains("AR-402"), error.getMessage());
    }
  }

  @Test
  void usersWithoutRolesDoNothing() throws Exception {
    Exception error =
        assertThrows(
            Exception.class,
            () -> {
              try (Connection nobody = connect("nobody")) {
                rows(nobody, "select 1");
              }
            });
    assertTrue(error.getMessage().contains("AR-408"), error.getMessage());
    try (Connection eve = connect("eve")) {
      assertEquals(List.of("1"), rows(eve, "select 1"));
      assertTrue(error(eve, "select * from depts").contains("AR-102"));
    }
  }

  private HttpResponse<String> send(String user, String method, String path, String body)
      throws Exception {
    String login = user + ":" + user.charAt(0);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(server.port(), path)))
            .header(
                "Authorization",
                "Basic "
                    + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)))
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private static final List<String> OF_A_STATEMENT =
      List.of(
          "{\"request\":\"fetch\",\"connectionId\":\"%s\",\"statementId\":%d,\"offset\":0,"
              + "\"fetchMaxRowCount\":10}",
          "{\"request\":\"closeStatement\",\"connectionId\":\"%s\",\"statementId\":%d}",
          "{\"request\":\"prepareAndExecute\",\"connectionId\":\"%s\",\"statementId\":%d,"
              + "\"sql\":\"select 1\",\"maxRowsInFirstFrame\":1,\"maxRowCount\":-1}",
          "{\"request\":\"syncResults\",\"connectionId\":\"%s\",\"statementId\":%d,"
              + "\"state\":{\"type\":\"SQL\",\"sql\":\"select 1\"},\"offset\":0}",
          "{\"request\":\"execute\",\"statementHandle\":{\"connectionId\":\"%s\",\"id\":%d},"
              + "\"parameterValues\":[],\"maxRowCount\":1}",
          "{\"request\":\"prepareAndExecuteBatch\",\"connectionId\":\"%s\",\"statementId\":%d,"
              + "\"sqlCommands\":[\"select 1\"]}",
          "{\"request\":\"executeBatch\",\"connectionId\":\"%s\",\"statementId\":%d,"
              + "\"parameterValues\":[]}");

  private static final List<String> OF_A_CONNECTION =
      List.of(
          "{\"request\":\"getTables\",\"connectionId\":\"%s\"}",
          "{\"request\":\"createStatement\",\"connectionId\":\"%s\"}",
          "{\"request\":\"prepare\",\"connectionId\":\"%s\",\"sql\":\"select * from payroll\"}",
          "{\"request\":\"connectionSync\",\"connectionId\":\"%s\",\"connProps\":{\"connProps\":"
              + "\"connPropsImpl\",\"schema\":\"metadata\",\"dirty\":true}}",
          "{\"request\":\"closeConnection\",\"connectionId\":\"%s\"}");

  /** Numbers of statements are easy to guess, and an id may have been seen somewhere. */
  @Test
  void statementsOfOthersAreNotThere() throws Exception {
    String open = "{\"request\":\"openConnection\",\"connectionId\":\"%s\",\"info\":{}}";
    assertEquals(200, send("root", "POST", "/", open.formatted("roots")).statusCode());
    assertEquals(200, send("ann", "POST", "/", open.formatted("anns")).statusCode());
    String created =
        send("root", "POST", "/", "{\"request\":\"createStatement\",\"connectionId\":\"roots\"}")
            .body();
    int number = Integer.parseInt(created.replaceFirst("(?s).*\"statementId\":(\\d+).*", "$1"));
    String ran =
        send(
                "root",
                "POST",
                "/",
                ("{\"request\":\"prepareAndExecute\",\"connectionId\":\"roots\",\"statementId\":%d,\"sql\":\"select"
                     + " salary from people order by 1\",\"maxRowsInFirstFrame\":1,"
                     + "\"maxRowCount\":-1}")
                    .formatted(number))
            .body();
    assertTrue(ran.contains("executeResults"), ran);
    for (String connection : List.of("anns", "roots", "nobodys")) {
      for (String request : OF_A_STATEMENT) {
        HttpResponse<String> answer =
            send("ann", "POST", "/", request.formatted(connection, number));
        assertEquals(500, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains("There is no such"), answer.body());
        HttpResponse<String> cancelled =
            send("ann", "POST", "/", request.formatted(connection, ~number));
        assertFalse(cancelled.statusCode() == 200, cancelled.body());
      }
      for (String request : OF_A_CONNECTION) {
        if (connection.equals("roots")) {
          HttpResponse<String> answer = send("ann", "POST", "/", request.formatted(connection));
          assertTrue(answer.body().contains("There is no such"), answer.body());
        }
      }
    }
    String fetched =
        send(
                "root",
                "POST",
                "/",
                ("{\"request\":\"fetch\",\"connectionId\":\"roots\",\"statementId\":%d,"
                        + "\"offset\":1,\"fetchMaxRowCount\":1}")
                    .formatted(number))
            .body();
    assertTrue(fetched.contains("\"rows\":[[1000]]"), fetched);
  }

  @Test
  void figuresOfTheServerAreForThoseWhoSeeAll() throws Exception {
    assertEquals(403, send("ann", "GET", "/metrics", "").statusCode());
    assertEquals(403, send("nobody", "GET", "/metrics", "").statusCode());
    assertEquals(200, send("root", "GET", "/metrics", "").statusCode());
  }

  @Test
  void aChangeCountsFromTheNextRequest() throws Exception {
    Files.writeString(folder.resolve("changed.json"), ACCESS);
    try (QueryServer other = QueryServer.start(options("changed.json"));
        Connection ann = connect(other, "ann");
        Connection root = connect(other, "root")) {
      assertEquals(List.of("31"), rows(ann, "select count(*) from people"));
      Files.writeString(folder.resolve("changed.json"), "{\"roles\": {\"clerk\": {\"all\": 1}}}");
      Thread.sleep(1_100); // it is looked at once a second
      assertEquals(List.of("31"), rows(ann, "select count(*) from people"), "a broken file");
      Files.writeString(
          folder.resolve("changed.json"),
          ACCESS.replace("owner = CURRENT_USER or public", "id < 5"));
      Thread.sleep(1_100);
      assertTrue(error(ann, "select count(*) from people").contains("AR-408"));
      assertEquals(List.of("301"), rows(root, "select count(*) from people"));
      try (Connection again = connect(other, "ann")) {
        assertEquals(List.of("5"), rows(again, "select count(*) from people"));
      }
    }
  }

  private String refusal(String access) throws IOException {
    Files.writeString(folder.resolve("other.json"), access);
    return String.valueOf(
        assertThrows(
                io.aragonite.exec.error.AragoniteException.class,
                () -> QueryServer.start(options("other.json")).close())
            .getMessage());
  }

  static List<String> wrong() {
    return WRONG.lines().map(line -> line.replace('¶', '\n')).toList();
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void wrongFilesAreRefused(String text) throws Exception {
    String[] parts = text.split(" \\| ");
    String message = refusal(parts[0]);
    assertTrue(message.contains("AR-404"), message);
    assertTrue(message.contains(parts[1]) && message.contains(parts[2]), message);
  }

  @Test
  void rolesAddUp() throws Exception {
    Files.writeString(
        folder.resolve("other.json"),
        """
        {"roles": {
           "a": {"grants": [{"schema": "files", "table": "people", "columns": ["name", "id"],
                             "rows": "id < 5 -- few"}]},
           "b": {"grants": [{"schema": "files", "table": "people", "columns": ["id", "name"],
                             "rows": "id between 290 and 299"}]},
           "c": {"grants": [{"schema": "files", "table": "people", "columns": ["salary"],
                             "rows": "id < 5 -- few"}]},
           "d": {"grants": [{"schema": "files"}]}},
         "users": {"ann": {"roles": ["a", "b"]}, "bob": {"roles": ["a", "c"]},
                   "eve": {"roles": ["a", "c", "d"]}}}
        """);
    try (QueryServer other = QueryServer.start(options("other.json"));
        Connection ann = connect(other, "ann");
        Connection bob = connect(other, "bob");
        Connection eve = connect(other, "eve")) {
      assertEquals(List.of("15"), rows(ann, "select count(*) from people"));
      assertEquals(List.of("0|n0|1000"), rows(bob, "select * from people order by id limit 1"));
      assertEquals(List.of("5"), rows(bob, "select count(*) from people"));
      assertEquals(List.of("301"), rows(eve, "select count(owner) from people"));
      assertEquals(List.of("depts", "payroll", "people"), rows(eve, "show tables"));
    }
  }
}
