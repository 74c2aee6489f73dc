package io.aragonite.flight;

import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.server.AuditLog;
import io.aragonite.adapter.server.BasicCredentials;
import io.aragonite.adapter.server.RefusedLogins;
import io.aragonite.adapter.server.UserFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.auth2.CallHeaderAuthenticator;
import org.jspecify.annotations.Nullable;

/**
 * Lets clients in: by name and password, for which they get a token, by that token, and without
 * either if the server has no users. {@link FlightSessions} knows the session of an identity.
 */
final class FlightLogin implements CallHeaderAuthenticator {
  private static final String AUTHORIZATION = "authorization";
  private static final String BASIC = "Basic ";
  private static final String BEARER = "Bearer ";

  private final @Nullable UserFile users;
  private final FlightSessions sessions;
  private final AuditLog audit;

  /**
   * @param users null for a server without users
   * @param audit is told who is refused
   */
  FlightLogin(@Nullable UserFile users, FlightSessions sessions, AuditLog audit) {
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
      if (users != null) {
        throw refused("This server has users: log in with a name and a password.");
      }
      return new Client(FlightSessions.ANYBODY, null);
    }
    if (given.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      String token = given.substring(BEARER.length());
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

  private boolean knows(String user, String password) {
    try {
      return users == null || users.knows(user, password);
    } catch (AragoniteException e) {
      throw FlightErrors.of(e);
    }
  }

  private static RuntimeException refused(String sentence) {
    return FlightErrors.of(
        FlightStatusCode.UNAUTHENTICATED, ErrorCode.SERVER_REFUSED, sentence);
  }
}
