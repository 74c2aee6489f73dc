package io.aragonite.adapter.server;

import io.aragonite.adapter.access.UserAccess;
import io.aragonite.adapter.execution.ClientRequest;
import java.sql.Connection;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import org.apache.calcite.avatica.NoSuchConnectionException;
import org.apache.calcite.avatica.jdbc.StatementInfo;
import org.apache.calcite.avatica.remote.AvaticaRuntimeException;
import org.apache.calcite.avatica.remote.Service;
import org.apache.calcite.avatica.remote.Service.Request;
import org.apache.calcite.avatica.remote.Service.Response;
import org.jspecify.annotations.Nullable;

/**
 * Whose the connections and statements of Avatica's clients are. Avatica knows statements by a
 * number, which is easy to guess, and asks nobody whose they are. Who names what is not his is told
 * that it is not there.
 */
final class ServedOwners {
  private final ServedMeta meta;
  private final ClientConnections connections;

  /**
   * Who has opened a connection.
   *
   * @param user null on a server without users
   */
  private record Owner(@Nullable String user, UserAccess access) {}

  private final Map<Connection, Owner> owners = Collections.synchronizedMap(new WeakHashMap<>());

  /** The connections of statements. */
  private final Map<StatementInfo, String> statements =
      Collections.synchronizedMap(new WeakHashMap<>());

  ServedOwners(ServedMeta meta, ClientConnections connections) {
    this.meta = meta;
    this.connections = connections;
  }

  /** The user whose request this thread works on; null on a server without users. */
  static @Nullable String user() {
    return ClientRequest.client(ClientRequest.current()).user();
  }

  /** A connection was opened for the present request. */
  void opened(Connection connection, UserAccess access) {
    owners.put(connection, new Owner(user(), access));
  }

  /** What a request names, by the protocol's ids. */
  private record Named(@Nullable String connection, @Nullable Integer statement) {
    static Named of(Request request) {
      return switch (request) {
        case Service.CatalogsRequest r -> new Named(r.connectionId, null);
        case Service.SchemasRequest r -> new Named(r.connectionId, null);
        case Service.TablesRequest r -> new Named(r.connectionId, null);
        case Service.TableTypesRequest r -> new Named(r.connectionId, null);
        case Service.TypeInfoRequest r -> new Named(r.connectionId, null);
        case Service.ColumnsRequest r -> new Named(r.connectionId, null);
        case Service.DatabasePropertyRequest r -> new Named(r.connectionId, null);
        case Service.ConnectionSyncRequest r -> new Named(r.connectionId, null);
        case Service.CloseConnectionRequest r -> new Named(r.connectionId, null);
        case Service.CommitRequest r -> new Named(r.connectionId, null);
        case Service.RollbackRequest r -> new Named(r.connectionId, null);
        case Service.PrepareRequest r -> new Named(r.connectionId, null);
        case Service.CreateStatementRequest r -> new Named(r.connectionId, null);
        case Service.PrepareAndExecuteRequest r -> new Named(r.connectionId, r.statementId);
        case Service.PrepareAndExecuteBatchRequest r -> new Named(r.connectionId, r.statementId);
        case Service.ExecuteBatchRequest r -> new Named(r.connectionId, r.statementId);
        case Service.FetchRequest r -> new Named(r.connectionId, r.statementId);
        case Service.SyncResultsRequest r -> new Named(r.connectionId, r.statementId);
        case Service.CloseStatementRequest r -> new Named(r.connectionId, r.statementId);
        case Service.ExecuteRequest r ->
            r.statementHandle == null
                ? new Named(null, null)
                : new Named(r.statementHandle.connectionId, r.statementHandle.id);
        case Service.OpenConnectionRequest _ -> new Named(null, null);
        default -> throw new IllegalArgumentException(request.getClass().getName());
      };
    }
  }

  /**
   * Looks whether a request names what is its client's.
   *
   * @throws NoSuchConnectionException if the connection is another's
   * @throws AvaticaRuntimeException if the statement is another connection's
   */
  void require(Request request) {
    Named named = Named.of(request);
    String id = named.connection;
    Connection connection = id == null ? null : meta.connection(id);
    if (id == null || connection == null) {
      // Avatica finds a statement by its number alone, whatever connection a request names.
      if (named.statement != null) {
        throw id == null ? ServedErrors.noStatement() : new NoSuchConnectionException(id);
      }
      return; // there is none, which Avatica says
    }
    Owner owner = owners.get(connection);
    if (owner == null || !Objects.equals(owner.user, user())) {
      throw new NoSuchConnectionException(id);
    }
    requireSameRights(id, owner);
    if (named.statement != null) {
      // The complement of a number cancels.
      StatementInfo statement =
          meta.statement(named.statement < 0 ? ~named.statement : named.statement);
      if (statement != null && !id.equals(statements.get(statement))) {
        throw ServedErrors.noStatement();
      }
    }
  }

  private void requireSameRights(String id, Owner owner) {
    String user = owner.user;
    if (user == null) {
      return;
    }
    boolean same = false;
    try {
      same = connections.access(ClientRequest.client(ClientRequest.current())).equals(owner.access);
    } finally {
      if (!same) {
        meta.close(id); // also where the user has no rights at all any more
      }
    }
    if (!same) {
      throw ClientConnections.changed(user);
    }
  }

  /** Notes whose the statements are that an answer tells of. */
  void answered(@Nullable Response response) {
    switch (response) {
      case Service.CreateStatementResponse r -> made(r.connectionId, r.statementId);
      case Service.PrepareResponse r -> made(r.statement.connectionId, r.statement.id);
      case Service.ResultSetResponse r -> made(r.connectionId, r.statementId);
      case null, default -> {}
    }
  }

  private void made(String connection, int number) {
    StatementInfo statement = meta.statement(number);
    if (statement != null) {
      statements.putIfAbsent(statement, connection);
    }
  }
}
