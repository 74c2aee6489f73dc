package io.aragonite.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.aragonite.adapter.server.QueryServer;
import io.aragonite.adapter.server.ServerOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.Socket;
import java.util.ArrayList;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCreatePreparedStatementRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCreatePreparedStatementResult;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandPreparedStatementUpdate;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlInfo;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampSecVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

/** Arrow's own client of Flight SQL: what goes over the wire, well formed and not. */
class FlightClientTest extends FlightClients {
  @Test
  void theColumnsOfAStreamAreThoseOfItsInfo() throws Exception {
    try (FlightSqlClient client = connect()) {
      for (String sql :
          List.of(
              "select * from lineitem limit 3",
              "select count(*) as n, sum(l_quantity) as q, avg(l_tax) as a from lineitem",
              "select array[1] as a, row(1, 'x') as r, map['k', date '2024-01-02'] as m, null as n,"
                  + " interval '1' day as d, interval '2' month as y,"
                  + " timestamp with time zone '2024-01-02 03:04:05+00:00' as z",
              "explain plan for select 1")) {
        FlightInfo info = client.execute(sql);
        try (FlightStream stream = client.getStream(info.getEndpoints().getFirst().getTicket())) {
          assertEquals(info.getSchema(), stream.getSchema(), sql);
          while (stream.next()) {}
        }
      }
      assertEquals(
          List.of("[[1], {\"EXPR$0\":1,\"EXPR$1\":\"x\"}, [{\"key\":\"k\",\"value\":19724}], PT24H, P2M]"),
          read(
              client,
              client.execute(
                  "select array[1], row(1, 'x'), map['k', date '2024-01-02'],"
                      + " interval '1' day, interval '2' month")));
    }
  }

  @Test
  void updatesForSeveralRowsOfParameters() throws Exception {
    try (FlightSqlClient client = connect()) {
      assertEquals(0, client.executeUpdate("create table p (i integer, s varchar)"));
      Schema two =
          new Schema(
              List.of(
                  Field.nullable("a", new ArrowType.Int(32, true)),
                  Field.nullable("b", ArrowType.Utf8.INSTANCE)));
      try (PreparedStatement insert = client.prepare("insert into p values (?, ?)");
          VectorSchemaRoot rows = VectorSchemaRoot.create(two, allocator)) {
        assertEquals(0, insert.getResultSetSchema().getFields().size());
        assertEquals(
            List.of(new ArrowType.Int(32, true), ArrowType.Utf8.INSTANCE),
            insert.getParameterSchema().getFields().stream().map(Field::getType).toList());
        IntVector numbers = (IntVector) rows.getVector(0);
        VarCharVector texts = (VarCharVector) rows.getVector(1);
        numbers.setSafe(0, 1);
        texts.setSafe(0, "x".getBytes(StandardCharsets.UTF_8));
        numbers.setNull(1);
        texts.setNull(1);
        numbers.setSafe(2, 3);
        texts.setSafe(2, "".getBytes(StandardCharsets.UTF_8));
        rows.setRowCount(3);
        insert.setParameters(rows);
        assertEquals(3, insert.executeUpdate());
      }
      assertEquals(
          List.of("[1, x]", "[3, ]", "[null, null]"),
          read(client, client.execute("select * from p order by i")));
      // A query that changes something is run where its result is read.
      assertEquals(List.of(), read(client, client.execute("insert into p values (4, 'y')")));
      assertEquals(List.of("[4]"), read(client, client.execute("select count(*) from p")));
    }
  }

  @Test
  void aQueryTakesOneRowOfParameters() throws Exception {
    Schema one = new Schema(List.of(Field.nullable("a", new ArrowType.Int(64, true))));
    try (FlightSqlClient client = connect();
        PreparedStatement query =
            client.prepare("select n_name from nation where n_nationkey = ?");
        VectorSchemaRoot rows = VectorSchemaRoot.create(one, allocator)) {
      BigIntVector keys = (BigIntVector) rows.getVector(0);
      keys.setSafe(0, 7);
      rows.setRowCount(1);
      query.setParameters(rows);
      assertEquals(List.of("[GERMANY]"), read(client, query.execute()));
      keys.setSafe(1, 8);
      rows.setRowCount(2);
      query.setParameters(rows);
      refused(FlightStatusCode.INVALID_ARGUMENT, "one row of parameters", query::execute);
      refused(
          FlightStatusCode.INVALID_ARGUMENT,
          "AR-207",
          () -> {
            try (PreparedStatement unset = client.prepare("select ? + 1")) {
              read(client, unset.execute());
            }
          });
    }
  }

