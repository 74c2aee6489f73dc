package io.aragonite.exec.exchange.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ChunkMergeTest {
  private final long seed = TestSeed.seed();
  private final Random random = new Random(seed);
  private final QueryMemory memory = new NativeQueryMemory(new MemoryBudget("rows", 1 << 28), 0);

  @AfterEach
  void close() {
    memory.close();
  }

  /** Rows of sorted keys, with the key again as payload. */
  private HostRows rows(long[] keys) {
    HostColumn key = HostColumn.of(0, Long.BYTES, keys.length);
    HostRows rows =
        HostRows.of(memory, new HostSide(key, List.of(), List.of(key)), keys.length, true);
    for (int i = 0; i < keys.length; i++) {
      Mem.putLong(rows.address(0, i), keys[i]);
      Mem.putLong(rows.address(1, i), keys[i]);
    }
    return rows;
  }

  /** Keys so far apart within a block that their words tie: some, or nearly all of them. */
  @Test
  void mergesClustersOfKeys() {
    for (int gap : new int[] {10, 44, 52, 62}) {
      for (int inputs : new int[] {1, 2, 3, 7}) {
        List<HostRows> runs = new ArrayList<>();
        long[] counts = new long[inputs];
        long[] all = new long[0];
        for (int i = 0; i < inputs; i++) {
          long[] keys = new long[i == 3 ? 0 : 10_000 + random.nextInt(20_000)];
          for (int k = 0; k < keys.length; k++) {
            keys[k] = ((long) random.nextInt(4) - 2 << gap) + random.nextInt(30_000);
          }
          Arrays.sort(keys);
          runs.add(rows(keys));
          counts[i] = keys.length;
          int before = all.length;
          all = Arrays.copyOf(all, before + keys.length);
          System.arraycopy(keys, 0, all, before, keys.length);
        }
        HostRows out = rows(new long[all.length]);
        ChunkMerge.merge(runs, counts, out, Runnable::run, 1, () -> {});
        Arrays.sort(all);
        for (int column = 0; column < 2; column++) {
          long[] merged = new long[all.length];
          for (int i = 0; i < merged.length; i++) {
            merged[i] = Mem.getLong(out.address(column, i));
          }
          assertArrayEquals(all, merged, inputs + " runs, gap 2^" + gap + ", seed " + seed);
        }
      }
    }
  }

  @Test
  void endsWhereItIsCancelled() {
    HostRows run = rows(new long[] {1, 2, 3});
    HostRows out = rows(new long[3]);
    AragoniteException error =
        assertThrows(
            AragoniteException.class,
            () ->
                ChunkMerge.merge(
                    List.of(run),
                    new long[] {3},
                    out,
                    Runnable::run,
                    1,
                    () -> {
                      throw new AragoniteException(ErrorCode.CANCELLED, "The test cancels.");
                    }));
    assertEquals(ErrorCode.CANCELLED, error.code());
    assertEquals(0, Mem.getLong(out.address(0, 2)));
  }
}
