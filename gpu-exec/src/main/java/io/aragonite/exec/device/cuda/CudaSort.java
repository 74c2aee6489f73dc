package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.BlockSortPolicy;
import io.aragonite.exec.device.cuda.CudaRadixSort.SortPairs;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;

/** radixPartition and sortPairs: 64-bit words with 32-bit ids. */
final class CudaSort {
  private static final int THREADS = CudaLookBack.THREADS;

  /** One block sorts up to so many rows. */
  private static final int FEW = BlockSortPolicy.ROWS;

  private CudaSort() {}

  static void radixPartition(
      ExecContext context,
      Buffer keys,
      Buffer ids,
      int count,
      int shift,
      int bits,
      Buffer outKeys,
      Buffer outIds,
      Buffer outOffsets) {
    CudaRadixSort sort = new CudaRadixSort(context, Long.BYTES, Integer.BYTES);
    SortPairs in = new SortPairs(keys, ids);
    SortPairs out = new SortPairs(outKeys, outIds);
    if (bits > 0 && bits <= CudaRadixSort.DIGIT) {
      sort.partition(in, out, count, shift, bits, outOffsets);
      return;
    }
    CudaStream stream = CudaStream.of(context);
    if (bits == 0) {
      stream.copy(keys.address(), outKeys.address(), 8L * count);
      stream.copy(ids.address(), outIds.address(), 4L * count);
    } else {
      wide(context, sort, in, out, count, shift, bits);
    }
    stream.launch(
        stream.gpu().kernel(KernelFamily.RADIX_HISTOGRAM, "ara_digit_bounds"),
        stream.gridStride((1L << bits) + 1, THREADS),
        THREADS,
        0,
        outKeys,
        count,
        shift,
        bits,
        outOffsets);
  }

  /** Several passes, the last of which ends in {@code out}; {@code in} stays as it is. */
  private static void wide(
      ExecContext context,
      CudaRadixSort sort,
      SortPairs in,
      SortPairs out,
      int count,
      int shift,
      int bits) {
    QueryMemory memory = context.memory();
    int passes = (bits + CudaRadixSort.DIGIT - 1) / CudaRadixSort.DIGIT;
    Buffer keys = memory.allocate(8L * count);
    Buffer ids = Buffer.EMPTY;
    try {
      ids = memory.allocate(4L * count);
      SortPairs other = new SortPairs(keys, ids);
      SortPairs from = in;
      for (int pass = 0; pass < passes; pass++) {
        int low = pass * CudaRadixSort.DIGIT;
        int width = Math.min(CudaRadixSort.DIGIT, bits - low);
        SortPairs to = (passes - pass) % 2 == 1 ? out : other;
        sort.partition(from, to, count, shift + low, width, Buffer.EMPTY);
        from = to;
      }
    } finally {
      memory.free(keys);
      memory.free(ids);
    }
  }

  static void sortPairs(
      ExecContext context, Buffer keys, Buffer ids, int count, int fromBit, int toBit) {
    if (count < 2 || fromBit >= toBit) {
      return;
    }
    CudaStream stream = CudaStream.of(context);
    if (count <= FEW) {
      int width = toBit - fromBit;
      long mask = (width >= Long.SIZE ? -1L : (1L << width) - 1) << fromBit;
      stream.launch(
          stream.gpu().kernel(KernelFamily.BLOCK_SORT, "ara_sort_few"),
          1,
          THREADS,
          0,
          keys,
          ids,
          count,
          mask);
      return;
    }
    QueryMemory memory = context.memory();
    Buffer otherKeys = memory.allocate(8L * count);
    Buffer otherIds = Buffer.EMPTY;
    try {
      otherIds = memory.allocate(4L * count);
      SortPairs sorted =
          new CudaRadixSort(context, Long.BYTES, Integer.BYTES)
              .sort(
                  new SortPairs(keys, ids),
                  new SortPairs(otherKeys, otherIds),
                  count,
                  fromBit,
                  toBit);
      if (sorted.keys().address() != keys.address()) {
        stream.copy(sorted.keys().address(), keys.address(), 8L * count);
        stream.copy(sorted.values().address(), ids.address(), 4L * count);
      }
    } finally {
      memory.free(otherKeys);
      memory.free(otherIds);
    }
  }
}
