package io.aragonite.adapter.copy;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.memory.MemoryReservation;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** An Arrow IPC file. A block is a record batch; there is nothing to encode. */
final class ArrowOutput implements FileOutput {
  private static final int BATCH_ROWS = 1 << 17;

  private final List<NestedType> types;
  private final WritableByteChannel out;
  private final VectorSchemaRoot root;
  private final ArrowFileWriter writer;

  /**
   * @param out closed with this
   * @param fields the first columns of the rows; what stands behind them is left out
   * @param types of these
   * @param uuids which of them are texts of UUIDs
   */
  ArrowOutput(
      WritableByteChannel out,
      List<Field> fields,
      List<NestedType> types,
      BitSet uuids,
      BufferAllocator allocator)
      throws IOException {
    this.out = out;
    this.types = types;
    List<Field> written = new ArrayList<>();
    for (int i = 0; i < fields.size(); i++) {
      Field field = fields.get(i);
      written.add(
          uuids.get(i)
              ? uuid(field)
              : isFlat(i) ? field : NestedVectors.field(field.getName(), types.get(i)));
    }
    this.root = VectorSchemaRoot.create(new Schema(written), allocator);
    this.writer = new ArrowFileWriter(root, null, out);
    writer.start();
  }

  private static Field uuid(Field texts) {
    Map<String, String> metadata = Map.of(FileColumn.ARROW_TYPE, FileColumn.ARROW_UUID);
    FieldType type = new FieldType(texts.isNullable(), texts.getType(), null, metadata);
    return new Field(texts.getName(), type, null);
  }

  private boolean isFlat(int column) {
    return types.get(column) instanceof NestedType.Scalar;
  }

  @Override
  public int blockRows() {
    return BATCH_ROWS;
  }

  @Override
  public long memory(long rows, long bytes) {
    return 0;
  }

  @Override
  public EncodedBlock encode(List<RowSlice> rows, MemoryReservation memory) {
    return () -> {
      for (RowSlice slice : rows) {
        append(slice);
      }
    };
  }

  private void append(RowSlice slice) throws IOException {
    List<FieldVector> vectors = root.getFieldVectors();
    for (int i = 0; i < vectors.size(); i++) {
      FieldVector from = slice.root().getVector(i);
      FieldVector to = vectors.get(i);
      if (isFlat(i)) {
        from.makeTransferPair(to).splitAndTransfer(slice.from(), slice.rows());
      } else {
        new NestedVectors(to.getName())
            .fill(types.get(i), (VarBinaryVector) from, slice.from(), slice.to(), to);
      }
    }
    root.setRowCount(slice.rows());
    writer.writeBatch();
    root.clear();
  }

  @Override
  public void finish() throws IOException {
    writer.end();
  }

  @Override
  public void close() throws IOException {
    // The writer would write an end first, for which there may be no room, and then not close this.
    try (root) {
      out.close();
    }
  }
}
