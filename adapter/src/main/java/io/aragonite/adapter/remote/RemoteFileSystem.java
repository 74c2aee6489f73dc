package io.aragonite.adapter.remote;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files that URLs name: {@code s3://bucket/key}, {@code https://host/path}. Two are equal if
 * they reach stores in the same way; nothing is opened before a file is asked for.
 */
public final class RemoteFileSystem extends FileSystem {
  static final String S3 = "s3://";

  /** Requests at once; a store answers each in some tens of milliseconds. */
  private static final int MOST_REQUESTS = 16;

  private static final Pattern URL =
      Pattern.compile("(?i)(s3[an]?|https?)://([^/?]*)(.*)", Pattern.DOTALL);

  private final RemoteOptions options;
  private final Semaphore requests = new Semaphore(MOST_REQUESTS);
  private @Nullable ObjectStore s3;
  private @Nullable ObjectStore http;

  public RemoteFileSystem(RemoteOptions options) {
    this.options = options;
  }

  /** Whether a text names a remote file rather than a local one. */
  public static boolean isUrl(String text) {
    return text.indexOf("://") > 0 && URL.matcher(text).matches();
  }

  RemoteOptions options() {
    return options;
  }

  /** Held while a request is answered. */
  Semaphore requests() {
    return requests;
  }

  synchronized ObjectStore store(RemotePath path) {
    if (path.isS3()) {
      s3 = s3 == null ? new S3Store(options) : s3;
      return s3;
    }
    http = http == null ? new HttpStore(options.timeout()) : http;
    return http;
  }

  /**
   * The path of a URL.
   *
   * @throws AragoniteException FILE_UNREADABLE if it is none
   */
  public RemotePath path(String url) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      throw wrong(url, "it does not begin with s3://, https:// or http://");
    }
    String host = parts.group(2);
    String rest = parts.group(3);
    if (host.isEmpty()) {
      throw wrong(url, "it names no " + (isS3(parts.group(1)) ? "bucket" : "host"));
    }
    if (isS3(parts.group(1))) {
      return new RemotePath(this, S3 + host, names(rest), null, null);
    }
    if (host.indexOf('@') >= 0) {
      throw wrong(url, "a URL with a name and password is not read, as it would be shown");
    }
    int question = rest.indexOf('?');
    String query = question < 0 ? null : rest.substring(question);
    String path = question < 0 ? rest : rest.substring(0, question);
    try {
      if (path.indexOf('*') >= 0) {
        throw wrong(url, "HTTP servers do not list their files; name each, ['https://...', ...]");
      }
      int port = new URI(url).parseServerAuthority().getPort();
      if (port > 65_535) {
        throw wrong(url, "there is no port %d".formatted(port));
      }
    } catch (URISyntaxException e) {
      throw wrong(url, "it is not a URL (%s)".formatted(e.getReason()));
    }
    String scheme = parts.group(1).toLowerCase(Locale.ROOT);
    return new RemotePath(this, scheme + "://" + host, names(path), query, null);
  }

  private static boolean isS3(String scheme) {
    return scheme.toLowerCase(Locale.ROOT).startsWith("s3");
  }

  private static AragoniteException wrong(String url, String what) {
    return new AragoniteException(
        ErrorCode.FILE_UNREADABLE,
        "'%s' cannot be read: %s.".formatted(UrlRedaction.redact(url), what));
  }

  /** The names of a path; slashes around it count for nothing. */
  static List<String> names(String path) {
    int from = path.startsWith("/") ? 1 : 0;
    int to = path.endsWith("/") ? path.length() - 1 : path.length();
    return from >= to ? List.of() : List.of(path.substring(from, to).split("/", -1));
  }

  @Override
  public RemoteFileSystemProvider provider() {
    return RemoteFileSystemProvider.ONE;
  }

  @Override
  public RemotePath getPath(String first, String... more) {
    String text = more.length == 0 ? first : first + "/" + String.join("/", more);
    return isUrl(text) ? path(text) : new RemotePath(this, null, names(text), null, null);
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public String getSeparator() {
    return "/";
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return List.of();
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return List.of();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return Set.of("basic");
  }

  @Override
  public PathMatcher getPathMatcher(String syntaxAndPattern) {
    throw new UnsupportedOperationException();
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    throw new UnsupportedOperationException();
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RemoteFileSystem system && options.equals(system.options);
  }

  @Override
  public int hashCode() {
    return options.hashCode();
  }

  @Override
  public String toString() {
    return options.toString();
  }
}
