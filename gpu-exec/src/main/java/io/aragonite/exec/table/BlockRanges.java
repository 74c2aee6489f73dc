package io.aragonite.exec.table;

import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The least and the greatest value of each block of a column's rows, nulls aside: blocks that have
 * no value of a range, or none of some values, need not be read. Immutable.
 */
public final class BlockRanges {
  /** Rows of a block: few, since a key of a clustered table has all rows of its block read. */
  public static final int BLOCK_ROWS = 1 << 9;

  private final long rows;
  private final int blockRows;

  /** By block; the least is above the greatest where all are null. */
  private final long[] least;

  private final long[] greatest;

  private double width = 1;

  private BlockRanges(long rows, int blockRows) {
    this.rows = rows;
    this.blockRows = blockRows;
    int blocks = Math.toIntExact((rows + blockRows - 1) / blockRows);
    this.least = new long[blocks];
    this.greatest = new long[blocks];
    Arrays.fill(least, Long.MAX_VALUE);
    Arrays.fill(greatest, Long.MIN_VALUE);
  }

  /**
   * Looks at all values of a column in host memory.
   *
   * @param pieces in order, without indirection
   * @return null for a column that is not one of integers in at most 64 bits
   */
  public static @Nullable BlockRanges of(List<Column> pieces, int blockRows) {
    if (!pieces.stream().allMatch(piece -> piece.shape().storage().isInteger())) {
      return null;
    }
    BlockRanges map = new BlockRanges(pieces.stream().mapToLong(Column::dataRows).sum(), blockRows);
    long first = 0;
    for (Column piece : pieces) {
      int row = 0;
      while (row < piece.dataRows()) {
        int block = (int) ((first + row) / blockRows);
        int end = (int) Math.min(piece.dataRows(), (block + 1L) * blockRows - first);
        StopCheck.current().check();
        map.look(piece, row, end, block);
        row = end;
      }
      first += piece.dataRows();
    }
    map.width = map.meanWidth();
    return map;
  }

  /**
   * Of a column of integers in at most 64 bits whose blocks have been looked at.
   *
   * @param rows of the column
   * @param least by block, {@link #BLOCK_ROWS} rows each
   * @param greatest by block
   */
  public static BlockRanges of(long rows, List<long[]> least, List<long[]> greatest) {
    BlockRanges map = new BlockRanges(rows, BLOCK_ROWS);
    fill(least, map.least);
    fill(greatest, map.greatest);
    map.width = map.meanWidth();
    return map;
  }

  private static void fill(List<long[]> parts, long[] all) {
    int next = 0;
    for (long[] part : parts) {
      System.arraycopy(part, 0, all, next, part.length);
      next += part.length;
    }
  }

  private double meanWidth() {
    double low = Arrays.stream(least).min().orElse(0);
    double high = Arrays.stream(greatest).max().orElse(0);
    double all = 0;
    for (int block = 0; block < least.length; block++) {
      all += Math.max(0, (double) greatest[block] - least[block] + 1);
    }
    return least.length == 0 || high < low ? 1 : Math.min(1, all / least.length / (high - low + 1));
  }

  private void look(Column piece, int from, int end, int block) {
    long address = piece.values().address();
    Storage storage = piece.shape().storage();
    Buffer validity = piece.validity();
    long low = least[block];
    long high = greatest[block];
    if (validity == null) {
      long first = address + (long) from * storage.width();
      IntegerBounds.look(storage, first, end - from, least, greatest, block);
      least[block] = Math.min(low, least[block]);
      greatest[block] = Math.max(high, greatest[block]);
      return;
    }
    for (int row = from; row < end; row++) {
      if (!Mem.getBit(validity.address(), row)) {
        continue;
      }
      long value =
          switch (storage) {
            case BYTE -> Mem.getByte(address + row);
            case SHORT -> Mem.getShort(address + 2L * row);
            case INT -> Mem.getInt(address + 4L * row);
            default -> Mem.getLong(address + 8L * row);
          };
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    least[block] = low;
    greatest[block] = high;
  }

  /** Rows of the column. */
  public long rows() {
    return rows;
  }

  /** Rows of a block; the last one may have fewer. */
  public int blockRows() {
    return blockRows;
  }

  /** How many blocks there are. */
  public int blocks() {
    return least.length;
  }

  /**
   * What share of the column's range the values of a block span, in the mean: little in a table
   * that lies by the column, nearly all in one that does not.
   */
  public double width() {
    return width;
  }

  /** The blocks, from 0, that may have a value of a range, whose bounds are inclusive. */
  public BitSet meeting(long from, long to) {
    BitSet blocks = new BitSet(least.length);
    for (int block = 0; block < least.length; block++) {
      blocks.set(block, least[block] <= to && greatest[block] >= from);
    }
    return blocks;
  }

  /**
   * The blocks, from 0, that may have one of some values.
   *
   * @param values ascending
   */
  public BitSet meeting(long[] values) {
    BitSet blocks = new BitSet(least.length);
    for (int block = 0; block < least.length; block++) {
      int found = Arrays.binarySearch(values, least[block]);
      int next = found < 0 ? -found - 1 : found;
      blocks.set(block, next < values.length && values[next] <= greatest[block]);
    }
    return blocks;
  }
}
