package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.HostColumn;
import io.aragonite.exec.device.HostRows;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Merges sorted chunksets on the CPU (Maltenberger 2024, section 3.2), by ranges of the result of
 * equal length that threads take one after the other: merge path for any number of inputs. Keys and
 * payload are moved column by column of a small block of rows, whose order is found first, so that
 * no pairs are made of them.
 */
final class CpuChunkMerge {
  /** Rows of the result that a thread takes at once. */
  private static final int TASK = 1 << 18;

  /** Rows that are merged at once: their words, twice, stay in a core's cache. */
  private static final int BLOCK = 1 << 14;

  /** Bits of a word: a row of its input in the block, the input, and what is left for the key. */
  private static final int ROW_BITS = 14;

  private static final int INPUT_BITS = 10;
  private static final int INPUTS = 1 << INPUT_BITS;
  private static final int NUMBER_BITS = ROW_BITS + INPUT_BITS;
  private static final int KEY_BITS = Long.SIZE - 1 - NUMBER_BITS;

  private final List<HostRows> runs;
  private final long[] rows;
  private final HostRows out;
  private final HostColumn[] keys;

  private CpuChunkMerge(List<HostRows> runs, long[] rows, HostRows out) {
    this.runs = runs;
    this.rows = rows;
    this.out = out;
    this.keys = new HostColumn[rows.length];
    for (int i = 0; i < rows.length; i++) {
      keys[i] = runs.get(i).column(0, 0, rows[i]);
    }
  }

