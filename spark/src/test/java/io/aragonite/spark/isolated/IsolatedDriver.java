package io.aragonite.spark.isolated;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;

/** Aragonite's driver with its libraries, of which Spark has others: what the published jar is. */
public final class IsolatedDriver implements Driver {
  private static final Driver DRIVER = load();

  private static Driver load() {
    try {
      ClassLoader loader = IsolatedLoader.of("adapter", IsolatedDriver.class);
      Driver driver = (Driver) made(loader, "io.aragonite.adapter.AragoniteDriver");
      deregister(loader);
      return driver;
    } catch (Exception e) {
      throw new IllegalStateException("the driver is not there", e);
    }
  }

  /** Takes the driver of a loader out of DriverManager. */
  public static void deregister(ClassLoader loader) throws ReflectiveOperationException {
    ((Runnable) made(loader, Deregistration.class.getName())).run();
  }

  private static Object made(ClassLoader loader, String name) throws ReflectiveOperationException {
    return loader.loadClass(name).getDeclaredConstructor().newInstance();
  }

  /** DriverManager asks this loader, too, for the class of a driver, and lacks its libraries. */
  public static final class Deregistration implements Runnable {
    @Override
    public void run() {
      DriverManager.drivers()
          .filter(driver -> getClass().getClassLoader().equals(driver.getClass().getClassLoader()))
          .toList()
          .forEach(Deregistration::deregister);
    }

    private static void deregister(Driver driver) {
      try {
        DriverManager.deregisterDriver(driver);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public Connection connect(String url, Properties info) throws SQLException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(DRIVER.getClass().getClassLoader());
    try {
      return DRIVER.connect(url, info);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Override
  public boolean acceptsURL(String url) throws SQLException {
    return DRIVER.acceptsURL(url);
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
    return new DriverPropertyInfo[0];
  }

  @Override
  public int getMajorVersion() {
    return DRIVER.getMajorVersion();
  }

  @Override
  public int getMinorVersion() {
    return DRIVER.getMinorVersion();
  }

  @Override
  public boolean jdbcCompliant() {
    return DRIVER.jdbcCompliant();
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getLogger("io.aragonite");
  }
}
