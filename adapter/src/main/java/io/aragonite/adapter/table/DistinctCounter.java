package io.aragonite.adapter.table;

import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.dictionary.DictionaryCodes;
import io.aragonite.adapter.format.dictionary.DistinctBytes;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * How many different values a column has, at the price of a look at some of its rows.
 *
 * <p>A sample of at least {@link #SAMPLE} rows says whether values are few: those that it has once
 * only say how many it has not at all (Chao, 1984). Where numbers are not few, all rows are looked
 * at, but only values that a multiplication chooses are kept (distinct sampling: Gibbons, VLDB
 * 2001), whatever their frequencies are: one in 16, so that the count is known to within 3 % of
 * 16,384 values, and 1 % of 150,000 (one standard deviation); of tables of 2^21 rows and more one
 * in 64, to within twice of that. Texts, whose hashes would take longer than their loading, are
 * counted by the sample alone, as if each occurred equally often. Of tables with fewer than twice
 * {@code SAMPLE} rows all rows count.
 *
 * <p>Which of the two it will be is guessed from the first part that is large enough, so that all
 * rows are looked at while they lie in the cache; a guess that was wrong costs a second look.
 *
 * <p>Parts come in any order, by several threads, each once.
 */
final class DistinctCounter {
  private static final int SAMPLE = 1 << 15;

  /** The same of texts, each of which is somewhere else. */
  private static final int TEXT_SAMPLE = 1 << 13;

  /** Of many values one in 2 to this power is kept. */
  private static final int SHIFT = 4;

  /** The same of tables with so many rows, where keeping values would take longer than looking. */
  private static final int LARGE_SHIFT = 6;

  private static final long LARGE = 1 << 21;

  /** Rows of a part that say whether a column has many values. */
  private static final int GUESS = 1 << 12;

  /** Of them, the share that is different where there are many. */
  private static final double MANY = 0.85;

  /** Different values that a column has at least, for a share of its values to be enough. */
  private static final int ENOUGH = 1 << 14;

  /** Of chosen values so many are as good as more. */
  private static final int KEPT = 1 << 15;

  /** Values seen once, of all seen, up to which a sample has nearly all values. */
  private static final double SELDOM = 0.05;

  /** 2^64 over the golden ratio, odd. */
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  private final boolean text;
  private final boolean streamed;
  private final int step;
  private final int shift;
  private final long[][] samples;
  private final Distinct[] kept;
  private final long[] valid;

  /** Whether the others need no sample, as a part has shown that there are many values. */
  private volatile boolean many;

  private volatile boolean guessed;

  /**
   * @param text whether values are texts
   * @param rows of all parts
   * @param streamed whether parts cannot be looked at again
   */
  DistinctCounter(boolean text, int parts, long rows, boolean streamed) {
    this.text = text;
    this.streamed = streamed;
    long stretch = Math.max(1, rows / (text ? TEXT_SAMPLE : SAMPLE));
    this.step = (int) Math.min(1 << 20, Long.highestOneBit(stretch));
    this.shift = rows >= LARGE ? LARGE_SHIFT : SHIFT;
    this.samples = new long[parts][];
    this.kept = new Distinct[parts];
    this.valid = new long[parts];
  }

  /**
   * A count.
   *
   * @param exact whether it is one, and not an estimate
   */
  record Count(double distinct, boolean exact) {}

  /**
   * Looks at a part.
   *
   * @param nulls of its rows
   * @param dictionary the values of a part of texts, if they are few
   */
  void look(int part, Decoded decoded, int nulls, @Nullable DistinctBytes dictionary) {
    Column column = decoded.column();
    if (column.shape().storage() == Storage.NONE) {
      samples[part] = new long[0];
      kept[part] = new Distinct(0);
      return;
    }
    valid[part] = (long) column.dataRows() - nulls;
    if (dictionary != null) {
      samples[part] = dictionary.hashes();
      return;
    }
    boolean large = !text && step > 1;
    if (large && !guessed && valid[part] >= GUESS) {
      // Parts are looked at by several threads: what one has found is not taken back by another.
      if (guess(decoded)) {
        many = true;
      }
      guessed = true;
    }
    if (!many || streamed) {
      samples[part] = sample(decoded, step);
    }
    if (large && (many || streamed)) {
      kept[part] = hashed(column, shift);
    }
  }

  /** Whether nearly all values of some rows of a part are different. */
  private static boolean guess(Decoded part) {
    long[] some = sample(part, Integer.highestOneBit(part.column().dataRows() / GUESS));
    return distinct(some).size > MANY * some.length;
  }

  /**
   * The count, when all parts have been looked at.
   *
   * @param columns the parts; empty if they are streamed
   */
  Count count(List<Decoded> columns, LoadWorkers workers) {
    long rows = LongStream.of(valid).sum();
    if (many && !streamed) {
      Count count = fromHashes(columns, shift, rows, workers);
      if (count.distinct >= ENOUGH) {
        return count;
      }
      // What was guessed from one part does not hold for all of them.
      workers.forEach(
          samples.length,
          part -> {
            if (samples[part] == null) {
              samples[part] = sample(columns.get(part), step);
            }
          });
    }
    Distinct all = distinct(samples);
    if (step == 1) {
      return new Count(all.size, true);
    }
    double once = all.seen(1);
    if (once <= SELDOM * all.size) {
      double unseen = once * (once - 1) / (2 * (all.seen(2) + 1.0));
      return new Count(Math.min(rows, all.size + Math.rint(unseen)), false);
    }
    if (text) {
      return new Count(ofSample(all.size, all.added, rows), false);
    }
    if (!streamed && all.size < ENOUGH) {
      Arrays.fill(kept, null);
      return fromHashes(columns, 0, rows, workers);
    }
    return fromHashes(columns, shift, rows, workers);
  }

  private Count fromHashes(List<Decoded> columns, int shift, long rows, LoadWorkers workers) {
    workers.forEach(
        kept.length,
        part -> {
          if (kept[part] == null) {
            kept[part] = hashed(columns.get(part).column(), shift);
          }
        });
    long found = Arrays.stream(kept).mapToLong(values -> values.size).sum();
    // Of more values than are wanted one in 2 to this power, the same ones of all parts.
    int fewer = shift == 0 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(found / KEPT);
    Distinct all = new Distinct((int) Math.min(found, KEPT));
    for (Distinct values : kept) {
      values.addTo(all, fewer);
    }
    int chosen = shift + fewer;
    // No value twice among those kept, and no fewer rows than of unique values: then there is
    // hardly one twice among the others.
    boolean unique = all.size == all.added && all.added >= 0.9 * Math.scalb((double) rows, -chosen);
    double distinct = unique ? rows : Math.min(rows, Math.scalb((double) all.size, chosen));
    return new Count(distinct, shift == 0);
  }

  private static Distinct distinct(long[]... parts) {
    Distinct all = new Distinct(0);
    for (long[] part : parts) {
      for (long hash : part) {
        all.add(hash);
      }
    }
    return all;
  }

  /**
   * Distinct values of all rows from those of a sample, taken to occur equally often: of D values a
   * share q of n rows has D (1 - (1 - q)^(n / D)).
   */
  private static double ofSample(double found, double sample, double rows) {
    double missed = Math.log1p(-Math.min(0.999, sample / Math.max(1, rows)));
    double low = found;
    double high = Math.max(found, rows);
    for (int i = 0; i < 50; i++) {
      double middle = (low + high) / 2;
      if (middle * -Math.expm1(missed * rows / middle) < found) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return (low + high) / 2;
  }

  /** One row of each stretch, anywhere in it, against periods in the data. */
  private static long[] sample(Decoded part, int step) {
    Column column = part.column();
    int rows = column.dataRows();
    long validity = validity(column);
    // Rows first, then what is there, then its hash: so that the memory of many rows is waited for
    // at once.
    int[] places = new int[(rows + step - 1) / step];
    int count = 0;
    for (int from = 0; from < rows; from += step) {
      int row = Math.min(rows - 1, from + (int) (DistinctBytes.mix(from + 1L) & step - 1));
      if (validity == 0 || Mem.getBit(validity, row)) {
        places[count++] = row;
      }
    }
    PartDictionary dictionary = part.dictionary();
    if (dictionary != null) {
      DictionaryCodes numbers = DictionaryCodes.of(column);
      for (int i = 0; i < count; i++) {
        places[i] = numbers.get(places[i]);
      }
      return texts(dictionary.offsets(), dictionary.bytes(), places, count);
    }
    return column.shape().storage() == Storage.BYTES
        ? texts(column.offsets(), column.values(), places, count)
        : numbers(column, places, count);
  }

  private static long[] texts(Buffer offsets, Buffer bytes, int[] places, int count) {
    long[] found = new long[count];
    for (int i = 0; i < count; i++) {
      found[i] = Mem.getLong(offsets.address() + 4L * places[i]);
    }
    for (int i = 0; i < count; i++) {
      int start = (int) found[i];
      found[i] = DistinctBytes.hash(bytes.address() + start, (int) (found[i] >>> 32) - start);
    }
    return found;
  }

  private static long[] numbers(Column column, int[] places, int count) {
    Storage storage = column.shape().storage();
    long address = column.values().address();
    long[] found = new long[count];
    for (int i = 0; i < count; i++) {
      found[i] = value(storage, address, places[i]);
    }
    for (int i = 0; i < count; i++) {
      found[i] = hash(found[i]);
    }
    return found;
  }

  /**
   * One value in 2 to a power, chosen by themselves: by the high bits of a multiplication, which
   * spreads runs of numbers evenly and takes a fraction of a hash, so that most rows need no more.
   */
  private static Distinct hashed(Column column, int shift) {
    Distinct values = new Distinct(Math.min(ENOUGH, column.dataRows() >> shift));
    Storage storage = column.shape().storage();
    int rows = column.dataRows();
    long address = column.values().address();
    long validity = validity(column);
    long high = shift == 0 ? 0 : -1L << Long.SIZE - shift;
    switch (storage) {
      case INT -> {
        for (int i = 0; i < rows; i++) {
          long value = Mem.getInt(address + 4L * i);
          if ((chosen(value) & high) == 0) {
            add(values, value, validity, i);
          }
        }
      }
      case LONG -> {
        for (int i = 0; i < rows; i++) {
          long value = Mem.getLong(address + 8L * i);
          if ((chosen(value) & high) == 0) {
            add(values, value, validity, i);
          }
        }
      }
      case LONG128 -> {
        for (int i = 0; i < rows; i++) {
          long low = Mem.getLong(address + 16L * i);
          if ((chosen(low) & high) == 0) {
            add(values, wide(address + 16L * i), validity, i);
          }
        }
      }
      default -> {
        for (int i = 0; i < rows; i++) {
          long value = value(storage, address, i);
          if ((chosen(value) & high) == 0) {
            add(values, value, validity, i);
          }
        }
      }
    }
    return values;
  }

  private static long chosen(long value) {
    return value * GOLDEN;
  }

  private static void add(Distinct values, long value, long validity, int row) {
    if (validity == 0 || Mem.getBit(validity, row)) {
      values.add(hash(value));
    }
  }

  private static long validity(Column column) {
    return column.validity() == null ? 0 : column.validity().address();
  }

  private static long hash(long value) {
    return DistinctBytes.mix(value + GOLDEN);
  }

  /** What tells a value apart: the same for an integer whatever it is stored in. */
  private static long value(Storage storage, long address, int row) {
    return switch (storage) {
      case FLOAT -> Float.floatToIntBits(Mem.getFloat(address + 4L * row));
      case DOUBLE -> Double.doubleToLongBits(Mem.getDouble(address + 8L * row));
      case LONG128 -> wide(address + 16L * row);
      default -> PartScan.integer(storage, address, row);
    };
  }

  private static long wide(long at) {
    long low = Mem.getLong(at);
    long high = Mem.getLong(at + 8);
    return high == low >> 63 ? low : DistinctBytes.mix(low) ^ high;
  }

  /**
   * Different hashes with how often each was added, once, twice or more; open addressing, 0 is
   * free.
   */
  private static final class Distinct {
    private long[] places;
    private byte[] counts;
    private int size;
    private long added;

    /**
     * @param expected how many there may be
     */
    Distinct(int expected) {
      places = new long[Math.max(1 << 10, 2 * Integer.highestOneBit(2 * expected))];
      counts = new byte[places.length];
    }

    void add(long hash) {
      added++;
      put(hash == 0 ? 1 : hash, 1);
    }

    /** Adds those of these that the highest bits of so many choose. */
    void addTo(Distinct other, int bits) {
      long high = bits == 0 ? 0 : -1L << Long.SIZE - bits;
      for (int i = 0; i < places.length; i++) {
        if (counts[i] != 0 && (places[i] & high) == 0) {
          other.added += counts[i];
          other.put(places[i], counts[i]);
        }
      }
    }

    private void put(long hash, int count) {
      int mask = places.length - 1;
      int at = (int) hash & mask;
      while (places[at] != 0 && places[at] != hash) {
        at = at + 1 & mask;
      }
      counts[at] = (byte) Math.min(3, counts[at] + count);
      if (places[at] == 0) {
        places[at] = hash;
        if (2 * ++size > places.length) {
          grow();
        }
      }
    }

    private void grow() {
      long[] before = places;
      byte[] times = counts;
      places = new long[4 * before.length];
      counts = new byte[places.length];
      size = 0;
      for (int i = 0; i < before.length; i++) {
        if (before[i] != 0) {
          put(before[i], times[i]);
        }
      }
    }

    /** How many were added so often. */
    int seen(int times) {
      int found = 0;
      for (byte count : counts) {
        found += count == times ? 1 : 0;
      }
      return found;
    }
  }
}
