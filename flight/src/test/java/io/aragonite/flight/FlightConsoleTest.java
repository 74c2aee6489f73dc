package io.aragonite.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.server.QueryServer;
import io.aragonite.adapter.server.ServerOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The console of a process has the queries of its Flight clients too. */
@Timeout(60)
class FlightConsoleTest {
  /** Takes hours. */
  private static final String LONG =
      "select count(*) from lineitem a, lineitem b, lineitem c, lineitem d"
          + " where a.l_quantity + b.l_quantity + c.l_quantity + d.l_quantity < -1";

  private static final Pattern RUNNING =
      Pattern.compile("\"id\":\"([0-9a-f]+)\",\"user\":null,\"protocol\":\"flight\"[^}]*\"running\"");

  private static HttpResponse<String> send(HttpClient http, HttpRequest.Builder request)
      throws Exception {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void queriesOfFlightAreSeenAndCancelled() throws Exception {
    ServerOptions options = ServerOptions.local("jdbc:aragonite:device=cpu;tpch=0.001");
    try (QueryServer server = QueryServer.start(options);
        FlightSqlServer flight = FlightSqlServer.start(options);
        HttpClient http = HttpClient.newHttpClient();
        Connection connection =
            DriverManager.getConnection(
                "jdbc:arrow-flight-sql://127.0.0.1:%d/?useEncryption=false"
                    .formatted(flight.port()));
        Statement statement = connection.createStatement()) {
      CompletableFuture<String> ended =
          CompletableFuture.supplyAsync(() -> {
            try (ResultSet rows = statement.executeQuery(LONG)) {
              return "rows: " + rows.next();
            } catch (SQLException e) {
              return String.valueOf(e.getMessage());
            }
          });
      URI queries = URI.create("http://127.0.0.1:" + server.port() + "/console/queries");
      Matcher found = RUNNING.matcher("");
      while (!found.find()) {
        Thread.sleep(20);
        found = RUNNING.matcher(send(http, HttpRequest.newBuilder(queries)).body());
      }
      String id = found.group(1);
      assertTrue(
          send(http, HttpRequest.newBuilder(URI.create(queries + "/" + id)))
              .body()
              .contains("NestedLoopJoin"));
      HttpRequest.Builder cancel =
          HttpRequest.newBuilder(URI.create(queries + "/" + id + "/cancel"))
              .header("X-Aragonite-Console", "cancel")
              .POST(HttpRequest.BodyPublishers.noBody());
      assertEquals(200, send(http, cancel).statusCode());
      assertTrue(ended.get(30, TimeUnit.SECONDS).contains("AR-602"), ended.get());
    }
  }
}
