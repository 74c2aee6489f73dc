package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;
import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.adapter.format.parquet.Pages.Page;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.EncodedPage;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageCodec;
import io.aragonite.exec.page.PageEncoding;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.table.StoredPage;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.jspecify.annotations.Nullable;

/** The pages of a column chunk as a device decodes them, by their headers alone. */
final class ChunkPages {
  private static final String OTHER_SIZE = "a page of another size than its header says";

  /** Bytes of another page at most: one thread finds where its runs begin. */
  private static final int MOST_PLAIN = 64 << 20;

  /** Texts of a page at most: one thread finds where each begins. */
  private static final int MOST_TEXTS = 1 << 20;

  /** Bytes of a page that the device decompresses at most: pages do not share a page's work. */
  private static final int MOST_COMPRESSED = 16 << 20;

  private final PageCodec codec;
  private final boolean texts;
  private final boolean optional;
  private final PageForm form;
  private final int width;
  private final List<StoredPage> found = new ArrayList<>();
  private int rows;

  /** Why the host decodes the chunk, once a page was of that kind. */
  private String refusal = "";

  private ChunkPages(CompressionCodec codec, ParquetColumn column, PageForm form) {
    this.codec = codec(codec);
    this.texts = column.conversion() == Conversion.TEXT;
    this.optional = column.optional();
    this.form = form;
    this.width = column.width();
  }

  /**
   * @param groupRows rows of the row group
   * @param memory where pages are that the host has decompressed
   * @return without a value if some page is of a kind that devices do not decode
   * @throws io.aragonite.exec.page.MalformedPageException if headers are wrong
   */
  static Decodable<EncodedChunk> of(
      ParquetColumn column,
      PageForm form,
      ColumnMetaData chunk,
      Pages pages,
      int groupRows,
      QueryMemory memory) {
    CompressionCodec codec = present(chunk.getCodec(), "its compression");
    check(
        chunk.getType() == column.physical(),
        "its values are " + chunk.getType() + ", not " + column.physical());
    check(
        chunk.getNum_values() == groupRows,
        "it has %,d values instead of %,d",
        chunk.getNum_values(),
        groupRows);
    ChunkPages result = new ChunkPages(codec, column, form);
    long position = pages.start();
    for (int number = 0; result.rows < groupRows; number++) {
      Page page = pages.at(position, number);
      position = page.next();
      if (!result.add(page, groupRows, number)) {
        return Decodable.byHost(result.refusal);
      }
    }
    List<StoredPage> ready = decompressed(result.found, codec, memory);
    return Decodable.of(new EncodedChunk(groupRows, ready, Buffer.EMPTY, () -> {}));
  }

  /** The codec of a chunk, if devices know it. */
  private static PageCodec codec(CompressionCodec codec) {
    return switch (codec) {
      case UNCOMPRESSED -> PageCodec.NONE;
      case SNAPPY -> PageCodec.SNAPPY;
      case LZ4_RAW -> PageCodec.LZ4;
      default -> PageCodec.OTHER;
    };
  }

  private static boolean isHosts(StoredPage page) {
    return page.codec() == PageCodec.OTHER || page.compressed() && page.size() > MOST_COMPRESSED;
  }

  /** The pages, those of them decompressed that devices do not decompress. */
  private static List<StoredPage> decompressed(
      List<StoredPage> pages, CompressionCodec codec, QueryMemory memory) {
    List<StoredPage> hosts = pages.stream().filter(ChunkPages::isHosts).toList();
    if (hosts.isEmpty()) {
      return pages;
    }
    Codecs codecs = new Codecs(codec);
    // Before memory is asked for.
    hosts.forEach(page -> checkSize(codecs, page));
    long to = memory.allocate(hosts.stream().mapToLong(StoredPage::size).sum()).address();
    List<StoredPage> ready = new ArrayList<>();
    for (StoredPage page : pages) {
      if (isHosts(page)) {
        decompress(codecs, page, to);
        ready.add(page.decompressed(to));
        to += page.size();
      } else {
        ready.add(page);
      }
    }
    return ready;
  }

  private static void checkSize(Codecs codecs, StoredPage page) {
    int plain = page.plainBytes();
    try {
      codecs.checkSize(page.address() + plain, page.bytes() - plain, page.size() - plain);
    } catch (MalformedPageException e) {
      throw e.atPage(page.number());
    }
  }

  private static void decompress(Codecs codecs, StoredPage page, long to) {
    int plain = page.plainBytes();
    Mem.copy(page.address(), to, plain);
    try {
      codecs.decompress(
          page.address() + plain, page.bytes() - plain, to + plain, page.size() - plain);
    } catch (MalformedPageException e) {
      throw e.atPage(page.number());
    }
  }

  private boolean add(Page page, int groupRows, int number) {
    try {
      PageReader.checkCrc(page);
      // The words are read apart.
      return codes() && number == 0 && page.header().getType() == PageType.DICTIONARY_PAGE
          || add(number, page, groupRows);
    } catch (MalformedPageException e) {
      throw e.atPage(number);
    }
  }

  private @Nullable StoredPage refuse(String reason) {
    refusal = reason;
    return null;
  }