  @Test
  void metadata() throws Exception {
    try (FlightSqlClient client = connect()) {
      assertEquals(List.of(), read(client, client.getCatalogs()));
      assertEquals(
          List.of("[null, tpch]"), read(client, client.getSchemas(null, "tp%")));
      assertEquals(
          List.of("[null, tpch, nation, TABLE]"),
          read(client, client.getTables(null, "tpch", "nat%", List.of("TABLE"), false)));
      assertEquals(
          1, read(client, client.getTables(null, "tpch", "nation", null, true)).size());
      assertTrue(read(client, client.getTableTypes()).contains("[TABLE]"));
      assertTrue(
          read(client, client.getXdbcTypeInfo()).toString().contains("VARCHAR"));
      assertTrue(
          read(client, client.getSqlInfo(SqlInfo.FLIGHT_SQL_SERVER_NAME, SqlInfo.FLIGHT_SQL_SERVER_CANCEL))
              .toString()
              .contains("Aragonite"));
      assertTrue(read(client, client.getSqlInfo()).size() > 30);
    }
  }

  @Test
  void transactionsAreRefused() throws Exception {
    try (FlightSqlClient client = connect()) {
      refused(
          FlightStatusCode.UNIMPLEMENTED, "AR-502", () -> client.beginTransaction());
      refused(
          FlightStatusCode.UNIMPLEMENTED,
          "There are no transactions",
          () ->
              client.execute(
                  "select 1", new FlightSqlClient.Transaction(new byte[] {1})));
    }
  }

  @Test
  void badRequestsAreRefusedAndTheServerGoesOn() throws Exception {
    try (FlightSqlClient client = connect();
        FlightSqlClient other = connect()) {
      FlightInfo info = client.execute("select 1");
      Ticket ticket = info.getEndpoints().getFirst().getTicket();
      refused(FlightStatusCode.NOT_FOUND, "no such statement", () -> read(other, info));
      assertEquals(List.of("[1]"), read(client, info));
      refused(FlightStatusCode.NOT_FOUND, "no such statement", () -> read(client, info));
      for (byte[] bytes :
          List.of(
              new byte[0],
              new byte[] {1, 2, 3},
              "garbage".getBytes(StandardCharsets.UTF_8),
              Arrays.copyOf(ticket.getBytes(), ticket.getBytes().length - 2))) {
        refused(
            FlightStatusCode.INVALID_ARGUMENT,
            "AR-406",
            () -> {
              try (FlightStream stream = client.getStream(new Ticket(bytes))) {
                stream.next();
              }
            });
      }
      try (FlightClient plain =
          FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
              .build()) {
        refused(
            FlightStatusCode.INVALID_ARGUMENT,
            "AR-406",
            () -> plain.getInfo(FlightDescriptor.command(new byte[] {9, 9})));
        refused(
            FlightStatusCode.INVALID_ARGUMENT,
            "AR-406",
            () -> plain.getInfo(FlightDescriptor.path("a", "b")));
        refused(
            FlightStatusCode.INVALID_ARGUMENT,
            "AR-406",
            () -> plain.doAction(new Action("CreatePreparedStatement", new byte[] {7})).next());
      }
      refused(
          FlightStatusCode.RESOURCE_EXHAUSTED,
          "",
          () -> client.execute("select '" + "x".repeat(FlightSqlServer.MAX_REQUEST) + "'"));
      refused(FlightStatusCode.INVALID_ARGUMENT, "AR-101", () -> client.execute("select from"));
      refused(FlightStatusCode.NOT_FOUND, "AR-102", () -> client.execute("select * from nix"));
      refused(
          FlightStatusCode.INVALID_ARGUMENT,
          "AR-201",
          () -> read(client, client.execute("select 1 / (n_nationkey - 7) from nation")));
      assertEquals(List.of("[25]"), read(client, client.execute("select count(*) from nation")));
    }
  }

  /** Bytes that are no calls end their network connection, soon and with a short answer. */
  @Test
  void bytesThatAreNoProtocolEndTheirConnection() throws Exception {
    String preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    String settings = "\0\0\0\4\0\0\0\0\0";
    String large = "\u00ff\u00ff\u00ff\0\0\0\0\0\1";
    byte[] noise = new byte[5_000];
    new Random(28).nextBytes(noise);
    for (String bytes :
        List.of(
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            preface + settings + large,
            preface + settings + new String(noise, StandardCharsets.ISO_8859_1),
            new String(noise, StandardCharsets.ISO_8859_1))) {
      try (Socket socket = new Socket("127.0.0.1", server.port())) {
        socket.setSoTimeout(8_000); // before the time for the handshake is over
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        assertTrue(socket.getInputStream().readAllBytes().length < 1_000);
      } catch (SocketException e) {
        // It was closed with bytes on their way.
      }
    }
    try (FlightSqlClient client = connect()) {
      assertThrows(
          FlightRuntimeException.class,
          () -> client.execute("select '" + "x".repeat(FlightSqlServer.MAX_REQUEST) + "'"));
      awaitRefused("connection", "message");
      assertEquals(List.of("[25]"), read(client, client.execute("select count(*) from nation")));
    }
  }

