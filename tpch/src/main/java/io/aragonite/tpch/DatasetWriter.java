package io.aragonite.tpch;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Writes the files of one scale: threads make batches, the caller's thread writes them in the order
 * of the tables and rows. The files do not depend on the number of threads.
 */
final class DatasetWriter {
  /** Rows of every record batch but the last of a table; a multiple of 64, so of bit mask words. */
  static final int BATCH_ROWS = 128 * 1024;

  private final TpchScale scale;
  private final List<TablePlan> plans;

  /** The batches of a table, and the rows of all of them. */
  private record TablePlan(TpchTable table, Schema schema, List<RowRange> batches, long rows) {
    static TablePlan of(TpchTable table, TpchScale scale, int batchRows) {
      List<RowRange> batches = RowRange.split(table, scale, batchRows);
      long rows = batches.stream().mapToLong(RowRange::rows).sum();
      return new TablePlan(table, table.schema(scale, rows), batches, rows);
    }

    Stream<Callable<VectorSchemaRoot>> tasks(Future<BatchGenerator> generator) {
      return batches.stream().map(range -> () -> generator.get().generate(table, schema, range));
    }
  }

  DatasetWriter(TpchScale scale, int batchRows) {
    this.scale = scale;
    this.plans =
        Stream.of(TpchTable.values()).map(table -> TablePlan.of(table, scale, batchRows)).toList();
  }

  /** Rows of each table. */
  Map<TpchTable, Long> rows() {
    Map<TpchTable, Long> rows = new EnumMap<>(TpchTable.class);
    plans.forEach(plan -> rows.put(plan.table, plan.rows));
    return rows;
  }

  /**
   * Writes all tables into an existing directory.
   *
   * @param threads threads that make batches, at least 1
   * @throws IOException if a file cannot be written
   * @throws InterruptedException if the calling thread is interrupted; all threads have ended and
   *     all memory is free then, and files are left incomplete
   */
  void write(Path directory, int threads, ProgressListener listener)
      throws IOException, InterruptedException {
    try (BufferAllocator allocator = new RootAllocator();
        BatchQueue queue = new BatchQueue(threads)) {
      Future<BatchGenerator> generator = queue.submit(() -> new BatchGenerator(scale, allocator));
      Iterator<Callable<VectorSchemaRoot>> tasks =
          plans.stream().flatMap(plan -> plan.tasks(generator)).iterator();
      long done = 0;
      for (TablePlan plan : plans) {
        try (TableFile file = new TableFile(directory, plan.table, plan.schema, allocator)) {
          for (int i = 0; i < plan.batches.size(); i++) {
            try (VectorSchemaRoot batch = queue.take(tasks)) {
              file.write(batch);
              done += batch.getRowCount();
            }
            listener.progress(plan.table, done);
          }
          file.end();
        }
      }
    }
  }

  /** An Arrow IPC file being written, uncompressed. */
  private static final class TableFile implements AutoCloseable {
    private final FileChannel channel;
    private final VectorSchemaRoot root;
    private final VectorLoader loader;
    private final ArrowFileWriter writer;

    TableFile(Path directory, TpchTable table, Schema schema, BufferAllocator allocator)
        throws IOException {
      channel =
          FileChannel.open(
              directory.resolve(table.fileName()),
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.WRITE);
      root = VectorSchemaRoot.create(schema, allocator);
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
