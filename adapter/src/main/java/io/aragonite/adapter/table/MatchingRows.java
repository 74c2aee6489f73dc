package io.aragonite.adapter.table;

import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExprColumns;
import io.aragonite.exec.table.ZoneFilter;
import io.aragonite.exec.table.ZoneMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The rows of a part that may match a filter. Columns have their pages cut at different rows: the
 * filter is asked about each run of rows between two cuts.
 */
final class MatchingRows {
  private final FilePart part;
  private final List<Integer> columns;
  private final Expr filter;

  /** By column of the filter, once it was asked for: its runs, by their first rows. */
  private final Map<Integer, ColumnRuns> known = new HashMap<>();

  /**
   * @param columns of the file that the filter's columns are
   */
  MatchingRows(FilePart part, List<Integer> columns, Expr filter) {
    this.part = part;
    this.columns = columns;
    this.filter = filter;
  }

  /** Runs of rows of a column, which are asked for in their order. */
  private static final class ColumnRuns {
    private final List<ZoneMap> zones;
    private int at;
    private long end;

    ColumnRuns(List<ZoneMap> zones) {
      this.zones = zones;
      this.end = zones.getFirst().rows();
    }

    ZoneMap of(long row) {
      while (row >= end) {
        end += zones.get(++at).rows();
      }
      return zones.get(at);
    }
  }

  private ColumnRuns runs(int column) {
    return known.computeIfAbsent(column, key -> new ColumnRuns(part.zones(columns.get(key))));
  }

  /** The part itself if all may match, or else runs of its rows. */
  List<FilePart> parts() {
    Set<Integer> asked = new TreeSet<>();
    ExprColumns.collect(filter, asked);
    asked.forEach(this::runs);
    SortedSet<Long> cuts = new TreeSet<>();
    for (ColumnRuns runs : known.values()) {
      long row = 0;
      for (ZoneMap zone : runs.zones) {
        row += zone.rows();
        cuts.add(row);
      }
    }
    if (cuts.size() < 2) {
      return List.of(part);
    }
    List<FilePart> matching = new ArrayList<>();
    long from = 0;
    long first = -1;
    for (long to : cuts) {
      long row = from;
      boolean may = ZoneFilter.mayMatch(filter, column -> runs(column).of(row));
      if (may && first < 0) {
        first = from;
      } else if (!may && first >= 0) {
        matching.add(Objects.requireNonNull(part.rows((int) first, (int) from)));
        first = -1;
      }
      from = to;
    }
    if (first == 0) {
      return List.of(part);
    }
    if (first > 0) {
      matching.add(Objects.requireNonNull(part.rows((int) first, (int) from)));
    }
    return matching;
  }
}
