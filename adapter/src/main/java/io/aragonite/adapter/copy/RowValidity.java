package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.Mem;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.jspecify.annotations.Nullable;

/** Which rows of a row group have a value in a column that is not nested. */
final class RowValidity implements EntryLevels {
  private final int rows;

  /** By rows, the lowest bit first; null if all rows have a value. */
  private final byte @Nullable [] bits;

  private RowValidity(int rows, byte @Nullable [] bits) {
    this.rows = rows;
    this.bits = bits;
  }

  static RowValidity of(int column, List<RowSlice> slices) {
    int rows = RowSlice.rows(slices);
    if (slices.stream().allMatch(slice -> slice.root().getVector(column).getNullCount() == 0)) {
      return new RowValidity(rows, null);
    }
    byte[] bits = new byte[rows / 8 + 2];
    int at = 0;
    for (RowSlice slice : slices) {
      FieldVector vector = slice.root().getVector(column);
      if (vector instanceof NullVector) {
        at += slice.rows();
        continue;
      }
      long from = vector.getValidityBuffer().memoryAddress();
      boolean all = vector.getNullCount() == 0;
      for (int row = slice.from(); row < slice.to(); row++, at++) {
        if (all || Mem.getBit(from, row)) {
          bits[at >> 3] |= (byte) (1 << (at & 7));
        }
      }
    }
    return new RowValidity(rows, bits);
  }

  @Override
  public int rows() {
    return rows;
  }

  boolean all() {
    return bits == null;
  }

  boolean has(int row) {
    return bits == null || (bits[row >> 3] >> (row & 7) & 1) != 0;
  }

  @Override
  public int entries(int from, int to) {
    return to - from;
  }

  @Override
  public int values(int from, int to) {
    if (bits == null) {
      return to - from;
    }
    int values = 0;
    for (int row = from; row < to; row++) {
      values += bits[row >> 3] >> (row & 7) & 1;
    }
    return values;
  }

  @Override
  public void addLevels(int from, int to, int values, NativeBytes page) {
    long start = page.size();
    page.putInt(0);
    int count = to - from;
    byte[] all = bits;
    if (all == null || values == count || values == 0) {
      page.putVarint((long) count << 1);
      page.putByte(values == 0 ? 0 : 1);
    } else {
      int groups = (count + 7) / 8;
      page.putVarint((long) groups << 1 | 1);
      int shift = from & 7;
      for (int i = 0; i < groups; i++) {
        int at = (from >> 3) + i;
        int two = all[at] & 0xFF | (at + 1 < all.length ? (all[at + 1] & 0xFF) << 8 : 0);
        int left = Math.min(8, count - 8 * i);
        page.putByte(two >> shift & (1 << left) - 1);
      }
    }
    Mem.putInt(page.address() + start, (int) (page.size() - start - Integer.BYTES));
  }
}
