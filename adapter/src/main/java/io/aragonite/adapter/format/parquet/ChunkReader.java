package io.aragonite.adapter.format.parquet;

import static io.aragonite.adapter.format.parquet.MalformedPageException.check;
import static io.aragonite.adapter.format.parquet.MalformedPageException.present;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.parquet.Pages.Page;
import io.aragonite.adapter.format.parquet.Scratch.ScratchUse;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.zip.CRC32;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.Type;

/** Decodes one column of a row group, page by page. */
final class ChunkReader implements AutoCloseable {
  private final ParquetColumn column;
  private final DataType type;
  private final Pages pages;
  private final Codecs codecs;
  private final Scratch scratch;
  private final QueryMemory memory;
  private final PageValues values;
  private final Buffer validity;

  /** The wanted rows of the row group. */
  private final int from;

  private final int to;

  /** The rows of the pages that hold them: those are decoded. */
  private final Pages.PageRows span;

  private final int rows;
  private int done;
  private int nulls;

  /**
   * @param type the column's type
   * @param physical how it lies in pages
   * @param chunk what the footer says of it
   * @param pages its pages; at least 8 bytes behind them may be read
   * @param groupRows rows of the row group
   * @param from the first wanted row
   * @param to behind the last
   * @param target room for the wanted rows' values, if they are of one width; 0: none
   */
  ChunkReader(
      ParquetColumn column,
      DataType type,
      Type physical,
      Conversion conversion,
      ColumnMetaData chunk,
      Pages pages,
      int groupRows,
      int from,
      int to,
      QueryMemory memory,
      long target) {
    this.column = column;
    this.type = type;
    this.pages = pages;
    this.from = from;
    this.to = to;
    this.memory = memory;
    check(chunk.getType() == physical, "its values are " + chunk.getType() + ", not " + physical);
    check(
        chunk.getNum_values() == groupRows,
        "it has %,d values instead of %,d".formatted(chunk.getNum_values(), groupRows));
    boolean whole = from == 0 && to == groupRows;
    span = whole ? new Pages.PageRows(0, groupRows) : pages.span(from, to);
    check(
        span.to() <= groupRows,
        "its pages have more than the row group's %,d rows".formatted(groupRows));
    rows = span.to() - span.from();
    codecs = new Codecs(present(chunk.getCodec(), "its compression"));
    scratch = new Scratch(memory);
    values =
        conversion.isVariable()
            ? new BytesValues(physical, column.width(), conversion, rows, scratch, memory)
            : fixed(physical, conversion, rows == to - from ? target : 0);
    validity = column.optional() ? memory.allocate((rows + 63L) / 64 * 8) : Buffer.EMPTY;
    if (column.optional()) {
      Mem.fill(validity.address(), validity.size(), (byte) 0);
    }
  }

  /**
   * @param target where all rows' values go; 0: into memory of their own
   */
  private PageValues fixed(Type physical, Conversion conversion, long target) {
    int width = Storage.of(type).width();
    long bytes = (long) rows * width;
    Buffer to = target == 0 ? memory.allocate(bytes) : new Buffer(target, bytes);
    return new FixedValues(physical, column.width(), conversion, width, to, scratch, memory);
  }

  /** Decodes the pages that hold the wanted rows; the owner of the memory frees it. */
  Decoded read() {
    long position = pages.start();
    int row = 0;
    while (done < rows) {
      Page page = pages.at(position);
      position = page.next();
      row += page.rows();
      if (page.rows() > 0 && row <= span.from()) {
        continue;
      }
      decode(page);
    }
    ColumnShape shape = new ColumnShape(type, Storage.of(type), nulls > 0, null, null);
    Column result = values.column(shape, rows, nulls > 0 ? validity : null);
    if (rows > to - from) {
      result = slice(result);
    }
    if (nulls == 0) {
      memory.free(validity);
    }
    return new Decoded(result, values.words(), () -> {});
  }

  /** Whether times had digits behind the milliseconds, which are cut off. */
  boolean cut() {
    return values.cut();
  }

  private void decode(Page page) {
    PageHeader header = page.header();
    if (header.isSetCrc()) {
      CRC32 crc = new CRC32();
      crc.update(Mem.segment(page.body(), page.size()).asByteBuffer());
      check((int) crc.getValue() == header.getCrc(), "a page's checksum is wrong");
    }
    switch (present(header.getType(), "a page's type")) {
      case DICTIONARY_PAGE -> dictionary(header, page.body(), page.size());
      case DATA_PAGE -> dataPage(header, page.body(), page.size());
      case DATA_PAGE_V2 -> dataPageV2(header, page.body(), page.size());
      case INDEX_PAGE -> {}
    }
  }

