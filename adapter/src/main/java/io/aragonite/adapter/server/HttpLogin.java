package io.aragonite.adapter.server;

import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.exec.error.AragoniteException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Says who sends a request of HTTP: by name and password (RFC 7617), or by a token (RFC 6750). A
 * token may stand in place of a password, for clients and browsers that know no tokens.
 */
final class HttpLogin {
  private static final String BEARER = "Bearer ";
  private static final String BASIC_CHALLENGE = "Basic realm=\"aragonite\", charset=\"UTF-8\"";
  private static final String BEARER_CHALLENGE = "Bearer realm=\"aragonite\"";

  private final String protocol;
  private final @Nullable UserFile users;
  private final @Nullable BearerTokens tokens;
  private final AuditLog audit;

  /**
   * Without users and tokens everybody is let in.
   *
   * @param audit is told who is refused
   */
  HttpLogin(
      String protocol, @Nullable UserFile users, @Nullable BearerTokens tokens, AuditLog audit) {
    this.protocol = protocol;
    this.users = users;
    this.tokens = tokens;
    this.audit = audit;
  }

  /** Whether not everybody is let in. */
  boolean isRequired() {
    return users != null || tokens != null;
  }

  /**
   * Who sends a request.
   *
   * @param answer gets what a client is to send, if it is not let in
   * @return null: nobody that is known here
   */
  @Nullable ClientIdentity client(Request request, HttpFields.Mutable answer) {
    String address = Request.getRemoteAddr(request);
    if (!isRequired()) {
      return new ClientIdentity(protocol, null, address);
    }
    String header = request.getHeaders().get(HttpHeader.AUTHORIZATION);
    if (header == null) {
      challenge(answer, null);
      return null; // clients ask without a name first
    }
    if (tokens != null && header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return byToken(tokens, header.substring(BEARER.length()).strip(), null, address, answer);
    }
    BasicCredentials credentials = BasicCredentials.of(header);
    if (tokens != null && credentials != null && BearerTokens.isToken(credentials.password())) {
      return byToken(tokens, credentials.password(), credentials.user(), address, answer);
    }
    if (credentials == null || !knows(credentials)) {
      String name = credentials == null ? "" : credentials.user();
      RefusedLogins.note(new ClientIdentity(protocol, name, address), audit);
      challenge(answer, null);
      return null;
    }
    return new ClientIdentity(protocol, credentials.user(), address);
  }

  private boolean knows(BasicCredentials credentials) {
    try {
      return users != null && users.knows(credentials.user(), credentials.password());
    } catch (AragoniteException e) {
      throw new HttpException.RuntimeException(
          HttpStatus.SERVICE_UNAVAILABLE_503, AragoniteException.reason(e));
    }
  }

  private @Nullable ClientIdentity byToken(
      BearerTokens known,
      String token,
      @Nullable String name,
      String address,
      HttpFields.Mutable answer) {
    try {
      TokenUser user = known.verify(token, name);
      return new ClientIdentity(protocol, user.name(), address, user.roles());
    } catch (RefusedTokenException e) {
      RefusedLogins.note(new ClientIdentity(protocol, e.user(), address), e, audit);
      challenge(answer, e);
      return null;
    }
  }

  private void challenge(HttpFields.Mutable answer, @Nullable RefusedTokenException error) {
    if (tokens != null) {
      answer.add(
          HttpHeader.WWW_AUTHENTICATE,
          error == null
              ? BEARER_CHALLENGE
              : BEARER_CHALLENGE
                  + ", error=\"invalid_token\", error_description=\"%s\""
                      .formatted(error.reason()));
    }
    answer.add(HttpHeader.WWW_AUTHENTICATE, BASIC_CHALLENGE);
  }
}
