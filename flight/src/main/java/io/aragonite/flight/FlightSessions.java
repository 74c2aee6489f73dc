package io.aragonite.flight;

import io.aragonite.adapter.server.ClientConnections;
import io.aragonite.exec.error.ErrorCode;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.arrow.flight.FlightProducer.CallContext;
import org.apache.arrow.flight.FlightStatusCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of a server's clients, one connection each. A client that logs in has the session of
 * its token, another one that of its network connection, with which it ends. The session of a token
 * ends some time after its last network connection; the token stays good for another one.
 */
final class FlightSessions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FlightSessions.class);
  private static final int MAX_SESSIONS = 256;
  private static final int MAX_TOKENS = 10_000;
  private static final int TOKEN_BYTES = 32;
  private static final Duration ALONE = Duration.ofMinutes(1);

  private final ClientConnections connections;
  private final @Nullable Duration expiry;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, FlightSession> sessions = new ConcurrentHashMap<>();
  private final Map<String, Token> tokens = new ConcurrentHashMap<>();
  private volatile boolean closing;

  /** Who has logged in, and by which network connection. */
  private static final class Token {
    private final String user;
    private final long transport;
    private volatile long lastUse = System.nanoTime();

    Token(String user, long transport) {
      this.user = user;
      this.transport = transport;
    }
  }

  /**
   * @param maxQueryTime longest time for a statement, null for none
   * @param idleTime how long a session is kept that its client does not use, null for ever
   */
  FlightSessions(
      ClientConnections connections,
      @Nullable Duration maxQueryTime,
      @Nullable Duration idleTime) {
    this.connections = connections;
    this.expiry =
        maxQueryTime == null || idleTime == null ? null : idleTime.plus(maxQueryTime);
  }

  static String ofTransport(long transport) {
    return "transport " + transport;
  }

  static String ofLogin(String token) {
    return "token " + token;
  }

  /** The key of a token's session; null if there is no such token. */
  @Nullable String ofToken(String token) {
    Token known = tokens.get(token);
    if (known == null) {
      return null;
    }
    known.lastUse = System.nanoTime();
    return ofLogin(token);
  }

  /** A token for a client, which is the same for each log-in by a network connection. */
  String login(String user, long transport) {
    for (Map.Entry<String, Token> entry : tokens.entrySet()) {
      Token known = entry.getValue();
      if (known.transport == transport && known.user.equals(user)) {
        known.lastUse = System.nanoTime();
        return entry.getKey();
      }
    }
    if (tokens.size() >= MAX_TOKENS) {
      throw tooMany("clients that have logged in", MAX_TOKENS);
    }
    byte[] bytes = new byte[TOKEN_BYTES];
    random.nextBytes(bytes);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    tokens.put(token, new Token(user, transport));
    return token;
  }

  static RuntimeException tooMany(String what, int most) {
    return FlightErrors.of(
        FlightStatusCode.RESOURCE_EXHAUSTED,
        ErrorCode.SERVER_REFUSED,
        "There are %d %s, which are as many as there may be; close some."
            .formatted(most, what));
  }

  /** The session of a call, which has its connection with the first one. */
  FlightSession of(CallContext context) throws SQLException {
    FlightCall call = context.getMiddleware(FlightCall.KEY);
    String key = context.peerIdentity();
    FlightSession session = sessions.get(key);
    if (session == null) {
      synchronized (this) {
        session = sessions.get(key);
        if (session == null) {
          requireOpen();
          if (sessions.size() >= MAX_SESSIONS) {
            throw tooMany("sessions", MAX_SESSIONS);
          }
          session = FlightSession.open(connections, call.properties());
          sessions.put(key, session);
        }
      }
    }
    session.use(call.transport());
    return session;
  }

  private void requireOpen() {
    if (closing) {
      throw FlightErrors.of(
          ErrorCode.SERVER_REFUSED,
          "The server is being shut down; connect to it again later.");
    }
  }

  /** Ends the session of a call, and its token. */
  void end(CallContext context) {
    String key = context.peerIdentity();
    tokens.keySet().removeIf(token -> ofLogin(token).equals(key));
    close(sessions.remove(key));
  }

  /** A network connection is closed. */
  void transportEnded(long transport) {
    close(sessions.remove(ofTransport(transport)));
    sessions.values().forEach(session -> session.transportEnded(transport));
  }

  /** Closes what nobody has used for too long, or can use any more. */
  void closeIdle() {
    for (Map.Entry<String, FlightSession> entry : List.copyOf(sessions.entrySet())) {
      FlightSession session = entry.getValue();
      if (session.isAlone(ALONE) || expiry != null && session.isIdle(expiry)) {
        sessions.remove(entry.getKey(), session);
        close(session);
      }
    }
    Duration longest = expiry;
    if (longest != null) {
      long now = System.nanoTime();
      tokens
          .entrySet()
          .removeIf(entry -> now - entry.getValue().lastUse > longest.toNanos()
              && !sessions.containsKey(ofLogin(entry.getKey())));
    }
  }

  private static void close(@Nullable FlightSession session) {
    if (session != null) {
      try {
        session.close();
      } catch (SQLException | RuntimeException e) {
        LOG.warn("the connection of a client could not be closed", e);
      }
    }
  }

  int count() {
    return sessions.size();
  }

  /** Refuses new sessions and ends those that there are, with what they run. */
  @Override
  public void close() {
    synchronized (this) {
      closing = true;
    }
    for (String key : List.copyOf(sessions.keySet())) {
      close(sessions.remove(key));
    }
  }
}
