package io.aragonite.adapter.copy;

import io.aragonite.exec.codegen.Texts;
import io.aragonite.exec.memory.Mem;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.parquet.format.Encoding;
import org.jspecify.annotations.Nullable;

/**
 * Texts and byte strings, in a dictionary where that takes fewer bytes. They come as bytes, or as
 * codes of a dictionary of the query, which need not be looked up.
 */
final class TextChunk implements ChunkEncoder {
  /** Longer bounds are left out: footers are read as a whole. */
  private static final int LONGEST_BOUND = 512;

  private final EncodeScratch scratch;

  /** Of each value, or of the dictionary's values: where its bytes are, and how many. */
  private final long[] places;

  private final int[] lengths;
  private final int dictionarySize;

  /** Of the dictionary's values, what {@link #start} says. */
  private final long[] starts;

  /**
   * The values of a column of vectors.
   *
   * @param words the dictionary of the query that the rows have codes of; null: they have values
   */
  static TextChunk of(
      int column,
      List<RowSlice> slices,
      RowValidity validity,
      @Nullable FieldVector words,
      EncodeScratch scratch) {
    if (words == null) {
      int count = gather(column, slices, validity, scratch);
      return new TextChunk(scratch.longs, scratch.ints, count, scratch);
    }
    int count = gatherCodes(column, slices, validity, scratch);
    BaseVariableWidthVector texts = (BaseVariableWidthVector) words;
    TextDictionary found = TextDictionary.ofCodes(scratch.ints, count, texts, scratch);
    if (found == null) {
      decode(texts, count, scratch);
    }
    return new TextChunk(scratch.longs, scratch.ints, found, scratch);
  }

  /**
   * @param places where the values are, the first {@code count} ones
   */
  TextChunk(long[] places, int[] lengths, int count, EncodeScratch scratch) {
    this(places, lengths, TextDictionary.ofTexts(places, lengths, count, scratch.codes), scratch);
  }

  private TextChunk(
      long[] places, int[] lengths, @Nullable TextDictionary found, EncodeScratch scratch) {
    this.scratch = scratch;
    this.places = found == null ? places : found.places();
    this.lengths = found == null ? lengths : found.lengths();
    this.dictionarySize = found == null ? 0 : found.size();
    this.starts = new long[dictionarySize];
    for (int i = 0; i < dictionarySize; i++) {
      starts[i] = start(i);
    }
  }

  /**
   * Finds values: where their bytes are, {@link EncodeScratch#longs}, and how many.
   *
   * @param words the dictionary of the query that the rows have codes of; null: they have values
   * @return how many values there are
   */
  static int find(
      int column,
      List<RowSlice> slices,
      RowValidity validity,
      @Nullable FieldVector words,
      EncodeScratch scratch) {
    if (words == null) {
      return gather(column, slices, validity, scratch);
    }
    int count = gatherCodes(column, slices, validity, scratch);
    decode((BaseVariableWidthVector) words, count, scratch);
    return count;
  }

  private static int gather(
      int column, List<RowSlice> slices, RowValidity validity, EncodeScratch scratch) {
    int rows = 0;
    int kept = 0;
    for (RowSlice slice : slices) {
      FieldVector vector = slice.root().getVector(column);
      long offsets = vector.getOffsetBuffer().memoryAddress();
      long data = vector.getDataBuffer().memoryAddress();
      for (int row = slice.from(); row < slice.to(); row++, rows++) {
        if (validity.has(rows)) {
          int from = Mem.getInt(offsets + 4L * row);
          scratch.longs[kept] = data + from;
          scratch.ints[kept++] = Mem.getInt(offsets + 4L * row + 4) - from;
        }
      }
    }
    return kept;
  }

  private static int gatherCodes(
      int column, List<RowSlice> slices, RowValidity validity, EncodeScratch scratch) {
    int rows = 0;
    int kept = 0;
    for (RowSlice slice : slices) {
      long codes = ((IntVector) slice.root().getVector(column)).getDataBuffer().memoryAddress();
      for (int row = slice.from(); row < slice.to(); row++, rows++) {
        scratch.ints[kept] = Mem.getInt(codes + 4L * row);
        kept += validity.has(rows) ? 1 : 0;
      }
    }
    return kept;
  }

