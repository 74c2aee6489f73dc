package io.aragonite.exec.operator;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Sink;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/**
 * Collects all rows: build sides, sorts, windows. They are in a collection, so that they may leave
 * memory until somebody asks for them.
 */
public final class RowCollector implements Sink {
  private final SpillableRowCollection collection;

  /**
   * @param node whose rows they are, for the metrics
   */
  public RowCollector(List<ColumnShape> shapes, QuerySpill spill, QueryMetrics.NodeMetrics node) {
    this.collection = spill.newRowCollection(shapes, node);
  }

  @Override
  public BatchConsumer newWorker(ExecContext context) {
    SpillableRowCollection.Writer writer = collection.newWriter();
    return batch -> writer.append(context, batch);
  }

  @Override
  public void finish(ExecContext context, Parallel parallel) {
    collection.seal();
  }

  /** The rows, once the pipeline has ended. */
  public SpillableRowCollection collection() {
    return collection;
  }

  /**
   * The rows in one batch without indirection, once; their memory is the caller's.
   *
   * @param context of the coordinating thread
   */
  public ColumnBatch rows(ExecContext context) {
    return collection.gather(context);
  }
}
