package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.RowGroup;
import org.jspecify.annotations.Nullable;

/** A column of Parquet files, row group by row group, as a device decodes it. */
final class ParquetEncodedColumn implements EncodedColumn {
  private static final Set<CompressionCodec> CODECS =
      EnumSet.of(CompressionCodec.UNCOMPRESSED, CompressionCodec.SNAPPY);

  private static final Set<Encoding> ENCODINGS =
      EnumSet.of(
          Encoding.PLAIN,
          Encoding.PLAIN_DICTIONARY,
          Encoding.RLE_DICTIONARY,
          Encoding.RLE,
          Encoding.BIT_PACKED,
          Encoding.DELTA_BINARY_PACKED);

  /** Bytes of a chunk at most, since a device has all of its pages at a time. */
  private static final long MOST_BYTES = 1L << 30;

  private final DataType type;
  private final ParquetColumn column;
  private final PageForm form;
  private final List<GroupChunk> groups;

  /** A column chunk of a row group. */
  private record GroupChunk(Footer file, int index, RowGroup group, ParquetColumn column) {
    /**
     * Why devices do not decode it, as far as the footer tells: what it does not say shows when its
     * pages are read. Null: they do.
     */
    @Nullable String refusal() {
      ColumnMetaData data = data();
      if (data == null || data.getCodec() == null || data.getEncodings() == null) {
        return null;
      }
      if (!CODECS.contains(data.getCodec())) {
        return "compressed by " + data.getCodec();
      }
      for (Encoding encoding : data.getEncodings()) {
        if (!ENCODINGS.contains(encoding)) {
          return "values in " + encoding;
        }
      }
      return data.getTotal_uncompressed_size() > MOST_BYTES
          ? "a chunk of %,d bytes".formatted(data.getTotal_uncompressed_size())
          : null;
    }

    long bytes() {
      ColumnMetaData data = data();
      return data == null ? 0 : Math.max(0, data.getTotal_compressed_size());
    }

    private @Nullable ColumnMetaData data() {
      List<ColumnChunk> chunks = group.getColumns();
      return chunks == null || column.leaf() >= chunks.size()
          ? null
          : chunks.get(column.leaf()).getMeta_data();
    }
  }

  private ParquetEncodedColumn(
      DataType type, ParquetColumn column, PageForm form, List<GroupChunk> groups) {
    this.type = type;
    this.column = column;
    this.form = form;
    this.groups = groups;
  }

  /**
   * A column of files, if its values are of a width that devices decode, and of the same in all
   * files.
   */
  static Decodable<EncodedColumn> of(List<Footer> files, int number, DataType type) {
    ParquetColumn first = files.getFirst().columns().get(number);
    Conversion conversion = first.conversion();
    PageForm form = conversion == null ? null : conversion.form();
    boolean fits =
        switch (Storage.of(type)) {
          case INT, FLOAT, LONG, DOUBLE ->
              form != null && form.outWidth() == Storage.of(type).width();
          default -> false;
        };
    if (!fits || form == null || first.nested() != null) {
      return Decodable.byHost("values of type " + first.column().fileType());
    }
    // Decimals in byte arrays have no width.
    if (form == PageForm.BIG_ENDIAN && first.width() == 0) {
      return Decodable.byHost("decimals of varying length");
    }
    List<GroupChunk> groups = new ArrayList<>();
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
      for (int g = 0; g < file.rowGroups().size(); g++) {
        GroupChunk group = new GroupChunk(file, g, file.rowGroups().get(g), own);
        String refusal = group.refusal();
        if (refusal != null) {
          return Decodable.byHost(refusal);
        }
        groups.add(group);
      }
    }
    return Decodable.of(new ParquetEncodedColumn(type, first, form, groups));
  }

  @Override
  public DataType type() {
    return type;
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
  public long rows() {
    return groups.stream().mapToLong(group -> group.group.getNum_rows()).sum();
  }

  @Override
  public int chunks() {
    return groups.size();
  }

  @Override
  public long bytes() {
    return groups.stream().mapToLong(GroupChunk::bytes).sum();
  }

  @Override
  public Decodable<EncodedChunk> chunk(int number) {
    GroupChunk of = groups.get(number);
    try {
      ColumnChunk chunk =
          present(of.group.getColumns(), "a row group's columns").get(of.column.leaf());
      ColumnMetaData data = chunk.getMeta_data();
      if (data == null || chunk.isSetCrypto_metadata()) {
        return Decodable.byHost("encrypted");
      }
      Pages pages = of.file.pages(data);
      return ChunkPages.of(of.column, form, data, pages, (int) of.group.getNum_rows());
    } catch (MalformedPageException e) {
      throw of.file.broken(of.column.column().name(), of.index, e);
    }
  }

  @Override
  public AragoniteException broken(int chunk, int page, MalformedPageException found) {
    GroupChunk of = groups.get(chunk);
    return of.file.broken(of.column.column().name(), of.index, found.atPage(page));
  }

  @Override
  public boolean accept(ColumnShape shape, long nulls) {
    return true;
  }

  @Override
  public void close() {}
}
