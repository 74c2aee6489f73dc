package io.aragonite.tpch;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * TPC-H tables as Arrow IPC files in a cache on disk, one file ({@link TpchTable#fileName}) for
 * each table: uncompressed, in record batches of 131,072 rows, in the order of the keys. They are
 * made on first use, whole or not at all, also if several processes ask at once.
 */
public final class TpchData {
  private TpchData() {}

  /**
   * The user's cache folder: {@code $ARAGONITE_CACHE}, or {@code $XDG_CACHE_HOME/aragonite}, or
   * {@code ~/.cache/aragonite}.
   */
  public static Path defaultCacheRoot() {
    return cacheRoot(System.getenv(), System.getProperty("user.home", "."));
  }

  static Path cacheRoot(Map<String, String> environment, String home) {
    String own = environment.getOrDefault("ARAGONITE_CACHE", "");
    if (!own.isBlank()) {
      return Path.of(own);
    }
    String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
    Path base = xdg.isBlank() ? Path.of(home, ".cache") : Path.of(xdg);
    return base.resolve("aragonite");
  }

  /** Where the tables of a scale are, or would be: {@code <root>/tpch/<scale>}. */
  public static Path directory(double scale, Path cacheRoot) {
    return cacheRoot.toAbsolutePath().resolve("tpch").resolve(new TpchScale(scale).toString());
  }

  /**
   * Makes the tables of a scale unless they are there.
   *
   * @param scale the scale factor, 0.001 to 100,000; scale 1 takes 1.5 GB on disk
   * @param cacheRoot see {@link #defaultCacheRoot}; made if absent
   * @param threads threads to use, at least 1
   * @param listener hears the progress, if there is anything to make
   * @return the directory with the eight files
   * @throws IllegalArgumentException if the scale or the number of threads is out of range
   * @throws IOException if the folder cannot be written or has too little space
   * @throws InterruptedException if the thread is interrupted; nothing is left behind then
   */
  public static Path ensure(double scale, Path cacheRoot, int threads, ProgressListener listener)
      throws IOException, InterruptedException {
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be at least 1, but is " + threads);
    }
    TpchScale checked = new TpchScale(scale);
    Path target = directory(scale, cacheRoot);
    if (Manifest.matches(target, checked)) {
      return target;
    }
    Path parent = target.resolveSibling("");
    Files.createDirectories(parent);
    Path lockFile = parent.resolve(checked + ".lock");
    try (var _ = CacheLock.acquire(lockFile, () -> listener.waiting(target))) {
      if (!Manifest.matches(target, checked)) { // else another has just made it
        make(checked, target, threads, listener);
      }
      return target;
    } catch (ClosedByInterruptException e) { // what an interrupt during input or output becomes
      Thread.interrupted();
      InterruptedException interrupt = new InterruptedException("making TPC-H data interrupted");
      interrupt.initCause(e);
      throw interrupt;
    }
  }

  /** The files of a directory that {@link #ensure} returned, in the order of {@link TpchTable}. */
  public static List<Path> files(Path directory) {
    return Stream.of(TpchTable.values()).map(table -> directory.resolve(table.fileName())).toList();
  }

  private static void make(TpchScale scale, Path target, int threads, ProgressListener listener)
      throws IOException, InterruptedException {
    removeLeftovers(target);
    checkSpace(scale, target.resolveSibling(""));
    long start = System.nanoTime();
    DatasetWriter writer = new DatasetWriter(scale, DatasetWriter.BATCH_ROWS);
    long rows = writer.rows().values().stream().mapToLong(Long::longValue).sum();
    Path temporary = Files.createTempDirectory(target.resolveSibling(""), scale + ".tmp-");
    listener.started(scale, target, rows);
    boolean complete = false;
    try (var _ = new ShutdownGuard()) {
      try {
        writer.write(temporary, threads, listener);
        Manifest.write(temporary, scale, writer.rows());
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
    for (Path file : files(target)) {
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

  private static void checkSpace(TpchScale scale, Path parent) throws IOException {
    long free = Files.getFileStore(parent).getUsableSpace();
    if (free < scale.estimatedBytes()) {
      throw new IOException(
          String.format(
              "TPC-H scale %s needs about %.1f GB, but %s has %.1f GB left;"
                  + " ARAGONITE_CACHE can name another folder",
              scale, scale.estimatedBytes() / 1e9, parent, free / 1e9));
    }
  }
}
