package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;
import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.adapter.format.parquet.Pages.Page;
import io.aragonite.adapter.format.parquet.Scratch.ScratchUse;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageCursor;
import java.util.zip.CRC32;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.jspecify.annotations.Nullable;

/** Takes pages of a column chunk apart: checksum, compression, levels, values. */
abstract class PageReader implements AutoCloseable {
  final Scratch scratch;
  private final Codecs codecs;

  /**
   * @param chunk what the footer says of the column
   */
  PageReader(ColumnMetaData chunk, QueryMemory memory) {
    codecs = new Codecs(present(chunk.getCodec(), "its compression"));
    scratch = new Scratch(memory);
  }

  /** Takes a dictionary's values, which are PLAIN. */
  abstract void dictionary(PageCursor page, int count);

  /** Checks how many entries a data page has, and makes room for them. */
  abstract int entries(int count);

  /** How many of a page's entries are decoded: the first ones, or all. */
  abstract int wanted(Encoding encoding, int count);

  /** As {@link PageValues#most}. */
  abstract long most(Encoding encoding, int count);

  /**
   * Takes the levels in front of a page's values.
   *
   * @return how many of the entries are values
   */
  abstract int levels(DataPageHeader data, PageCursor page, int count);

  /** The same where levels are apart from values, and are run lengths. */
  abstract int levels(long from, int repetition, int definition, int count);

  abstract void values(Encoding encoding, PageCursor page, int count, int present);

  static void checkCrc(Page page) {
    if (page.header().isSetCrc()) {
      CRC32 crc = new CRC32();
      crc.update(Mem.segment(page.body(), page.size()).asByteBuffer());
      check((int) crc.getValue() == page.header().getCrc(), "a page's checksum is wrong");
    }
  }

  /**
   * @param number of the page within its chunk, for errors
   */
  final void decode(Page page, int number) {
    try {
      decode(page);
    } catch (MalformedPageException e) {
      throw e.atPage(number);
    }
  }

  private void decode(Page page) {
    PageHeader header = page.header();
    checkCrc(page);
    switch (present(header.getType(), "a page's type")) {
      case DICTIONARY_PAGE -> dictionaryPage(header, page.body(), page.size());
      case DATA_PAGE -> dataPage(header, page.body(), page.size());
      case DATA_PAGE_V2 -> dataPageV2(header, page.body(), page.size());
      case INDEX_PAGE -> {}
    }
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

  private void dictionaryPage(PageHeader header, long body, int size) {
    DictionaryPageHeader dictionary =
        present(header.getDictionary_page_header(), "a dictionary page's header");
    check(
        dictionary.getEncoding() == Encoding.PLAIN
            || dictionary.getEncoding() == Encoding.PLAIN_DICTIONARY,
        "a dictionary has the encoding " + dictionary.getEncoding());
    PageCursor page =
        bytes(body, size, header.getUncompressed_page_size(), true, ScratchUse.DICTIONARY_PAGE);
    dictionary(page, dictionary.getNum_values());
  }

  private void dataPage(PageHeader header, long body, int size) {
    DataPageHeader data = present(header.getData_page_header(), "a data page's header");
    Encoding encoding = present(data.getEncoding(), "a page's encoding");
    int all = entries(data.getNum_values());
    // Those of early writers are as many bits as there are entries.
    int count = data.getDefinition_level_encoding() == Encoding.RLE ? wanted(encoding, all) : all;
    int length = header.getUncompressed_page_size();
    // Levels are two bytes for eight entries at most, if the writer means well.
    long most = most(encoding, count);
    PageCursor some =
        count < all && most < length ? first(body, size, length, most + all / 4 + 64) : null;
    if (some != null && took(data, encoding, some, count)) {
      return;
    }
    PageCursor page = bytes(body, size, length, true, ScratchUse.PAGE);
    int present = levels(data, page, count);
    values(encoding, page, count, present);
  }

  /** Whether a page's first bytes had the wanted values; else all of its bytes are to be read. */
  private boolean took(DataPageHeader data, Encoding encoding, PageCursor some, int count) {
    try {
      int present = levels(data, some, count);
      values(encoding, some, count, present);
      return true;
    } catch (MalformedPageException e) {
      return false; // they did not suffice, or the whole page shows what is wrong
    }
  }

  /** The first bytes of a compressed page, if they can be had at less cost than all. */
  private @Nullable PageCursor first(long body, int compressed, int size, long wanted) {
    if (wanted >= size / 2 || !codecs.hasPrefixes()) {
      return null;
    }
    codecs.checkSize(body, compressed, size);
    // Indices are loaded with up to 7 bytes behind them.
    long to = scratch.get(ScratchUse.PAGE, wanted + Long.BYTES);
    return codecs.prefix(body, compressed, to, (int) wanted)
        ? new PageCursor(to, to + wanted)
        : null;
  }

  private void dataPageV2(PageHeader header, long body, int size) {
    DataPageHeaderV2 data = present(header.getData_page_header_v2(), "a data page's header");
    Encoding encoding = present(data.getEncoding(), "a page's encoding");
    int count = wanted(encoding, entries(data.getNum_values()));
    int repetition = data.getRepetition_levels_byte_length();
    int definition = data.getDefinition_levels_byte_length();
    check(
        repetition >= 0 && definition >= 0 && (long) repetition + definition <= size,
        "a page's levels are longer than the page");
    int present = levels(body, repetition, definition, count);
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
    values(encoding, page, count, present);
  }

  /** Gives back working memory; the column keeps its own. */
  @Override
  public void close() {
    scratch.close();
  }
}
