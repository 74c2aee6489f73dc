package io.aragonite.exec.exchange;

import io.aragonite.exec.collective.KeyRanges;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * By which key a table's rows are in order, and which range of it each device has: tables that are
 * in order of keys of the same range have equal keys on the same device, so that their joins need
 * no exchange (co-located tables, as engines of many machines have them by declaration; here it
 * follows from the data).
 *
 * @param column of integers, of which none is null and none is less than the one before
 * @param order of the range, which other tables may share
 * @param borders for one device and more: the first row of each. They are found once, so that all
 *     columns are cut alike
 */
public record SortedKey(int column, PartitionFunction order, List<List<Long>> borders) {
  private static final Logger LOG = LoggerFactory.getLogger(SortedKey.class);

  /** What a device may have over its share. */
  private static final double UNEVEN = 1.1;

  /**
   * The key of a table, if it is in order of its first column of integers and all devices have
   * about as many rows by that. That column may be loaded; if it cannot be, that is the business of
   * those who read it.
   *
   * @param known orders of other tables' keys, of which one that serves is preferred
   * @return null: it has none
   */
  static @Nullable SortedKey of(Table table, List<PartitionFunction> known, int devices) {
    int column = first(table.columnTypes());
    if (column < 0 || !EngineSettings.current().exchange().sortedTables()) {
      return null;
    }
    try {
      if (!table.ascends(column)) {
        return null;
      }
      try (Table.Pin pin = table.pin(List.of(column))) {
        return of(column, pin.chunks(), known, devices);
      }
    } catch (AragoniteException e) {
      LOG.debug("a table is dealt out, since its first key cannot be looked at", e);
      return null;
    }
  }

  private static @Nullable SortedKey of(
      int column, List<ColumnBatch> chunks, List<PartitionFunction> known, int devices) {
    long rows = chunks.stream().mapToLong(ColumnBatch::rows).sum();
    if (rows == 0) {
      return null;
    }
    long least = key(chunks, 0);
    long most = key(chunks, rows - 1);
    for (PartitionFunction order : known) {
      boolean inside =
          least >= order.base() && Long.compareUnsigned(most - order.base(), order.range()) <= 0;
      if (inside && even(chunks, KeyRanges.of(order, devices), rows)) {
        return of(column, order, chunks, devices);
      }
    }
    PartitionFunction own = KeyRanges.around(least, most);
    return own != null && even(chunks, KeyRanges.of(own, devices), rows)
        ? of(column, own, chunks, devices)
        : null;
  }

  private static SortedKey of(
      int column, PartitionFunction order, List<ColumnBatch> chunks, int devices) {
    List<List<Long>> borders = new ArrayList<>();
    for (int some = 1; some <= devices; some++) {
      KeyRanges ranges = KeyRanges.of(order, some);
      borders.add(
          IntStream.range(0, some).mapToObj(device -> start(chunks, ranges, device)).toList());
    }
    return new SortedKey(column, order, borders);
  }

  /**
   * The first row of a device's; behind the last device more than there are.
   *
   * @param devices no more than the key was looked for
   */
  long border(int device, int devices) {
    return device == devices ? Long.MAX_VALUE : borders.get(devices - 1).get(device);
  }

  /** The first column of integers, which is the key of most tables that are in any order. */
  private static int first(List<DataType> types) {
    for (int i = 0; i < types.size(); i++) {
      TypeKind kind = types.get(i).kind();
      if (kind == TypeKind.INT32 || kind == TypeKind.INT64) {
        return i;
      }
    }
    return -1;
  }

  private static boolean even(List<ColumnBatch> chunks, KeyRanges ranges, long rows) {
    int devices = ranges.devices();
    for (int i = 0; i < devices; i++) {
      if (ranges.parts() < devices
          || start(chunks, ranges, i + 1) - start(chunks, ranges, i)
              > UNEVEN * rows / devices + 1) {
        return false;
      }
    }
    return true;
  }

  /** The first row of a device's; behind the last device the number of rows. */
  private static long start(List<ColumnBatch> chunks, KeyRanges ranges, int device) {
    long rows = chunks.stream().mapToLong(ColumnBatch::rows).sum();
    if (device == 0 || device == ranges.devices()) {
      return device == 0 ? 0 : rows;
    }
    long least = ranges.least(device);
    long from = 0;
    long to = rows;
    while (from < to) {
      long middle = from + to >>> 1;
      if (key(chunks, middle) < least) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  private static long key(List<ColumnBatch> chunks, long row) {
    long at = row;
    int chunk = 0;
    while (at >= chunks.get(chunk).rows()) {
      at -= chunks.get(chunk++).rows();
    }
    Column column = chunks.get(chunk).column(0);
    long address = column.values().address();
    Storage storage = column.shape().storage();
    return switch (storage) {
      case BYTE -> Mem.getByte(address + at);
      case SHORT -> Mem.getShort(address + 2 * at);
      case INT -> Mem.getInt(address + 4 * at);
      case LONG -> Mem.getLong(address + 8 * at);
      default -> throw new IllegalStateException("a key in " + storage);
    };
  }
}
