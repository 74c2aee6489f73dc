package io.aragonite.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * This JVM is a program with the client's jar and the driver's, and nothing else. Java 17 is enough
 * for it, and it has no flags.
 */
class ClientTest {
  /** Runs until somebody ends it. */
  private static final String LONG =
      "select count(*) from lineitem a, lineitem b, lineitem c where a.l_comment || b.l_comment < c.l_comment";

  private static ServedProcess server;

  @BeforeAll
  static void serve() throws IOException {
    server = new ServedProcess("--tpch", "0.01");
  }

  @AfterAll
  static void stop() throws InterruptedException {
    server.close();
  }

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection("jdbc:aragonite:remote:url=" + server.address());
  }

  @Test
  void queriesReturnWhatTheServerHas() throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "select n_name from nation where n_regionkey = ? order by 1")) {
      for (int region = 0; region < 5; region++) {
        statement.setInt(1, region);
        List<String> names = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
          while (rows.next()) {
            names.add(rows.getString(1));
          }
        }
        assertEquals(5, names.size());
        assertEquals(List.of("ALGERIA", "ARGENTINA", "CHINA", "FRANCE", "EGYPT").get(region), names.get(0));
      }
      int lines = 0;
      try (Statement all = connection.createStatement();
          ResultSet rows = all.executeQuery("select o_orderkey, o_comment from orders")) {
        while (rows.next()) {
          lines++;
        }
      }
      assertEquals(15000, lines, "rows come in several frames");
    }
  }

  @Test
  void theSchemaIsTheOneInUse() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      assertEquals("tpch", connection.getSchema());
      statement.execute("use metadata");
      assertEquals("metadata", connection.getSchema());
      connection.setReadOnly(true);
      assertEquals("metadata", connection.getSchema());
      connection.setSchema("tpch");
      assertEquals("tpch", connection.getSchema());
      statement.execute("use metadata");
      connection.setSchema("tpch");
      assertEquals("tpch", connection.getSchema());
    }
  }

  @Test
  void theUrlsTimeZoneAndSchemaReachTheServer() throws SQLException {
    Properties zone = new Properties();
    zone.setProperty("timeZone", "Asia/Tokyo");
    String url = "jdbc:aragonite:remote:url=" + server.address();
    for (Connection each :
        List.of(
            DriverManager.getConnection(url + ";timeZone=Asia/Tokyo"),
            DriverManager.getConnection(url, zone))) {
      try (Connection connection = each;
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "select timestamptz '2024-07-01 12:00:00Z', cast(timestamptz '2024-07-01 12:00:00Z' as timestamp)")) {
        assertTrue(row.next());
        assertEquals("2024-07-01 21:00:00+09", row.getString(1));
        assertEquals("2024-07-01 21:00:00", row.getString(2));
      }
    }
    SQLException refused =
        assertThrows(
            SQLException.class, () -> DriverManager.getConnection(url + ";schema=nowhere").close());
    assertTrue(refused.getMessage().contains("nowhere"), refused.getMessage());
  }

  @Test
  void errorsHaveCodesAndSentences() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      SQLException unknown =
          assertThrows(SQLException.class, () -> statement.executeQuery("select nam from nation"));
      assertEquals(103, unknown.getErrorCode());
      assertEquals("42703", unknown.getSQLState());
      assertTrue(unknown.getMessage().startsWith("AR-103 (USER): There is no"), unknown.getMessage());
      SQLException prepared =
          assertThrows(
              SQLException.class, () -> connection.prepareStatement("select nam from nation"));
      assertEquals(unknown.getMessage(), prepared.getMessage());
      SQLException zero =
          assertThrows(
              SQLException.class,
              () -> {
                try (ResultSet rows =
                    statement.executeQuery("select 1 / (n_nationkey - 7) from nation")) {
                  while (rows.next()) {}
                }
              });
      assertEquals(201, zero.getErrorCode(), zero.getMessage());
      assertEquals("22012", zero.getSQLState());
      assertEquals(1, statement.executeQuery("select 1").getMetaData().getColumnCount());
    }
    SQLException nobody =
        assertThrows(
            SQLException.class,
            () -> DriverManager.getConnection("jdbc:aragonite:remote:url=http://127.0.0.1:1"));
    assertEquals("08001", nobody.getSQLState());
    assertTrue(nobody.getMessage().contains("./aragonite serve"), nobody.getMessage());
    SQLException noUrl =
        assertThrows(SQLException.class, () -> DriverManager.getConnection("jdbc:aragonite:remote:"));
    assertEquals(402, noUrl.getErrorCode(), noUrl.getMessage());
    SQLException refused =
        assertThrows(
            SQLException.class,
            () ->
                DriverManager.getConnection(
                    "jdbc:aragonite:remote:url=" + server.address() + ";memory=1GB"));
    assertEquals(404, refused.getErrorCode(), refused.getMessage());
    assertTrue(refused.getMessage().contains("'memory'"), refused.getMessage());
  }

  @Test
  void errorsOfLaterRowsAreThoseOfTheServer() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      SQLException error =
          assertThrows(
              SQLException.class,
              () -> {
                try (ResultSet rows =
                    statement.executeQuery("select 1 / (1900000 - i) from range(2000000) r(i)")) {
                  while (rows.next()) {}
                }
              });
      assertEquals("22012", error.getSQLState(), error.getMessage());
      assertTrue(error.getMessage().startsWith("AR-"), error.getMessage());
      try (ResultSet one = statement.executeQuery("select 1")) {
        assertTrue(one.next());
      }
    }
  }

  @Test
  void passwordsAreNotShown() throws SQLException {
    String at = "jdbc:aragonite:remote:url=";
    String login = ";user=ann;password=hidden1;truststore_password=hidden2;bearer_token=hidden3;token=hidden4";
    for (String url :
        List.of(
            at + "http://127.0.0.1:1" + login,
            at + "http://bob:hidden0@127.0.0.1:1" + login,
            at + "http://127.0.0.1:1;avatica_user=ann;avatica_password='hidden1",
            at + "http://127.0.0.1:1;password='hidden1'2")) {
      SQLException error =
          assertThrows(SQLException.class, () -> DriverManager.getConnection(url));
      StringWriter told = new StringWriter();
      error.printStackTrace(new PrintWriter(told));
      assertFalse(told.toString().contains("hidden"), told::toString);
      assertTrue(error.getErrorCode() == 404 || error.getErrorCode() == 402, error.getMessage());
    }
    try (Connection connection =
        DriverManager.getConnection(at + server.address() + ";user=ann;password=hidden")) {
      String shown = connection.getMetaData().getURL();
      assertTrue(shown.startsWith("jdbc:aragonite:remote:"), shown);
      assertTrue(shown.contains("url=" + server.address()), shown);
      assertTrue(shown.contains("avatica_user=ann"), shown);
      assertFalse(shown.contains("hidden"), shown);
    }
  }

  @Test
  void cancelEndsTheQueryAndKeepsTheStatement() throws Exception {
    try (Connection connection = connect();
        Statement plain = connection.createStatement();
        PreparedStatement prepared = connection.prepareStatement(LONG)) {
      cancelled(plain, () -> plain.executeQuery(LONG).next());
      try (ResultSet rows = plain.executeQuery("select count(*) from region")) {
        assertTrue(rows.next());
        assertEquals(5, rows.getInt(1));
      }
      cancelled(prepared, () -> prepared.executeQuery().next());
      cancelled(prepared, () -> prepared.executeQuery().next());
      plain.cancel(); // nothing runs, so nothing happens
      assertFalse(plain.isClosed());
      assertTrue(connection.isValid(1));
    }
  }

  /** A server that takes requests and leaves them without an answer. */
  @Test
  void isValidWaitsNoLongerThanGiven() throws Exception {
    int port = Integer.parseInt(server.address().replaceFirst(".*:", ""));
    AtomicBoolean silent = new AtomicBoolean();
    try (ServerSocket between = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread accepts = new Thread(() -> relay(between, port, silent));
      accepts.setDaemon(true);
      accepts.start();
      Connection connection =
          DriverManager.getConnection(
              "jdbc:aragonite:remote:url=http://127.0.0.1:" + between.getLocalPort());
      assertTrue(connection.isValid(0));
      assertTrue(connection.isValid(20));
      silent.set(true);
      assertTimeoutPreemptively(Duration.ofSeconds(20), () -> assertFalse(connection.isValid(1)));
      assertThrows(SQLException.class, () -> connection.isValid(-1));
    }
  }

  /** Passes bytes on in both directions, until it is silent. */
  private static void relay(ServerSocket between, int port, AtomicBoolean silent) {
    try {
      while (true) {
        Socket client = between.accept();
        Socket to = new Socket(InetAddress.getLoopbackAddress(), port);
        for (Socket[] pair : new Socket[][] {{client, to}, {to, client}}) {
          Thread copies = new Thread(() -> copy(pair[0], pair[1], silent));
          copies.setDaemon(true);
          copies.start();
        }
      }
    } catch (IOException e) {
      return; // the test has ended
    }
  }

  private static void copy(Socket from, Socket to, AtomicBoolean silent) {
    byte[] bytes = new byte[8192];
    try (from;
        to) {
      for (int n = from.getInputStream().read(bytes); n >= 0; ) {
        if (!silent.get()) {
          to.getOutputStream().write(bytes, 0, n);
        }
        n = from.getInputStream().read(bytes);
      }
    } catch (IOException e) {
      return; // one of them has gone
    }
  }

  /** What is run. */
  private interface Run {
    void run() throws SQLException;
  }

  private static void cancelled(Statement statement, Run run) throws Exception {
    CompletableFuture<SQLException> error =
        CompletableFuture.supplyAsync(
            () -> assertThrows(SQLException.class, run::run));
    while (!error.isDone()) {
      TimeUnit.MILLISECONDS.sleep(200);
      statement.cancel();
    }
    assertEquals(602, error.get().getErrorCode(), error.get().getMessage());
    assertEquals("57014", error.get().getSQLState());
  }

  @Test
  void bothDriversAreOnTheClassPathAndKnowTheirUrls() throws Exception {
    Driver remote = DriverManager.getDriver("jdbc:aragonite:remote:url=" + server.address());
    assertEquals(ClientDriver.class, remote.getClass());
    Driver embedded = DriverManager.getDriver("jdbc:aragonite:tpch=0.01");
    assertFalse(remote.acceptsURL("jdbc:aragonite:tpch=0.01"));
    assertFalse(embedded.acceptsURL("jdbc:aragonite:remote:url=" + server.address()));
    assertThrows(SQLException.class, () -> DriverManager.getDriver("jdbc:avatica:remote:url=http://x"));
    assertThrows(SQLException.class, () -> DriverManager.getDriver("jdbc:calcite:"));
    if (Runtime.version().feature() < 25) {
      SQLException old =
          assertThrows(
              SQLException.class, () -> DriverManager.getConnection("jdbc:aragonite:tpch=0.01"));
      assertEquals(504, old.getErrorCode());
      assertTrue(old.getMessage().contains("needs Java 25"), old.getMessage());
    } else {
      try (Connection connection = DriverManager.getConnection("jdbc:aragonite:tpch=0.01;device=cpu");
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("select count(*) from nation")) {
        assertTrue(rows.next());
        assertEquals(25, rows.getInt(1));
      }
    }
  }

  @Test
  void theJarHasOnlyNamesOfOursForJava17() throws IOException {
    Set<String> others = new TreeSet<>();
    try (JarFile jar = new JarFile(System.getProperty("aragonite.client.jar"))) {
      for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
        String name = entry.getName();
        boolean native17 = name.matches(".*[.](so|dll|dylib|jnilib)");
        if (!name.matches("(io/aragonite/client|META-INF)/.*") || native17) {
          others.add(name);
        }
        if (name.endsWith(".class") && !name.startsWith("META-INF/versions/")) {
          try (DataInputStream in = new DataInputStream(jar.getInputStream(entry))) {
            in.readInt();
            in.readUnsignedShort();
            int version = in.readUnsignedShort();
            assertTrue(version <= 61, () -> name + " is of class file version " + version);
          }
        }
      }
      assertEquals(
          "io.aragonite.client", jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"));
    }
    assertEquals(Set.of(), others);
  }

  /** The statements before the one that fails stay in effect, and the exception counts them. */
  @Test
  void batchesThatFail() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("create table batches (i integer, v varchar)");
      statement.addBatch("insert into batches values (1, 'a')");
      statement.addBatch("insert into batches values ('x', 'b')");
      statement.addBatch("insert into batches values (3, 'c')");
      BatchUpdateException failed =
          assertThrows(BatchUpdateException.class, statement::executeBatch);
      assertEquals(203, failed.getErrorCode());
      assertEquals("22018", failed.getSQLState());
      assertArrayEquals(new int[] {Statement.SUCCESS_NO_INFO}, failed.getUpdateCounts());
      try (PreparedStatement insert =
          connection.prepareStatement("insert into batches values (?, ?)")) {
        insert.setInt(1, 4);
        SQLException missing = assertThrows(SQLException.class, insert::addBatch);
        assertEquals(207, missing.getErrorCode());
        assertTrue(missing.getMessage().contains("Parameter 2"), missing.getMessage());
        assertEquals(207, assertThrows(SQLException.class, insert::execute).getErrorCode());
      }
      try (PreparedStatement insert =
          connection.prepareStatement("insert into batches values (cast(? as integer), 'd')")) {
        for (String value :
            new String[] {"4", "Statements of the batch that stay in effect: 2000000000.", "5"}) {
          insert.setString(1, value);
          insert.addBatch();
        }
        failed = assertThrows(BatchUpdateException.class, insert::executeLargeBatch);
        assertEquals(203, failed.getErrorCode(), failed.getMessage());
        assertEquals("22018", failed.getSQLState());
        assertTrue(failed.getMessage().startsWith("AR-203 ("), failed.getMessage());
        assertArrayEquals(new int[] {Statement.SUCCESS_NO_INFO}, failed.getUpdateCounts());
        insert.setString(1, "Statements of the batch that stay in effect: 99999999999.");
        insert.addBatch();
        failed = assertThrows(BatchUpdateException.class, insert::executeBatch);
        assertArrayEquals(new int[0], failed.getUpdateCounts());
        insert.setString(1, "6");
        insert.addBatch();
        assertArrayEquals(new int[] {1}, insert.executeBatch());
        statement.execute("delete from batches where i in (4, 6)");
      }
      statement.addBatch(
          "insert into batches values (cast('Statements of the batch that stay in effect: 2000000000.' as integer), '')");
      failed = assertThrows(BatchUpdateException.class, statement::executeBatch);
      assertEquals(203, failed.getErrorCode());
      assertArrayEquals(new int[0], failed.getUpdateCounts());
      try (ResultSet row = statement.executeQuery("select count(*) from batches")) {
        assertTrue(row.next());
        assertEquals(1, row.getInt(1));
      }
    }
  }

  @Test
  void timeLimitsOfStatements() throws SQLException {
    String endless =
        "select count(*) from lineitem a, lineitem b, lineitem c where a.l_tax + b.l_tax * c.l_tax > 0.001";
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        PreparedStatement prepared = connection.prepareStatement(endless)) {
      statement.setQueryTimeout(1);
      assertEquals(
          603,
          assertThrows(SQLTimeoutException.class, () -> statement.executeQuery(endless))
              .getErrorCode());
      prepared.setQueryTimeout(1);
      assertThrows(SQLTimeoutException.class, prepared::executeQuery);
      try (ResultSet row = statement.executeQuery("select 42")) {
        assertTrue(row.next());
        assertEquals(42, row.getInt(1));
      }
    }
  }

  @Test
  void batchesHaveLimitsAndAreCancelled() throws Exception {
    String endless = "insert into slow " + LONG.replace("<", "||? <");
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("create table slow (n bigint)");
      statement.setQueryTimeout(1);
      statement.addBatch("insert into slow values (1)");
      statement.addBatch("insert into slow " + LONG);
      BatchUpdateException limited =
          assertThrows(BatchUpdateException.class, statement::executeBatch);
      assertEquals(603, limited.getErrorCode(), limited.getMessage());
      assertEquals(1, limited.getUpdateCounts().length, String.valueOf(limited.getCause()));
      statement.setQueryTimeout(0);
      try (PreparedStatement prepared = connection.prepareStatement(endless)) {
        for (int i = 0; i < 3; i++) {
          prepared.setString(1, "x");
          prepared.addBatch();
        }
        prepared.setQueryTimeout(1);
        assertEquals(
            603,
            assertThrows(BatchUpdateException.class, prepared::executeBatch).getErrorCode());
        prepared.setQueryTimeout(0);
        prepared.setString(1, "x");
        prepared.addBatch();
        cancelled(prepared, prepared::executeBatch);
      }
      statement.addBatch("insert into slow " + LONG);
      cancelled(statement, statement::executeBatch);
      try (ResultSet row = statement.executeQuery("select count(*) from slow")) {
        assertTrue(row.next());
        assertEquals(1, row.getInt(1));
      }
    }
  }

  @Test
  void cursorsAndKeys() throws SQLException {
    try (Connection connection = connect();
        Statement scrolling =
            connection.createStatement(
                ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
      assertEquals(ResultSet.TYPE_FORWARD_ONLY, scrolling.getResultSetType());
      assertEquals(ResultSet.CONCUR_READ_ONLY, scrolling.getResultSetConcurrency());
      scrolling.execute("create table keyless (i integer)");
      assertEquals(
          1,
          scrolling.executeUpdate(
              "insert into keyless values (1)", Statement.RETURN_GENERATED_KEYS));
      try (ResultSet keys = scrolling.getGeneratedKeys()) {
        assertFalse(keys.next());
      }
      try (PreparedStatement insert =
          connection.prepareStatement(
              "insert into keyless values (?)", Statement.RETURN_GENERATED_KEYS)) {
        insert.setInt(1, 2);
        assertEquals(1, insert.executeUpdate());
        try (ResultSet keys = insert.getGeneratedKeys()) {
          assertFalse(keys.next());
        }
      }
    }
  }

  @Test
  void aServerThatIsGoneIsAFailureOfTheConnection() throws Exception {
    ServedProcess gone = new ServedProcess();
    try (Connection connection =
            DriverManager.getConnection("jdbc:aragonite:remote:url=" + gone.address());
        Statement statement = connection.createStatement();
        PreparedStatement prepared = connection.prepareStatement("select cast(? as integer)")) {
      gone.close();
      SQLException error =
          assertThrows(SQLException.class, () -> statement.executeQuery("select 1"));
      assertEquals("08006", error.getSQLState(), error.getMessage());
      prepared.setInt(1, 1);
      error = assertThrows(SQLException.class, prepared::executeQuery);
      assertEquals("08006", error.getSQLState(), error.getMessage());
      assertEquals(404, error.getErrorCode());
    } catch (SQLException e) {
      assertTrue(e.getSQLState().startsWith("08"), "closing it failed: " + e);
    }
  }
}
