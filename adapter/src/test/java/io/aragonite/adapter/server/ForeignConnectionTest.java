package io.aragonite.adapter.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections and statements of one user are not there for another, whatever they are asked. */
class ForeignConnectionTest {
  private static HttpResponse<String> post(
      QueryServer server, HttpClient client, String user, String body) throws Exception {
    String login = Base64.getEncoder().encodeToString((user + ":" + user).getBytes(UTF_8));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/"))
            .header("Authorization", "Basic " + login)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static String request(String name, String connection, String more) {
    return "{\"request\":\"%s\",\"connectionId\":\"%s\"%s}".formatted(name, connection, more);
  }

  @Test
  void whatIsAnothersIsNotThere(@TempDir Path folder) throws Exception {
    Path users = Files.writeString(folder.resolve("users"), "ann: ann\nbob: bob\n");
    ServerOptions options =
        new ServerOptions(
            "jdbc:aragonite:threads=1;device=cpu",
            "127.0.0.1",
            0,
            true,
            null,
            null,
            users,
            null,
            null);
    try (QueryServer server = QueryServer.start(options);
        HttpClient client = HttpClient.newHttpClient()) {
      for (String user : List.of("ann", "bob")) {
        String open = request("openConnection", "of-" + user, ",\"info\":{}");
        assertEquals(200, post(server, client, user, open).statusCode());
      }
      HttpResponse<String> made =
          post(server, client, "ann", request("createStatement", "of-ann", ""));
      int number = new ObjectMapper().readTree(made.body()).get("statementId").asInt();
      String run =
          ",\"statementId\":%d,\"sql\":\"select 1\",\"maxRowCount\":-1,\"maxRowsInFirstFrame\":10"
              .formatted(number);
      String fetch = ",\"statementId\":%d,\"offset\":0,\"fetchMaxRowCount\":10".formatted(number);
      assertEquals(
          200,
          post(server, client, "ann", request("prepareAndExecute", "of-ann", run)).statusCode());
      for (String[] asked :
          new String[][] {
            {"fetch", fetch},
            {"prepareAndExecute", run},
            {"createStatement", ""},
            {"prepare", ",\"sql\":\"select 1\",\"maxRowCount\":-1"},
            {"getSchemas", ",\"catalog\":null,\"schemaPattern\":\"%\""},
            {"closeStatement", ",\"statementId\":" + number},
            {"commit", ""},
          }) {
        HttpResponse<String> foreign =
            post(server, client, "bob", request(asked[0], "of-ann", asked[1]));
        HttpResponse<String> nothing =
            post(server, client, "bob", request(asked[0], "of-nil", asked[1]));
        assertEquals(nothing.statusCode(), foreign.statusCode(), asked[0]);
        assertEquals(nothing.body().replace("of-nil", "of-ann"), foreign.body(), asked[0]);
      }
      // To close one that is not there is no error.
      HttpResponse<String> closed =
          post(server, client, "bob", request("closeConnection", "of-ann", ""));
      assertTrue(closed.statusCode() >= 400, closed.body());
      // The number of a statement of another connection's.
      HttpResponse<String> rows = post(server, client, "bob", request("fetch", "of-bob", fetch));
      assertTrue(rows.statusCode() >= 400, rows.body());
      HttpResponse<String> own =
          post(server, client, "ann", request("prepareAndExecute", "of-ann", run));
      assertEquals(200, own.statusCode(), own.body());
      assertTrue(own.body().contains("[[1]]"), own.body());
    }
  }
}
