package io.aragonite.adapter.server;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.jwk.AsymmetricJWK;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.aragonite.exec.error.AragoniteException;
import java.security.PublicKey;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says who sends a JWT of the issuer that a server trusts (RFC 7519). It is signed with a key of
 * the issuer's set by RSA or ECDSA: who may check a signature cannot make one, as he could with an
 * HMAC. Safe for several threads.
 */
public final class BearerTokens {
  private static final Logger LOG = LoggerFactory.getLogger(BearerTokens.class);

  /** Of a token; those with many groups have some kilobytes. */
  public static final int MAX_CHARACTERS = 16 << 10;

  /** The name for clients that have to send one. */
  private static final String ANY_NAME = "token";

  private static final int MAX_NAME = 256;

  /** By which the clocks of two machines may differ. */
  private static final Duration CLOCK_SKEW = Duration.ofSeconds(60);

  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512,
          JWSAlgorithm.ES256,
          JWSAlgorithm.ES384,
          JWSAlgorithm.ES512);

  /** Of access tokens (RFC 9068), and of those that do not say. */
  private static final Set<String> TYPES = Set.of("jwt", "at+jwt", "application/at+jwt");

  /** Three parts in Base64, of which the first begins as a JSON object does. */
  private static final Pattern JWT = Pattern.compile("ey[\\w-]+\\.[\\w-]*\\.[\\w-]*");

  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

  private final TokenOptions options;
  private final SigningKeys keys;
  private final DefaultJWSVerifierFactory verifiers = new DefaultJWSVerifierFactory();

  /**
   * Reads the issuer's keys.
   *
   * @throws AragoniteException SERVER_REFUSED if they cannot be read, or none is of use
   */
  public BearerTokens(TokenOptions options) {
    this(options, SigningKeys.of(options.keys()));
  }

  BearerTokens(TokenOptions options, SigningKeys keys) {
    this.options = options;
    this.keys = keys;
  }

  /** Whether a password or a token looks like a JWT. */
  public static boolean isToken(String text) {
    // A text that is too long is refused as what it seems to be.
    return text.length() > MAX_CHARACTERS ? text.startsWith("ey") : JWT.matcher(text).matches();
  }

  /**
   * The user of a token.
   *
   * @throws RefusedTokenException if it is not good now
   */
  public TokenUser verify(String token) throws RefusedTokenException {
    if (token.length() > MAX_CHARACTERS) {
      throw refused(
          "The token is too long; one may have %,d characters.".formatted(MAX_CHARACTERS));
    }
    try {
      SignedJWT jwt = SignedJWT.parse(token);
      requireSigned(jwt);
      JWTClaimsSet claims = jwt.getJWTClaimsSet();
      String user = user(claims);
      require(claims, user);
      return new TokenUser(user, roles(claims));
    } catch (ParseException | RuntimeException | StackOverflowError e) {
      // What the library says may have parts of the token.
      LOG.debug("a token that cannot be read: {}", e.getClass().getName());
      throw refused("The token is no signed JWT.");
    }
  }

  /**
   * The user of a token that stands in place of a password.
   *
   * @param name that stands beside it: the user's or {@code token}; null: none does
   * @throws RefusedTokenException if it is not good now, or another's
   */
  public TokenUser verify(String token, @Nullable String name) throws RefusedTokenException {
    TokenUser user = verify(token);
    if (name != null && !name.equals(ANY_NAME) && !name.equals(user.name())) {
      throw new RefusedTokenException("The token is another user's.", user.name());
    }
    return user;
  }

  private static RefusedTokenException refused(String sentence) {
    return new RefusedTokenException(sentence, null);
  }

  private void requireSigned(SignedJWT jwt) throws RefusedTokenException {
    JWSHeader header = jwt.getHeader();
    if (!ALGORITHMS.contains(header.getAlgorithm())) {
      throw refused("The token is not signed by RSA or ECDSA.");
    }
    JOSEObjectType type = header.getType();
    if (type != null && !TYPES.contains(type.getType().toLowerCase(Locale.ROOT))) {
      throw refused("The token is of another type than JWT.");
    }
    Collection<JWK> candidates = keys.of(header);
    if (candidates.isEmpty()) {
      throw refused("The token's key (kid) is none of its issuer's.");
    }
    for (JWK key : candidates) {
      if (isSigned(jwt, key)) {
        return;
      }
    }
    throw refused("The token's signature is wrong.");
  }

  private boolean isSigned(SignedJWT jwt, JWK key) {
    try {
      PublicKey known = ((AsymmetricJWK) key).toPublicKey();
      return jwt.verify(verifiers.createJWSVerifier(jwt.getHeader(), known));
    } catch (JOSEException e) {
      LOG.debug("a key does not fit a token: {}", e.getClass().getName());
      return false;
    }
  }

  /** The user, known from here on: the issuer has signed it. */
  private String user(JWTClaimsSet claims) throws RefusedTokenException {
    if (find(claims, options.userClaim()) instanceof String name
        && !name.isBlank()
        && name.length() <= MAX_NAME
        && !CONTROL.matcher(name).find()) {
      return name;
    }
    throw refused(
        "The token has no name of a user in its claim '%s'.".formatted(options.userClaim()));
  }

  private void require(JWTClaimsSet claims, String user) throws RefusedTokenException {
    Instant now = Instant.now();
    Date expires = claims.getExpirationTime();
    Date begins = claims.getNotBeforeTime();
    String wrong = null;
    if (!options.issuer().equals(claims.getIssuer())) {
      wrong = "The token is of another issuer.";
    } else if (!claims.getAudience().contains(options.audience())) {
      wrong = "The token is for another audience.";
    } else if (expires == null) {
      wrong = "The token does not say when it expires.";
    } else if (!now.isBefore(expires.toInstant().plus(CLOCK_SKEW))) {
      wrong = "The token has expired; get a new one.";
    } else if (begins != null && now.plus(CLOCK_SKEW).isBefore(begins.toInstant())) {
      wrong = "The token is not valid yet.";
    }
    if (wrong != null) {
      throw new RefusedTokenException(wrong, user);
    }
  }

  /** A claim by its name, or by its path where there is none of the name. */
  private static @Nullable Object find(JWTClaimsSet claims, String name) {
    Map<String, Object> all = claims.getClaims();
    Object found = all.get(name);
    if (found != null) {
      return found;
    }
    found = all;
    for (String part : name.split("\\.", -1)) {
      found = found instanceof Map<?, ?> object ? object.get(part) : null;
    }
    return found;
  }

  /** Of a list, or of a text with spaces between, as scopes are. */
  private Set<String> roles(JWTClaimsSet claims) {
    String claim = options.rolesClaim();
    Object value = claim == null ? null : find(claims, claim);
    Stream<?> all =
        switch (value) {
          case String text -> Arrays.stream(text.split(" ", -1));
          case Collection<?> list -> list.stream();
          case null, default -> Stream.of();
        };
    Set<String> roles = new TreeSet<>();
    all.filter(String.class::isInstance)
        .map(String.class::cast)
        .filter(role -> !role.isEmpty() && !CONTROL.matcher(role).find())
        .forEach(roles::add);
    return Set.copyOf(roles);
  }
}
