package io.aragonite.adapter.copy;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.UuidText;
import io.aragonite.exec.memory.Mem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.parquet.format.Encoding;
import org.jspecify.annotations.Nullable;

/** UUIDs, as 16 bytes in the order of their digits. They come as their canonical texts. */
final class UuidChunk implements ChunkEncoder {
  private static final int LENGTH = 36;

  /** Where the texts are. */
  private final long[] places;

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
    for (int i = 0; i < count; i++) {
      requireCanonical(scratch.longs[i], scratch.ints[i]);
    }
    return new UuidChunk(scratch.longs);
  }

  private UuidChunk(long[] places) {
    this.places = places;
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

  private static long high(long place) {
    return half(place, 0);
  }

  private static long low(long place) {
    return half(place, 19);
  }

  @Override
  public long bytes(int from, int to) {
    return (long) (to - from) * WideChunk.WIDTH;
  }

  @Override
  public Encoding encode(int from, int to, NativeBytes page) {
    long at = page.reserve(bytes(from, to));
    for (int i = from; i < to; i++, at += WideChunk.WIDTH) {
      Mem.putLong(at, Long.reverseBytes(high(places[i])));
      Mem.putLong(at + Long.BYTES, Long.reverseBytes(low(places[i])));
    }
    page.advance(bytes(from, to));
    return Encoding.PLAIN;
  }

  private static boolean less(long a, long b) {
    int order = Long.compareUnsigned(high(a), high(b));
    return order < 0 || order == 0 && Long.compareUnsigned(low(a), low(b)) < 0;
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
    return ByteBuffer.allocate(WideChunk.WIDTH).putLong(high(place)).putLong(low(place)).array();
  }

  @Override
  public Comparator<byte[]> order() {
    return Arrays::compareUnsigned;
  }

  @Override
  public int dictionarySize() {
    return 0;
  }

  @Override
  public void addDictionary(NativeBytes page) {}
}