  private boolean add(int number, Page page, int groupRows) {
    PageHeader header = page.header();
    int size = header.getUncompressed_page_size();
    check(size >= 0, "a page of " + size + " bytes");
    if (codec == PageCodec.NONE && size != page.size()) {
      refuse(OTHER_SIZE);
      return false;
    }
    StoredPage stored =
        switch (present(header.getType(), "a page's type")) {
          case DICTIONARY_PAGE -> dictionary(number, page, header, size);
          case DATA_PAGE -> data(number, page, header, size);
          case DATA_PAGE_V2 -> dataV2(number, page, header, size);
          case INDEX_PAGE -> refuse("an index page");
        };
    if (stored == null) {
      return false;
    }
    if (size > MOST_PLAIN) {
      refuse("pages of more than %,d MB".formatted(MOST_PLAIN >> 20));
      return false;
    }
    if (form == PageForm.LENGTHS && stored.rows() > MOST_TEXTS) {
      refuse("pages of more than %,d texts".formatted(MOST_TEXTS));
      return false;
    }
    if (stored.dictionary() && number > 0) {
      refuse("a dictionary behind other pages");
      return false;
    }
    if (!stored.dictionary()) {
      check(
          stored.rows() >= 0 && stored.rows() <= groupRows - rows,
          "its pages have more than the row group's %,d rows",
          groupRows);
      rows += stored.rows();
    }
    found.add(stored);
    return true;
  }

  private @Nullable StoredPage dictionary(int number, Page page, PageHeader header, int size) {
    DictionaryPageHeader dictionary =
        present(header.getDictionary_page_header(), "a dictionary page's header");
    Encoding encoding = dictionary.getEncoding();
    int count = dictionary.getNum_values();
    boolean plain = encoding == Encoding.PLAIN || encoding == Encoding.PLAIN_DICTIONARY;
    // Else the host tells what is wrong.
    if (!plain || count < 0 || (long) count * form.inWidth(width) > size) {
      return refuse("a dictionary in " + encoding);
    }
    return new StoredPage(
        number,
        page.body(),
        page.size(),
        0,
        size > 0 ? codec : PageCodec.NONE,
        size,
        true,
        EncodedPage.NO_LEVELS,
        PageEncoding.PLAIN,
        count);
  }

  private @Nullable StoredPage data(int number, Page page, PageHeader header, int size) {
    DataPageHeader data = present(header.getData_page_header(), "a data page's header");
    PageEncoding encoding = encoding(data.getEncoding());
    if (encoding == null) {
      return refuse((texts ? "texts in " : "values in ") + data.getEncoding());
    }
    if (optional && data.getDefinition_level_encoding() != Encoding.RLE) {
      return refuse("levels in " + data.getDefinition_level_encoding());
    }
    return new StoredPage(
        number,
        page.body(),
        page.size(),
        0,
        size > 0 ? codec : PageCodec.NONE,
        size,
        false,
        optional ? EncodedPage.LENGTH_FIRST : EncodedPage.NO_LEVELS,
        encoding,
        data.getNum_values());
  }

  private @Nullable StoredPage dataV2(int number, Page page, PageHeader header, int size) {
    DataPageHeaderV2 data = present(header.getData_page_header_v2(), "a data page's header");
    PageEncoding encoding = encoding(data.getEncoding());
    int levels = data.getDefinition_levels_byte_length();
    // A flat column has no repetition levels; whoever writes some is left to the host.
    if (encoding == null) {
      return refuse((texts ? "texts in " : "values in ") + data.getEncoding());
    }
    if (data.getRepetition_levels_byte_length() != 0
        || levels < 0
        || levels > Math.min(size, page.size())
        || !optional && levels > 0) {
      return refuse("levels that a flat column has not");
    }
    boolean packed =
        codec != PageCodec.NONE
            && (!data.isSetIs_compressed() || data.isIs_compressed())
            && page.size() > levels;
    if (!packed && size != page.size()) {
      return refuse(OTHER_SIZE);
    }
    return new StoredPage(
        number,
        page.body(),
        page.size(),
        levels,
        packed ? codec : PageCodec.NONE,
        size,
        false,
        optional ? levels : EncodedPage.NO_LEVELS,
        encoding,
        data.getNum_values());
  }

  /** Whether values are texts of which codes come out. */
  private boolean codes() {
    return texts && form != PageForm.LENGTHS;
  }

  private @Nullable PageEncoding encoding(@Nullable Encoding encoding) {
    if (encoding == null) {
      return null;
    }
    return switch (encoding) {
      case PLAIN -> codes() ? null : PageEncoding.PLAIN;
      case RLE_DICTIONARY, PLAIN_DICTIONARY -> PageEncoding.DICTIONARY;
      case DELTA_BINARY_PACKED ->
          !texts && form.fits(PageEncoding.DELTA) ? PageEncoding.DELTA : null;
      case DELTA_LENGTH_BYTE_ARRAY -> form == PageForm.LENGTHS ? PageEncoding.DELTA_LENGTH : null;
      case DELTA_BYTE_ARRAY -> form == PageForm.LENGTHS ? PageEncoding.DELTA_STRINGS : null;
      default -> null;
    };
  }
}
