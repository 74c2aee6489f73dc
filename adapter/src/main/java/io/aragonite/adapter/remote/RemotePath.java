package io.aragonite.adapter.remote;

import java.io.IOException;
import java.net.URI;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file of a store or server, or a part of its name. As a text it has no query: that of a signed
 * URL is a secret.
 */
public final class RemotePath implements Path {
  private final RemoteFileSystem fileSystem;

  /** Scheme and host, {@code s3://bucket}; null: a path that begins anywhere. */
  private final @Nullable String root;

  private final List<String> names;

  /** What a URL has behind its names: a slash, and a query with its question mark. */
  private final @Nullable String suffix;

  /** As they were when this path was found; null: the store is asked. */
  private final @Nullable RemoteAttributes known;

  RemotePath(
      RemoteFileSystem fileSystem,
      @Nullable String root,
      List<String> names,
      @Nullable String suffix,
      @Nullable RemoteAttributes known) {
    this.fileSystem = fileSystem;
    this.root = root;
    this.names = List.copyOf(names);
    this.suffix = suffix;
    this.known = known;
  }

  private RemotePath of(@Nullable String newRoot, List<String> newNames) {
    return new RemotePath(fileSystem, newRoot, newNames, null, null);
  }

  /** The same path with what is known of its file. */
  RemotePath with(RemoteAttributes attributes) {
    return new RemotePath(fileSystem, root, names, suffix, attributes);
  }

  /** A path of the same store. */
  RemotePath ofKey(String key, @Nullable RemoteAttributes attributes) {
    // In a key each slash counts, the first and the last one too.
    return new RemotePath(fileSystem, root, List.of(key.split("/", -1)), null, attributes);
  }

  /** The same file, of which the store is asked. */
  public RemotePath asked() {
    return new RemotePath(fileSystem, root, names, suffix, null);
  }

  @Nullable RemoteAttributes known() {
    return known;
  }

  ObjectStore store() {
    return fileSystem.store(this);
  }

  /** Whether a path is of a store whose files have ETags or times, rather than of a disk. */
  public static boolean is(Path path) {
    return path instanceof RemotePath;
  }

  boolean isS3() {
    return root != null && root.startsWith(RemoteFileSystem.S3);
  }

  /** The bucket, of a store of S3's protocol. */
  String host() {
    return root == null ? "" : root.substring(root.indexOf("://") + 3);
  }

  /** The names, with slashes between them. */
  String key() {
    return String.join("/", names);
  }

  List<String> names() {
    return names;
  }

  /** What a server is asked for. */
  URI url() {
    return URI.create(root + "/" + key() + (suffix == null ? "" : suffix));
  }

  @Override
  public RemoteFileSystem getFileSystem() {
    return fileSystem;
  }

  @Override
  public boolean isAbsolute() {
    return root != null;
  }

  @Override
  public @Nullable RemotePath getRoot() {
    return root == null ? null : of(root, List.of());
  }

  @Override
  public @Nullable RemotePath getFileName() {
    return names.isEmpty() ? null : of(null, List.of(names.getLast()));
  }

  @Override
  public @Nullable RemotePath getParent() {
    return names.isEmpty() || root == null && names.size() == 1
        ? null
        : of(root, names.subList(0, names.size() - 1));
  }

  @Override
  public int getNameCount() {
    return names.size();
  }

  @Override
  public RemotePath getName(int index) {
    return of(null, List.of(names.get(index)));
  }

  @Override
  public RemotePath subpath(int from, int to) {
    return of(null, names.subList(from, to));
  }

  @Override
  public boolean startsWith(Path other) {
    return other instanceof RemotePath path
        && fileSystem.equals(path.fileSystem)
        && Objects.equals(root, path.root)
        && names.size() >= path.names.size()
        && names.subList(0, path.names.size()).equals(path.names);
  }

  @Override
  public boolean endsWith(Path other) {
    return other instanceof RemotePath path
        && (path.root == null ? names.size() >= path.names.size() : equals(path))
        && names.subList(names.size() - path.names.size(), names.size()).equals(path.names);
  }

  @Override
  public RemotePath normalize() {
    List<String> kept = new ArrayList<>();
    for (String name : names) {
      if (name.equals("..") && !kept.isEmpty() && !kept.getLast().equals("..")) {
        kept.removeLast();
      } else if (!name.equals(".") && !(name.equals("..") && root != null)) {
        kept.add(name);
      }
    }
    return kept.size() == names.size()
        ? this
        : new RemotePath(fileSystem, root, kept, suffix, null);
  }

  @Override
  public RemotePath resolve(Path other) {
    RemotePath path = (RemotePath) other;
    if (path.isAbsolute()) {
      return path;
    }
    List<String> all = new ArrayList<>(names);
    all.addAll(path.names);
    return of(root, all);
  }

  @Override
  public RemotePath relativize(Path other) {
    RemotePath path = (RemotePath) other;
    if (!path.startsWith(this)) {
      throw new IllegalArgumentException(path + " is not in " + this);
    }
    return of(null, path.names.subList(names.size(), path.names.size()));
  }

  @Override
  public URI toUri() {
    return URI.create(toString());
  }

  @Override
  public RemotePath toAbsolutePath() {
    return this;
  }

  /** Stores have no links. */
  @Override
  public RemotePath toRealPath(LinkOption... options) throws IOException {
    return normalize();
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int compareTo(Path other) {
    return toString().compareTo(other.toString());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RemotePath path
        && names.equals(path.names)
        && Objects.equals(root, path.root)
        && Objects.equals(suffix, path.suffix)
        && fileSystem.equals(path.fileSystem);
  }

  @Override
  public int hashCode() {
    return Objects.hash(root, names, suffix);
  }

  @Override
  public String toString() {
    String path = root == null ? key() : names.isEmpty() ? root : root + "/" + key();
    if (suffix == null) {
      return path;
    }
    int question = suffix.indexOf('?');
    return path + (question < 0 ? suffix : suffix.substring(0, question) + "?***");
  }
}
