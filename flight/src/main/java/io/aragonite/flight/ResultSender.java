package io.aragonite.flight;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.result.ResultBatches;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Sends a result to a client as it reads: a batch is made when the one before has gone out. What is
 * on its way are a few messages.
 */
final class ResultSender {
  /** Bytes of a message, about. */
  private static final long MESSAGE_BYTES = 4L << 20;

  private static final int LEAST_ROWS = 1024;
  private static final long LOOK_MILLIS = 200;

  private final ServerStreamListener client;
  private final @Nullable Duration longest;
  private final long begin = System.nanoTime();
  private final Object ready = new Object();
  private volatile boolean cancelled;

  /**
   * @param longest time that it may take, null for any
   */
  ResultSender(ServerStreamListener client, @Nullable Duration longest) {
    this.client = client;
    this.longest = longest;
    client.setOnReadyHandler(this::wake);
    client.setOnCancelHandler(this::wake);
  }

  /** Stops, also while it waits for the client. */
  void cancel() {
    cancelled = true;
    wake();
  }

  private void wake() {
    synchronized (ready) {
      ready.notifyAll();
    }
  }

  /** Sends all rows of a result. */
  void send(ResultBatches batches, BufferAllocator allocator) throws SQLException, IOException {
    try (VectorSchemaRoot message =
        VectorSchemaRoot.create(batches.root().getSchema(), allocator)) {
      client.setUseZeroCopy(true);
      client.start(message);
      while (batches.next()) {
        send(batches.root(), message, batches.execution());
      }
    }
  }

  /** Sends a result that has no rows. */
  void sendNothing(Schema schema, BufferAllocator allocator) {
    try (VectorSchemaRoot message = VectorSchemaRoot.create(schema, allocator)) {
      client.start(message);
    }
  }

  /** Tells the client that it has all; it may run the statement again at once. */
  void completed() {
    client.completed();
  }

  /** Sends rows in messages that are not too large. */
  private void send(VectorSchemaRoot rows, VectorSchemaRoot message, Execution run) {
    int count = rows.getRowCount();
    List<FieldVector> from = rows.getFieldVectors();
    long bytes = from.stream().mapToLong(FieldVector::getBufferSize).sum();
    long parts = Math.max(1, bytes / MESSAGE_BYTES);
    // Whole bytes of bitmaps need no shifting.
    int step = (int) Math.max(LEAST_ROWS, (count / parts + 7) & ~7L);
    for (int at = 0; at < count; at += step) {
      waitForClient(run);
      int part = Math.min(step, count - at);
      for (int i = 0; i < from.size(); i++) {
        from.get(i).makeTransferPair(message.getVector(i)).splitAndTransfer(at, part);
      }
      message.setRowCount(part);
      client.putNext();
      message.clear();
    }
  }

  /** A run holds nothing that others wait for while its client does not read. */
  private void waitForClient(Execution run) {
    if (!cancelled && client.isReady()) {
      return;
    }
    run.waitForClient();
    awaitReady(run);
    run.goOn();
  }

  private void awaitReady(Execution run) {
    synchronized (ready) {
      while (cancelled || !client.isReady()) {
        if (cancelled) {
          throw FlightErrors.of(ErrorCode.CANCELLED, "The statement was cancelled.");
        }
        if (client.isCancelled()) {
          throw FlightErrors.of(ErrorCode.CANCELLED, "The client wants no more rows.");
        }
        if (longest != null && System.nanoTime() - begin > longest.toNanos()) {
          throw FlightErrors.of(
              ErrorCode.TIMED_OUT,
              "The result was not read within the server's limit of %d s for a statement."
                  .formatted(longest.toSeconds()));
        }
        run.check();
        try {
          ready.wait(LOOK_MILLIS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw FlightErrors.of(ErrorCode.CANCELLED, "The server is being shut down.");
        }
      }
    }
  }
}
