package io.aragonite.adapter.table;

import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.dictionary.DictionaryCodes;
import io.aragonite.adapter.format.dictionary.DistinctBytes;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import org.jspecify.annotations.Nullable;

/** What one look at a decoded part finds out about its values. */
final class PartScan {
  int nulls;
  long min = Long.MAX_VALUE;
  long max = Long.MIN_VALUE;

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
      low = min;
      high = max;
      rows = 0;
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

  /** The smallest and largest of values without nulls; loops of one width each are quick ones. */
  private void bounds(Storage storage, long address, int rows) {
    long low = Long.MAX_VALUE;
    long high = Long.MIN_VALUE;
    switch (storage) {
      case BYTE -> {
        int least = Byte.MAX_VALUE;
        int most = Byte.MIN_VALUE;
        for (int i = 0; i < rows; i++) {
          int value = Mem.getByte(address + i);
          least = Math.min(least, value);
          most = Math.max(most, value);
        }
        low = rows == 0 ? low : least;
        high = rows == 0 ? high : most;
      }
      case SHORT -> {
        int least = Short.MAX_VALUE;
        int most = Short.MIN_VALUE;
        for (int i = 0; i < rows; i++) {
          int value = Mem.getShort(address + 2L * i);
          least = Math.min(least, value);
          most = Math.max(most, value);
        }
        low = rows == 0 ? low : least;
        high = rows == 0 ? high : most;
      }
      case INT, CODE -> {
        int least = Integer.MAX_VALUE;
        int most = Integer.MIN_VALUE;
        for (int i = 0; i < rows; i++) {
          int value = Mem.getInt(address + 4L * i);
          least = Math.min(least, value);
          most = Math.max(most, value);
        }
        low = rows == 0 ? low : least;
        high = rows == 0 ? high : most;
      }
      case LONG, HANDLE -> {
        for (int i = 0; i < rows; i++) {
          long value = Mem.getLong(address + 8L * i);
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      }
      default -> {
        for (int i = 0; i < rows; i++) {
          long value = integer(storage, address, i);
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      }
    }
    min = low;
    max = high;
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
