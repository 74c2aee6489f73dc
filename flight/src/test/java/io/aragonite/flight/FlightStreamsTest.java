package io.aragonite.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.server.ServerOptions;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import java.io.DataInputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.CloseSessionRequest;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.junit.jupiter.api.Test;

/** Results that are read slowly or not to their end, and many calls at once. */
class FlightStreamsTest extends FlightClients {
  @Test
  void aSlowReaderHoldsNoMoreThanItReads() throws Exception {
    try (FlightSqlClient client = connect()) {
      FlightInfo info = client.execute(MANY);
      try (FlightStream stream = client.getStream(info.getEndpoints().getFirst().getTicket())) {
        long rows = 0;
        for (int i = 0; i < 5; i++) {
          assertTrue(stream.next());
          rows += stream.getRoot().getRowCount();
          Thread.sleep(100);
          assertTrue(server.vectorBytes() < 100 << 20, () -> "" + server.vectorBytes());
        }
        assertTrue(rows < 5_000_000, "messages are small");
        stream.cancel("enough", null);
      }
      eventually("vectors are given back", () -> server.vectorBytes() == 0);
      assertEquals(List.of("[1]"), read(client, client.execute("select 1")));
    }
  }

  @Test
  void cancellingEndsTheQuery() throws Exception {
    try (FlightSqlClient client = connect()) {
      FlightInfo info = client.execute(MANY);
      try (FlightStream stream = client.getStream(info.getEndpoints().getFirst().getTicket())) {
        assertTrue(stream.next());
        assertEquals(
            CancelStatus.CANCELLED,
            client.cancelFlightInfo(new CancelFlightInfoRequest(info)).getStatus());
        FlightRuntimeException error =
            assertThrows(
                FlightRuntimeException.class,
                () -> {
                  while (stream.next()) {}
                });
        assertEquals(FlightStatusCode.CANCELLED, error.status().code());
        assertTrue(error.getMessage().contains("AR-602"), error.getMessage());
      }
      FlightInfo unread = client.execute(MANY);
      client.cancelFlightInfo(new CancelFlightInfoRequest(unread));
      refused(FlightStatusCode.NOT_FOUND, "no such statement", () -> read(client, unread));
    }
  }

  /** Of a statement that is prepared once each ticket stands for its own runs. */
  @Test
  void cancellingLateReachesNoOtherRun() throws Exception {
    try (FlightSqlClient client = connect();
        PreparedStatement query = client.prepare(MANY)) {
      FlightInfo unread = query.execute();
      assertEquals(
          CancelStatus.CANCELLED,
          client.cancelFlightInfo(new CancelFlightInfoRequest(unread)).getStatus());
      refused(FlightStatusCode.CANCELLED, "AR-602", () -> read(client, unread));
      FlightInfo first = query.execute();
      try (FlightStream stream = client.getStream(first.getEndpoints().getFirst().getTicket())) {
        assertTrue(stream.next());
        stream.cancel("enough", null);
      }
      FlightInfo second = query.execute();
      try (FlightStream stream = client.getStream(second.getEndpoints().getFirst().getTicket())) {
        assertTrue(stream.next());
        assertEquals(
            CancelStatus.NOT_CANCELLABLE,
            client.cancelFlightInfo(new CancelFlightInfoRequest(first)).getStatus());
        for (int i = 0; i < 20; i++) {
          assertTrue(stream.next());
        }
        assertEquals(
            CancelStatus.CANCELLED,
            client.cancelFlightInfo(new CancelFlightInfoRequest(second)).getStatus());
        refused(
            FlightStatusCode.CANCELLED,
            "AR-602",
            () -> {
              while (stream.next()) {}
            });
      }
    }
  }

  @Test
  void aClientThatVanishesLeavesNothing() throws Exception {
    int before = server.sessionCount(); // those of clients that are just going, too
    try (CutWire wire = new CutWire(server.port());
        FlightSqlClient client = connect(wire.port());
        FlightStream stream =
            client.getStream(client.execute(MANY).getEndpoints().getFirst().getTicket())) {
      assertTrue(stream.next());
      assertTrue(server.sessionCount() > 0);
      wire.cut();
      eventually("the session ends", () -> server.sessionCount() <= before);
      eventually("vectors are given back", () -> server.vectorBytes() == 0);
      refused(
          FlightStatusCode.UNAVAILABLE,
          "",
          () -> {
            while (stream.next()) {}
          });
    }
  }

  @Test
  void closingTheServerEndsWhatRuns() throws Exception {
    FlightSqlServer other =
        FlightSqlServer.start(ServerOptions.local("jdbc:aragonite:device=cpu;tpch=0.001"));
    try (FlightSqlClient client = connect(other.port());
        FlightStream stream =
            client.getStream(client.execute(MANY).getEndpoints().getFirst().getTicket())) {
      assertTrue(stream.next());
      other.close(); // fails if vectors are left
      assertEquals(0, other.sessionCount());
      assertThrows(
          FlightRuntimeException.class,
          () -> {
            while (stream.next()) {}
          });
    } finally {
      other.close();
    }
  }

