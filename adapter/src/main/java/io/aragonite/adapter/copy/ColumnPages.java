package io.aragonite.adapter.copy;

import io.aragonite.adapter.copy.ChunkEncoder.EncodedBounds;
import io.aragonite.adapter.copy.PageCompression.PageCompressor;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.settings.EngineSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.parquet.format.ColumnIndex;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.OffsetIndex;
import org.apache.parquet.format.PageEncodingStats;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/** The pages of a column in a row group, compressed, and what the footer says of them. */
final class ColumnPages {
  /** Pages of a row group that has all its rows: readers leave out single ones. */
  private static final int GROUP_PAGES = 6;

  private static final long PAGE_BYTES = 1 << 20;
  private static final int PAGE_ENTRIES = 1 << 18;

  /** What compression must make of pages to be worth the time of readers and writers. */
  private static final double WORTHWHILE = 0.95;

  private PageCompression compression;
  private PageCompressor compressor;
  private final EncodeScratch scratch;
  private final List<byte[]> bytes = new ArrayList<>();
  private final Map<Encoding, Integer> dataPages = new EnumMap<>(Encoding.class);
  private final ChunkIndex index = new ChunkIndex();
  private @Nullable EncodedBounds bounds;
  private boolean bounded = true;
  private int dictionaryBytes;
  private long compressed;
  private long uncompressed;
  private long nulls;
  private long entries;

  private ColumnPages(PageCompression compression, EncodeScratch scratch) {
    this.compression = compression;
    this.compressor = compression.compressor();
    this.scratch = scratch;
  }

  /**
   * Makes the pages of a column.
   *
   * @param values of the entries that have one
   */
  static ColumnPages of(
      EntryLevels levels, ChunkEncoder values, PageCompression compression, EncodeScratch scratch)
      throws IOException {
    ColumnPages pages = new ColumnPages(compression, scratch);
    PackedPage dictionary = values.dictionarySize() > 0 ? pages.dictionary(values) : null;
    int value = 0;
    int pageRows = Math.ceilDiv(EngineSettings.current().sizes().rowGroupRows(), GROUP_PAGES);
    for (int row = 0; row < levels.rows(); ) {
      int end = Math.min(levels.rows(), row + pageRows);
      int valueEnd = value + levels.values(row, end);
      while (end > row + 1
          && (values.bytes(value, valueEnd) > PAGE_BYTES
              || levels.entries(row, end) > PAGE_ENTRIES)) {
        end = row + (end - row) / 2;
        valueEnd = value + levels.values(row, end);
      }
      Encoding encoding = pages.data(levels, row, end, values, value, valueEnd);
      byte[] packed =
          row == 0 ? pages.choose(dictionary, (levels.rows() + end - 1) / end) : pages.compress();
      pages.addData(packed, encoding, row, levels.entries(row, end), values, value, valueEnd);
      row = end;
      value = valueEnd;
    }
    if (dictionary != null) {
      pages.addDictionary(dictionary, values.dictionarySize());
    }
    return pages;
  }

  /**
   * Compresses the first page, and leaves all as they are if that makes little of it and of the
   * dictionary.
   */
  private byte[] choose(@Nullable PackedPage dictionary, int pages) throws IOException {
    byte[] first = compress();
    double plain = (double) scratch.page.size() * pages;
    double packed = (double) first.length * pages;
    if (dictionary != null) {
      plain += dictionary.plain.length;
      packed += dictionary.packed.length;
    }
    if (packed <= WORTHWHILE * plain || compression == PageCompression.NONE) {
      return first;
    }
    scratch.account.remove(first.length);
    compression = PageCompression.NONE;
    compressor = compression.compressor();
    return compress();
  }

  /** A page without its header. */
  @SuppressWarnings("ArrayRecordComponent") // pages are not compared
  private record PackedPage(byte[] plain, byte[] packed) {}

  private PackedPage dictionary(ChunkEncoder values) throws IOException {
    scratch.page.clear();
    values.addDictionary(scratch.page);
    scratch.account.add(scratch.page.size());
    return new PackedPage(scratch.page.toArray(), compress());
  }

  private void addDictionary(PackedPage page, int size) throws IOException {
    PageHeader header = new PageHeader(PageType.DICTIONARY_PAGE, 0, 0);
    header.setDictionary_page_header(new DictionaryPageHeader(size, Encoding.PLAIN));
    byte[] packed = compression == PageCompression.NONE ? page.plain : page.packed;
    dictionaryBytes = add(0, header, page.plain.length, packed);
  }

