package io.aragonite.adapter.server;

import io.aragonite.exec.error.AragoniteException;
import java.io.File;
import java.sql.SQLException;
import java.util.List;
import org.apache.calcite.avatica.remote.LocalService;
import org.apache.calcite.avatica.server.HttpServer;
import org.apache.calcite.avatica.server.ServerCustomizer;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Serves Aragonite to Avatica's clients: {@code jdbc:avatica:remote:url=http://host:port;
 * serialization=protobuf}. It listens on loopback; on another address only with authentication and
 * TLS, since Avatica by itself has neither.
 */
public final class QueryServer implements RunningServer {
  private final ServedMeta meta;
  private final HttpServer server;
  private final ServerOptions options;
  private final ClientWatch watch;

  private QueryServer(
      ServedMeta meta, ClientWatch watch, HttpServer server, ServerOptions options) {
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
    options.check();
    ServedMeta meta = new ServedMeta(options.url(), options.maxQueryTime(), options.idleTime());
    ClientWatch watch = new ClientWatch(meta::closeIdle);
    boolean done = false;
    try {
      meta.probe();
      HttpServer server = build(meta, watch, options);
      try {
        server.start();
      } catch (RuntimeException e) {
        throw options.cannotListen(e);
      }
      done = true;
      return new QueryServer(meta, watch, server, options);
    } finally {
      if (!done) {
        watch.close();
        meta.close();
      }
    }
  }

  private static HttpServer build(ServedMeta meta, ClientWatch watch, ServerOptions options) {
    ServerCustomizer<Server> bind =
        server -> {
          for (Connector connector : server.getConnectors()) {
            ((ServerConnector) connector).setHost(options.host());
            HttpConnectionFactory http =
                connector.getConnectionFactory(HttpConnectionFactory.class);
            if (http != null) {
              http.getHttpConfiguration().setSendServerVersion(false);
            }
          }
          server.setErrorHandler(new ShortErrors());
        };
    HttpServer.Builder<Server> builder =
        new HttpServer.Builder<Server>()
            .withPort(options.port())
            .withHandler(
                new ServedHandler(new ServedService(new LocalService(meta)), options.json(), watch))
            .withServerCustomizers(List.of(bind), Server.class);
    if (options.users() != null) {
      builder.withBasicAuthentication(options.users().toString(), new String[] {UserFile.ROLE});
    }
    if (options.keystore() != null) {
      File keystore = options.keystore().toFile();
      String password = options.keystorePassword() == null ? "" : options.keystorePassword();
      builder.withTLS(keystore, password, keystore, password);
    }
    return builder.build();
  }

  @Override
  public int port() {
    return server.getPort();
  }

  @Override
  public String clientUrl() {
    return "jdbc:avatica:remote:url=%s://%s:%d;serialization=%s%s"
        .formatted(
            options.keystore() == null ? "http" : "https",
            options.urlHost(),
            port(),
            options.json() ? "json" : "protobuf",
            options.users() == null ? "" : ";authentication=BASIC");
  }

  @Override
  public void close() throws SQLException {
    watch.close();
    try {
      meta.close();
    } finally {
      server.stop();
    }
  }
}
