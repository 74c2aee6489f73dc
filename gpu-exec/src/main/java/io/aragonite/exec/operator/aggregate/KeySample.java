package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
import java.util.List;

/**
 * Words of pairs of neighbours, evenly spaced among rows.
 *
 * @param places pairs
 * @param repeated places whose word is that of an earlier one
 * @param equal pairs of equal words
 * @param mostFrequent places of the word that most have
 * @param ascending whether all words ascend
 */
record KeySample(int places, int repeated, int equal, int mostFrequent, boolean ascending) {
  /**
   * @param columns the keys of two rows at least
   * @param most pairs
   */
  static KeySample of(ExecContext context, GroupKeys keys, List<Column> columns, int most) {
    int all = columns.getFirst().rows();
    QueryMemory.Arena scratch = context.scratch();
    QueryMemory.Arena host = context.hostScratch();
    long mark = scratch.mark();
    long hostMark = host.mark();
    int places = Math.min(most, all - 1);
    long bytes = 4L * 2 * places;
    Buffer at = host.allocate(2 * bytes);
    for (int i = 0; i < places; i++) {
      int row = (int) ((long) i * (all - 1) / places);
      Mem.putInt(at.address() + 8L * i, row);
      Mem.putInt(at.address() + 8L * i + 4, row + 1);
    }
    Buffer positions = scratch.allocate(bytes);
    context.device().transfers().toDevice(context, at.address(), positions, bytes);
    RowIds seen = new RowIds(positions, 2 * places, false);
    ColumnBatch rows = new ColumnBatch(Batches.select(context, columns, seen), 2 * places);
    Column words = keys.words().evaluate(context, rows).column(0);
    if (words.rowIds() != null) {
      words = context.gather().materialize(context, words, scratch);
    }
    context.device().transfers().toHost(context, words.values(), at.address(), 2 * bytes);
    KeySample sample = count(at.address(), places);
    scratch.release(mark);
    host.release(hostMark);
    return sample;
  }

  private static KeySample count(long at, int places) {
    long[] table = new long[4 * Integer.highestOneBit(places)];
    int[] times = new int[table.length];
    int mostFrequent = 0;
    int repeated = 0;
    int equal = 0;
    boolean ascending = true;
    long before = Mem.getLong(at);
    for (int i = 0; i < places; i++) {
      long word = Mem.getLong(at + 16L * i);
      long next = Mem.getLong(at + 16L * i + 8);
      ascending &= Long.compareUnsigned(before, word) <= 0 && Long.compareUnsigned(word, next) <= 0;
      before = next;
      equal += word == next ? 1 : 0;
      int slot = (int) ((word * 0x9E37_79B9_7F4A_7C15L) >>> 40) & (table.length - 1);
      while (times[slot] > 0 && table[slot] != word) {
        slot = (slot + 1) & (table.length - 1);
      }
      repeated += times[slot] > 0 ? 1 : 0;
      mostFrequent = Math.max(mostFrequent, ++times[slot]);
      table[slot] = word;
    }
    return new KeySample(places, repeated, equal, mostFrequent, ascending);
  }

  /** The keys that so many rows have. Of D keys, n places drawn at random find D (1 - e^(-n/D)). */
  double groups(double rows) {
    double runs = Math.max(1, rows * (places - equal) / places);
    double found = places - repeated;
    double keys = runs;
    if (repeated > 0) {
      double low = found;
      double high = 1e12;
      while (high / low > 1.01) {
        double middle = Math.sqrt(low * high);
        boolean more = -middle * Math.expm1(-places / middle) < found;
        low = more ? middle : low;
        high = more ? high : middle;
      }
      keys = high;
    }
    // What many rows find of so many keys.
    return Math.min(runs, -keys * Math.expm1(-rows / keys));
  }
}
