package io.aragonite.sqltests.faults;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import org.jspecify.annotations.Nullable;

/** A path of {@link FaultyFileSystem}. */
record FaultyPath(FaultyFileSystem system, Path real) implements Path {
  static Path real(Path path) {
    if (path instanceof FaultyPath faulty) {
      return faulty.real;
    }
    throw new ProviderMismatchException();
  }

  private Path of(Path path) {
    return new FaultyPath(system, path);
  }

  private @Nullable Path orNull(@Nullable Path path) {
    return path == null ? null : of(path);
  }

  @Override
  public FileSystem getFileSystem() {
    return system;
  }

  @Override
  public boolean isAbsolute() {
    return real.isAbsolute();
  }

  @Override
  public @Nullable Path getRoot() {
    return orNull(real.getRoot());
  }

  @Override
  public @Nullable Path getFileName() {
    return orNull(real.getFileName());
  }

  @Override
  public @Nullable Path getParent() {
    return orNull(real.getParent());
  }

  @Override
  public int getNameCount() {
    return real.getNameCount();
  }

  @Override
  public Path getName(int index) {
    return of(real.getName(index));
  }

  @Override
  public Path subpath(int from, int to) {
    return of(real.subpath(from, to));
  }

  @Override
  public boolean startsWith(Path other) {
    return other instanceof FaultyPath(FaultyFileSystem _, Path path) && real.startsWith(path);
  }

  @Override
  public boolean endsWith(Path other) {
    return other instanceof FaultyPath(FaultyFileSystem _, Path path) && real.endsWith(path);
  }

  @Override
  public Path normalize() {
    return of(real.normalize());
  }

  @Override
  public Path resolve(Path other) {
    return of(real.resolve(real(other)));
  }

  @Override
  public Path relativize(Path other) {
    return of(real.relativize(real(other)));
  }

  @Override
  public URI toUri() {
    return real.toUri();
  }

  @Override
  public Path toAbsolutePath() {
    return of(real.toAbsolutePath());
  }

  @Override
  public Path toRealPath(LinkOption... options) throws IOException {
    FileCalls.check("resolve links of", this);
    return of(real.toRealPath(options));
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
      throws IOException {
    return real.register(watcher, events, modifiers);
  }

  @Override
  public int compareTo(Path other) {
    return real.compareTo(real(other));
  }

  @Override
  public String toString() {
    return real.toString();
  }
}
