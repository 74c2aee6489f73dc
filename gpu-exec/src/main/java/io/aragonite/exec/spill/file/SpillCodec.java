package io.aragonite.exec.spill.file;

import io.airlift.compress.v3.lz4.Lz4JavaCompressor;
import io.airlift.compress.v3.lz4.Lz4JavaDecompressor;
import io.aragonite.exec.memory.Mem;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Compresses pieces of columns (LZ4) where that is faster than writing them as they are, by the
 * rates that were met so far. Safe for several threads.
 */
final class SpillCodec {
  /** Bytes of a piece at most. */
  static final int PIECE = 1 << 20;

  /** Smaller pieces are not worth it. */
  private static final int SMALLEST = 1 << 12;

  /** So many pieces are tried first, and one of so many later on. */
  private static final int TRIED = 4;

  private static final int TRY_AGAIN = 128;

  /** What the last piece counts for in a rate. */
  private static final double WEIGHT = 0.1;

  private static final class Workspace {
    final Lz4JavaCompressor compressor = new Lz4JavaCompressor();
    final Lz4JavaDecompressor decompressor = new Lz4JavaDecompressor();
    final MemorySegment room = Arena.ofAuto().allocate(compressor.maxCompressedLength(PIECE), 64);
  }

  private static final ThreadLocal<Workspace> WORKSPACE = ThreadLocal.withInitial(Workspace::new);

  // Nanoseconds a byte; races between threads lose a measurement at most.
  private volatile double writing;
  private volatile double compressing;
  private volatile double ratio = 1;
  private volatile int pieces;

  /**
   * A piece as it is to be written: memory of this thread, valid until the next call; null if it is
   * written as it is.
   */
  @Nullable MemorySegment compress(long address, int bytes) {
    int number = pieces++;
    boolean trying = number < TRIED || number % TRY_AGAIN == 0;
    if (bytes < SMALLEST || !(trying || compressing + ratio * writing < writing)) {
      return null;
    }
    Workspace workspace = WORKSPACE.get();
    long start = System.nanoTime();
    int size = workspace.compressor.compress(Mem.segment(address, bytes), workspace.room);
    double nanos = (double) (System.nanoTime() - start) / bytes;
    compressing = compressing == 0 ? nanos : compressing + WEIGHT * (nanos - compressing);
    ratio += WEIGHT * ((double) size / bytes - ratio);
    return size < bytes - bytes / 8 ? workspace.room.asSlice(0, size) : null;
  }

  /** Notes how long a write took. */
  void wrote(long bytes, long nanos) {
    if (bytes > 0) {
      double rate = (double) nanos / bytes;
      writing = writing == 0 ? rate : writing + WEIGHT * (rate - writing);
    }
  }

  /** Room of this thread for a compressed piece. */
  static MemorySegment room(int bytes) {
    return WORKSPACE.get().room.asSlice(0, bytes);
  }

  static void decompress(MemorySegment from, long address, int bytes) {
    int made = WORKSPACE.get().decompressor.decompress(from, Mem.segment(address, bytes));
    if (made != bytes) {
      throw new IllegalStateException("a piece of " + bytes + " bytes came back with " + made);
    }
  }
}
