package io.aragonite.exec.join;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.Primitives.DirectRows;
import io.aragonite.exec.device.WordOrder;
import io.aragonite.exec.join.BatchJoin.Side;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * The start of a partitioned join whose sides lie in partitions already: by payload that lies where
 * words say, or over a table. The probe side may still be on its way meanwhile.
 */
final class ArrangedJoin {
  private ArrangedJoin() {}

  /**
   * Does what can be done at once.
   *
   * @param build whose memory is the join's from now on, as is the probe side's
   * @param arrives has what is asked of the device from then on come behind the probe side's
   *     arrival; called once
   */
  static BegunJoin start(
      ExecContext context, Side build, Side probe, Arranged arranged, Runnable arrives) {
    BatchJoin join = new BatchJoin(context, piece -> {});
    WordOrder order = arranged.order();
    int bits = arranged.bits();
    Column key = probe.key();
    Column some = arranged.sample();
    Runnable later = arrives;
    if (some.dataRows() == 0) {
      arrives.run();
      some = key;
      later = () -> {};
    }
    RowPartition left = there(context, build, arranged.buildStarts());
    RowPartition right = there(context, probe, arranged.probeStarts());
    boolean direct =
        DirectJoin.looksLikeIt(context, order, build.rows(), build.payload(), some, probe.rows());
    if (!direct) {
      return join.overTable(order, bits, left, right, build, probe, true, later);
    }
    DirectRows rows =
        DirectJoin.rows(
            context, order, bits, left.partitions(), build.rows(), build.payload(), some);
    if (rows != null) {
      try (rows) {
        int width = DirectJoin.width(build.payload());
        List<Buffer> in = left.columns().stream().map(Column::values).toList();
        rows.fill(context, left.words(), build.wordBytes(), build.rows(), in, width);
        List<MovedColumn> moved = new ArrayList<>();
        List<Column> columns = join.fetching(build.payload(), probe.rows(), moved);
        List<Buffer> to = moved.stream().map(MovedColumn::out).toList();
        later.run();
        later = () -> {};
        if (rows.fetch(context, key.values(), probe.wordBytes(), probe.rows(), to, width)
            == probe.rows()) {
          left.close();
          return new BegunJoin(1 << bits, 0, join.whole(key, columns, right));
        }
        columns.forEach(column -> context.memory().free(column.values()));
      }
    }
    context.addFigure(BatchJoin.DIRECT_GIVEN_UP, 1);
    return join.overTable(order, bits, left, right, build, probe, true, later);
  }

  private static RowPartition there(ExecContext context, Side side, int[] starts) {
    QueryMemory memory = context.memory();
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    long host = scratch.allocate(4L * starts.length).address();
    for (int i = 0; i < starts.length; i++) {
      Mem.putInt(host + 4L * i, starts[i]);
    }
    Buffer there = memory.allocate(4L * starts.length);
    context.device().transfers().toDevice(context, host, there, 4L * starts.length);
    scratch.release(mark);
    return RowPartition.there(memory, side.key().values(), side.payload(), there);
  }
}
