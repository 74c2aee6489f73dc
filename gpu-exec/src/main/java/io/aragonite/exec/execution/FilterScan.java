package io.aragonite.exec.execution;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostView;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.table.RowBlocks;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds where in a table a filter keeps rows, by a look at its own columns, so that the others are
 * read there only (late materialization: Abadi et al., "Materialization Strategies in a
 * Column-Oriented DBMS", 2007).
 */
final class FilterScan {
  /** A block is a small part of a page of a file. */
  private static final int BLOCK_ROWS = 1 << 10;

  /** What part of the blocks may be wanted, at most: the filter does not help otherwise. */
  private static final int SHARE = 2;

  private final CompiledPredicate predicate;
  private final List<ColumnBatch> batches = new ArrayList<>();

  /** The first row of each batch. */
  private final List<Long> starts = new ArrayList<>();

  private final BitSet wanted = new BitSet();
  private final long most;
  private volatile boolean tooMany;

  private FilterScan(CompiledPredicate predicate, List<ColumnBatch> chunks, int batchRows) {
    this.predicate = predicate;
    long start = 0;
    for (ColumnBatch chunk : chunks) {
      for (int from = 0; from < chunk.rows(); from += batchRows) {
        int rows = Math.min(batchRows, chunk.rows() - from);
        batches.add(Batches.slice(chunk, from, rows));
        starts.add(start + from);
      }
      start += chunk.rows();
    }
    this.most = start / BLOCK_ROWS / SHARE;
  }

  /**
   * The blocks that have rows for which a predicate is true; null if they are many.
   *
   * @param context of the coordinating thread
   * @param predicate over the columns of the chunks
   * @param chunks all rows of a table, on the context's device
   */
  static @Nullable RowBlocks run(
      ExecContext context, CompiledPredicate predicate, List<ColumnBatch> chunks) {
    int batchRows = context.device().properties().batchRows();
    FilterScan scan = new FilterScan(predicate, chunks, batchRows);
    context.parallel().forEach(scan.batches.size(), scan::look);
    return scan.tooMany ? null : new RowBlocks(scan.wanted, BLOCK_ROWS);
  }

  private void look(ExecContext context, int number) {
    if (tooMany) {
      return;
    }
    ColumnBatch batch = batches.get(number);
    Buffer positions = context.scratch().allocate(4L * batch.rows());
    int count = predicate.select(context, batch, positions);
    if (count == 0) {
      return;
    }
    BitSet blocks = new BitSet();
    int first = (int) (starts.get(number) / BLOCK_ROWS);
    int odd = (int) (starts.get(number) % BLOCK_ROWS);
    try (HostView view = new HostView(context, positions.slice(0, 4L * count))) {
      for (int i = 0; i < count; i++) {
        blocks.set(first + (odd + Mem.getInt(view.buffer().address() + 4L * i)) / BLOCK_ROWS);
      }
    }
    synchronized (this) {
      wanted.or(blocks);
      tooMany |= wanted.cardinality() > most;
    }
  }
}
