package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.Mem;
import java.nio.ByteBuffer;
import org.apache.parquet.format.Encoding;
import org.jspecify.annotations.Nullable;

/** Values of 16 bytes, which are written with the highest one first. */
abstract class SixteenByteChunk implements ChunkEncoder {
  /** Bytes of a value. */
  static final int WIDTH = 16;

  /** The first 8 bytes of a value. */
  abstract long high(int row);

  /** The last 8 bytes of a value. */
  abstract long low(int row);

  /** The order of two values' first bytes. */
  abstract int compareHigh(long a, long b);

  @Override
  public final long bytes(int from, int to) {
    return (long) (to - from) * WIDTH;
  }

  @Override
  public final Encoding encode(int from, int to, NativeBytes page) {
    long at = page.reserve(bytes(from, to));
    for (int i = from; i < to; i++, at += WIDTH) {
      Mem.putLong(at, Long.reverseBytes(high(i)));
      Mem.putLong(at + Long.BYTES, Long.reverseBytes(low(i)));
    }
    page.advance(bytes(from, to));
    return Encoding.PLAIN;
  }

  private boolean less(int a, int b) {
    int order = compareHigh(high(a), high(b));
    return order < 0 || order == 0 && Long.compareUnsigned(low(a), low(b)) < 0;
  }

  @Override
  public final @Nullable EncodedBounds bounds(int from, int to) {
    if (from == to) {
      return null;
    }
    int least = from;
    int most = from;
    for (int i = from + 1; i < to; i++) {
      least = less(i, least) ? i : least;
      most = less(most, i) ? i : most;
    }
    return new EncodedBounds(value(least), value(most));
  }

  private byte[] value(int row) {
    return ByteBuffer.allocate(WIDTH).putLong(high(row)).putLong(low(row)).array();
  }

  @Override
  public final int dictionarySize() {
    return 0;
  }

  @Override
  public final void addDictionary(NativeBytes page) {}
}
