package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;

/**
 * The rows of a window in the order of their partitions and, in these, of ORDER BY. "Positions"
 * count in this order; "rows" in the collected input.
 *
 * @param batch the collected input
 * @param order the row at each position
 * @param partitions starts of the partitions, and at last the number of rows
 * @param partitionCount how many
 * @param peers starts of the peer groups (rows equal in ORDER BY), and at last the number of rows
 * @param peerCount how many
 * @param groupOf the peer group of each position
 */
record SortedRows(
    ColumnBatch batch,
    IntVector order,
    IntVector partitions,
    int partitionCount,
    IntVector peers,
    int peerCount,
    IntVector groupOf) {

  int count() {
    return batch.rows();
  }

  int peerStart(int position) {
    return peers.get(groupOf.get(position));
  }

  int peerEnd(int position) {
    return peers.get(groupOf.get(position) + 1L);
  }

  /**
   * @param context of the host
   * @param batch in host memory, as is {@code order}
   */
  static SortedRows of(ExecContext context, ColumnBatch batch, IntVector order, Window window) {
    QueryMemory memory = context.memory();
    int count = batch.rows();
    List<WindowValues> partitionBy =
        window.partitionBy().stream().map(c -> new WindowValues(batch.column(c))).toList();
    List<WindowValues> orderBy =
        window.orderBy().stream().map(k -> new WindowValues(batch.column(k.column()))).toList();
    IntVector partitions = IntVector.allocate(memory, count + 1L);
    IntVector peers = IntVector.allocate(memory, count + 1L);
    IntVector groupOf = IntVector.allocate(memory, count);
    int partitionCount = 0;
    int peerCount = 0;
    for (int p = 0; p < count; p++) {
      boolean newPartition = p == 0 || differ(partitionBy, order.get(p - 1L), order.get(p));
      if (newPartition) {
        partitions.set(partitionCount++, p);
      }
      if (newPartition || differ(orderBy, order.get(p - 1L), order.get(p))) {
        peers.set(peerCount++, p);
      }
      groupOf.set(p, peerCount - 1);
      if ((p & 0xffff) == 0) {
        context.checkCancelled();
      }
    }
    partitions.set(partitionCount, count);
    peers.set(peerCount, count);
    return new SortedRows(batch, order, partitions, partitionCount, peers, peerCount, groupOf);
  }

  private static boolean differ(List<WindowValues> columns, int a, int b) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).differ(a, b)) {
        return true;
      }
    }
    return false;
  }
}
