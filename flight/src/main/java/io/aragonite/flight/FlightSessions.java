package io.aragonite.flight;

import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.server.ClientConnections;
import io.aragonite.adapter.server.TokenUser;
import io.aragonite.adapter.server.UserFile;
import io.aragonite.exec.error.ErrorCode;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.arrow.flight.FlightProducer.CallContext;
import org.apache.arrow.flight.FlightStatusCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of a server's clients, one connection each. A client with a token of this server's
 * has the session of that, another one that of its network connection and its name, with which it ends. The session of
 * a token ends some time after its last network connection; the token stays good for another one.
 */
final class FlightSessions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FlightSessions.class);
  /** The identity of a client without a name. */
  static final String ANYBODY = "anybody";

  private static final String TOKEN = "token ";
  private static final String PASSWORD = "password ";
  private static final String ISSUED = "issued ";

  /** Between the names of an identity, which have none. */
  private static final String SEPARATOR = "\n";

  static final int MAX_SESSIONS = 256;
  private static final int MAX_TOKENS = 10_000;
  private static final int TOKEN_BYTES = 32;
  private static final Duration ALONE = Duration.ofMinutes(1);

  private final ClientConnections connections;
  private final @Nullable Duration expiry;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, FlightSession> sessions = new ConcurrentHashMap<>();
  private final Set<Long> transports = ConcurrentHashMap.newKeySet();
  private final Map<String, Token> tokens = new ConcurrentHashMap<>();
  private volatile boolean closing;

  /** What a client has got by its password. */
  private static final class Token {
    private volatile long lastUse = System.nanoTime();

    /** The key of its session. */
    private volatile String session;

    private final String user;

    /** What the users' file had as the user's password; null without one. */
    private final @Nullable String stored;

    Token(String session, String user, @Nullable String stored) {
      this.session = session;
      this.user = user;
      this.stored = stored;
    }

    boolean isGood(@Nullable UserFile users) {
      return users == null || stored != null && users.has(user, stored);
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

  /** The identity of a client that has the token. */
  static String byToken(String token) {
    return TOKEN + token;
  }

  /** The identity of a client that has sent its password, and is sent the token. */
  static String byPassword(String token, String user) {
    return PASSWORD + token + " " + user;
  }

  /** The identity of a client with a token of an issuer that the server trusts. */
  static String byIssuer(TokenUser user) {
    List<String> names = new ArrayList<>();
    names.add(user.name());
    user.roles().stream().sorted().forEach(names::add);
    return ISSUED + String.join(SEPARATOR, names);
  }

  /**
   * Whether somebody has got the token, who is a user still. Else its session ends.
   *
   * @param users null for a server without users
   */
  boolean knows(String token, @Nullable UserFile users) {
    Token known = tokens.get(token);
    if (known == null) {
      return false;
    }
    if (!known.isGood(users)) {
      tokens.remove(token);
      close(sessions.remove(known.session));
      return false;
    }
    known.lastUse = System.nanoTime();
    return true;
  }

  /**
   * A new token.
   *
   * @param stored what the users' file has as the user's password; null without one
   */
  String login(String user, @Nullable String stored) {
    byte[] bytes = new byte[TOKEN_BYTES];
    random.nextBytes(bytes);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    synchronized (tokens) {
      if (tokens.size() >= MAX_TOKENS) {
        // Of a client that sends its password each time, and uses none of them.
        tokens.entrySet().stream()
            .min(Comparator.comparingLong(entry -> entry.getValue().lastUse))
            .ifPresent(oldest -> tokens.remove(oldest.getKey()));
      }
      tokens.put(token, new Token(byToken(token), user, stored));
    }
    return token;
  }

  /** Who an identity is. */
  private ClientIdentity client(String identity) {
    String address = FlightTransports.address();
    if (!identity.startsWith(ISSUED)) {
      return new ClientIdentity(FlightCall.PROTOCOL, user(identity), address);
    }
    List<String> names = List.of(identity.substring(ISSUED.length()).split(SEPARATOR, -1));
    return new ClientIdentity(
        FlightCall.PROTOCOL,
        names.getFirst(),
        address,
        Set.copyOf(names.subList(1, names.size())));
  }

  /** The user of an identity; null on a server without users. */
  private @Nullable String user(String identity) {
    boolean byToken = identity.startsWith(TOKEN);
    if (!byToken && !identity.startsWith(PASSWORD)) {
      return null;
    }
    String rest = identity.substring((byToken ? TOKEN : PASSWORD).length());
    Token token = tokens.get(byToken ? rest : rest.substring(0, rest.indexOf(' ')));
    if (token == null) {
      // It was taken back since the call was let in.
      throw FlightErrors.of(ErrorCode.CANCELLED, "The session has ended; log in again.");
    }
    return token.stored == null ? null : token.user;
  }

  /** The key of the session of a client, whose call this thread works on. */
  private String key(String identity) {
    if (identity.startsWith(TOKEN)) {
      Token token = tokens.get(identity.substring(TOKEN.length()));
      return token == null ? identity : token.session;
    }
    String transport = ofTransport(FlightTransports.current());
    if (identity.startsWith(ISSUED)) {
      return transport + identity; // the next token of the user has the same session
    }
    if (!identity.startsWith(PASSWORD)) {
      return transport;
    }
    int space = identity.indexOf(' ', PASSWORD.length());
    String session = transport + identity.substring(space);
    Token token = tokens.get(identity.substring(PASSWORD.length(), space));
    if (token != null) {
      token.session = session; // what it does next by the token is to see the same
    }
    return session;
  }

  private static String ofTransport(long transport) {
    return "transport " + transport + " ";
  }

  static RuntimeException tooMany(String what, int most) {
    return FlightErrors.of(
        FlightStatusCode.RESOURCE_EXHAUSTED,
        ErrorCode.SERVER_REFUSED,
        "There are %d %s, which are as many as there may be; close some."
            .formatted(most, what));
  }

  /** Begins work for a call on this thread. */
  FlightCall.Work work(CallContext context) {
    FlightCall call = context.getMiddleware(FlightCall.KEY);
    return call.work(client(call.identity()));
  }

  /** The session of a call, which has its connection with the first one. */
  FlightSession of(CallContext context) throws SQLException {
    FlightCall call = context.getMiddleware(FlightCall.KEY);
    String key = key(call.identity());
    ClientIdentity client = client(call.identity());
    String user = client.user();
    FlightSession session = sessions.get(key);
    if (session == null) {
      synchronized (this) {
        session = sessions.get(key);
        if (session == null) {
          requireOpen();
          if (sessions.size() >= MAX_SESSIONS) {
            closeLongestAlone();
          }
          if (sessions.size() >= MAX_SESSIONS) {
            throw tooMany("sessions", MAX_SESSIONS);
          }
          session = FlightSession.open(connections, call.properties());
          sessions.put(key, session);
        }
      }
    }
    if (user != null && !session.access().equals(connections.access(client))) {
      sessions.remove(key, session);
      close(session);
      throw ClientConnections.changed(user);
    }
    long transport = FlightTransports.current();
    session.use(transport);
    if (!transports.contains(transport)) {
      // The call comes too late for its session to end with the network connection.
      transportEnded(transport);
      throw FlightErrors.of(ErrorCode.CANCELLED, "The client has gone away.");
    }
    return session;
  }

  /** Makes room: of sessions that no network connection leads to, the one left first. */
  private void closeLongestAlone() {
    sessions.entrySet().stream()
        .map(entry -> Map.entry(entry.getKey(), entry.getValue().alone()))
        .filter(entry -> entry.getValue() > 0)
        .max(Map.Entry.comparingByValue())
        .ifPresent(longest -> close(sessions.remove(longest.getKey())));
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
    String key = key(context.getMiddleware(FlightCall.KEY).identity());
    tokens.values().removeIf(token -> token.session.equals(key));
    close(sessions.remove(key));
  }

  /** A network connection is there. */
  void transportBegan(long transport) {
    transports.add(transport);
  }

  /** A network connection is closed. */
  void transportEnded(long transport) {
    transports.remove(transport);
    String own = ofTransport(transport);
    for (String key : List.copyOf(sessions.keySet())) {
      if (key.startsWith(own)) {
        close(sessions.remove(key));
      }
    }
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
              && !sessions.containsKey(entry.getValue().session));
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
