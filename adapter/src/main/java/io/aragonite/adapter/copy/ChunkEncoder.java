package io.aragonite.adapter.copy;

import java.util.Comparator;
import org.apache.parquet.format.Encoding;
import org.jspecify.annotations.Nullable;

/** Values of a column in a row group, without the nulls, which become pages. */
interface ChunkEncoder {
  /** Bytes of the largest dictionary: readers keep all of it. */
  int MOST_DICTIONARY_BYTES = 1 << 20;

  /** Values after which a dictionary is given up that does not make them smaller. */
  int DICTIONARY_SAMPLE = 1 << 14;

  /** Whether values in a dictionary take fewer bytes than one behind the other. */
  static boolean dictionaryPays(int distinct, long dictionaryBytes, int values, long plainBytes) {
    long indices = (long) values * BitPacker.width(distinct) / Byte.SIZE;
    return dictionaryBytes <= MOST_DICTIONARY_BYTES && dictionaryBytes + indices < plainBytes;
  }

  /**
   * The least and the largest of some values, as statistics have them.
   *
   * @param min in PLAIN encoding, without a length
   */
  @SuppressWarnings("ArrayRecordComponent") // bounds are not compared as a whole
  record EncodedBounds(byte[] min, byte[] max) {
    /** EncodedBounds of these values and of others. */
    EncodedBounds with(EncodedBounds other, Comparator<byte[]> order) {
      return new EncodedBounds(
          order.compare(min, other.min) <= 0 ? min : other.min,
          order.compare(max, other.max) >= 0 ? max : other.max);
    }
  }

  /** Bytes that values take in a page, about. */
  long bytes(int from, int to);

  /** Adds values to a page, and says how they are encoded. */
  Encoding encode(int from, int to, NativeBytes page);

  /** Null if there are none: of NaN, and of values that are too long. */
  @Nullable EncodedBounds bounds(int from, int to);

  /** The order of bounds. */
  Comparator<byte[]> order();

  /** Values in the dictionary; 0: there is none. */
  int dictionarySize();

  /** Adds the dictionary's values to its page. */
  void addDictionary(NativeBytes page);
}
