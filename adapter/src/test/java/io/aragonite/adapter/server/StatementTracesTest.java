package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.sun.net.httpserver.HttpServer;
import io.aragonite.adapter.access.UserAccess;
import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.exec.error.AragoniteException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a collector of OpenTelemetry gets. */
@Timeout(120)
class StatementTracesTest {
  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  /** A span as it was sent. */
  private record Sent(
      String trace,
      String id,
      String parent,
      String name,
      long begin,
      long end,
      long status,
      Map<String, Object> attributes) {
    static Sent of(UnknownFieldSet span) {
      Map<String, Object> attributes = new HashMap<>();
      for (UnknownFieldSet each : messages(span, 9)) {
        UnknownFieldSet value = messages(each, 2).getFirst();
        attributes.put(
            text(each, 1),
            value.hasField(1) ? text(value, 1) : value.getField(3).getVarintList().getFirst());
      }
      List<UnknownFieldSet> status = messages(span, 15);
      return new Sent(
          hex(span, 1),
          hex(span, 2),
          hex(span, 4),
          text(span, 5),
          span.getField(7).getFixed64List().getFirst(),
          span.getField(8).getFixed64List().getFirst(),
          status.isEmpty() || !status.getFirst().hasField(3)
              ? 0
              : status.getFirst().getField(3).getVarintList().getFirst(),
          attributes);
    }

    private static ByteString bytes(UnknownFieldSet message, int field) {
      List<ByteString> all = message.getField(field).getLengthDelimitedList();
      return all.isEmpty() ? ByteString.EMPTY : all.getFirst();
    }

    private static String text(UnknownFieldSet message, int field) {
      return bytes(message, field).toStringUtf8();
    }

    private static String hex(UnknownFieldSet message, int field) {
      return HexFormat.of().formatHex(bytes(message, field).toByteArray());
    }
  }

