package io.aragonite.adapter.server;

import io.aragonite.adapter.AragoniteDriver;
import io.aragonite.adapter.options.AragoniteProperty;
import io.aragonite.adapter.options.ConnectionLimits;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
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
public final class ClientConnections {
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

  /**
   * @param url of each connection
   * @param maxQueryTime longest time for a statement, null for none
   */
  public ClientConnections(String url, @Nullable Duration maxQueryTime) {
    this.url = url;
    this.maxQueryTime = maxQueryTime;
  }

  /** The properties that clients may set, in lower case. */
  public static Set<String> clientProperties() {
    return CLIENT_PROPERTIES;
  }

  static boolean mayBeSet(String property) {
    return CLIENT_PROPERTIES.contains(property.toLowerCase(Locale.ROOT));
  }

  /**
   * Opens a connection.
   *
   * @param info what the client sets, all of it of {@link #clientProperties}
   */
  public Connection open(Properties info) throws SQLException {
    Properties properties = new Properties();
    properties.putAll(info);
    limitTime(properties);
    limitFiles(properties);
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
   * Opens a connection that no client has: errors show at once, the data of embedded tables are
   * made, and the engine and its tables stay while no client is there.
   */
  public Connection openOwn() throws SQLException {
    Connection own = open(new Properties());
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

  /** The shorter of the client's and the server's limit counts. */
  private void limitTime(Properties properties) throws SQLException {
    if (maxQueryTime == null) {
      return;
    }
    Duration own = ConnectionLimits.timeout(properties);
    if (own == null || own.compareTo(maxQueryTime) > 0) {
      properties.keySet().removeIf(key -> String.valueOf(key).equalsIgnoreCase("timeout"));
      properties.setProperty(AragoniteProperty.TIMEOUT.camelName(), maxQueryTime.toMillis() + "ms");
    }
  }
}
