package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;
import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.Utf8;
import io.aragonite.adapter.format.parquet.Pages.Page;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageCursor;
import io.aragonite.exec.table.Decodable;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageType;

/** The dictionary of a chunk of texts, by its first page alone. */
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
    PageCursor cursor = new PageCursor(page.body(), page.body() + page.size());
    if (codecs.isCompressed()) {
      int size = page.header().getUncompressed_page_size();
      codecs.checkSize(page.body(), page.size(), size);
      long to = memory.allocate(size).address();
      codecs.decompress(page.body(), page.size(), to, size);
      cursor = new PageCursor(to, to + size);
    }
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
}
