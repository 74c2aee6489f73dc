package io.aragonite.adapter.server;

import io.aragonite.adapter.access.UserAccess;
import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.result.NarrowColumns;
import io.aragonite.adapter.result.ResultSetGuard;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.BuiltInConnectionProperty;
import org.apache.calcite.avatica.ConnectionPropertiesImpl;
import org.apache.calcite.avatica.MissingResultsException;
import org.apache.calcite.avatica.NoSuchStatementException;
import org.apache.calcite.avatica.QueryState;
import org.apache.calcite.avatica.jdbc.JdbcMeta;
import org.apache.calcite.avatica.jdbc.StatementInfo;
import org.apache.calcite.avatica.proto.Requests;
import org.apache.calcite.avatica.remote.TypedValue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections of Avatica's clients, and their statements. */
final class ServedMeta extends JdbcMeta {
  private static final int ROWS_A_FRAME = 5000;
  private static final int MOST_ROWS_A_FRAME = 50_000;
  private static final Logger LOG = LoggerFactory.getLogger(ServedMeta.class);

  // what the client's driver sends along of its own
  private static final Set<String> TRANSPORT = transport();

  private static final Duration FOREVER = Duration.ofDays(36_500);

  private final ClientConnections connections;
  private final ServedOwners owners;
  private final Admission admission;
  private @Nullable Connection own;
  private volatile boolean closing;

  /**
   * A statement as its client names it. Numbers are easy to guess, and identifiers of connections
   * are not.
   */
  private record Served(String connection, int number) {}

  /** What works on a statement now. */
  private final Map<Served, ClientRequest> running = new ConcurrentHashMap<>();

  /** The schema in use as the client of a connection has last been told. */
  private final Map<Connection, String> toldSchemas =
      Collections.synchronizedMap(new WeakHashMap<>());

  private static Set<String> transport() {
    Set<String> names = new java.util.HashSet<>();
    for (BuiltInConnectionProperty property : BuiltInConnectionProperty.values()) {
      names.add(property.camelName().toLowerCase(Locale.ROOT));
    }
    names.add("user");
    names.add("password");
    return names;
  }

  /**
   * @throws AragoniteException SERVER_REFUSED if the access file is not right
   */
  ServedMeta(ServerOptions options) throws SQLException {
    super(options.url(), cacheSettings(options.maxQueryTime(), options.idleTime()));
    this.connections = new ClientConnections(options);
    this.admission = options.rules().admission();
    this.owners = new ServedOwners(this, connections);
  }

  /**
   * Avatica closes what nobody has touched for a while, and a statement is touched when it begins
   * to run, not while it runs; so the time that it may take comes on top.
   */
  private static Properties cacheSettings(
      @Nullable Duration maxQueryTime, @Nullable Duration idleTime) {
    Duration expiry =
        maxQueryTime == null || idleTime == null ? FOREVER : idleTime.plus(maxQueryTime);
    String millis = String.valueOf(expiry.toMillis());
    Properties settings = new Properties();
    settings.setProperty(ConnectionCacheSettings.EXPIRY_DURATION.key(), millis);
    settings.setProperty(ConnectionCacheSettings.EXPIRY_UNIT.key(), TimeUnit.MILLISECONDS.name());
    settings.setProperty(StatementCacheSettings.EXPIRY_DURATION.key(), millis);
    settings.setProperty(StatementCacheSettings.EXPIRY_UNIT.key(), TimeUnit.MILLISECONDS.name());
    return settings;
  }

  /** Opens the server's own connection. */
  void keepOpen() throws SQLException {
    own = connections.openOwn();
  }

  /** Opens a connection as a client gets it, and closes it. */
  void tryOpen() throws SQLException {
    requireOpen();
    connections.open(UserAccess.EVERYTHING, new Properties()).close();
  }

