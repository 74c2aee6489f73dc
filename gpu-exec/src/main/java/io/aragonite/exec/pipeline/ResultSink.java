package io.aragonite.exec.pipeline;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.operator.Batches;
import java.util.List;

/** Collects the rows of the last pipeline into batches of host memory of their own. */
final class ResultSink implements Sink {
  private final ResultQueue queue;
  private final QueryExecution query;
  private final List<ColumnShape> shapes;

  ResultSink(ResultQueue queue, QueryExecution query, List<ColumnShape> shapes) {
    this.queue = queue;
    this.query = query;
    this.shapes = shapes;
  }

  @Override
  public BatchConsumer newWorker(ExecContext context) {
    int enough = query.device().properties().batchRows();
    return new BatchConsumer() {
      private ColumnStore store = new ColumnStore(shapes, query.memory());

      @Override
      public void accept(ColumnBatch batch) {
        store.append(context, batch);
        if (store.rows() >= enough) {
          emit();
        }
      }

      @Override
      public void finish() {
        if (store.rows() > 0) {
          emit();
        }
        store.close();
      }

      private void emit() {
        ColumnBatch full = store.take();
        store = new ColumnStore(shapes, query.memory());
        ColumnBatch result = HostColumns.toHost(context, full, query.hostMemory());
        if (!query.device().transfers().shared()) {
          full.columns().forEach(column -> Batches.free(query.memory(), column));
        }
        queue.put(new ResultQueue.Entry(result));
      }
    };
  }

  @Override
  public void finish(ExecContext context, Parallel parallel) {}
}
