package io.aragonite.adapter.format.parquet;

import static io.aragonite.adapter.format.parquet.MalformedPageException.check;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.parquet.Scratch.ScratchUse;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/** Decodes pages into values of fixed width. */
final class FixedValues implements PageValues {
  /** Dictionary indices that are decoded at a time. */
  static final int BLOCK = 1024;

  private final Type physical;

  /** Bytes of a physical value, 0 if it varies. */
  private final int width;

  private final int outWidth;
  private final Conversion conversion;
  private final Scratch scratch;
  private final QueryMemory memory;
  private final Buffer values;
  private final int[] indices = new int[BLOCK];
  private long dictionary;
  private int dictionarySize = -1;
  private boolean cut;

  /**
   * @param values where all rows' values go
   */
  FixedValues(
      Type physical,
      int width,
      Conversion conversion,
      int outWidth,
      Buffer values,
      Scratch scratch,
      QueryMemory memory) {
    this.physical = physical;
    this.width = width;
    this.conversion = conversion;
    this.outWidth = outWidth;
    this.scratch = scratch;
    this.memory = memory;
    this.values = values;
  }

  @Override
  public void dictionary(PageCursor page, int count) {
    // A value takes at least a byte of its page, so a wrong count asks for no huge memory.
    check(
        count >= 0 && count <= 8 * page.left() + 1, "a dictionary of %,d values".formatted(count));
    dictionary = scratch.get(ScratchUse.DICTIONARY, (long) count * outWidth);
    dictionarySize = count;
    decode(Encoding.PLAIN, page, dictionary, count);
  }

  @Override
  public void page(
      Encoding encoding, PageCursor page, int row, int rows, int count, long validity) {
    long to = values.address() + (long) row * outWidth;
    if (count > 0) {
      if (encoding == Encoding.RLE_DICTIONARY || encoding == Encoding.PLAIN_DICTIONARY) {
        lookUp(page, to, count);
      } else {
        decode(encoding, page, to, count);
      }
    }
    if (validity != 0 && count < rows) {
      spread(to, row, rows, count, validity);
    }
  }

  private void lookUp(PageCursor page, long to, int count) {
    check(dictionarySize >= 0, "a page refers to a dictionary that is not there");
    HybridReader reader = new HybridReader(page.at + 1, page.end, Mem.getByte(page.take(1)) & 0xFF);
    for (int done = 0; done < count; done += BLOCK) {
      int n = Math.min(BLOCK, count - done);
      reader.read(indices, n, count - done);
      checkIndices(indices, n, dictionarySize);
      gather(to + (long) done * outWidth, n);
    }
  }

  static void checkIndices(int[] indices, int count, int size) {
    int wrong = 0;
    for (int i = 0; i < count; i++) {
      // Negative if the index is below 0 or not below the size.
      wrong |= indices[i] | (size - 1 - indices[i]);
    }
    check(wrong >= 0, "a page refers to values beyond its dictionary");
  }

  /** A method for each width: each is compiled once, and for nothing else. */
  private void gather(long to, int count) {
    switch (outWidth) {
      case 1 -> gather1(dictionary, indices, to, count);
      case 2 -> gather2(dictionary, indices, to, count);
      case 4 -> gather4(dictionary, indices, to, count);
      case 8 -> gather8(dictionary, indices, to, count);
      default -> gather16(dictionary, indices, to, count);
    }
  }

  private static void gather1(long table, int[] from, long to, int count) {
    for (int i = 0; i < count; i++) {
      Mem.putByte(to + i, Mem.getByte(table + from[i]));
    }
  }

  private static void gather2(long table, int[] from, long to, int count) {
    for (int i = 0; i < count; i++) {
      Mem.putShort(to + 2L * i, Mem.getShort(table + 2L * from[i]));
    }
  }

  private static void gather4(long table, int[] from, long to, int count) {
    for (int i = 0; i < count; i++) {
      Mem.putInt(to + 4L * i, Mem.getInt(table + 4L * from[i]));
    }
  }

