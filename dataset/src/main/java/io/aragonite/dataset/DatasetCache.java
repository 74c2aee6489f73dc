package io.aragonite.dataset;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/**
 * Generated tables as Arrow IPC files in a cache on disk, one file ({@link Dataset#fileName}) for
 * each table: uncompressed, in the order of the keys. They are made on first use, whole or not at
 * all, also if several processes ask at once.
 */
public final class DatasetCache {
  private DatasetCache() {}

  /**
   * The user's cache folder: {@code $ARAGONITE_CACHE}, or {@code $XDG_CACHE_HOME/aragonite}, or
   * {@code ~/.cache/aragonite}.
   */
  public static Path defaultRoot() {
    return root(System.getenv(), System.getProperty("user.home", "."));
  }

  static Path root(Map<String, String> environment, String home) {
    String own = environment.getOrDefault("ARAGONITE_CACHE", "");
    if (!own.isBlank()) {
      return Path.of(own);
    }
    String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
    Path base = xdg.isBlank() ? Path.of(home, ".cache") : Path.of(xdg);
    return base.resolve("aragonite");
  }

  /** Where the tables are, or would be: {@code <root>/<folder>/<scale>}. */
  public static Path directory(Dataset dataset, Path root) {
    return root.toAbsolutePath().resolve(dataset.folder()).resolve(dataset.scale());
  }

  /**
   * Makes the tables unless they are there.
   *
   * @param root see {@link #defaultRoot}; made if absent
   * @param threads threads to use, at least 1
   * @param listener hears the progress, if there is anything to make
   * @return the directory with the files
   * @throws IllegalArgumentException if the number of threads is out of range
   * @throws IOException if the folder cannot be written or has too little space
   * @throws InterruptedException if the thread is interrupted; nothing is left behind then
   */
  public static Path ensure(Dataset dataset, Path root, int threads, ProgressListener listener)
      throws IOException, InterruptedException {
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be at least 1, but is " + threads);
    }
    Path target = directory(dataset, root);
    if (Manifest.matches(target, dataset)) {
      return target;
    }
    Path parent = target.resolveSibling("");
    Files.createDirectories(parent);
    Path lockFile = parent.resolve(dataset.scale() + ".lock");
    try (var _ = CacheLock.acquire(lockFile, () -> listener.waiting(target))) {
      if (!Manifest.matches(target, dataset)) { // else another has just made it
        make(dataset, target, threads, listener);
      }
      return target;
    } catch (ClosedByInterruptException e) { // what an interrupt during input or output becomes
      Thread.interrupted();
      InterruptedException interrupt =
          new InterruptedException("making " + dataset.title() + " data interrupted");
      interrupt.initCause(e);
      throw interrupt;
    }
  }

  /** The files of a directory that {@link #ensure} returned, in the order of the tables. */
  public static List<Path> files(Dataset dataset, Path directory) {
    return dataset.names().stream()
        .map(table -> directory.resolve(Dataset.fileName(table)))
        .toList();
  }

  private static void make(Dataset dataset, Path target, int threads, ProgressListener listener)
      throws IOException, InterruptedException {
    removeLeftovers(target);
    checkSpace(dataset, target.resolveSibling(""));
    long start = System.nanoTime();
    List<Dataset.DatasetTable> tables = dataset.tables();
    Path temporary =
        Files.createTempDirectory(target.resolveSibling(""), dataset.scale() + ".tmp-");
    listener.started(dataset, target, tables.stream().mapToLong(Dataset.DatasetTable::rows).sum());
    boolean complete = false;
    try (var _ = new ShutdownGuard()) {
      try {
        Map<String, Long> rows = DatasetWriter.write(tables, temporary, threads, listener);
        Manifest.write(temporary, dataset, rows);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        publish(temporary, target);
        complete = true;
      } finally {
        if (!complete) {
          Directories.deleteTree(temporary);
          listener.failed();
        }
      }
    }
    long bytes = 0;
    for (Path file : files(dataset, target)) {
      bytes += Files.size(file);
    }
    listener.finished(target, System.nanoTime() - start, bytes);
  }

  /** Puts the complete directory in the place of whatever is there. */
  private static void publish(Path temporary, Path target) throws IOException {
    if (Files.exists(target)) {
      Path broken = target.resolveSibling(temporary.getFileName() + "-replaced");
      Files.move(target, broken);
      move(temporary, target);
      Directories.deleteTree(broken);
    } else {
      move(temporary, target);
    }
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(from, to); // same folder, so a rename all the same
    }
  }

  /** Removes what a killed process left. The lock is held, so nobody is using it. */
  private static void removeLeftovers(Path target) throws IOException {
    String pattern = target.getFileName() + ".tmp-*";
    try (var leftovers = Files.newDirectoryStream(target.resolveSibling(""), pattern)) {
      for (Path leftover : leftovers) {
        Directories.deleteTree(leftover);
      }
    }
  }

  private static void checkSpace(Dataset dataset, Path parent) throws IOException {
    long free = Files.getFileStore(parent).getUsableSpace();
    if (free < dataset.estimatedBytes()) {
      throw new IOException(
          String.format(
              "%s scale %s needs about %.1f GB, but %s has %.1f GB left;"
                  + " ARAGONITE_CACHE can name another folder",
              dataset.title(),
              dataset.scale(),
              dataset.estimatedBytes() / 1e9,
              parent,
              free / 1e9));
    }
  }
}
