package io.aragonite.adapter.table;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.format.FileKinds;
import io.aragonite.adapter.format.csv.CsvOptions;
import io.aragonite.adapter.remote.RemoteFileSystemProvider;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

  /**
   * Why the state of {@link #told} was not to be had when it was last asked for; null if it was.
   */
  private @Nullable IOException unknown;

  /** Of a file; one whose state is not to be had counts as unchanged. */
  FileStamp(Path path) {
    this(List.of(path), List.of(stateOf(path)), true);
  }

  /**
   * Of a file that is about to be opened.
   *
   * @throws AragoniteException FILE_UNREADABLE if its state is not to be had
   */
  static FileStamp beforeOpening(Path path) {
    return new FileStamp(List.of(path), List.of(requireState(path)), true);
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

  /** A disk or a network drive that does not answer does not change a file. */
  private boolean areOpened() {
    unknown = null;
    for (int i = 0; i < paths.size(); i++) {
      try {
        String state = joined(read(paths.get(i)));
        if (!opened.get(i).isEmpty() && !opened.get(i).equals(state)) {
          told = paths.get(i);
          return false;
        }
      } catch (IOException e) {
        told = paths.get(i);
        unknown = e;
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
    return !changed && unknown == null;
  }

  /** The error of a read that may have found several states. */
  synchronized AragoniteException changedWhileRead() {
    IOException reason = unknown;
    if (!changed && reason != null) {
      return unreadable(told, reason);
    }
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

  /**
   * The present state of a file or a folder of parts; empty of a remote one whose store does not
   * tell.
   *
   * @throws AragoniteException FILE_UNREADABLE if that of a local one is not to be had
   */
  static String requireState(Path path) {
    try {
      return joined(read(path));
    } catch (IOException e) {
      if (RemotePath.is(path)) {
        return "";
      }
      throw unreadable(path, e);
    }
  }

  private static AragoniteException unreadable(Path path, IOException reason) {
    return new AragoniteException(
        ErrorCode.FILE_UNREADABLE,
        "%s cannot be read: %s".formatted(path, FileErrors.reason(reason)),
        reason);
  }

  private static String joined(List<String> states) {
    return String.join(" ", states);
  }

  private static List<String> read(Path path) throws IOException {
    if (!FileKinds.isFolder(path)) {
      // What is declared beside a delimited file says what its values are.
      Path declared = CsvOptions.sideCar(path);
      String own = of(path);
      return declared != null && FileKinds.exists(declared)
          ? List.of(own, of(declared))
          : List.of(own);
    }
    List<String> states = new ArrayList<>();
    try (Stream<Path> parts = Files.list(path)) {
      for (Path part : parts.sorted().toList()) {
        states.add(of(part));
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return states;
  }

  private static String of(Path file) throws IOException {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      Object key = attributes.fileKey();
      String name = file.getFileName() + " " + attributes.size() + " ";
      if (key == null) {
        return name + attributes.lastModifiedTime();
      }
      // A file that takes another's place may have its time: copies keep it.
      return name + (RemotePath.is(file) ? key : attributes.lastModifiedTime() + " " + key);
    } catch (NoSuchFileException e) {
      return file.getFileName() + " is not there";
    } catch (AccessDeniedException e) {
      return file.getFileName() + " may not be read";
    }
  }
}
