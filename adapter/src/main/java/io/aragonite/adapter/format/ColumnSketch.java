package io.aragonite.adapter.format;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.Dictionary;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.rules.metadata.KeySketch;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Theta sketch of a column's values and a sample of how often they occur. The sketch keeps every
 * hash below a threshold that is chosen beforehand, since the number of distinct values is known
 * when a column has been loaded: so a value costs a hash and a comparison. Hashes of two columns
 * below the lower threshold of both are a sample of the union of their values, and so the share of
 * one's that the other has too is the expected match ratio of a join (Dasgupta, Lang, Rhodes and
 * Thaler, 2016).
 */
final class ColumnSketch implements KeySketch {
  /** Hashes kept, about: the share is then known to within 2 % of all values. */
  private static final int KEPT = 4096;

  private static final int SAMPLED_ROWS = 1 << 16;

  /** Occurrences in the sample from which a value counts as frequent. */
  private static final int FREQUENT = 16;

  private final double distinct;
  private final boolean texts;
  private final long threshold;
  private final long[] hashes;
  private final double topShare;

  private ColumnSketch(
      double distinct, boolean texts, long threshold, long[] hashes, double topShare) {
    this.distinct = distinct;
    this.texts = texts;
    this.threshold = threshold;
    this.hashes = hashes;
    this.topShare = topShare;
  }

  /** Of a column of integers, dates or texts of a dictionary; null for any other. */
  static @Nullable ColumnSketch of(LoadedColumn column) {
    Storage storage = column.shape().storage();
    Dictionary dictionary = column.shape().dictionary();
    int width = storage.width();
    boolean numbers =
        storage == Storage.BYTE
            || storage == Storage.SHORT
            || storage == Storage.INT
            || storage == Storage.LONG;
    if (!numbers && dictionary == null) {
      return null;
    }
    double distinct = Math.max(1, column.statistics().distinct());
    long threshold = distinct <= KEPT ? Long.MAX_VALUE : (long) (KEPT / distinct * Long.MAX_VALUE);
    Hashes hashes = new Hashes(threshold);
    if (dictionary != null) {
      for (int code = 0; code < dictionary.size(); code++) {
        hashes.add(textHash(dictionary, code));
      }
    } else {
      column.pieces().forEach(piece -> addAll(piece, width, hashes));
    }
    return new ColumnSketch(
        distinct,
        dictionary != null,
        threshold,
        hashes.sorted(),
        topShare(column.pieces(), width, column.statistics().rows()));
  }

  private static long textHash(Dictionary dictionary, int code) {
    long hash = 0;
    for (byte b : dictionary.text(code).getBytes(StandardCharsets.UTF_8)) {
      hash = hash * 0x100000001B3L + b;
    }
    return DistinctBytes.mix(hash ^ 0x9E3779B97F4A7C15L);
  }

  private static void addAll(Column piece, int width, Hashes hashes) {
    long at = piece.values().address();
    long validity = piece.validity() == null ? 0 : piece.validity().address();
    long last = 0;
    boolean first = true;
    for (int row = 0; row < piece.dataRows(); row++) {
      long value = value(at, width, row);
      // Equal values often follow each other, as in foreign keys of sorted tables.
      if ((first || value != last) && (validity == 0 || Mem.getBit(validity, row))) {
        hashes.add(DistinctBytes.mix(value + 0x9E3779B97F4A7C15L));
        last = value;
        first = false;
      }
    }
  }

  private static long value(long at, int width, int row) {
    return switch (width) {
      case 1 -> Mem.getByte(at + row);
      case 2 -> Mem.getShort(at + 2L * row);
      case 4 -> Mem.getInt(at + 4L * row);
      default -> Mem.getLong(at + 8L * row);
    };
  }

  /** From one row of each stretch of the column, anywhere in it, against periods in the data. */
  private static double topShare(List<Column> pieces, int width, long rows) {
    Map<Long, Integer> counts = new HashMap<>();
    long step = Math.max(1, rows / SAMPLED_ROWS);
    int sampled = 0;
    int most = 0;
    for (Column piece : pieces) {
      long at = piece.values().address();
      long validity = piece.validity() == null ? 0 : piece.validity().address();
      for (long from = 0; from < piece.dataRows(); from += step) {
        long row = from + Long.remainderUnsigned(DistinctBytes.mix(from + 1), step);
        if (row >= piece.dataRows()) {
          break;
        }
        sampled++;
        if (validity == 0 || Mem.getBit(validity, (int) row)) {
          most = Math.max(most, counts.merge(value(at, width, (int) row), 1, Integer::sum));
        }
      }
    }
    return most < FREQUENT ? 0 : (double) most / sampled;
  }

  @Override
  public @Nullable Double sharedWith(KeySketch other) {
    if (!(other instanceof ColumnSketch sketch) || sketch.texts != texts) {
      return null;
    }
    long limit = Math.min(threshold, sketch.threshold);
    int mine = 0;
    int shared = 0;
    for (long hash : hashes) {
      if (hash > limit) {
        break;
      }
      mine++;
      shared += Arrays.binarySearch(sketch.hashes, hash) >= 0 ? 1 : 0;
    }
    return mine == 0 ? null : Double.valueOf((double) shared / mine);
  }

  @Override
  public double distinct() {
    return distinct;
  }

  @Override
  public double topShare() {
    return topShare;
  }

  /** Different hashes up to a threshold. */
  private static final class Hashes {
    private final long threshold;
    private long[] kept = new long[2 * KEPT];
    private int count;

    Hashes(long threshold) {
      this.threshold = threshold;
    }

    void add(long hash) {
      long positive = hash >>> 1;
      if (positive <= threshold) {
        if (count == kept.length) {
          compact();
          if (2 * count > kept.length) {
            kept = Arrays.copyOf(kept, 2 * kept.length);
          }
        }
        kept[count++] = positive;
      }
    }

    private void compact() {
      Arrays.sort(kept, 0, count);
      int out = 0;
      for (int i = 0; i < count; i++) {
        if (i == 0 || kept[i] != kept[i - 1]) {
          kept[out++] = kept[i];
        }
      }
      count = out;
    }

    long[] sorted() {
      compact();
      return Arrays.copyOf(kept, count);
    }
  }
}
