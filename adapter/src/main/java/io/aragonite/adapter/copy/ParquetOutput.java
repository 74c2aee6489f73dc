package io.aragonite.adapter.copy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.vector.FieldVector;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.page.PageWriteStore;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.ColumnOrder;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.TypeDefinedOrder;
import org.apache.parquet.format.Util;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;

/**
 * A Parquet file. Parquet's own library encodes the values of pages; the file is put together here,
 * since that part of the library wants Hadoop. A block is a row group.
 */
final class ParquetOutput implements FileOutput {
  private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
  private static final int GROUP_ROWS = 122_880;
  private static final int PAGE_ROWS = 20_000;
  private static final long PAGE_BYTES = 1 << 20;

  private final OutputStream out;
  private final PageCompression compression;
  private final List<ParquetField> fields;
  private final MessageType schema;
  private final List<RowGroup> groups = new ArrayList<>();
  private long position;
  private long rows;

  /**
   * @param out closed with this
   * @param fields the first columns of the rows; what stands behind them is left out
   */
  ParquetOutput(OutputStream out, PageCompression compression, List<ParquetField> fields)
      throws IOException {
    this.out = out;
    this.compression = compression;
    this.fields = fields;
    this.schema =
        new MessageType("schema", fields.stream().map(field -> (Type) field.primitive()).toList());
    write(MAGIC);
  }

  private void write(byte[] bytes) throws IOException {
    out.write(bytes);
    position += bytes.length;
  }

  @Override
  public int blockRows() {
    return GROUP_ROWS;
  }

  @Override
  public EncodedBlock encode(List<RowSlice> slices) throws IOException {
    int pageRows = pageRows(slices);
    ParquetProperties properties =
        ParquetProperties.builder()
            .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_1_0)
            .withPageRowCountLimit(pageRows)
            .withMinRowCountForPageSizeCheck(pageRows)
            .withMaxRowCountForPageSizeCheck(pageRows)
            .estimateRowCountForPageSizeCheck(false)
            .build();
    Map<String, ColumnPages> pages = new LinkedHashMap<>();
    fields.forEach(field -> pages.put(field.name(), new ColumnPages(compression)));
    PageWriteStore pageStore =
        new PageWriteStore() {
          @Override
          public PageWriter getPageWriter(ColumnDescriptor column) {
            return Objects.requireNonNull(pages.get(column.getPath()[0]));
          }
        };
    ColumnWriteStore store = properties.newColumnWriteStore(schema, pageStore);
    List<ColumnDescriptor> columns = schema.getColumns();
    // The library looks at the sizes of pages after a page of rows, which all columns have then.
    int inPage = 0;
    for (RowSlice slice : slices) {
      int at = slice.from();
      while (at < slice.to()) {
        int take = Math.min(slice.to() - at, pageRows - inPage);
        for (int i = 0; i < fields.size(); i++) {
          FieldVector vector = slice.root().getVector(i);
          fields.get(i).write(vector, at, at + take, store.getColumnWriter(columns.get(i)));
        }
        for (int row = 0; row < take; row++) {
          store.endRecord();
        }
        at += take;
        inPage = (inPage + take) % pageRows;
      }
    }
    store.flush();
    store.close();
    int count = RowSlice.rows(slices);
    return () -> append(List.copyOf(pages.values()), count);
  }

  /** Rows of a page, fewer where values are long. */
  private static int pageRows(List<RowSlice> slices) {
    long widest = 1;
    for (RowSlice slice : slices) {
      for (FieldVector vector : slice.root().getFieldVectors()) {
        widest = Math.max(widest, ParquetField.width(vector, slice.from(), slice.to()));
      }
    }
    return (int) Math.clamp(PAGE_BYTES / widest, 64, PAGE_ROWS);
  }

  private void append(List<ColumnPages> pages, int count) throws IOException {
    List<ColumnChunk> chunks = new ArrayList<>();
    long start = position;
    long plain = 0;
    for (int i = 0; i < fields.size(); i++) {
      ParquetField field = fields.get(i);
      ColumnMetaData metadata = pages.get(i).metadata(field.name(), field.stored(), position);
      ColumnChunk chunk = new ColumnChunk(0);
      chunk.setMeta_data(metadata);
      chunks.add(chunk);
      plain += metadata.getTotal_uncompressed_size();
      for (ByteArrayOutputStream bytes : pages.get(i).bytes()) {
        bytes.writeTo(out);
        position += bytes.size();
      }
    }
    RowGroup group = new RowGroup(chunks, plain, count);
    group.setTotal_compressed_size(position - start);
    group.setFile_offset(start);
    groups.add(group);
    rows += count;
  }

  @Override
  public void finish() throws IOException {
    List<SchemaElement> elements = new ArrayList<>();
    elements.add(new SchemaElement("schema").setNum_children(fields.size()));
    List<ColumnOrder> orders = new ArrayList<>();
    for (ParquetField field : fields) {
      elements.add(field.element());
      orders.add(ColumnOrder.TYPE_ORDER(new TypeDefinedOrder()));
    }
    FileMetaData metadata = new FileMetaData(1, elements, rows, groups);
    metadata.setCreated_by("Aragonite");
    metadata.setColumn_orders(orders);
    ByteArrayOutputStream footer = new ByteArrayOutputStream();
    Util.writeFileMetaData(metadata, footer);
    write(footer.toByteArray());
    int length = footer.size();
    write(
        new byte[] {
          (byte) length, (byte) (length >> 8), (byte) (length >> 16), (byte) (length >> 24)
        });
    write(MAGIC);
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
