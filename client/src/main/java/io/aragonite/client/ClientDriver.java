package io.aragonite.client;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.calcite.avatica.BuiltInConnectionProperty;
import org.apache.calcite.avatica.ConnectStringParser;
import org.apache.calcite.avatica.DriverVersion;
import org.apache.calcite.avatica.remote.AvaticaRemoteConnectionProperty;
import org.apache.calcite.avatica.remote.Driver;
import org.jspecify.annotations.Nullable;

/**
 * {@code jdbc:aragonite:remote:url=http://host:port}, followed by properties: connections to a
 * server. It is Avatica's driver, with the server's Protobuf as default, as much time for an answer
 * as a query takes, a cancel that reaches the server, the user's name and password where JDBC has
 * them, and {@code token} for a bearer token.
 */
public final class ClientDriver extends Driver {
  public static final String PREFIX = "jdbc:aragonite:remote:";

  /** Of the libraries in this jar, which may have names of their own. */
  private static final Logger LIBRARIES =
      Logger.getLogger(Driver.class.getPackageName().replaceFirst("[.]org[.]apache[.].*", ""));

  private static final Set<String> TRANSPORT = transport();

  static {
    if (LIBRARIES.getLevel() == null) {
      LIBRARIES.setLevel(Level.SEVERE); // what fails is thrown; it need not be told as well
    }
    new ClientDriver().register();
    leaveAvaticaToTheProgram();
  }

  /** For {@link java.util.ServiceLoader}. */
  public ClientDriver() {}

  private static Set<String> transport() {
    Set<String> names = new HashSet<>();
    for (BuiltInConnectionProperty property : BuiltInConnectionProperty.values()) {
      names.add(property.camelName().toLowerCase(Locale.ROOT));
    }
    for (AvaticaRemoteConnectionProperty property : AvaticaRemoteConnectionProperty.values()) {
      names.add(property.camelName().toLowerCase(Locale.ROOT));
    }
    names.remove("schema");
    names.remove("timezone");
    return names;
  }

  /** {@code jdbc:avatica:remote:} is the program's, where Avatica has a name of its own here. */
  private static void leaveAvaticaToTheProgram() {
    if (!Driver.class.getName().startsWith("io.aragonite.")) {
      return;
    }
    try {
      for (java.sql.Driver driver : DriverManager.drivers().toList()) {
        if (driver.getClass() == Driver.class) {
          DriverManager.deregisterDriver(driver);
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String version() {
    String version = ClientDriver.class.getPackage().getImplementationVersion();
    return version == null ? "0.1.0" : version;
  }

  @Override
  protected String getConnectStringPrefix() {
    return PREFIX;
  }

  @Override
  protected String getFactoryClassName(JdbcVersion version) {
    return ClientFactory.class.getName();
  }

  @Override
  protected DriverVersion createDriverVersion() {
    String version = version();
    String[] parts = version.split("[.-]", -1);
    int major = Integer.parseInt(parts[0]);
    int minor = Integer.parseInt(parts[1]);
    return new DriverVersion(
        "Aragonite client", version, "Aragonite", version, true, major, minor, major, minor);
  }

  @Override
  public boolean acceptsURL(@Nullable String url) {
    return url != null && url.startsWith(PREFIX);
  }

  @Override
  public @Nullable Connection connect(String url, Properties info) throws SQLException {
    if (!acceptsURL(url)) {
      return null;
    }
    Properties given = ClientUrl.properties(url.substring(PREFIX.length()), info);
    Properties transport = new Properties();
    Properties forServer = new Properties();
    for (String name : given.stringPropertyNames()) {
      if (TRANSPORT.contains(name.toLowerCase(Locale.ROOT))) {
        transport.setProperty(name, given.getProperty(name));
      } else {
        forServer.setProperty(forwarded(name), given.getProperty(name));
      }
    }
    if (!has(transport, "url")) {
      throw new SQLException(
          "AR-402 (USER): A URL " + PREFIX + " names its server: " + PREFIX + "url=http://host:8765.",
          "HY024",
          402);
    }
    setDefault(transport, "serialization", "protobuf");
    setDefault(transport, "factory", ClientService.class.getName());
    setDefault(transport, "http_response_timeout", "0"); // a query takes as long as it takes
    logIn(transport, forServer);
    try {
      return super.connect(PREFIX + ConnectStringParser.getParamString(transport), forServer);
    } catch (RuntimeException e) {
      throw ClientErrors.of(e, "No connection to " + ClientUrl.shown(transport));
    }
  }

  /** Avatica keeps {@code timeZone} and {@code schema} to itself, spelled so and not otherwise. */
  private static String forwarded(String name) {
    return name.equalsIgnoreCase("timezone") || name.equalsIgnoreCase("schema")
        ? name.toUpperCase(Locale.ROOT)
        : name;
  }

  /** What JDBC calls user and password, or a token, is what the server asks for. */
  private static void logIn(Properties transport, Properties forServer) {
    Object user = forServer.remove("user");
    Object password = forServer.remove("password");
    Object token = forServer.remove("token");
    if (token != null && !has(transport, "bearer_token")) {
      transport.setProperty("authentication", "BEARER");
      // Avatica wants a name beside it; the server takes that of the token.
      setDefault(transport, "avatica_user", user == null ? "token" : user.toString());
      transport.setProperty("bearer_token", token.toString());
    } else if (user != null && !user.equals("") && !has(transport, "avatica_user")) {
      setDefault(transport, "authentication", "BASIC");
      transport.setProperty("avatica_user", user.toString());
      transport.setProperty("avatica_password", password == null ? "" : password.toString());
    }
  }

  private static boolean has(Properties properties, String wanted) {
    return properties.stringPropertyNames().stream().anyMatch(wanted::equalsIgnoreCase);
  }

  private static void setDefault(Properties properties, String name, String value) {
    if (!has(properties, name)) {
      properties.setProperty(name, value);
    }
  }
}
