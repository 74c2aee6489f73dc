package io.aragonite.spark.isolated;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Aragonite's Flight SQL server with its libraries, of which Spark has others. */
public final class IsolatedServer implements AutoCloseable {
  private static final ClassLoader LOADER = IsolatedLoader.of("flight", IsolatedDriver.class);

  private final AutoCloseable server;
  private final int port;

  public IsolatedServer(String url) throws Exception {
    this(url, null);
  }

  /**
   * @param users a file of users; null: there are none
   */
  public IsolatedServer(String url, @Nullable Path users) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(LOADER);
    try {
      Class<?> options = LOADER.loadClass("io.aragonite.adapter.server.ServerOptions");
      Class<?> type = LOADER.loadClass("io.aragonite.flight.FlightSqlServer");
      Method start = type.getMethod("start", options);
      server =
          (AutoCloseable)
              start.invoke(
                  null,
                  options
                      .getConstructor(
                          String.class,
                          String.class,
                          int.class,
                          boolean.class,
                          Duration.class,
                          Duration.class,
                          Path.class,
                          Path.class,
                          String.class)
                      .newInstance(url, "127.0.0.1", 0, false, null, null, users, null, null));
      port = (Integer) type.getMethod("port").invoke(server);
      IsolatedDriver.deregister(LOADER);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  public String location() {
    return "grpc://127.0.0.1:" + port;
  }

  /** Waits until it knows of clients that have gone: it does not close over their vectors. */
  @Override
  public void close() throws Exception {
    Method vectorBytes = server.getClass().getDeclaredMethod("vectorBytes");
    vectorBytes.setAccessible(true);
    for (int i = 0; i < 1000 && (Long) vectorBytes.invoke(server) > 0; i++) {
      Thread.sleep(20);
    }
    server.close();
  }
}
