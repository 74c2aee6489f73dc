package io.aragonite.exec.operator;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Sink;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.spill.Spool;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/**
 * Collects all rows: build sides, sorts, windows. They are in a spool, so that they may leave
 * memory until somebody asks for them.
 */
public final class RowCollector implements Sink {
  private final Spool spool;

  /**
   * @param node whose rows they are, for the metrics
   */
  public RowCollector(List<ColumnShape> shapes, QuerySpill spill, QueryMetrics.Node node) {
    this.spool = spill.newSpool(shapes, node);
  }

  @Override
  public BatchConsumer newWorker(ExecContext context) {
    Spool.Writer writer = spool.newWriter();
    return batch -> writer.append(context, batch);
  }

  @Override
  public void finish(ExecContext context, Parallel parallel) {
    spool.seal();
  }

  /** The rows, once the pipeline has ended. */
  public Spool spool() {
    return spool;
  }

  /**
   * The rows in one batch without indirection, once; their memory is the caller's.
   *
   * @param context of the coordinating thread
   */
  public ColumnBatch rows(ExecContext context) {
    return spool.gather(context);
  }
}
