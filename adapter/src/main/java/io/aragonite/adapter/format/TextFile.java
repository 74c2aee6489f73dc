package io.aragonite.adapter.format;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.spill.file.ScratchFile;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
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
  private final Arena arena = Arena.ofShared();
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
    InputStream in = Files.newInputStream(path);
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
      mapped = map(path);
    }
    return mapped;
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
      ScratchFile file = unpacking.copy(path, text.open());
      boolean done = false;
      try {
        mapped = map(file.path());
        file.delete();
        unpacked = file;
        done = true;
      } finally {
        if (!done) {
          file.close();
        }
      }
    }
    return mapped;
  }

  private MemorySegment map(Path file) throws IOException {
    FileScope.requireFile(file);
    try (FileChannel channel = FileChannel.open(file)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
    }
  }

  @Override
  public void close() {
    closed = true;
    if (arena.scope().isAlive()) {
      arena.close();
    }
    if (unpacked != null) {
      unpacked.close();
      unpacked = null;
    }
  }
}
