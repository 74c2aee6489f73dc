package io.aragonite.adapter.copy;

import io.aragonite.adapter.format.dictionary.DistinctBytes;
import io.aragonite.exec.memory.Mem;
import java.util.Arrays;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.jspecify.annotations.Nullable;

/**
 * The distinct texts of a column in a row group, in the order in which they come.
 *
 * @param places where the bytes of a text are
 * @param lengths how many it has
 */
record TextDictionary(long[] places, int[] lengths, int size) {
  /**
   * The dictionary of texts, whose numbers in it become {@code codes}; null if it would not make
   * them smaller.
   */
  static @Nullable TextDictionary ofTexts(long[] places, int[] lengths, int count, int[] codes) {
    int most = Math.min(ChunkEncoder.MOST_DICTIONARY_BYTES / Integer.BYTES, count / 2 + 1);
    DistinctBytes distinct = new DistinctBytes(most);
    long plain = 0;
    long bytes = 0;
    int known = 0;
    for (int i = 0; i < count; i++) {
      int code = distinct.add(places[i], lengths[i]);
      if (code < 0) {
        return null;
      }
      codes[i] = code;
      plain += Integer.BYTES + lengths[i];
      if (code == known) {
        known++;
        bytes += Integer.BYTES + lengths[i];
      }
      if (i + 1 == ChunkEncoder.DICTIONARY_SAMPLE
          && !ChunkEncoder.dictionaryPays(known, bytes, i + 1, plain)) {
        return null;
      }
    }
    if (!ChunkEncoder.dictionaryPays(known, bytes, count, plain)) {
      return null;
    }
    long[] found = new long[known];
    int[] foundLengths = new int[known];
    for (int i = 0; i < known; i++) {
      found[i] = distinct.address(i);
      foundLengths[i] = distinct.length(i);
    }
    return new TextDictionary(found, foundLengths, known);
  }

  /**
   * The same of codes of a dictionary that the query has.
   *
   * @param words the texts by their codes
   */
  static @Nullable TextDictionary ofCodes(
      int[] wordOf, int count, BaseVariableWidthVector words, EncodeScratch scratch) {
    long offsets = words.getOffsetBuffer().memoryAddress();
    long data = words.getDataBuffer().memoryAddress();
    int[] slots = scratch.slots(words.getValueCount());
    int[] codes = scratch.codes;
    long[] places = new long[64];
    int[] lengths = new int[64];
    long plain = 0;
    long bytes = 0;
    int known = 0;
    for (int i = 0; i < count; i++) {
      int code = slots[wordOf[i]];
      if (code == 0) {
        if (known == lengths.length) {
          places = Arrays.copyOf(places, 2 * known);
          lengths = Arrays.copyOf(lengths, 2 * known);
        }
        int from = Mem.getInt(offsets + 4L * wordOf[i]);
        places[known] = data + from;
        lengths[known] = Mem.getInt(offsets + 4L * wordOf[i] + 4) - from;
        bytes += Integer.BYTES + lengths[known];
        code = ++known;
        slots[wordOf[i]] = code;
      }
      codes[i] = code - 1;
      plain += Integer.BYTES + lengths[code - 1];
      if (i + 1 == ChunkEncoder.DICTIONARY_SAMPLE
          && !ChunkEncoder.dictionaryPays(known, bytes, i + 1, plain)) {
        return null;
      }
    }
    return ChunkEncoder.dictionaryPays(known, bytes, count, plain)
        ? new TextDictionary(places, lengths, known)
        : null;
  }
}
