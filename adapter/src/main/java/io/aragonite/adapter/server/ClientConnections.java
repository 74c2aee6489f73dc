package io.aragonite.adapter.server;

import io.aragonite.adapter.AragoniteDriver;
import io.aragonite.adapter.access.UserAccess;
import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.options.AragoniteProperty;
import io.aragonite.adapter.options.ConnectionLimits;
import io.aragonite.adapter.statement.ConnectionTerms;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import org.apache.calcite.avatica.ConnectStringParser;
import org.jspecify.annotations.Nullable;

/**
 * Opens the connections of a server's clients, whatever protocol they speak. A client chooses how
 * names and times are read, never what is opened or which classes are loaded.
 */
public final class ClientConnections implements AutoCloseable {
  // not fun: nobody has looked at all functions of the libraries with hostile arguments in mind
  private static final Set<String> CLIENT_PROPERTIES =
      Set.of(
          "schema",
          "timezone",
          "locale",
          "casesensitive",
          "conformance",
          "defaultnullcollation",
          "fallback",
          "lex",
          "quotedcasing",
          "quoting",
          "timeout",
          "typecoercion",
          "unquotedcasing");

  private final String url;
  private final @Nullable Duration maxQueryTime;
  private final @Nullable AccessControl access;
  private final ServerRules rules;

  /**
   * @throws AragoniteException SERVER_REFUSED if the access file is not right
   * @throws SQLException if the connection that clients would get cannot be opened
   */
  public ClientConnections(ServerOptions options) throws SQLException {
    url = options.url();
    maxQueryTime = options.maxQueryTime();
    rules = options.rules();
    ServerMetrics.slots(rules.admission().slots());
    Path file = options.access();
    access = file == null ? null : control(file, options.users());
  }

  private AccessControl control(Path file, @Nullable Path users) throws SQLException {
    Connection all = openAll(new Properties(), ConnectionTerms.ALL);
    boolean done = false;
    try {
      AccessControl control = new AccessControl(file, users, rules.tokens() != null, all);
      done = true;
      return control;
    } finally {
      if (!done) {
        all.close();
      }
    }
  }

  /** The properties that clients may set, in lower case. */
  public static Set<String> clientProperties() {
    return CLIENT_PROPERTIES;
  }

  static boolean mayBeSet(String property) {
    return CLIENT_PROPERTIES.contains(property.toLowerCase(Locale.ROOT));
  }

  /**
   * What a user may do now. A connection is good only as long as this is the same.
   *
   * @throws AragoniteException NOT_GRANTED for a user without roles
   */
  public UserAccess access(ClientIdentity client) {
    return access == null ? UserAccess.EVERYTHING : access.of(client.user(), client.roles());
  }

  /**
   * Opens a connection for a client that has logged in, which the audit log is told of.
   *
   * @param info what the client sets, all of it of {@link #clientProperties}
   * @return the connection, and what its user may do
   * @throws AragoniteException NOT_GRANTED for a user without roles
   */
  public LoggedIn login(ClientIdentity client, Properties info) throws SQLException {
    try {
      UserAccess granted = access(client);
      Connection connection = open(granted, info);
      rules.audit().login(client, null);
      return new LoggedIn(connection, granted);
    } catch (SQLException | RuntimeException e) {
      rules.audit().login(client, e);
      throw e;
    }
  }

  /**
   * A connection of a client.
   *
   * @param access what its user may do on it
   */
  public record LoggedIn(Connection connection, UserAccess access) {}

  /** The error of a connection whose user has other rights by now. */
  public static AragoniteException changed(String user) {
    return new AragoniteException(
        ErrorCode.NOT_GRANTED,
        "The rights of user '%s' have changed, so the connection was closed; connect again."
            .formatted(user));
  }

  /**
   * Opens a connection.
   *
   * @param access of its user
   * @param info what the client sets, all of it of {@link #clientProperties}
   */
  Connection open(UserAccess access, Properties info) throws SQLException {
    Properties properties = new Properties();
    properties.putAll(info);
    limitTime(properties, access.limits().time());
    return openAll(properties, new ConnectionTerms(access.tables(), new ServedRuns(rules, access)));
  }

  private Connection openAll(Properties properties, ConnectionTerms terms) throws SQLException {
    limitFiles(properties);
    Connection connection = new AragoniteDriver().connect(url, properties, terms);
    if (connection == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_PROPERTY,
          "%s is not a URL of this driver; its URLs begin with %s."
              .formatted(url, AragoniteDriver.PREFIX));
    }
    return connection;
  }

  /**
   * Opens a connection that no client has: errors show at once, the data of embedded tables are
   * made, and the engine and its tables stay while no client is there.
   */
  public Connection openOwn() throws SQLException {
    Properties properties = new Properties();
    limitTime(properties, null);
    Connection own = openAll(properties, ConnectionTerms.ALL);
    boolean done = false;
    try (ResultSet tables = own.getMetaData().getTables(null, null, "%", null)) {
      boolean _ = tables.next();
      done = true;
      return own;
    } finally {
      if (!done) {
        own.close();
      }
    }
  }

  /** Clients read what the operator gave, and write nothing, unless the operator says otherwise. */
  private void limitFiles(Properties properties) throws SQLException {
    Properties given =
        url.startsWith(AragoniteDriver.PREFIX)
            ? ConnectStringParser.parse(
                url.substring(AragoniteDriver.PREFIX.length()), new Properties())
            : new Properties();
    String name = AragoniteProperty.FILE_ACCESS.camelName();
    if (given.stringPropertyNames().stream().noneMatch(name::equalsIgnoreCase)) {
      properties.setProperty(name, "directory");
    }
  }

  /** The shortest of the client's, the server's and the user's limits counts. */
  private void limitTime(Properties properties, @Nullable Duration ofUser) throws SQLException {
    Duration most =
        maxQueryTime == null || ofUser != null && ofUser.compareTo(maxQueryTime) < 0
            ? ofUser
            : maxQueryTime;
    if (most == null) {
      return;
    }
    Duration own = ConnectionLimits.timeout(properties);
    if (own == null || own.compareTo(most) > 0) {
      AragoniteProperty.TIMEOUT.replaceIn(properties, most.toMillis() + "ms");
    }
  }

  @Override
  public void close() throws SQLException {
    if (access != null) {
      access.close();
    }
  }
}
