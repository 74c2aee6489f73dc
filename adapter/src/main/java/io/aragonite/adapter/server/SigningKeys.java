package io.aragonite.adapter.server;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.AsymmetricJWK;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.jwk.KeyType;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The public keys with which an issuer signs its tokens. A file is read again when it changes. A
 * URL is asked again every few minutes, and when a token names a key that is not known, as it does
 * when the issuer has changed its keys; then not more often than every few seconds, since anybody
 * can name one. A set that cannot be read leaves the keys that there are; those of a URL for a
 * while.
 */
final class SigningKeys {
  private static final Logger LOG = LoggerFactory.getLogger(SigningKeys.class);
  private static final Pattern URL = Pattern.compile("(?i)https?://.*");
  private static final int MAX_BYTES = 1 << 20;
  private static final int MAX_KEYS = 100;
  private static final int MIN_RSA_BITS = 2048;

  /** Keys by which the signature of one token is checked: anybody can send some. */
  private static final int MOST_TRIED = 4;

  private static final Duration FETCH = Duration.ofSeconds(5);

  /** Requests that wait for keys, while one asks for them. */
  private static final int MOST_WAITING = 8;

  /**
   * When a set is read again.
   *
   * @param fresh for so long it is not asked for
   * @param pause between two attempts
   * @param most after that long without success no key of a URL is good
   */
  record Times(Duration fresh, Duration pause, Duration most) {
    static final Times OF_FILE =
        new Times(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofDays(36_500));
    static final Times OF_URL =
        new Times(Duration.ofMinutes(5), Duration.ofSeconds(10), Duration.ofHours(1));
  }

  private final String source;
  private final boolean remote;
  private final Times times;
  private final ReentrantLock reading = new ReentrantLock();

  private volatile JWKSet keys;

  /** When they were read, and when that was tried last. */
  private volatile long read = System.nanoTime();

  private volatile long tried = System.nanoTime();

  private @Nullable ChangeTime seen;

  /** Why they could not be read, as the log has it; empty: they could. */
  private String told = "";

  private SigningKeys(String source, Times times) {
    this.source = source;
    this.times = times;
    remote = URL.matcher(source).matches();
    try {
      if (remote) {
        requireSafe(source);
      }
      seen = remote ? null : ChangeTime.of(Path.of(source));
      keys = load();
    } catch (IOException | RuntimeException e) {
      throw new AragoniteException(
          ErrorCode.SERVER_REFUSED,
          "The keys of tokens in %s (--jwks) cannot be used: %s."
              .formatted(UrlRedaction.redact(source), reason(e)),
          e);
    }
  }

  /**
   * Reads a set.
   *
   * @param source a file or a URL
   * @throws AragoniteException SERVER_REFUSED if it cannot be read, or no key is of use
   */
  static SigningKeys of(String source) {
    return of(source, URL.matcher(source).matches() ? Times.OF_URL : Times.OF_FILE);
  }

  static SigningKeys of(String source, Times times) {
    return new SigningKeys(source, times);
  }

  private static String reason(Exception error) {
    String reason =
        error instanceof IOException io ? FileErrors.reason(io) : AragoniteException.reason(error);
    return UrlRedaction.redact(reason).replaceFirst("[.]$", "");
  }