  /** The metrics are the process's: another server of it tells them. */
  private static void awaitRefused(String... reasons) throws Exception {
    try (QueryServer told = QueryServer.start(ServerOptions.local("jdbc:aragonite:device=cpu"));
        HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/metrics".formatted(told.port())))
              .build();
      List<String> missing = new ArrayList<>(List.of(reasons));
      String metrics = "";
      for (int i = 0; i < 200 && !missing.isEmpty(); i++) {
        Thread.sleep(50);
        metrics = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        String text = metrics;
        missing.removeIf(
            reason ->
                text.contains(
                    "aragonite_requests_refused_total{protocol=\"flight\",reason=\"%s\"}"
                        .formatted(reason)));
      }
      assertEquals(List.of(), missing, metrics);
    }
  }

  @Test
  void filesAreWrittenByTheServersRulesOnly() throws Exception {
    try (FlightSqlClient client = connect()) {
      refused(
          FlightStatusCode.UNAUTHORIZED,
          "AR-312",
          () -> client.executeUpdate("copy (select 1 as x) to '/tmp/never.csv'"));
    }
  }

  @Test
  void nestedNullsAndStructs() throws Exception {
    try (FlightSqlClient client = connect()) {
      for (String[] test :
          new String[][] {
            {"select array[null]", "[[null]]"},
            {"select row(1, null)", "[{\"EXPR$0\":1}]"},
            {"select [{'a': 1, 'b': null}]", "[[{\"a\":1}]]"},
            {"select {'a': null}", "[{}]"},
            {"select map['a', null]", "[[{\"key\":\"a\"}]]"},
            {
              "select array[row(1, array[2, null]), null]",
              "[[{\"EXPR$0\":1,\"EXPR$1\":[2,null]},null]]"
            },
            {"select array[array[row(1, 2)]]", "[[[{\"EXPR$0\":1,\"EXPR$1\":2}]]]"},
            {
              "select row(array[row(date '1970-01-03')], 'x')",
              "[{\"EXPR$0\":[{\"EXPR$0\":2}],\"EXPR$1\":\"x\"}]"
            },
            {
              "select list({'a': n_nationkey, 'b': n_name}) from nation where n_nationkey < 2",
              "[[{\"a\":0,\"b\":\"ALGERIA\"},{\"a\":1,\"b\":\"ARGENTINA\"}]]"
            },
            {
              "select map[1, row(1, 'x')]",
              "[[{\"key\":1,\"value\":{\"EXPR$0\":1,\"EXPR$1\":\"x\"}}]]"
            }
          }) {
        assertEquals(List.of(test[1]), read(client, client.execute(test[0])), test[0]);
      }
    }
  }

  @Test
  void manyNestedRows() throws Exception {
    try (FlightSqlClient client = connect()) {
      List<String> rows =
          read(
              client,
              client.execute(
                  "select l_linenumber,"
                      + " case when l_linenumber = 2 then null else array[null, l_comment] end,"
                      + " case when l_linenumber = 3 then null else row(null, l_comment) end"
                      + " from lineitem order by l_linenumber desc"));
      assertEquals(6005, rows.size());
      for (String row : rows) {
        assertEquals(row.startsWith("[2, "), row.startsWith("[2, null, {"), row);
        assertEquals(row.startsWith("[3, "), row.endsWith(", null]"), row);
      }
    }
  }

  private static List<String> run(FlightSqlClient client, String sql, VectorSchemaRoot row)
      throws Exception {
    try (PreparedStatement query = client.prepare(sql)) {
      query.setParameters(row);
      return read(client, query.execute());
    }
  }

  private static VectorSchemaRoot column(ArrowType type) {
    VectorSchemaRoot root =
        VectorSchemaRoot.create(new Schema(List.of(Field.nullable("a", type))), allocator);
    root.setRowCount(1);
    return root;
  }

