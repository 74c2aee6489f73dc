package io.aragonite.adapter.table;

import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.dictionary.DictionaryCodes;
import io.aragonite.adapter.format.dictionary.DistinctBytes;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.BlockRanges;
import io.aragonite.exec.table.IntegerBounds;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What one look at a decoded part finds out about its values. */
final class PartScan {
  int nulls;
  long min = Long.MAX_VALUE;
  long max = Long.MIN_VALUE;

  /** Of each block of integers of which none is null; else null. */
  private long @Nullable [] least;

  private long @Nullable [] greatest;

  /** Whether min and max hold all values (false once a 128-bit value did not fit). */
  boolean ranged;

  /** Bytes of all values of BYTES storage. */
  long bytes;

  /**
   * Numbers of this part's values in {@link #distinct}, or in {@link #words} if there are any; null
   * if the values are no dictionary's.
   */
  @Nullable DictionaryCodes codes;

  @Nullable DistinctBytes distinct;

  /**
   * Of a part that came with a dictionary: for each of its values the number in {@link #distinct},
   * or -1 if no row has it.
   */
  int @Nullable [] words;

  /**
   * @param dictionaryLimit most values of a dictionary, 0 for none
   * @param temporary where numbers of values are put
   */
  static PartScan of(Decoded part, int dictionaryLimit, QueryMemory temporary) {
    PartScan scan = new PartScan();
    Column column = part.column();
    scan.nulls = nulls(column);
    if (part.dictionary() != null) {
      scan.scanNumbers(column, part.dictionary(), dictionaryLimit);
      return scan;
    }
    switch (column.shape().storage()) {
      case BYTE, SHORT, INT, LONG, LONG128 -> scan.scanIntegers(column);
      case BYTES -> scan.scanBytes(column, dictionaryLimit, temporary);
      default -> {}
    }
    return scan;
  }

  /** How many rows of a column are null. */
  static int nulls(Column column) {
    Buffer validity = column.validity();
    int rows = column.dataRows();
    if (column.shape().storage() == Storage.NONE) {
      return rows;
    }
    if (validity == null) {
      return 0;
    }
    int valid = 0;
    for (int i = 0; i < rows >> 6; i++) {
      valid += Long.bitCount(Mem.getLong(validity.address() + 8L * i));
    }
    for (int i = rows & ~63; i < rows; i++) {
      valid += Mem.getBit(validity.address(), i) ? 1 : 0;
    }
    return rows - valid;
  }

