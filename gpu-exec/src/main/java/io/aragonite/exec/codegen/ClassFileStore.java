package io.aragonite.exec.codegen;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.profile.CacheFolder;
import io.aragonite.exec.profile.CacheFolder.FolderLimits;
import io.aragonite.exec.profile.ProductBuild;
import io.aragonite.exec.profile.UserCache;
import io.aragonite.exec.settings.EngineSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Class files by the text that they are compiled from, kept for later processes: the compiler's own
 * code runs in the JVM's interpreter there, where it takes some milliseconds for a text.
 *
 * <p>All of a build are in one file, which is read once: some hundred small ones take longer. Each
 * class is added by one write to its end, so that several processes may do that at a time. What is
 * cut short or damaged is as if it were not there, and so is what follows it; the file then begins
 * anew with the next class. Nothing of this is ever an error.
 */
final class ClassFileStore {
  private static final Logger LOG = LoggerFactory.getLogger(ClassFileStore.class);

  /** The version is to be raised when the layout changes. */
  private static final long FORMAT = CacheFolder.format("AGCL", 1);

  /** A larger file begins anew. */
  static final int MAX_BYTES = 16 << 20;

  private static final FolderLimits LIMITS = new FolderLimits(MAX_BYTES, 8, 4L * MAX_BYTES);

  private static final String EXTENSION = ".classes";

  /** Of a record: the text's hash, its bytes, the class file's, and a checksum of both. */
  private static final int RECORD = 4 * Integer.BYTES;

  private final Path folder;
  private final Path file;

  /** The format, and the build whose classes these are. */
  private final byte[] header;

  private final byte[] content;
  private final Map<Integer, Integer> records = new HashMap<>();
  private boolean whole;

  /**
   * @param folder made when something is first kept
   * @param build what compiles texts, as {@link ProductBuild}
   */
  ClassFileStore(Path folder, String build) {
    byte[] name = build.getBytes(StandardCharsets.UTF_8);
    this.folder = folder;
    this.file = folder.resolve(Integer.toHexString(build.hashCode()) + EXTENSION);
    this.header =
        ByteBuffer.allocate(Long.BYTES + Integer.BYTES + name.length)
            .putLong(FORMAT)
            .putInt(name.length)
            .put(name)
            .array();
    this.content = read();
    this.whole = index();
  }

  /** The one in the user's cache; null if generated code is not kept. */
  static @Nullable ClassFileStore ofUser() {
    String build = EngineSettings.current().keepKernels() ? ProductBuild.name() : null;
    return build == null ? null : new ClassFileStore(UserCache.folder().resolve("code"), build);
  }

  /** Where classes are. */
  Path file() {
    return file;
  }

  private byte[] read() {
    try {
      return Files.size(file) > MAX_BYTES ? new byte[0] : Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return new byte[0];
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} is passed over: {}", file, AragoniteException.reason(e));
      return new byte[0];
    }
  }

  /** Notes where records are; false if something is not one. */
  private boolean index() {
    int length = header.length;
    if (content.length < length || !Arrays.equals(content, 0, length, header, 0, length)) {
      return false;
    }
    ByteBuffer in = ByteBuffer.wrap(content);
    int at = length;
    while (content.length - at >= RECORD) {
      int text = in.getInt(at + Integer.BYTES);
      int code = in.getInt(at + 2 * Integer.BYTES);
      if (text < 0 || code < 0 || (long) text + code > content.length - at - RECORD) {
        return false;
      }
      records.put(in.getInt(at), at);
      at += RECORD + text + code;
    }
    return at == content.length;
  }

  /** The class file of a text; null if it is not kept. */
  byte @Nullable [] find(String text) {
    Integer at = records.get(text.hashCode());
    if (at == null) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(content);
    int from = at + RECORD;
    int middle = from + in.getInt(at + Integer.BYTES);
    int end = middle + in.getInt(at + 2 * Integer.BYTES);
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (!Arrays.equals(bytes, 0, bytes.length, content, from, middle)) {
      return null;
    }
    if (checksum(content, from, end - from) != in.getInt(at + 3 * Integer.BYTES)) {
      LOG.debug("{} is passed over: a checksum is wrong", file);
      begin();
      return null;
    }
    return Arrays.copyOfRange(content, middle, end);
  }

  private static int checksum(byte[] bytes, int from, int length) {
    CRC32 crc = new CRC32();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }

  private synchronized void begin() {
    whole = false;
  }

  /** Keeps the class file of a text. */
  synchronized void keep(String text, byte[] code) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer added = ByteBuffer.allocate(header.length + RECORD + bytes.length + code.length);
    added.position(header.length);
    added.putInt(text.hashCode()).putInt(bytes.length).putInt(code.length).putInt(0);
    added.put(bytes).put(code).flip();
    int from = header.length + RECORD;
    added.putInt(from - Integer.BYTES, checksum(added.array(), from, added.limit() - from));
    try {
      Files.createDirectories(folder);
      if (whole) {
        added.position(header.length);
      } else {
        Files.deleteIfExists(file);
        new CacheFolder(folder, EXTENSION, FORMAT, LIMITS).prune(LIMITS.files(), LIMITS.bytes());
        added.put(0, header);
      }
      try (FileChannel out =
          FileChannel.open(
              file,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.APPEND)) {
        out.write(added);
      }
      whole = true;
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} is not written: {}", file, AragoniteException.reason(e));
    }
  }
}
