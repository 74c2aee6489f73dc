package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.Mem;
import java.math.BigInteger;
import java.util.Comparator;
import java.util.List;

/** Decimals of more than 18 digits, as 16 bytes with the highest one first. */
final class WideChunk extends SixteenByteChunk {
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

  @Override
  long high(int row) {
    return Mem.getLong(places[row] + Long.BYTES);
  }

  @Override
  long low(int row) {
    return Mem.getLong(places[row]);
  }

  @Override
  int compareHigh(long a, long b) {
    return Long.compare(a, b);
  }

  @Override
  public Comparator<byte[]> order() {
    return Comparator.comparing(BigInteger::new);
  }
}
