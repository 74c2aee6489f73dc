package io.aragonite.adapter.table;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.dictionary.DistinctBytes;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.table.ValueDistribution;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Quantiles and frequent values from a sample of a column's rows: one of each stretch of equal
 * length, anywhere in it, against periods in the data. A sample of this size knows a quantile to
 * within 0.6 % of the rows (one standard deviation).
 */
final class ValueSample {
  /** Rows looked at. */
  private static final int ROWS = 1 << 13;

  /** Parts that the bounds cut the rows into. */
  private static final int PARTS = 128;

  /** Occurrences in the sample that a frequent value has at least. */
  private static final int FREQUENT = 16;

  private static final int MOST_FREQUENT = 128;

  /** Bits of a sort's digit. */
  private static final int DIGIT = 11;

  private ValueSample() {}

  /** Rows of a table of some size, ascending; the same for all of its columns. */
  static long[] rows(long count, int wanted) {
    int size = (int) Math.min(count, wanted);
    long[] rows = new long[size];
    long from = 0;
    for (int i = 0; i < size; i++) {
      long to = count / size * (i + 1L) + count % size * (i + 1L) / size;
      rows[i] = from + Long.remainderUnsigned(DistinctBytes.mix(i + 1L), to - from);
      from = to;
    }
    return rows;
  }

  /**
   * The distribution of a loaded column.
   *
   * @param distinct how many different values it has, about
   */
  static ValueDistribution distribution(
      ColumnShape shape, List<Column> pieces, long count, double distinct) {
    Storage storage = shape.storage();
    boolean ordered =
        switch (storage) {
          case BYTE, SHORT, INT, LONG, CODE, CODE8, CODE16, FLOAT, DOUBLE -> true;
          default -> false;
        };
    if (!ordered || count == 0) {
      return ValueDistribution.NONE;
    }
    long[] rows = rows(count, ROWS);
    double[] values = new double[rows.length];
    int found = 0;
    int next = 0;
    long start = 0;
    for (Column piece : pieces) {
      long end = start + piece.dataRows();
      int from = next;
      while (next < rows.length && rows[next] < end) {
        next++;
      }
      found = take(piece, rows, from, next, start, values, found);
      start = end;
    }
    return of(sorted(values, found), found, distinct, shape.dictionary());
  }

  /**
   * The same of numbers in parts that are looked at one after the other and not kept. Several
   * threads may look at parts.
   */
  static final class OfParts {
    private final long[] rows;
    private final int[] first;
    private final long[] starts;
    private final double[][] values;

    /**
     * @param partRows rows of each part
     */
    OfParts(List<Integer> partRows) {
      long count = 0;
      this.starts = new long[partRows.size()];
      for (int i = 0; i < starts.length; i++) {
        starts[i] = count;
        count += partRows.get(i);
      }
      this.rows = rows(count, ROWS);
      this.first = new int[starts.length + 1];
      int next = 0;
      for (int i = 0; i < starts.length; i++) {
        first[i] = next;
        while (next < rows.length && rows[next] < starts[i] + partRows.get(i)) {
          next++;
        }
      }
      first[starts.length] = next;
      this.values = new double[starts.length][];
    }

    void look(int part, Decoded decoded) {
      Column column = decoded.column();
      double[] some = new double[first[part + 1] - first[part]];
      boolean number =
          decoded.dictionary() == null
              && switch (column.shape().storage()) {
                case BYTE, SHORT, INT, LONG, LONG128, FLOAT, DOUBLE -> true;
                default -> false;
              };
      int found =
          number ? take(column, rows, first[part], first[part + 1], starts[part], some, 0) : 0;
      values[part] = Arrays.copyOf(some, found);
    }

    /** What all parts have shown. */
    ValueDistribution distribution(double distinct) {
      double[] all = Arrays.stream(values).flatMapToDouble(Arrays::stream).toArray();
      return of(sorted(all, all.length), all.length, distinct, null);
    }
  }

