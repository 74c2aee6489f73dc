package io.aragonite.adapter.format.parquet;

import static io.aragonite.adapter.format.parquet.FixedValues.BLOCK;
import static io.aragonite.adapter.format.parquet.MalformedPageException.check;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.Utf8;
import io.aragonite.adapter.format.parquet.Scratch.ScratchUse;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/** Decodes pages into offsets and bytes. */
final class BytesValues implements PageValues {
  private static final byte[] HEX =
      "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

  private final Type physical;
  private final int width;
  private final Conversion conversion;
  private final Scratch scratch;
  private final BytesBuilder bytes;

  /** The dictionary's values. */
  private final BytesBuilder words;

  private final Buffer offsets;
  private final int[] indices = new int[BLOCK];

  /** Where the dictionary's values begin within {@link #words}, and the end. */
  private int[] wordStarts = new int[0];

  private int dictionarySize = -1;

  BytesValues(
      Type physical,
      int width,
      Conversion conversion,
      int rows,
      Scratch scratch,
      QueryMemory memory) {
    this.physical = physical;
    this.width = width;
    this.conversion = conversion;
    this.scratch = scratch;
    this.bytes = new BytesBuilder(memory);
    this.words = new BytesBuilder(memory);
    this.offsets = memory.allocate(4L * (rows + 1));
    Mem.putInt(offsets.address(), 0);
  }

  @Override
  public void dictionary(PageCursor page, int count) {
    check(count >= 0 && count <= page.left() + 1, "a dictionary of %,d values".formatted(count));
    long ends = scratch.get(ScratchUse.DICTIONARY, 4L * count);
    words.clear();
    append(Encoding.PLAIN, page, count, words, ends);
    wordStarts = new int[count + 1];
    for (int i = 0; i < count; i++) {
      wordStarts[i + 1] = Mem.getInt(ends + 4L * i);
    }
    dictionarySize = count;
  }

  @Override
  public void page(
      Encoding encoding, PageCursor page, int row, int rows, int count, long validity) {
    long ends = offsets.address() + 4L * (row + 1);
    int start = bytes.size();
    if (count > 0) {
      if (encoding == Encoding.RLE_DICTIONARY || encoding == Encoding.PLAIN_DICTIONARY) {
        lookUp(page, ends, count);
      } else {
        append(encoding, page, count, bytes, ends);
      }
    }
    if (validity != 0 && count < rows) {
      spread(ends, row, rows, count, validity, start);
    }
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

  private void lookUp(PageCursor page, long ends, int count) {
    check(dictionarySize >= 0, "a page refers to a dictionary that is not there");
    HybridReader reader = new HybridReader(page.at + 1, page.end, Mem.getByte(page.take(1)) & 0xFF);
    int[] starts = wordStarts;
    for (int done = 0; done < count; done += BLOCK) {
      int n = Math.min(BLOCK, count - done);
      reader.read(indices, n, count - done);
      FixedValues.checkIndices(indices, n, dictionarySize);
      long total = 0;
      for (int i = 0; i < n; i++) {
        total += starts[indices[i] + 1] - starts[indices[i]];
      }
      long to = bytes.room(total);
      int end = bytes.size();
      for (int i = 0; i < n; i++) {
        int word = starts[indices[i]];
        int length = starts[indices[i] + 1] - word;
        BytesBuilder.copy(words.address() + word, to, length);
        to += length;
        end += length;
        Mem.putInt(ends + 4L * (done + i), end);
      }
      bytes.advance((int) total);
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

  @Override
  public Column column(ColumnShape shape, int rows, @Nullable Buffer validity) {
    return new Column(shape, rows, bytes.take(), offsets, validity, null);
  }

  @Override
  public void close() {
    words.close();
    bytes.close();
  }
}