  /** Who can change the keys on their way can make tokens. */
  private static void requireSafe(String url) throws IOException {
    URI uri = URI.create(url);
    String host = uri.getHost();
    if (host == null) {
      throw new IOException("the URL has no host");
    }
    if (!"https".equalsIgnoreCase(uri.getScheme()) && !isLoopback(host)) {
      throw new IOException("a URL of another machine begins with https://");
    }
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** The keys by which a token with that header may be signed. */
  List<JWK> of(JWSHeader header) throws RefusedTokenException {
    long now = System.nanoTime();
    if (now - read > times.fresh.toNanos()) {
      refreshSoon();
    }
    List<JWK> found = select(header);
    if (found.isEmpty() || now - read > times.most.toNanos()) {
      refreshNow();
      found = select(header);
    }
    if (System.nanoTime() - read > times.most.toNanos()) {
      throw new RefusedTokenException("The keys of the token's issuer are not known now.", null);
    }
    if (found.size() > MOST_TRIED) {
      throw new RefusedTokenException(
          "The token does not name its key (kid), and its issuer has more than %d of its algorithm."
              .formatted(MOST_TRIED),
          null);
    }
    return found;
  }

  private List<JWK> select(JWSHeader header) {
    JWKMatcher matcher = JWKMatcher.forJWSHeader(header);
    if (matcher == null) {
      return List.of();
    }
    Set<Curve> curves = Curve.forJWSAlgorithm(header.getAlgorithm());
    return new JWKSelector(matcher)
        .select(keys).stream()
            .filter(key -> !(key instanceof ECKey ec) || curves.contains(ec.getCurve()))
            .toList();
  }

  private boolean mayTry() {
    return System.nanoTime() - tried > times.pause.toNanos();
  }

  /** A file at once; a URL beside what there is to do, with the keys that there are. */
  private void refreshSoon() {
    if (!remote) {
      refreshNow();
    } else if (mayTry() && !reading.isLocked()) {
      Thread.ofVirtual().name("aragonite-keys").start(this::refreshNow);
    }
  }

  private void refreshNow() {
    if (!reading.isLocked() && !mayTry() || reading.getQueueLength() >= MOST_WAITING) {
      return;
    }
    boolean locked = false;
    try {
      locked = reading.tryLock(FETCH.toMillis(), TimeUnit.MILLISECONDS);
      if (locked && mayTry()) {
        refresh();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (locked) {
        reading.unlock();
      }
    }
  }

  private void refresh() {
    try {
      ChangeTime time = remote ? null : ChangeTime.of(Path.of(source));
      if (time == null || !time.equals(seen)) {
        JWKSet now = load();
        if (time != null || !now.getKeys().equals(keys.getKeys())) {
          LOG.info("the keys of tokens in {} were read again", UrlRedaction.redact(source));
        }
        keys = now;
        seen = time;
        told = "";
      }
      read = System.nanoTime();
    } catch (IOException | RuntimeException e) {
      String reason = reason(e);
      if (!reason.equals(told)) {
        told = reason;
        LOG.warn(
            "the keys of tokens that were known stay, since {} cannot be used: {}",
            UrlRedaction.redact(source),
            reason);
      }
    } finally {
      tried = System.nanoTime();
    }
  }

  private JWKSet load() throws IOException {
    byte[] bytes = remote ? fetch() : bounded(Files.newInputStream(Path.of(source)));
    JWKSet all;
    try {
      all = JWKSet.parse(new String(bytes, StandardCharsets.UTF_8));
    } catch (ParseException | RuntimeException | StackOverflowError e) {
      throw new IOException("it is no JWK set", e);
    }
    // Who has a symmetric key to check signatures with can make them.
    List<JWK> usable =
        all.getKeys().stream().filter(SigningKeys::isUsable).map(JWK::toPublicJWK).toList();
    if (usable.isEmpty()) {
      throw new IOException("it has no public key of RSA (2,048 bits or more) or ECDSA");
    }
    if (usable.size() > MAX_KEYS) {
      throw new IOException("it has more than %d keys".formatted(MAX_KEYS));
    }
    return new JWKSet(usable);
  }

  private static boolean isUsable(JWK key) {
    boolean verifies =
        (key.getKeyUse() == null || key.getKeyUse().equals(KeyUse.SIGNATURE))
            && (key.getKeyOperations() == null
                || key.getKeyOperations().contains(KeyOperation.VERIFY)
                || key.getKeyOperations().contains(KeyOperation.SIGN));
    return verifies
        && key instanceof AsymmetricJWK
        && (key.getKeyType().equals(KeyType.EC)
            || key instanceof RSAKey rsa && rsa.size() >= MIN_RSA_BITS);
  }

  private static byte[] bounded(InputStream stream) throws IOException {
    try (stream) {
      byte[] bytes = stream.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IOException("it has more than %,d bytes".formatted(MAX_BYTES));
      }
      return bytes;
    }
  }

  private byte[] fetch() throws IOException {
    try (HttpClient client =
        HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(FETCH)
            .build()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(source))
              .timeout(FETCH)
              .header("Accept", "application/jwk-set+json, application/json")
              .build();
      // The body too is within the time, which the timeout of a request is not about.
      var answer =
          client.sendAsync(
              request,
              HttpResponse.BodyHandlers.limiting(
                  HttpResponse.BodyHandlers.ofByteArray(), MAX_BYTES));
      try {
        HttpResponse<byte[]> response = answer.get(FETCH.toMillis(), TimeUnit.MILLISECONDS);
        if (response.statusCode() != 200) {
          throw new IOException("the answer has status " + response.statusCode());
        }
        return response.body();
      } catch (java.util.concurrent.TimeoutException e) {
        throw new IOException("no answer came in %d s".formatted(FETCH.toSeconds()), e);
      } catch (java.util.concurrent.ExecutionException e) {
        throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("the server is being shut down", e);
      } finally {
        client.shutdownNow(); // close() would wait for an answer
      }
    }
  }
}