  private static void decode(BaseVariableWidthVector words, int count, EncodeScratch scratch) {
    long offsets = words.getOffsetBuffer().memoryAddress();
    long data = words.getDataBuffer().memoryAddress();
    for (int i = 0; i < count; i++) {
      long offset = offsets + 4L * scratch.ints[i];
      int from = Mem.getInt(offset);
      scratch.longs[i] = data + from;
      scratch.ints[i] = Mem.getInt(offset + 4) - from;
    }
  }

  @Override
  public long bytes(int from, int to) {
    if (dictionarySize > 0) {
      return 4L * (to - from);
    }
    long bytes = 4L * (to - from);
    for (int i = from; i < to; i++) {
      bytes += lengths[i];
    }
    return bytes;
  }

  @Override
  public Encoding encode(int from, int to, NativeBytes page) {
    if (dictionarySize > 0) {
      int bits = BitPacker.width(dictionarySize);
      page.putByte(bits);
      BitPacker.runs(scratch.codes, from, to, bits, page);
      return Encoding.RLE_DICTIONARY;
    }
    plain(from, to, bytes(from, to), page);
    return Encoding.PLAIN;
  }

  private void plain(int from, int to, long bytes, NativeBytes page) {
    long at = page.reserve(bytes);
    for (int i = from; i < to; i++) {
      int length = lengths[i];
      Mem.putInt(at, length);
      ShortCopy.copy(places[i], at + Integer.BYTES, length);
      at += Integer.BYTES + length;
    }
    page.advance(bytes);
  }

  @Override
  public int dictionarySize() {
    return dictionarySize;
  }

  @Override
  public void addDictionary(NativeBytes page) {
    long bytes = 4L * dictionarySize;
    for (int i = 0; i < dictionarySize; i++) {
      bytes += lengths[i];
    }
    plain(0, dictionarySize, bytes, page);
  }

  @Override
  public @Nullable EncodedBounds bounds(int from, int to) {
    if (from == to) {
      return null;
    }
    int least = word(from);
    int most = least;
    long leastStart = start(least);
    long mostStart = leastStart;
    for (int i = from + 1; i < to; i++) {
      int word = word(i);
      long start = dictionarySize > 0 ? starts[word] : start(word);
      if (start <= leastStart && (start < leastStart || less(word, least))) {
        least = word;
        leastStart = start;
      }
      if (start >= mostStart && (start > mostStart || less(most, word))) {
        most = word;
        mostStart = start;
      }
    }
    return lengths[least] > LONGEST_BOUND || lengths[most] > LONGEST_BOUND
        ? null
        : new EncodedBounds(bytes(least), bytes(most));
  }

  private int word(int value) {
    return dictionarySize > 0 ? scratch.codes[value] : value;
  }

  /** The first bytes, in the order of which texts are as far as these differ. */
  private long start(int word) {
    long place = places[word];
    int length = lengths[word];
    long start = 0;
    if (length >= Long.BYTES) {
      start = Long.reverseBytes(Mem.getLong(place));
    } else {
      for (int i = 0; i < length; i++) {
        start |= (Mem.getByte(place + i) & 0xFFL) << (56 - 8 * i);
      }
    }
    return start ^ Long.MIN_VALUE;
  }

  /** Whether one of two texts that start alike comes first. */
  private boolean less(int a, int b) {
    return a != b && Texts.compare(places[a], lengths[a], places[b], lengths[b]) < 0;
  }

  private byte[] bytes(int word) {
    byte[] bytes = new byte[lengths[word]];
    Mem.copy(places[word], bytes, 0, bytes.length);
    return bytes;
  }

  @Override
  public Comparator<byte[]> order() {
    return Arrays::compareUnsigned;
  }
}
