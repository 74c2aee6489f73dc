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
      long rows = parts.stream().mapToLong(Part::rows).sum();
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

  private int dictionaryLimit(long rows) {
    return type.kind().isText() ? (int) Math.max(256, Math.min(rows / 8, MAX_DICTIONARY)) : 0;
  }

  private LoadedColumn assemble(Decoded[] decoded, PartScan[] scans, long rows, QueryMemory kept) {
    long nulls = Arrays.stream(scans).mapToLong(scan -> scan.nulls).sum();
    Dictionary dictionary = dictionary(scans, rows);
    ValueRange range = range(scans);
    Storage storage = storage(dictionary, range, rows == nulls);
    ColumnShape shape = new ColumnShape(type, storage, nulls > 0, dictionary, range);
    List<Column> columns = Arrays.stream(decoded).map(Decoded::column).toList();
    List<Column> pieces = new PieceWriter(shape, columns, scans, dictionary, kept).write(workers);
    long bytes = Arrays.stream(scans).mapToLong(scan -> scan.bytes).sum();
    double width =
        storage == Storage.BYTES || dictionary != null
            ? (double) bytes / Math.max(1, rows - nulls)
            : storage.width();
    boolean exact = dictionary != null || bitSets(scans);
    double distinct = dictionary != null ? dictionary.size() : distinct(scans, range);
    return new LoadedColumn(
        shape,
        pieces,
        new ColumnStatistics(
            rows,
            nulls,
            range,
            Math.min(distinct, rows - nulls),
            exact,
            width,
            ValueSample.distribution(shape, pieces, rows, distinct)),
        kept);
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
