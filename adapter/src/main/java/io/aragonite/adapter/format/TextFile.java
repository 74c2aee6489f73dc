package io.aragonite.adapter.format;

import io.aragonite.adapter.remote.FileMapping;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.spill.file.ScratchFile;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A text file in memory: mapped, or, where its bytes are not those that are wanted, copied to the
 * folder of spill files first and mapped there. Its owner sees to it that one thread at a time
 * calls.
 */
public final class TextFile implements AutoCloseable {
  private static final int STEP = 1 << 16;

  private final Path path;
  private final Unpacking unpacking;

  /** The file as it is. */
  private @Nullable FileMapping file;

  /** What its text was copied to. */
  private @Nullable FileMapping copy;

  private @Nullable MemorySegment mapped;
  private @Nullable ScratchFile unpacked;
  private boolean closed;

  /** Opens what is to be read. */
  @FunctionalInterface
  public interface Opener {
    InputStream open() throws IOException;
  }

  /**
   * @param unpacking for a compressed file
   */
  public TextFile(Path path, Unpacking unpacking) {
    this.path = path;
    this.unpacking = unpacking;
  }

  /** Whether it is compressed, by its name. */
  public boolean isCompressed() {
    return String.valueOf(path.getFileName()).toLowerCase(Locale.ROOT).endsWith(".gz");
  }

  /** The text from its beginning, unpacked. */
  public InputStream bytes() throws IOException {
    FileScope.requireFile(path);
    InputStream in = RemotePath.is(path) ? file().stream() : Files.newInputStream(path);
    try {
      return isCompressed() ? new GZIPInputStream(in, STEP) : in;
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  /** Looks at the first bytes of a text in memory. */
  @FunctionalInterface
  public interface SampleReader<T extends @Nullable Object> {
    /**
     * @param end behind the last byte; some bytes behind it may be read
     * @param whole whether it is the whole text
     */
    T read(long start, long end, boolean whole);
  }

  /** What {@code reader} makes of the first bytes of a text. */
  public static <T extends @Nullable Object> T sample(
      Opener text, int bytes, SampleReader<T> reader) throws IOException {
    byte[] sample;
    try (InputStream in = text.open()) {
      sample = in.readNBytes(bytes + 1);
    }
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment segment = scratch.allocate(sample.length + 8L);
      MemorySegment.copy(sample, 0, segment, ValueLayout.JAVA_BYTE, 0, sample.length);
      long start = segment.address();
      return reader.read(start, start + Math.min(sample.length, bytes), sample.length <= bytes);
    }
  }

  /** The file as it is. */
  public MemorySegment mapped() throws IOException {
    if (mapped == null) {
      FileMapping whole = file();
      whole.require(0, whole.bytes().byteSize());
      mapped = whole.bytes();
    }
    return mapped;
  }

  private FileMapping file() throws IOException {
    if (file == null) {
      file = FileScope.open(path, unpacking.space());
    }
    return file;
  }

  /**
   * The text, mapped. Unless it is so already it is copied to disk; the copy's name is gone at
   * once.
   *
   * @throws AragoniteException FILE_BROKEN if this is closed, and what {@link Unpacking} throws
   */
  public MemorySegment text(Opener text) throws IOException {
    if (mapped == null) {
      if (closed) {
        throw new AragoniteException(ErrorCode.FILE_BROKEN, path + " was closed");
      }
      ScratchFile scratch = unpacking.copy(path, text.open());
      boolean done = false;
      try {
        copy = FileMapping.open(scratch.path(), null);
        mapped = copy.bytes();
        scratch.delete();
        unpacked = scratch;
        done = true;
      } finally {
        if (!done) {
          scratch.close();
        }
      }
    }
    return mapped;
  }

  @Override
  public void close() {
    closed = true;
    mapped = null;
    if (file != null) {
      file.close();
      file = null;
    }
    if (copy != null) {
      copy.close();
      copy = null;
    }
    if (unpacked != null) {
      unpacked.close();
      unpacked = null;
    }
  }
}
