package io.aragonite.adapter.table;

import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.exec.expr.Expr;
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
 * @param parts in the order of the file
 * @param skipped parts that have none
 * @param share of the rows that the parts have
 */
record MatchingParts(List<FilePart> parts, int skipped, double share) {
  private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

  /**
   * @param columns of the file that the filter's columns are
   */
  static MatchingParts of(TableFile file, List<Integer> columns, Expr filter) {
    List<FilePart> all = file.parts();
    List<FilePart> kept = new ArrayList<>();
    long rows = 0;
    long keptRows = 0;
    for (FilePart part : all) {
      rows += part.rows();
      if (ZoneFilter.mayMatch(filter, column -> part.zone(columns.get(column)))) {
        kept.add(part);
        keptRows += part.rows();
      }
    }
    return new MatchingParts(
        kept, all.size() - kept.size(), rows == 0 ? 0 : (double) keptRows / rows);
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

  private static @Nullable ValueRange range(List<ZoneMap> zones) {
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
