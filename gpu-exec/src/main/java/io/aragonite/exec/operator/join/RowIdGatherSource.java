package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows in another order than they lie in: seen through row numbers, with one more column, which is
 * in that order itself.
 */
final class RowIdGatherSource implements Source {
  private final ColumnBatch rows;
  private final Source ahead;
  private final @Nullable QueryMemory owner;

  /**
   * @param rows without indirection
   * @param ahead two columns: 32-bit row numbers, and the column that goes behind the rows' own
   * @param owner where the rows are given back to in the end; null: they are somebody else's
   */
  RowIdGatherSource(ColumnBatch rows, Source ahead, @Nullable QueryMemory owner) {
    this.rows = rows;
    this.ahead = ahead;
    this.owner = owner;
  }

  @Override
  public List<ColumnShape> shapes() {
    return JoinSpec.concat(rows.shapes(), List.of(ahead.shapes().get(1)));
  }

  @Override
  public int morsels() {
    return ahead.morsels();
  }

  @Override
  public boolean ordered() {
    return ahead.ordered();
  }

  @Override
  public boolean keepsOrder() {
    return ahead.keepsOrder();
  }

  @Override
  public boolean expands() {
    return ahead.expands();
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    ahead.run(
        context,
        morsel,
        new BatchConsumer() {
          @Override
          public void accept(ColumnBatch batch) {
            RowIds ids = new RowIds(batch.column(0).values(), batch.rows(), false);
            List<Column> columns = new ArrayList<>();
            rows.columns().forEach(column -> columns.add(column.withRowIds(ids)));
            columns.add(batch.column(1));
            consumer.accept(new ColumnBatch(columns, batch.rows()));
          }

          @Override
          public void finish() {
            consumer.finish();
          }

          @Override
          public boolean done() {
            return consumer.done();
          }
        });
  }

  @Override
  public void close() {
    ahead.close();
    QueryMemory memory = owner;
    if (memory != null) {
      rows.columns().forEach(column -> Batches.free(memory, column));
    }
  }
}
