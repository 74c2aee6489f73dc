package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;
import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.parquet.Pages.Page;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageCursor;
import io.aragonite.exec.page.Utf8;
import io.aragonite.exec.table.Decodable;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageType;

/** The dictionary of a chunk of texts, or some of its texts, by its first page alone. */
final class ChunkWords {
  private static final String NONE = "texts that are in no dictionary";

  private ChunkWords() {}

  static Decodable<PartDictionary> of(ColumnMetaData chunk, Pages pages, QueryMemory memory) {
    Page page = pages.at(pages.start(), 0);
    DictionaryPageHeader header = page.header().getDictionary_page_header();
    if (page.header().getType() != PageType.DICTIONARY_PAGE
        || header == null
        || header.getEncoding() != Encoding.PLAIN
            && header.getEncoding() != Encoding.PLAIN_DICTIONARY) {
      return Decodable.byHost(NONE);
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
    return read(bytes(codecs, page.body(), page.size(), size, memory), count, memory);
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

  private static PartDictionary read(PageCursor cursor, int count, QueryMemory memory) {
    check(count >= 0 && count <= cursor.left() + 1, "a dictionary of %,d values", count);
    Buffer offsets = memory.allocate(4L * (count + 1));
    Mem.putInt(offsets.address(), 0);
    BytesBuilder words = new BytesBuilder(memory);
    long ends = offsets.address() + 4;
    ByteArrays.append(cursor, count, words, ends);
    check(
        Utf8.isValid(words.address(), words.size(), words.address(), ends, count),
        "a text is not valid UTF-8");
    return new PartDictionary(count, offsets, words.take());
  }

  /**
   * The texts of a chunk's first page, which are in no dictionary.
   *
   * @param optional whether pages have levels
   */
  static Decodable<PartDictionary> ofFirstPage(
      ColumnMetaData chunk, boolean optional, Pages pages, QueryMemory memory) {
    Page page = pages.at(pages.start(), 0);
    try {
      PageReader.checkCrc(page);
      Codecs codecs = new Codecs(present(chunk.getCodec(), "its compression"));
      int size = page.header().getUncompressed_page_size();
      DataPageHeader data = page.header().getData_page_header();
      if (data != null && data.getEncoding() == Encoding.PLAIN) {
        PageCursor cursor = bytes(codecs, page.body(), page.size(), size, memory);
        if (optional) {
          cursor.take(Mem.getInt(cursor.take(4)));
        }
        return Decodable.of(read(cursor, count(cursor, data.getNum_values()), memory));
      }
      DataPageHeaderV2 newer = page.header().getData_page_header_v2();
      int levels = newer == null ? 0 : newer.getDefinition_levels_byte_length();
      if (newer == null
          || newer.getEncoding() != Encoding.PLAIN
          || newer.isSetIs_compressed() && !newer.isIs_compressed()
          || levels < 0
          || levels >= Math.min(size, page.size())) {
        return Decodable.byHost(NONE);
      }
      PageCursor cursor =
          bytes(codecs, page.body() + levels, page.size() - levels, size - levels, memory);
      return Decodable.of(read(cursor, count(cursor, newer.getNum_values()), memory));
    } catch (MalformedPageException e) {
      throw e.atPage(0);
    }
  }

  /** How many texts there are, of {@code most} rows. */
  private static int count(PageCursor page, int most) {
    PageCursor texts = new PageCursor(page.at(), page.end());
    int count = 0;
    while (count < most && texts.left() > 0) {
      texts.take(Mem.getInt(texts.take(4)));
      count++;
    }
    return count;
  }
}