  /**
   * @param runs sorted by their keys
   * @param rows of each run
   * @param out room for all rows
   * @param threads that work at once
   * @param check throws if the result is not wanted any more
   */
  static void merge(
      List<HostRows> runs,
      long[] rows,
      HostRows out,
      Executor executor,
      int threads,
      Runnable check) {
    if (rows.length > INPUTS) {
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED,
          "%,d sorted chunksets would have to be merged, of at most %,d; give the device more memory."
              .formatted(rows.length, INPUTS));
    }
    CpuChunkMerge merge = new CpuChunkMerge(runs, rows, out);
    long total = 0;
    for (long some : rows) {
      total += some;
    }
    long all = total;
    int tasks = Math.toIntExact((total + TASK - 1) / TASK);
    forEach(
        tasks,
        task -> {
          check.run();
          merge.range((long) task * TASK, Math.min(all, (task + 1L) * TASK));
        },
        executor,
        threads);
  }

  /** Runs tasks on threads, this one among them. */
  static void forEach(int tasks, IntConsumer task, Executor executor, int threads) {
    AtomicInteger next = new AtomicInteger();
    Runnable work =
        () -> {
          for (int i = next.getAndIncrement(); i < tasks; i = next.getAndIncrement()) {
            task.accept(i);
          }
        };
    List<CompletableFuture<Void>> helpers = new ArrayList<>();
    Throwable failure = null;
    try {
      for (int i = 1; i < Math.min(threads, tasks); i++) {
        helpers.add(CompletableFuture.runAsync(work, executor));
      }
      work.run();
    } catch (RuntimeException | Error e) {
      // Others still work on memory that goes when this returns.
      failure = e;
    }
    for (CompletableFuture<Void> helper : helpers) {
      try {
        helper.join();
      } catch (CompletionException e) {
        Throwable cause = e.getCause();
        failure = failure != null ? failure : cause == null ? e : cause;
      }
    }
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(failure);
    }
  }

  /**
   * Places in the inputs of which the first {@code rank} rows of the result are made; equal keys
   * are taken from the first inputs first.
   */
  long[] places(long rank) {
    // The least key with at least so many rows up to it.
    long low = Long.MIN_VALUE;
    long high = Long.MAX_VALUE;
    while (low < high) {
      long middle = (low & high) + ((low ^ high) >> 1);
      long upTo = 0;
      for (int i = 0; i < rows.length; i++) {
        upTo += keys[i].upper(middle, 0, rows[i]);
      }
      if (upTo >= rank) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    long[] places = new long[rows.length];
    long left = rank;
    for (int i = 0; i < rows.length; i++) {
      places[i] = keys[i].lower(low, 0, rows[i]);
      left -= places[i];
    }
    for (int i = 0; i < rows.length && left > 0; i++) {
      long equal = Math.min(left, keys[i].upper(low, places[i], rows[i]) - places[i]);
      places[i] += equal;
      left -= equal;
    }
    return places;
  }

  private void range(long from, long to) {
    MergeBlocks blocks = new MergeBlocks(places(from), places(to));
    long row = from;
    while (row < to) {
      row += blocks.next(row);
    }
  }

  /**
   * Blocks of a range: rows of all inputs up to a key, so few that they stay in a core's cache
   * while they are merged, two inputs at a time. What is merged are words of 63 bits: the bits of a
   * key that differ within the block, the highest ones if they are too many, then which row it is.
   */
  private final class MergeBlocks {
    private final int count = rows.length;
    private final int window = Math.max(1, BLOCK / count);
    private final long[] at;
    private final long[] end;

    // Of the block.
    private final int[] starts = new int[count + 1];
    private final long[] from = new long[count];
    private long[] words = new long[BLOCK + count];
    private long[] merged = new long[BLOCK + count];

    MergeBlocks(long[] at, long[] end) {
      this.at = at;
      this.end = end;
    }

    /** Writes the next block of rows, which begins at a row of the result; how many they are. */
    int next(long row) {
      long most = Long.MAX_VALUE;
      for (int i = 0; i < count; i++) {
        if (end[i] - at[i] > window) {
          most = Math.min(most, keys[i].get(at[i] + window - 1));
        }
      }
      long least = Long.MAX_VALUE;
      long greatest = Long.MIN_VALUE;
      for (int i = 0; i < count; i++) {
        long last = Math.min(end[i], at[i] + window);
        long upTo = at[i] == last ? last : keys[i].upper(most, at[i], last);
        int some = (int) (upTo - at[i]);
        from[i] = at[i];
        starts[i + 1] = starts[i] + some;
        if (some > 0) {
          least = Math.min(least, keys[i].get(at[i]));
          greatest = Math.max(greatest, keys[i].get(upTo - 1));
        }
        at[i] = upTo;
      }
      int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(greatest - least) - KEY_BITS);
      load(least, shift);
      merge();
      if (shift > 0) {
        untie();
      }
      int some = starts[count];
      for (int column = 0; column < out.widths().size(); column++) {
        move(column, words, some, from, row);
      }
      return some;
    }

    private void load(long least, int shift) {
      for (int i = 0; i < count; i++) {
        int some = starts[i + 1] - starts[i];
        int to = starts[i];
        long which = (long) i << ROW_BITS;
        if (some == 0) {
          continue;
        }
        long address = runs.get(i).address(0, from[i]);
        if (out.widths().getFirst() == Integer.BYTES) {
          for (int k = 0; k < some; k++) {
            words[to + k] = Mem.getInt(address + 4L * k) - least << NUMBER_BITS | which | k;
          }
        } else {
          for (int k = 0; k < some; k++) {
            words[to + k] =
                Mem.getLong(address + 8L * k) - least >>> shift << NUMBER_BITS | which | k;
          }
        }
      }
    }

    /** Merges neighbours until one run is left, which is in {@link #words} then. */
    private void merge() {
      int[] bounds = starts.clone();
      int left = count;
      while (left > 1) {
        int pairs = 0;
        for (int i = 0; i < left; i += 2) {
          int middle = bounds[i + 1];
          int to = i + 2 <= left ? bounds[i + 2] : middle;
          two(words, bounds[i], middle, to, merged);
          bounds[++pairs] = to;
        }
        left = pairs;
        long[] other = words;
        words = merged;
        merged = other;
      }
    }

    /**
     * Rows whose words have the same key's bits in the order of their keys: few, or nearly all
     * where keys are in clusters that are far apart.
     */
    private void untie() {
      int some = starts[count];
      for (int from = 0; from < some; ) {
        int to = from + 1;
        while (to < some && words[to] >>> NUMBER_BITS == words[from] >>> NUMBER_BITS) {
          to++;
        }
        untie(from, to);
        from = to;
      }
    }

    /** Rows of one input come in the order of their keys, the inputs one after the other. */
    private void untie(int from, int to) {
      if (words[from] >>> ROW_BITS == words[to - 1] >>> ROW_BITS) {
        return;
      }
      int middle = (from + to) >>> 1;
      untie(from, middle);
      untie(middle, to);
      System.arraycopy(words, from, merged, from, middle - from);
      int i = from;
      int j = middle;
      int next = from;
      while (i < middle && j < to) {
        words[next++] = key(merged[i]) <= key(words[j]) ? merged[i++] : words[j++];
      }
      System.arraycopy(merged, i, words, next, middle - i);
    }

    private long key(long word) {
      int input = (int) (word >>> ROW_BITS) & INPUTS - 1;
      return keys[input].get(from[input] + (word & (1 << ROW_BITS) - 1));
    }
  }

  /**
   * Merges two neighbouring runs, without branches that depend on the keys: the lower half from its
   * beginning and the upper half from its end, so that two comparisons are under way at a time.
   */
  private static void two(long[] in, int from, int middle, int to, long[] out) {
    int half = (to - from) / 2;
    int split = split(in, from, middle, to, half);
    int i = from;
    int j = middle;
    int p = middle - 1;
    int q = to - 1;
    int other = middle + from + half - split;
    // Beyond its part of a run a half meets the other half's rows, which it does not take: there
    // must
    // be some.
    boolean inner = split > from && split < middle && other > middle && other < to;
    int next = from;
    if (inner) {
      int last = to - 1;
      for (int k = 0; k < half; k++) {
        long a = in[i];
        long b = in[j];
        boolean first = a < b;
        out[from + k] = first ? a : b;
        i += first ? 1 : 0;
        j += first ? 0 : 1;
        long c = in[p];
        long d = in[q];
        boolean second = c > d;
        out[last - k] = second ? c : d;
        p -= second ? 1 : 0;
        q -= second ? 0 : 1;
      }
      if (((to - from) & 1) != 0) {
        out[from + half] = p >= i ? in[i] : in[j];
      }
      return;
    }
    while (i < middle && j < to) {
      long a = in[i];
      long b = in[j];
      boolean first = a < b;
      out[next++] = first ? a : b;
      i += first ? 1 : 0;
      j += first ? 0 : 1;
    }
    System.arraycopy(in, i, out, next, middle - i);
    System.arraycopy(in, j, out, next + middle - i, to - j);
  }

  /** Where in the first run the lower half of the merge ends. */
  private static int split(long[] in, int from, int middle, int to, int half) {
    int low = Math.max(from, from + half - (to - middle));
    int high = Math.min(middle, from + half);
    while (low < high) {
      int place = (low + high) >>> 1;
      if (in[place] < in[middle + from + half - place - 1]) {
        low = place + 1;
      } else {
        high = place;
      }
    }
    return low;
  }

  /** Copies a column of rows that words name. */
  private void move(int column, long[] words, int some, long[] at, long row) {
    int width = out.widths().get(column);
    long to = out.address(column, row);
    long[] from = new long[at.length];
    for (int i = 0; i < at.length; i++) {
      from[i] = runs.get(i).address(column, at[i]);
    }
    switch (width) {
      case 1 -> {
        for (int k = 0; k < some; k++) {
          Mem.putByte(to + k, Mem.getByte(address(from, words[k], 0)));
        }
      }
      case 2 -> {
        for (int k = 0; k < some; k++) {
          Mem.putShort(to + 2L * k, Mem.getShort(address(from, words[k], 1)));
        }
      }
      case 4 -> {
        for (int k = 0; k < some; k++) {
          Mem.putInt(to + 4L * k, Mem.getInt(address(from, words[k], 2)));
        }
      }
      default -> {
        for (int k = 0; k < some; k++) {
          Mem.putLong(to + 8L * k, Mem.getLong(address(from, words[k], 3)));
        }
      }
    }
  }

  private static long address(long[] from, long word, int shift) {
    long row = word & (1 << ROW_BITS) - 1;
    return from[(int) (word >>> ROW_BITS) & INPUTS - 1] + (row << shift);
  }
}
