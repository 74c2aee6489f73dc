package io.aragonite.adapter.table;

import io.aragonite.adapter.format.csv.CsvOptions;
import io.aragonite.adapter.remote.RemoteFileSystemProvider;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether files, or a folder of parts, are as they were: by names, sizes, times of change and the
 * file system's own keys, or tags.
 */
final class FileStamp {
  /** How long an answer is good for, since plans ask often. */
  private static final long KEPT_NANOS = 500_000_000;

  /** The same of a store, which takes its time. */
  private static final long KEPT_REMOTE_NANOS = 5_000_000_000L;

  private final List<Path> paths;
  private final boolean asks;
  private final List<String> opened;
  private long asked;
  private boolean changed;

  /** The file that messages name: one that has changed, if one has. */
  private Path told;

  FileStamp(Path path) {
    this(List.of(path), List.of(stateOf(path)), true);
  }

  /**
   * Of files that each statement looks up: whoever finds remote ones has asked their store.
   *
   * @param opened the states in which they were found, before they were opened
   */
  static FileStamp ofFound(List<Path> paths, List<String> opened) {
    return new FileStamp(paths, opened, !RemotePath.is(paths.getFirst()));
  }

  private FileStamp(List<Path> paths, List<String> opened, boolean asks) {
    this.paths = paths;
    this.told = paths.getFirst();
    this.asks = asks;
    this.opened = opened;
    this.asked = System.nanoTime();
  }

  /** Whether one has changed since this object was made. Once it has, it stays so. */
  synchronized boolean changed() {
    long now = System.nanoTime();
    if (!changed
        && asks
        && now - asked > (RemotePath.is(path()) ? KEPT_REMOTE_NANOS : KEPT_NANOS)) {
      changed = !isOpened();
      asked = System.nanoTime();
    }
    return changed;
  }

  private boolean isOpened() {
    if (!(path() instanceof RemotePath remote)) {
      return areOpened();
    }
    try {
      return joined(read(RemoteFileSystemProvider.find(remote.asked()))).equals(opened.getFirst());
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      return true; // that its store does not answer does not change a file
    }
  }

  private boolean areOpened() {
    for (int i = 0; i < paths.size(); i++) {
      if (!stateOf(paths.get(i)).equals(opened.get(i))) {
        told = paths.get(i);
        return false;
      }
    }
    return true;
  }

  /** The first of the files. */
  Path path() {
    return paths.getFirst();
  }

  /** The state when this object was made; empty if it is not known. */
  List<String> state() {
    return opened.contains("") ? List.of() : opened;
  }

  /**
   * Whether what was read is of the state when this object was made, as the files are now: each
   * request for bytes of a remote file says which one is meant.
   */
  synchronized boolean isCurrent() {
    if (RemotePath.is(path())) {
      return true;
    }
    changed = changed || !isOpened();
    return !changed;
  }

  /** The error of a read that may have found several states. */
  synchronized AragoniteException changedWhileRead() {
    return new AragoniteException(
        ErrorCode.FILE_BROKEN,
        "%s has changed while it was read; run the statement again on a new connection"
            .formatted(told));
  }

  /** The present state of a file or a folder of parts; empty if it is not known. */
  static String stateOf(Path path) {
    try {
      return joined(read(path));
    } catch (IOException e) {
      return "";
    }
  }

  private static String joined(List<String> states) {
    return String.join(" ", states);
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
      Object key = attributes.fileKey();
      String name = file.getFileName() + " " + attributes.size() + " ";
      if (key == null) {
        return name + attributes.lastModifiedTime();
      }
      // A file that takes another's place may have its time: copies keep it.
      return name + (RemotePath.is(file) ? key : attributes.lastModifiedTime() + " " + key);
    } catch (IOException e) {
      return file.getFileName() + " cannot be read";
    }
  }
}
