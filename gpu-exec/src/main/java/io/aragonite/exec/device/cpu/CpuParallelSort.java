package io.aragonite.exec.operator.sort;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;

/**
 * Sorts (key, id) pairs on all workers: each sorts a run, then runs are merged two by two, by loops
 * over host memory. A device with memory of its own sorts them in one piece.
 */
final class ParallelSort {
  private final ExecContext context;
  private final int count;

  private ParallelSort(ExecContext context, int count) {
    this.context = context;
    this.count = count;
  }

  /** Sorts in place by the lowest {@code bits} bits, which are all that is set. */
  static void sort(ExecContext context, Buffer keys, Buffer ids, int count, int bits) {
    int workers = context.parallel().workers();
    int least = context.device().properties().morselRows();
    int runs = Math.min(workers, count / Math.max(1, least));
    if (runs < 2 || !context.device().transfers().shared()) {
      context.sort().sortPairs(context, keys, ids, count, 0, bits);
    } else {
      new ParallelSort(context, count).sort(keys, ids, runs, bits);
    }
  }

  private void sort(Buffer keys, Buffer ids, int runs, int bits) {
    int size = (int) ((count + (long) runs - 1) / runs);
    context
        .parallel()
        .forEach(
            runs,
            (worker, run) -> {
              int from = (int) Math.min(count, (long) run * size);
              int rows = Math.min(size, count - from);
              worker
                  .sort()
                  .sortPairs(
                      worker, part(keys, 8, from, rows), part(ids, 4, from, rows), rows, 0, bits);
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
    Buffer cuts = context.scratch().allocate((parts + 1L) * 4);
    Buffer leftKeys = part(keys, 8, start, left);
    Buffer rightKeys = part(keys, 8, start + left, right);
    context.sort().mergePath(context, leftKeys, left, rightKeys, right, parts, cuts);
    context
        .parallel()
        .forEach(
            parts,
            (worker, i) -> {
              int from = (int) Math.min(total, (long) i * piece);
              int to = (int) Math.min(total, from + (long) piece);
              int a = Mem.getInt(cuts.address() + i * 4L);
              int aEnd = Mem.getInt(cuts.address() + i * 4L + 4);
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

  private static void mergePiece(
      long keys, long ids, int a, int aEnd, int b, int bEnd, long toKeys, long toIds, int out) {
    long i = a;
    long j = b;
    long o = out;
    while (i < aEnd && j < bEnd) {
      long x = Mem.getLong(keys + i * 8);
      long y = Mem.getLong(keys + j * 8);
      boolean left = x + Long.MIN_VALUE <= y + Long.MIN_VALUE;
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
