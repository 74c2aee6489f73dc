package io.aragonite.sqltests.badinput;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.dataset.DatasetCache;
import io.aragonite.dataset.TerminalProgress;
import io.aragonite.tpch.TpchData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each kind of bad input: code, SQLSTATE, kind, what the message names, and that the same
 * connection answers the next query. What goes wrong inside statements is in the corpus as well.
 */
class BadInputTest {
  @TempDir private Path directory = Path.of("");

  @BeforeEach
  void aGoodTable() throws IOException {
    write("good.csv", "id,name\n1,one\n2,two\n");
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
  }

  private Connection connect(String... options) throws SQLException {
    String more = String.join(";", options);
    return DriverManager.getConnection("jdbc:aragonite:directory=" + directory + ";" + more);
  }

  private static void assertError(
      SQLException e, int code, String state, String kind, String... parts) {
    String message = String.valueOf(e.getMessage());
    assertEquals(code, e.getErrorCode(), message);
    assertEquals(state, e.getSQLState(), message);
    assertTrue(message.startsWith("AR-" + code + " (" + kind + "): "), message);
    assertTrue(message.endsWith(".") || message.endsWith("?") || message.endsWith("}"), message);
    assertFalse(message.contains("\n"), message);
    for (String part : parts) {
      assertTrue(message.contains(part), message + " lacks " + part);
    }
  }

  private static void assertConnectFails(
      String url, int code, String state, String kind, String... parts) {
    SQLException e =
        assertThrows(SQLException.class, () -> DriverManager.getConnection(url).close());
    assertError(e, code, state, kind, parts);
  }

