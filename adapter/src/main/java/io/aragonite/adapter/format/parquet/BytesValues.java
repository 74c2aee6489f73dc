package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.DictionaryReader.BLOCK;
import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.parquet.Scratch.ScratchUse;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.DictionaryReader;
import io.aragonite.exec.page.HybridReader;
import io.aragonite.exec.page.PageCursor;
import io.aragonite.exec.page.Utf8;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/**
 * Decodes pages into offsets and bytes, or into numbers in the chunk's dictionary as long as all
 * pages are such.
 */
final class BytesValues implements PageValues {
  private static final byte[] HEX =
      "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

  private final Type physical;
  private final int width;
  private final Conversion conversion;
  private final int rows;
  private final Scratch scratch;
  private final QueryMemory memory;
  private final BytesBuilder bytes;

  /** Where values end within {@link #bytes}, once a page had values. */
  private Buffer offsets = Buffer.EMPTY;

  /** The dictionary's values. */
  private final BytesBuilder words;

  /** Where they begin within {@link #words}, and the end. */
  private Buffer wordOffsets = Buffer.EMPTY;

  private int dictionarySize = -1;

  /** The rows so far, if all of them are numbers in the dictionary. */
  private @Nullable RowNumbers numbers;

  /** Rows so far, and the bitmap of those that are not null; 0 if all are. */
  private int taken;

  private long bitmap;

  private final int[] indices = new int[BLOCK];

  /**
   * @param place for the bytes, as long as it is large enough; empty: none
   */
  BytesValues(
      Type physical,
      int width,
      Conversion conversion,
      int rows,
      Scratch scratch,
      QueryMemory memory,
      Buffer place) {
    this.physical = physical;
    this.width = width;
    this.conversion = conversion;
    this.rows = rows;
    this.scratch = scratch;
    this.memory = memory;
    this.bytes = new BytesBuilder(memory, place);
    this.words = new BytesBuilder(memory);
  }

  @Override
  public void dictionary(PageCursor page, int count) {
    check(count >= 0 && count <= page.left() + 1, "a dictionary of %,d values", count);
    // Rows so far are numbers in the dictionary before.
    writeOut();
    boolean first = offsets.address() == 0;
    words.clear();
    memory.free(wordOffsets);
    wordOffsets = Buffer.EMPTY;
    wordOffsets = memory.allocate(4L * (count + 1));
    Mem.putInt(wordOffsets.address(), 0);
    append(Encoding.PLAIN, page, count, words, wordOffsets.address() + 4);
    dictionarySize = count;
    numbers = first ? new RowNumbers(memory, rows, count) : null;
  }

  @Override
  public void page(
      Encoding encoding, PageCursor page, int row, int rows, int count, long validity) {
    boolean numbered = encoding == Encoding.RLE_DICTIONARY || encoding == Encoding.PLAIN_DICTIONARY;
    if (count > 0 && !numbered) {
      writeOut();
    }
    bitmap = validity == 0 ? bitmap : validity;
    RowNumbers as = numbers;
    if (as == null) {
      values(numbered, encoding, page, row, rows, count, validity);
    } else {
      if (count > 0) {
        number(page, as, row, count);
      }
      if (count < rows) {
        as.spread(row, rows, count, validity);
      }
    }
    taken = row + rows;
  }

  private void values(
      boolean numbered,
      Encoding encoding,
      PageCursor page,
      int row,
      int rows,
      int count,
      long validity) {
    long ends = ends() + 4L * row;
    int start = bytes.size();
    if (count > 0) {
      if (numbered) {
        lookUp(page, ends, count);
      } else {
        append(encoding, page, count, bytes, ends);
      }
    }
    if (validity != 0 && count < rows) {
      spread(ends, row, rows, count, validity, start);
    }
  }

  /** Where the ends of values go, from the first row on. */
  private long ends() {
    if (offsets.address() == 0) {
      offsets = memory.allocate(4L * (rows + 1));
      Mem.putInt(offsets.address(), 0);
    }
    return offsets.address() + 4;
  }

  /** Puts the values of rows that are numbers so far. */
  private void writeOut() {
    RowNumbers from = numbers;
    numbers = null;
    if (from == null) {
      return;
    }
    if (taken > 0) {
      long ends = ends();
      for (int row = 0; row < taken; row++) {
        if (bitmap == 0 || Mem.getBit(bitmap, row)) {
          appendWord(from.get(row));
        }
        Mem.putInt(ends + 4L * row, bytes.size());
      }
    }
    from.free();
  }

  private void appendWord(int number) {
    int start = wordStart(number);
    int length = wordStart(number + 1) - start;
    BytesBuilder.copy(words.address() + start, bytes.room(length), length);
    bytes.advance(length);
  }

  private int wordStart(int number) {
    return Mem.getInt(wordOffsets.address() + 4L * number);
  }

