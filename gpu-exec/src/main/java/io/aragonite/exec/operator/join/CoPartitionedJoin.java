package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PerfectHashTable;
import io.aragonite.exec.device.PerfectHashTable.PartitionRuns;
import io.aragonite.exec.exchange.CoPartitionedInputs;
import io.aragonite.exec.exchange.CoPartitionedInputs.PartitionSlice;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.join.PartitionedHashJoin.JoinInput;
import io.aragonite.exec.vector.Column;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The start of a partitioned join whose sides lie in partitions already: by payload that lies where
 * words say, or over a table. Rows may still be on their way meanwhile.
 */
final class CoPartitionedJoin {
  private final ExecContext context;
  private final PartitionedHashJoin join;
  private final JoinInput build;
  private final JoinInput probe;
  private final CoPartitionedInputs arranged;

  /** Slices that have been waited for, of the build side and of the probe side. */
  private int built;

  private int probed;

  private CoPartitionedJoin(
      ExecContext context, JoinInput build, JoinInput probe, CoPartitionedInputs arranged) {
    this.context = context;
    this.join = new PartitionedHashJoin(context, piece -> {});
    this.build = build;
    this.probe = probe;
    this.arranged = arranged;
  }

  /**
   * Does what can be done at once.
   *
   * @param build whose memory is the join's from now on, as is the probe side's
   */
  static JoinState start(
      ExecContext context, JoinInput build, JoinInput probe, CoPartitionedInputs arranged) {
    return new CoPartitionedJoin(context, build, probe, arranged).start();
  }

  private JoinState start() {
    QueryMemory memory = context.memory();
    PartitionFunction order = arranged.order();
    int bits = arranged.bits();
    RowPartition left =
        RowPartition.there(memory, build.key().values(), build.payload(), Buffer.EMPTY);
    RowPartition right =
        RowPartition.there(memory, probe.key().values(), probe.payload(), Buffer.EMPTY);
    if (arranged.partners()
        && mayBeUnique()
        && PerfectHashJoin.looksLikeIt(
            context, order, build.rows(), build.payload(), probe.rows())) {
      List<Column> fetched = fetched();
      if (fetched != null) {
        left.close();
        return new JoinState(1 << bits, 0, join.whole(probe.key(), fetched, right));
      }
      context.addFigure(PartitionedHashJoin.DIRECT_GIVEN_UP, 1);
    }
    allBuilt();
    await(arranged.build());
    Runnable arrives =
        () -> {
          allProbed();
          await(arranged.probe());
        };
    PartitionPlan plan = new PartitionPlan(order, bits, false);
    return join.overTable(plan, left, right, build, probe, arrives);
  }

  /**
   * Whether each partition of the build side has no more rows than words. Else some are there
   * twice, and if these are many the device should not begin to put all of them to the same place.
   */
  private boolean mayBeUnique() {
    long most = 1L << arranged.order().shift(arranged.bits());
    for (int p = 0; p < 1 << arranged.bits(); p++) {
      long rows = 0;
      for (PartitionSlice slice : arranged.build()) {
        for (int[] run : slice.starts()) {
          rows += run[p + 1] - run[p];
        }
      }
      if (rows > most) {
        return false;
      }
    }
    return true;
  }

  /**
   * Before the device is waited for: a wait for copies ends when a device that they come from has
   * failed.
   */
  private static void await(List<PartitionSlice> slices) {
    slices.forEach(slice -> slice.ticket().await());
  }

  private void allBuilt() {
    context.copies().mark("waiting");
    for (; built < arranged.build().size(); built++) {
      arranged.build().get(built).ticket().order();
    }
  }

  private void allProbed() {
    context.copies().mark("waiting");
    for (; probed < arranged.probe().size(); probed++) {
      arranged.probe().get(probed).ticket().order();
    }
  }

  /**
   * The build side's payload for all rows of the probe side, by places that words say.
   *
   * @return null if a row has no partner, or words are there twice
   */
  private @Nullable List<Column> fetched() {
    PerfectHashTable rows =
        context
            .hash()
            .perfectHashTable(
                context,
                arranged.order(),
                arranged.bits(),
                null,
                build.wordBytes(),
                build.rows(),
                context.memory());
    if (rows == null) {
      return null;
    }
    try (rows) {
      List<PartitionSlice> slices = arranged.build();
      // Where all words of a range are there a row without a partner is one beyond it.
      boolean complete = arranged.order().range() + 1 == build.rows();
      int early = complete ? slices.size() / 2 : 0;
      for (int i = 0; i < early; i++) {
        context.copies().mark("waiting");
        slices.get(i).ticket().order();
        built++;
        context.copies().mark("placing");
        fill(rows, slices.subList(i, i + 1));
      }
      allBuilt();
      context.copies().mark("bits");
      rows.add(context, build.key().values(), runs(slices));
      context.copies().mark("finding");
      if (!complete) {
        await(slices);
        if (!PerfectHashJoin.finds(context, rows, build.payload(), sample())) {
          return null;
        }
      }
      context.copies().mark("placing");
      fill(rows, slices.subList(early, slices.size()));
      context.copies().mark(null);
      return fetched(rows);
    }
  }

  /** Words of some of the probe side's rows. */
  private Column sample() {
    if (arranged.sample().dataRows() > 0) {
      return arranged.sample();
    }
    allProbed();
    await(arranged.probe());
    return probe.key();
  }

  private static PartitionRuns runs(List<PartitionSlice> slices) {
    return new PartitionRuns(
        slices.stream().flatMap(slice -> Arrays.stream(slice.starts())).toArray(int[][]::new));
  }

  private void fill(PerfectHashTable rows, List<PartitionSlice> slices) {
    List<Buffer> in = build.payload().stream().map(Column::values).toList();
    int width = PerfectHashJoin.width(build.payload());
    rows.fill(context, build.key().values(), runs(slices), in, width);
  }

  private @Nullable List<Column> fetched(PerfectHashTable rows) {
    List<Column> columns = join.fetching(build.payload(), probe.rows(), new ArrayList<>());
    List<Buffer> to = columns.stream().map(Column::values).toList();
    int width = PerfectHashJoin.width(build.payload());
    for (int i = 0; i < arranged.probe().size(); i++) {
      PartitionSlice slice = arranged.probe().get(i);
      if (i >= probed) {
        context.copies().mark("waiting");
        slice.ticket().order();
        probed++;
      }
      context.copies().mark("payload");
      rows.fetch(context, probe.key().values(), runs(List.of(slice)), to, width);
    }
    context.copies().mark("counting");
    await(arranged.build());
    await(arranged.probe());
    boolean all = rows.found(context) == probe.rows();
    context.copies().mark("rest");
    if (!all) {
      columns.forEach(column -> context.memory().free(column.values()));
      return null;
    }
    return columns;
  }
}
