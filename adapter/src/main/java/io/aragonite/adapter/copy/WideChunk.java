package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.Mem;
import java.math.BigInteger;
import java.util.Comparator;
import java.util.List;
import org.apache.parquet.format.Encoding;
import org.jspecify.annotations.Nullable;

/** Decimals of more than 18 digits, as 16 bytes with the highest one first. */
final class WideChunk implements ChunkEncoder {
  /** Bytes of a value. */
  static final int WIDTH = 16;

  /** Where the values are. */
  private final long[] places;

  /**
   * @param places where the values are, their lower halves first
   */
  WideChunk(long[] places) {
    this.places = places;
  }

  /** The values of a column of vectors. */
  static WideChunk of(
      int column, List<RowSlice> slices, RowValidity validity, EncodeScratch scratch) {
    long[] places = scratch.longs;
    int rows = 0;
    int kept = 0;
    for (RowSlice slice : slices) {
      long data = slice.root().getVector(column).getDataBuffer().memoryAddress();
      for (int row = slice.from(); row < slice.to(); row++, rows++) {
        places[kept] = data + (long) row * WIDTH;
        kept += validity.has(rows) ? 1 : 0;
      }
    }
    return new WideChunk(places);
  }

  private static long low(long place) {
    return Mem.getLong(place);
  }

  private static long high(long place) {
    return Mem.getLong(place + Long.BYTES);
  }

  @Override
  public long bytes(int from, int to) {
    return (long) (to - from) * WIDTH;
  }

  @Override
  public Encoding encode(int from, int to, NativeBytes page) {
    long at = page.reserve(bytes(from, to));
    for (int i = from; i < to; i++, at += WIDTH) {
      Mem.putLong(at, Long.reverseBytes(high(places[i])));
      Mem.putLong(at + Long.BYTES, Long.reverseBytes(low(places[i])));
    }
    page.advance(bytes(from, to));
    return Encoding.PLAIN;
  }

  private static boolean less(long a, long b) {
    long aHigh = high(a);
    long bHigh = high(b);
    return aHigh == bHigh ? Long.compareUnsigned(low(a), low(b)) < 0 : aHigh < bHigh;
  }

  @Override
  public @Nullable EncodedBounds bounds(int from, int to) {
    if (from == to) {
      return null;
    }
    long least = places[from];
    long most = least;
    for (int i = from + 1; i < to; i++) {
      least = less(places[i], least) ? places[i] : least;
      most = less(most, places[i]) ? places[i] : most;
    }
    return new EncodedBounds(bytes(least), bytes(most));
  }

  private static byte[] bytes(long place) {
    byte[] bytes = new byte[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
      bytes[i] = Mem.getByte(place + WIDTH - 1 - i);
    }
    return bytes;
  }

  @Override
  public Comparator<byte[]> order() {
    return Comparator.comparing(BigInteger::new);
  }

  @Override
  public int dictionarySize() {
    return 0;
  }

  @Override
  public void addDictionary(NativeBytes page) {}
}
