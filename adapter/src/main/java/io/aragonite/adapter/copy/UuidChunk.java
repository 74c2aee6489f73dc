package io.aragonite.adapter.copy;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.UuidText;
import io.aragonite.exec.memory.Mem;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/** UUIDs, as 16 bytes in the order of their digits. They come as their canonical texts. */
final class UuidChunk extends SixteenByteChunk {
  private static final int LENGTH = 36;

  /** Where the last 16 digits of a text begin. */
  private static final int SECOND_HALF = 19;

  private final long[] high;
  private final long[] low;

  /**
   * The values of a column of vectors.
   *
   * @param words the dictionary of the query that the rows have codes of; null: they have values
   */
  static UuidChunk of(
      int column,
      List<RowSlice> slices,
      RowValidity validity,
      @Nullable FieldVector words,
      EncodeScratch scratch) {
    int count = TextChunk.find(column, slices, validity, words, scratch);
    long[] high = new long[count];
    long[] low = scratch.longs; // where the texts were
    for (int i = 0; i < count; i++) {
      long place = scratch.longs[i];
      requireCanonical(place, scratch.ints[i]);
      high[i] = half(place, 0);
      low[i] = half(place, SECOND_HALF);
    }
    return new UuidChunk(high, low);
  }

  private UuidChunk(long[] high, long[] low) {
    this.high = high;
    this.low = low;
  }

  /** A file of Arrow may say of any texts that they are UUIDs. */
  private static void requireCanonical(long place, int length) {
    boolean canonical = length == LENGTH;
    for (int i = 0; canonical && i < LENGTH; i++) {
      byte at = Mem.getByte(place + i);
      canonical = isHyphen(i) ? at == '-' : at >= '0' && at <= '9' || at >= 'a' && at <= 'f';
    }
    if (!canonical) {
      byte[] text = new byte[Math.min(length, 2 * LENGTH)];
      Mem.copy(place, text, 0, text.length);
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          UuidText.refusal(new String(text, StandardCharsets.UTF_8))
              + "; cast the column to VARCHAR.");
    }
  }

  private static boolean isHyphen(int at) {
    return at == 8 || at == 13 || at == 18 || at == 23;
  }

  /** 16 digits, which begin at some place of a text. */
  private static long half(long place, int from) {
    long half = 0;
    int digits = 0;
    for (int i = from; digits < 2 * Long.BYTES; i++) {
      if (!isHyphen(i)) {
        int digit = Mem.getByte(place + i);
        half = half << 4 | (digit <= '9' ? digit - '0' : digit - 'a' + 10);
        digits++;
      }
    }
    return half;
  }

  @Override
  long high(int row) {
    return high[row];
  }

  @Override
  long low(int row) {
    return low[row];
  }

  @Override
  int compareHigh(long a, long b) {
    return Long.compareUnsigned(a, b);
  }

  @Override
  public Comparator<byte[]> order() {
    return Arrays::compareUnsigned;
  }
}
