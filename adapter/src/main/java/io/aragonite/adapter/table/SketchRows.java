package io.aragonite.adapter.table;

import io.aragonite.adapter.format.dictionary.DistinctBytes;
import io.aragonite.adapter.table.StoredStatistics.FrequentKeys;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.table.ValueDistribution;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.Dictionary;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of key columns, of which a {@link ColumnSketch} takes those with the lowest hashes.
 * Ranges of rows are looked at by several threads; what they find together does not depend on how
 * many there are.
 */
final class SketchRows {
  /** Rows that are hashed at once. */
  private static final int HASHED = 1 << 10;

  /** Rows kept, about; of keys with many rows some only. */
  private static final int KEPT_ROWS = 1 << 14;

  /** Rows of a range at least, and ranges at most. */
  private static final int RANGE_ROWS = 1 << 18;

  private static final int MOST_RANGES = 64;

  private final List<KeyReader> keys;
  private final List<Range> ranges = new ArrayList<>();
  private final double rows;
  private final LoadWorkers workers;

  /**
   * Some rows.
   *
   * @param start the first one's number
   * @param columns the keys' values
   */
  private record Range(long start, int count, List<Column> columns) {}

  SketchRows(List<LoadedColumn> columns, LoadWorkers workers) {
    this.keys = columns.stream().map(KeyReader::new).toList();
    this.workers = workers;
    this.rows = columns.getFirst().statistics().rows();
    int most = (int) Math.min(1 << 30, Math.max(RANGE_ROWS, rows / MOST_RANGES)) & ~63;
    long start = 0;
    for (ColumnBatch chunk :
        ColumnChunks.align(columns.stream().map(LoadedColumn::pieces).toList())) {
      for (int from = 0; from < chunk.rows(); from += most) {
        int first = from;
        int count = Math.min(most, chunk.rows() - from);
        ranges.add(
            new Range(
                start + from,
                count,
                chunk.columns().stream().map(column -> column.slice(first, count)).toList()));
      }
      start += chunk.rows();
    }
  }

  List<KeyReader> keys() {
    return keys;
  }

  /** What a pass over the rows has found. */
  record Collected(long threshold, Hashes hashes, KeptRows rows) {}

  /**
   * Looks at all rows.
   *
   * @param distinct different keys, about
   */
  Collected collect(double distinct) {
    double share = Math.min(1, ColumnSketch.KEPT / Math.max(1, distinct));
    long threshold = share >= 1 ? Long.MAX_VALUE : (long) (share * Long.MAX_VALUE);
    Hashes[] hashes = new Hashes[ranges.size()];
    KeptRows[] sampled = new KeptRows[ranges.size()];
    workers.forEach(
        hashes.length,
        i -> {
          hashes[i] = new Hashes(threshold, 1 << 6);
          sampled[i] = new KeptRows(KEPT_ROWS, rows * share);
          collect(ranges.get(i), hashes[i], sampled[i]);
        });
    Hashes all = new Hashes(threshold, 2 * ColumnSketch.KEPT);
    for (Hashes some : hashes) {
      some.addTo(all);
    }
    KeptRows together = new KeptRows(KEPT_ROWS, rows * share);
    together.add(sampled);
    return new Collected(threshold, all, together);
  }

  /** Rows whose keys have some hashes: all if they are not too many. */
  KeptRows rowsOf(Hashes wanted) {
    KeptRows found = new KeptRows(KEPT_ROWS, 0);
    for (Range range : ranges) {
      List<RangeReader> readers = readers(range);
      for (int row = 0; row < range.count; row++) {
        long hash = hash(readers, row);
        if (hash >= 0 && wanted.contains(hash)) {
          found.add(range.start + row, hash);
        }
      }
    }
    return found;
  }

