package io.aragonite.exec.spill.file;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file of buffers, written once each and read any number of times; there is no format, since what
 * is where is known only to the process that wrote it. Safe for several threads.
 *
 * <p>Bytes go through an array, since a channel is closed when a thread is interrupted that uses
 * it, and that thread may be another query's.
 */
public final class SpillFile implements AutoCloseable {
  /**
   * A buffer in the file.
   *
   * @param at where its pieces begin
   * @param bytes of the buffer
   * @param stored bytes of each piece in the file; a piece as large as it was is not compressed
   * @param checksums of each piece as it is in the file, CRC-32C
   */
  public record Extent(long at, long bytes, int[] stored, int[] checksums) {}

  private static final int STEP = 256 << 10;
  private static final ThreadLocal<byte[]> STEPS = ThreadLocal.withInitial(() -> new byte[STEP]);

  private final SpillSpace space;
  private final SpillFolder folder;
  private final Path path;
  private final RandomAccessFile file;
  private long end;

  /**
   * @throws io.aragonite.exec.error.AragoniteException DISK_FAILED
   */
  SpillFile(SpillSpace space, SpillFolder folder) {
    this.space = space;
    this.folder = folder;
    this.path = folder.newFile();
    try {
      this.file = new RandomAccessFile(path.toFile(), "rw");
    } catch (IOException e) {
      throw SpillFolder.failed(folder.parent(), SpillFolder.reason(e), e);
    }
  }

  /**
   * Writes a buffer of host memory.
   *
   * @throws io.aragonite.exec.error.AragoniteException DISK_FAILED if the disk, or what may be used
   *     of it, is full
   */
  public synchronized Extent write(Buffer buffer) {
    long bytes = buffer.size();
    int[] stored = new int[(int) ((bytes + SpillCodec.PIECE - 1) / SpillCodec.PIECE)];
    int[] checksums = new int[stored.length];
    long start = end;
    try {
      for (int i = 0; i < stored.length; i++) {
        long from = (long) i * SpillCodec.PIECE;
        int size = (int) Math.min(SpillCodec.PIECE, bytes - from);
        long address = buffer.address() + from;
        MemorySegment compressed = space.codec().compress(address, size);
        MemorySegment out = compressed == null ? Mem.segment(address, size) : compressed;
        stored[i] = (int) out.byteSize();
        space.reserve(stored[i], folder.parent());
        // Counted before it is there, so that what is written by halves is given back as well.
        end += stored[i];
        checksums[i] = write(out, end - stored[i]);
      }
    } catch (IOException e) {
      throw SpillFolder.failed(folder.parent(), SpillFolder.reason(e), e);
    }
    return new Extent(start, bytes, stored, checksums);
  }

  private int write(MemorySegment out, long at) throws IOException {
    CRC32C checksum = new CRC32C();
    long start = System.nanoTime();
    byte[] step = STEPS.get();
    file.seek(at);
    for (long from = 0; from < out.byteSize(); from += STEP) {
      int size = (int) Math.min(STEP, out.byteSize() - from);
      MemorySegment.copy(out, ValueLayout.JAVA_BYTE, from, step, 0, size);
      checksum.update(step, 0, size);
      file.write(step, 0, size);
    }
    space.codec().wrote(out.byteSize(), System.nanoTime() - start);
    return (int) checksum.getValue();
  }

  /**
   * Reads a buffer back.
   *
   * @throws io.aragonite.exec.error.AragoniteException DISK_FAILED if it cannot be read, or holds
   *     other bytes than were written
   */
  public synchronized void read(Extent extent, long address) {
    long at = extent.at();
    try {
      for (int i = 0; i < extent.stored().length; i++) {
        long from = (long) i * SpillCodec.PIECE;
        int size = (int) Math.min(SpillCodec.PIECE, extent.bytes() - from);
        int stored = extent.stored()[i];
        boolean compressed = stored < size;
        MemorySegment in = compressed ? SpillCodec.room(stored) : Mem.segment(address + from, size);
        if (read(in, at) != extent.checksums()[i]) {
          throw new IOException("a file in it holds other bytes than were written");
        }
        if (compressed) {
          SpillCodec.decompress(in, address + from, size);
        }
        at += stored;
      }
    } catch (IOException e) {
      throw SpillFolder.failed(folder.parent(), SpillFolder.reason(e), e);
    }
  }

  private int read(MemorySegment in, long at) throws IOException {
    CRC32C checksum = new CRC32C();
    byte[] step = STEPS.get();
    file.seek(at);
    for (long from = 0; from < in.byteSize(); from += STEP) {
      int size = (int) Math.min(STEP, in.byteSize() - from);
      file.readFully(step, 0, size);
      checksum.update(step, 0, size);
      MemorySegment.copy(step, 0, in, ValueLayout.JAVA_BYTE, from, size);
    }
    return (int) checksum.getValue();
  }

  /** Removes the file. */
  @Override
  public synchronized void close() {
    @Nullable IOException error = null;
    try {
      file.close();
    } catch (IOException e) {
      error = e;
    }
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      error = e;
    }
    space.release(end);
    end = 0;
    if (error != null) {
      throw SpillFolder.failed(folder.parent(), SpillFolder.reason(error), error);
    }
  }
}
