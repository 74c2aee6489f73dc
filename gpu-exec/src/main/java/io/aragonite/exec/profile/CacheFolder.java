package io.aragonite.exec.profile;

import io.aragonite.exec.error.AragoniteException;
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
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder of the user's cache: contents by name, a file each, written whole or not at all. What is
 * cut short, damaged or of another format is as if it were not there, and a folder that cannot be
 * written keeps nothing: neither is ever an error. Contents must say themselves whether they are
 * still true.
 */
public final class CacheFolder {
  private static final Logger LOG = LoggerFactory.getLogger(CacheFolder.class);

  /** Format, checksum. */
  private static final int HEADER = Long.BYTES + Integer.BYTES;

  private static final String PARTIAL = ".part";

  /** Files that are written between two looks at how many there are. */
  private static final int LOOK_EVERY = 64;

  private final Path folder;
  private final String extension;
  private final long format;
  private final FolderLimits limits;
  private int written;

  /**
   * What a folder may hold.
   *
   * @param fileBytes a larger file is neither read nor written
   * @param files beyond so many the oldest go
   * @param bytes of all files, beyond which the oldest go
   */
  public record FolderLimits(int fileBytes, int files, long bytes) {}

  /**
   * @param folder made when something is first written
   * @param extension of the files, with its dot
   * @param format of the contents: four letters and a version, as one number
   */
  public CacheFolder(Path folder, String extension, long format, FolderLimits limits) {
    this.folder = folder;
    this.extension = extension;
    this.format = format;
    this.limits = limits;
  }

  /** The number of a format. */
  public static long format(String fourLetters, int version) {
    return (long) ByteBuffer.wrap(fourLetters.getBytes(StandardCharsets.US_ASCII)).getInt() << 32
        | version;
  }

  /** Where the content of a name is. */
  public Path file(String name) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return folder.resolve(HexFormat.of().formatHex(digest, 0, 16) + extension);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The content of a name; null if there is none. */
  public byte @Nullable [] read(String name) {
    Path file = file(name);
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > limits.fileBytes) {
        return null;
      }
      byte[] bytes = Files.readAllBytes(file);
      if (bytes.length < HEADER) {
        throw new IOException("it is cut short");
      }
      ByteBuffer header = ByteBuffer.wrap(bytes);
      if (header.getLong() != format) {
        throw new IOException("it is of another format");
      }
      if (header.getInt() != checksum(bytes)) {
        throw new IOException("its checksum is wrong");
      }
      return Arrays.copyOfRange(bytes, HEADER, bytes.length);
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} is passed over: {}", file, AragoniteException.reason(e));
      return null;
    }
  }

  private static int checksum(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes, HEADER, bytes.length - HEADER);
    return (int) crc.getValue();
  }

  /** Whether a content of so many bytes is small enough. */
  public boolean takes(int bytes) {
    return HEADER + bytes <= limits.fileBytes;
  }

  /**
   * Writes a content, in place of the one that is there.
   *
   * @return whether it is there now
   */
  public boolean write(String name, byte[] content) {
    if (!takes(content.length)) {
      return false;
    }
    Path partial = null;
    try {
      byte[] bytes = new byte[HEADER + content.length];
      System.arraycopy(content, 0, bytes, HEADER, content.length);
      ByteBuffer.wrap(bytes).putLong(format).putInt(checksum(bytes));
      Files.createDirectories(folder);
      partial = Files.createTempFile(folder, "cache", PARTIAL);
      Files.write(partial, bytes);
      Files.move(
          partial, file(name), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
      partial = null;
      if (isTimeToLook()) {
        prune(limits.files, limits.bytes);
      }
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} is not written: {}", file(name), AragoniteException.reason(e));
      return false;
    } finally {
      delete(partial);
    }
  }

  private synchronized boolean isTimeToLook() {
    return written++ % LOOK_EVERY == 0;
  }

  /** Deletes the content of a name, if there is one. */
  public void remove(String name) {
    delete(file(name));
  }

  private static void delete(@Nullable Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      LOG.debug("{} cannot be deleted: {}", file, AragoniteException.reason(e));
    }
  }

  /** Whether a file is of this folder's kind, or what a process that was killed has left of one. */
  private boolean isOwn(Path file) {
    String name = file.toString();
    return name.endsWith(extension) || name.endsWith(PARTIAL);
  }

  private record CachedFile(Path path, long bytes, FileTime written) {}

  /** Deletes the files that were written longest ago, until there are no more than so many. */
  public void prune(int files, long bytes) throws IOException {
    List<CachedFile> all = new ArrayList<>();
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path path : entries.filter(this::isOwn).toList()) {
        try {
          all.add(new CachedFile(path, Files.size(path), Files.getLastModifiedTime(path)));
        } catch (IOException e) {
          LOG.debug("{} is gone: {}", path, AragoniteException.reason(e)); // another process's
        }
      }
    }
    all.sort(Comparator.comparing(CachedFile::written).reversed());
    long sum = 0;
    for (int i = 0; i < all.size(); i++) {
      sum += all.get(i).bytes;
      if (i >= files || sum > bytes) {
        delete(all.get(i).path);
      }
    }
  }
}
