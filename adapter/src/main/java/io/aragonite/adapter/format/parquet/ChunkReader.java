package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.parquet.Pages.Page;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.HybridReader;
import io.aragonite.exec.page.PageCursor;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Type;

/**
 * Decodes one column of a row group, page by page: of the last page that has wanted rows no more
 * than those, if it has its values one behind the other.
 */
final class ChunkReader extends PageReader {
  /** Bytes behind a text that copying it may touch. */
  private static final int TOUCHED = Long.BYTES;

  private final ParquetColumn column;
  private final DataType type;
  private final Pages pages;
  private final QueryMemory memory;
  private final PageValues values;
  private final Storage storage;
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
   * @param target room for the wanted rows' values, or for as many bytes as {@link #textBytes}
   *     says; 0: none
   * @param storage of the type, or of integers in fewer bytes
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
      long target,
      Storage storage) {
    super(chunk, memory);
    this.storage = storage;
    this.column = column;
    this.type = type;
    this.pages = pages;
    this.from = from;
    this.to = to;
    this.memory = memory;
    check(chunk.getType() == physical, "its values are " + chunk.getType() + ", not " + physical);
    check(
        chunk.getNum_values() == groupRows,
        "it has %,d values instead of %,d",
        chunk.getNum_values(),
        groupRows);
    boolean whole = from == 0 && to == groupRows;
    span = whole ? new Pages.PageRows(0, groupRows) : pages.span(from, to);
    check(span.to() <= groupRows, "its pages have more than the row group's %,d rows", groupRows);
    rows = span.to() - span.from();
    long place = rows == to - from ? target : 0;
    values =
        conversion.isVariable()
            ? varying(physical, conversion, chunk, place)
            : fixed(physical, conversion, place);
    validity = column.optional() ? memory.allocate((rows + 63L) / 64 * 8) : Buffer.EMPTY;
    if (column.optional()) {
      Mem.fill(validity.address(), validity.size(), (byte) 0);
    }
  }

  /**
   * How many bytes a chunk's texts are at most, if they are not in a dictionary: all but the
   * lengths of those that are not null, and some behind them that copying may touch; -1 if the
   * footer's sizes are none.
   */
  static long textBytes(ColumnMetaData chunk) {
    long all = chunk.getTotal_uncompressed_size();
    Statistics known = chunk.getStatistics();
    long present =
        known != null && known.isSetNull_count()
            ? chunk.getNum_values() - known.getNull_count()
            : 0;
    return all < 0 || all > Integer.MAX_VALUE || present < 0
        ? -1
        : Math.max(0, all - 4L * present) + TOUCHED;
  }

  private PageValues varying(
      Type physical, Conversion conversion, ColumnMetaData chunk, long target) {
    // What is touched behind the last value is no room for values.
    Buffer place =
        target == 0 ? Buffer.EMPTY : new Buffer(target, Math.max(0, textBytes(chunk) - TOUCHED));
    return new BytesValues(physical, column.width(), conversion, rows, scratch, memory, place);
  }

  /**
   * @param target where all rows' values go; 0: into memory of their own
   */
  private PageValues fixed(Type physical, Conversion conversion, long target) {
    long bytes = (long) rows * storage.width();
    Buffer to = target == 0 ? memory.allocate(bytes) : new Buffer(target, bytes);
    FixedValues.Widths widths =
        new FixedValues.Widths(column.width(), Storage.of(type).width(), storage.width());
    return new FixedValues(physical, conversion, widths, to, scratch, memory);
  }

  /** Decodes the pages that hold the wanted rows; the owner of the memory frees it. */
  Decoded read() {
    long position = pages.start();
    int row = 0;
    for (int number = 0; done < to - span.from(); number++) {
      Page page = pages.at(position, number);
      position = page.next();
      row += page.rows();
      if (page.rows() > 0 && row <= span.from()) {
        continue;
      }
      decode(page, number);
    }
    ColumnShape shape = new ColumnShape(type, storage, nulls > 0, null, null);
    Column result = values.column(shape, done, nulls > 0 ? validity : null);
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

  /** Whether some values did not fit the storage. */
  boolean overflows() {
    return values.overflows();
  }

  /** The wanted rows, of memory that has room for all of their pages. */
  private Column slice(Column all) {
    int first = from - span.from();
    int count = to - from;
    Buffer present = all.validity();
    if (present != null) {
      Buffer moved = memory.allocate((count + 63L) / 64 * 8);
      Mem.moveBits(present.address(), first, moved.address(), count);
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

  @Override
  void dictionary(PageCursor page, int count) {
    values.dictionary(page, count);
  }

  @Override
  int entries(int count) {
    check(
        count >= 0 && count <= rows - done,
        "its pages have more than the row group's %,d rows",
        rows);
    return count;
  }

  @Override
  int wanted(Encoding encoding, int count) {
    boolean inOrder =
        encoding == Encoding.PLAIN
            || encoding == Encoding.RLE_DICTIONARY
            || encoding == Encoding.PLAIN_DICTIONARY;
    return inOrder ? Math.min(count, to - span.from() - done) : count;
  }

  @Override
  long most(Encoding encoding, int count) {
    return values.most(encoding, count);
  }

  @Override
  int levels(DataPageHeader data, PageCursor page, int count) {
    if (!column.optional()) {
      return count;
    }
    Encoding encoding = data.getDefinition_level_encoding();
    if (encoding == Encoding.RLE) {
      int length = Mem.getInt(page.take(4));
      return levels(page.take(length), length, count);
    }
    check(encoding == Encoding.BIT_PACKED, "levels have the encoding " + encoding);
    return bitPackedLevels(page.take((count + 7L) / 8), count);
  }

  @Override
  int levels(long from, int repetition, int definition, int count) {
    return column.optional() ? levels(from + repetition, definition, count) : count;
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

  @Override
  void values(Encoding encoding, PageCursor page, int count, int present) {
    values.page(encoding, page, done, count, present, present < count ? validity.address() : 0);
    nulls += count - present;
    done += count;
  }

  /** Gives back working memory; the column keeps its own. */
  @Override
  public void close() {
    super.close();
    values.close();
  }
}
