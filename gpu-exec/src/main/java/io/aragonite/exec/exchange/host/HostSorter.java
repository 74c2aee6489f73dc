package io.aragonite.exec.exchange.host;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumn;
import io.aragonite.exec.device.HostRows;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.exchange.host.SortPhase.Chunkset;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Sorts a side of a join for the queries that run a plan together, or for one that runs alone. */
public final class HostSorter {
  private HostSorter() {}

  /**
   * Sorts a side by all devices together, chunkset by chunkset. All ranks call it, and get the same
   * rows, which are in the first one's host memory until its query ends.
   *
   * @param other the other side, by whose keys devices' ranges are chosen too
   * @param room bytes of each device's memory that may be used, the same for all ranks
   * @param merged whether one run is wanted: the CPU merges several (section 3.2 of the paper)
   * @param executor lends threads to the merge
   * @return by run its columns in order: the key, then the payload
   * @throws AragoniteException MEMORY_EXCEEDED if the host has no room for the rows; nothing was
   *     done then
   */
  public static List<List<HostColumn>> sort(
      ExecContext context,
      Rank rank,
      HostSide side,
      HostSide other,
      long room,
      boolean merged,
      Executor executor) {
    boolean first = rank.index() == 0;
    int devices = rank.devices().size();
    QueryMemory memory = context.hostMemory();
    List<Chunkset> chunksets =
        rank.meet(
            context,
            SortPhase.PLACE,
            first ? SortPhase.chunksets(side, room, devices, memory) : List.<Chunkset>of(),
            List::getFirst);
    RangeSplitters splits = RangeSplitters.of(side, other, devices, chunksets.getFirst().rows());
    KeyEncoder words = KeyEncoder.ofWidth(Math.max(side.key().width(), other.key().width()));
    List<long[]> starts = new SortPhase(context, rank, splits, words).all(chunksets);
    long[] rows = starts.stream().mapToLong(range -> range[range.length - 1]).toArray();
    // The others' parts are there when they have come here too.
    rank.meet(context, SortPhase.PLACE, true, done -> true);
    if (!merged || rows.length == 1) {
      List<List<HostColumn>> runs = new ArrayList<>();
      for (int i = 0; i < rows.length; i++) {
        runs.add(columns(chunksets.get(i).out(), rows[i]));
      }
      return runs;
    }
    return rank.meet(
        context,
        SortPhase.PLACE,
        first
            ? List.of(merge(context, memory, side, chunksets, rows, executor))
            : List.<List<HostColumn>>of(),
        List::getFirst);
  }

  private static List<HostColumn> merge(
      ExecContext context,
      QueryMemory memory,
      HostSide side,
      List<Chunkset> chunksets,
      long[] rows,
      Executor executor) {
    long all = 0;
    for (long some : rows) {
      all += some;
    }
    HostRows out = HostRows.of(memory, side.widths(), all, true);
    List<HostRows> runs = chunksets.stream().map(Chunkset::out).toList();
    context.onHost().sort().mergeRuns(context.onHost(), runs, rows, out, executor);
    runs.forEach(run -> run.free(memory));
    return columns(out, all);
  }

  private static List<HostColumn> columns(HostRows rows, long count) {
    List<HostColumn> columns = new ArrayList<>();
    for (int i = 0; i < rows.widths().size(); i++) {
      columns.add(rows.column(i, 0, count));
    }
    return columns;
  }
}
