package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageEncodingStats;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/** A column of Parquet files, row group by row group, as devices decode it. */
final class ParquetPagedColumn implements PagedColumn {
  /** Of levels, and of values of one width. */
  private static final Set<Encoding> ENCODINGS =
      EnumSet.of(
          Encoding.PLAIN,
          Encoding.PLAIN_DICTIONARY,
          Encoding.RLE_DICTIONARY,
          Encoding.RLE,
          Encoding.BIT_PACKED,
          Encoding.DELTA_BINARY_PACKED,
          Encoding.DELTA_LENGTH_BYTE_ARRAY);

  /** Of levels, and of texts. */
  private static final Set<Encoding> TEXTS =
      EnumSet.of(
          Encoding.PLAIN,
          Encoding.PLAIN_DICTIONARY,
          Encoding.RLE_DICTIONARY,
          Encoding.RLE,
          Encoding.BIT_PACKED,
          Encoding.DELTA_LENGTH_BYTE_ARRAY,
          Encoding.DELTA_BYTE_ARRAY);

  private static final Set<Encoding> DICTIONARIES =
      EnumSet.of(Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY);

  /** Of texts that are in no dictionary; PLAIN may be a dictionary's own. */
  private static final Set<Encoding> DIFFERENCES =
      EnumSet.of(Encoding.DELTA_LENGTH_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY);

  /** Bytes of a chunk at most, since a device has all of its pages at a time. */
  private static final long MOST_BYTES = 1L << 30;

  private final ParquetColumn column;
  private final PageForm form;
  private final List<GroupChunk> groups;

  /** A row group of a file, by its number in it. */
  record GroupPlace(Footer file, int index) {
    private GroupChunk chunk(int number) {
      return new GroupChunk(file, index, file.rowGroups().get(index), file.columns().get(number));
    }
  }

  /** A column chunk of a row group. */
  private record GroupChunk(Footer file, int index, RowGroup group, ParquetColumn column) {
    /**
     * Why devices do not decode it, as far as the footer tells: what it does not say shows when its
     * pages are read. Null: they do.
     */
    @Nullable String refusal(PageForm form) {
      ColumnMetaData data = data();
      if (data == null || data.getCodec() == null || data.getEncodings() == null) {
        return null;
      }
      if (!Codecs.isSupported(data.getCodec())) {
        return "compressed by " + data.getCodec();
      }
      Set<Encoding> decoded = form == PageForm.LENGTHS ? TEXTS : ENCODINGS;
      for (Encoding encoding : data.getEncodings()) {
        if (!decoded.contains(encoding)) {
          return "values in " + encoding;
        }
      }
      return data.getTotal_uncompressed_size() > MOST_BYTES
          ? "a chunk of %,d bytes".formatted(data.getTotal_uncompressed_size())
          : null;
    }

    /** As far as the footer tells: whether all pages of values are numbers in a dictionary. */
    boolean hasDictionary() {
      ColumnMetaData data = data();
      List<Encoding> encodings = data == null ? null : data.getEncodings();
      if (data == null || encodings == null) {
        return true; // its pages tell
      }
      List<PageEncodingStats> stats = data.getEncoding_stats();
      return stats == null
          ? encodings.stream().anyMatch(DICTIONARIES::contains)
              && encodings.stream().noneMatch(DIFFERENCES::contains)
          : stats.stream()
              .allMatch(of ->
                  of.getPage_type() != PageType.DATA_PAGE
                          && of.getPage_type() != PageType.DATA_PAGE_V2
                      || DICTIONARIES.contains(of.getEncoding()));
    }

    boolean compressed() {
      ColumnMetaData data = data();
      return data != null
          && (data.getCodec() == CompressionCodec.SNAPPY
              || data.getCodec() == CompressionCodec.LZ4_RAW);
    }

    long bytes() {
      ColumnMetaData data = data();
      return data == null ? 0 : Math.max(0, data.getTotal_compressed_size());
    }

    long size() {
      ColumnMetaData data = data();
      return data == null ? 0 : Math.max(0, data.getTotal_uncompressed_size());
    }

    private @Nullable ColumnMetaData data() {
      List<ColumnChunk> chunks = group.getColumns();
      return chunks == null || column.leaf() >= chunks.size()
          ? null
          : chunks.get(column.leaf()).getMeta_data();
    }
  }

  private ParquetPagedColumn(ParquetColumn column, PageForm form, List<GroupChunk> groups) {
    this.column = column;
    this.form = form;
    this.groups = groups;
  }

