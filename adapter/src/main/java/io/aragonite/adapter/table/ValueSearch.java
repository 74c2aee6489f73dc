package io.aragonite.adapter.table;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.vector.Column;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks for a few values in a column. */
final class ValueSearch {
  private static final int FILTER_BITS = 12;

  private ValueSearch() {}

  /** Rows of one value that are looked at, at most. */
  private static final int ROWS_OF_VALUE = 64;

  /**
   * Rows with some of the values.
   *
   * @param sample these rows, to try predicates on
   * @param places for each row the place of its value
   */
  record SampledRows(TableSample sample, int[] places) {}

  /**
   * Rows whose keys have some of the hashes.
   *
   * @param sample these rows, to try predicates on
   * @param hashes for each row that of its keys
   */
  record HashedRows(TableSample sample, long[] hashes) {}

  /** Gets a row with one of the values; false if no more rows are wanted. */
  private interface Finder {
    boolean found(long row, int place);
  }

  /**
   * Which of some values a column of integers has, by their places; all if memory does not hold it,
   * as an estimate goes on as if it had all.
   */
  static BitSet contained(StatisticsProvider table, int column, long[] values) {
    BitSet found = ofLoaded(table, column, loaded -> find(loaded, values));
    if (found == null) {
      found = new BitSet(values.length);
      found.set(0, values.length);
    }
    return found;
  }

  /** Rows with some of the values of a column of integers; null if memory does not hold it. */
  static @Nullable SampledRows rows(StatisticsProvider table, int column, long[] values) {
    return ofLoaded(table, column, loaded -> rows(table, loaded, values));
  }

  /** All rows whose keys have some hashes; null if they are many, or memory does not hold them. */
  static @Nullable HashedRows rows(
      StatisticsProvider table, List<Integer> columns, SketchRows.Hashes wanted) {
    return ofLoaded(
        table,
        columns,
        loaded -> {
          SketchRows.KeptRows kept = new SketchRows(loaded, new LoadWorkers(1)).rowsOf(wanted);
          return kept.all()
              ? new HashedRows(new TableSample(table, kept.numbers()), kept.hashes())
              : null;
        });
  }

  private static <T> @Nullable T ofLoaded(
      StatisticsProvider table, int column, Function<LoadedColumn, T> search) {
    return ofLoaded(table, List.of(column), loaded -> search.apply(loaded.getFirst()));
  }

  private static <T> @Nullable T ofLoaded(
      StatisticsProvider table,
      List<Integer> columns,
      Function<List<LoadedColumn>, @Nullable T> search) {
    if (!table.atHand(columns)) {
      return null;
    }
    try {
      return table.cache().withLoaded(columns, search::apply);
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return null;
    }
  }

  private static BitSet find(LoadedColumn column, long[] values) {
    BitSet found = new BitSet(values.length);
    search(
        column,
        values,
        (row, place) -> {
          found.set(place);
          return found.cardinality() < values.length;
        });
    return found;
  }

  /** The first rows of each value in a column of integers. */
  private static SampledRows rows(StatisticsProvider table, LoadedColumn column, long[] values) {
    TableColumnStatistics known = column.statistics();
    boolean unique = known.distinct() >= known.rows() - known.nulls();
    int most = unique ? 1 : ROWS_OF_VALUE;
    int[] counts = new int[values.length];
    long[] rows = new long[Math.multiplyExact(values.length, most)];
    int[] places = new int[rows.length];
    int[] size = new int[1];
    search(
        column,
        values,
        (row, place) -> {
          if (counts[place] < most) {
            counts[place]++;
            rows[size[0]] = row;
            places[size[0]++] = place;
          }
          return size[0] < rows.length;
        });
    long[] kept = Arrays.copyOf(rows, size[0]);
    return new SampledRows(new TableSample(table, kept), Arrays.copyOf(places, size[0]));
  }

  private static void search(LoadedColumn column, long[] values, Finder finder) {
    Map<Long, Integer> places = new HashMap<>();
    boolean[] possible = new boolean[1 << FILTER_BITS];
    for (int i = 0; i < values.length; i++) {
      places.put(values[i], i);
      possible[place(values[i])] = true;
    }
    long before = 0;
    for (Column piece : column.pieces()) {
      long at = piece.values().address();
      long validity = piece.validity() == null ? 0 : piece.validity().address();
      for (int row = 0; row < piece.dataRows(); row++) {
        long value = PartScan.integer(column.shape().storage(), at, row);
        if (possible[place(value)] && (validity == 0 || Mem.getBit(validity, row))) {
          Integer place = places.get(value);
          if (place != null && !finder.found(before + row, place)) {
            return;
          }
        }
      }
      before += piece.dataRows();
    }
  }

  private static int place(long value) {
    return (int) (value ^ value >>> FILTER_BITS) & (1 << FILTER_BITS) - 1;
  }
}
