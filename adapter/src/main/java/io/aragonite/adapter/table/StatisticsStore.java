package io.aragonite.adapter.table;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.profile.UserCache;
import io.aragonite.exec.settings.EngineSettings;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.CRC32;
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

  private static final int MAGIC = 'A' << 24 | 'G' << 16 | 'S' << 8 | 'T';

  /** To be raised when the format changes, or what a figure means. */
  private static final int VERSION = 4;

  /** Magic, version, checksum. */
  private static final int HEADER = 3 * Integer.BYTES;

  private static final String EXTENSION = ".statistics";

  /** A larger file is left alone, and sketches are left out of one that would be. */
  private static final int MOST_BYTES = 16 << 20;

  /** Files of a folder, and their bytes, beyond which the oldest go. */
  private static final int MOST_FILES = 2048;

  private static final long MOST_BYTES_OF_ALL = 256L << 20;

  private final Path folder;

  /**
   * @param folder made when something is first kept
   */
  public StatisticsStore(Path folder) {
    this.folder = folder;
  }

  /** The one in the user's cache; null if statistics are not kept. */
  public static @Nullable StatisticsStore ofUser() {
    return EngineSettings.current().keepStatistics()
        ? new StatisticsStore(UserCache.folder().resolve("statistics"))
        : null;
  }

  /** Where the figures of a table are. */
  Path file(Path table) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(path(table).getBytes(StandardCharsets.UTF_8));
      return folder.resolve(HexFormat.of().formatHex(digest, 0, 16) + EXTENSION);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
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
  TableFigures load(Path table, List<String> state, int columns, long rows) {
    Path file = file(table);
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > MOST_BYTES) {
        return TableFigures.NONE;
      }
      byte[] bytes = Files.readAllBytes(file);
      if (bytes.length < HEADER) {
        throw new IOException("it is cut short");
      }
      ByteBuffer header = ByteBuffer.wrap(bytes);
      if (header.getInt() != MAGIC || header.getInt() != VERSION) {
        throw new IOException("it is of another format");
      }
      if (header.getInt() != checksum(bytes)) {
        throw new IOException("its checksum is wrong");
      }
      byte[] expected = key(table, state);
      for (int i = 0; i < expected.length; i++) {
        if (HEADER + i >= bytes.length || bytes[HEADER + i] != expected[i]) {
          throw new IOException("it is of another state of the file");
        }
      }
      return FiguresFormat.read(bytes, HEADER + expected.length, columns, rows);
    } catch (IOException | RuntimeException e) {
      LOG.debug("{}, statistics of {}, is passed over: {}", file, table, reason(e));
      return TableFigures.NONE;
    }
  }

  private static @Nullable String reason(Exception e) {
    return AragoniteException.reason(e);
  }

  private static int checksum(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes, HEADER, bytes.length - HEADER);
    return (int) crc.getValue();
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

  private static byte[] bytes(Path table, List<String> state, TableFigures figures)
      throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(all)) {
      out.write(new byte[HEADER]);
      out.write(key(table, state));
      FiguresFormat.write(figures, out);
    }
    byte[] bytes = all.toByteArray();
    ByteBuffer.wrap(bytes).putInt(MAGIC).putInt(VERSION).putInt(checksum(bytes));
    return bytes;
  }

  /**
   * Keeps figures, in place of those that are there.
   *
   * @return whether they are kept
   */
  boolean save(Path table, List<String> state, TableFigures figures) {
    Path partial = null;
    try {
      byte[] bytes = bytes(table, state, figures);
      if (bytes.length > MOST_BYTES) {
        bytes = bytes(table, state, new TableFigures(figures.columns(), Map.of()));
      }
      if (bytes.length > MOST_BYTES) {
        return false;
      }
      Files.createDirectories(folder);
      partial = Files.createTempFile(folder, "statistics", ".part");
      Files.write(partial, bytes);
      Files.move(
          partial,
          file(table),
          StandardCopyOption.REPLACE_EXISTING,
          StandardCopyOption.ATOMIC_MOVE);
      partial = null;
      prune(MOST_FILES, MOST_BYTES_OF_ALL);
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.debug("Statistics of {} are not kept: {}", table, reason(e));
      return false;
    } finally {
      delete(partial);
    }
  }

  /** Nothing is kept of a table any more. */
  void remove(Path table) {
    delete(file(table));
  }

  private static void delete(@Nullable Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      LOG.debug("{} cannot be deleted: {}", file, reason(e));
    }
  }

  private record StoredFile(Path path, long bytes, FileTime written) {}

  /** Deletes the files that were written longest ago, until there are no more than so many. */
  void prune(int files, long bytes) throws IOException {
    List<StoredFile> all = new ArrayList<>();
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path path : entries.toList()) {
        try {
          all.add(new StoredFile(path, Files.size(path), Files.getLastModifiedTime(path)));
        } catch (IOException e) {
          LOG.debug("{} is gone: {}", path, reason(e)); // another process's
        }
      }
    }
    all.sort(Comparator.comparing(StoredFile::written).reversed());
    long sum = 0;
    for (int i = 0; i < all.size(); i++) {
      sum += all.get(i).bytes;
      if (i >= files || sum > bytes) {
        delete(all.get(i).path);
      }
    }
  }
}
