package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the payload columns of a join come to its output, in all join algorithms: nothing is copied,
 * row ids are composed, and whoever reads a column gathers it. Where the rows are as they came,
 * that is what Wu, Koutsoukos and Alonso ("Efficiently Processing Joins and Grouped Aggregations on
 * GPUs", SIGMOD 2024) call gathering from untransformed relations (GFUR); where {@link
 * CoPartitioner} has brought them into an order, it is gathering from transformed ones (GFTR).
 */
final class Materialization {
  private Materialization() {}

  /**
   * Rows of a batch by their positions.
   *
   * @param columns columns of {@code rows} rows, with any indirections
   * @param shapes shapes of the output, a column each; they differ from the input's in nullability
   *     at most
   * @param positions 32-bit rows of the batch; null: all rows in order
   * @param mayBeNull whether a position can be -1, which stands for a row of nulls
   */
  static List<Column> gather(
      ExecContext context,
      List<Column> columns,
      List<ColumnShape> shapes,
      @Nullable Buffer positions,
      int count,
      boolean mayBeNull) {
    RowIds ids = positions == null ? null : new RowIds(positions, count, mayBeNull);
    return gather(context, columns, shapes, ids);
  }

  /** Rows of a build side, which are there until the last probe has ended, by their positions. */
  static List<Column> gatherBuild(
      ExecContext context,
      ColumnBatch rows,
      List<ColumnShape> shapes,
      Buffer positions,
      int count,
      boolean mayBeNull) {
    RowIds ids = new RowIds(positions, count, mayBeNull, rows);
    return gather(context, rows.columns(), shapes, ids);
  }

  private static List<Column> gather(
      ExecContext context,
      List<Column> columns,
      List<ColumnShape> shapes,
      @Nullable RowIds positions) {
    List<Column> out = new ArrayList<>(columns.size());
    // Columns that came the same way share one RowIds object: compose it once. There are as many
    // as joins below, so a linear search over the last few is enough.
    List<RowIds> from = new ArrayList<>(4);
    List<RowIds> to = new ArrayList<>(4);
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      RowIds ids = column.rowIds();
      if (positions != null) {
        ids = ids == null ? positions : composed(context, ids, positions, from, to);
      }
      out.add(
          new Column(
              shapes.get(i),
              column.dataRows(),
              column.values(),
              column.offsets(),
              column.validity(),
              ids));
    }
    return out;
  }

  @SuppressWarnings("ReferenceEquality") // the same object, not equal ones
  private static RowIds composed(
      ExecContext context, RowIds ids, RowIds positions, List<RowIds> from, List<RowIds> to) {
    for (int i = 0; i < from.size(); i++) {
      if (from.get(i) == ids) {
        return to.get(i);
      }
    }
    int count = positions.count();
    Buffer out = context.scratch().allocate(count * 4L);
    context.gather().gatherIds(context, ids.ids(), positions.ids(), count, out);
    RowIds result = new RowIds(out, count, positions.mayBeNull() || ids.mayBeNull(), ids.source());
    from.add(ids);
    to.add(result);
    return result;
  }

  /** As {@link #gather}, of a whole batch with its own shapes and no nulls added. */
  static ColumnBatch rows(
      ExecContext context, ColumnBatch batch, @Nullable Buffer positions, int count) {
    return new ColumnBatch(
        gather(context, batch.columns(), batch.shapes(), positions, count, false), count);
  }
}
