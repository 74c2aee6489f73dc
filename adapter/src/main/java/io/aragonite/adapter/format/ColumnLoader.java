package io.aragonite.adapter.format;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.TableFile.Part;
import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.Dictionary;
import io.aragonite.exec.column.ValueRange;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.ColumnStatistics;
import io.aragonite.exec.table.ValueDistribution;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;
import org.apache.datasketches.hll.HllSketch;
import org.apache.datasketches.hll.HllUnion;
import org.apache.datasketches.hll.TgtHllType;
import org.jspecify.annotations.Nullable;

/**
 * Loads one column of a table: decodes its parts beside each other, looks at the values once
 * (bounds, nulls, distinct values, a dictionary if they are few), chooses the narrowest storage,
 * and writes the column in large pieces.
 */
final class ColumnLoader {
  /** Most values of a dictionary; beyond that, strings are offsets and bytes. */
  private static final int MAX_DICTIONARY = 1 << 16;

  private final TableFile file;
  private final int index;
  private final DataType type;
  private final MemoryBudget budget;
  private final Workers workers;

  ColumnLoader(TableFile file, int index, DataType type, MemoryBudget budget, Workers workers) {
    this.file = file;
    this.index = index;
    this.type = type;
    this.budget = budget;
    this.workers = workers;
  }

  LoadedColumn load() {
    List<Part> parts = file.parts();
    Decoded[] decoded = new Decoded[parts.size()];
    QueryMemory kept = new NativeQueryMemory(budget, 0);
    boolean done = false;
    try (QueryMemory temporary = new NativeQueryMemory(budget, 0)) {
      PartScan[] scans = new PartScan[decoded.length];
      long rows = rows(parts);
      int limit = dictionaryLimit(rows);
      workers.forEach(
          decoded.length,
          i -> {
            decoded[i] = parts.get(i).read(index, temporary);
            scans[i] = PartScan.of(decoded[i].column(), limit);
          });
      LoadedColumn column = assemble(decoded, scans, rows, kept);
      done = true;
      return column;
    } finally {
      for (Decoded part : decoded) {
        if (part != null) {
          part.close();
        }
      }
      if (!done) {
        kept.close();
      }
    }
  }

  /** What is known of a column without its values. */
  record Profile(ColumnShape shape, ColumnStatistics statistics) {}

  /** Looks at a column a part at a time, and keeps none of them; there is no distribution then. */
  Profile profile() {
    List<Part> parts = file.parts();
    PartScan[] scans = new PartScan[parts.size()];
    long rows = rows(parts);
    int limit = dictionaryLimit(rows);
    workers.forEach(
        scans.length,
        i -> {
          try (QueryMemory temporary = new NativeQueryMemory(budget, 0);
              Decoded part = parts.get(i).read(index, temporary)) {
            scans[i] = PartScan.of(part.column(), limit);
            scans[i].codes = null;
          }
          file.forget(i);
        });
    return profile(scans, rows, List.of());
  }

  private static long rows(List<Part> parts) {
    return parts.stream().mapToLong(Part::rows).sum();
  }

  /**
   * A part in the form that the profile says.
   *
   * @param memory where it is; whoever owns it frees it
   */
  List<Column> read(ColumnShape shape, int part, QueryMemory memory) {
    List<Part> parts = file.parts();
    int limit = shape.dictionary() == null ? 0 : dictionaryLimit(rows(parts));
    try (QueryMemory temporary = new NativeQueryMemory(budget, 0);
        Decoded decoded = parts.get(part).read(index, temporary)) {
      PartScan[] scan = {new PartScan()};
      if (limit > 0) {
        scan[0] = PartScan.of(decoded.column(), limit);
      }
      List<Column> columns = List.of(decoded.column());
      return new PieceWriter(shape, columns, scan, shape.dictionary(), memory)
          .write(new Workers(1));
    }
  }

  private int dictionaryLimit(long rows) {
    return type.kind().isText() ? (int) Math.max(256, Math.min(rows / 8, MAX_DICTIONARY)) : 0;
  }

  private LoadedColumn assemble(Decoded[] decoded, PartScan[] scans, long rows, QueryMemory kept) {
    ColumnShape shape = shape(scans, rows);
    List<Column> columns = Arrays.stream(decoded).map(Decoded::column).toList();
    List<Column> pieces =
        new PieceWriter(shape, columns, scans, shape.dictionary(), kept).write(workers);
    return new LoadedColumn(shape, pieces, statistics(shape, scans, rows, pieces), kept);
  }

  private Profile profile(PartScan[] scans, long rows, List<Column> pieces) {
    ColumnShape shape = shape(scans, rows);
    return new Profile(shape, statistics(shape, scans, rows, pieces));
  }

  private ColumnShape shape(PartScan[] scans, long rows) {
    long nulls = nulls(scans);
    Dictionary dictionary = dictionary(scans, rows);
    ValueRange range = range(scans);
    Storage storage = storage(dictionary, range, rows == nulls);
    return new ColumnShape(type, storage, nulls > 0, dictionary, range);
  }

