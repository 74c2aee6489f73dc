package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** However many rows a client asks for at a time, a frame has so many that a server can hold it. */
class FrameLimitTest {
  private static final int MOST = 50_000;
  private static final int ROWS = 60_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  private static JsonNode post(QueryServer server, HttpClient client, String body)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/"))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    assertEquals(200, answer.statusCode(), answer.body());
    return JSON.readTree(answer.body());
  }

  @Test
  void framesHaveABound() throws Exception {
    ServerOptions options =
        new ServerOptions(
            "jdbc:aragonite:threads=1;device=cpu",
            "127.0.0.1",
            0,
            true,
            null,
            null,
            null,
            null,
            null);
    try (QueryServer server = QueryServer.start(options);
        HttpClient client = HttpClient.newHttpClient()) {
      post(server, client, "{\"request\":\"openConnection\",\"connectionId\":\"c\",\"info\":{}}");
      for (long wanted : new long[] {-2, 0, Integer.MAX_VALUE}) {
        int statement =
            post(server, client, "{\"request\":\"createStatement\",\"connectionId\":\"c\"}")
                .get("statementId")
                .asInt();
        JsonNode run =
            post(
                server,
                client,
                ("{\"request\":\"prepareAndExecute\",\"connectionId\":\"c\",\"statementId\":%d,\"sql\":\"select"
                     + " * from range(%d)\",\"maxRowCount\":-1,\"maxRowsInFirstFrame\":%d}")
                    .formatted(statement, ROWS, wanted));
        JsonNode frame = run.get("results").get(0).get("firstFrame");
        int rows = frame.get("rows").size();
        assertTrue(rows <= MOST, rows + " rows of the first frame, of " + wanted);
        while (!frame.get("done").asBoolean()) {
          frame =
              post(
                      server,
                      client,
                      ("{\"request\":\"fetch\",\"connectionId\":\"c\",\"statementId\":%d,\"offset\":%d,\"fetchMaxRowCount\":%d}")
                          .formatted(statement, rows, wanted))
                  .get("frame");
          assertTrue(
              frame.get("rows").size() <= MOST, frame.get("rows").size() + " rows of " + wanted);
          rows += frame.get("rows").size();
        }
        assertEquals(ROWS, rows, "of " + wanted);
      }
    }
  }
}
