package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;

/**
 * Sorts (key, id) pairs on all workers: each sorts a run, then runs are merged two by two, a piece
 * of the merge path a worker.
 */
final class CpuParallelSort {
  private final ExecContext context;
  private final int count;
  private final int fromBit;
  private final int toBit;

  private CpuParallelSort(ExecContext context, int count, int fromBit, int toBit) {
    this.context = context;
    this.count = count;
    this.fromBit = fromBit;
    this.toBit = toBit;
  }

  /** See {@link io.aragonite.exec.device.SortOps#sortPairs}. */
  static void sortPairs(
      ExecContext context, Buffer keys, Buffer ids, int count, int fromBit, int toBit) {
    int workers = context.parallel().workers();
    int least = context.device().properties().morselRows();
    int runs = Math.min(workers, count / Math.max(1, least));
    if (runs < 2 || fromBit >= toBit) {
      CpuSort.sortPairs(context, keys, ids, count, fromBit, toBit);
    } else {
      new CpuParallelSort(context, count, fromBit, toBit).sort(keys, ids, runs);
    }
  }

  private void sort(Buffer keys, Buffer ids, int runs) {
    int size = (int) ((count + (long) runs - 1) / runs);
    context
        .parallel()
        .forEach(
            runs,
            (worker, run) -> {
              int from = (int) Math.min(count, (long) run * size);
              int rows = Math.min(size, count - from);
              CpuSort.sortPairs(
                  worker,
                  part(keys, 8, from, rows),
                  part(ids, 4, from, rows),
                  rows,
                  fromBit,
                  toBit);
            });
    QueryMemory memory = context.memory();
    Buffer otherKeys = memory.allocate(count * 8L);
    Buffer otherIds = memory.allocate(count * 4L);
    Buffer fromKeys = keys;
    Buffer fromIds = ids;
    Buffer toKeys = otherKeys;
    Buffer toIds = otherIds;
    for (long width = size; width < count; width *= 2) {
      context.checkCancelled();
      for (long start = 0; start < count; start += 2 * width) {
        int left = (int) Math.min(width, count - start);
        int right = (int) Math.clamp(count - start - left, 0, width);
        merge(fromKeys, fromIds, (int) start, left, right, toKeys, toIds);
      }
      Buffer swap = fromKeys;
      fromKeys = toKeys;
      toKeys = swap;
      swap = fromIds;
      fromIds = toIds;
      toIds = swap;
    }
    if (fromKeys.address() != keys.address()) {
      Mem.copy(fromKeys.address(), keys.address(), count * 8L);
      Mem.copy(fromIds.address(), ids.address(), count * 4L);
    }
    memory.free(otherKeys);
    memory.free(otherIds);
  }

  private static Buffer part(Buffer buffer, int width, int from, int rows) {
    return buffer.slice((long) from * width, (long) rows * width);
  }

  /** Merges two neighbouring runs, cut into a piece a worker. */
  private void merge(
      Buffer keys, Buffer ids, int start, int left, int right, Buffer toKeys, Buffer toIds) {
    int parts = right == 0 ? 1 : context.parallel().workers();
    int total = left + right;
    int piece = (int) ((total + (long) parts - 1) / parts);
    int[] cuts = new int[parts + 1];
    for (int i = 0; i <= parts; i++) {
      cuts[i] = cut(keys.address() + 8L * start, left, right, Math.min(total, (long) i * piece));
    }
    context
        .parallel()
        .forEach(
            parts,
            (worker, i) -> {
              int from = (int) Math.min(total, (long) i * piece);
              int to = (int) Math.min(total, from + (long) piece);
              int a = cuts[i];
              int aEnd = cuts[i + 1];
              mergePiece(
                  keys.address(),
                  ids.address(),
                  start + a,
                  start + aEnd,
                  start + left + from - a,
                  start + left + to - aEnd,
                  toKeys.address(),
                  toIds.address(),
                  start + from);
            });
  }

  /** The bits that are sorted by, as a number whose signed order is theirs. */
  private long order(long key) {
    return (key << (Long.SIZE - toBit) >>> (Long.SIZE - toBit + fromBit)) + Long.MIN_VALUE;
  }

  /** How many keys of the left run are among the first {@code diagonal} of both (merge path). */
  private int cut(long keys, int left, int right, long diagonal) {
    int low = (int) Math.max(0, diagonal - right);
    int high = (int) Math.min(diagonal, left);
    while (low < high) {
      int middle = (low + high) >>> 1;
      long ours = order(Mem.getLong(keys + 8L * middle));
      long others = order(Mem.getLong(keys + 8L * left + 8 * (diagonal - 1 - middle)));
      if (ours <= others) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private void mergePiece(
      long keys, long ids, int a, int aEnd, int b, int bEnd, long toKeys, long toIds, int out) {
    long i = a;
    long j = b;
    long o = out;
    while (i < aEnd && j < bEnd) {
      long x = Mem.getLong(keys + i * 8);
      long y = Mem.getLong(keys + j * 8);
      boolean left = order(x) <= order(y);
      Mem.putLong(toKeys + o * 8, left ? x : y);
      Mem.putInt(toIds + o * 4, Mem.getInt(ids + (left ? i : j) * 4));
      i += left ? 1 : 0;
      j += left ? 0 : 1;
      o++;
    }
    long rest = i < aEnd ? i : j;
    long restRows = i < aEnd ? aEnd - i : bEnd - j;
    Mem.copy(keys + rest * 8, toKeys + o * 8, restRows * 8);
    Mem.copy(ids + rest * 4, toIds + o * 4, restRows * 4);
  }
}
