package io.aragonite.adapter.copy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.column.statistics.SizeStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.statistics.geospatial.GeospatialStatistics;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.PageEncodingStats;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/** The pages of a column in a row group, compressed, and what the footer says of them. */
final class ColumnPages implements PageWriter {
  /** Longer bounds are left out of the footer. */
  private static final int LONGEST_BOUND = 1024;

  private final PageCompression compression;
  private final ByteArrayOutputStream dictionary = new ByteArrayOutputStream();
  private final ByteArrayOutputStream data = new ByteArrayOutputStream();
  private final Map<Encoding, Integer> dataPages = new EnumMap<>(Encoding.class);
  private @Nullable Encoding dictionaryEncoding;
  private @Nullable Statistics<?> statistics;
  private long values;
  private long uncompressed;

  ColumnPages(PageCompression compression) {
    this.compression = compression;
  }

  @Override
  public void writePage(
      BytesInput bytes,
      int valueCount,
      int rowCount,
      Statistics<?> pageStatistics,
      Encoding rlEncoding,
      Encoding dlEncoding,
      Encoding valuesEncoding)
      throws IOException {
    byte[] page = bytes.toByteArray();
    byte[] packed = compression.compress(page);
    PageHeader header = new PageHeader(PageType.DATA_PAGE, page.length, packed.length);
    header.setData_page_header(
        new DataPageHeader(
            valueCount, format(valuesEncoding), format(dlEncoding), format(rlEncoding)));
    append(data, header, packed, page.length);
    values += valueCount;
    dataPages.merge(valuesEncoding, 1, Integer::sum);
    if (statistics == null) {
      statistics = pageStatistics.copy();
    } else {
      statistics.mergeStatistics(pageStatistics);
    }
  }

  @Override
  public void writePage(
      BytesInput bytes,
      int valueCount,
      int rowCount,
      Statistics<?> pageStatistics,
      SizeStatistics sizes,
      GeospatialStatistics places,
      Encoding rlEncoding,
      Encoding dlEncoding,
      Encoding valuesEncoding)
      throws IOException {
    writePage(bytes, valueCount, rowCount, pageStatistics, rlEncoding, dlEncoding, valuesEncoding);
  }

  private void append(ByteArrayOutputStream to, PageHeader header, byte[] packed, int plainBytes)
      throws IOException {
    int before = to.size();
    Util.writePageHeader(header, to);
    uncompressed += to.size() - before + plainBytes;
    to.write(packed);
  }

  private static org.apache.parquet.format.Encoding format(Encoding encoding) {
    return org.apache.parquet.format.Encoding.valueOf(encoding.name());
  }

  @Override
  public void writePage(
      BytesInput bytes,
      int valueCount,
      Statistics<?> pageStatistics,
      Encoding rlEncoding,
      Encoding dlEncoding,
      Encoding valuesEncoding) {
    throw new UnsupportedOperationException("the number of rows is wanted");
  }

  @Override
  public void writePageV2(
      int rowCount,
      int nullCount,
      int valueCount,
      BytesInput repetitionLevels,
      BytesInput definitionLevels,
      Encoding dataEncoding,
      BytesInput bytes,
      Statistics<?> pageStatistics) {
    throw new UnsupportedOperationException("pages of version 1 are written");
  }

  @Override
  public void writeDictionaryPage(DictionaryPage dictionaryPage) throws IOException {
    byte[] page = dictionaryPage.getBytes().toByteArray();
    byte[] packed = compression.compress(page);
    PageHeader header = new PageHeader(PageType.DICTIONARY_PAGE, page.length, packed.length);
    header.setDictionary_page_header(
        new DictionaryPageHeader(
            dictionaryPage.getDictionarySize(), format(dictionaryPage.getEncoding())));
    append(dictionary, header, packed, page.length);
    dictionaryEncoding = dictionaryPage.getEncoding();
  }

  /** The bytes of all pages, the dictionary first. */
  List<ByteArrayOutputStream> bytes() {
    return List.of(dictionary, data);
  }

  /**
   * What the footer says.
   *
   * @param offset where the first page is in the file
   */
  ColumnMetaData metadata(String name, Type type, long offset) {
    List<org.apache.parquet.format.Encoding> encodings = new ArrayList<>();
    encodings.add(org.apache.parquet.format.Encoding.RLE);
    List<PageEncodingStats> stats = new ArrayList<>();
    if (dictionaryEncoding != null) {
      encodings.add(format(dictionaryEncoding));
      stats.add(new PageEncodingStats(PageType.DICTIONARY_PAGE, format(dictionaryEncoding), 1));
    }
    dataPages.forEach((encoding, count) -> {
      encodings.add(format(encoding));
      stats.add(new PageEncodingStats(PageType.DATA_PAGE, format(encoding), count));
    });
    ColumnMetaData metadata =
        new ColumnMetaData(
            type,
            encodings.stream().distinct().toList(),
            List.of(name),
            compression.codec(),
            values,
            uncompressed,
            (long) dictionary.size() + data.size(),
            offset + dictionary.size());
    if (dictionary.size() > 0) {
      metadata.setDictionary_page_offset(offset);
    }
    metadata.setEncoding_stats(stats);
    org.apache.parquet.format.Statistics known = statistics();
    if (known != null) {
      metadata.setStatistics(known);
    }
    return metadata;
  }

  private org.apache.parquet.format.@Nullable Statistics statistics() {
    Statistics<?> found = statistics;
    if (found == null) {
      return null;
    }
    org.apache.parquet.format.Statistics known = new org.apache.parquet.format.Statistics();
    known.setNull_count(found.getNumNulls());
    if (found.hasNonNullValue() && found.isSmallerThan(LONGEST_BOUND)) {
      known.setMin_value(found.getMinBytes());
      known.setMax_value(found.getMaxBytes());
    }
    return known;
  }

  @Override
  public long getMemSize() {
    return (long) dictionary.size() + data.size();
  }

  @Override
  public long allocatedSize() {
    return getMemSize();
  }

  @Override
  public String memUsageString(String prefix) {
    return prefix + " " + getMemSize();
  }
}
