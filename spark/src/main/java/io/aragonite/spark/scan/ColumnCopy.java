package io.aragonite.spark.scan;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.dictionary.DictionaryCodes;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Copies rows of a decoded column to where a batch has them. */
final class ColumnCopy {
  private static final int WORD_ROWS = 64;

  private final Decoded decoded;
  private final ColumnShape shape;
  private final Column column;
  private final @Nullable Buffer validity;

  /** By number in the part's dictionary, where the shape has codes; empty: the part has no text. */
  private final int[] codes;

  /** The rows whose bytes were asked for last, and these. */
  private int knownFrom;

  private int knownCount;
  private long knownBytes;

  /**
   * @param shape of the copies
   * @param codes by number in the part's dictionary, if the shape has codes
   * @throws AragoniteException INTERNAL if there are nulls, which the type does not have
   */
  ColumnCopy(Decoded decoded, ColumnShape shape, int @Nullable [] codes) {
    this.decoded = decoded;
    this.shape = shape;
    this.column = decoded.column();
    this.validity = column.validity();
    this.codes = codes == null ? new int[0] : codes;
    if (validity != null && !shape.mayBeNull()) {
      throw new AragoniteException(
          ErrorCode.INTERNAL, "A file has a null in a column that Spark says has none.");
    }
  }

  /** Bytes of the texts of some rows; 0 of a column without, or with codes. */
  long textBytes(int from, int count) {
    PartDictionary words = decoded.dictionary();
    if (!isText()) {
      return 0;
    }
    if (words == null) {
      return start(from + count) - start(from);
    }
    if (from != knownFrom || count != knownCount) {
      DictionaryCodes numbers = DictionaryCodes.of(column);
      long bytes = 0;
      for (int row = from; row < from + count; row++) {
        bytes += isNull(row) ? 0 : words.length(numbers.get(row));
      }
      knownFrom = from;
      knownCount = count;
      knownBytes = bytes;
    }
    return knownBytes;
  }

  /** Bytes of some rows. */
  long bytes(int from, int count) {
    return (isText() ? Integer.BYTES : (long) shape.storage().width()) * count + textBytes(from, count);
  }

  private boolean isText() {
    return shape.storage() == Storage.BYTES;
  }

  private long start(int row) {
    return Mem.getInt(column.offsets().address() + 4L * row);
  }

  private boolean isNull(int row) {
    return validity != null && !Mem.getBit(validity.address(), row);
  }

  boolean hasNulls() {
    return validity != null;
  }

  /**
   * Copies the bits of nulls of some rows to those of a batch, which are all set from there on.
   *
   * @param from a multiple of 64
   * @param to the batch's bits
   * @param row of the batch
   */
  void copyValidity(int from, int count, long to, int row) {
    assert from % WORD_ROWS == 0;
    int shift = row % WORD_ROWS;
    long place = to + (long) (row / WORD_ROWS) * Long.BYTES;
    for (int i = 0; i < count && validity != null; i += WORD_ROWS) {
      long bits = validity(from + i, Math.min(WORD_ROWS, count - i));
      Mem.putLong(place, Mem.getLong(place) & (bits << shift | ~(-1L << shift)));
      place += Long.BYTES;
      long above = shift == 0 ? -1 : bits >>> -shift | -1L << shift;
      if (above != -1) { // else there may be no word
        Mem.putLong(place, Mem.getLong(place) & above);
      }
    }
  }

  /** The bits of some rows, and set ones behind them, of which there may be no memory. */
  private long validity(int from, int count) {
    long address = Objects.requireNonNull(validity).address() + from / Byte.SIZE;
    if (count == WORD_ROWS) {
      return Mem.getLong(address);
    }
    long bits = -1L << count;
    for (int i = 0; i < count; i++) {
      bits |= Mem.getBit(address, i) ? 1L << i : 0;
    }
    return bits;
  }

  /** Whether rows can be had where they lie, which need no other form. */
  boolean lies() {
    return decoded.dictionary() == null && column.shape().storage() == shape.storage();
  }

  /**
   * Rows where they lie, as long as the part is there.
   *
   * @param from a multiple of 64
   */
  Column slice(int from, int count) {
    Column some = column.slice(from, count);
    return new Column(shape, count, some.values(), some.offsets(), some.validity(), null);
  }

  /** Copies values of one width, or codes. */
  void copyValues(int from, int count, long to) {
    long width = shape.storage().width();
    if (!shape.storage().isCode()) {
      Mem.copy(column.values().address() + width * from, to, width * count);
    } else if (decoded.dictionary() == null) {
      TextEncoding.encode(column, from, count, shape, to);
    } else if (codes.length == 0) {
      Mem.fill(to, width * count, (byte) 0); // all are null
    } else {
      DictionaryCodes.of(column).translate(from, count, codes, (int) width, to);
    }
  }

  /**
   * Copies texts, and puts where each ends.
   *
   * @param values where texts are, with as much room as {@link #textBytes} says behind {@code start}
   * @param start where the first text begins
   * @param offsets has that, and gets as many numbers behind it as there are rows
   */
  void copyTexts(int from, int count, long values, int start, long offsets) {
    PartDictionary words = decoded.dictionary();
    if (words != null) {
      copyWords(words, from, count, values, start, offsets);
      return;
    }
    int first = (int) start(from);
    Mem.copy(column.values().address() + first, values + start, start(from + count) - first);
    for (int i = 1; i <= count; i++) {
      Mem.putInt(offsets + 4L * i, (int) start(from + i) - first + start);
    }
  }

  private void copyWords(
      PartDictionary words, int from, int count, long values, int start, long offsets) {
    DictionaryCodes numbers = DictionaryCodes.of(column);
    int end = start;
    for (int i = 0; i < count; i++) {
      if (!isNull(from + i)) {
        int number = numbers.get(from + i);
        int length = words.length(number);
        // The memory has room for a few bytes behind the last.
        BytesBuilder.copy(words.address(number), values + end, length);
        end += length;
      }
      Mem.putInt(offsets + 4L * (i + 1), end);
    }
  }
}
