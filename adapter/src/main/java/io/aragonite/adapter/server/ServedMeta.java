package io.aragonite.adapter.server;

import io.aragonite.adapter.AragoniteDriver;
import io.aragonite.adapter.AragoniteProperty;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.BuiltInConnectionProperty;
import org.apache.calcite.avatica.MissingResultsException;
import org.apache.calcite.avatica.NoSuchStatementException;
import org.apache.calcite.avatica.jdbc.JdbcMeta;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a server's clients. A client chooses how names and times are read, never what
 * is opened or which classes are loaded.
 */
final class ServedMeta extends JdbcMeta {
  private static final int ROWS_A_FRAME = 5000;

  // not fun: libraries have functions over Java's regular expressions, which may never end
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
  // what the client's driver sends along of its own
  private static final Set<String> TRANSPORT = transport();

  private static final Duration FOREVER = Duration.ofDays(36_500);

  private static final Logger LOG = LoggerFactory.getLogger(ServedMeta.class);

  private final String url;
  private final Properties limits = new Properties();
  private @Nullable Connection own;
  private volatile boolean closing;

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
   * @param idleTime how long a connection or statement is kept that its client does not use, null
   *     for ever
   */
  ServedMeta(String url, @Nullable Duration maxQueryTime, @Nullable Duration idleTime)
      throws SQLException {
    super(url, cacheSettings(maxQueryTime, idleTime));
    this.url = url;
    if (maxQueryTime != null) {
      limits.setProperty(AragoniteProperty.TIMEOUT.camelName(), maxQueryTime.toMillis() + "ms");
    }
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

  /**
   * Opens a connection that no client has, and keeps it: errors show at once, and the engine and
   * its tables stay while no client is there.
   */
  void probe() throws SQLException {
    own = createConnection(url, new Properties());
  }

  @Override
  public void openConnection(ConnectionHandle handle, @Nullable Map<String, String> info) {
    requireOpen();
    Map<String, String> allowed = new HashMap<>();
    if (info != null) {
      for (Map.Entry<String, String> entry : info.entrySet()) {
        String name = entry.getKey().toLowerCase(Locale.ROOT);
        if (CLIENT_PROPERTIES.contains(name)) {
          allowed.put(entry.getKey(), entry.getValue());
        } else if (!TRANSPORT.contains(name)) {
          throw new AragoniteException(
              ErrorCode.SERVER_REFUSED,
              "A client may not set '%s' on this server; give it where the server is started."
                  .formatted(entry.getKey()));
        }
      }
    }
    super.openConnection(handle, allowed);
    if (closing) {
      // It may have come too late to be closed with the others.
      closeConnection(handle);
      requireOpen();
    }
  }

  private void requireOpen() {
    if (closing) {
      throw new AragoniteException(
          ErrorCode.SERVER_REFUSED, "The server is being shut down; connect to it again later.");
    }
  }

  @Override
  protected Connection createConnection(String url, Properties info) throws SQLException {
    Properties properties = new Properties();
    properties.putAll(info);
    // the shorter of the client's and the server's limit is the server's to enforce
    if (!limits.isEmpty()) {
      properties.keySet().removeIf(key -> String.valueOf(key).equalsIgnoreCase("timeout"));
      properties.putAll(limits);
    }
    Connection connection = new AragoniteDriver().connect(url, properties);
    if (connection == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_PROPERTY,
          "%s is not a URL of this driver; its URLs begin with %s."
              .formatted(url, AragoniteDriver.PREFIX));
    }
    return connection;
  }

  /**
   * Clients that do not say how many rows they want at a time ask for 100, which makes a request of
   * each 100 rows; they get more.
   */
  @Override
  public Frame fetch(StatementHandle handle, long offset, int fetchMaxRowCount)
      throws NoSuchStatementException, MissingResultsException {
    int rows =
        fetchMaxRowCount == AvaticaStatement.DEFAULT_FETCH_SIZE ? ROWS_A_FRAME : fetchMaxRowCount;
    return super.fetch(handle, offset, rows);
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
            closeConnection(new ConnectionHandle(id));
          } catch (RuntimeException e) {
            // Its client may have closed it meanwhile.
            LOG.debug("connection {} of a client was not closed", id, e);
          }
        }
      }
    } finally {
      if (own != null) {
        own.close();
      }
    }
  }

  private Set<String> ids() {
    return Set.copyOf(getConnectionCache().asMap().keySet());
  }
}
