package io.aragonite.adapter.copy;

import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/** Rows {@code from} to {@code to} of some vectors, which it holds until it is closed. */
record RowSlice(VectorSchemaRoot root, int from, int to) implements AutoCloseable {
  /** A slice of vectors whose owner loads other rows into them next; nothing is copied. */
  static RowSlice of(VectorSchemaRoot root, int from, int to, BufferAllocator allocator) {
    VectorSchemaRoot own = VectorSchemaRoot.create(root.getSchema(), allocator);
    try (ArrowRecordBatch batch = new VectorUnloader(root).getRecordBatch()) {
      new VectorLoader(own).load(batch);
    }
    return new RowSlice(own, from, to);
  }

  int rows() {
    return to - from;
  }

  static int rows(List<RowSlice> slices) {
    return slices.stream().mapToInt(RowSlice::rows).sum();
  }

  @Override
  public void close() {
    root.close();
  }
}
