package io.aragonite.adapter.execution;

import io.aragonite.exec.limit.ReadProgress;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.rules.runtime.GpuQuery;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How far a statement is. Totals grow while it runs: what later parts of it read is not known
 * before.
 *
 * @param parts of files that are read: row groups, for instance
 * @param expectedParts of files that are to be read, those included
 * @param bytes of the parts that are read, where files say
 * @param expectedBytes of the parts that are to be read
 * @param rows that have come out of tables
 * @param expectedRows of the tables; filters may leave some of them out
 */
public record QueryProgress(
    long parts, long expectedParts, long bytes, long expectedBytes, long rows, long expectedRows) {

  /**
   * How far some queries are.
   *
   * @param planning what is read beside them
   * @param metrics what is counted of each
   */
  static QueryProgress of(ReadProgress planning, Map<GpuQuery, QueryMetrics> metrics) {
    List<ReadProgress> readings = new ArrayList<>(List.of(planning));
    long[] rows = new long[2];
    Set<PhysicalPlan> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    metrics.forEach((query, counted) -> {
      readings.add(counted.reading());
      count(query.plan(), counted, false, seen, rows);
    });
    return new QueryProgress(
        readings.stream().mapToLong(ReadProgress::parts).sum(),
        readings.stream().mapToLong(ReadProgress::expectedParts).sum(),
        readings.stream().mapToLong(ReadProgress::bytes).sum(),
        readings.stream().mapToLong(ReadProgress::expectedBytes).sum(),
        rows[0],
        rows[1]);
  }

  /**
   * Adds the rows that have come out of a plan's tables, and those of the tables.
   *
   * @param ended whether what is above needs no more of them: groups are there once all rows are,
   *     or are those of an equal grouping, whose tables are not read again
   */
  private static void count(
      PhysicalPlan plan, QueryMetrics counted, boolean ended, Set<PhysicalPlan> seen, long[] rows) {
    if (!seen.add(plan)) {
      return; // several nodes read it
    }
    if (plan instanceof PhysicalPlan.Scan scan) {
      long read = counted.node(plan).rows.sum();
      rows[0] += read;
      rows[1] += ended ? read : Math.max(0, scan.table().rows()); // some do not know
    }
    boolean grouped = plan.groupsRows() && counted.node(plan).rows.sum() > 0;
    plan.inputs().forEach(input -> count(input, counted, ended || grouped, seen, rows));
  }

  /** The share that is done, from 0 to 1; negative if nothing is known yet. */
  public double share() {
    if (bytes < expectedBytes) {
      return (double) bytes / expectedBytes;
    }
    if (parts < expectedParts) {
      return (double) parts / expectedParts;
    }
    return expectedRows == 0 ? -1 : Math.min(1, (double) rows / expectedRows);
  }
}
