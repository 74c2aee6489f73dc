package io.aragonite.exec.operator.sort;

import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.vector.Column;

/** Compares whole texts of a column: for rows whose texts begin alike. Nulls compare as empty. */
final class TextTies {
  private final Column column;
  private final int sign;

  TextTies(Column column, boolean descending) {
    this.column = column;
    this.sign = descending ? -1 : 1;
  }

  private int dataRow(int row) {
    int data =
        column.rowIds() == null ? row : Mem.getInt(column.rowIds().ids().address() + row * 4L);
    boolean present =
        data >= 0 && (column.validity() == null || Mem.getBit(column.validity().address(), data));
    return present ? data : -1;
  }

  private long offset(int data) {
    return Mem.getInt(column.offsets().address() + data * 4L);
  }

  int length(int row) {
    int data = dataRow(row);
    return data < 0 ? 0 : (int) (offset(data + 1) - offset(data));
  }

  int compare(int a, int b) {
    int lengthA = length(a);
    int lengthB = length(b);
    int common = Math.min(lengthA, lengthB);
    if (common > 0) {
      long atA = column.values().address() + offset(dataRow(a));
      long atB = column.values().address() + offset(dataRow(b));
      long differ = Mem.segment(atA, common).mismatch(Mem.segment(atB, common));
      if (differ >= 0) {
        return sign
            * Integer.compare(Mem.getByte(atA + differ) & 0xff, Mem.getByte(atB + differ) & 0xff);
      }
    }
    return sign * Integer.compare(lengthA, lengthB);
  }

  /** Merge sort: the comparison is dear, and boxing for the library's sort dearer. */
  void sort(int[] rows) {
    sort(rows.clone(), rows, 0, rows.length);
  }

  private void sort(int[] from, int[] to, int start, int end) {
    if (end - start < 2) {
      return;
    }
    int middle = (start + end) >>> 1;
    sort(to, from, start, middle);
    sort(to, from, middle, end);
    int left = start;
    int right = middle;
    for (int i = start; i < end; i++) {
      boolean takeLeft = right == end || (left < middle && compare(from[left], from[right]) <= 0);
      to[i] = takeLeft ? from[left++] : from[right++];
    }
  }
}