  /** What was on its way to them is given back a moment after their network connections are closed. */
  @Test
  void closingTheServerWaitsForWhatVanishedClientsHadOnTheirWay() throws Exception {
    for (int round = 0; round < 4; round++) {
      FlightSqlServer other =
          FlightSqlServer.start(ServerOptions.local("jdbc:aragonite:device=cpu;tpch=0.001"));
      List<AutoCloseable> open = new ArrayList<>();
      try (CutWire wire = new CutWire(other.port())) {
        for (int i = 0; i < 4; i++) {
          FlightSqlClient client = connect(wire.port());
          FlightStream stream =
              client.getStream(client.execute(MANY).getEndpoints().getFirst().getTicket());
          assertTrue(stream.next());
          open.add(stream);
          open.add(client);
        }
        wire.cut();
        Thread.sleep(4 * round);
        other.close(); // fails if vectors are left
        for (AutoCloseable one : open) {
          one.close();
        }
      } finally {
        other.close();
      }
    }
  }

  private static long waitingForClients() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            frames ->
                Arrays.stream(frames)
                    .anyMatch(frame -> frame.getMethodName().equals("waitForClient")))
        .count();
  }

  @Test
  void whatWaitsForItsReaderIsCancelled() throws Exception {
    try (FlightSqlClient client = connect();
        FlightSqlClient other = connect();
        PreparedStatement query = client.prepare(MANY)) {
      FlightInfo info = query.execute();
      Ticket ticket = info.getEndpoints().getFirst().getTicket();
      try (FlightStream stalled = client.getStream(ticket)) {
        assertTrue(stalled.next());
        eventually("it waits", () -> waitingForClients() == 1);
        assertEquals(
            CancelStatus.CANCELLED,
            client.cancelFlightInfo(new CancelFlightInfoRequest(info)).getStatus());
        eventually("it is cancelled", () -> waitingForClients() == 0);
        try (FlightStream again = client.getStream(ticket)) {
          assertTrue(again.next());
          eventually("it waits", () -> waitingForClients() == 1);
          query.close();
          eventually("the statement is closed", () -> waitingForClients() == 0);
          again.cancel("enough", null);
        }
        stalled.cancel("enough", null);
      }
      Ticket last = other.execute(MANY).getEndpoints().getFirst().getTicket();
      try (FlightStream stalled = other.getStream(last)) {
        assertTrue(stalled.next());
        eventually("it waits", () -> waitingForClients() == 1);
        other.closeSession(new CloseSessionRequest());
        eventually("the session is closed", () -> waitingForClients() == 0);
        stalled.cancel("enough", null);
      }
      eventually("vectors are given back", () -> server.vectorBytes() == 0);
    }
  }

  /** Begins a call that waits for its first message. */
  private static void beginPut(ManagedChannel channel) {
    channel
        .newCall(FlightServiceGrpc.getDoPutMethod(), CallOptions.DEFAULT)
        .start(new ClientCall.Listener<>() {}, new Metadata());
  }

  @Test
  void callsAtOnceHaveABound() throws Exception {
    List<ManagedChannel> channels = new ArrayList<>();
    try (FlightSqlClient client = connect()) {
      for (int i = 0; i < FlightTransports.MAX_CALLS; i++) {
        if (i % FlightSqlServer.MAX_CALLS_OF_CONNECTION == 0) {
          channels.add(
              NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build());
        }
        beginPut(channels.getLast());
      }
      ManagedChannel more =
          NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
      channels.add(more);
      eventually(
          "calls are refused",
          () -> {
            try {
              beginPut(more); // in the place of one that has ended
              client.execute("select 1");
              return false;
            } catch (FlightRuntimeException e) {
              assertEquals(FlightStatusCode.RESOURCE_EXHAUSTED, e.status().code());
              assertEquals("404", e.status().metadata().get(FlightErrors.CODE));
              return true;
            }
          });
      channels.forEach(ManagedChannel::shutdownNow);
      eventually(
          "calls are taken",
          () -> {
            try {
              return read(client, client.execute("select 1")).equals(List.of("[1]"));
            } catch (FlightRuntimeException e) {
              return false;
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          });
    } finally {
      channels.forEach(ManagedChannel::shutdownNow);
    }
  }

  /** Vectors that are too large for a server, and a client that does not say that it is there. */
  @Test
  void vectorsAndSilenceHaveBounds() throws Exception {
    FlightSqlServer.FlightLimits limits =
        new FlightSqlServer.FlightLimits(1 << 20, Duration.ofMillis(100), Duration.ofSeconds(1));
    try (FlightSqlServer small =
            FlightSqlServer.start(ServerOptions.local("jdbc:aragonite:device=cpu"), limits);
        FlightSqlClient client = connect(small.port())) {
      refused(
          FlightStatusCode.RESOURCE_EXHAUSTED,
          "vectors",
          () -> read(client, client.execute("select repeat('x', 3000000)")));
      assertEquals(List.of("[1]"), read(client, client.execute("select 1")));
      eventually("vectors are given back", () -> small.vectorBytes() == 0);
      try (Socket silent = new Socket("127.0.0.1", small.port())) {
        silent.setSoTimeout(20_000);
        byte[] settings = {0, 0, 0, 4, 0, 0, 0, 0, 0};
        silent.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        silent.getOutputStream().write(settings);
        DataInputStream frames = new DataInputStream(silent.getInputStream());
        boolean asked = false;
        for (int byte0 = frames.read(); byte0 >= 0; byte0 = frames.read()) {
          int length = byte0 << 16 | frames.readUnsignedShort();
          asked |= frames.readUnsignedByte() == 6; // PING
          frames.skipNBytes(5 + length);
        }
        assertTrue(asked, "the connection has ended unasked");
      }
    }
  }
}
