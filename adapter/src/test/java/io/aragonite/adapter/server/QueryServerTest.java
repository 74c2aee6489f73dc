package io.aragonite.adapter.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.engine.Engines;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class QueryServerTest {
  private static final String URL = "jdbc:aragonite:tpch=0.01;threads=2";

  private static ServerOptions options(boolean json, Duration limit) {
    return new ServerOptions(URL, "127.0.0.1", 0, json, limit, null, null, null, null);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void roundTrip(boolean json) throws SQLException {
    try (QueryServer server = QueryServer.start(options(json, null));
        Connection connection = DriverManager.getConnection(server.clientUrl());
        Statement statement = connection.createStatement()) {
      try (ResultSet rows =
          statement.executeQuery("select l_orderkey, l_quantity, l_shipdate from lineitem")) {
        int count = 0;
        while (rows.next()) {
          assertTrue(rows.getBigDecimal(2).signum() > 0);
          count++;
        }
        assertEquals(60175, count);
      }
      try (PreparedStatement prepared =
          connection.prepareStatement("select n_name from nation where n_nationkey = ?")) {
        prepared.setInt(1, 3);
        ResultSet rows = prepared.executeQuery();
        assertTrue(rows.next());
        assertEquals("CANADA", rows.getString(1).strip());
      }
      try (ResultSet tables = connection.getMetaData().getTables(null, "tpch", "%", null)) {
        assertTrue(tables.next());
        assertEquals("customer", tables.getString("TABLE_NAME"));
      }
    }
  }

  @Test
  void errorsArriveWithTheirCode() throws SQLException {
    try (QueryServer server = QueryServer.start(options(false, null));
        Connection connection = DriverManager.getConnection(server.clientUrl());
        Statement statement = connection.createStatement()) {
      SQLException error =
          assertThrows(SQLException.class, () -> statement.executeQuery("select * from lineitm"));
      assertEquals(ErrorCode.UNKNOWN_TABLE.number(), error.getErrorCode(), error.getMessage());
      assertEquals(ErrorCode.UNKNOWN_TABLE.sqlState(), error.getSQLState());
      assertTrue(error.getMessage().contains("did you mean 'lineitem'?"), error.getMessage());
      try (ResultSet rows = statement.executeQuery("select count(*) from nation")) {
        assertTrue(rows.next());
        assertEquals(25, rows.getInt(1));
      }
      try (ResultSet rows =
          statement.executeQuery(
              "select cast(s as varchar), cast(s as timestamp(3)) from (values (timestamp"
                  + " '1969-12-31 23:59:59.999999')) t(s)")) {
        assertTrue(rows.next());
        assertEquals("1969-12-31 23:59:59.999999", rows.getString(1));
        assertEquals(999_000_000, rows.getTimestamp(2).getNanos());
      }
      SQLException finer =
          assertThrows(
              SQLException.class,
              () -> statement.executeQuery("select timestamp '2024-01-01 00:00:00.000001'"));
      assertTrue(finer.getMessage().contains("cast it to VARCHAR"), finer.getMessage());
    }
  }

  @Test
  void theServerLimitsTime() throws SQLException {
    try (QueryServer server = QueryServer.start(options(false, Duration.ofMillis(800)));
        Connection connection = DriverManager.getConnection(server.clientUrl());
        Statement statement = connection.createStatement()) {
      SQLException error =
          assertThrows(
              SQLException.class,
              () ->
                  statement.executeQuery(
                      "select count(*) from lineitem a, lineitem b"
                          + " where a.l_quantity + b.l_quantity < -1"));
      assertEquals(ErrorCode.TIMED_OUT.number(), error.getErrorCode(), error.getMessage());
    }
  }

  @Test
  void clientsReadTheDirectoryAndWriteNothing(@TempDir Path folder) throws Exception {
    Path served = Files.createDirectory(folder.resolve("served"));
    Files.writeString(served.resolve("t.csv"), "id\n1\n2\n");
    Path outside = Files.writeString(folder.resolve("out.csv"), "id\n3\n");
    String copy = "copy t to '" + served.resolve("new.csv") + "'";
    try (QueryServer server =
            QueryServer.start(ServerOptions.local("jdbc:aragonite:threads=2;directory=" + served));
        Connection connection = DriverManager.getConnection(server.clientUrl());
        Statement statement = connection.createStatement()) {
      assertEquals(3, sum(statement, "select sum(id) from 't.csv'"));
      assertEquals(3, sum(statement, "select sum(id) from '" + served + "/*.csv'"));
      refused(ErrorCode.FILE_OUTSIDE_DIRECTORY, statement, "select * from '" + outside + "'");
      refused(ErrorCode.FILE_OUTSIDE_DIRECTORY, statement, "select * from '../out.csv'");
      refused(ErrorCode.FILE_NOT_ALLOWED, statement, copy);
      assertEquals(2, statement.executeUpdate("create table own as select id from t"));
      assertEquals(1, statement.executeUpdate("insert into own values (4)"));
      assertEquals(7, sum(statement, "select sum(id) from own"));
      try (Connection other = DriverManager.getConnection(server.clientUrl());
          Statement theirs = other.createStatement()) {
        refused(ErrorCode.UNKNOWN_TABLE, theirs, "select * from own");
      }
      Properties properties = new Properties();
      properties.setProperty("fileAccess", "all");
      assertThrows(
          Exception.class,
          () -> DriverManager.getConnection(server.clientUrl(), properties).close());
    }
    assertTrue(Files.notExists(served.resolve("new.csv")));
    try (QueryServer server =
            QueryServer.start(
                ServerOptions.local(
                    "jdbc:aragonite:threads=2;fileAccess=all;directory=" + served));
        Connection connection = DriverManager.getConnection(server.clientUrl());
        Statement statement = connection.createStatement()) {
      assertEquals(2, statement.executeUpdate(copy));
      assertEquals(3, sum(statement, "select sum(id) from '" + outside + "'"));
    }
    assertTrue(Files.exists(served.resolve("new.csv")));
  }

  private static int sum(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next());
      return rows.getInt(1);
    }
  }

  private static void refused(ErrorCode code, Statement statement, String sql) {
    SQLException error = assertThrows(SQLException.class, () -> statement.execute(sql));
    assertEquals(code.number(), error.getErrorCode(), error.getMessage());
  }

  @Test
  void clientsChooseNoFilesAndNoClasses() throws SQLException {
    try (QueryServer server = QueryServer.start(options(false, null))) {
      for (String property :
          new String[] {"directory", "model", "typeSystem", "memory", "fun", "s3Endpoint"}) {
        Properties properties = new Properties();
        properties.setProperty(property, "/etc");
        // Avatica's client does not make a SQLException of what happens while it connects
        Exception error =
            assertThrows(
                Exception.class,
                () -> DriverManager.getConnection(server.clientUrl(), properties).close(),
                property);
        assertTrue(String.valueOf(error.getMessage()).contains("AR-404"), error.getMessage());
      }
    }
  }

  @Test
  void listensOnLoopbackOnly() throws Exception {
    try (QueryServer server = QueryServer.start(options(false, null))) {
      for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        for (InetAddress address : Collections.list(network.getInetAddresses())) {
          if (!address.isLoopbackAddress() && !address.isLinkLocalAddress()) {
            try (Socket socket = new Socket()) {
              assertThrows(
                  java.io.IOException.class,
                  () -> socket.connect(new InetSocketAddress(address, server.port()), 2000),
                  () -> "reachable at " + address);
            }
          }
        }
      }
    }
  }

  @Test
  void otherAddressesNeedProtection(@TempDir Path folder) throws Exception {
    ServerOptions open = new ServerOptions(URL, "0.0.0.0", 0, false, null, null, null, null, null);
    AragoniteException refused =
        assertThrows(AragoniteException.class, () -> QueryServer.start(open));
    assertEquals(ErrorCode.SERVER_REFUSED, refused.code());
    assertTrue(refused.getMessage().contains("--users"), refused.getMessage());
    Path users = folder.resolve("users");
    Files.writeString(users, "ann: secret,user\n");
    ServerOptions withoutTls =
        new ServerOptions(URL, "0.0.0.0", 0, false, null, null, users, null, null);
    assertEquals(
        ErrorCode.SERVER_REFUSED,
        assertThrows(AragoniteException.class, () -> QueryServer.start(withoutTls)).code());
  }

  @Test
  void basicAuthentication(@TempDir Path folder) throws Exception {
    Path users = folder.resolve("users");
    Files.writeString(users, "ann: secret,user\n");
    ServerOptions options =
        new ServerOptions(URL, "127.0.0.1", 0, false, null, null, users, null, null);
    try (QueryServer server = QueryServer.start(options)) {
      String url = server.clientUrl();
      try (Connection connection =
              DriverManager.getConnection(url + ";avatica_user=ann;avatica_password=secret");
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("select 1 + 1")) {
        assertTrue(rows.next());
      }
      String wrong = url + ";avatica_user=ann;avatica_password=wrong";
      Exception error =
          assertThrows(Exception.class, () -> DriverManager.getConnection(wrong).close());
      assertTrue(String.valueOf(error.getMessage()).contains("401"), error.getMessage());
    }
  }

  @Test
  void aPortInUseIsAnError() throws SQLException {
    try (QueryServer server = QueryServer.start(options(false, null))) {
      ServerOptions same =
          new ServerOptions(URL, "127.0.0.1", server.port(), false, null, null, null, null, null);
      AragoniteException refused =
          assertThrows(AragoniteException.class, () -> QueryServer.start(same));
      assertEquals(ErrorCode.SERVER_REFUSED, refused.code());
    }
  }

  @Test
  void healthIsToldWithoutALogin(@TempDir Path folder) throws Exception {
    Path users = Files.writeString(folder.resolve("users"), "ann: secret\n");
    ServerOptions options =
        new ServerOptions(URL, "127.0.0.1", 0, false, null, null, users, null, null);
    try (QueryServer server = QueryServer.start(options);
        HttpClient client = HttpClient.newHttpClient()) {
      assertEquals("200 200 OK\n", get(client, server, "/health"));
      assertEquals("200 200 OK\n", get(client, server, "/ready"));
      assertEquals("401 401 Unauthorized\n", get(client, server, "/"));
      assertEquals("401 401 Unauthorized\n", get(client, server, "/healthy"));
    }
  }

  @Test
  void lookingWhetherItIsReadyLeavesNothing() throws Exception {
    int before = connections();
    try (QueryServer server = QueryServer.start(ServerOptions.local(URL));
        HttpClient client = HttpClient.newHttpClient()) {
      int started = connections();
      for (int i = 0; i < 3; i++) {
        Thread.sleep(1_100); // so long a finding holds
        assertEquals("200 200 OK\n", get(client, server, "/ready"));
      }
      assertEquals(started, connections());
      HttpRequest head =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/health"))
              .method("HEAD", HttpRequest.BodyPublishers.noBody())
              .build();
      assertEquals(200, client.send(head, HttpResponse.BodyHandlers.discarding()).statusCode());
      HttpRequest ofPage =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/"))
              .header("Origin", "http://example.org")
              .POST(HttpRequest.BodyPublishers.noBody())
              .build();
      assertEquals(403, client.send(ofPage, HttpResponse.BodyHandlers.discarding()).statusCode());
    }
    assertEquals(before, connections());
  }

  private static int connections() {
    return Engines.open().stream().mapToInt(Engines.OpenEngine::connections).sum();
  }

  @Test
  void metricsAreToldToUsers(@TempDir Path folder) throws Exception {
    Path users = Files.writeString(folder.resolve("users"), "ann: secret\n");
    ServerOptions options =
        new ServerOptions(URL, "127.0.0.1", 0, false, null, null, users, null, null);
    Properties login = new Properties();
    login.setProperty("avatica_user", "ann");
    login.setProperty("avatica_password", "secret");
    try (QueryServer server = QueryServer.start(options);
        HttpClient client = HttpClient.newHttpClient()) {
      assertEquals("401 401 Unauthorized\n", get(client, server, "/metrics"));
      String before = metrics(client, server, "secret");
      try (Connection connection = DriverManager.getConnection(server.clientUrl(), login);
          Statement statement = connection.createStatement()) {
        assertTrue(statement.executeQuery("select count(*) from nation").next());
        assertThrows(SQLException.class, () -> statement.executeQuery("select * from nowhere"));
        for (int i = 0; i < 5; i++) {
          assertTrue(
              connection
                  .createStatement()
                  .executeQuery("select * from nation where n_nationkey = " + i)
                  .next());
        }
        assertEquals("401 Unauthorized\n", metrics(client, server, "wrong"));
        String after = metrics(client, server, "secret");
        String run =
            "aragonite_request_seconds_count{protocol=\"avatica\",request=\"prepare_and_execute\"}";
        assertEquals(7, value(after, run) - value(before, run));
        String shared = "aragonite_plans_total{source=\"shared\"}";
        assertTrue(value(after, shared) - value(before, shared) >= 3, after);
        String unknown = "aragonite_errors_total{code=\"AR-102\",protocol=\"avatica\"}";
        assertEquals(1, value(after, unknown) - value(before, unknown));
        String refused = "aragonite_requests_refused_total{protocol=\"avatica\",reason=\"login\"}";
        assertEquals(1, value(after, refused) - value(before, refused));
        assertTrue(after.contains("\naragonite_memory_used_bytes{engine="), after);
        assertTrue(after.contains("jvm_memory_used_bytes"), after);
      }
    }
  }

  private static double value(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  private static String metrics(HttpClient client, QueryServer server, String password)
      throws Exception {
    String login = Base64.getEncoder().encodeToString(("ann:" + password).getBytes(UTF_8));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/metrics"))
            .header("Authorization", "Basic " + login)
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private static String get(HttpClient client, QueryServer server, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path)).build();
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    return answer.statusCode() + " " + answer.body();
  }

  @Test
  void aChangedKeystoreIsReadAgain(@TempDir Path folder) throws Exception {
    Path keystore = folder.resolve("keystore.p12");
    makeKeystore(folder.resolve("one"), "CN=one");
    makeKeystore(folder.resolve("two"), "CN=two");
    Files.copy(folder.resolve("one"), keystore);
    ServerOptions options =
        new ServerOptions(URL, "127.0.0.1", 0, false, null, null, null, keystore, "changeit");
    try (QueryServer server = QueryServer.start(options)) {
      assertEquals("CN=one", subject(server.port()));
      assertTrue(
          secretly(
                  server.port(),
                  "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
              .startsWith("HTTP/1.1 200"),
          "the certificate's name is none of the server's business");
      Files.writeString(keystore, "no keystore");
      Thread.sleep(2_000); // it has been looked at
      assertEquals("CN=one", subject(server.port()));
      makeKeystore(folder.resolve("old"), "CN=old", "-startdate", "-3d", "-validity", "1");
      Files.move(folder.resolve("old"), keystore, StandardCopyOption.REPLACE_EXISTING);
      AragoniteException expired =
          assertThrows(AragoniteException.class, () -> QueryServer.start(options));
      assertEquals(ErrorCode.SERVER_REFUSED, expired.code());
      assertTrue(expired.getMessage().contains("CN=old has expired at "), expired.getMessage());
      Thread.sleep(2_000);
      assertEquals("CN=one", subject(server.port()), "the good one stays");
      Files.move(folder.resolve("two"), keystore, StandardCopyOption.REPLACE_EXISTING);
      long end = System.nanoTime() + 30_000_000_000L;
      while (!subject(server.port()).equals("CN=two")) {
        assertTrue(System.nanoTime() < end, "the changed keystore was not read again");
        Thread.sleep(200);
      }
    }
    ServerOptions wrong =
        new ServerOptions(URL, "127.0.0.1", 0, false, null, null, null, keystore, "wrong");
    AragoniteException refused =
        assertThrows(AragoniteException.class, () -> QueryServer.start(wrong));
    assertEquals(ErrorCode.SERVER_REFUSED, refused.code());
    assertTrue(refused.getMessage().contains(keystore.toString()), refused.getMessage());
    assertHearsNothing(folder.resolve("one"));
  }

  /** A collector of traces whose certificate nobody vouches for. */
  private static void assertHearsNothing(Path keystore) throws Exception {
    KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(
        KeyStore.getInstance(keystore.toFile(), "changeit".toCharArray()),
        "changeit".toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    try (ServerSocket collector =
            context
                .getServerSocketFactory()
                .createServerSocket(0, 5, InetAddress.getLoopbackAddress());
        StatementTraces traces =
            StatementTraces.to("https://localhost:" + collector.getLocalPort(), true)) {
      traces.notPrepared(null, "values 1", new AssertionError());
      try (Socket client = collector.accept()) {
        assertThrows(SSLHandshakeException.class, () -> client.getInputStream().read());
      }
    }
  }

  private static void makeKeystore(Path file, String name, String... more) throws Exception {
    List<String> line = new ArrayList<>();
    Collections.addAll(
        line,
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-J-XX:TieredStopAtLevel=1",
        "-genkeypair",
        "-keyalg",
        "EC",
        "-dname",
        name,
        "-storetype",
        "PKCS12",
        "-storepass",
        "changeit",
        "-keystore",
        file.toString());
    Collections.addAll(line, more);
    Process keytool = new ProcessBuilder(line).redirectErrorStream(true).start();
    String output = new String(keytool.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, keytool.waitFor(), output);
  }

  private static String secretly(int port, String request) throws Exception {
    try (SSLSocket socket = socket(port)) {
      socket.getOutputStream().write(request.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private static SSLSocket socket(int port) throws Exception {
    SSLContext trusting = SSLContext.getInstance("TLS");
    trusting.init(null, new TrustManager[] {new TrustAll()}, null);
    return (SSLSocket) trusting.getSocketFactory().createSocket("127.0.0.1", port);
  }

  /** Whose certificate a new connection is shown. */
  private static String subject(int port) throws Exception {
    try (SSLSocket socket = socket(port)) {
      socket.startHandshake();
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
          .getSubjectX500Principal()
          .getName();
    }
  }

  /** Certificates are what is tested, not trust. */
  private static final class TrustAll extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
