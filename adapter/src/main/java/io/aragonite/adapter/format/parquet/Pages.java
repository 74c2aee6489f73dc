package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;
import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.adapter.remote.ByteRange;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.page.MalformedPageException;
import java.io.IOException;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.PageHeader;

/**
 * The pages of a column chunk, one behind the other.
 *
 * @param start the first page's header
 * @param end where no page can be any more
 */
record Pages(long start, long end) {
  /**
   * A page.
   *
   * @param body where its bytes are
   * @param size how many, compressed
   * @param number of the page within the chunk, for errors
   */
  record Page(PageHeader header, long body, int size, int number) {
    long next() {
      return body + size;
    }

    /** Rows of a data page of a column that is not nested, 0 for any other page. */
    int rows() {
      try {
        int rows = counted();
        check(rows >= 0, "a page of %,d rows", rows);
        return rows;
      } catch (MalformedPageException e) {
        throw e.atPage(number);
      }
    }

    private int counted() {
      return switch (present(header.getType(), "a page's type")) {
        case DATA_PAGE ->
            present(header.getData_page_header(), "a data page's header").getNum_values();
        case DATA_PAGE_V2 ->
            present(header.getData_page_header_v2(), "a data page's header").getNum_values();
        case DICTIONARY_PAGE, INDEX_PAGE -> 0;
      };
    }
  }

  /**
   * @param address the file's first byte
   * @param dataEnd where its data ends
   */
  static Pages of(ColumnMetaData chunk, long address, long dataEnd) {
    long start = chunk.getData_page_offset();
    if (chunk.isSetDictionary_page_offset() && chunk.getDictionary_page_offset() > 0) {
      start = Math.min(start, chunk.getDictionary_page_offset());
    }
    long size = dataEnd - address;
    check(start >= 4 && start <= size, "its pages begin at byte %,d", start);
    long length = chunk.getTotal_compressed_size();
    check(length >= 0 && length <= size - start, "its pages lie outside the file");
    // Old writers forgot the dictionary page's header in the length.
    return new Pages(address + start, Math.min(dataEnd, address + start + length + 128));
  }

  /** Where they are in the file whose first byte is at an address. */
  ByteRange range(long address) {
    return new ByteRange(start - address, end - address);
  }

  /**
   * @param number of the page within the chunk, for errors
   */
  Page at(long position, int number) {
    try {
      return read(position, number);
    } catch (MalformedPageException e) {
      throw e.atPage(number);
    }
  }

  /** Bytes of a header, which may have a least and a largest value. */
  private static final long MOST_HEADER = 16 << 20;

  private Page read(long position, int number) {
    PageHeader header = new PageHeader();
    long body;
    try {
      body = ThriftInput.read(position, Math.min(end, position + MOST_HEADER), header);
    } catch (IOException | RuntimeException e) {
      MalformedPageException malformed =
          new MalformedPageException(
              "a page's header cannot be read (" + AragoniteException.reason(e) + ")");
      malformed.initCause(e);
      throw malformed;
    }
    int size = header.getCompressed_page_size();
    check(size >= 0 && size <= end - body, "a page of %,d bytes lies outside the column", size);
    return new Page(header, body, size, number);
  }

  /**
   * The rows of the data pages that hold a range of rows: where the first begins, the last ends.
   */
  record PageRows(int from, int to) {}

  PageRows span(int from, int to) {
    int first = -1;
    int row = 0;
    long position = start;
    for (int number = 0; row < to; number++) {
      Page page = at(position, number);
      int rows = page.rows();
      check(rows <= Integer.MAX_VALUE - 64 - row, "a page of %,d rows", rows);
      if (first < 0 && row + rows > from) {
        first = row;
      }
      row += rows;
      position = page.next();
    }
    return new PageRows(Math.max(0, first), row);
  }
}