  private static List<UnknownFieldSet> messages(UnknownFieldSet message, int field) {
    return message.getField(field).getLengthDelimitedList().stream()
        .map(bytes -> {
          try {
            return UnknownFieldSet.parseFrom(bytes);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        })
        .toList();
  }

  /** Takes what is sent to it. */
  private static final class Collector implements AutoCloseable {
    private final HttpServer http;
    private final List<Sent> spans = new CopyOnWriteArrayList<>();

    Collector() throws IOException {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      http.createContext(
          "/v1/traces",
          exchange -> {
            try (exchange) {
              UnknownFieldSet request = UnknownFieldSet.parseFrom(exchange.getRequestBody());
              messages(request, 1).stream()
                  .flatMap(resource -> messages(resource, 2).stream())
                  .flatMap(scope -> messages(scope, 2).stream())
                  .map(Sent::of)
                  .forEach(spans::add);
              exchange.sendResponseHeaders(200, -1);
            }
          });
      http.start();
    }

    String url() {
      return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    @Override
    public void close() {
      http.stop(0);
    }
  }

  private static QueryServer serve(StatementTraces traces) throws SQLException {
    return QueryServer.start(
        ServerOptions.local("jdbc:aragonite:tpch=0.01;device=cpu;threads=2")
            .withRules(ServerRules.none().withTraces(traces)));
  }

  private static void work(QueryServer server) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.clientUrl());
        Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery("select n_name from nation")) {
        while (rows.next()) {
          assertFalse(rows.getString(1).isEmpty());
        }
      }
      assertThrows(
          SQLException.class,
          () -> statement.executeQuery("select 1 / (n_nationkey - 5) from nation"));
      assertThrows(SQLException.class, () -> statement.executeQuery("select x from nation"));
    }
  }

  @Test
  void spansTellOfStatements() throws Exception {
    try (Collector collector = new Collector()) {
      try (StatementTraces traces = StatementTraces.to(collector.url(), true);
          QueryServer server = serve(traces)) {
        work(server);
      }
      List<Sent> all =
          collector.spans.stream().filter(span -> span.name.equals("statement")).toList();
      Sent good = find(all, "select n_name from nation");
      assertEquals("aragonite", good.attributes.get("db.system"));
      assertEquals(25L, good.attributes.get("aragonite.rows"));
      assertEquals("avatica", good.attributes.get("aragonite.protocol"));
      assertEquals(16, good.attributes.get("aragonite.query").toString().length());
      assertEquals("", good.parent);
      assertEquals(0, good.status);
      assertFalse(good.attributes.containsKey("error.type"));
      List<Sent> parts =
          collector.spans.stream().filter(span -> span.parent.equals(good.id)).toList();
      assertEquals(
          List.of("queueing", "planning", "execution", "result"),
          parts.stream().map(Sent::name).toList());
      long end = good.begin;
      for (Sent part : parts) {
        assertEquals(good.trace, part.trace);
        assertEquals(end, part.begin, part.name);
        assertTrue(part.end >= part.begin, part.name);
        end = part.end;
      }
      assertEquals(good.end, end);
      Sent failed = find(all, "select 1 / (n_nationkey - 5) from nation");
      assertEquals("AR-201", failed.attributes.get("error.type"));
      assertEquals(2, failed.status);
      assertNotEquals(good.trace, failed.trace);
      assertEquals("AR-103", find(all, "select x from nation").attributes.get("error.type"));
    }
  }

  /** A client may have its trace sampled or not; the audit log is of all that it does. */
  @Test
  void whatIsNotSampledIsInTheAuditLog(@TempDir Path folder) throws Exception {
    try (Collector collector = new Collector();
        AuditLog audit = AuditLog.open(folder.resolve("audit"))) {
      try (StatementTraces traces = StatementTraces.to(collector.url(), true)) {
        ServerRules rules = new ServerRules(null, audit, Admission.unlimited()).withTraces(traces);
        ServedRuns runs = new ServedRuns(rules, UserAccess.EVERYTHING);
        for (String flags : List.of("-00", "-01")) {
          try (var request =
              ClientRequest.begin(true, new ClientIdentity("avatica", "ann", "here"))) {
            request.traceParent(PARENT.replace("-01", flags));
            Execution run = new Execution(null);
            runs.begin(run, "sampled " + flags);
            run.close();
          }
        }
      }
      assertEquals(
          List.of("sampled -01"),
          collector.spans.stream()
              .filter(span -> span.name.equals("statement"))
              .map(span -> span.attributes.get("db.statement"))
              .toList());
      String lines = Files.readString(folder.resolve("audit.0"));
      assertTrue(lines.contains("sampled -00") && lines.contains("sampled -01"), lines);
    }
  }

  /** Where none of our errors ends a statement before it has its turn. */
  @Test
  @SuppressWarnings("NullAway") // an admission that fails
  void whatFailsUnexpectedlyIsToldAsWell(@TempDir Path folder) throws Exception {
    try (Collector collector = new Collector();
        AuditLog audit = AuditLog.open(folder.resolve("audit"))) {
      try (StatementTraces traces = StatementTraces.to(collector.url(), true)) {
        ServerRules rules = new ServerRules(null, audit, null).withTraces(traces);
        ServedRuns runs = new ServedRuns(rules, UserAccess.EVERYTHING);
        assertThrows(
            NullPointerException.class, () -> runs.begin(new Execution(null), "select broken"));
      }
      assertEquals("AR-901", find(collector.spans, "select broken").attributes.get("error.type"));
      String lines = Files.readString(folder.resolve("audit.0"));
      assertTrue(lines.contains("select broken") && lines.contains("AR-901"), lines);
    }
  }

  private static Sent find(List<Sent> spans, String sql) {
    return spans.stream()
        .filter(span -> sql.equals(span.attributes.get("db.statement")))
        .findFirst()
        .orElseThrow(() -> new AssertionError(spans.toString()));
  }

  @Test
  void spansHaveNoTextsUnlessTheyMay() throws Exception {
    try (Collector collector = new Collector()) {
      try (StatementTraces traces = StatementTraces.to(collector.url() + "/v1/traces", false);
          QueryServer server = serve(traces)) {
        work(server);
      }
      assertFalse(collector.spans.isEmpty());
      assertFalse(collector.spans.toString().contains("nation"), collector.spans::toString);
    }
  }

  @Test
  void aClientsTraceGoesOn() throws Exception {
    try (Collector collector = new Collector()) {
      try (StatementTraces traces = StatementTraces.to(collector.url(), true)) {
        for (String header : List.of(PARENT, "00-nonsense", PARENT.replace("-01", "-00"))) {
          try (var request =
              ClientRequest.begin(true, new ClientIdentity("avatica", "ann", "here"))) {
            request.traceParent(header);
            traces.notPrepared(request, header, new AssertionError());
          }
        }
      }
      Sent child = find(collector.spans, PARENT);
      assertEquals("0af7651916cd43dd8448eb211c80319c", child.trace);
      assertEquals("b7ad6b7169203331", child.parent);
      assertEquals("ann", child.attributes.get("db.user"));
      assertEquals("", find(collector.spans, "00-nonsense").parent);
      assertEquals(2, collector.spans.size(), "the client says that the last is not wanted");
    }
  }

  /** One that is not there, and one that takes requests and never answers. */
  @Test
  void aCollectorThatDoesNotAnswerIsNoMatter() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      for (int port : new int[] {1, silent.getLocalPort()}) {
        StatementTraces traces = StatementTraces.to("http://127.0.0.1:" + port, true);
        long begin = System.nanoTime();
        try (QueryServer server = serve(traces);
            Connection connection = DriverManager.getConnection(server.clientUrl());
            Statement statement = connection.createStatement()) {
          for (int i = 0; i < 700; i++) {
            statement.executeQuery("values 1").close();
          }
        }
        Duration worked = Duration.ofNanos(System.nanoTime() - begin);
        assertTrue(worked.toSeconds() < 50, worked::toString);
        traces.close();
        Duration all = Duration.ofNanos(System.nanoTime() - begin);
        assertTrue(all.minus(worked).toSeconds() < 20, all::toString);
      }
    }
    for (String wrong : List.of("localhost:4318", "ftp://host", "http://a b", "")) {
      assertThrows(AragoniteException.class, () -> StatementTraces.to(wrong, true), wrong);
    }
  }
}
