package io.aragonite.adapter.table;

import io.aragonite.adapter.format.csv.CsvOptions;
import io.aragonite.adapter.remote.RemoteFileSystemProvider;
import io.aragonite.adapter.remote.RemotePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether a file, or a folder of parts, is as it was: by names, sizes and times of change, or tags.
 */
final class FileStamp {
  /** How long an answer is good for, since plans ask often. */
  private static final long KEPT_NANOS = 500_000_000;

  /** The same of a store, which takes its time. */
  private static final long KEPT_REMOTE_NANOS = 5_000_000_000L;

  private final Path path;
  private final boolean asks;
  private final List<String> opened;
  private long asked;
  private boolean changed;

  FileStamp(Path path) {
    this(path, true);
  }

  /** Of a file that each statement looks up: whoever finds a remote one has asked its store. */
  static FileStamp ofFound(Path path) {
    return new FileStamp(path, !RemotePath.is(path));
  }

  private FileStamp(Path path, boolean asks) {
    this.path = path;
    this.asks = asks;
    this.opened = state(path);
    this.asked = System.nanoTime();
  }

  /** Whether it has changed since this object was made. Once it has, it stays so. */
  synchronized boolean changed() {
    long now = System.nanoTime();
    if (!changed && asks && now - asked > (RemotePath.is(path) ? KEPT_REMOTE_NANOS : KEPT_NANOS)) {
      changed = !isOpened();
      asked = System.nanoTime();
    }
    return changed;
  }

  private boolean isOpened() {
    if (!(path instanceof RemotePath remote)) {
      return state(path).equals(opened);
    }
    try {
      return read(RemoteFileSystemProvider.find(remote.asked())).equals(opened);
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      return true; // that its store does not answer does not change a file
    }
  }

  Path path() {
    return path;
  }

  /** The state when this object was made; empty if it is not known. */
  List<String> state() {
    return opened;
  }

  /**
   * Whether what was read is of the state when this object was made: each request for bytes of a
   * remote file says which one is meant.
   */
  boolean isCurrent() {
    return RemotePath.is(path) || state(path).equals(opened);
  }

  /** The present state; empty if it is not known. */
  static List<String> state(Path path) {
    try {
      return read(path);
    } catch (IOException e) {
      return List.of();
    }
  }

  private static List<String> read(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      // What is declared beside a delimited file says what its values are.
      Path declared = CsvOptions.sideCar(path);
      return declared != null && Files.exists(declared)
          ? List.of(of(path), of(declared))
          : List.of(of(path));
    }
    try (Stream<Path> parts = Files.list(path)) {
      return parts.sorted().map(FileStamp::of).toList();
    }
  }

  private static String of(Path file) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      boolean tagged = RemotePath.is(file) && attributes.fileKey() != null;
      return "%s %d %s"
          .formatted(
              file.getFileName(),
              attributes.size(),
              tagged ? attributes.fileKey() : attributes.lastModifiedTime());
    } catch (IOException e) {
      return file.getFileName() + " cannot be read";
    }
  }
}
