package io.aragonite.exec.operator;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/** The rows of a collection, once: a block is freed when it has been used. */
public final class RowCollectionSource implements Source {
  private final SpillableRowCollection collection;
  private final boolean ordered;

  public RowCollectionSource(SpillableRowCollection collection) {
    this(collection, false);
  }

  /**
   * @param ordered whether the rows' order is to be kept
   */
  public RowCollectionSource(SpillableRowCollection collection, boolean ordered) {
    this.collection = collection;
    this.ordered = ordered;
  }

  @Override
  public boolean ordered() {
    return ordered;
  }

  @Override
  public boolean keepsOrder() {
    return ordered;
  }

  @Override
  public long rows() {
    return collection.rows();
  }

  @Override
  public List<ColumnShape> shapes() {
    return collection.shapes();
  }

  @Override
  public int morsels() {
    return collection.size();
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    collection.readInBatches(
        context,
        morsel,
        (worker, batch) -> {
          if (!consumer.done()) {
            consumer.accept(batch);
          }
        });
    collection.free(morsel);
  }

  @Override
  public void close() {
    collection.close();
  }
}
