package io.aragonite.adapter.remote;

import io.aragonite.adapter.remote.RemoteException.Problem;
import io.aragonite.exec.error.AragoniteException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * HTTP servers. A file's attributes are those of an answer to GET of its first byte: HEAD is not
 * what signed URLs are signed for.
 */
final class HttpStore implements ObjectStore {
  private static final int MOST_REDIRECTS = 5;
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Pattern CONTENT_RANGE =
      Pattern.compile("bytes (?:(\\d{1,18})-\\d{1,18}|\\*)/(\\d{1,18}|\\*)");

  /** Days have two digits, which Java's own format of RFC 1123 reads but does not write. */
  static final DateTimeFormatter HTTP_DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
          .withZone(ZoneOffset.UTC);

  private final Duration timeout;

  /** Made when a statement first names a URL. */
  private static final class Shared {
    static final HttpClient CLIENT =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT)
            .build();
  }

  HttpStore(Duration timeout) {
    this.timeout = timeout;
  }

  @Override
  public RemoteAttributes attributes(RemotePath file) throws IOException {
    try (Body body = send(file, new ByteRange(0, 1), null)) {
      if (body.attributes().ranges()) {
        drain(body);
      }
      return body.attributes();
    }
  }

  /** The client's own limit ends with the headers. */
  private void drain(Body body) throws IOException {
    SilenceWatch watch = new SilenceWatch(timeout, () -> {});
    try (watch) {
      var _ = body.bytes().readNBytes(2);
    } catch (IOException e) {
      throw watch.silent()
          ? watch.error(e)
          : new RemoteException(
              Problem.TRANSIENT,
              "its first byte did not come (%s)".formatted(AragoniteException.reason(e)),
              e);
    }
  }

  @Override
  public void list(RemotePath folder, String prefix, boolean deep, Consumer<RemotePath> found)
      throws IOException {
    throw new RemoteException(
        Problem.REFUSED, "HTTP servers do not list their files; name each by its URL", null);
  }

  @Override
  public Body read(RemotePath file, @Nullable ByteRange range, RemoteAttributes expected)
      throws IOException {
    Body body = send(file, range, expected);
    if (!expected.isSame(body.attributes())) {
      body.close();
      throw changed();
    }
    if (range != null && !body.attributes().ranges()) {
      body.close();
      throw new RemoteException(
          Problem.TRANSIENT, "the server sent the whole file in place of a range", null);
    }
    return body;
  }

  @Override
  public void write(Path source, RemotePath target, boolean overwrite) throws IOException {
    throw new RemoteException(
        Problem.REFUSED, "HTTP servers are only read; write to s3:// or to a local file", null);
  }

  private Body send(
      RemotePath file, @Nullable ByteRange wanted, @Nullable RemoteAttributes expected)
      throws IOException {
    URI at = file.url();
    ByteRange range = wanted;
    for (int hops = 0; hops <= MOST_REDIRECTS; hops++) {
      HttpResponse<InputStream> response = send(request(at, range, expected), at);
      switch (response.statusCode()) {
        case 200, 206 -> {
          requireUnpacked(file, response);
          return body(response, range);
        }
        case 301, 302, 303, 307, 308 -> {
          response.body().close();
          at = redirected(at, response.headers().firstValue("Location").orElse(""));
        }
        case 416 -> {
          response.body().close();
          if (expected == null && range != null && length(response) < 0) {
            // An empty file has no first byte, and not every server says then that it is empty.
            range = null;
            continue;
          }
          if (length(response) != 0 || expected != null && expected.length() > 0) {
            throw changed();
          }
          RemoteAttributes empty = attributes(response, 0, true);
          return new Body(InputStream.nullInputStream(), empty, () -> {});
        }
        default -> {
          response.body().close();
          throw refused(file, response.statusCode());
        }
      }
    }
    throw new RemoteException(
        Problem.REFUSED, "its server redirects more than %d times".formatted(MOST_REDIRECTS), null);
  }

  private HttpRequest request(
      URI at, @Nullable ByteRange range, @Nullable RemoteAttributes expected) throws IOException {
    if (at.getPort() > RemoteFileSystem.MOST_PORT) {
      throw new RemoteException(
          Problem.REFUSED, "there is no port %d, of %s".formatted(at.getPort(), at), null);
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(at)
            .timeout(timeout)
            .header("User-Agent", "aragonite")
            .header("Accept-Encoding", "identity");
    if (range != null) {
      request.header("Range", "bytes=%d-%d".formatted(range.from(), range.to() - 1));
    }
    if (expected != null && expected.isStrong()) {
      request.header("If-Match", String.valueOf(expected.tag()));
    } else if (expected != null && expected.modified() != null) {
      request.header("If-Unmodified-Since", HTTP_DATE.format(expected.modified()));
    }
    return request.build();
  }

  private HttpResponse<InputStream> send(HttpRequest request, URI at) throws IOException {
    try {
      return Shared.CLIENT.send(request, HttpResponse.BodyHandlers.ofInputStream());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("it was interrupted");
    } catch (HttpTimeoutException e) {
      throw new RemoteException(
          Problem.TRANSIENT,
          "%s does not answer within %s".formatted(at.getAuthority(), timeout),
          e);
    } catch (SSLException e) {
      throw new RemoteException(
          Problem.REFUSED,
          "there is no safe connection to %s (%s); a certificate of your own has to be in Java's trust store (javax.net.ssl.trustStore)"
              .formatted(at.getAuthority(), e.getMessage()),
          e);
    } catch (IOException e) {
      if (e.getCause() instanceof UnresolvedAddressException
          || e.getCause() != null
              && e.getCause().getCause() instanceof UnresolvedAddressException) {
        throw noHost(at, e);
      }
      throw new RemoteException(
          Problem.TRANSIENT,
          "there is no connection to %s (%s)".formatted(at.getAuthority(), reason(e)),
          e);
    }
  }

  private static String reason(IOException e) {
    if (e.getMessage() != null) {
      return e.getMessage();
    }
    // The client leaves out what the socket has said.
    return e instanceof ConnectException ? "Connection refused" : e.getClass().getSimpleName();
  }

  private static RemoteException noHost(URI at, Exception cause) {
    return new RemoteException(
        Problem.REFUSED, "there is no host %s".formatted(at.getHost()), cause);
  }

  private static RemoteException changed() {
    return new RemoteException(Problem.CHANGED, "it is another file now", null);
  }

  private static IOException refused(RemotePath file, int status) {
    return switch (status) {
      case 404, 410 -> new NoSuchFileException(file.toString());
      case 401, 403 ->
          new RemoteException(
              Problem.REFUSED,
              "its server answers %d: it wants credentials, or the URL's signature has expired or is of another request"
                  .formatted(status),
              null);
      case 412 -> changed();
      case 408, 425, 429 ->
          new RemoteException(Problem.TRANSIENT, "its server answers %d".formatted(status), null);
      default ->
          new RemoteException(
              status >= 500 ? Problem.TRANSIENT : Problem.REFUSED,
              "its server answers %d".formatted(status),
              null);
    };
  }

  /**
   * Bytes that a server packs are not those of the file, unless its name says that they are packed.
   */
  private static void requireUnpacked(RemotePath file, HttpResponse<InputStream> response)
      throws IOException {
    String encoding =
        response.headers().firstValue("Content-Encoding").orElse("").toLowerCase(Locale.ROOT);
    boolean packed =
        String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT).endsWith(".gz")
            && (encoding.equals("gzip") || encoding.equals("x-gzip"));
    if (!encoding.isEmpty() && !encoding.equals("identity") && !packed) {
      response.body().close();
      throw new RemoteException(
          Problem.REFUSED,
          "its server sends it packed (Content-Encoding: %s), which was not asked for"
              .formatted(encoding),
          null);
    }
  }

  private static Body body(HttpResponse<InputStream> response, @Nullable ByteRange range)
      throws IOException {
    boolean part = response.statusCode() == 206;
    long sent = response.headers().firstValueAsLong("Content-Length").orElse(-1);
    long length = part ? length(response) : sent;
    AnswerBytes bytes = new AnswerBytes(response.body(), sent);
    Runnable abort =
        () -> {
          // A connection whose answer was read to its end is used again.
          try (bytes) {
            var _ = bytes.complete();
          } catch (IOException e) {
            // nobody waits for the rest
          }
        };
    if (part && range != null && start(response) != range.from()) {
      abort.run();
      throw new RemoteException(Problem.TRANSIENT, "the server sent another range", null);
    }
    return new Body(bytes, attributes(response, length, part && length >= 0), abort);
  }

  private static RemoteAttributes attributes(
      HttpResponse<InputStream> response, long length, boolean ranges) {
    Instant modified = null;
    try {
      String text = response.headers().firstValue("Last-Modified").orElse(null);
      modified =
          text == null ? null : Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text));
    } catch (DateTimeException e) {
      // not a date
    }
    String tag = response.headers().firstValue("ETag").orElse(null);
    return new RemoteAttributes(length, tag, modified, false, ranges);
  }

  private static Matcher contentRange(HttpResponse<?> response) {
    Matcher matcher =
        CONTENT_RANGE.matcher(response.headers().firstValue("Content-Range").orElse(""));
    return matcher.matches() ? matcher : CONTENT_RANGE.matcher("");
  }

  private static long start(HttpResponse<?> response) {
    Matcher matcher = contentRange(response);
    return matcher.matches() && matcher.group(1) != null ? Long.parseLong(matcher.group(1)) : -1;
  }

  /** The whole file's length; -1 if a partial answer does not tell. */
  private static long length(HttpResponse<?> response) {
    Matcher matcher = contentRange(response);
    return matcher.matches() && !matcher.group(2).equals("*")
        ? Long.parseLong(matcher.group(2))
        : -1;
  }

  /**
   * Where a server leads. It may lead to another one, not out of TLS, and not from a public address
   * into the network that this process is in.
   */
  static URI redirected(URI from, String location) throws IOException {
    URI to;
    try {
      to = from.resolve(location);
    } catch (IllegalArgumentException e) {
      throw new RemoteException(
          Problem.REFUSED, "its server redirects to what is no URL, '%s'".formatted(location), e);
    }
    String scheme = String.valueOf(to.getScheme()).toLowerCase(Locale.ROOT);
    boolean web = scheme.equals("https") || scheme.equals("http");
    if (!web
        || to.getHost() == null
        || to.getUserInfo() != null
        || to.getPort() > RemoteFileSystem.MOST_PORT) {
      throw new RemoteException(
          Problem.REFUSED, "its server redirects to '%s', which is not read".formatted(to), null);
    }
    if ("https".equalsIgnoreCase(from.getScheme()) && scheme.equals("http")) {
      throw new RemoteException(
          Problem.REFUSED,
          "its server redirects to '%s', out of TLS; name that URL if it is meant".formatted(to),
          null);
    }
    if (!to.getHost().equalsIgnoreCase(from.getHost()) && isInternal(to) && !isInternal(from)) {
      throw new RemoteException(
          Problem.REFUSED,
          "its server redirects to '%s', an address of the local network; name that URL if it is meant"
              .formatted(to),
          null);
    }
    return to;
  }

  private static boolean isInternal(URI url) throws IOException {
    String host = url.getHost();
    try {
      return Arrays.stream(InetAddress.getAllByName(host)).anyMatch(InternalAddress::is);
    } catch (UnknownHostException e) {
      throw noHost(url, e);
    }
  }
}