  private void scanIntegers(Column column) {
    ranged = true;
    int rows = column.dataRows();
    long address = column.values().address();
    Storage storage = column.shape().storage();
    long validity = nulls > 0 && column.validity() != null ? column.validity().address() : 0;
    long low = Long.MAX_VALUE;
    long high = Long.MIN_VALUE;
    if (validity == 0 && storage != Storage.LONG128) {
      bounds(storage, address, rows);
      return;
    }
    for (int i = 0; i < rows; i++) {
      if (validity != 0 && !Mem.getBit(validity, i)) {
        continue;
      }
      long value = integer(storage, address, i);
      if (storage == Storage.LONG128 && Mem.getLong(address + 16L * i + 8) != value >> 63) {
        ranged = false;
      }
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    min = low;
    max = high;
  }

  /** The smallest and largest of values without nulls, and of each block of them. */
  private void bounds(Storage storage, long address, int rows) {
    int blocks = (rows + BlockRanges.BLOCK_ROWS - 1) / BlockRanges.BLOCK_ROWS;
    long[] low = new long[blocks];
    long[] high = new long[blocks];
    for (int block = 0; block < blocks; block++) {
      int first = block * BlockRanges.BLOCK_ROWS;
      int count = Math.min(BlockRanges.BLOCK_ROWS, rows - first);
      IntegerBounds.look(
          storage, address + (long) first * storage.width(), count, low, high, block);
      min = Math.min(min, low[block]);
      max = Math.max(max, high[block]);
    }
    least = low;
    greatest = high;
  }

  /**
   * What blocks of a column have.
   *
   * @param scans of its parts
   * @return null where they have nulls, or where blocks do not end with parts
   */
  static @Nullable BlockRanges ranges(PartScan[] scans, Decoded[] parts) {
    List<long[]> low = new ArrayList<>();
    List<long[]> high = new ArrayList<>();
    long rows = 0;
    for (int i = 0; i < scans.length; i++) {
      long[] ofPart = scans[i].least;
      if (ofPart == null || rows % BlockRanges.BLOCK_ROWS != 0) {
        return null;
      }
      low.add(ofPart);
      high.add(Objects.requireNonNull(scans[i].greatest));
      rows += parts[i].column().dataRows();
    }
    return BlockRanges.of(rows, low, high);
  }

  private void scanBytes(Column column, int dictionaryLimit, QueryMemory temporary) {
    int rows = column.dataRows();
    long offsets = column.offsets().address();
    bytes = rows == 0 ? 0 : Mem.getInt(offsets + 4L * rows) - Mem.getInt(offsets);
    if (dictionaryLimit > 0) {
      DictionaryCodes numbers = new DictionaryCodes(temporary, rows);
      if (encode(column, dictionaryLimit, numbers)) {
        codes = numbers;
      } else {
        numbers.free();
      }
    }
  }

  /** Looks at the dictionary's values and at which of them the rows have, and how often. */
  private void scanNumbers(Column column, PartDictionary dictionary, int limit) {
    DictionaryCodes numbers = DictionaryCodes.of(column);
    int[] counts = new int[dictionary.count()];
    numbers.count(counts, nulls > 0 && column.validity() != null ? column.validity().address() : 0);
    for (int i = 0; i < counts.length; i++) {
      bytes += (long) counts[i] * dictionary.length(i);
    }
    if (limit > 0) {
      number(dictionary, counts, numbers, limit);
    }
  }

  private void number(PartDictionary dictionary, int[] counts, DictionaryCodes numbers, int limit) {
    DistinctBytes found = new DistinctBytes(limit);
    int[] places = new int[counts.length];
    for (int i = 0; i < places.length; i++) {
      boolean used = counts[i] > 0;
      places[i] = used ? found.add(dictionary.address(i), dictionary.length(i)) : -1;
      if (used && places[i] < 0) {
        return;
      }
    }
    words = places;
    distinct = found;
    codes = numbers;
  }

  private boolean encode(Column column, int limit, DictionaryCodes numbers) {
    DistinctBytes found = new DistinctBytes(limit);
    int rows = column.dataRows();
    long offsets = column.offsets().address();
    long data = column.values().address();
    long validity = nulls > 0 && column.validity() != null ? column.validity().address() : 0;
    for (int i = 0; i < rows; i++) {
      if (validity != 0 && !Mem.getBit(validity, i)) {
        continue;
      }
      int start = Mem.getInt(offsets + 4L * i);
      int number = found.add(data + start, Mem.getInt(offsets + 4L * i + 4) - start);
      if (number < 0 || (i == 8191 && found.count() > 4096)) {
        return false;
      }
      numbers.put(i, number);
    }
    distinct = found;
    return true;
  }

  /** Element {@code i} of integer storage; the low word of LONG128. */
  static long integer(Storage storage, long address, int i) {
    return switch (storage) {
      case BYTE, CODE8 -> Mem.getByte(address + i);
      case SHORT, CODE16 -> Mem.getShort(address + 2L * i);
      case INT, CODE -> Mem.getInt(address + 4L * i);
      case LONG, HANDLE -> Mem.getLong(address + 8L * i);
      case LONG128 -> Mem.getLong(address + 16L * i);
      default -> throw new IllegalArgumentException(storage.name());
    };
  }
}