  /** The wanted rows of all that were decoded. */
  private Column slice(Column all) {
    int first = from - span.from();
    int count = to - from;
    Buffer present = all.validity();
    if (present != null) {
      Buffer moved = memory.allocate((count + 63L) / 64 * 8);
      HybridReader.moveBits(present.address(), first, moved.address(), count);
      memory.free(validity);
      present = moved;
    }
    long width = all.shape().storage().width();
    boolean varying = width == 0;
    return new Column(
        all.shape(),
        count,
        varying ? all.values() : all.values().slice(first * width, count * width),
        varying ? all.offsets().slice(4L * first, 4L * (count + 1)) : all.offsets(),
        present,
        null);
  }

  /** A page's bytes, decompressed into scratch memory if they are compressed. */
  private PageCursor bytes(
      long body, int compressed, int size, boolean isCompressed, ScratchUse use) {
    if (!isCompressed || !codecs.isCompressed()) {
      return new PageCursor(body, body + compressed);
    }
    codecs.checkSize(body, compressed, size);
    long to = scratch.get(use, size);
    codecs.decompress(body, compressed, to, size);
    return new PageCursor(to, to + size);
  }

  private void dictionary(PageHeader header, long body, int size) {
    DictionaryPageHeader dictionary =
        present(header.getDictionary_page_header(), "a dictionary page's header");
    check(
        dictionary.getEncoding() == Encoding.PLAIN
            || dictionary.getEncoding() == Encoding.PLAIN_DICTIONARY,
        "a dictionary has the encoding " + dictionary.getEncoding());
    PageCursor page =
        bytes(body, size, header.getUncompressed_page_size(), true, ScratchUse.DICTIONARY_PAGE);
    values.dictionary(page, dictionary.getNum_values());
  }

  private void dataPage(PageHeader header, long body, int size) {
    DataPageHeader data = present(header.getData_page_header(), "a data page's header");
    int count = pageRows(data.getNum_values());
    PageCursor page = bytes(body, size, header.getUncompressed_page_size(), true, ScratchUse.PAGE);
    int present = count;
    if (column.optional()) {
      Encoding encoding = data.getDefinition_level_encoding();
      if (encoding == Encoding.RLE) {
        int length = Mem.getInt(page.take(4));
        long levels = page.take(length);
        present = levels(levels, length, count);
      } else {
        check(encoding == Encoding.BIT_PACKED, "levels have the encoding " + encoding);
        present = bitPackedLevels(page.take((count + 7L) / 8), count);
      }
    }
    decode(present(data.getEncoding(), "a page's encoding"), page, count, present);
  }

  private void dataPageV2(PageHeader header, long body, int size) {
    DataPageHeaderV2 data = present(header.getData_page_header_v2(), "a data page's header");
    int count = pageRows(data.getNum_values());
    int repetition = data.getRepetition_levels_byte_length();
    int definition = data.getDefinition_levels_byte_length();
    check(
        repetition >= 0 && definition >= 0 && (long) repetition + definition <= size,
        "a page's levels are longer than the page");
    int present = column.optional() ? levels(body + repetition, definition, count) : count;
    int levels = repetition + definition;
    boolean compressed = !data.isSetIs_compressed() || data.isIs_compressed();
    // Nothing but nulls: some writers leave nothing to decompress.
    PageCursor page =
        present == 0
            ? new PageCursor(body + size, body + size)
            : bytes(
                body + levels,
                size - levels,
                header.getUncompressed_page_size() - levels,
                compressed,
                ScratchUse.PAGE);
    decode(present(data.getEncoding(), "a page's encoding"), page, count, present);
  }

  private int pageRows(int count) {
    check(
        count >= 0 && count <= rows - done,
        "its pages have more than the row group's %,d rows".formatted(rows));
    return count;
  }

  private int levels(long from, int length, int count) {
    return new HybridReader(from, from + length, 1).readBits(validity.address(), done, count);
  }

  /** The levels of early writers: bits, the most significant first. */
  private int bitPackedLevels(long from, int count) {
    int present = 0;
    for (int i = 0; i < count; i++) {
      if ((Mem.getByte(from + (i >> 3)) >> (7 - (i & 7)) & 1) != 0) {
        long target = validity.address() + (done + i >> 3);
        Mem.putByte(target, (byte) (Mem.getByte(target) | 1 << (done + i & 7)));
        present++;
      }
    }
    return present;
  }

  private void decode(Encoding encoding, PageCursor page, int count, int present) {
    values.page(encoding, page, done, count, present, present < count ? validity.address() : 0);
    nulls += count - present;
    done += count;
  }

  /** Gives back working memory; the column keeps its own. */
  @Override
  public void close() {
    scratch.close();
    values.close();
  }
}
