package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.IntegerNarrowing;
import io.aragonite.adapter.format.parquet.Scratch.ScratchUse;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.DictionaryReader;
import io.aragonite.exec.page.HybridReader;
import io.aragonite.exec.page.PageCursor;
import io.aragonite.exec.page.RowSpread;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/** Decodes pages into values of fixed width. */
final class FixedValues implements PageValues {
  /**
   * Bytes of a value.
   *
   * @param physical in pages, 0 if it varies
   * @param converted as the type needs them
   * @param stored as they are kept; of integers they may be fewer
   */
  record Widths(int physical, int converted, int stored) {}

  private final Type physical;
  private final int width;
  private final int convertedWidth;
  private final int outWidth;
  private final Conversion conversion;
  private final Scratch scratch;
  private final QueryMemory memory;
  private final Buffer values;
  private long dictionary;
  private int dictionarySize = -1;
  private boolean cut;
  private boolean overflows;

  /**
   * @param values where all rows' values go
   */
  FixedValues(
      Type physical,
      Conversion conversion,
      Widths widths,
      Buffer values,
      Scratch scratch,
      QueryMemory memory) {
    this.physical = physical;
    this.width = widths.physical;
    this.convertedWidth = widths.converted;
    this.outWidth = widths.stored;
    this.conversion = conversion;
    this.scratch = scratch;
    this.memory = memory;
    this.values = values;
  }

  @Override
  public void dictionary(PageCursor page, int count) {
    // A value takes at least a byte of its page, so a wrong count asks for no huge memory.
    check(count >= 0 && count <= 8 * page.left() + 1, "a dictionary of %,d values", count);
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
      RowSpread.spread(to, row, rows, count, validity, outWidth);
    }
  }

  private void lookUp(PageCursor page, long to, int count) {
    check(dictionarySize >= 0, "a page refers to a dictionary that is not there");
    DictionaryReader.read(page, count, dictionary, dictionarySize, outWidth, to);
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
      convert(from, to, count);
      cut = cut || conversion.cuts(from, count);
    }
  }

  private void convert(long from, long to, int count) {
    if (outWidth == convertedWidth) {
      conversion.apply(from, to, count, width);
    } else if (conversion == Conversion.COPY4 || conversion == Conversion.COPY8) {
      narrow(from, to, count);
    } else {
      long wide = wide(count);
      conversion.apply(from, wide, count, width);
      narrow(wide, to, count);
    }
  }

  private long wide(int count) {
    return scratch.get(ScratchUse.WIDE, (long) count * convertedWidth);
  }

  private void narrow(long from, long to, int count) {
    overflows |= !IntegerNarrowing.copy(from, convertedWidth, count, outWidth, to);
  }

  @Override
  public long most(Encoding encoding, int count) {
    if (encoding == Encoding.PLAIN) {
      return width == 0 ? Long.MAX_VALUE : (long) width * count;
    }
    return PageValues.indexBytes(dictionarySize, count);
  }

  @Override
  public boolean cut() {
    return cut;
  }

  @Override
  public boolean overflows() {
    return overflows;
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
    int[] indices = new int[DictionaryReader.BLOCK];
    for (int done = 0; done < count; done += indices.length) {
      int n = Math.min(indices.length, count - done);
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
        "a page of %s has the encoding %s",
        physical,
        encoding);
    long offsets = scratch.get(ScratchUse.OFFSETS, 4L * (count + 1));
    Mem.putInt(offsets, 0);
    try (BytesBuilder bytes = new BytesBuilder(memory)) {
      ByteArrays.append(encoding, page, count, bytes, offsets + 4, scratch);
      if (width == 0) {
        long wide = outWidth == convertedWidth ? to : wide(count);
        conversion.applyVarying(offsets, bytes.address(), wide, count);
        if (wide != to) {
          narrow(wide, to, count);
        }
      } else {
        FixedPages.checkLengths(offsets, count, width);
        convert(bytes.address(), to, count);
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