  private void append(Encoding encoding, PageCursor page, int count, BytesBuilder to, long ends) {
    int start = to.size();
    if (physical == Type.BYTE_ARRAY) {
      ByteArrays.append(encoding, page, count, to, ends, scratch);
      if (conversion == Conversion.TEXT) {
        check(
            Utf8.isValid(to.address() + start, to.size() - start, to.address(), ends, count),
            "a text is not valid UTF-8");
      }
      return;
    }
    if (encoding == Encoding.DELTA_BYTE_ARRAY || encoding == Encoding.DELTA_LENGTH_BYTE_ARRAY) {
      try (BytesBuilder fixed = to.another()) {
        long offsetsFrom = scratch.get(ScratchUse.OFFSETS, 4L * (count + 1));
        Mem.putInt(offsetsFrom, 0);
        ByteArrays.append(encoding, page, count, fixed, offsetsFrom + 4, scratch);
        FixedPages.checkLengths(offsetsFrom, count, width);
        fixed(fixed.address(), count, to, ends);
      }
    } else {
      fixed(FixedPages.values(encoding, page, width, count, scratch), count, to, ends);
    }
  }

  private void fixed(long from, int count, BytesBuilder to, long ends) {
    boolean uuid = conversion == Conversion.UUID;
    int outWidth = uuid ? 36 : width;
    long total = (long) count * outWidth;
    long room = to.room(total);
    if (uuid) {
      for (int i = 0; i < count; i++) {
        uuid(from + 16L * i, room + 36L * i);
      }
    } else {
      Mem.copy(from, room, total);
    }
    for (int i = 0; i < count; i++) {
      Mem.putInt(ends + 4L * i, to.size() + (i + 1) * outWidth);
    }
    to.advance((int) total);
  }

  private static void uuid(long from, long to) {
    for (int i = 0; i < 16; i++) {
      if (i == 4 || i == 6 || i == 8 || i == 10) {
        Mem.putByte(to++, (byte) '-');
      }
      int value = Mem.getByte(from + i) & 0xFF;
      Mem.putByte(to++, HEX[value >> 4]);
      Mem.putByte(to++, HEX[value & 15]);
    }
  }

  private void number(PageCursor page, RowNumbers to, int row, int count) {
    HybridReader reader = DictionaryReader.indices(page);
    for (int done = 0; done < count; done += BLOCK) {
      int n = Math.min(BLOCK, count - done);
      reader.read(indices, n, count - done);
      DictionaryReader.checkIndices(indices, n, dictionarySize);
      to.put(row + done, indices, n);
    }
  }

  /** Pages of numbers behind one of values. */
  private void lookUp(PageCursor page, long ends, int count) {
    check(dictionarySize >= 0, "a page refers to a dictionary that is not there");
    HybridReader reader = DictionaryReader.indices(page);
    for (int done = 0; done < count; done += BLOCK) {
      int n = Math.min(BLOCK, count - done);
      reader.read(indices, n, count - done);
      DictionaryReader.checkIndices(indices, n, dictionarySize);
      for (int i = 0; i < n; i++) {
        appendWord(indices[i]);
        Mem.putInt(ends + 4L * (done + i), bytes.size());
      }
    }
  }

  /** Gives rows that are null no bytes: the ends of values move to their rows, the last first. */
  private static void spread(long ends, int row, int rows, int count, long validity, int start) {
    int from = count;
    for (int i = rows - 1; i >= 0; i--) {
      Mem.putInt(ends + 4L * i, from == 0 ? start : Mem.getInt(ends + 4L * (from - 1)));
      if (Mem.getBit(validity, (long) row + i)) {
        from--;
      }
    }
  }

  /** Numbers only: bytes that were appended would be so twice. */
  @Override
  public long most(Encoding encoding, int count) {
    return numbers == null || encoding == Encoding.PLAIN
        ? Long.MAX_VALUE
        : PageValues.indexBytes(dictionarySize, count);
  }

  @Override
  public Column column(ColumnShape shape, int rows, @Nullable Buffer validity) {
    RowNumbers as = numbers;
    if (as == null) {
      ends();
      return new Column(shape, rows, bytes.take(), offsets, validity, null);
    }
    ColumnShape numbered =
        new ColumnShape(shape.type(), as.storage(), shape.mayBeNull(), null, null);
    return new Column(numbered, rows, as.values(), Buffer.EMPTY, validity, null);
  }

  @Override
  public @Nullable PartDictionary words() {
    if (numbers == null) {
      return null;
    }
    PartDictionary taken = new PartDictionary(dictionarySize, wordOffsets, words.take());
    wordOffsets = Buffer.EMPTY;
    return taken;
  }

  @Override
  public void close() {
    words.close();
    bytes.close();
    memory.free(wordOffsets);
  }
}
