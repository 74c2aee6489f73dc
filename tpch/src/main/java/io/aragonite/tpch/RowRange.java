package io.aragonite.tpch;

import io.trino.tpch.RandomBoundedInt;
import java.util.ArrayList;
import java.util.List;

/**
 * Consecutive rows of a table: one record batch.
 *
 * @param firstUnit the generator's unit ({@link TpchScale#units}) that holds the first row
 * @param skipRows rows of that unit that belong to the batch before
 * @param rows the number of rows
 */
record RowRange(long firstUnit, int skipRows, int rows) {
  private static final int SUPPLIERS_PER_PART = 4;

  /** Splits a table into ranges of {@code batchRows} rows, the last one shorter. */
  static List<RowRange> split(TpchTable table, TpchScale scale, int batchRows) {
    long units = scale.units(table);
    if (table == TpchTable.LINEITEM) {
      return splitLines(units, batchRows);
    }
    int rowsPerUnit = table == TpchTable.PARTSUPP ? SUPPLIERS_PER_PART : 1;
    long total = units * rowsPerUnit;
    List<RowRange> ranges = new ArrayList<>();
    for (long row = 0; row < total; row += batchRows) {
      int rows = (int) Math.min(batchRows, total - row);
      ranges.add(new RowRange(row / rowsPerUnit, (int) (row % rowsPerUnit), rows));
    }
    return ranges;
  }

  /** The number of rows that the units {@code [from, to)} of a table have. */
  static long rowsBetween(TpchTable table, long from, long to) {
    return switch (table) {
      case LINEITEM -> {
        RandomBoundedInt lines = lineCounts(from);
        long rows = 0;
        for (long order = from; order < to; order++) {
          rows += nextLineCount(lines);
        }
        yield rows;
      }
      case PARTSUPP -> SUPPLIERS_PER_PART * (to - from);
      default -> to - from;
    };
  }

  private static List<RowRange> splitLines(long orders, int batchRows) {
    List<RowRange> ranges = new ArrayList<>();
    RandomBoundedInt lines = lineCounts(0);
    long firstOrder = 0;
    int skip = 0;
    long filled = 0; // rows since the start of the open range, orders before this one
    for (long order = 0; order < orders; order++) {
      int count = nextLineCount(lines);
      filled += count;
      while (filled >= batchRows) {
        ranges.add(new RowRange(firstOrder, skip, batchRows));
        filled -= batchRows;
        firstOrder = filled == 0 ? order + 1 : order;
        skip = filled == 0 ? 0 : (int) (count - filled);
      }
    }
    if (filled > 0) {
      ranges.add(new RowRange(firstOrder, skip, (int) filled));
    }
    return ranges;
  }

  /** The stream from which the generator draws the lines of each order: 1 to 7 (clause 4.2.3). */
  private static RandomBoundedInt lineCounts(long firstOrder) {
    RandomBoundedInt lines = new RandomBoundedInt(1434868289, 1, 7);
    lines.advanceRows(firstOrder);
    return lines;
  }

  private static int nextLineCount(RandomBoundedInt lines) {
    int count = lines.nextValue();
    lines.rowFinished();
    return count;
  }
}
