package io.aragonite.adapter.table;

import io.aragonite.adapter.format.csv.CsvOptions;
import io.aragonite.adapter.remote.RemotePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether a file, or a folder of parts, is as it was: by names, sizes and times of change. Each
 * request for bytes of a remote file says which state is meant, so that it need not be asked here.
 */
final class FileStamp {
  /** How long an answer is good for, since plans ask often. */
  private static final long KEPT_NANOS = 500_000_000;

  private final Path path;
  private final List<String> opened;
  private long asked;
  private boolean changed;

  FileStamp(Path path) {
    this.path = path;
    this.opened = state(path);
    this.asked = System.nanoTime();
  }

  /** Whether it has changed since this object was made. Once it has, it stays so. */
  synchronized boolean changed() {
    long now = System.nanoTime();
    if (!changed && !RemotePath.is(path) && now - asked > KEPT_NANOS) {
      changed = !state(path).equals(opened);
      asked = now;
    }
    return changed;
  }

  Path path() {
    return path;
  }

  /** The state when this object was made; empty if it is not known. */
  List<String> state() {
    return opened;
  }

  /** Whether the state is the same at this moment. */
  boolean isCurrent() {
    return RemotePath.is(path) || state(path).equals(opened);
  }

  /** The present state; empty if it is not known. */
  static List<String> state(Path path) {
    try {
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
    } catch (IOException e) {
      return List.of();
    }
  }

  private static String of(Path file) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      String state =
          "%s %d %s"
              .formatted(file.getFileName(), attributes.size(), attributes.lastModifiedTime());
      return RemotePath.is(file) ? state + " " + attributes.fileKey() : state;
    } catch (IOException e) {
      return file.getFileName() + " cannot be read";
    }
  }
}
