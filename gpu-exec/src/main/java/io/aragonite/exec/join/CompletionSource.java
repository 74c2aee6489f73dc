package io.aragonite.exec.join;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * After all probing: build rows by their match flags. Those without a match, padded with nulls, for
 * outer joins; those with or without one, alone, for semi and anti joins.
 */
final class CompletionSource implements Source {
  private final JoinSpec spec;
  private final BuildSide side;
  private final Materialization how;

  /** The rows' words, where flags are by word; null for joins without words. */
  private final @Nullable CompiledProjection words;

  private final int morselRows;

  CompletionSource(
      JoinSpec spec,
      BuildSide side,
      Materialization how,
      @Nullable CompiledProjection words,
      int morselRows) {
    this.spec = spec;
    this.side = side;
    this.how = how;
    this.words = words;
    this.morselRows = morselRows;
  }

  @Override
  public List<ColumnShape> shapes() {
    return spec.output();
  }

  @Override
  public int morsels() {
    return side.hideAll() ? 0 : (int) ((side.rows().rows() + morselRows - 1L) / morselRows);
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    int batchRows = context.device().properties().batchRows();
    long start = (long) morsel * morselRows;
    int end = (int) Math.min(side.rows().rows(), start + morselRows);
    for (int from = (int) start; from < end && !consumer.done(); from += batchRows) {
      context.checkCancelled();
      context.scratch().reset();
      batch(context, from, Math.min(batchRows, end - from), consumer);
    }
  }

  private void batch(ExecContext context, int from, int count, BatchConsumer consumer) {
    Primitives primitives = context.device().primitives();
    ColumnBatch rows = HashBuild.slice(side.rows(), from, count);
    boolean matched = spec.choosesBuild() && spec.choosesMatched();
    Buffer chosen = context.scratch().allocate(count * 4L);
    int choosing = primitives.select(context, flags(context, rows, from), count, matched, chosen);
    if (choosing == 0) {
      return;
    }
    boolean all = choosing == count;
    List<Column> build =
        how.gather(context, rows.columns(), spec.buildOut(), all ? null : chosen, choosing, false);
    if (spec.choosesBuild()) {
      consumer.accept(new ColumnBatch(build, choosing));
      return;
    }
    List<Column> probe = nulls(context, choosing);
    consumer.accept(
        new ColumnBatch(
            spec.buildLeft() ? JoinSpec.concat(build, probe) : JoinSpec.concat(probe, build),
            choosing));
  }

  private Buffer flags(ExecContext context, ColumnBatch rows, int from) {
    int count = rows.rows();
    Buffer flags = side.flags().slice(from, count);
    if (words == null || !side.flagsByWord()) {
      return flags;
    }
    Buffer keys = words.evaluate(context, rows).column(0).values();
    Buffer found = context.scratch().allocate(count * 4L);
    context.device().primitives().hashLookup(context, side.table(), keys, count, found);
    Buffer resolved = context.scratch().allocate(count);
    for (int i = 0; i < count; i++) {
      int row = Mem.getInt(found.address() + i * 4L);
      byte flag = row < 0 ? 0 : Mem.getByte(side.flags().address() + row);
      Mem.putByte(resolved.address() + i, (byte) (flag | Mem.getByte(flags.address() + i)));
    }
    return resolved;
  }

  private List<Column> nulls(ExecContext context, int count) {
    Buffer none = context.scratch().allocate(count * 4L);
    context.device().primitives().fill(context, none, 4, -1, count);
    RowIds ids = new RowIds(none, count, true);
    List<Column> columns = new ArrayList<>();
    for (ColumnShape shape : spec.probeOut()) {
      columns.add(new Column(shape, 0, Buffer.EMPTY, Buffer.EMPTY, null, ids));
    }
    return columns;
  }
}
