package io.aragonite.flight;

import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.server.AuditLog;
import io.aragonite.adapter.server.BasicCredentials;
import io.aragonite.adapter.server.BearerTokens;
import io.aragonite.adapter.server.RefusedLogins;
import io.aragonite.adapter.server.RefusedTokenException;
import io.aragonite.adapter.server.UserFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.auth2.CallHeaderAuthenticator;
import org.jspecify.annotations.Nullable;

/**
 * Lets clients in: by name and password, for which they get a token, by that token, by one of an
 * issuer that the server trusts (also in place of a password), and without any of these if the
 * server has no users. {@link FlightSessions} knows the session of an identity.
 */
final class FlightLogin implements CallHeaderAuthenticator {
  private static final String AUTHORIZATION = "authorization";
  private static final String BASIC = "Basic ";
  private static final String BEARER = "Bearer ";

  private final @Nullable UserFile users;
  private final @Nullable BearerTokens tokens;
  private final FlightSessions sessions;
  private final AuditLog audit;

  /**
   * @param users who has a password here; null for nobody
   * @param tokens who comes by an issuer's token; null for nobody
   * @param audit is told who is refused
   */
  FlightLogin(
      @Nullable UserFile users,
      @Nullable BearerTokens tokens,
      FlightSessions sessions,
      AuditLog audit) {
    this.tokens = tokens;
    this.audit = audit;
    this.users = users;
    this.sessions = sessions;
  }

  /** A client that is let in. */
  private record Client(String identity, @Nullable String token) implements AuthResult {
    @Override
    public String getPeerIdentity() {
      return identity;
    }

    @Override
    public void appendToOutgoingHeaders(CallHeaders headers) {
      if (token != null) {
        headers.insert(AUTHORIZATION, BEARER + token);
      }
    }
  }

  @Override
  public AuthResult authenticate(CallHeaders headers) {
    String given = headers.get(AUTHORIZATION);
    if (given == null) {
      if (users != null || tokens != null) {
        throw refused(
            "This server has users: log in with %s."
                .formatted(tokens == null ? "a name and a password" : "a token"));
      }
      return new Client(FlightSessions.ANYBODY, null);
    }
    if (given.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      String token = given.substring(BEARER.length());
      if (tokens != null && BearerTokens.isToken(token)) {
        return byIssuer(tokens, token, null);
      }
      if (!sessions.knows(token, users)) {
        throw refused(
            "The token is none of this server's, nobody used it for too long, or its user has"
                + " another password now or none; log in again.");
      }
      return new Client(FlightSessions.byToken(token), token);
    }
    if (given.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
      return byPassword(given);
    }
    throw refused("A client logs in by Basic authentication, or with the token that it gets so.");
  }

  private AuthResult byPassword(String header) {
    BasicCredentials credentials = BasicCredentials.of(header);
    if (credentials == null) {
      throw refused("The name and the password are not encoded as Basic authentication asks.");
    }
    String user = credentials.user();
    if (tokens != null && BearerTokens.isToken(credentials.password())) {
      return byIssuer(tokens, credentials.password(), user);
    }
    // Before the password is looked at: the token is not to outlive the one that was right.
    String stored = users == null ? null : users.stored(user);
    boolean known = knows(user, credentials.password());
    if (!known || users != null && stored == null) {
      RefusedLogins.note(
          new ClientIdentity(FlightCall.PROTOCOL, user, FlightTransports.address()), audit);
      throw refused("The name or the password is wrong.");
    }
    String token = sessions.login(user, stored);
    return new Client(FlightSessions.byPassword(token, user), token);
  }

  /** Each call is looked at, so that none begins with a token that has expired. */
  private AuthResult byIssuer(BearerTokens known, String token, @Nullable String name) {
    try {
      // Who sent it as a password has it back, to send it as what it is.
      return new Client(
          FlightSessions.byIssuer(known.verify(token, name)), name == null ? null : token);
    } catch (RefusedTokenException e) {
      RefusedLogins.note(
          new ClientIdentity(FlightCall.PROTOCOL, e.user(), FlightTransports.address()), e, audit);
      throw refused(e.reason());
    }
  }

  private boolean knows(String user, String password) {
    try {
      return users == null ? tokens == null : users.knows(user, password);
    } catch (AragoniteException e) {
      throw FlightErrors.of(e);
    }
  }

  private static RuntimeException refused(String sentence) {
    return FlightErrors.of(
        FlightStatusCode.UNAUTHENTICATED, ErrorCode.SERVER_REFUSED, sentence);
  }
}
