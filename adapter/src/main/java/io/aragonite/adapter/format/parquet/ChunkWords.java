package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;
import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.parquet.Pages.Page;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.DeltaReader;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageCursor;
import io.aragonite.exec.page.Utf8;
import io.aragonite.exec.table.Decodable;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;

/** The dictionary of a chunk of texts, or some of its texts, by one page alone. */
final class ChunkWords {
  private static final String NONE = "texts that are in no dictionary";

  private ChunkWords() {}

  /**
   * The dictionary.
   *
   * @param most texts of one that is read
   */
  static Decodable<PartDictionary> of(
      ColumnMetaData chunk, Pages pages, int most, QueryMemory memory) {
    Page page = pages.at(pages.start(), 0);
    DictionaryPageHeader header = page.header().getDictionary_page_header();
    if (page.header().getType() != PageType.DICTIONARY_PAGE
        || header == null
        || header.getEncoding() != Encoding.PLAIN
            && header.getEncoding() != Encoding.PLAIN_DICTIONARY) {
      return Decodable.byHost(NONE);
    }
    if (header.getNum_values() > most) {
      return Decodable.byHost("more than %,d texts".formatted(most));
    }
    try {
      PageReader.checkCrc(page);
      return Decodable.of(read(chunk, page, header.getNum_values(), memory));
    } catch (MalformedPageException e) {
      throw e.atPage(0);
    }
  }

  private static PartDictionary read(
      ColumnMetaData chunk, Page page, int count, QueryMemory memory) {
    Codecs codecs = new Codecs(present(chunk.getCodec(), "its compression"));
    int size = page.header().getUncompressed_page_size();
    PageCursor cursor = bytes(codecs, page.body(), page.size(), size, memory);
    return read(Encoding.PLAIN, cursor, count, memory);
  }

  private static PageCursor bytes(
      Codecs codecs, long body, int stored, int size, QueryMemory memory) {
    if (!codecs.isCompressed()) {
      return new PageCursor(body, body + stored);
    }
    codecs.checkSize(body, stored, size);
    long to = memory.allocate(size).address();
    codecs.decompress(body, stored, to, size);
    return new PageCursor(to, to + size);
  }

  private static PartDictionary read(
      Encoding encoding, PageCursor cursor, int count, QueryMemory memory) {
    check(count >= 0 && count <= cursor.left() + 1, "a dictionary of %,d values", count);
    Buffer offsets = memory.allocate(4L * (count + 1));
    Mem.putInt(offsets.address(), 0);
    BytesBuilder words = new BytesBuilder(memory);
    long ends = offsets.address() + 4;
    try (Scratch scratch = new Scratch(memory)) {
      ByteArrays.append(encoding, cursor, count, words, ends, scratch);
    }
    check(
        Utf8.isValid(words.address(), words.size(), words.address(), ends, count),
        "a text is not valid UTF-8");
    return new PartDictionary(count, offsets, words.take());
  }

  /**
   * The texts of a chunk's first page of texts that are in no dictionary.
   *
   * @param optional whether pages have levels
   */
  static Decodable<PartDictionary> some(
      ColumnMetaData chunk, boolean optional, Pages pages, QueryMemory memory) {
    long position = pages.start();
    for (int number = 0, rows = 0; rows < chunk.getNum_values(); number++) {
      Page page = pages.at(position, number);
      position = page.next();
      rows += page.rows();
      if (page.rows() > 0 && !inDictionary(page.header())) {
        try {
          PageReader.checkCrc(page);
          return ofPage(chunk, optional, page, memory);
        } catch (MalformedPageException e) {
          throw e.atPage(number);
        }
      }
    }
    return Decodable.byHost(NONE);
  }

  private static boolean inDictionary(PageHeader header) {
    DataPageHeader data = header.getData_page_header();
    DataPageHeaderV2 newer = header.getData_page_header_v2();
    Encoding encoding =
        data != null ? data.getEncoding() : newer == null ? null : newer.getEncoding();
    return encoding == Encoding.RLE_DICTIONARY || encoding == Encoding.PLAIN_DICTIONARY;
  }

  private static Decodable<PartDictionary> ofPage(
      ColumnMetaData chunk, boolean optional, Page page, QueryMemory memory) {
    Codecs codecs = new Codecs(present(chunk.getCodec(), "its compression"));
    int size = page.header().getUncompressed_page_size();
    DataPageHeader data = page.header().getData_page_header();
    if (data != null && data.getEncoding() != null && apart(data.getEncoding())) {
      PageCursor cursor = bytes(codecs, page.body(), page.size(), size, memory);
      if (optional) {
        cursor.take(Mem.getInt(cursor.take(4)));
      }
      return Decodable.of(some(data.getEncoding(), cursor, data.getNum_values(), memory));
    }
    DataPageHeaderV2 newer = page.header().getData_page_header_v2();
    int levels = newer == null ? 0 : newer.getDefinition_levels_byte_length();
    if (newer == null
        || newer.getEncoding() == null
        || !apart(newer.getEncoding())
        || newer.isSetIs_compressed() && !newer.isIs_compressed()
        || levels < 0
        || levels >= Math.min(size, page.size())) {
      return Decodable.byHost(NONE);
    }
    PageCursor cursor =
        bytes(codecs, page.body() + levels, page.size() - levels, size - levels, memory);
    return Decodable.of(some(newer.getEncoding(), cursor, newer.getNum_values(), memory));
  }

  /** Whether texts are in no dictionary. */
  private static boolean apart(Encoding encoding) {
    return encoding == Encoding.PLAIN
        || encoding == Encoding.DELTA_LENGTH_BYTE_ARRAY
        || encoding == Encoding.DELTA_BYTE_ARRAY;
  }

  /** The texts of {@code rows} rows, of which some may be null. */
  private static PartDictionary some(
      Encoding encoding, PageCursor page, int rows, QueryMemory memory) {
    int count = 0;
    if (encoding != Encoding.PLAIN) {
      count = page.left() == 0 ? 0 : new DeltaReader(page.at(), page.end()).count();
      check(count <= rows, "a page has %,d values instead of %,d", count, rows);
    } else {
      PageCursor texts = new PageCursor(page.at(), page.end());
      while (count < rows && texts.left() > 0) {
        texts.take(Mem.getInt(texts.take(4)));
        count++;
      }
    }
    return read(encoding, page, count, memory);
  }
}
