package io.aragonite.adapter.server;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.File;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.apache.calcite.avatica.remote.LocalService;
import org.apache.calcite.avatica.server.HttpServer;
import org.apache.calcite.avatica.server.ServerCustomizer;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.jspecify.annotations.Nullable;

/**
 * Serves Aragonite to Avatica's clients: {@code jdbc:avatica:remote:url=http://host:port;
 * serialization=protobuf}. It listens on loopback; on another address only with authentication and
 * TLS, since Avatica by itself has neither.
 */
public final class QueryServer implements AutoCloseable {
  private static final String ROLE = "user";

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
    check(options);
    ServedMeta meta = new ServedMeta(options.url(), options.maxQueryTime(), options.idleTime());
    ClientWatch watch = new ClientWatch(meta::closeIdle);
    boolean done = false;
    try {
      meta.probe();
      HttpServer server = build(meta, watch, options);
      try {
        server.start();
      } catch (RuntimeException e) {
        throw refused(
            "The server cannot listen on %s, port %d: %s."
                .formatted(options.host(), options.port(), rootMessage(e)),
            e);
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

  private static String rootMessage(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return AragoniteException.reason(root);
  }

  private static AragoniteException refused(String sentence, @Nullable Throwable cause) {
    return new AragoniteException(ErrorCode.SERVER_REFUSED, sentence, cause);
  }

  private static void check(ServerOptions options) {
    boolean loopback;
    try {
      loopback = InetAddress.getByName(options.host()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw refused("There is no host '%s' to listen on.".formatted(options.host()), e);
    }
    if (!loopback && (options.users() == null || options.keystore() == null)) {
      throw refused(
          "Listening on %s lets other machines in, which needs authentication (--users) and TLS"
                  .formatted(options.host())
              + " (--keystore); without them the server listens on 127.0.0.1 only.",
          null);
    }
    requireFile(options.users(), "--users");
    requireFile(options.keystore(), "--keystore");
  }

  private static void requireFile(@Nullable Path file, String option) {
    if (file != null && !Files.isReadable(file)) {
      throw refused("There is no readable file %s, which %s names.".formatted(file, option), null);
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
      builder.withBasicAuthentication(options.users().toString(), new String[] {ROLE});
    }
    if (options.keystore() != null) {
      File keystore = options.keystore().toFile();
      String password = options.keystorePassword() == null ? "" : options.keystorePassword();
      builder.withTLS(keystore, password, keystore, password);
    }
    return builder.build();
  }

  public int port() {
    return server.getPort();
  }

  /** What clients put behind {@code jdbc:avatica:remote:}. */
  public String clientUrl() {
    return "jdbc:avatica:remote:url=%s://%s:%d;serialization=%s%s"
        .formatted(
            options.keystore() == null ? "http" : "https",
            options.host().contains(":") ? "[" + options.host() + "]" : options.host(),
            port(),
            options.json() ? "json" : "protobuf",
            options.users() == null ? "" : ";authentication=BASIC");
  }

  /** Stops listening, cancels what runs, and closes all connections. */
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