  /** Makes a page in the scratch memory. */
  private Encoding data(
      EntryLevels levels, int from, int to, ChunkEncoder values, int valuesFrom, int valuesTo) {
    scratch.page.clear();
    levels.addLevels(from, to, valuesTo - valuesFrom, scratch.page);
    return values.encode(valuesFrom, valuesTo, scratch.page);
  }

  /** Adds the page that the scratch memory has. */
  private void addData(
      byte[] packed,
      Encoding encoding,
      int row,
      int pageEntries,
      ChunkEncoder values,
      int valuesFrom,
      int valuesTo)
      throws IOException {
    PageHeader header = new PageHeader(PageType.DATA_PAGE, 0, 0);
    header.setData_page_header(
        new DataPageHeader(pageEntries, encoding, Encoding.RLE, Encoding.RLE));
    long offset = compressed;
    int length = add(bytes.size(), header, (int) scratch.page.size(), packed);
    dataPages.merge(encoding, 1, Integer::sum);
    int missing = pageEntries - (valuesTo - valuesFrom);
    EncodedBounds known = valuesFrom == valuesTo ? null : values.bounds(valuesFrom, valuesTo);
    index.add(offset, length, row, missing, valuesFrom == valuesTo, known);
    nulls += missing;
    entries += pageEntries;
    if (known != null) {
      bounds = bounds == null ? known : bounds.with(known, values.order());
    } else if (valuesFrom < valuesTo) {
      bounded = false;
    }
  }

  private byte[] compress() throws IOException {
    long size = scratch.page.size();
    if (size > PageCompression.NONE.mostBytes()) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "A value of %,d bytes is too long for a Parquet file, whose pages have 2 GB at most; leave the column out."
              .formatted(size));
    }
    if (size > compression.mostBytes()) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "A value of %,d bytes is too long to be compressed; write the file with (compression none)."
              .formatted(size));
    }
    scratch.packed.clear();
    byte[] packed = compressor.compress(scratch.page, scratch.packed);
    scratch.account.add(packed.length);
    return packed;
  }

  /** Adds a page at a place in the list of them; returns its bytes in the file. */
  private int add(int place, PageHeader header, int plain, byte[] packed) throws IOException {
    header.setUncompressed_page_size(plain);
    header.setCompressed_page_size(packed.length);
    ByteArrayOutputStream head = new ByteArrayOutputStream(64);
    Util.writePageHeader(header, head);
    bytes.addAll(place, List.of(head.toByteArray(), packed));
    uncompressed += head.size() + plain;
    compressed += head.size() + packed.length;
    return head.size() + packed.length;
  }

  /** The bytes of all pages, the dictionary first. */
  List<byte[]> bytes() {
    return bytes;
  }

  /**
   * What the footer says.
   *
   * @param path the names that lead to the column
   * @param offset where the first page is in the file
   */
  ColumnMetaData metadata(List<String> path, Type type, long offset) {
    List<Encoding> encodings = new ArrayList<>();
    encodings.add(Encoding.RLE);
    List<PageEncodingStats> stats = new ArrayList<>();
    if (dictionaryBytes > 0) {
      encodings.add(Encoding.PLAIN);
      stats.add(new PageEncodingStats(PageType.DICTIONARY_PAGE, Encoding.PLAIN, 1));
    }
    dataPages.forEach((encoding, count) -> {
      encodings.add(encoding);
      stats.add(new PageEncodingStats(PageType.DATA_PAGE, encoding, count));
    });
    ColumnMetaData metadata =
        new ColumnMetaData(
            type,
            encodings.stream().distinct().toList(),
            path,
            compression.codec(),
            entries,
            uncompressed,
            compressed,
            offset + dictionaryBytes);
    if (dictionaryBytes > 0) {
      metadata.setDictionary_page_offset(offset);
    }
    metadata.setEncoding_stats(stats);
    Statistics known = new Statistics();
    known.setNull_count(nulls);
    EncodedBounds all = bounds;
    if (bounded && all != null) {
      known.setMin_value(all.min());
      known.setMax_value(all.max());
      known.setIs_min_value_exact(true);
      known.setIs_max_value_exact(true);
    }
    metadata.setStatistics(known);
    return metadata;
  }

  /** What the column index says; null if there is none. */
  @Nullable ColumnIndex columnIndex() {
    return index.columnIndex();
  }

  /**
   * What the offset index says.
   *
   * @param offset where the first page is in the file
   */
  OffsetIndex offsetIndex(long offset) {
    return index.offsetIndex(offset + dictionaryBytes);
  }
}
