package io.aragonite.flight;

import com.google.protobuf.ByteString;
import io.aragonite.adapter.result.ResultBatches;
import io.aragonite.exec.error.ErrorCode;
import io.grpc.Context;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
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
  private static final int MOST_UNREAD = 1_000;

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

  /**
   * Guards {@link #current}, {@link #waiting} and {@link #unread}: what stops a run has stopped it before the next one begins.
   */
  private final Object turn = new Object();

  private @Nullable FlightRun current;

  /** Runs that wait for the one of before to end. */
  private final List<FlightRun> waiting = new ArrayList<>();

  /** Tickets that nobody has come with yet, and whether they were cancelled. Of many the first ones are forgotten. */
  private final LinkedHashMap<ByteString, Boolean> unread = new LinkedHashMap<>();

  private final AtomicLong tickets = new AtomicLong();

  private volatile boolean closed;

  /** A run. */
  private static final class FlightRun {
    private final @Nullable ByteString ticket;
    private final @Nullable ResultSender sender;
    private volatile boolean cancelled;

    /**
     * @param ticket that it was asked for with; null where there is none
     * @param sender of its result; null if it has none
     */
    FlightRun(@Nullable ByteString ticket, @Nullable ResultSender sender) {
      this.ticket = ticket;
      this.sender = sender;
    }

    void check() {
      if (cancelled) {
        throw FlightErrors.of(ErrorCode.CANCELLED, "The statement was cancelled.");
      }
    }
  }

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

  /** A handle that stands for this statement in one ticket: it tells runs of one ticket from those of others. */
  ByteString ticket() {
    byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(tickets.incrementAndGet()).array();
    ByteString ticket = handle.concat(ByteString.copyFrom(number));
    synchronized (turn) {
      unread.put(ticket, false);
      if (unread.size() > MOST_UNREAD) {
        unread.pollFirstEntry();
      }
    }
    return ticket;
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
   * @param ticket that the client has
   * @throws IOException if the vectors cannot be made
   */
  void send(ByteString ticket, ResultSender out, BufferAllocator allocator)
      throws SQLException, IOException {
    run(ticket, out, allocator);
    // The run has ended before: a client's next one would cancel it.
    out.completed();
  }

  private void run(ByteString ticket, ResultSender out, BufferAllocator allocator)
      throws SQLException, IOException {
    FlightRun run = new FlightRun(ticket, out);
    begin(run);
    try {
      requireOpen(); // who closes or cancels it from here on finds the run
      run.check();
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
      ended();
    }
  }

  /**
   * Runs it, which changes something, for each row of parameters.
   *
   * @param rows none for a statement without parameters
   * @return how many rows it has changed
   */
  long update(List<@Nullable Object[]> rows) throws SQLException {
    begin(new FlightRun(null, null));
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
      ended();
    }
  }

  private void begin(FlightRun run) {
    synchronized (turn) {
      run.cancelled = run.ticket != null && Boolean.TRUE.equals(unread.remove(run.ticket));
      waiting.add(run);
    }
    boolean begun = false;
    try {
      awaitTurn(run);
      begun = true;
    } finally {
      synchronized (turn) {
        waiting.remove(run);
        if (begun) {
          current = run;
        }
      }
    }
  }

  private void awaitTurn(FlightRun run) {
    while (!running.tryLock()) {
      requireOpen();
      run.check();
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

  private void ended() {
    synchronized (turn) {
      current = null;
    }
    running.unlock();
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

  /**
   * Stops the runs of a ticket, also one that waits; one that nobody has come with yet is good for nothing any more.
   *
   * @return whether there was something to stop: a run may have ended, and one of another ticket may run now
   */
  boolean cancel(ByteString ticket) {
    synchronized (turn) {
      boolean runs = current != null && ticket.equals(current.ticket);
      if (runs) {
        cancel();
      }
      List<FlightRun> waits = waiting.stream().filter(run -> ticket.equals(run.ticket)).toList();
      waits.forEach(run -> run.cancelled = true);
      return unread.replace(ticket, true) != null | runs | !waits.isEmpty();
    }
  }

  /** Stops what runs. */
  private void cancel() {
    synchronized (turn) {
      if (current == null) {
        return;
      }
      if (current.sender != null) {
        current.sender.cancel();
      }
      try {
        statement.cancel();
      } catch (SQLException e) {
        // It has ended by itself.
        LOG.debug("a client's statement could not be cancelled", e);
      }
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
    cancel();
  }
}
