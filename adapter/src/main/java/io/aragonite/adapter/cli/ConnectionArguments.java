package io.aragonite.adapter.cli;

import io.aragonite.adapter.AragoniteDriver;
import io.aragonite.adapter.options.AragoniteProperty;
import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.calcite.avatica.ConnectStringParser;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which connection a command works with. */
public final class ConnectionArguments {
  private static final String DEFAULT_SCALE = "0.01";

  /** Properties that name tables. */
  private static final Set<String> TABLES = tables();

  private static Set<String> tables() {
    Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    names.addAll(List.of("tpch", "tpcds", "directory", "model", "schemaFactory", "schemaType"));
    return names;
  }

  @Option(
      names = "--url",
      paramLabel = "<url>",
      description = "JDBC URL, jdbc:aragonite:key=value;...; the options below add to it.")
  private @Nullable String url;

  @Option(
      names = "--tpch",
      paramLabel = "<scale>",
      description =
          "Embedded TPC-H schema of this scale (default: 0.01, if there is no --url and nothing"
              + " else names tables).")
  private @Nullable String tpch;

  @Option(
      names = "--tpcds",
      paramLabel = "<scale>",
      description = "Embedded TPC-DS schema of this scale.")
  private @Nullable String tpcds;

  @Option(
      names = "--directory",
      paramLabel = "<folder>",
      description = "Folder whose Parquet, Arrow IPC, CSV and JSON files are tables.")
  private @Nullable String directory;

  @Option(names = "--model", paramLabel = "<file>", description = "Calcite model file.")
  private @Nullable Path model;

  @Option(
      names = "--device",
      paramLabel = "auto|cpu|cuda|cuda:N",
      description = "Where queries run.")
  private @Nullable String device;

  @Option(
      names = "--fallback",
      paramLabel = "on|off",
      description = "Whether Calcite may run what the device cannot.")
  private @Nullable String fallback;

  @Option(
      names = "--memory",
      paramLabel = "<size>",
      description = "Memory for tables and queries: 512MB, 8GB, 50%%.")
  private @Nullable String memory;

  @Option(names = "--threads", paramLabel = "<n>", description = "Threads at most.")
  private @Nullable String threads;

  @Option(
      names = "--timeout",
      paramLabel = "<time>",
      description = "Longest time for a statement: 30s, 5min.")
  private @Nullable String timeout;

  @Option(
      names = {"-P", "--property"},
      paramLabel = "<key=value>",
      description = "Any other connection property.")
  private Map<String, String> properties = new LinkedHashMap<>();

  /**
   * The scale of the embedded TPC-H schema: what the options or the URL say; else, if these name no
   * tables either, {@code otherwise}, which is then taken. Null if there are other tables.
   */
  @Nullable String tpchScale(String otherwise) {
    Properties given = given();
    if (!namesTables(given)) {
      tpch = otherwise;
      return otherwise;
    }
    return AragoniteProperty.TPCH.get(given);
  }

  /** The same of the embedded TPC-DS schema. */
  public @Nullable String tpcdsScale(String otherwise) {
    Properties given = given();
    if (!namesTables(given)) {
      tpcds = otherwise;
      return otherwise;
    }
    return AragoniteProperty.TPCDS.get(given);
  }

  private static boolean namesTables(Properties given) {
    return given.stringPropertyNames().stream().anyMatch(TABLES::contains);
  }

  private boolean isOurs() {
    return url == null || url.startsWith(AragoniteDriver.PREFIX);
  }

  /** What options and URL say together. */
  private Properties given() {
    Properties given = new Properties();
    if (url != null && isOurs()) {
      try {
        given.putAll(
            ConnectStringParser.parse(
                url.substring(AragoniteDriver.PREFIX.length()), new Properties()));
      } catch (SQLException e) {
        // the driver says what is wrong with it
      }
    }
    given.putAll(options());
    return given;
  }

  /** The options as properties; one that has an option of its own is stronger than -P. */
  private Map<String, String> options() {
    Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    all.putAll(properties);
    put(all, AragoniteProperty.TPCH, tpch);
    put(all, AragoniteProperty.TPCDS, tpcds);
    put(all, AragoniteProperty.DIRECTORY, directory);
    put(all, AragoniteProperty.DEVICE, device);
    put(all, AragoniteProperty.FALLBACK, fallback);
    put(all, AragoniteProperty.MEMORY, memory);
    put(all, AragoniteProperty.THREADS, threads);
    put(all, AragoniteProperty.TIMEOUT, timeout);
    if (model != null) {
      all.put("model", model.toString());
    }
    return all;
  }

  /** The URL with all options in it; without one of its own, tables are those of TPC-H. */
  String fullUrl() {
    if (url != null && !isOurs()) {
      return url; // another driver's: the shell can open it
    }
    StringBuilder text = new StringBuilder(url == null ? AragoniteDriver.PREFIX : url);
    Map<String, String> all = options();
    if (url == null && !namesTables(given())) {
      put(all, AragoniteProperty.TPCH, DEFAULT_SCALE);
    }
    for (Map.Entry<String, String> entry : all.entrySet()) {
      if (text.charAt(text.length() - 1) != ':' && text.charAt(text.length() - 1) != ';') {
        text.append(';');
      }
      text.append(entry.getKey()).append('=').append(quoted(entry.getValue()));
    }
    return text.toString();
  }

  private static void put(
      Map<String, String> all, AragoniteProperty property, @Nullable String value) {
    if (value != null) {
      all.put(property.camelName(), value);
    }
  }

  private static String quoted(String value) {
    return value.indexOf(';') < 0 && !value.startsWith("'") && !value.startsWith("\"")
        ? value
        : "'" + value.replace("'", "''") + "'";
  }

  /** Opens the connection, without going through every driver that the JVM knows. */
  public Connection open() throws SQLException {
    String full = fullUrl();
    Connection connection =
        isOurs() ? new AragoniteDriver().connect(full, new Properties()) : other(full);
    if (connection == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_PROPERTY,
          "%s is not a URL of this driver; its URLs begin with %s."
              .formatted(UrlRedaction.redact(full), AragoniteDriver.PREFIX));
    }
    return connection;
  }

  /** A connection of another driver that is on the class path, null if none has such URLs. */
  private static @Nullable Connection other(String full) throws SQLException {
    boolean known = DriverManager.drivers().anyMatch(driver -> accepts(driver, full));
    return known ? DriverManager.getConnection(full) : null;
  }

  private static boolean accepts(Driver driver, String full) {
    try {
      return driver.acceptsURL(full);
    } catch (SQLException e) {
      return false;
    }
  }
}