  private List<RangeReader> readers(Range range) {
    List<RangeReader> readers = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      readers.add(new RangeReader(keys.get(i), range.columns.get(i)));
    }
    return readers;
  }

  private void collect(Range range, Hashes hashes, KeptRows sampled) {
    List<RangeReader> readers = readers(range);
    if (readers.stream().allMatch(RangeReader::plain)) {
      collectPlain(readers, range, hashes, sampled);
      return;
    }
    for (int row = 0; row < range.count; row++) {
      long hash = hash(readers, row);
      if (hash >= 0 && hash <= hashes.threshold) {
        hashes.add(hash);
        sampled.add(range.start + row, hash);
      }
    }
  }

  /** The hash of a row's keys, negative if one is null. */
  private static long hash(List<RangeReader> readers, int row) {
    long hash = -1;
    for (int i = 0; i < readers.size(); i++) {
      RangeReader reader = readers.get(i);
      if (reader.isNull(row)) {
        return -1;
      }
      hash = i == 0 ? reader.hash(row) : combined(hash, reader.hash(row));
    }
    return hash;
  }

  /** The same of integers without nulls, of whose rows few are below the threshold. */
  private static void collectPlain(
      List<RangeReader> readers, Range range, Hashes hashes, KeptRows sampled) {
    long threshold = hashes.threshold;
    long[] all = readers.getFirst().buffer;
    for (int from = 0; from < range.count; from += HASHED) {
      int rows = Math.min(HASHED, range.count - from);
      readers.getFirst().hashes(from, rows);
      for (RangeReader reader : readers.subList(1, readers.size())) {
        reader.hashes(from, rows);
        long[] other = reader.buffer;
        for (int i = 0; i < rows; i++) {
          all[i] = combined(all[i], other[i]);
        }
      }
      for (int i = 0; i < rows; i++) {
        long hash = all[i];
        if (hash <= threshold) {
          hashes.add(hash);
          sampled.add(range.start + from + i, hash);
        }
      }
    }
  }

  private static long combined(long hash, long other) {
    return DistinctBytes.mix(hash * 0x9E3779B97F4A7C15L ^ other) >>> 1;
  }

  /** One column: the hashes of its values, 63 bits each. */
  static final class KeyReader {
    private final LoadedColumn column;
    private final long @Nullable [] ofCodes;

    KeyReader(LoadedColumn column) {
      this.column = column;
      Dictionary dictionary = column.shape().dictionary();
      if (dictionary == null) {
        ofCodes = null;
      } else {
        ofCodes = new long[dictionary.size()];
        for (int code = 0; code < ofCodes.length; code++) {
          ofCodes[code] = textHash(dictionary, code);
        }
      }
    }

    static boolean serves(LoadedColumn column) {
      Storage storage = column.shape().storage();
      return column.shape().dictionary() != null
          || storage == Storage.BYTE
          || storage == Storage.SHORT
          || storage == Storage.INT
          || storage == Storage.LONG;
    }

    boolean isText() {
      return ofCodes != null;
    }

    TableColumnStatistics statistics() {
      return column.statistics();
    }

    long hashOf(long value) {
      return ofCodes != null
          ? ofCodes[(int) value]
          : DistinctBytes.mix(value + 0x9E3779B97F4A7C15L) >>> 1;
    }

    private static long textHash(Dictionary dictionary, int code) {
      long hash = 0;
      for (byte b : dictionary.bytes(code)) {
        hash = hash * 0x100000001B3L + b;
      }
      return DistinctBytes.mix(hash ^ 0x9E3779B97F4A7C15L) >>> 1;
    }

    FrequentKeys frequent() {
      ValueDistribution spread = column.statistics().distribution();
      int count = spread.frequent().size();
      Dictionary dictionary = column.shape().dictionary();
      long[] values = new long[count];
      long[] hashes = new long[count];
      double[] shares = new double[count];
      int known = 0;
      for (int i = 0; i < count; i++) {
        Object value = spread.frequent().get(i);
        long number =
            dictionary != null
                ? dictionary.find(((String) value).getBytes(StandardCharsets.UTF_8))
                : ((Double) value).longValue();
        // Bytes that are no text are not found by the text that stands for them.
        if (dictionary == null || number >= 0) {
          values[known] = number;
          hashes[known] = hashOf(number);
          shares[known++] = spread.shares()[i];
        }
      }
      return new FrequentKeys(
          Arrays.copyOf(hashes, known), Arrays.copyOf(values, known), Arrays.copyOf(shares, known));
    }
  }

  /** A column's values in a range. */
  private static final class RangeReader {
    private final KeyReader key;
    private final int width;
    private final long at;
    private final long validity;
    private final long[] buffer = new long[HASHED];

    RangeReader(KeyReader key, Column values) {
      this.key = key;
      this.width = values.shape().storage().width();
      this.at = values.values().address();
      this.validity = values.validity() == null ? 0 : values.validity().address();
    }

    /** Whether these are integers of 4 or 8 bytes without nulls. */
    boolean plain() {
      return !key.isText() && validity == 0 && width >= Integer.BYTES;
    }

    /** Hashes of some rows of plain values, into the buffer. */
    void hashes(int from, int count) {
      if (width == Integer.BYTES) {
        long address = at + 4L * from;
        for (int i = 0; i < count; i++) {
          buffer[i] = DistinctBytes.mix(Mem.getInt(address + 4L * i) + 0x9E3779B97F4A7C15L) >>> 1;
        }
      } else {
        long address = at + 8L * from;
        for (int i = 0; i < count; i++) {
          buffer[i] = DistinctBytes.mix(Mem.getLong(address + 8L * i) + 0x9E3779B97F4A7C15L) >>> 1;
        }
      }
    }

    boolean isNull(int row) {
      return validity != 0 && !Mem.getBit(validity, row);
    }

    long hash(int row) {
      long value =
          switch (width) {
            case 1 -> Mem.getByte(at + row);
            case 2 -> Mem.getShort(at + 2L * row);
            case 4 -> Mem.getInt(at + 4L * row);
            default -> Mem.getLong(at + 8L * row);
          };
      return key.hashOf(value);
    }
  }

  /** Different hashes up to a threshold: a set by open addressing, whose free places are 0. */
  static final class Hashes {
    private final long threshold;
    private long[] places;
    private int count;
    private long last;

    Hashes(long threshold, int capacity) {
      this.threshold = threshold;
      this.places = new long[Integer.highestOneBit(capacity) * 4];
    }

    /** So many hashes at once, which are not 0. */
    static Hashes of(long[] hashes) {
      Hashes all = new Hashes(Long.MAX_VALUE, Math.max(1, hashes.length));
      for (long hash : hashes) {
        all.add(hash);
      }
      return all;
    }

    void add(long hash) {
      // Equal values often follow each other, as in foreign keys of sorted tables.
      if (hash <= threshold && hash != last && hash != 0) {
        last = hash;
        if (put(places, hash) && 2 * ++count > places.length) {
          long[] wider = new long[2 * places.length];
          for (long kept : places) {
            if (kept != 0) {
              put(wider, kept);
            }
          }
          places = wider;
        }
      }
    }

    void addTo(Hashes other) {
      for (long hash : places) {
        other.add(hash);
      }
    }

    private static boolean put(long[] places, long hash) {
      int mask = places.length - 1;
      int at = (int) hash & mask;
      while (places[at] != 0) {
        if (places[at] == hash) {
          return false;
        }
        at = at + 1 & mask;
      }
      places[at] = hash;
      return true;
    }

    boolean contains(long hash) {
      int mask = places.length - 1;
      int at = (int) hash & mask;
      while (places[at] != 0) {
        if (places[at] == hash) {
          return true;
        }
        at = at + 1 & mask;
      }
      return false;
    }

    int size() {
      return count;
    }

    long[] sorted() {
      return Arrays.stream(places).filter(hash -> hash != 0).sorted().toArray();
    }
  }

  /** Some of the rows with kept hashes: all of them if they are few, else a random part. */
  static final class KeptRows {
    private final int wanted;
    private double part;
    private long[] numbers = new long[64];
    private long[] hashes = new long[64];
    private int count;

    /**
     * @param expected rows that will be offered
     */
    KeptRows(int wanted, double expected) {
      this.wanted = wanted;
      this.part = expected <= 2.0 * wanted ? 1 : wanted / expected;
    }

    void add(long row, long hash) {
      if (!chosen(row)) {
        return;
      }
      if (count == 4 * wanted) {
        part /= 2;
        int out = 0;
        for (int i = 0; i < count; i++) {
          if (chosen(numbers[i])) {
            numbers[out] = numbers[i];
            hashes[out++] = hashes[i];
          }
        }
        count = out;
        add(row, hash);
        return;
      }
      if (count == numbers.length) {
        numbers = Arrays.copyOf(numbers, 2 * count);
        hashes = Arrays.copyOf(hashes, 2 * count);
      }
      numbers[count] = row;
      hashes[count++] = hash;
    }

    /** Adds what was found in parts of the rows, in the order of the rows. */
    void add(KeptRows[] parts) {
      for (KeptRows some : parts) {
        part = Math.min(part, some.part);
      }
      for (KeptRows some : parts) {
        for (int i = 0; i < some.count; i++) {
          add(some.numbers[i], some.hashes[i]);
        }
      }
    }

    private boolean chosen(long row) {
      return part >= 1 || (DistinctBytes.mix(row + 7) >>> 11) * 0x1.0p-53 < part;
    }

    boolean all() {
      return part >= 1;
    }

    long[] numbers() {
      return Arrays.copyOf(numbers, count);
    }

    long[] hashes() {
      return Arrays.copyOf(hashes, count);
    }
  }
}
