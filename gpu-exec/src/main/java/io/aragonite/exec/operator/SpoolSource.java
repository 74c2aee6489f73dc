package io.aragonite.exec.operator;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.spill.Spool;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/** The rows of a spool, once: a block is freed when it has been used. */
public final class SpoolSource implements Source {
  private final Spool spool;
  private final boolean ordered;

  public SpoolSource(Spool spool) {
    this(spool, false);
  }

  /**
   * @param ordered whether the rows' order is to be kept
   */
  public SpoolSource(Spool spool, boolean ordered) {
    this.spool = spool;
    this.ordered = ordered;
  }

  @Override
  public boolean ordered() {
    return ordered;
  }

  @Override
  public long rows() {
    return spool.rows();
  }

  @Override
  public List<ColumnShape> shapes() {
    return spool.shapes();
  }

  @Override
  public int morsels() {
    return spool.size();
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    spool.readInBatches(
        context,
        morsel,
        (worker, batch) -> {
          if (!consumer.done()) {
            consumer.accept(batch);
          }
        });
    spool.free(morsel);
  }

  @Override
  public void close() {
    spool.close();
  }
}