  @Test
  void valuesOfParameters() throws Exception {
    String sql = "select cast(? as varchar)";
    try (FlightSqlClient client = connect();
        VectorSchemaRoot half =
            column(new ArrowType.FloatingPoint(FloatingPointPrecision.HALF));
        VectorSchemaRoot moment = column(new ArrowType.Timestamp(TimeUnit.SECOND, null));
        VectorSchemaRoot time = column(new ArrowType.Time(TimeUnit.MICROSECOND, 64));
        VectorSchemaRoot exact = column(new ArrowType.Time(TimeUnit.MICROSECOND, 64))) {
      ((Float2Vector) half.getVector(0)).setSafeWithPossibleTruncate(0, 1.5f);
      ((TimeStampSecVector) moment.getVector(0)).setSafe(0, Long.MAX_VALUE);
      ((TimeMicroVector) time.getVector(0)).setSafe(0, Long.MAX_VALUE);
      assertEquals(List.of("[1.5]"), run(client, sql, half));
      refused(FlightStatusCode.INVALID_ARGUMENT, "AR-205", () -> run(client, sql, moment));
      refused(FlightStatusCode.INVALID_ARGUMENT, "AR-205", () -> run(client, sql, time));
      ((TimeMicroVector) exact.getVector(0)).setSafe(0, 36_000_000_001L);
      assertEquals(List.of("[10:00:00.000001]"), run(client, sql, exact));
    }
  }

  @Test
  void rowsOfParametersAreCountedBeforeTheyAreMade() throws Exception {
    try (FlightClient plain =
            FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
                .build();
        VectorSchemaRoot rows = VectorSchemaRoot.create(new Schema(List.of()), allocator)) {
      ActionCreatePreparedStatementRequest insert =
          ActionCreatePreparedStatementRequest.newBuilder().setQuery("select 1").build();
      Action action = new Action("CreatePreparedStatement", Any.pack(insert).toByteArray());
      ByteString handle =
          Any.parseFrom(plain.doAction(action).next().getBody())
              .unpack(ActionCreatePreparedStatementResult.class)
              .getPreparedStatementHandle();
      byte[] command =
          Any.pack(
                  CommandPreparedStatementUpdate.newBuilder()
                      .setPreparedStatementHandle(handle)
                      .build())
              .toByteArray();
      FlightClient.ClientStreamListener put =
          plain.startPut(FlightDescriptor.command(command), rows, new SyncPutListener());
      rows.setRowCount(1);
      put.putNext();
      rows.setRowCount(Integer.MAX_VALUE);
      put.putNext();
      put.completed();
      refused(FlightStatusCode.INVALID_ARGUMENT, "1,000,000 rows", put::getResult);
    }
  }

  private static double counted(HttpClient http, QueryServer metrics, String name)
      throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + metrics.port() + "/metrics");
    return http
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }

  @Test
  void callsAreCounted() throws Exception {
    String calls =
        "aragonite_request_seconds_count{protocol=\"flight\",request=\"get_flight_info\"}";
    String errors = "aragonite_errors_total{code=\"AR-101\",protocol=\"flight\"}";
    try (QueryServer metrics =
            QueryServer.start(ServerOptions.local("jdbc:aragonite:device=cpu;tpch=0.001"));
        HttpClient http = HttpClient.newHttpClient();
        FlightSqlClient client = connect()) {
      double before = counted(http, metrics, calls);
      double failed = counted(http, metrics, errors);
      assertEquals(List.of("[1]"), read(client, client.execute("select 1")));
      refused(FlightStatusCode.INVALID_ARGUMENT, "AR-101", () -> client.execute("select from"));
      long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
      while (counted(http, metrics, calls) < before + 2 && System.nanoTime() < end) {
        Thread.sleep(20);
      }
      assertEquals(before + 2, counted(http, metrics, calls));
      assertEquals(failed + 1, counted(http, metrics, errors));
    }
  }

  @Test
  void onlyWhatIsWrongWithARequestIsSaidToBeTheClients() {
    RuntimeException defect = new ClassCastException("a defect");
    FlightRuntimeException inside = FlightErrors.of(defect);
    assertEquals(FlightStatusCode.INTERNAL, inside.status().code());
    assertTrue(inside.getMessage().startsWith("AR-901"), inside.getMessage());
    FlightRuntimeException decoding = FlightErrors.ofRequest(defect);
    assertEquals(FlightStatusCode.INVALID_ARGUMENT, decoding.status().code());
    assertTrue(decoding.getMessage().startsWith("AR-406"), decoding.getMessage());
    assertEquals(inside.getMessage(), FlightErrors.ofRequest(inside).getMessage());
  }
}
