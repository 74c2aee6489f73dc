package io.aragonite.exec.group.host;

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
 * payload are moved column by column of a small block of rows, of which the inputs are noted first,
 * so that no pairs are made of them.
 */
final class ChunkMerge {
  /** Rows of the result that a thread takes at once. */
  private static final int TASK = 1 << 18;

  /** Rows whose inputs are noted before their columns are moved: they stay in a core's cache. */
  private static final int BLOCK = 1 << 10;

  private final List<HostRows> runs;
  private final long[] rows;
  private final HostRows out;
  private final HostColumn[] keys;

  private ChunkMerge(List<HostRows> runs, long[] rows, HostRows out) {
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
   */
  static void merge(
      List<HostRows> runs, long[] rows, HostRows out, Executor executor, int threads) {
    ChunkMerge merge = new ChunkMerge(runs, rows, out);
    long total = 0;
    for (long some : rows) {
      total += some;
    }
    long all = total;
    int tasks = Math.toIntExact((total + TASK - 1) / TASK);
    forEach(
        tasks,
        task -> merge.range((long) task * TASK, Math.min(all, (task + 1L) * TASK)),
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
        failure = failure == null ? e : failure;
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
    int count = rows.length;
    long[] at = places(from);
    long[] end = places(to);
    int keyWidth = out.widths().getFirst();
    long[] heads = new long[count];
    for (int i = 0; i < count; i++) {
      heads[i] = at[i] < end[i] ? keys[i].get(at[i]) : Long.MAX_VALUE;
    }
    short[] inputs = new short[BLOCK];
    long[] before = new long[count];
    for (long row = from; row < to; row += BLOCK) {
      int some = (int) Math.min(BLOCK, to - row);
      System.arraycopy(at, 0, before, 0, count);
      long target = out.address(0, row);
      for (int k = 0; k < some; k++) {
        int least = -1;
        long key = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
          // The greatest key has no other that says that an input has ended.
          if (heads[i] < key || least < 0 && at[i] < end[i]) {
            key = heads[i];
            least = i;
          }
        }
        if (keyWidth == Integer.BYTES) {
          Mem.putInt(target + 4L * k, (int) key);
        } else {
          Mem.putLong(target + 8L * k, key);
        }
        inputs[k] = (short) least;
        long next = ++at[least];
        heads[least] = next < end[least] ? keys[least].get(next) : Long.MAX_VALUE;
      }
      for (int column = 1; column < out.widths().size(); column++) {
        move(column, inputs, some, before.clone(), row);
      }
    }
  }

  private void move(int column, short[] inputs, int some, long[] at, long row) {
    int width = out.widths().get(column);
    long to = out.address(column, row);
    long[] from = new long[at.length];
    for (int i = 0; i < at.length; i++) {
      from[i] = runs.get(i).address(column, at[i]);
    }
    for (int k = 0; k < some; k++, to += width) {
      int input = inputs[k];
      switch (width) {
        case 1 -> Mem.putByte(to, Mem.getByte(from[input]));
        case 2 -> Mem.putShort(to, Mem.getShort(from[input]));
        case 4 -> Mem.putInt(to, Mem.getInt(from[input]));
        default -> Mem.putLong(to, Mem.getLong(from[input]));
      }
      from[input] += width;
    }
  }
}
