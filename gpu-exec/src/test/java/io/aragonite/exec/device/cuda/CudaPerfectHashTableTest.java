package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.PartitionFunction;
import org.junit.jupiter.api.Test;

/** What is asked of a GPU's direct rows before there is one. */
class CudaPerfectHashTableTest {
  private static int bits(long range, int sharedBytes) {
    return CudaPerfectHashTable.leastBits(new PartitionFunction(false, 7, range), sharedBytes);
  }

  /** A partition's bits must fit a block: on smaller GPUs there are more partitions. */
  @Test
  void partitionsFitBlocks() {
    for (int shared : new int[] {99 << 10, 163 << 10, 227 << 10}) {
      for (int log2 = 6; log2 < 33; log2++) {
        int bits = bits((1L << log2) - 1, shared);
        assertTrue(bits >= 1);
        assertTrue(1L << Math.max(0, log2 - bits - 3) <= Math.min(shared, 128 << 10));
        assertTrue(
            bits == 1 || 1L << (log2 - bits + 1 - 3) > Math.min(shared, 128 << 10),
            "more partitions than needed");
      }
    }
    assertEquals(4, bits((1 << 24) - 1, 227 << 10));
    assertEquals(5, bits((1 << 24) - 1, 99 << 10));
  }

  @Test
  void fewOrMixedWordsHaveNone() {
    assertEquals(-1, bits(20, 227 << 10));
    assertEquals(-1, bits(-1, 227 << 10));
    assertEquals(
        -1, CudaPerfectHashTable.leastBits(new PartitionFunction(true, 0, 1 << 24), 227 << 10));
  }
}
