package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionedWords;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Joins partitions whose tables stay in a core's cache. A task is a partition, or a piece of its
 * probe rows if there are many; it makes the partition's table for itself.
 */
final class CpuPartitionJoin {
  /** Build rows of a partition: their table, words and payload are some 300 KiB. */
  static final int GOOD_ROWS = 1 << 14;

  /** Probe rows of a task at most. */
  private static final int PIECE = 1 << 17;

  /** Not the factor that partitions come from, so that a partition's words are spread. */
  private static final long FACTOR = 0xBF58_476D_1CE4_E5B9L;

  private CpuPartitionJoin() {}

  static int join(
      ExecContext context,
      int parts,
      int wordBytes,
      PartitionedWords build,
      PartitionedWords probe,
      Buffer outRows,
      List<MovedColumn> columns) {
    int[] partOf = tasks(probe, parts);
    AtomicInteger matches = new AtomicInteger();
    AtomicBoolean unique = new AtomicBoolean(true);
    context
        .parallel()
        .forEach(
            partOf.length,
            (worker, task) -> {
              if (!unique.get()) {
                return;
              }
              worker.checkCancelled();
              int part = partOf[task];
              int piece = 0;
              for (int t = task; t > 0 && partOf[t - 1] == part; t--) {
                piece++;
              }
              int first = start(probe, part) + piece * PIECE;
              int count = Math.min(PIECE, start(probe, part + 1) - first);
              long mark = worker.scratch().mark();
              PartitionTable table = new PartitionTable(worker, build, part, wordBytes);
              if (table.fill()) {
                Buffer found =
                    outRows.size() > 0
                        ? outRows.slice(4L * first, 4L * count)
                        : worker.scratch().allocate(4L * count);
                matches.addAndGet(table.find(probe.words(), first, count, found.address()));
                for (MovedColumn column : columns) {
                  CpuProbeGather.gather(column, first, count, found.address());
                }
              } else {
                unique.set(false);
              }
              worker.scratch().release(mark);
            });
    return unique.get() ? matches.get() : -1;
  }

  private static int start(PartitionedWords side, int part) {
    return Mem.getInt(side.starts().address() + 4L * part);
  }

  /** The partition of each task, in order. */
  private static int[] tasks(PartitionedWords probe, int parts) {
    int tasks = 0;
    for (int part = 0; part < parts; part++) {
      tasks += pieces(probe, part);
    }
    int[] partOf = new int[tasks];
    int task = 0;
    for (int part = 0; part < parts; part++) {
      for (int end = task + pieces(probe, part); task < end; task++) {
        partOf[task] = part;
      }
    }
    return partOf;
  }

  private static int pieces(int rows) {
    return (int) (((long) rows + PIECE - 1) / PIECE);
  }

  private static int pieces(PartitionedWords probe, int part) {
    return pieces(start(probe, part + 1) - start(probe, part));
  }

  /** The table of one partition: slots of row and, above it, half of the word or all. */
  private static final class PartitionTable {
    private final long words;
    private final int wordBytes;
    private final int first;
    private final int rows;
    private final long slots;
    private final int mask;
    private final int shift;

    PartitionTable(ExecContext context, PartitionedWords build, int part, int wordBytes) {
      this.words = build.words().address();
      this.wordBytes = wordBytes;
      this.first = start(build, part);
      this.rows = start(build, part + 1) - first;
      int capacity = (int) CpuHash.powerOfTwo(2L * rows);
      this.mask = capacity - 1;
      this.shift = CpuHash.shift(capacity);
      this.slots = context.scratch().allocate(8L * capacity).address();
      CpuScan.fillInts(slots, -1, 2L * capacity);
    }

    /** Puts the rows in; false if a word is there twice. */
    boolean fill() {
      return wordBytes == Integer.BYTES ? fillNarrow() : fillWide();
    }

    private boolean fillNarrow() {
      for (int i = first; i < first + rows; i++) {
        int word = Mem.getInt(words + 4L * i);
        int slot = (int) (word * FACTOR >>> shift);
        for (long item = item(slot); item != -1; item = item(slot)) {
          if ((int) (item >> 32) == word) {
            return false;
          }
          slot = slot + 1 & mask;
        }
        Mem.putLong(slots + 8L * slot, (long) word << 32 | i);
      }
      return true;
    }

    private boolean fillWide() {
      for (int i = first; i < first + rows; i++) {
        long word = Mem.getLong(words + 8L * i);
        long mixed = (word ^ word >>> 32) * FACTOR;
        int slot = (int) (mixed >>> shift);
        for (long item = item(slot); item != -1; item = item(slot)) {
          if ((int) (item >> 32) == (int) mixed && Mem.getLong(words + 8L * (int) item) == word) {
            return false;
          }
          slot = slot + 1 & mask;
        }
        Mem.putLong(slots + 8L * slot, mixed << 32 | i);
      }
      return true;
    }

    private long item(int slot) {
      return Mem.getLong(slots + 8L * slot);
    }

    /** Writes the build row of each probe row, or -1; returns how many there are. */
    int find(Buffer probe, int from, int count, long out) {
      if (rows == 0) {
        CpuScan.fillInts(out, -1, count);
        return 0;
      }
      long in = probe.address() + (long) wordBytes * from;
      return wordBytes == Integer.BYTES ? findNarrow(in, count, out) : findWide(in, count, out);
    }

    private int findNarrow(long in, int count, long out) {
      int matches = 0;
      for (int i = 0; i < count; i++) {
        int word = Mem.getInt(in + 4L * i);
        int slot = (int) (word * FACTOR >>> shift);
        long item = item(slot);
        while (item != -1 && (int) (item >> 32) != word) {
          slot = slot + 1 & mask;
          item = item(slot);
        }
        Mem.putInt(out + 4L * i, (int) item);
        matches += ~(int) item >>> 31;
      }
      return matches;
    }

    private int findWide(long in, int count, long out) {
      int matches = 0;
      for (int i = 0; i < count; i++) {
        long word = Mem.getLong(in + 8L * i);
        long mixed = (word ^ word >>> 32) * FACTOR;
        int slot = (int) (mixed >>> shift);
        long item = item(slot);
        while (item != -1
            && ((int) (item >> 32) != (int) mixed
                || Mem.getLong(words + 8L * (int) item) != word)) {
          slot = slot + 1 & mask;
          item = item(slot);
        }
        Mem.putInt(out + 4L * i, (int) item);
        matches += ~(int) item >>> 31;
      }
      return matches;
    }
  }
}
