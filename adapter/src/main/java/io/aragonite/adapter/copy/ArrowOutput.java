package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.MemoryReservation;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.types.pojo.Schema;

/** An Arrow IPC file. A block is a record batch; there is nothing to encode. */
final class ArrowOutput implements FileOutput {
  private static final int BATCH_ROWS = 1 << 17;

  private final VectorSchemaRoot root;
  private final ArrowFileWriter writer;

  /**
   * @param out closed with this
   * @param schema of the first columns of the rows; what stands behind them is left out
   */
  ArrowOutput(WritableByteChannel out, Schema schema, BufferAllocator allocator)
      throws IOException {
    this.root = VectorSchemaRoot.create(schema, allocator);
    this.writer = new ArrowFileWriter(root, null, out);
    writer.start();
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
      slice
          .root()
          .getVector(i)
          .makeTransferPair(vectors.get(i))
          .splitAndTransfer(slice.from(), slice.rows());
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
  public void close() {
    try {
      writer.close(); // writes the end, for which there may be no room
    } finally {
      root.close();
    }
  }
}