  private static void gather8(long table, int[] from, long to, int count) {
    for (int i = 0; i < count; i++) {
      Mem.putLong(to + 8L * i, Mem.getLong(table + 8L * from[i]));
    }
  }

  private static void gather16(long table, int[] from, long to, int count) {
    for (int i = 0; i < count; i++) {
      Mem.putLong(to + 16L * i, Mem.getLong(table + 16L * from[i]));
      Mem.putLong(to + 16L * i + 8, Mem.getLong(table + 16L * from[i] + 8));
    }
  }

  private void decode(Encoding encoding, PageCursor page, long to, int count) {
    if (physical == Type.BOOLEAN) {
      booleans(encoding, page, to, count);
    } else if (width == 0
        || encoding == Encoding.DELTA_BYTE_ARRAY
        || encoding == Encoding.DELTA_LENGTH_BYTE_ARRAY) {
      varying(encoding, page, to, count);
    } else {
      long from = FixedPages.values(encoding, page, width, count, scratch);
      conversion.apply(from, to, count, width);
      cut = cut || conversion.cuts(from, count);
    }
  }

  @Override
  public boolean cut() {
    return cut;
  }

  private void booleans(Encoding encoding, PageCursor page, long to, int count) {
    if (encoding == Encoding.PLAIN) {
      long from = page.take((count + 7L) / 8);
      for (int i = 0; i < count; i++) {
        Mem.putByte(to + i, (byte) (Mem.getByte(from + (i >> 3)) >> (i & 7) & 1));
      }
      return;
    }
    check(encoding == Encoding.RLE, "a page of booleans has the encoding " + encoding);
    int length = Mem.getInt(page.take(4));
    long from = page.take(length);
    HybridReader reader = new HybridReader(from, from + length, 1);
    for (int done = 0; done < count; done += BLOCK) {
      int n = Math.min(BLOCK, count - done);
      reader.read(indices, n, count - done);
      for (int i = 0; i < n; i++) {
        Mem.putByte(to + done + i, (byte) indices[i]);
      }
    }
  }

  /** Decimals in byte arrays, and fixed values in an encoding of byte arrays. */
  private void varying(Encoding encoding, PageCursor page, long to, int count) {
    check(
        physical == Type.BYTE_ARRAY || physical == Type.FIXED_LEN_BYTE_ARRAY,
        "a page of %s has the encoding %s".formatted(physical, encoding));
    long offsets = scratch.get(ScratchUse.OFFSETS, 4L * (count + 1));
    Mem.putInt(offsets, 0);
    try (BytesBuilder bytes = new BytesBuilder(memory)) {
      ByteArrays.append(encoding, page, count, bytes, offsets + 4, scratch);
      if (width == 0) {
        conversion.applyVarying(offsets, bytes.address(), to, count);
      } else {
        FixedPages.checkLengths(offsets, count, width);
        conversion.apply(bytes.address(), to, count, width);
      }
    }
  }

  /** Moves values, which lie without gaps, to the rows that are not null, the last first. */
  private void spread(long to, int row, int rows, int count, long validity) {
    int from = count;
    for (int i = rows - 1; i >= from; i--) {
      if (Mem.getBit(validity, (long) row + i)) {
        from--;
        switch (outWidth) {
          case 1 -> Mem.putByte(to + i, Mem.getByte(to + from));
          case 2 -> Mem.putShort(to + 2L * i, Mem.getShort(to + 2L * from));
          case 4 -> Mem.putInt(to + 4L * i, Mem.getInt(to + 4L * from));
          case 8 -> Mem.putLong(to + 8L * i, Mem.getLong(to + 8L * from));
          default -> {
            Mem.putLong(to + 16L * i, Mem.getLong(to + 16L * from));
            Mem.putLong(to + 16L * i + 8, Mem.getLong(to + 16L * from + 8));
          }
        }
      }
    }
  }

  @Override
  public Column column(ColumnShape shape, int rows, @Nullable Buffer validity) {
    return new Column(shape, rows, values, Buffer.EMPTY, validity, null);
  }

  /** The scratch memory is its owner's, the values go with the column. */
  @Override
  public void close() {}
}
