package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.WindowOps.RowSorter;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The positions that a function looks at: those with a value that is not null, say. The k-th of
 * them, and how many there are before a position, are found at once, which makes counting and
 * skipping over nulls cheap whatever the frame.
 *
 * @param before for each position, and for the end, how many of them are before it
 * @param positions the positions, ascending
 */
record Selection(IntVector before, IntVector positions) {
  static Selection of(QueryMemory memory, int count, IntPredicate takes) {
    IntVector before = IntVector.allocate(memory, count + 1L);
    IntVector positions = IntVector.allocate(memory, count);
    int taken = 0;
    for (int p = 0; p < count; p++) {
      before.set(p, taken);
      if (takes.test(p)) {
        positions.set(taken++, p);
      }
    }
    before.set(count, taken);
    return new Selection(before, positions);
  }

  /** How many there are from {@code from} to {@code to}, exclusive. */
  int count(int from, int to) {
    return before.get(to) - before.get(from);
  }

  void free(QueryMemory memory) {
    memory.free(before.buffer());
    memory.free(positions.buffer());
  }

  /**
   * For each position a byte, 1 at the first of its partition with its value of a column, nulls
   * left out.
   */
  static Buffer firstOccurrences(
      ExecContext context, SortedRows sorted, Window window, int column, RowSorter sorter) {
    QueryMemory memory = context.memory();
    int count = sorted.count();
    ColumnBatch batch = sorted.batch();
    List<SortKey> keys = new ArrayList<>();
    window.partitionBy().forEach(c -> keys.add(new SortKey(c, false, false)));
    keys.add(new SortKey(column, false, false));
    Buffer byValue = sorter.sort(context, batch, keys);
    IntVector rows = new IntVector(byValue);
    IntVector positionOf = IntVector.allocate(memory, count);
    for (int p = 0; p < count; p++) {
      positionOf.set(sorted.order().get(p), p);
    }
    Buffer first = memory.allocate(count);
    context.scan().fill(context, first, 1, 0, count);
    WindowValues values = new WindowValues(batch.column(column));
    List<WindowValues> partition =
        window.partitionBy().stream().map(c -> new WindowValues(batch.column(c))).toList();
    for (int i = 0; i < count; ) {
      int row = rows.get(i);
      int best = positionOf.get(row);
      int next = i + 1;
      while (next < count && same(partition, values, row, rows.get(next))) {
        best = Math.min(best, positionOf.get(rows.get(next)));
        next++;
      }
      if (!values.isNull(row)) {
        Mem.putByte(first.address() + best, (byte) 1);
      }
      i = next;
    }
    memory.free(byValue);
    memory.free(positionOf.buffer());
    return first;
  }

  private static boolean same(List<WindowValues> partition, WindowValues values, int a, int b) {
    for (int i = 0; i < partition.size(); i++) {
      if (partition.get(i).differ(a, b)) {
        return false;
      }
    }
    return !values.differ(a, b);
  }
}
