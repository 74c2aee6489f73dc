package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Ways to look at the rows of a batch differently, without copying data. */
public final class Batches {
  private Batches() {}

  /**
   * The rows at {@code positions}, in their order. Columns that shared an indirection share the new
   * one, which is composed once for all of them.
   *
   * @param positions 32-bit row numbers of the batch
   */
  public static ColumnBatch select(
      ExecContext context, ColumnBatch batch, Buffer positions, int count) {
    return new ColumnBatch(
        select(context, batch.columns(), new RowIds(positions, count, false)), count);
  }

  /**
   * Columns seen through {@code positions}.
   *
   * @param positions row numbers of the columns' batch; -1 gives a row of nulls if it says so
   */
  @SuppressWarnings("ReferenceEquality") // an indirection is its object
  public static List<Column> select(ExecContext context, List<Column> columns, RowIds positions) {
    Column[] selected = new Column[columns.size()];
    // Almost always there is one indirection or none.
    @Nullable RowIds lastBefore = null;
    @Nullable RowIds lastAfter = null;
    @Nullable Map<RowIds, RowIds> composed = null;
    for (int i = 0; i < selected.length; i++) {
      Column column = columns.get(i);
      RowIds before = column.rowIds();
      RowIds after;
      if (before == null) {
        after = positions;
      } else if (before == lastBefore && lastAfter != null) {
        after = lastAfter;
      } else {
        if (composed == null) {
          composed = new IdentityHashMap<>();
        }
        after = composed.get(before);
        if (after == null) {
          after = compose(context, before, positions);
          composed.put(before, after);
        }
        lastBefore = before;
        lastAfter = after;
      }
      selected[i] = column.withRowIds(after);
    }
    return List.of(selected);
  }

  /** Rows {@code from} to {@code from + count} of columns without indirections. */
  public static ColumnBatch slice(ColumnBatch batch, int from, int count) {
    if (from == 0 && count == batch.rows()) {
      return batch;
    }
    Column[] columns = new Column[batch.columns().size()];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = batch.column(i).slice(from, count);
    }
    return new ColumnBatch(List.of(columns), count);
  }

  /** Frees the buffers of a column's data. */
  public static void free(QueryMemory memory, Column column) {
    memory.free(column.values());
    memory.free(column.offsets());
    Buffer validity = column.validity();
    if (validity != null) {
      memory.free(validity);
    }
  }

  /** Frees the buffers of columns, of which some may be the same: a join's two key columns are. */
  public static void free(QueryMemory memory, ColumnBatch batch) {
    Set<Long> freed = new HashSet<>();
    for (Column column : batch.columns()) {
      long values = column.values().address();
      if (values == 0 || freed.add(values)) {
        free(memory, column);
      }
    }
  }

  /** The batch with a copy of each column that shares its values with one before. */
  public static ColumnBatch separate(ExecContext context, ColumnBatch batch) {
    Set<Long> seen = new HashSet<>();
    List<Column> columns = new ArrayList<>();
    for (Column column : batch.columns()) {
      long values = column.values().address();
      boolean own = values == 0 || seen.add(values);
      columns.add(own ? column : context.gather().materialize(context, column, context.memory()));
    }
    return new ColumnBatch(columns, batch.rows());
  }

  private static RowIds compose(ExecContext context, RowIds ids, RowIds positions) {
    int count = positions.count();
    Buffer out = context.scratch().allocate(4L * count);
    context.gather().gatherIds(context, ids.ids(), positions.ids(), count, out);
    return new RowIds(out, count, ids.mayBeNull() || positions.mayBeNull(), ids.source());
  }

  /**
   * The values of a projection's only column, of 8 bytes, for all rows.
   *
   * @param rows without indirections
   * @return the caller's
   */
  public static Buffer evaluate(
      ExecContext context, CompiledProjection projection, ColumnBatch rows) {
    int count = rows.rows();
    Buffer out = context.memory().allocate(8L * count);
    int piece = context.device().properties().batchRows();
    int pieces = (int) (((long) count + piece - 1) / piece);
    context
        .parallel()
        .forEach(
            pieces,
            (worker, i) -> {
              worker.checkCancelled();
              long mark = worker.scratch().mark();
              int from = i * piece;
              int some = Math.min(piece, count - from);
              ColumnBatch batch = slice(rows, from, some);
              Buffer words = projection.evaluate(worker, batch).column(0).values();
              Buffer place = out.slice(8L * from, 8L * some);
              worker.device().transfers().copy(worker, words, place, 8L * some);
              worker.scratch().release(mark);
            });
    return out;
  }
}
