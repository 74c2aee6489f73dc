package io.aragonite.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.aragonite.adapter.server.Admission;
import io.aragonite.adapter.server.AuditLog;
import io.aragonite.adapter.server.BearerTokens;
import io.aragonite.adapter.server.ServerOptions;
import io.aragonite.adapter.server.ServerRules;
import io.aragonite.adapter.server.TokenOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Properties;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tokens of an issuer that the server trusts. */
@Timeout(120)
class FlightTokenTest {
  private static final String ACCESS =
      """
      {"roles": {
         "clerk": {"ownTables": true, "grants": [
           {"schema": "files", "table": "people", "rows": "owner = CURRENT_USER"}]},
         "reader": {"grants": [{"schema": "files", "table": "depts"}]}},
       "users": {"ann": {"roles": ["clerk"]}}}
      """;

  @TempDir private static Path folder;
  private static ECKey key;
  private static AuditLog audit;
  private static FlightSqlServer server;

  @BeforeAll
  static void start() throws Exception {
    key = new ECKeyGenerator(Curve.P_256).keyID("k").generate();
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.writeString(data.resolve("people.csv"), "id,owner\n1,ann\n2,bob\n3,ann\n");
    Files.writeString(data.resolve("depts.csv"), "dept\n0\n1\n");
    Files.writeString(folder.resolve("access.json"), ACCESS);
    Path keys = Files.writeString(folder.resolve("keys.json"), new JWKSet(key).toString());
    audit = AuditLog.open(folder.resolve("audit"));
    BearerTokens tokens =
        new BearerTokens(new TokenOptions("issuer", "aragonite", keys.toString(), "sub", "roles"));
    server =
        FlightSqlServer.start(
            new ServerOptions(
                    "jdbc:aragonite:directory=%s;device=cpu;threads=2".formatted(data),
                    "127.0.0.1",
                    0,
                    false,
                    Duration.ofMinutes(1),
                    null,
                    null,
                    null,
                    null)
                .withRules(
                    new ServerRules(
                        folder.resolve("access.json"), audit, Admission.unlimited(), tokens)));
  }

  @AfterAll
  static void stop() throws SQLException {
    server.close();
    audit.close();
  }

  private static String token(String user, long seconds, String... roles) throws Exception {
    SignedJWT jwt =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("k").build(),
            new JWTClaimsSet.Builder()
                .issuer("issuer")
                .audience("aragonite")
                .subject(user)
                .claim("roles", List.of(roles))
                .expirationTime(Date.from(Instant.now().plusSeconds(seconds)))
                .build());
    jwt.sign(new ECDSASigner(key));
    return jwt.serialize();
  }

  private static Connection connect(String... properties) throws SQLException {
    Properties all = new Properties();
    for (int i = 0; i < properties.length; i += 2) {
      all.setProperty(properties[i], properties[i + 1]);
    }
    return DriverManager.getConnection(server.clientUrl(), all);
  }

  private static long count(Connection connection, String table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from " + table)) {
      assertTrue(rows.next());
      return rows.getLong(1);
    }
  }

  @Test
  void apachesDriverSendsTokens() throws Exception {
    try (Connection connection = connect("token", token("ann", 60));
        Statement statement = connection.createStatement()) {
      assertEquals(2, count(connection, "people"));
      assertThrows(SQLException.class, () -> count(connection, "depts"));
      statement.execute("create table t (i integer)");
      assertEquals(0, count(connection, "t"));
    }
    try (Connection connection = connect("token", token("bob", 60, "clerk", "reader"))) {
      assertEquals(1, count(connection, "people"));
      assertEquals(2, count(connection, "depts"));
    }
    for (String name : new String[] {"ann", "token"}) {
      try (Connection connection = connect("user", name, "password", token("ann", 60))) {
        assertEquals(2, count(connection, "people"));
        assertEquals(2, count(connection, "people"));
      }
    }
  }

  private static HeaderCallOption bearer(String token) {
    CallHeaders headers = new FlightCallHeaders();
    headers.insert("authorization", "Bearer " + token);
    return new HeaderCallOption(headers);
  }

  private static void refused(FlightSqlClient client, String token, String part) {
    FlightRuntimeException error =
        assertThrows(
            FlightRuntimeException.class, () -> client.execute("select 1", bearer(token)));
    assertEquals(FlightStatusCode.UNAUTHENTICATED, error.status().code());
    assertTrue(error.getMessage().contains("AR-404"), error.getMessage());
    assertTrue(error.getMessage().contains(part), error.getMessage());
  }

  @Test
  void eachCallNeedsAGoodToken() throws Exception {
    try (RootAllocator allocator = new RootAllocator();
        FlightClient plain =
            FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
                .build();
        FlightSqlClient client = new FlightSqlClient(plain)) {
      // Good for three seconds more, since clocks may differ by a minute.
      String ending = token("ann", -57);
      client.executeUpdate("create table t (i integer)", bearer(ending));
      Thread.sleep(4_000);
      refused(client, ending, "expired");
      // The next token of the user goes on with what there is.
      assertEquals(
          1, client.executeUpdate("insert into t values (1)", bearer(token("ann", 60))));
      String other = token("ann", 60, "reader");
      assertThrows(
          FlightRuntimeException.class,
          () -> client.executeUpdate("insert into t values (1)", bearer(other)));
      String good = token("ann", 60);
      refused(client, good.substring(0, good.lastIndexOf('.') + 1) + "AAAA", "token");
      refused(client, "ey" + "A".repeat(20_000), "too long");
      refused(client, "nonsense", "token");
      FlightRuntimeException nobody =
          assertThrows(FlightRuntimeException.class, () -> client.execute("select 1"));
      assertEquals(FlightStatusCode.UNAUTHENTICATED, nobody.status().code());
      SQLException wrong =
          assertThrows(
              SQLException.class, () -> connect("user", "bob", "password", good).close());
      assertTrue(wrong.getMessage().contains("another user"), wrong.getMessage());
      SQLException plainPassword =
          assertThrows(
              SQLException.class, () -> connect("user", "bob", "password", "x").close());
      assertTrue(plainPassword.getMessage().contains("AR-404"), plainPassword.getMessage());
    }
    String lines = Files.readString(folder.resolve("audit.0"));
    assertTrue(lines.contains("\"reason\":\"The token has expired"), lines);
  }
}