  @Override
  public void openConnection(ConnectionHandle handle, @Nullable Map<String, String> info) {
    requireOpen();
    Map<String, String> allowed = new HashMap<>();
    if (info != null) {
      for (Map.Entry<String, String> entry : info.entrySet()) {
        String name = entry.getKey().toLowerCase(Locale.ROOT);
        if (ClientConnections.mayBeSet(name)) {
          allowed.put(entry.getKey(), entry.getValue());
        } else if (!TRANSPORT.contains(name)) {
          throw new AragoniteException(
              ErrorCode.SERVER_REFUSED,
              "A client may not set '%s' on this server; give it where the server is started."
                  .formatted(entry.getKey()));
        }
      }
    }
    if (getConnectionCache().getIfPresent(handle.id) != null) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL, "There is a connection of this id already.");
    }
    super.openConnection(handle, allowed);
    if (closing) {
      // It may have come too late to be closed with the others.
      closeConnection(handle);
      requireOpen();
    }
  }

  private void requireOpen() {
    if (closing || admission.isStopped()) {
      throw new AragoniteException(
          ErrorCode.SERVER_REFUSED, "The server is being shut down; connect to it again later.");
    }
  }

  @Override
  protected Connection createConnection(String url, Properties info) throws SQLException {
    ClientConnections.LoggedIn opened =
        connections.login(ClientRequest.client(ClientRequest.current()), info);
    owners.opened(opened.connection(), opened.access());
    return opened.connection();
  }

  /**
   * Clients keep all properties as they were last told, and send them back with any that they
   * change; a schema that a client only repeats undoes no USE.
   */
  @Override
  public ConnectionProperties connectionSync(ConnectionHandle handle, ConnectionProperties sent) {
    Connection connection = connection(handle.id);
    String told = connection == null ? null : toldSchemas.get(connection);
    boolean repeated = told != null && told.equals(sent.getSchema());
    ConnectionProperties present =
        super.connectionSync(
            handle,
            repeated
                ? new ConnectionPropertiesImpl(
                    sent.isAutoCommit(),
                    sent.isReadOnly(),
                    sent.getTransactionIsolation(),
                    sent.getCatalog(),
                    null)
                : sent);
    if (connection != null && present.getSchema() != null) {
      toldSchemas.put(connection, present.getSchema());
    }
    return present;
  }

  /** Whose connections and statements are. */
  ServedOwners owners() {
    return owners;
  }

  /** A connection by its id; null if there is none. */
  @Nullable Connection connection(String id) {
    return getConnectionCache().getIfPresent(id);
  }

  /** A statement by its number; null if there is none. */
  @Nullable StatementInfo statement(int number) {
    return getStatementCache().getIfPresent(number);
  }

  /** Whether a user may see what the whole server does. */
  boolean seesAll(ClientIdentity client) {
    try {
      return connections.access(client).tables() == null;
    } catch (AragoniteException e) {
      return false; // without roles
    }
  }

  /** Closes a connection and what runs on it. */
  void close(String connection) {
    closeConnection(new ConnectionHandle(connection));
  }

  /** Closes what has not been used for too long; the caches do so only when they are used. */
  void closeIdle() {
    getStatementCache().cleanUp();
    getConnectionCache().cleanUp();
  }

  /** What ends without an exception. */
  private interface Work extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Begins work on a statement, which the client may cancel meanwhile. The statement is closed if
   * the client goes away: nobody reads its rows, which hold memory.
   */
  private Work work(StatementHandle handle) {
    ClientRequest request = ClientRequest.current();
    if (request == null) {
      return () -> {};
    }
    request.atEnd(() -> closeStatement(handle));
    Served statement = new Served(handle.connectionId, handle.id);
    running.put(statement, request);
    return () -> {
      running.remove(statement, request);
      Execution run = run(handle);
      if (run != null) {
        run.waitForClient();
      }
    };
  }

  /** The run whose result a statement has now; null if it has none. */
  private @Nullable Execution run(StatementHandle handle) {
    return result(handle.id) instanceof ResultSetGuard rows ? rows.execution() : null;
  }

  /** A client's fetch size of 0 leaves it to the server. */
  private static int rowsAFrame(int wanted) {
    return wanted == 0 || wanted == AvaticaStatement.DEFAULT_FETCH_SIZE
        ? ROWS_A_FRAME
        : wanted < 0 ? MOST_ROWS_A_FRAME : Math.min(wanted, MOST_ROWS_A_FRAME);
  }

  /** Avatica takes -2 for all rows, and a frame without rows for the end of the result. */
  private static int firstFrame(int wanted) {
    return switch (wanted) {
      case JdbcMeta.UNLIMITED_COUNT -> MOST_ROWS_A_FRAME;
      case 0 -> ROWS_A_FRAME;
      default -> Math.min(wanted, MOST_ROWS_A_FRAME);
    };
  }

  @Override
  public ExecuteResult execute(
      StatementHandle handle, List<TypedValue> parameters, int maxRowsInFirstFrame)
      throws NoSuchStatementException {
    try (Work _ = work(handle)) {
      return readable(
          super.execute(handle, ExactParameters.of(parameters), firstFrame(maxRowsInFirstFrame)));
    }
  }

  @Override
  public ExecuteBatchResult executeBatch(StatementHandle handle, List<List<TypedValue>> batches)
      throws NoSuchStatementException {
    List<List<TypedValue>> exact = new ArrayList<>();
    for (List<TypedValue> batch : batches) {
      exact.add(Objects.requireNonNull(ExactParameters.of(batch)));
    }
    try (Work _ = work(handle)) {
      return super.executeBatch(handle, exact);
    } catch (RuntimeException e) {
      throw ServedErrors.ofBatch(e);
    }
  }

  @Override
  public ExecuteBatchResult prepareAndExecuteBatch(StatementHandle handle, List<String> texts)
      throws NoSuchStatementException {
    try (Work _ = work(handle)) {
      return super.prepareAndExecuteBatch(handle, texts);
    } catch (RuntimeException e) {
      throw ServedErrors.ofBatch(e);
    }
  }

  @Override
  public ExecuteBatchResult executeBatchProtobuf(
      StatementHandle handle, List<Requests.UpdateBatch> batches) throws NoSuchStatementException {
    List<List<TypedValue>> values = new ArrayList<>();
    for (Requests.UpdateBatch batch : batches) {
      values.add(batch.getParameterValuesList().stream().map(TypedValue::fromProto).toList());
    }
    return executeBatch(handle, values);
  }

  @Override
  public ExecuteResult prepareAndExecute(
      StatementHandle handle,
      String sql,
      long maxRowCount,
      int maxRowsInFirstFrame,
      PrepareCallback callback)
      throws NoSuchStatementException {
    try (Work _ = work(handle)) {
      return readable(
          super.prepareAndExecute(
              handle, sql, maxRowCount, firstFrame(maxRowsInFirstFrame), callback));
    }
  }

  /** Refuses columns that clients fail over. */
  private static ExecuteResult readable(ExecuteResult result) {
    for (MetaResultSet rows : result.resultSets) {
      if (rows.signature != null) {
        NarrowColumns.require(rows.signature.columns);
      }
    }
    return result;
  }

  /**
   * Clients that do not say how many rows they want at a time ask for 100, which makes a request of
   * each 100 rows; they get more.
   */
  @Override
  public Frame fetch(StatementHandle handle, long offset, int fetchMaxRowCount)
      throws NoSuchStatementException, MissingResultsException {
    try (Work _ = work(handle)) {
      ClientRequest request = ClientRequest.current();
      ResultSet result = result(handle.id);
      if (request != null && result != null) {
        request.onCancel(() -> cancel(result));
      }
      Execution run = run(handle);
      if (run != null) {
        run.goOn();
      }
      return super.fetch(handle, offset, rowsAFrame(fetchMaxRowCount));
    }
  }

  @Override
  public boolean syncResults(StatementHandle handle, QueryState state, long offset)
      throws NoSuchStatementException {
    try (Work _ = work(handle)) {
      Execution run = run(handle);
      if (run != null) {
        run.goOn();
      }
      return super.syncResults(handle, state, offset);
    }
  }

  /**
   * Closes a statement; or cancels what it runs, if its number is the complement of a statement's.
   * That is what our client asks, since Avatica has no message for it. Between two requests for
   * rows nothing runs, but the rows to come are cancelled.
   */
  @Override
  public void closeStatement(StatementHandle handle) {
    if (handle.id >= 0) {
      super.closeStatement(handle);
      return;
    }
    ClientRequest request = running.get(new Served(handle.connectionId, ~handle.id));
    ResultSet result = result(~handle.id);
    if (request != null) {
      request.cancel();
    } else if (result != null && isOf(result, handle.connectionId)) {
      cancel(result);
    }
  }

  private @Nullable ResultSet result(int statement) {
    StatementInfo known = getStatementCache().getIfPresent(statement);
    return known == null ? null : known.getResultSet();
  }

  @SuppressWarnings("ReferenceEquality") // the connection itself
  private boolean isOf(ResultSet result, String connection) {
    try {
      return result.getStatement().getConnection() == getConnectionCache().getIfPresent(connection);
    } catch (SQLException e) {
      return false; // it is closed
    }
  }

  private static void cancel(ResultSet result) {
    try {
      result.getStatement().cancel();
    } catch (SQLException e) {
      // It has ended by itself.
      LOG.debug("a client's statement could not be cancelled", e);
    }
  }

  /**
   * Refuses new connections and closes those of clients, which ends their statements; what one of
   * them ends with keeps none of the others open.
   */
  void close() throws SQLException {
    closing = true;
    try {
      for (Set<String> ids = ids(); !ids.isEmpty(); ids = ids()) {
        for (String id : ids) {
          try {
            close(id);
          } catch (RuntimeException e) {
            // Its client may have closed it meanwhile.
            LOG.debug("connection {} of a client was not closed", id, e);
          }
        }
      }
    } finally {
      try {
        connections.close();
      } finally {
        if (own != null) {
          own.close();
        }
      }
    }
  }

  private Set<String> ids() {
    return Set.copyOf(getConnectionCache().asMap().keySet());
  }
}
