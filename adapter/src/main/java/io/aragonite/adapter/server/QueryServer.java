package io.aragonite.adapter.server;

import io.aragonite.adapter.console.ConsoleHandler;
import io.aragonite.exec.error.AragoniteException;
import java.sql.SQLException;
import java.time.Duration;
import org.apache.calcite.avatica.remote.LocalService;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.LifeCycle;

/**
 * Serves Aragonite to Avatica's clients: {@code jdbc:avatica:remote:url=http://host:port;
 * serialization=protobuf}. It listens on loopback; on another address only with authentication and
 * TLS, since Avatica by itself has neither.
 */
public final class QueryServer implements RunningServer {
  /** How long a client may be silent, and after which it may not be slow. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Bytes of all headers of a request. */
  private static final int MAX_HEADER = 64 << 10;

  private final ServedMeta meta;
  private final ServedHandler handler;
  private final Server server;
  private final ServerOptions options;
  private final ClientWatch watch;

  private QueryServer(
      ServedMeta meta,
      ServedHandler handler,
      ClientWatch watch,
      Server server,
      ServerOptions options) {
    this.handler = handler;
    this.meta = meta;
    this.watch = watch;
    this.server = server;
    this.options = options;
  }

  /**
   * @throws AragoniteException SERVER_REFUSED if the address needs protection that is not there, or
   *     cannot be listened on
   * @throws SQLException if the connection that clients would get cannot be opened
   */
  public static QueryServer start(ServerOptions options) throws SQLException {
    return start(options, PATIENCE, RequestMemory.ofHeap());
  }

  /**
   * Starts one.
   *
   * @param patience how long a connection may be silent, and after which a body must have come at a
   *     certain speed
   * @param memory what requests hold
   */
  static QueryServer start(ServerOptions options, Duration patience, RequestMemory memory)
      throws SQLException {
    options.check();
    ServedMeta meta = new ServedMeta(options);
    ClientWatch watch = new ClientWatch(meta::closeIdle);
    boolean done = false;
    try {
      meta.keepOpen();
      AuditLog audit = options.rules().audit();
      UserFile users = options.users() == null ? null : new UserFile(options.users());
      HttpLogin login =
          new HttpLogin(ServedHandler.PROTOCOL, users, options.rules().tokens(), audit);
      ServedHandler handler =
          new ServedHandler(
              new ServedService(new LocalService(meta), meta.owners()),
              options.json(),
              watch,
              login,
              new HealthHandler(meta::tryOpen),
              new ConsoleHandler(
                  options.rules().queries(),
                  login.isRequired(),
                  options.host(),
                  options.rules().admission().slots()),
              meta::seesAll,
              memory,
              patience);
      watch.everySecond(handler.headers()::look);
      Server server = build(handler, watch, options, patience);
      start(server, options);
      done = true;
      QueryServer started = new QueryServer(meta, handler, watch, server, options);
      handler.setServerAddress(options.urlHost() + ":" + started.port());
      return started;
    } finally {
      if (!done) {
        watch.close();
        meta.close();
      }
    }
  }

  private static void start(Server server, ServerOptions options) {
    try {
      server.start();
    } catch (Exception e) { // what Jetty declares
      AragoniteException refused = options.cannotListen(e);
      try {
        LifeCycle.stop(server);
      } catch (RuntimeException suppressed) {
        refused.addSuppressed(suppressed);
      }
      throw refused;
    }
  }

  private static Server build(
      ServedHandler handler, ClientWatch watch, ServerOptions options, Duration patience) {
    Server server = new Server();
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    // Whose the certificate is clients check: they reach the server by addresses and short names
    // too.
    http.addCustomizer(new SecureRequestCustomizer(false));
    http.setRequestHeaderSize(MAX_HEADER); // old clients send JSON requests in one
    ServerConnector connector;
    if (options.keystore() == null) {
      connector = new ServerConnector(server, new HttpConnectionFactory(http));
    } else {
      ServerCertificate certificate =
          new ServerCertificate(options.keystore(), options.keystorePassword());
      watch.everySecond(certificate::reloadIfChanged);
      connector =
          new ServerConnector(server, certificate.factory(), new HttpConnectionFactory(http));
    }
    connector.addBean(handler.headers());
    connector.setIdleTimeout(patience.toMillis());
    connector.setHost(options.host());
    connector.setPort(options.port());
    server.addConnector(connector);
    server.setErrorHandler(new PlainErrorHandler());
    server.setHandler(handler);
    return server;
  }

  @Override
  public int port() {
    return ((ServerConnector) server.getConnectors()[0]).getLocalPort();
  }

  /** Where a browser finds the console. */
  public String consoleUrl() {
    return "%s://%s:%d/console"
        .formatted(options.keystore() == null ? "http" : "https", options.urlHost(), port());
  }

  @Override
  public String clientUrl() {
    return "jdbc:avatica:remote:url=%s://%s:%d;serialization=%s%s"
        .formatted(
            options.keystore() == null ? "http" : "https",
            options.urlHost(),
            port(),
            options.json() ? "json" : "protobuf",
            options.users() != null
                ? ";authentication=BASIC"
                : options.rules().tokens() != null ? ";authentication=BEARER" : "");
  }

  @Override
  public void close() throws SQLException {
    watch.close();
    try {
      meta.close();
      handler.awaitAnswers(); // what has been cancelled says so
    } finally {
      LifeCycle.stop(server);
    }
  }
}
