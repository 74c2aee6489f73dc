package io.aragonite.adapter.table;

import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.table.RowBlocks;
import io.aragonite.exec.table.ZoneFilter;
import io.aragonite.exec.table.ZoneMap;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a file that may have rows for which a filter is true.
 *
 * @param parts in the order of the file, or the rows of them that may match
 * @param skipped parts that have none
 * @param share of the rows that the parts have
 */
record MatchingParts(List<FilePart> parts, int skipped, double share) {
  /** Rows that are read although nobody wants them: to read twice in their part would cost more. */
  private static final int GAP = 1 << 14;

  /** Small parts that are read before others are. */
  private static final int SMALL_PARTS = 16;

  private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

  /**
   * @param columns of the file that the filter's columns are
   */
  static MatchingParts of(TableFile file, List<Integer> columns, Expr filter) {
    List<FilePart> all = file.parts();
    List<FilePart> kept = new ArrayList<>();
    int skipped = 0;
    long rows = 0;
    long keptRows = 0;
    for (FilePart part : all) {
      rows += part.rows();
      if (ZoneFilter.mayMatch(
          filter,
          column -> part.zone(columns.get(column)),
          (column, value) -> part.mayHave(columns.get(column), value))) {
        List<FilePart> some = new MatchingRows(part, columns, filter).parts();
        kept.addAll(some);
        keptRows += some.stream().mapToLong(FilePart::rows).sum();
        skipped += some.isEmpty() ? 1 : 0;
      } else {
        skipped++;
      }
    }
    return new MatchingParts(kept, skipped, rows == 0 ? 0 : (double) keptRows / rows);
  }

  /** The rows of a file that are in some blocks, and some between these. */
  static MatchingParts in(TableFile file, RowBlocks blocks) {
    List<FilePart> kept = new ArrayList<>();
    int skipped = 0;
    long start = 0;
    long keptRows = 0;
    for (FilePart part : file.parts()) {
      int known = kept.size();
      long end = start + part.rows();
      long from = next(blocks, start);
      while (from < end) {
        long to = end(blocks, from, end);
        FilePart some =
            to - from < part.rows() ? part.rows((int) (from - start), (int) (to - start)) : null;
        kept.add(some == null ? part : some);
        keptRows += kept.getLast().rows();
        from = some == null ? end : next(blocks, to);
      }
      skipped += kept.size() == known ? 1 : 0;
      start = end;
    }
    return new MatchingParts(kept, skipped, start == 0 ? 0 : (double) keptRows / start);
  }

  /** The first wanted row from one on. */
  private static long next(RowBlocks blocks, long row) {
    int block = blocks.wanted().nextSetBit((int) (row / blocks.blockRows()));
    return block < 0 ? Long.MAX_VALUE : Math.max(row, (long) block * blocks.blockRows());
  }

  /** Where the rows to read from a wanted one on end: where no other follows soon. */
  private static long end(RowBlocks blocks, long from, long partEnd) {
    long end = from;
    for (long next = from; next < partEnd && next - end <= GAP; next = next(blocks, end)) {
      int last = blocks.wanted().nextClearBit((int) (next / blocks.blockRows()));
      end = Math.min(partEnd, (long) last * blocks.blockRows());
    }
    return end;
  }

  /**
   * The same rows in more parts, of which the first ones are small.
   *
   * @param rows of a small part
   */
  static List<FilePart> cut(List<FilePart> parts, int rows) {
    List<FilePart> pieces = new ArrayList<>();
    for (FilePart part : parts) {
      int from = 0;
      while (from < part.rows()) {
        boolean small = pieces.size() < SMALL_PARTS && part.rows() - from > rows;
        int to = small ? from + rows : part.rows();
        FilePart some = to - from == part.rows() ? part : part.rows(from, to);
        if (some == null) {
          some = part;
          to = part.rows();
        }
        pieces.add(some);
        from = to;
      }
    }
    return pieces;
  }

  /**
   * What the file promises of a column's values in these parts. Code is made for it, so that {@link
   * ColumnLoader#read} holds the values against it.
   */
  ColumnShape shape(int column, DataType type) {
    List<ZoneMap> zones = parts.stream().map(part -> part.zone(column)).toList();
    boolean nulls = type.nullable() && zones.stream().anyMatch(zone -> zone.nulls() != 0);
    ValueRange range = range(zones);
    Storage storage =
        type.kind() == TypeKind.DECIMAL && range != null ? Storage.LONG : Storage.of(type);
    return new ColumnShape(type, storage, nulls, null, range);
  }

  /** Bounds of all values of some parts; null if not all have them, or no part has a value. */
  static @Nullable ValueRange range(List<ZoneMap> zones) {
    ValueRange all = null;
    for (ZoneMap zone : zones) {
      if (zone.isEmpty()) {
        continue;
      }
      Long min = word(zone.min());
      Long max = word(zone.max());
      if (min == null || max == null) {
        return null;
      }
      ValueRange range = new ValueRange(min, max);
      all = all == null ? range : all.union(range);
    }
    return all;
  }

  /** Whether values without nulls may ascend from part to part, by what is known of them. */
  static boolean mayAscend(List<ZoneMap> zones) {
    Long last = null;
    for (ZoneMap zone : zones) {
      Long min = word(zone.min());
      Long max = word(zone.max());
      if (zone.nulls() > 0 || last != null && min != null && min < last) {
        return false;
      }
      last = max == null ? last : max;
    }
    return true;
  }

  /** A bound as it is stored in 64 bits; null if it is not. */
  private static @Nullable Long word(@Nullable Object bound) {
    if (bound instanceof BigDecimal decimal) {
      BigInteger unscaled = decimal.unscaledValue();
      boolean fits = unscaled.compareTo(LEAST) >= 0 && unscaled.compareTo(MOST) <= 0;
      return fits ? (Long) unscaled.longValue() : null;
    }
    return bound instanceof Long value ? value : null;
  }
}
