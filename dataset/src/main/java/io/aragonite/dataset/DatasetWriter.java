package io.aragonite.dataset;

import io.aragonite.dataset.Dataset.DatasetTable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/**
 * Writes the files of tables: threads make batches, the caller's thread writes them in the order of
 * the tables and rows. The files do not depend on the number of threads.
 */
public final class DatasetWriter {
  /** About the rows of a record batch. */
  public static final int BATCH_ROWS = 128 * 1024;

  private DatasetWriter() {}

  /**
   * Writes tables into an existing directory.
   *
   * @param threads threads that make batches, at least 1
   * @return the rows of each table
   * @throws IOException if a file cannot be written
   * @throws InterruptedException if the calling thread is interrupted; all threads have ended and
   *     all memory is free then, and files are left incomplete
   */
  public static Map<String, Long> write(
      List<DatasetTable> tables, Path directory, int threads, ProgressListener listener)
      throws IOException, InterruptedException {
    Map<String, Long> rows = new LinkedHashMap<>();
    try (BufferAllocator allocator = new RootAllocator();
        BatchQueue queue = new BatchQueue(threads)) {
      Iterator<Callable<VectorSchemaRoot>> tasks =
          tables.stream().flatMap(table -> tasks(table, allocator)).iterator();
      long done = 0;
      for (DatasetTable table : tables) {
        long before = done;
        try (TableFile file = new TableFile(directory, table, allocator)) {
          for (int i = 0; i < table.batches().size(); i++) {
            try (VectorSchemaRoot batch = queue.take(tasks)) {
              file.write(batch);
              done += batch.getRowCount();
            }
            listener.progress(table.name(), done);
          }
          file.end();
        }
        rows.put(table.name(), done - before);
      }
    }
    return rows;
  }

  private static Stream<Callable<VectorSchemaRoot>> tasks(
      DatasetTable table, BufferAllocator allocator) {
    return table.batches().stream().map(batch -> () -> batch.make(allocator));
  }

  /** An Arrow IPC file being written, uncompressed. */
  private static final class TableFile implements AutoCloseable {
    private final FileChannel channel;
    private final VectorSchemaRoot root;
    private final VectorLoader loader;
    private final ArrowFileWriter writer;

    TableFile(Path directory, DatasetTable table, BufferAllocator allocator) throws IOException {
      channel =
          FileChannel.open(
              directory.resolve(Dataset.fileName(table.name())),
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.WRITE);
      root = VectorSchemaRoot.create(table.schema(), allocator);
      loader = new VectorLoader(root);
      writer = new ArrowFileWriter(root, null, channel);
    }

    void write(VectorSchemaRoot batch) throws IOException {
      try (ArrowRecordBatch record = new VectorUnloader(batch).getRecordBatch()) {
        loader.load(record); // shares the buffers
      }
      writer.writeBatch();
      root.clear();
    }

    void end() throws IOException {
      writer.end();
    }

    @Override
    public void close() throws IOException {
      root.close();
      channel.close(); // not the writer: its close would write the end of a file that has none
    }
  }
}