  /**
   * Takes the values of some rows that are not null, nor NaN, nor wider than 64 bits.
   *
   * @param start the column's first row, as rows are counted
   * @return how many values there are now
   */
  private static int take(
      Column column, long[] rows, int from, int to, long start, double[] values, int found) {
    Storage storage = column.shape().storage();
    int taken = found;
    for (int i = from; i < to; i++) {
      int at = (int) (rows[i] - start);
      if (column.validity() == null || Mem.getBit(column.validity().address(), at)) {
        double value = value(storage, column.values().address(), at);
        if (!Double.isNaN(value)) {
          values[taken++] = value;
        }
      }
    }
    return taken;
  }

  private static double value(Storage storage, long address, int row) {
    return switch (storage) {
      case FLOAT -> Mem.getFloat(address + 4L * row);
      case DOUBLE -> Mem.getDouble(address + 8L * row);
      case LONG128 -> {
        long low = Mem.getLong(address + 16L * row);
        yield Mem.getLong(address + 16L * row + 8) == low >> 63 ? low : Double.NaN;
      }
      default -> PartScan.integer(storage, address, row);
    };
  }

  /**
   * Sorted by the digits of their bits, those that all have in common left out: a fifth of the time
   * that comparisons take, whose outcomes nobody can foretell.
   */
  private static double[] sorted(double[] values, int count) {
    long[] from = new long[count];
    long all = -1;
    long any = 0;
    for (int i = 0; i < count; i++) {
      long bits = Double.doubleToLongBits(values[i]);
      // Negative ones the other way round, below the others.
      from[i] = bits ^ (bits >> 63 | Long.MIN_VALUE);
      all &= from[i];
      any |= from[i];
    }
    long[] to = new long[count];
    int[] ends = new int[1 << DIGIT];
    for (int shift = 0; shift < Long.SIZE; shift += DIGIT) {
      if (((all ^ any) >>> shift & ends.length - 1) == 0) {
        continue;
      }
      Arrays.fill(ends, 0);
      for (long key : from) {
        ends[(int) (key >>> shift) & ends.length - 1]++;
      }
      for (int i = 1; i < ends.length; i++) {
        ends[i] += ends[i - 1];
      }
      for (int i = count - 1; i >= 0; i--) {
        to[--ends[(int) (from[i] >>> shift) & ends.length - 1]] = from[i];
      }
      long[] sorted = to;
      to = from;
      from = sorted;
    }
    double[] result = new double[count];
    for (int i = 0; i < count; i++) {
      result[i] = Double.longBitsToDouble(from[i] ^ (~from[i] >> 63 | Long.MIN_VALUE));
    }
    return result;
  }

  /** From sorted values. */
  private static ValueDistribution of(
      double[] values, int count, double distinct, @Nullable Dictionary dictionary) {
    if (count == 0) {
      return ValueDistribution.NONE;
    }
    double[] bounds = new double[PARTS + 1];
    for (int i = 0; i <= PARTS; i++) {
      bounds[i] = values[(int) ((long) i * (count - 1) / PARTS)];
    }
    double chance = count / Math.max(1, distinct);
    double least = Math.max(FREQUENT, chance + 4 * Math.sqrt(chance));
    // Runs of equal values; the longest are kept, in order of their lengths.
    long[] runs = new long[count];
    int frequent = 0;
    for (int from = 0; from < count; ) {
      int to = from + 1;
      while (to < count && values[to] == values[from]) {
        to++;
      }
      if (to - from >= least || to - from == count) {
        runs[frequent++] = (long) (to - from) << 32 | from;
      }
      from = to;
    }
    Arrays.sort(runs, 0, frequent);
    int kept = Math.min(frequent, MOST_FREQUENT);
    List<Object> common = new ArrayList<>();
    double[] shares = new double[kept];
    for (int i = 0; i < kept; i++) {
      long run = runs[frequent - 1 - i];
      double value = values[(int) run];
      common.add(dictionary == null ? (Object) value : dictionary.text((int) value));
      shares[i] = (double) (run >>> 32) / count;
    }
    return new ValueDistribution(count, bounds, common, shares);
  }
}
