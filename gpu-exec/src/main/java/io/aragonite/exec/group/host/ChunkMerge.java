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
    boolean narrow = out.widths().getFirst() == Integer.BYTES;
    Heads heads = new Heads(count);
    for (int i = 0; i < count; i++) {
      heads.add(runs.get(i), i, at[i], end[i], narrow);
    }
    short[] inputs = new short[BLOCK];
    long[] before = new long[count];
    for (long row = from; row < to; row += BLOCK) {
      int some = (int) Math.min(BLOCK, to - row);
      System.arraycopy(at, 0, before, 0, count);
      if (narrow) {
        heads.ints(out.address(0, row), some, inputs);
      } else {
        heads.longs(out.address(0, row), some, inputs);
      }
      for (int k = 0; k < some; k++) {
        at[inputs[k]]++;
      }
      for (int column = 1; column < out.widths().size(); column++) {
        move(column, inputs, some, before.clone(), row);
      }
    }
  }

  /** The next key of each input that has not ended. */
  private static final class Heads {
    private final long[] keys;
    private final long[] next;
    private final long[] end;
    private final short[] input;
    private int live;

    Heads(int count) {
      keys = new long[count];
      next = new long[count];
      end = new long[count];
      input = new short[count];
    }

    void add(HostRows run, int number, long from, long to, boolean narrow) {
      if (from < to) {
        next[live] = run.address(0, from);
        end[live] = run.address(0, to);
        keys[live] = narrow ? Mem.getInt(next[live]) : Mem.getLong(next[live]);
        input[live++] = (short) number;
      }
    }

    /** The input of the least key, the first of equal ones. */
    private int least() {
      int least = 0;
      long key = keys[0];
      for (int i = 1; i < live; i++) {
        boolean less = keys[i] < key;
        least = less ? i : least;
        key = less ? keys[i] : key;
      }
      return least;
    }

    void ints(long out, int count, short[] inputs) {
      for (int k = 0; k < count; k++) {
        int least = least();
        Mem.putInt(out + 4L * k, (int) keys[least]);
        inputs[k] = input[least];
        long address = next[least] + Integer.BYTES;
        next[least] = address;
        if (address < end[least]) {
          keys[least] = Mem.getInt(address);
        } else {
          drop(least);
        }
      }
    }

    void longs(long out, int count, short[] inputs) {
      for (int k = 0; k < count; k++) {
        int least = least();
        Mem.putLong(out + 8L * k, keys[least]);
        inputs[k] = input[least];
        long address = next[least] + Long.BYTES;
        next[least] = address;
        if (address < end[least]) {
          keys[least] = Mem.getLong(address);
        } else {
          drop(least);
        }
      }
    }

    /** The others keep their order, by which equal keys are taken. */
    private void drop(int ended) {
      live--;
      for (int i = ended; i < live; i++) {
        keys[i] = keys[i + 1];
        next[i] = next[i + 1];
        end[i] = end[i + 1];
        input[i] = input[i + 1];
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
    switch (width) {
      case 1 -> {
        for (int k = 0; k < some; k++) {
          Mem.putByte(to + k, Mem.getByte(from[inputs[k]]++));
        }
      }
      case 2 -> {
        for (int k = 0; k < some; k++) {
          Mem.putShort(to + 2L * k, Mem.getShort(from[inputs[k]]));
          from[inputs[k]] += 2;
        }
      }
      case 4 -> {
        for (int k = 0; k < some; k++) {
          Mem.putInt(to + 4L * k, Mem.getInt(from[inputs[k]]));
          from[inputs[k]] += 4;
        }
      }
      default -> {
        for (int k = 0; k < some; k++) {
          Mem.putLong(to + 8L * k, Mem.getLong(from[inputs[k]]));
          from[inputs[k]] += 8;
        }
      }
    }
  }
}
