package io.aragonite.exec.join;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.Primitives.DirectRows;
import io.aragonite.exec.device.Primitives.Partitions;
import io.aragonite.exec.device.WordOrder;
import io.aragonite.exec.join.Arranged.Run;
import io.aragonite.exec.join.BatchJoin.Side;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The start of a partitioned join whose sides lie in partitions already: by payload that lies where
 * words say, or over a table. Rows may still be on their way meanwhile.
 */
final class ArrangedJoin {
  private final ExecContext context;
  private final BatchJoin join;
  private final Side build;
  private final Side probe;
  private final Arranged arranged;

  /** Runs that have been waited for, of the build side and of the probe side. */
  private int built;

  private int probed;

  private ArrangedJoin(ExecContext context, Side build, Side probe, Arranged arranged) {
    this.context = context;
    this.join = new BatchJoin(context, piece -> {});
    this.build = build;
    this.probe = probe;
    this.arranged = arranged;
  }

  /**
   * Does what can be done at once.
   *
   * @param build whose memory is the join's from now on, as is the probe side's
   */
  static BegunJoin start(ExecContext context, Side build, Side probe, Arranged arranged) {
    return new ArrangedJoin(context, build, probe, arranged).start();
  }

  private BegunJoin start() {
    QueryMemory memory = context.memory();
    WordOrder order = arranged.order();
    int bits = arranged.bits();
    Column some = arranged.sample();
    if (some.dataRows() == 0) {
      allProbed();
      some = probe.key();
    }
    RowPartition left =
        RowPartition.there(memory, build.key().values(), build.payload(), Buffer.EMPTY);
    RowPartition right =
        RowPartition.there(memory, probe.key().values(), probe.payload(), Buffer.EMPTY);
    if (DirectJoin.looksLikeIt(context, order, build.rows(), build.payload(), some, probe.rows())) {
      List<Column> fetched = fetched(some);
      if (fetched != null) {
        left.close();
        return new BegunJoin(1 << bits, 0, join.whole(probe.key(), fetched, right));
      }
      context.addFigure(BatchJoin.DIRECT_GIVEN_UP, 1);
    }
    allBuilt();
    return join.overTable(order, bits, left, right, build, probe, true, this::allProbed);
  }

  private void allBuilt() {
    for (; built < arranged.build().size(); built++) {
      arranged.build().get(built).arrives().run();
    }
  }

  private void allProbed() {
    for (; probed < arranged.probe().size(); probed++) {
      arranged.probe().get(probed).arrives().run();
    }
  }

  /**
   * The build side's payload for all rows of the probe side, by places that words say.
   *
   * @param some words of the probe side
   * @return null if a row has no partner, or words are there twice
   */
  private @Nullable List<Column> fetched(Column some) {
    Buffer starts = starts();
    DirectRows rows = null;
    try {
      boolean complete = arranged.order().range() + 1 == build.rows();
      for (Run run : arranged.build()) {
        run.arrives().run();
        built++;
        rows = withRun(rows, run, starts);
        if (rows == null) {
          return null;
        }
        if (complete) {
          fill(rows, run);
        }
      }
      if (rows == null || !complete && !DirectJoin.finds(context, rows, build.payload(), some)) {
        return null;
      }
      if (!complete) {
        for (Run run : arranged.build()) {
          fill(rows, run);
        }
      }
      return fetched(rows);
    } finally {
      context.memory().free(starts);
      if (rows != null) {
        rows.close();
      }
    }
  }

  private @Nullable DirectRows withRun(@Nullable DirectRows rows, Run run, Buffer starts) {
    int count = (1 << arranged.bits()) + 1;
    Buffer own = starts.slice(4L * count * (built - 1), 4L * count);
    Partitions parts = new Partitions(build.key().values(), own);
    if (rows == null) {
      return context
          .device()
          .primitives()
          .directRows(
              context,
              arranged.order(),
              arranged.bits(),
              parts,
              build.wordBytes(),
              build.rows(),
              context.memory());
    }
    if (run.rows() > 0) {
      rows.add(context, parts);
    }
    return rows;
  }

  private void fill(DirectRows rows, Run run) {
    if (run.rows() == 0) {
      return;
    }
    List<Buffer> in = new ArrayList<>();
    for (Column column : build.payload()) {
      in.add(some(column, run));
    }
    Buffer words = some(build.key(), run);
    int width = DirectJoin.width(build.payload());
    rows.fill(context, words, build.wordBytes(), run.rows(), in, width);
  }

  private @Nullable List<Column> fetched(DirectRows rows) {
    List<Column> columns =
        join.fetching(build.payload(), probe.rows(), new ArrayList<MovedColumn>());
    int width = DirectJoin.width(build.payload());
    for (Run run : arranged.probe()) {
      if (probed < arranged.probe().size()) {
        run.arrives().run();
        probed++;
      }
      List<Buffer> to = columns.stream().map(column -> some(column, run)).toList();
      Buffer words = some(probe.key(), run);
      if (run.rows() > 0
          && rows.fetch(context, words, probe.wordBytes(), run.rows(), to, width) < run.rows()) {
        columns.forEach(column -> context.memory().free(column.values()));
        return null;
      }
    }
    return columns;
  }

  private static Buffer some(Column column, Run run) {
    long width = column.shape().storage().width();
    return column.values().slice(width * run.from(), width * run.rows());
  }

  /** Where partitions of the build side's runs begin, one run behind the other. */
  private Buffer starts() {
    int count = (1 << arranged.bits()) + 1;
    long bytes = 4L * count * arranged.build().size();
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    long host = scratch.allocate(bytes).address();
    long at = host;
    for (Run run : arranged.build()) {
      for (int start : run.starts()) {
        Mem.putInt(at, start);
        at += 4;
      }
    }
    Buffer there = context.memory().allocate(bytes);
    context.device().transfers().toDevice(context, host, there, bytes);
    scratch.release(mark);
    return there;
  }
}
