package io.aragonite.adapter.server;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link QueryServer} serves.
 *
 * @param url the connection that every client gets
 * @param host the address to listen on
 * @param port the port, 0 for any free one
 * @param json JSON instead of Protobuf
 * @param maxQueryTime longest time for a statement, null for none
 * @param idleTime how long a connection or statement is kept that its client does not use, counted
 *     from the end of what it may take; null for ever, as it is without a maxQueryTime
 * @param users a file with a line {@code name: password,user} for each user, null for no
 *     authentication
 * @param keystore a file with the server's certificate and key, null for no TLS
 * @param keystorePassword its password
 */
public record ServerOptions(
    String url,
    String host,
    int port,
    boolean json,
    @Nullable Duration maxQueryTime,
    @Nullable Duration idleTime,
    @Nullable Path users,
    @Nullable Path keystore,
    @Nullable String keystorePassword) {
  /** Loopback, any free port, Protobuf, no limit. */
  public static ServerOptions local(String url) {
    return new ServerOptions(url, "127.0.0.1", 0, false, null, null, null, null, null);
  }
}