  /**
   * A column of some row groups, if its values are of a width that devices decode, and of the same
   * in all files.
   *
   * @param files of the table, one at least
   * @param groups of these files, in their order
   */
  static Decodable<PagedColumn> of(
      List<Footer> files, List<GroupPlace> groups, int number, DataType type) {
    ParquetColumn first = files.getFirst().columns().get(number);
    Conversion conversion = first.conversion();
    PageForm form = form(files.getFirst(), groups, number, type);
    if (form == null || first.nested() != null) {
      return Decodable.byHost("values of type " + first.column().fileType());
    }
    // Decimals in byte arrays have no width.
    if (form == PageForm.BIG_ENDIAN && first.width() == 0) {
      return Decodable.byHost("decimals of varying length");
    }
    for (Footer file : files) {
      ParquetColumn own = file.columns().get(number);
      boolean same =
          own.conversion() == conversion
              && own.physical() == first.physical()
              && own.width() == first.width()
              && own.optional() == first.optional();
      if (!same) {
        return Decodable.byHost("another physical type in " + file.path());
      }
    }
    List<GroupChunk> chunks = new ArrayList<>();
    for (GroupPlace place : groups) {
      GroupChunk chunk = place.chunk(number);
      String refusal = chunk.refusal(form);
      if (refusal != null) {
        return Decodable.byHost(refusal);
      }
      chunks.add(chunk);
    }
    return Decodable.of(new ParquetPagedColumn(first, form, chunks));
  }

  /**
   * What becomes of values of one width, or of texts: codes come out if all are in dictionaries. A
   * writer gives a dictionary up that becomes too large, and goes on without.
   */
  private static @Nullable PageForm form(
      Footer first, List<GroupPlace> groups, int number, DataType type) {
    ParquetColumn column = first.columns().get(number);
    Conversion conversion = column.conversion();
    PageForm form = conversion == null ? null : conversion.form();
    if (type.kind().isText() && texts(column)) {
      boolean inDictionaries =
          groups.stream().allMatch(place -> place.chunk(number).hasDictionary());
      return inDictionaries ? PageForm.COPY4 : PageForm.LENGTHS;
    }
    return switch (Storage.of(type)) {
      case INT, FLOAT, LONG, DOUBLE ->
          form != null && form.outWidth() == Storage.of(type).width() ? form : null;
      default -> null;
    };
  }

  private static boolean texts(ParquetColumn column) {
    return column.conversion() == Conversion.TEXT && column.physical() == Type.BYTE_ARRAY;
  }

  @Override
  public PageForm form() {
    return form;
  }

  @Override
  public int width() {
    return column.width();
  }

  @Override
  public boolean optional() {
    return column.optional();
  }

  @Override
  public boolean compressed() {
    return groups.stream().anyMatch(GroupChunk::compressed);
  }

  @Override
  public boolean texts() {
    return texts(column) && form != PageForm.LENGTHS;
  }

  @Override
  public long rows() {
    return groups.stream().mapToLong(group -> group.group.getNum_rows()).sum();
  }

  @Override
  public int chunks() {
    return groups.size();
  }

  @Override
  public long bytes(int chunk) {
    return groups.get(chunk).bytes();
  }

  @Override
  public long size(int chunk) {
    return groups.get(chunk).size();
  }

  @FunctionalInterface
  private interface Reading<T> {
    Decodable<T> read(ColumnMetaData data, Pages pages);
  }

  private static <T> Decodable<T> read(GroupChunk of, Reading<T> reading) {
    try {
      ColumnChunk chunk =
          present(of.group.getColumns(), "a row group's columns").get(of.column.leaf());
      ColumnMetaData data = chunk.getMeta_data();
      if (data == null || chunk.isSetCrypto_metadata()) {
        return Decodable.byHost("encrypted");
      }
      return reading.read(data, of.file.pages(data));
    } catch (MalformedPageException e) {
      throw of.file.broken(of.column.column().name(), of.index, e);
    }
  }

  @Override
  public Decodable<EncodedChunk> chunk(int number, QueryMemory memory) {
    GroupChunk of = groups.get(number);
    int rows = (int) of.group.getNum_rows();
    return read(of, (data, pages) -> ChunkPages.of(of.column, form, data, pages, rows, memory));
  }

  @Override
  public Decodable<PartDictionary> words(int chunk, int most, QueryMemory memory) {
    return read(
        groups.get(chunk),
        (data, pages) ->
            form == PageForm.LENGTHS
                ? ChunkWords.some(data, optional(), pages, memory)
                : ChunkWords.of(data, pages, most, memory));
  }

  @Override
  public AragoniteException broken(int chunk, int page, MalformedPageException found) {
    GroupChunk of = groups.get(chunk);
    return of.file.broken(of.column.column().name(), of.index, found.atPage(page));
  }
}
