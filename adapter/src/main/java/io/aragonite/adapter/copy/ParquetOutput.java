package io.aragonite.adapter.copy;

import io.aragonite.adapter.copy.WrittenField.WrittenLeaf;
import io.aragonite.exec.memory.MemoryReservation;
import io.aragonite.exec.settings.EngineSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnIndex;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.ColumnOrder;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.OffsetIndex;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.TypeDefinedOrder;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/** A Parquet file. A block is a row group. */
final class ParquetOutput implements FileOutput {
  private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

  /** Of a row, for numbers of values and for dictionaries while they are made. */
  private static final long ROW_BYTES = 56;

  /** Of a block, for pages. */
  private static final long FIXED_BYTES = 2 << 20;

  private final OutputStream out;
  private final PageCompression compression;
  private final List<? extends WrittenField> fields;
  private final List<WrittenLeaf> leaves = new ArrayList<>();
  private final QueryWords words;
  private final List<RowGroup> groups = new ArrayList<>();
  private final List<IndexedChunk> indexed = new ArrayList<>();
  private long position;
  private long rows;

  /** A column of a row group, whose indexes stand behind all of them. */
  private record IndexedChunk(
      ColumnChunk chunk, @Nullable ColumnIndex columnIndex, OffsetIndex offsetIndex) {}

  /**
   * @param out closed with this
   * @param fields the first columns of the rows; what stands behind them is left out
   * @param words texts that rows have codes of
   */
  ParquetOutput(
      OutputStream out,
      PageCompression compression,
      List<? extends WrittenField> fields,
      QueryWords words)
      throws IOException {
    this.out = out;
    this.compression = compression;
    this.fields = fields;
    fields.forEach(field -> leaves.addAll(field.leaves()));
    this.words = words;
    write(MAGIC);
  }

  private void write(byte[] bytes) throws IOException {
    out.write(bytes);
    position += bytes.length;
  }

  @Override
  public int blockRows() {
    return EngineSettings.current().sizes().rowGroupRows();
  }

  @Override
  public long memory(long rows, long bytes) {
    return 2 * bytes + rows * leaves.size() + rows * ROW_BYTES + FIXED_BYTES;
  }

  @Override
  public EncodedBlock encode(List<RowSlice> slices, MemoryReservation memory) throws IOException {
    int count = RowSlice.rows(slices);
    List<ColumnPages> pages = new ArrayList<>();
    try (EncodeScratch scratch = new EncodeScratch(count, memory)) {
      for (int i = 0; i < fields.size(); i++) {
        var known = words.of(slices.getFirst().root().getVector(i));
        pages.addAll(fields.get(i).pages(i, slices, known, compression, scratch));
      }
    }
    return () -> append(pages, count);
  }

  private void append(List<ColumnPages> pages, int count) throws IOException {
    List<ColumnChunk> chunks = new ArrayList<>();
    long start = position;
    long plain = 0;
    for (int i = 0; i < leaves.size(); i++) {
      WrittenLeaf leaf = leaves.get(i);
      ColumnMetaData metadata = pages.get(i).metadata(leaf.path(), leaf.type(), position);
      ColumnChunk chunk = new ColumnChunk(0);
      chunk.setMeta_data(metadata);
      chunks.add(chunk);
      indexed.add(
          new IndexedChunk(chunk, pages.get(i).columnIndex(), pages.get(i).offsetIndex(position)));
      plain += metadata.getTotal_uncompressed_size();
      for (byte[] bytes : pages.get(i).bytes()) {
        write(bytes);
      }
    }
    RowGroup group = new RowGroup(chunks, plain, count);
    group.setTotal_compressed_size(position - start);
    group.setFile_offset(start);
    groups.add(group);
    rows += count;
  }

  private void writeIndexes() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (IndexedChunk one : indexed) {
      if (one.columnIndex != null) {
        one.chunk.setColumn_index_offset(position + bytes.size());
        int before = bytes.size();
        Util.writeColumnIndex(one.columnIndex, bytes);
        one.chunk.setColumn_index_length(bytes.size() - before);
      }
    }
    for (IndexedChunk one : indexed) {
      one.chunk.setOffset_index_offset(position + bytes.size());
      int before = bytes.size();
      Util.writeOffsetIndex(one.offsetIndex, bytes);
      one.chunk.setOffset_index_length(bytes.size() - before);
    }
    write(bytes.toByteArray());
  }

  @Override
  public void finish() throws IOException {
    writeIndexes();
    List<SchemaElement> elements = new ArrayList<>();
    elements.add(new SchemaElement("schema").setNum_children(fields.size()));
    List<ColumnOrder> orders = new ArrayList<>();
    fields.forEach(field -> elements.addAll(field.elements()));
    for (WrittenLeaf _ : leaves) {
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
