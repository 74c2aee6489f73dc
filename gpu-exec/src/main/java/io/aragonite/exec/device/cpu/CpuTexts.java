package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.WholeTexts;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.vector.Column;

/** Compares whole texts of a column, byte by byte. */
final class CpuTexts implements WholeTexts {
  private final Column column;
  private final int sign;

  CpuTexts(Column column, boolean descending) {
    this.column = column;
    this.sign = descending ? -1 : 1;
  }

  @Override
  public boolean longer(Buffer order, Buffer places, int count, long bytes) {
    for (int i = 0; i < count; i++) {
      if (length(Mem.getInt(place(order, places, i))) > bytes) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void sort(
      ExecContext context, Buffer order, Buffer places, Buffer ties, int count, Buffer keys) {
    for (int from = 0; from < count; ) {
      int end = from + 1;
      while (end < count && tie(ties, end) == tie(ties, from)) {
        end++;
      }
      context.checkCancelled();
      int[] rows = new int[end - from];
      for (int i = from; i < end; i++) {
        rows[i - from] = Mem.getInt(place(order, places, i));
      }
      sort(rows);
      long key = from;
      for (int i = from; i < end; i++) {
        Mem.putInt(place(order, places, i), rows[i - from]);
        boolean same = i > from && compare(rows[i - from - 1], rows[i - from]) == 0;
        key = same ? key : i;
        Mem.putLong(keys.address() + i * 8L, key);
      }
      from = end;
    }
  }

  /** The address of the row at a place. */
  private static long place(Buffer order, Buffer places, int i) {
    return order.address() + Mem.getInt(places.address() + i * 4L) * 4L;
  }

  private static int tie(Buffer ties, int i) {
    return Mem.getInt(ties.address() + i * 4L);
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

  private int length(int row) {
    int data = dataRow(row);
    return data < 0 ? 0 : (int) (offset(data + 1) - offset(data));
  }

  private int compare(int a, int b) {
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
  private void sort(int[] rows) {
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
