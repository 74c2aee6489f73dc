package io.aragonite.flight;

import com.google.protobuf.ByteString;
import io.aragonite.adapter.result.ResultBatches;
import io.aragonite.exec.error.ErrorCode;
import io.grpc.Context;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A statement that a client has prepared, or that waits for the ticket of its result. */
final class FlightStatement {
  private static final Logger LOG = LoggerFactory.getLogger(FlightStatement.class);

  /** No columns: the statement changes something. */
  static final Schema NONE = new Schema(List.of());

  /** What is said of columns that depend on the types of parameters. */
  private static final Schema UNKNOWN =
      new Schema(List.of(Field.nullable("unknown", ArrowType.Null.INSTANCE)));

  private final PreparedStatement statement;
  private final ByteString handle;
  private final boolean query;

  /** Held by who runs the statement. */
  private final ReentrantLock running = new ReentrantLock();

  private volatile @Nullable Object @Nullable [] values;

  /** Sends the result of the run that there is. */
  private volatile @Nullable ResultSender sender;

  private volatile boolean closed;

  private FlightStatement(PreparedStatement statement, ByteString handle) throws SQLException {
    this.statement = statement;
    this.handle = handle;
    this.query = ResultBatches.isQuery(statement);
  }

  static FlightStatement prepare(Connection connection, String sql, ByteString handle)
      throws SQLException {
    return new FlightStatement(connection.prepareStatement(sql), handle);
  }

  ByteString handle() {
    return handle;
  }

  /** The columns of its result; none for a statement that changes something. */
  Schema columns() throws SQLException {
    if (!query) {
      return NONE;
    }
    Schema schema = ResultBatches.schema(statement);
    return schema == null ? UNKNOWN : schema;
  }

  /** Its parameters. */
  Schema parameters() throws SQLException {
    return ParameterRows.schema(statement.getParameterMetaData());
  }

  /** Gives the parameters values for the next runs. */
  void bind(@Nullable Object[] row) {
    values = row;
  }

  /**
   * Runs it and sends its result. A run of before ends: its client reads no more of it.
   *
   * @throws IOException if the vectors cannot be made
   */
  void send(ResultSender out, BufferAllocator allocator) throws SQLException, IOException {
    run(out, allocator);
    // The run has ended before: a client's next one would cancel it.
    out.completed();
  }

  private void run(ResultSender out, BufferAllocator allocator) throws SQLException, IOException {
    begin();
    try {
      sender = out;
      requireOpen(); // who closes it from here on finds the sender
      set(values);
      if (!query) {
        statement.executeLargeUpdate();
        out.sendNothing(NONE, allocator);
        return;
      }
      try (ResultSet rows = statement.executeQuery();
          ResultBatches batches = ResultBatches.of(rows, allocator)) {
        out.send(batches, allocator);
      }
    } finally {
      sender = null;
      running.unlock();
    }
  }

  /**
   * Runs it, which changes something, for each row of parameters.
   *
   * @param rows none for a statement without parameters
   * @return how many rows it has changed
   */
  long update(List<@Nullable Object[]> rows) throws SQLException {
    begin();
    try {
      if (rows.isEmpty()) {
        set(values);
        return statement.executeLargeUpdate();
      }
      long changed = 0;
      for (@Nullable Object[] row : rows) {
        set(row);
        changed += Math.max(0, statement.executeLargeUpdate());
      }
      return changed;
    } finally {
      running.unlock();
    }
  }

  private void begin() {
    while (!running.tryLock()) {
      requireOpen();
      if (Context.current().isCancelled()) {
        throw FlightErrors.of(ErrorCode.CANCELLED, "The client waits no more.");
      }
      cancel();
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw FlightErrors.of(ErrorCode.CANCELLED, "The server is being shut down.");
      }
    }
  }

  private void requireOpen() {
    if (closed) {
      throw FlightErrors.of(ErrorCode.CANCELLED, "The statement was closed.");
    }
  }

  private void set(@Nullable Object @Nullable [] row) throws SQLException {
    if (row == null) {
      return;
    }
    int count = statement.getParameterMetaData().getParameterCount();
    if (row.length != count) {
      throw FlightErrors.of(
          ErrorCode.MISSING_PARAMETER,
          "The statement has %d parameters, and %d values were given.".formatted(count, row.length));
    }
    for (int i = 0; i < count; i++) {
      statement.setObject(i + 1, row[i]);
    }
  }

  /** Whether it runs now. */
  boolean isRunning() {
    return running.isLocked();
  }

  /** Stops what runs. */
  void cancel() {
    ResultSender waiting = sender;
    if (waiting != null) {
      waiting.cancel();
    }
    try {
      statement.cancel();
    } catch (SQLException e) {
      // It has ended by itself.
      LOG.debug("a client's statement could not be cancelled", e);
    }
  }

  /** Closes it; what runs ends. */
  void close() throws SQLException {
    end();
    statement.close();
  }

  /** Ends what runs, and runs no more. */
  void end() {
    closed = true;
    if (isRunning()) {
      cancel();
    }
  }
}
