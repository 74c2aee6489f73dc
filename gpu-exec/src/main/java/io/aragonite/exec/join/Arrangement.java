package io.aragonite.exec.join;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.device.WordOrder;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.Batches;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings the collected rows of both sides of a join into an order in which equal keys are near each
 * other on both: what Wu, Koutsoukos and Alonso call the transformation. All columns come along, so
 * that what is gathered later is gathered nearby (GFTR). Neither which rows there are nor what
 * belongs together changes, so that whatever joins the rows as they were joins them arranged.
 */
public final class Arrangement {
  private Arrangement() {}

  /** Both sides, arranged. */
  record Sides(ColumnBatch build, ColumnBatch probe, int bits) {}

  /**
   * Partitions both sides by the places of their words in a hash table over the build side. The
   * rows' own memory is freed.
   */
  static Sides partition(
      ExecContext context,
      ColumnBatch build,
      CompiledProjection buildWords,
      ColumnBatch probe,
      CompiledProjection probeWords) {
    Primitives primitives = context.device().primitives();
    Buffer words = words(context, buildWords, build);
    WordOrder order = primitives.wordOrder(context, words, Long.BYTES, build.rows());
    int width = build.columns().stream().mapToInt(column -> column.shape().storage().width()).sum();
    int bits = RowPartition.bits(context.device(), order, build.rows(), width);
    ColumnBatch newBuild = partition(context, order, bits, words, build);
    Buffer others = words(context, probeWords, probe);
    return new Sides(newBuild, partition(context, order, bits, others, probe), bits);
  }

  private static ColumnBatch partition(
      ExecContext context, WordOrder order, int bits, Buffer words, ColumnBatch rows) {
    RowPartition parts =
        RowPartition.of(
            context, order, bits, words, Long.BYTES, rows.rows(), rows.columns(), false);
    context.memory().free(words);
    parts.freeWords();
    rows.columns().forEach(column -> Batches.free(context.memory(), column));
    return new ColumnBatch(parts.columns(), rows.rows());
  }

  /** Sorts both sides by their words, where they are not already. The rows' memory is freed. */
  static Sides sort(
      ExecContext context,
      ColumnBatch build,
      CompiledProjection buildWords,
      ColumnBatch probe,
      CompiledProjection probeWords) {
    return new Sides(
        sort(context, words(context, buildWords, build), build),
        sort(context, words(context, probeWords, probe), probe),
        0);
  }

  private static ColumnBatch sort(ExecContext context, Buffer words, ColumnBatch rows) {
    Primitives primitives = context.device().primitives();
    QueryMemory memory = context.memory();
    int count = rows.rows();
    if (primitives.sorted(context, words, count)) {
      memory.free(words);
      return rows;
    }
    Buffer ids = memory.allocate(4L * count);
    primitives.iota(context, ids, 0, count);
    primitives.sortPairs(context, words, ids, count, 0, Long.SIZE);
    memory.free(words);
    RowIds order = new RowIds(ids, count, false);
    List<Column> columns = new ArrayList<>();
    for (Column column : rows.columns()) {
      columns.add(primitives.materialize(context, column.withRowIds(order), memory));
      Batches.free(memory, column);
    }
    memory.free(ids);
    return new ColumnBatch(columns, count);
  }

  /** The words of all rows, none of which has an indirection. */
  public static Buffer words(ExecContext context, CompiledProjection projection, ColumnBatch rows) {
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
              ColumnBatch batch = Batches.slice(rows, from, some);
              Buffer words = projection.evaluate(worker, batch).column(0).values();
              Buffer place = out.slice(8L * from, 8L * some);
              worker.device().transfers().copy(worker, words, place, 8L * some);
              worker.scratch().release(mark);
            });
    return out;
  }
}