  /** Runs a query that must fail, then one that must not, on one connection. */
  private static void assertFails(
      Connection connection, String sql, int code, String state, String kind, String... parts)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      SQLException e = assertThrows(SQLException.class, () -> drain(statement.executeQuery(sql)));
      assertError(e, code, state, kind, parts);
    }
    assertAnswers(connection);
  }

  private static void assertAnswers(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("select sum(id) from good")) {
      assertTrue(result.next());
      assertEquals(3, result.getLong(1));
    }
  }

  private static void drain(ResultSet result) throws SQLException {
    while (result.next()) {
      result.getObject(1);
    }
  }

  private static void duckDb(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void aMissingDirectory() {
    Path missing = directory.resolve("no such folder");
    assertConnectFails(
        "jdbc:aragonite:directory=" + missing, 301, "58P01", "USER", missing.toString());
  }

  @Test
  void anEmptyDirectory() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("empty"));
    assertConnectFails("jdbc:aragonite:directory=" + empty, 302, "58P01", "USER", "empty");
  }

  @Test
  void aBrokenParquetFile() throws Exception {
    write("bad.parquet", "PAR1 this is no Parquet file at all PAR1");
    assertBroken("bad.parquet");
  }

  @Test
  void aTruncatedParquetFile() throws Exception {
    Path file = directory.resolve("bad.parquet");
    duckDb(
        "copy (select i as id, 'x' || i as s from range(5000) t(i)) to '"
            + file
            + "' (format parquet)");
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
    assertBroken("bad.parquet");
  }

  @Test
  void aParquetFileWithADamagedPage() throws Exception {
    Path file = directory.resolve("bad.parquet");
    duckDb(
        "copy (select i * 7919 % 10007 as id, md5(i::varchar) as s from range(5000) t(i)) to '"
            + file
            + "' (format parquet)");
    byte[] bytes = Files.readAllBytes(file);
    Arrays.fill(bytes, 4, 200, (byte) 0xA5);
    Files.write(file, bytes);
    try (Connection connection = connect()) {
      assertFails(connection, "select id, s from bad", 303, "58030", "USER", "bad.parquet");
    }
  }

  @Test
  void anEmptyFile() throws Exception {
    write("bad.parquet", "");
    assertBroken("bad.parquet");
  }

  @Test
  void aBrokenArrowFile() throws Exception {
    write("bad.arrow", "ARROW1\0\0 and then something else");
    assertBroken("bad.arrow");
  }

  @Test
  void aTruncatedArrowFile() throws Exception {
    byte[] bytes = Files.readAllBytes(arrowFile());
    for (int length : new int[] {0, 7, bytes.length / 2, bytes.length - 10, bytes.length - 1}) {
      Files.write(directory.resolve("bad.arrow"), Arrays.copyOf(bytes, length));
      assertBroken("bad.arrow");
    }
  }

  @Test
  void anArrowFileWithoutItsMiddle() throws Exception {
    byte[] bytes = Files.readAllBytes(arrowFile());
    byte[] cut = Arrays.copyOf(bytes, bytes.length / 2);
    int tail = bytes.length / 4;
    System.arraycopy(bytes, bytes.length - tail, cut, cut.length - tail, tail);
    Files.write(directory.resolve("bad.arrow"), cut);
    assertBroken("bad.arrow");
  }

  /** A good file. */
  private static Path arrowFile() throws IOException, InterruptedException {
    Path data = TpchData.ensure(0.01, DatasetCache.defaultRoot(), 1, new TerminalProgress());
    return data.resolve("supplier.arrow");
  }

  /** A file that cannot be opened is an error where it is used, and nowhere else. */
  private void assertBroken(String name) throws Exception {
    try (Connection connection = connect()) {
      assertFails(connection, "select * from bad", 303, "58030", "USER", name);
      assertFails(
          connection,
          "select count(*) from good join bad on good.id = bad.id",
          303,
          "58030",
          "USER",
          name);
      List<String> columns = new ArrayList<>();
      try (ResultSet rows = connection.getMetaData().getColumns(null, "files", "%", "%")) {
        while (rows.next()) {
          columns.add(rows.getString("TABLE_NAME") + "." + rows.getString("COLUMN_NAME"));
        }
      }
      assertTrue(
          columns.stream().anyMatch(column -> column.startsWith("good.")), columns.toString());
    }
  }

  @Test
  void aCsvRowWithTooFewFields() throws Exception {
    write("bad.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n");
    try (Connection connection = connect()) {
      assertFails(connection, "select * from bad", 304, "22P04", "USER", "bad.csv", "line 3");
    }
  }

  @Test
  void aCsvValueThatIsNotOfItsColumnsType() throws Exception {
    write("bad.csv", "a,b\n1,2\n3,four\n");
    write("bad.csv.json", "{\"columns\": [{\"name\": \"b\", \"type\": \"INTEGER\"}]}");
    try (Connection connection = connect()) {
      assertFails(
          connection,
          "select * from bad",
          305,
          "22P02",
          "USER",
          "bad.csv",
          "line 3",
          "\"b\"",
          "four");
    }
  }

  @Test
  void aCsvValueThatTheSampleDidNotForetell() throws Exception {
    StringBuilder text = new StringBuilder("a,b\n");
    for (int i = 0; i < 200_000; i++) {
      text.append(i).append(",").append(i).append('\n');
    }
    text.append("x,1\n");
    write("bad.csv", text.toString());
    try (Connection connection = connect()) {
      assertFails(
          connection,
          "select sum(a) from bad",
          305,
          "22P02",
          "USER",
          "bad.csv",
          "200,002",
          "\"a\"");
    }
  }

  @Test
  void twoFilesForOneTable() throws Exception {
    write("good.tsv", "id\tname\n1\tone\n");
    assertConnectFails(
        "jdbc:aragonite:directory=" + directory, 306, "42P07", "USER", "good.csv", "good.tsv");
  }

  @Test
  void anUnknownProperty() {
    assertConnectFails("jdbc:aragonite:treads=2", 401, "HY024", "USER", "treads", "threads");
    assertConnectFails("jdbc:aragonite:memry=1GB", 401, "HY024", "USER", "memry", "memory");
  }

  @Test
  void aPropertyWithABadValue() {
    assertConnectFails("jdbc:aragonite:threads=many", 402, "HY024", "USER", "threads", "many");
    assertConnectFails("jdbc:aragonite:memory=lots", 402, "HY024", "USER", "memory", "lots");
    assertConnectFails("jdbc:aragonite:fallback=maybe", 402, "HY024", "USER", "fallback");
    assertConnectFails("jdbc:aragonite:device=abacus", 402, "HY024", "USER", "device", "abacus");
  }

  @Test
  void unknownNames() throws SQLException {
    try (Connection connection = connect()) {
      assertFails(connection, "select * from goood", 102, "42P01", "USER", "goood", "good");
      assertFails(connection, "select nam from good", 103, "42703", "USER", "nam", "name");
      assertFails(
          connection, "select frobnicate(id) from good", 105, "42883", "USER", "frobnicate");
    }
  }

  @Test
  void syntax() throws SQLException {
    try (Connection connection = connect()) {
      assertFails(connection, "selec 1", 101, "42601", "USER", "line 1, column 1");
      assertFails(connection, "select id from good where", 101, "42601", "USER");
      assertFails(connection, "select 'open", 101, "42601", "USER");
      assertFails(connection, "", 101, "42601", "USER");
    }
  }

  @Test
  void aTypeThatIsNotSupported() throws Exception {
    Path file = directory.resolve("bad.parquet");
    duckDb("copy (select 1 as id, to_days(3) as l) to '" + file + "' (format parquet)");
    try (Connection connection = connect()) {
      assertFails(connection, "select l from bad", 308, "0AX01", "UNSUPPORTED", "\"l\"");
      try (Statement statement = connection.createStatement();
          ResultSet result = statement.executeQuery("select id from bad")) {
        assertTrue(result.next());
        assertEquals(1, result.getInt(1));
      }
    }
  }

  @Test
  void valuesAtRunTime() throws SQLException {
    try (Connection connection = connect()) {
      assertFails(connection, "select 1 / (id - 1) from good", 201, "22012", "USER");
      assertFails(connection, "select mod(id, id - 1) from good", 201, "22012", "USER");
      assertFails(
          connection, "select cast(id as integer) * 2147483647 from good", 202, "22003", "USER");
      assertFails(
          connection,
          "select cast(id as tinyint) + cast(127 as tinyint) from good",
          202,
          "22003",
          "USER");
      assertFails(
          connection,
          "select cast(id as decimal(38, 0)) * 99999999999999999999999999999999999999 from good",
          202,
          "22003",
          "USER");
      assertFails(
          connection, "select cast(name as integer) from good", 203, "22018", "USER", "one");
      assertFails(connection, "select cast(name as date) from good", 206, "22007", "USER", "one");
      assertFails(connection, "select (select id from good) from good", 204, "21000", "USER");
      assertFails(connection, "select name like 'x' escape 'ab' from good", 208, "22025", "USER");
    }
  }

  @Test
  void aMissingParameter() throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement =
            connection.prepareStatement("select id from good where id = ? and name = ?")) {
      statement.setInt(1, 1);
      SQLException e = assertThrows(SQLException.class, () -> drain(statement.executeQuery()));
      assertError(e, 207, "07002", "USER");
      statement.setString(2, "one");
      try (ResultSet result = statement.executeQuery()) {
        assertTrue(result.next());
        assertEquals(1, result.getInt(1));
      }
      assertAnswers(connection);
    }
  }

  @Test
  void aParameterOfAnotherType() throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement =
            connection.prepareStatement("select id from good where id = ?")) {
      statement.setString(1, "no number");
      SQLException e = assertThrows(SQLException.class, () -> drain(statement.executeQuery()));
      assertError(e, 203, "22018", "USER", "no number");
      assertAnswers(connection);
    }
  }

  @Test
  void moreThanTheMemory() throws Exception {
    Path file = directory.resolve("big.parquet");
    duckDb(
        "copy (select i as id, md5(i::varchar) as s from range(300000) t(i)) to '"
            + file
            + "' (format parquet)");
    try (Connection connection = connect("memory=8MB", "threads=2")) {
      assertFails(
          connection,
          "select count(*) from (select s, id, count(*) from big group by s, id)",
          601,
          "53200",
          "RESOURCES",
          "8");
    }
  }

  @Test
  void aLongStatementIsTimedOut() throws SQLException {
    // All tables stand in the condition: no part of the product can be counted by itself.
    List<String> names = IntStream.range(0, 32).mapToObj(i -> "t" + i).toList();
    String slow =
        "select count(*) from "
            + names.stream().map(name -> "good " + name).collect(Collectors.joining(", "))
            + " where "
            + names.stream().map(name -> name + ".id").collect(Collectors.joining(" + "))
            + " > 31";
    try (Connection connection = connect("timeout=1s")) {
      assertFails(connection, slow, 603, "57014", "RESOURCES", "limit");
    }
  }

  @Test
  void fallbackOffNamesTheNode() throws SQLException {
    try (Connection connection = connect("fallback=off")) {
      assertFails(
          connection,
          "select array(select id from good g where g.id = o.id) from good o",
          501,
          "0AX01",
          "UNSUPPORTED",
          "fallback=on");
    }
  }

  /** Calcite's code computes constants as its classes are initialised. */
  @Test
  void constantsThatFailInCalcitesCodeAreErrorsOfTheStatement() throws SQLException {
    try (Connection connection = connect("fallback=on")) {
      assertFails(
          connection,
          "select avg(1 + 2147483647) over (order by id rows between id - id preceding and current"
              + " row) from (values (1), (2)) v(id)",
          202,
          "22003",
          "USER",
          "integer overflow");
    }
  }

  @Test
  void odditiesOfParquetFilesWork() throws Exception {
    StringBuilder wide = new StringBuilder("select 7 as c0");
    StringBuilder sum = new StringBuilder("c0");
    for (int i = 1; i < 2000; i++) {
      wide.append(", ").append(i).append(" as c").append(i);
      sum.append(i % 500 == 0 ? " + c" + i : "");
    }
    String odd = "\"a \"\"b\"\" */ c\nd\"";
    for (String[] table :
        new String[][] {
          {"wide", wide.toString()},
          {"empty_one", "select 1 as id, 'x' as s where false"},
          {"one_row", "select 1 as id, 'x' as s"},
          {"all_null", "select null::integer as id, null::varchar as s from range(1000)"},
          {"long", "select 1 as id, repeat('yz', 524288) as " + odd}
        }) {
      duckDb(
          "copy (%s) to '%s' (format parquet)"
              .formatted(table[1], directory.resolve(table[0] + ".parquet")));
    }
    try (Connection connection = connect()) {
      assertRow(connection, "select " + sum + " from wide", 7L + 500 + 1000 + 1500);
      assertRow(connection, "select count(*) from wide", 1L);
      assertRow(connection, "select count(*) from empty_one e join good on e.id = good.id", 0L);
      assertRow(connection, "select sum(id) from empty_one", null);
      assertRow(connection, "select count(*) from one_row join good using (id)", 1L);
      assertRow(connection, "select count(id) + count(s) from all_null", 0L);
      assertRow(connection, "select count(*) from all_null n join good on n.id = good.id", 0L);
      assertRow(connection, "select count(*) from (select id, s from all_null group by id, s)", 1L);
      assertRow(connection, "select char_length(" + odd + ") from \"long\"", 1L << 20);
    }
  }

  private static void assertRow(Connection connection, String sql, @Nullable Long expected)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next(), sql);
      assertEquals(expected, rows.getObject(1, Long.class), sql);
      assertFalse(rows.next(), sql);
    }
  }

  @Test
  void odditiesOfTextFilesWork() throws Exception {
    write("odd.csv", "id,\"a \"\"b\"\"\"\n1,\"x\ny\"\n2,\"" + "z".repeat(1 << 20) + "\"\n3,\n");
    Files.write(directory.resolve("utf.csv"), "näme\n日本\n".getBytes(StandardCharsets.UTF_8));
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      try (ResultSet result =
          statement.executeQuery("select id, char_length(\"a \"\"b\"\"\") from odd order by id")) {
        assertTrue(result.next());
        assertEquals(3, result.getInt(2));
        assertTrue(result.next());
        assertEquals(1 << 20, result.getInt(2));
        assertTrue(result.next());
      }
      try (ResultSet result = statement.executeQuery("select \"näme\" from utf")) {
        assertTrue(result.next());
        assertEquals("日本", result.getString(1));
      }
    }
  }
}
