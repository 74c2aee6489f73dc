package io.aragonite.adapter.server;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a server serves.
 *
 * @param url the connection that every client gets
 * @param host the address to listen on
 * @param port the port, 0 for any free one
 * @param json JSON instead of Protobuf
 * @param maxQueryTime longest time for a statement, null for none
 * @param idleTime how long a connection or statement is kept that its client does not use, counted
 *     from the end of what it may take; null for ever, as it is without a maxQueryTime
 * @param users a file as {@link UserFile} reads it, null for no authentication
 * @param keystore a file with the server's certificate and key, null for no TLS
 * @param keystorePassword its password
 * @param rules what clients may do
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
    @Nullable String keystorePassword,
    ServerRules rules) {
  /** Without rules. */
  public ServerOptions(
      String url,
      String host,
      int port,
      boolean json,
      @Nullable Duration maxQueryTime,
      @Nullable Duration idleTime,
      @Nullable Path users,
      @Nullable Path keystore,
      @Nullable String keystorePassword) {
    this(
        url,
        host,
        port,
        json,
        maxQueryTime,
        idleTime,
        users,
        keystore,
        keystorePassword,
        ServerRules.none());
  }

  /** Loopback, any free port, Protobuf, no limit. */
  public static ServerOptions local(String url) {
    return new ServerOptions(url, "127.0.0.1", 0, false, null, null, null, null, null);
  }

  /** The same for another port. */
  public ServerOptions withPort(int other) {
    return new ServerOptions(
        url, host, other, json, maxQueryTime, idleTime, users, keystore, keystorePassword, rules);
  }

  /** The same with other rules. */
  public ServerOptions withRules(ServerRules other) {
    return new ServerOptions(
        url, host, port, json, maxQueryTime, idleTime, users, keystore, keystorePassword, other);
  }

  /** The access file; null: everybody may read everything. */
  @Nullable Path access() {
    return rules.access();
  }

  /**
   * Looks whether the server may listen there.
   *
   * @throws AragoniteException SERVER_REFUSED if the address needs protection that is not there
   */
  public void check() {
    boolean loopback;
    try {
      loopback = InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw refused("There is no host '%s' to listen on.".formatted(host), e);
    }
    boolean login = users != null || rules.tokens() != null;
    if (!loopback && (!login || keystore == null)) {
      throw refused(
          "Listening on %s lets other machines in, which needs authentication (--users, --jwks) and TLS"
                  .formatted(host)
              + " (--keystore); without them the server listens on 127.0.0.1 only.",
          null);
    }
    if (access() != null && !login) {
      throw refused(
          "An access file (--access) is about users; name their file with --users, or the keys of"
              + " their tokens with --jwks.",
          null);
    }
    requireFile(access(), "--access");
    requireFile(users, "--users");
    requireFile(keystore, "--keystore");
  }

  private static void requireFile(@Nullable Path file, String option) {
    if (file != null && !Files.isReadable(file)) {
      throw refused("There is no readable file %s, which %s names.".formatted(file, option), null);
    }
  }

  private static AragoniteException refused(String sentence, @Nullable Throwable cause) {
    return new AragoniteException(ErrorCode.SERVER_REFUSED, sentence, cause);
  }

  /** The host as URLs have it. */
  public String urlHost() {
    return host.contains(":") ? "[" + host + "]" : host;
  }

  /** The error of a server that could not be started. */
  public AragoniteException cannotListen(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return refused(
        "The server cannot listen on %s, port %d: %s."
            .formatted(host, port, AragoniteException.reason(root)),
        error);
  }
}