  private static long nulls(PartScan[] scans) {
    return Arrays.stream(scans).mapToLong(scan -> scan.nulls).sum();
  }

  /**
   * @param pieces the values; empty if they are not kept
   */
  private static ColumnStatistics statistics(
      ColumnShape shape, PartScan[] scans, long rows, List<Column> pieces) {
    long nulls = nulls(scans);
    long bytes = Arrays.stream(scans).mapToLong(scan -> scan.bytes).sum();
    Dictionary dictionary = shape.dictionary();
    double width =
        shape.storage() == Storage.BYTES || dictionary != null
            ? (double) bytes / Math.max(1, rows - nulls)
            : shape.storage().width();
    boolean exact = dictionary != null || bitSets(scans);
    double distinct =
        dictionary != null
            ? dictionary.size()
            : ofSample(distinct(scans, shape.range()), scans, rows - nulls);
    return new ColumnStatistics(
        rows,
        nulls,
        shape.range(),
        Math.min(distinct, rows - nulls),
        exact,
        width,
        pieces.isEmpty() || !PartScan.STATISTICS
            ? ValueDistribution.NONE
            : ValueSample.distribution(shape, pieces, rows, distinct));
  }

  private Storage storage(
      @Nullable Dictionary dictionary, @Nullable ValueRange range, boolean empty) {
    if (dictionary != null) {
      return Storage.CODE;
    }
    if (type.kind() == TypeKind.DECIMAL && (range != null || empty)) {
      return Storage.LONG;
    }
    return Storage.of(type);
  }

  /** The dictionary of all parts, or null if there is none or it would have too many values. */
  private @Nullable Dictionary dictionary(PartScan[] scans, long rows) {
    if (!type.kind().isText()) {
      return null;
    }
    TreeSet<byte[]> values = new TreeSet<>(Arrays::compareUnsigned);
    int limit = dictionaryLimit(rows);
    for (PartScan scan : scans) {
      DistinctBytes distinct = scan.distinct;
      if (distinct == null) {
        return null;
      }
      for (int i = 0; i < distinct.count(); i++) {
        values.add(distinct.value(i));
      }
      if (values.size() > limit) {
        return null;
      }
    }
    return new Dictionary(values.toArray(byte[][]::new));
  }

  private static @Nullable ValueRange range(PartScan[] scans) {
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (PartScan scan : scans) {
      if (!scan.ranged) {
        return null;
      }
      min = Math.min(min, scan.min);
      max = Math.max(max, scan.max);
    }
    return min <= max ? new ValueRange(min, max) : null;
  }

  /** Whether every part with values has them in a bit set, so that the union is a count. */
  private static boolean bitSets(PartScan[] scans) {
    return Arrays.stream(scans).allMatch(scan -> scan.ranged && scan.sketch == null);
  }

  private static double distinct(PartScan[] scans, @Nullable ValueRange range) {
    if (range != null && bitSets(scans) && range.max() - range.min() < Integer.MAX_VALUE) {
      BitSet all = new BitSet();
      for (PartScan scan : scans) {
        BitSet values = scan.values;
        if (values != null) {
          or(all, values, (int) (scan.min - range.min()));
        }
      }
      return all.cardinality();
    }
    HllUnion union = new HllUnion(PartScan.SKETCH_LOG2);
    for (PartScan scan : scans) {
      HllSketch sketch = scan.sketch != null ? scan.sketch : sketch(scan);
      union.update(sketch);
    }
    return union.getEstimate();
  }

  /**
   * Distinct values of all rows from those of a sample, taken to occur equally often: of D values a
   * sample of n rows has D (1 - e^(-n / D)).
   */
  static double ofSample(double found, PartScan[] scans, long rows) {
    if (Arrays.stream(scans).allMatch(scan -> scan.step == 1)) {
      return found;
    }
    // Short parts are looked at as a whole.
    double sample = Math.max(1, Arrays.stream(scans).mapToLong(scan -> scan.looked).sum());
    double low = found;
    double high = Math.max(found, rows);
    for (int i = 0; i < 50; i++) {
      double middle = (low + high) / 2;
      if (middle * -Math.expm1(-sample / middle) < found) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return (low + high) / 2;
  }

  private static HllSketch sketch(PartScan scan) {
    HllSketch sketch = new HllSketch(PartScan.SKETCH_LOG2, TgtHllType.HLL_8);
    if (scan.values != null) {
      scan.values.stream().forEach(value -> sketch.update(value + scan.min));
    } else if (scan.distinct != null) {
      // The value's hash, as a part without a dictionary would have put it in.
      for (int i = 0; i < scan.distinct.count(); i++) {
        sketch.update(scan.distinct.hashOf(i));
      }
    }
    return sketch;
  }

  private static void or(BitSet all, BitSet values, int shift) {
    if (shift == 0) {
      all.or(values);
    } else {
      for (int i = values.nextSetBit(0); i >= 0; i = values.nextSetBit(i + 1)) {
        all.set(i + shift);
      }
    }
  }
}
