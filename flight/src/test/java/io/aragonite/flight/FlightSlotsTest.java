package io.aragonite.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.server.Admission;
import io.aragonite.adapter.server.AuditLog;
import io.aragonite.adapter.server.ServerOptions;
import io.aragonite.adapter.server.ServerRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams that their clients do not read hold nothing that others wait for. */
@Timeout(120)
class FlightSlotsTest {
  private static final String MANY = // some 3.75 million rows
      "select a.l_orderkey, a.l_extendedprice, a.l_comment from lineitem a, nation b, nation c";

  private static FlightSqlServer start(Admission admission) throws Exception {
    return FlightSqlServer.start(
        ServerOptions.local("jdbc:aragonite:device=cpu;tpch=0.001;threads=2")
            .withRules(new ServerRules(null, AuditLog.off(), admission)));
  }

  private static FlightSqlClient connect(BufferAllocator allocator, FlightSqlServer server) {
    return new FlightSqlClient(
        FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
            .build());
  }

  private static void eventually(String what, BooleanSupplier condition)
      throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, what);
      Thread.sleep(20);
    }
  }

  private static FlightStream begin(FlightSqlClient client, String sql) {
    FlightInfo info = client.execute(sql);
    FlightStream stream = client.getStream(info.getEndpoints().getFirst().getTicket());
    assertTrue(stream.next());
    return stream;
  }

  /** Rows from the batch on that the stream is at. */
  private static long rest(FlightStream stream) {
    long rows = stream.getRoot().getRowCount();
    while (stream.next()) {
      rows += stream.getRoot().getRowCount();
    }
    return rows;
  }

  private static long count(FlightSqlClient client, String sql) throws Exception {
    try (FlightStream stream = begin(client, sql)) {
      return ((Number) stream.getRoot().getVector(0).getObject(0)).longValue();
    }
  }

  @Test
  void streamsThatNobodyReadsHoldNoSlots() throws Exception {
    Admission admission = new Admission(1, Duration.ofSeconds(10));
    try (BufferAllocator allocator = new RootAllocator();
        FlightSqlServer server = start(admission);
        FlightSqlClient slow = connect(allocator, server);
        FlightSqlClient other = connect(allocator, server)) {
      long all = 625 * count(other, "select count(*) from lineitem");
      List<FlightStream> streams = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        streams.add(begin(slow, MANY));
      }
      for (int i = 0; i < 3; i++) {
        assertEquals(25, count(other, "select count(*) from nation"));
      }
      assertFalse(admission.isQuiet());
      assertEquals(all, rest(streams.get(1)), "it goes on where it was");
      streams.get(0).cancel("enough", null);
      for (FlightStream stream : streams) {
        stream.close();
      }
      eventually("all are over", admission::isQuiet);
      assertEquals(25, count(other, "select count(*) from nation"));
    }
    assertTrue(admission.isQuiet());
  }

  @Test
  void aClientThatVanishesLeavesNothing() throws Exception {
    Admission admission = new Admission(1, Duration.ofSeconds(10));
    try (BufferAllocator allocator = new RootAllocator();
        FlightSqlServer server = start(admission);
        FlightSqlClient other = connect(allocator, server)) {
      try (FlightSqlClient gone = connect(allocator, server);
          FlightStream _ = begin(gone, MANY)) {
        assertFalse(admission.isQuiet());
      }
      eventually("its query is over", admission::isQuiet);
      assertEquals(25, count(other, "select count(*) from nation"));
    }
  }

  @Test
  void resultsThatNobodyReadsAreGivenBack() throws Exception {
    Admission admission = new Admission(1, Duration.ofSeconds(10), Duration.ofMillis(500));
    try (BufferAllocator allocator = new RootAllocator();
        FlightSqlServer server = start(admission);
        FlightSqlClient client = connect(allocator, server);
        FlightStream stream = begin(client, MANY)) {
      eventually("it is given back", admission::isQuiet);
      FlightRuntimeException error =
          assertThrows(FlightRuntimeException.class, () -> rest(stream));
      assertEquals(FlightStatusCode.RESOURCE_EXHAUSTED, error.status().code());
      assertTrue(error.getMessage().contains("AR-609"), error.getMessage());
      eventually("nothing is on its way any more", () -> server.vectorBytes() == 0);
      assertEquals(25, count(client, "select count(*) from nation"));
    }
  }

  private static long waitingForTurns() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            frames ->
                Arrays.stream(frames)
                    .anyMatch(frame -> frame.getClassName().equals(Admission.class.getName())))
        .count();
  }

  @Test
  void whatWaitsForItsTurnIsCancelled() throws Exception {
    String longest =
        "select count(*) from lineitem a, lineitem b, lineitem c where a.l_orderkey * b.l_orderkey = -c.l_orderkey";
    Admission admission = new Admission(1, Duration.ofSeconds(60));
    try (BufferAllocator allocator = new RootAllocator();
        FlightSqlServer server = start(admission);
        FlightSqlClient slow = connect(allocator, server);
        FlightSqlClient other = connect(allocator, server)) {
      FlightInfo works = slow.execute(longest);
      try (FlightStream working = slow.getStream(works.getEndpoints().getFirst().getTicket())) {
        eventually("it works", () -> !admission.isQuiet());
        FlightInfo info = other.execute("select 1");
        try (FlightStream waiting = other.getStream(info.getEndpoints().getFirst().getTicket())) {
          eventually("it waits", () -> waitingForTurns() == 1);
          assertEquals(CancelStatus.CANCELLED, cancel(other, info));
          FlightRuntimeException error = assertThrows(FlightRuntimeException.class, waiting::next);
          assertEquals(FlightStatusCode.CANCELLED, error.status().code());
        }
        try (FlightSqlClient gone = connect(allocator, server);
            FlightStream _ =
                gone.getStream(gone.execute("select 2").getEndpoints().getFirst().getTicket())) {
          eventually("it waits", () -> waitingForTurns() == 1);
        }
        eventually("nobody waits", () -> waitingForTurns() == 0);
        assertFalse(admission.isQuiet());
        assertEquals(CancelStatus.CANCELLED, cancel(slow, works));
        assertThrows(FlightRuntimeException.class, working::next);
      }
      eventually("all are over", admission::isQuiet);
    }
  }

  private static CancelStatus cancel(FlightSqlClient client, FlightInfo info) {
    return client.cancelFlightInfo(new CancelFlightInfoRequest(info)).getStatus();
  }
}
