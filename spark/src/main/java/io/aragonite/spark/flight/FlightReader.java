package io.aragonite.spark.flight;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.apache.arrow.flight.ErrorFlightMetadata;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one statement's result, of which one is there at a time. The statement runs when
 * the first is asked for; closing ends it.
 */
final class FlightReader implements PartitionReader<ColumnarBatch> {
  /** The trailer of errors that the server raises itself. */
  private static final String CODE = "x-aragonite-code";

  private final FlightServer server;
  private final String statement;
  private final FlightColumns columns;
  private final BufferAllocator allocator = new RootAllocator();
  private final Deque<FlightEndpoint> endpoints = new ArrayDeque<>();
  private FlightServer.@Nullable Login login;
  private @Nullable FlightStream stream;
  private @Nullable ColumnarBatch batch;

  FlightReader(FlightServer server, String statement, StructType schema) {
    this.server = server;
    this.statement = statement;
    this.columns = new FlightColumns(schema, allocator);
  }

  @Override
  public boolean next() {
    return told(this::advance);
  }

  private boolean advance() {
    FlightServer.Login to = login;
    if (to == null) {
      to = server.connect(allocator);
      login = to;
      endpoints.addAll(to.client().execute(statement, to.calls()).getEndpoints());
    }
    columns.clear();
    while (true) {
      FlightStream known = stream;
      if (known == null) {
        FlightEndpoint next = endpoints.poll();
        if (next == null) {
          return false;
        }
        known = to.client().getStream(next.getTicket(), to.calls());
        stream = known;
      }
      if (!known.next()) {
        close(known);
        stream = null;
      } else if (known.getRoot().getRowCount() > 0) {
        batch = columns.of(known.getRoot());
        return true;
      }
    }
  }

  /** Errors of the server have its sentence; one that is not there, or goes, is named. */
  private <T> T told(Supplier<T> work) {
    try {
      return work.get();
    } catch (FlightRuntimeException e) {
      ErrorFlightMetadata trailers = e.status().metadata();
      boolean sentence = trailers != null && trailers.containsKey(CODE);
      if (sentence || e.status().code() == FlightStatusCode.UNAUTHENTICATED) {
        throw e;
      }
      throw new AragoniteException(
          ErrorCode.SOURCE_FAILED,
          "Aragonite's Flight SQL server %s is not there, or went away while it sent the rows of: %s. Start it with aragonite serve --flight, or correct the option %s."
              .formatted(server, statement, FlightServer.OPTION),
          e);
    }
  }

  @Override
  public ColumnarBatch get() {
    ColumnarBatch known = batch;
    if (known == null) {
      throw new IllegalStateException("get() comes behind next()");
    }
    return known;
  }

  private static void close(AutoCloseable closed) {
    try {
      closed.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    columns.clear();
    if (stream != null) {
      close(stream);
    }
    if (login != null) {
      close(login.client());
    }
    allocator.close();
  }
}
