package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.RowIds;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a batch that an accumulator takes in, brought into one form so that the loops over
 * them need no cases: mask and nulls are gone, groups stand next to each other.
 *
 * @param count how many
 * @param rows the data row of each, 0 if that is its number
 * @param groups the group of each, 0 if all belong to group 0
 */
record AccumulatorRows(int count, long rows, long groups) {

  /** Rows that are in the mask, and whose value is not null unless {@code nulls} are wanted. */
  static AccumulatorRows of(
      ExecContext context,
      @Nullable Column values,
      @Nullable Buffer groups,
      @Nullable Buffer mask,
      int count,
      boolean nulls) {
    RowIds rowIds = values == null ? null : values.rowIds();
    long groupAddress = groups == null ? 0 : groups.address();
    long ids = rowIds == null ? 0 : rowIds.ids().address();
    if (mask == null && (nulls || values == null || !mayBeNull(values))) {
      return new AccumulatorRows(count, ids, groupAddress);
    }
    long selected = context.scratch().allocate(4L * count).address();
    long masked = mask == null ? 0 : mask.address();
    int n;
    if (nulls || values == null || !mayBeNull(values)) {
      n = count;
      selected = masked;
    } else if (values.shape().storage() == Storage.NONE || values.dataRows() == 0) {
      n = 0;
    } else {
      long bits = values.validity() == null ? 0 : values.validity().address();
      n = selectValid(bits, ids, masked, count, selected);
    }
    return new AccumulatorRows(
        n,
        ids == 0 ? selected : pick(context, ids, selected, n),
        groupAddress == 0 ? 0 : pick(context, groupAddress, selected, n));
  }

  private static boolean mayBeNull(Column values) {
    return values.validity() != null
        || values.shape().storage() == Storage.NONE
        || (values.rowIds() != null && values.rowIds().mayBeNull());
  }

  /** Batch rows with a value, from among those of the mask. */
  private static int selectValid(long bits, long ids, long mask, int count, long out) {
    int n = 0;
    for (int i = 0; i < count; i++) {
      int row = mask == 0 ? i : Mem.getInt(mask + 4L * i);
      int id = ids == 0 ? row : Mem.getInt(ids + 4L * row);
      int valid = ~id >>> 31;
      if (bits != 0) {
        id &= -valid;
        valid &= Mem.getByte(bits + (id >> 3)) >> (id & 7);
      }
      Mem.putInt(out + 4L * n, row);
      n += valid;
    }
    return n;
  }

  private static long pick(ExecContext context, long ids, long positions, int count) {
    long out = context.scratch().allocate(4L * count).address();
    for (int i = 0; i < count; i++) {
      Mem.putInt(out + 4L * i, Mem.getInt(ids + 4L * Mem.getInt(positions + 4L * i)));
    }
    return out;
  }

  /** The rows' values of up to 64 bits as longs without gaps. */
  long longs(ExecContext context, Column column) {
    long data = column.values().address();
    Storage storage = column.shape().storage();
    if (rows == 0 && (storage == Storage.LONG || storage == Storage.HANDLE)) {
      return data;
    }
    long out = context.scratch().allocate(8L * count).address();
    switch (storage) {
      case BYTE, CODE8 -> {
        for (int i = 0; i < count; i++) {
          Mem.putLong(out + 8L * i, Mem.getByte(data + row(i)));
        }
      }
      case SHORT, CODE16 -> {
        for (int i = 0; i < count; i++) {
          Mem.putLong(out + 8L * i, Mem.getShort(data + 2L * row(i)));
        }
      }
      case INT, CODE -> {
        if (rows == 0) {
          for (int i = 0; i < count; i++) {
            Mem.putLong(out + 8L * i, Mem.getInt(data + 4L * i));
          }
        } else {
          for (int i = 0; i < count; i++) {
            Mem.putLong(out + 8L * i, Mem.getInt(data + 4L * Mem.getInt(rows + 4L * i)));
          }
        }
      }
      case LONG, HANDLE -> CpuGather.gather(data, 8, rows, false, count, out);
      default -> throw new IllegalArgumentException(storage.name());
    }
    return out;
  }

  /** The rows' values of any exact storage as 128 bits without gaps. */
  long wides(ExecContext context, Column column) {
    if (column.shape().storage() == Storage.LONG128) {
      return rows == 0 ? column.values().address() : gathered(context, column, 16);
    }
    long narrow = longs(context, column);
    long out = context.scratch().allocate(16L * count).address();
    for (int i = 0; i < count; i++) {
      long value = Mem.getLong(narrow + 8L * i);
      Mem.putLong(out + 16L * i, value);
      Mem.putLong(out + 16L * i + 8, value >> 63);
    }
    return out;
  }

  /** The rows' floats as doubles without gaps. */
  long doubles(ExecContext context, Column column) {
    if (column.shape().storage() == Storage.DOUBLE) {
      return rows == 0 ? column.values().address() : gathered(context, column, 8);
    }
    long data = column.values().address();
    long out = context.scratch().allocate(8L * count).address();
    for (int i = 0; i < count; i++) {
      Mem.putDouble(out + 8L * i, Mem.getFloat(data + 4L * row(i)));
    }
    return out;
  }

  private long gathered(ExecContext context, Column column, int width) {
    long out = context.scratch().allocate((long) width * count).address();
    CpuGather.gather(column.values().address(), width, rows, false, count, out);
    return out;
  }

  /** The data row of row {@code i}. */
  int row(int i) {
    return rows == 0 ? i : Mem.getInt(rows + 4L * i);
  }
}
