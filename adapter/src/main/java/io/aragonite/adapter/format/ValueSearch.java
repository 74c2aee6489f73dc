package io.aragonite.adapter.format;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.memory.Mem;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Looks for a few values in a column. */
final class ValueSearch {
  private static final int FILTER_BITS = 12;

  private ValueSearch() {}

  /** Which values are in a column of integers, by their places. */
  static BitSet find(LoadedColumn column, long[] values) {
    Map<Long, Integer> places = new HashMap<>();
    boolean[] possible = new boolean[1 << FILTER_BITS];
    for (int i = 0; i < values.length; i++) {
      places.put(values[i], i);
      possible[place(values[i])] = true;
    }
    BitSet found = new BitSet(values.length);
    List<Column> pieces = column.pieces();
    for (Column piece : pieces) {
      long at = piece.values().address();
      long validity = piece.validity() == null ? 0 : piece.validity().address();
      for (int row = 0; row < piece.dataRows(); row++) {
        long value = PartScan.integer(column.shape().storage(), at, row);
        if (possible[place(value)] && (validity == 0 || Mem.getBit(validity, row))) {
          Integer place = places.get(value);
          if (place != null) {
            found.set(place);
          }
        }
      }
      if (found.cardinality() == places.size()) {
        break;
      }
    }
    return found;
  }

  private static int place(long value) {
    return (int) (value ^ value >>> FILTER_BITS) & (1 << FILTER_BITS) - 1;
  }
}
