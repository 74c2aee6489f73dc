package io.aragonite.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What {@link DriverManager} finds in the driver's jar. Where the Java is new enough it hands over
 * to the driver, {@code io.aragonite.adapter.AragoniteDriver}; on an older one it says so, which no
 * class can that was compiled for the newer: {@link DriverManager} passes over those without a word,
 * and over all drivers behind them.
 */
public final class EntryDriver implements Driver {
  private static final String PREFIX = "jdbc:aragonite:";

  /** Of the thin client, which is another jar's. */
  private static final String REMOTE = PREFIX + "remote:";

  private static final String DRIVER = "io.aragonite.adapter.AragoniteDriver";
  private static final int JAVA = 25;

  /** Of the libraries in this jar. Loggers that nobody refers to lose their level. */
  private static final Logger LIBRARIES = Logger.getLogger("io.aragonite.shaded");

  private static final @Nullable Driver REAL;

  static {
    if (LIBRARIES.getLevel() == null) {
      LIBRARIES.setLevel(Level.WARNING); // some tell on their start which options they take
    }
    REAL = load();
    if (REAL == null) {
      register();
    }
  }

  /** For {@link java.util.ServiceLoader}. */
  public EntryDriver() {}

  /** The driver, which registers itself; null if this Java cannot load it. */
  private static @Nullable Driver load() {
    if (Runtime.version().feature() < JAVA) {
      return null;
    }
    try {
      return (Driver) Class.forName(DRIVER).getConstructor().newInstance();
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void register() {
    try {
      DriverManager.registerDriver(new EntryDriver());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SQLException tooOld() {
    return new SQLException(
        String.format(
            "AR-504 (UNSUPPORTED): Aragonite's driver needs Java %d or newer, and this is Java %s; run the"
                + " program with a newer one, or have it use a server (./aragonite serve) through"
                + " io.aragonite:aragonite-client, which needs Java 17.",
            JAVA, Runtime.version().feature()),
        "0AX01",
        504);
  }

  @Override
  public boolean acceptsURL(String url) throws SQLException {
    return url != null && url.startsWith(PREFIX) && !url.startsWith(REMOTE);
  }

  @Override
  public @Nullable Connection connect(String url, Properties info) throws SQLException {
    if (!acceptsURL(url)) {
      return null;
    }
    if (REAL == null) {
      throw tooOld();
    }
    return REAL.connect(url, info);
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) throws SQLException {
    if (REAL == null) {
      throw tooOld();
    }
    return REAL.getPropertyInfo(url, info);
  }

  @Override
  public int getMajorVersion() {
    return REAL == null ? 0 : REAL.getMajorVersion();
  }

  @Override
  public int getMinorVersion() {
    return REAL == null ? 0 : REAL.getMinorVersion();
  }

  @Override
  public boolean jdbcCompliant() {
    return REAL != null && REAL.jdbcCompliant();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return Logger.getLogger("io.aragonite");
  }
}
