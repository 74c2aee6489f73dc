package io.aragonite.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.server.ServerOptions;
import io.aragonite.exec.error.AragoniteException;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users, tokens and TLS. */
class FlightLoginTest {
  @TempDir private Path folder;

  private ServerOptions options(Path keystore) throws IOException {
    Path users = folder.resolve("users");
    Files.writeString(users, "ann: secret,user\nbob: other,guest\n");
    return new ServerOptions(
        "jdbc:aragonite:device=cpu",
        "127.0.0.1",
        0,
        false,
        Duration.ofMinutes(1),
        Duration.ofMinutes(1),
        users,
        keystore,
        keystore == null ? null : "changeit");
  }

  private static Connection connect(FlightSqlServer server, String user, String password)
      throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    return DriverManager.getConnection(server.clientUrl(), properties);
  }

  @Test
  void usersLogInByNameAndPassword() throws Exception {
    try (FlightSqlServer server = FlightSqlServer.start(options(null))) {
      for (String[] wrong : new String[][] {{"ann", "wrong"}, {"bob", "other"}}) {
        SQLException error =
            assertThrows(SQLException.class, () -> connect(server, wrong[0], wrong[1]).close());
        assertTrue(error.getMessage().contains("AR-404"), error.getMessage());
      }
      assertThrows(
          SQLException.class,
          () -> {
            try (Connection nobody = DriverManager.getConnection(server.clientUrl());
                Statement statement = nobody.createStatement()) {
              statement.executeQuery("select 1");
            }
          });
      assertEquals(0, server.sessionCount());
      try (Connection ann = connect(server, "ann", "secret");
          Statement statement = ann.createStatement()) {
        statement.execute("create table t (i integer)");
        assertEquals(1, statement.executeUpdate("insert into t values (1)"));
        try (Connection again = connect(server, "ann", "secret");
            Statement other = again.createStatement()) {
          // The tables of a session are its own.
          assertThrows(SQLException.class, () -> other.executeQuery("select * from t"));
        }
        assertEquals(2, server.sessionCount());
      }
    }
  }

  @Test
  void tokensAndPasswordsLeadToOneSession() throws Exception {
    try (FlightSqlServer server = FlightSqlServer.start(options(null));
        RootAllocator allocator = new RootAllocator();
        FlightClient plain =
            FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
                .build();
        FlightSqlClient client = new FlightSqlClient(plain)) {
      CallHeaders basic = new FlightCallHeaders();
      basic.insert("authorization", "Basic YW5uOnNlY3JldA==");
      HeaderCallOption password = new HeaderCallOption(basic);
      client.executeUpdate("create table t (i integer)", password);
      assertEquals(1, client.executeUpdate("insert into t values (1)", password));
      assertEquals(1, server.sessionCount());
      CredentialCallOption token = plain.authenticateBasicToken("ann", "secret").orElseThrow();
      assertEquals(0, client.executeUpdate("create table u (i integer)", token));
      assertEquals(1, client.executeUpdate("insert into u values (1)", token));
      assertEquals(2, server.sessionCount());
      for (String wrong :
          new String[] {"Bearer nonsense", "Bearer ", "Basic ???", "Basic bm9wZQ==", "Digest x"}) {
        CallHeaders headers = new FlightCallHeaders();
        headers.insert("authorization", wrong);
        FlightRuntimeException error =
            assertThrows(
                FlightRuntimeException.class,
                () -> client.execute("select 1", new HeaderCallOption(headers)));
        assertEquals(FlightStatusCode.UNAUTHENTICATED, error.status().code());
        assertTrue(error.getMessage().contains("AR-404"), error.getMessage());
      }
    }
  }

  private static FlightClient plain(FlightSqlServer server, RootAllocator allocator) {
    return FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
        .build();
  }

  @Test
  void aTokenEndsWithThePasswordThatItCameOf() throws Exception {
    try (FlightSqlServer server = FlightSqlServer.start(options(null));
        RootAllocator allocator = new RootAllocator();
        FlightClient plain = plain(server, allocator);
        FlightSqlClient client = new FlightSqlClient(plain)) {
      CredentialCallOption token = plain.authenticateBasicToken("ann", "secret").orElseThrow();
      client.execute("select 1", token);
      assertEquals(1, server.sessionCount());
      Files.writeString(folder.resolve("users"), "ann: changed,user\nbob: other,guest\n");
      Thread.sleep(1500); // the file is looked at once a second
      FlightRuntimeException error =
          assertThrows(FlightRuntimeException.class, () -> client.execute("select 1", token));
      assertEquals(FlightStatusCode.UNAUTHENTICATED, error.status().code());
      assertEquals(0, server.sessionCount());
      client.execute("select 1", plain.authenticateBasicToken("ann", "changed").orElseThrow());
    }
  }

  @Test
  void sessionsThatNobodyIsAtMakeRoom() throws Exception {
    try (FlightSqlServer server = FlightSqlServer.start(options(null));
        RootAllocator allocator = new RootAllocator();
        FlightClient stays = plain(server, allocator);
        FlightSqlClient staying = new FlightSqlClient(stays)) {
      CredentialCallOption kept = stays.authenticateBasicToken("ann", "secret").orElseThrow();
      staying.executeUpdate("create table t (i integer)", kept);
      for (int i = 0; i < FlightSessions.MAX_SESSIONS + 3; i++) {
        try (FlightClient plain = plain(server, allocator);
            FlightSqlClient client = new FlightSqlClient(plain)) {
          client.execute("select 1", plain.authenticateBasicToken("ann", "secret").orElseThrow());
        }
      }
      assertTrue(server.sessionCount() <= FlightSessions.MAX_SESSIONS);
      assertEquals(1, staying.executeUpdate("insert into t values (1)", kept));
    }
  }

  @Test
  void anotherAddressNeedsUsersAndTls() {
    ServerOptions open =
        new ServerOptions(
            "jdbc:aragonite:device=cpu", "0.0.0.0", 0, false, null, null, null, null, null);
    AragoniteException error =
        assertThrows(AragoniteException.class, () -> FlightSqlServer.start(open));
    assertTrue(error.getMessage().contains("--keystore"), error.getMessage());
  }

  @Test
  void tls() throws Exception {
    Path keystore = folder.resolve("server.p12");
    makeKeystore(keystore, "localhost");
    char[] password = "changeit".toCharArray();
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(
        "server", KeyStore.getInstance(keystore.toFile(), password).getCertificate("server"));
    Path truststore = folder.resolve("trusted.p12");
    try (OutputStream out = Files.newOutputStream(truststore)) {
      trusted.store(out, password);
    }
    try (FlightSqlServer server = FlightSqlServer.start(options(keystore))) {
      Properties properties = new Properties();
      properties.setProperty("user", "ann");
      properties.setProperty("password", "secret");
      properties.setProperty("useSystemTrustStore", "false");
      properties.setProperty("trustStore", truststore.toString());
      properties.setProperty("trustStorePassword", "changeit");
      try (Connection connection = DriverManager.getConnection(server.clientUrl(), properties);
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("select 42")) {
        assertTrue(rows.next());
        assertEquals(42, rows.getInt(1));
      }
      String plain = server.clientUrl().replace("useEncryption=true", "useEncryption=false");
      assertThrows(SQLException.class, () -> DriverManager.getConnection(plain, properties).close());
    }
  }

  private void makeKeystore(Path keystore, String name) throws Exception {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "san=ip:127.0.0.1",
                "-storepass",
                "changeit",
                "-keystore",
                keystore.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.log").toFile())
            .start();
    assertEquals(0, keytool.waitFor());
  }

  /** The name in the certificate that a new connection gets. */
  private static String subject(int port) throws Exception {
    SSLContext anybody = SSLContext.getInstance("TLS");
    anybody.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
    try (SSLSocket socket =
        (SSLSocket) anybody.getSocketFactory().createSocket("127.0.0.1", port)) {
      SSLParameters http2 = socket.getSSLParameters();
      http2.setApplicationProtocols(new String[] {"h2"});
      socket.setSSLParameters(http2);
      socket.startHandshake();
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
          .getSubjectX500Principal()
          .getName();
    }
  }

  @Test
  void aChangedKeystoreIsReadAgain() throws Exception {
    Path keystore = folder.resolve("changed.p12");
    makeKeystore(keystore, "one");
    makeKeystore(folder.resolve("two"), "two");
    try (FlightSqlServer server = FlightSqlServer.start(options(keystore))) {
      assertEquals("CN=one", subject(server.port()));
      Files.writeString(keystore, "no keystore");
      Thread.sleep(2_000); // it has been looked at
      assertEquals("CN=one", subject(server.port()));
      Files.move(folder.resolve("two"), keystore, StandardCopyOption.REPLACE_EXISTING);
      long end = System.nanoTime() + 30_000_000_000L;
      while (!subject(server.port()).equals("CN=two")) {
        assertTrue(System.nanoTime() < end, "the changed keystore was not read again");
        Thread.sleep(200);
      }
    }
  }
}
