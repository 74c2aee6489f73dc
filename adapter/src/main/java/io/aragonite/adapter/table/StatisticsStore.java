package io.aragonite.adapter.table;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.profile.CacheFolder;
import io.aragonite.exec.profile.CacheFolder.FolderLimits;
import io.aragonite.exec.profile.UserCache;
import io.aragonite.exec.settings.EngineSettings;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Statistics of tables in files, a file each in a folder, for later processes. What is of another
 * version, cut short, damaged, or of files that have changed since is as if it were not there, and
 * a folder that cannot be written keeps nothing: neither is ever an error.
 */
public final class StatisticsStore {
  private static final Logger LOG = LoggerFactory.getLogger(StatisticsStore.class);

  /** The version is to be raised when the format changes, or what a figure means. */
  private static final long FORMAT = CacheFolder.format("AGST", 7);

  /** Sketches and samples are left out of a file that would be larger. */
  private static final FolderLimits LIMITS = new FolderLimits(16 << 20, 2048, 256L << 20);

  private final CacheFolder folder;

  /**
   * @param folder made when something is first kept
   */
  public StatisticsStore(Path folder) {
    this.folder = new CacheFolder(folder, ".statistics", FORMAT, LIMITS);
  }

  /** The one in the user's cache; null if statistics are not kept. */
  public static @Nullable StatisticsStore ofUser() {
    return EngineSettings.current().keepStatistics()
        ? new StatisticsStore(UserCache.folder().resolve("statistics"))
        : null;
  }

  /** Where the figures of a table are. */
  Path file(Path table) {
    return folder.file(path(table));
  }

  private static String path(Path table) {
    return table.toAbsolutePath().normalize().toString();
  }

  /**
   * The figures of a table, empty if none are kept.
   *
   * @param state the table's files, with sizes and times of change
   * @param columns of the table
   * @param rows of the table
   */
  StoredStatistics load(Path table, List<String> state, int columns, long rows) {
    byte[] bytes = folder.read(path(table));
    try {
      if (bytes == null) {
        return StoredStatistics.NONE;
      }
      byte[] expected = key(table, state);
      if (bytes.length < expected.length
          || !Arrays.equals(bytes, 0, expected.length, expected, 0, expected.length)) {
        throw new IOException("it is of another state of the file");
      }
      return StoredStatisticsFormat.read(bytes, expected.length, columns, rows);
    } catch (IOException | RuntimeException e) {
      LOG.debug(
          "{}, statistics of {}, is passed over: {}",
          file(table),
          table,
          AragoniteException.reason(e));
      return StoredStatistics.NONE;
    }
  }

  /** What a file begins with, so that figures of another table or state are not taken. */
  private static byte[] key(Path table, List<String> state) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      byte[] text =
          (path(table) + "\n" + String.join("\n", state)).getBytes(StandardCharsets.UTF_8);
      out.writeInt(text.length);
      out.write(text);
    }
    return bytes.toByteArray();
  }

  private static byte[] bytes(Path table, List<String> state, StoredStatistics figures)
      throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(all)) {
      out.write(key(table, state));
      StoredStatisticsFormat.write(figures, out);
    }
    return all.toByteArray();
  }

  /**
   * Keeps figures, in place of those that are there.
   *
   * @return whether they are kept
   */
  boolean save(Path table, List<String> state, StoredStatistics figures) {
    try {
      byte[] bytes = bytes(table, state, figures);
      return folder.write(
          path(table),
          folder.takes(bytes.length)
              ? bytes
              : bytes(table, state, new StoredStatistics(figures.columns(), Map.of(), Map.of())));
    } catch (IOException | RuntimeException e) {
      LOG.debug("Statistics of {} are not kept: {}", table, AragoniteException.reason(e));
      return false;
    }
  }

  /** Nothing is kept of a table any more. */
  void remove(Path table) {
    folder.remove(path(table));
  }

  /** Deletes the files that were written longest ago, until there are no more than so many. */
  void prune(int files, long bytes) throws IOException {
    folder.prune(files, bytes);
  }
}
