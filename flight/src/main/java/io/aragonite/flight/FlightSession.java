package io.aragonite.flight;

import com.google.protobuf.ByteString;
import io.aragonite.adapter.access.UserAccess;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.server.ClientConnections;
import io.aragonite.exec.error.ErrorCode;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.FlightStatusCode;

/** A client's connection and its statements, by handles that nobody can guess. */
final class FlightSession implements AutoCloseable {
  private static final int MAX_STATEMENTS = 1_000;
  private static final int HANDLE_BYTES = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Connection connection;
  private final UserAccess access;
  private final Map<ByteString, FlightStatement> statements = new ConcurrentHashMap<>();
  private final Set<Long> transports = new HashSet<>();
  private final AtomicInteger working = new AtomicInteger();
  private long lastUse = System.nanoTime();

  private FlightSession(Connection connection, UserAccess access) {
    this.connection = connection;
    this.access = access;
  }

  /**
   * Opens the connection.
   *
   * @param settings properties that clients may set
   */
  static FlightSession open(ClientConnections connections, Map<String, String> settings)
      throws SQLException {
    Properties properties = new Properties();
    properties.putAll(settings);
    ClientConnections.LoggedIn opened =
        connections.login(ClientRequest.client(ClientRequest.current()), properties);
    return new FlightSession(opened.connection(), opened.access());
  }

  /** What its user could do when it was opened. */
  UserAccess access() {
    return access;
  }

  Connection connection() {
    return connection;
  }

  /** Notes a call that came by a network connection. */
  synchronized void use(long transport) {
    lastUse = System.nanoTime();
    transports.add(transport);
  }

  /** Keeps the session from being idle until the result is closed. */
  FlightCall.Work working() {
    working.incrementAndGet();
    return () -> {
      working.decrementAndGet();
      synchronized (this) {
        lastUse = System.nanoTime();
      }
    };
  }

  synchronized void transportEnded(long transport) {
    if (transports.remove(transport)) {
      lastUse = System.nanoTime();
    }
  }

  /** Whether no network connection has led here for some time. */
  synchronized boolean isAlone(Duration time) {
    return transports.isEmpty() && isIdle(time);
  }

  /** Nanoseconds since a network connection has led here last; 0 while one does. */
  synchronized long alone() {
    return transports.isEmpty() && working.get() == 0 ? System.nanoTime() - lastUse : 0;
  }

  synchronized boolean isIdle(Duration time) {
    return working.get() == 0 && System.nanoTime() - lastUse > time.toNanos();
  }

  /** Prepares a statement. */
  FlightStatement prepare(String sql) throws SQLException {
    if (statements.size() >= MAX_STATEMENTS) {
      throw FlightSessions.tooMany("statements of this session", MAX_STATEMENTS);
    }
    byte[] bytes = new byte[HANDLE_BYTES];
    RANDOM.nextBytes(bytes);
    ByteString handle = ByteString.copyFrom(bytes);
    FlightStatement statement = FlightStatement.prepare(connection, sql, handle);
    statements.put(handle, statement);
    return statement;
  }

  /** The statement of a handle, or of one that stands in a ticket. */
  FlightStatement statement(ByteString handle) {
    FlightStatement statement =
        statements.get(handle.substring(0, Math.min(HANDLE_BYTES, handle.size())));
    if (statement == null) {
      throw FlightErrors.of(
          FlightStatusCode.NOT_FOUND,
          ErrorCode.INVALID_CALL,
          "There is no such statement: it was closed or read to its end, is another client's, or"
              + " nobody used its session for too long.");
    }
    return statement;
  }

  /** Closes a statement; one that is closed already is none. */
  void closeStatement(ByteString handle) throws SQLException {
    FlightStatement statement = statements.remove(handle);
    if (statement != null) {
      statement.close();
    }
  }

  /** Closes the connection, which ends what runs. */
  @Override
  public void close() throws SQLException {
    List.copyOf(statements.values()).forEach(FlightStatement::end);
    statements.clear();
    connection.close();
  }
}
