package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rows by their words as a GPU keeps them, on the host, for rows that come in runs. It fails where
 * a row is not in the partition that its run says, a word of the build side lies beyond the order,
 * or a place is read that nobody has filled.
 */
public final class HostPerfectHashTable implements PerfectHashTable {
  /** The system property by which {@link HostBackedPrimitives} have such rows. */
  public static final String PROPERTY = "aragonite.test.direct";

  /** Joins whose build side's words all differed. */
  public static final AtomicInteger JOINED = new AtomicInteger();

  private final PartitionFunction order;
  private final int bits;
  private final int wordBytes;
  private final BitSet there = new BitSet();
  private final BitSet filled = new BitSet();

  /** Whether all words of the order's range are there, so that nobody looks which. */
  private final boolean complete;

  private boolean added;
  private boolean twice;
  private long found;
  private byte[] slots = new byte[0];

  HostPerfectHashTable(PartitionFunction order, int bits, int wordBytes, int count) {
    this.order = order;
    this.bits = bits;
    this.wordBytes = wordBytes;
    this.complete = order.range() + 1 == count;
  }

  private interface Visitor {
    void row(int row, int place);
  }

  private long place(Buffer words, int row) {
    long word =
        wordBytes == Integer.BYTES
            ? Mem.getInt(words.address() + 4L * row)
            : Mem.getLong(words.address() + 8L * row);
    return word - order.base();
  }

  private boolean within(long place) {
    return Long.compareUnsigned(place, order.range()) <= 0;
  }

  private void visit(Buffer words, PartitionRuns runs, boolean build, Visitor visitor) {
    for (int[] run : runs.starts()) {
      for (int p = 0; p + 1 < run.length; p++) {
        for (int row = run[p]; row < run[p + 1]; row++) {
          long place = place(words, row);
          if (within(place) ? place >>> order.shift(bits) != p : build) {
            throw new AssertionError("row %d at %d is in partition %d".formatted(row, place, p));
          }
          if (within(place)) {
            visitor.row(row, (int) place);
          }
        }
      }
    }
  }

  private static long rows(PartitionRuns runs) {
    return Arrays.stream(runs.starts()).mapToInt(run -> run[run.length - 1]).max().orElse(0);
  }

  @Override
  public void add(ExecContext context, Buffer words, PartitionRuns rows) {
    try (StagedCall call = new StagedCall(context)) {
      visit(
          call.in(words, wordBytes * rows(rows)),
          rows,
          true,
          (row, place) -> {
            twice |= there.get(place);
            there.set(place);
          });
      added = true;
    }
  }

  @Override
  public void fill(
      ExecContext context, Buffer words, PartitionRuns rows, List<Buffer> in, int width) {
    int slot = in.size() * width;
    if (slots.length == 0) {
      slots = new byte[Math.toIntExact(slot * (order.range() + 1))];
      Arrays.fill(slots, (byte) 0x5A);
    }
    try (StagedCall call = new StagedCall(context)) {
      List<Buffer> columns = in.stream().map(c -> call.in(c, width * rows(rows))).toList();
      visit(
          call.in(words, wordBytes * rows(rows)),
          rows,
          true,
          (row, place) -> {
            for (int i = 0; i < slot; i++) {
              long from = columns.get(i / width).address() + (long) width * row + i % width;
              slots[slot * place + i] = Mem.getByte(from);
            }
            filled.set(place);
          });
    }
  }

  @Override
  public void fetch(
      ExecContext context, Buffer words, PartitionRuns rows, List<Buffer> out, int width) {
    int slot = out.size() * width;
    try (StagedCall call = new StagedCall(context)) {
      // What is not of these runs stays as it is.
      List<Buffer> columns = new ArrayList<>();
      out.forEach(c -> columns.add(call.in(c, width * rows(rows))));
      visit(
          call.in(words, wordBytes * rows(rows)),
          rows,
          false,
          (row, place) -> {
            if (complete || there.get(place)) {
              found++;
              if (!filled.get(place) && !twice) {
                throw new AssertionError("nothing is at " + place);
              }
              for (int i = 0; i < slot; i++) {
                long to = columns.get(i / width).address() + (long) width * row + i % width;
                Mem.putByte(to, slots[slot * place + i]);
              }
            }
          });
      for (int i = 0; i < out.size(); i++) {
        call.back(columns.get(i), out.get(i), width * rows(rows));
      }
    }
  }

  @Override
  public long found(ExecContext context) {
    long all = found;
    found = 0;
    if (!twice) {
      JOINED.incrementAndGet();
    }
    return twice ? -1 : all;
  }

  @Override
  public int fetch(
      ExecContext context, Buffer words, int wordBytes, int count, List<Buffer> out, int width) {
    if (!out.isEmpty() || !added) {
      throw new AssertionError("some words are counted, of what has been added");
    }
    try (StagedCall call = new StagedCall(context)) {
      Buffer in = call.in(words, (long) wordBytes * count);
      int all = 0;
      for (int row = 0; row < count; row++) {
        long place = place(in, row);
        all += within(place) && (complete || there.get((int) place)) ? 1 : 0;
      }
      return twice ? -1 : all;
    }
  }

  @Override
  public void fill(
      ExecContext context, Buffer words, int wordBytes, int count, List<Buffer> in, int width) {
    throw new AssertionError("these rows come in runs");
  }

  @Override
  public void close() {}
}
