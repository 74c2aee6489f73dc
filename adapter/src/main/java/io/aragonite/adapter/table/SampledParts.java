package io.aragonite.adapter.table;

import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.adapter.format.dictionary.DistinctBytes;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.table.ValueDistribution;
import io.aragonite.exec.table.ZoneMap;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A large table as plans see it before its columns are loaded: what the file says of all rows, and
 * a look at the first rows of a few parts.
 */
final class SampledParts {
  /** Parts that are looked at: the first and the last, which have the bounds of sorted columns. */
  private static final int SAMPLED = 8;

  /** Rows of each: so few that different values are counted in all of them, not estimated. */
  private static final int ROWS = 8000;

  /** Columns of no more parts are loaded. */
  private static final int FEW_PARTS = SAMPLED;

  /** So are those of fewer rows: that takes some milliseconds. */
  private static final long FEW_ROWS = 1 << 20;

  /** Values that stand for those of a part. */
  private static final int POINTS = 32;

  /** Parts that have at most this share of a column's span tell where its values lie. */
  private static final double NARROW = 0.5;

  private final TableFile file;
  private final MemoryBudget budget;
  private final LoadWorkers workers;
  private final long rows;
  private final List<Integer> numbers;
  private final List<FilePart> parts;
  private final long[] starts;
  private final long looked;

  private SampledParts(TableFile file, MemoryBudget budget, LoadWorkers workers, long rows) {
    this.file = file;
    this.budget = budget;
    this.workers = workers;
    this.rows = rows;
    List<FilePart> all = file.parts();
    this.numbers =
        IntStream.range(0, SAMPLED)
            .mapToObj(i -> (int) ((long) i * (all.size() - 1) / (SAMPLED - 1)))
            .toList();
    this.parts = numbers.stream().map(number -> head(all.get(number))).toList();
    this.looked = parts.stream().mapToLong(FilePart::rows).sum();
    this.starts =
        numbers.stream()
            .mapToLong(number -> all.subList(0, number).stream().mapToLong(FilePart::rows).sum())
            .toArray();
  }

  /** Some first rows of a part, if they can be had alone. */
  static FilePart head(FilePart part) {
    FilePart some = part.rows() > ROWS ? part.rows(0, ROWS) : null;
    return some == null ? part : some;
  }

  /** Null of a small table. */
  static @Nullable SampledParts of(
      TableFile file, MemoryBudget budget, LoadWorkers workers, long rows) {
    return rows < FEW_ROWS || file.parts().size() <= FEW_PARTS
        ? null
        : new SampledParts(file, budget, workers, rows);
  }

  /** Rows to try predicates on, ascending; fewer than were wanted of parts of few rows. */
  long[] rows(int wanted) {
    LongStream all = LongStream.empty();
    for (int i = 0; i < starts.length; i++) {
      long start = starts[i];
      long[] own = ValueSample.rows(parts.get(i).rows(), wanted / SAMPLED);
      all = LongStream.concat(all, Arrays.stream(own).map(row -> start + row));
    }
    return all.toArray();
  }

  /**
   * Values of {@link #rows(int)} in the form of literals; null if one of the rows is in no part
   * that is looked at.
   *
   * @param loader of the column
   */
  @Nullable Object @Nullable [] values(ColumnLoader loader, DataType type, long[] wanted) {
    ColumnShape shape = ColumnShape.of(type).withMayBeNull(true);
    int[] ends = new int[SAMPLED];
    int next = 0;
    for (int i = 0; i < SAMPLED; i++) {
      if (next < wanted.length && wanted[next] < starts[i]) {
        return null;
      }
      while (next < wanted.length && wanted[next] < starts[i] + parts.get(i).rows()) {
        next++;
      }
      ends[i] = next;
    }
    if (next < wanted.length) {
      return null;
    }
    @Nullable Object[] values = new Object[wanted.length];
    workers.forEach(
        SAMPLED, i -> read(loader, shape, i, wanted, i == 0 ? 0 : ends[i - 1], ends[i], values));
    return values;
  }

  /** Values of the wanted rows of a part, of which the first and the end are given. */
  private void read(
      ColumnLoader loader,
      ColumnShape shape,
      int part,
      long[] wanted,
      int from,
      int to,
      @Nullable Object[] values) {
    if (from == to) {
      return;
    }
    long[] own = Arrays.stream(wanted, from, to).map(row -> row - starts[part]).toArray();
    try (QueryMemory memory = workers.temporary(budget)) {
      List<Column> pieces = loader.read(shape, parts.get(part), rows, memory);
      System.arraycopy(TableSample.read(shape, pieces, own), 0, values, from, own.length);
    }
    file.forget(numbers.get(part));
  }

  /**
   * What a look at a part has found.
   *
   * @param distinct different values
   * @param texts hashes of all values; null if they are many, or no texts
   */
  private record PartLook(PartScan scan, double distinct, long @Nullable [] texts) {}

  /**
   * Figures of a column.
   *
   * @param limit most values of a dictionary of texts; 0 of other types
   */
  TableColumnStatistics statistics(int column, DataType type, int limit) {
    PartLook[] looks = new PartLook[SAMPLED];
    boolean bytes = Storage.of(type) == Storage.BYTES;
    DistinctCounter together = new DistinctCounter(bytes, SAMPLED, looked, true);
    ValueSample.OfParts sample =
        new ValueSample.OfParts(parts.stream().map(FilePart::rows).toList());
    workers.forEach(
        SAMPLED,
        i -> {
          try (QueryMemory temporary = workers.temporary(budget);
              Decoded part = parts.get(i).read(column, temporary)) {
            PartScan scan = PartScan.of(part, limit, temporary);
            together.look(i, part, scan.nulls, scan.distinct);
            sample.look(i, part);
            looks[i] = look(scan, part, bytes);
          }
          file.forget(numbers.get(i));
        });
    List<ZoneMap> zones = file.parts().stream().map(part -> part.zone(column)).toList();
    long nulls = nulls(zones, looks);
    int scale = type.scale();
    List<Long> least = bounds(zones, ZoneMap::min, scale);
    List<Long> most = bounds(zones, ZoneMap::max, scale);
    ValueRange range = range(least, most, looks);
    double span = range == null ? rows : (double) range.max() - range.min() + 1;
    double distinct = Math.min(Math.min(rows - nulls, span), distinct(looks, together));
    long valid = looked - sum(looks, look -> look.scan.nulls);
    double width =
        bytes
            ? (double) sum(looks, look -> look.scan.bytes) / Math.max(1, valid)
            : Storage.of(type).width();
    ValueDistribution spread =
        Storage.of(type) == Storage.LONG128
            ? ValueDistribution.NONE
            : spread(least, most, range, sample.distribution(distinct));
    return new TableColumnStatistics(
        rows, nulls, range, Math.max(1, distinct), false, width, spread);
  }

  private static PartLook look(PartScan scan, Decoded part, boolean bytes) {
    DistinctBytes few = scan.distinct;
    if (few != null) {
      return new PartLook(scan, few.count(), few.hashes());
    }
    DistinctCounter alone = new DistinctCounter(bytes, 1, part.column().dataRows(), true);
    alone.look(0, part, scan.nulls, null);
    return new PartLook(scan, alone.count(List.of(), new LoadWorkers(1)).distinct(), null);
  }

  private double distinct(PartLook[] looks, DistinctCounter together) {
    double each = Arrays.stream(looks).mapToDouble(PartLook::distinct).average().orElse(0);
    LongStream texts = LongStream.empty();
    boolean few = true;
    for (PartLook look : looks) {
      long[] own = look.texts;
      few &= own != null;
      texts = own == null ? texts : LongStream.concat(texts, Arrays.stream(own));
    }
    double found = few ? texts.distinct().count() : together.count(List.of(), workers).distinct();
    return extrapolated(found, each, SAMPLED, (double) rows * SAMPLED / looked);
  }

  private static long sum(PartLook[] looks, ToLongFunction<PartLook> figure) {
    return Arrays.stream(looks).mapToLong(figure).sum();
  }

  /**
   * Values of all parts, from those of some. Each value is taken to occur in a part with the same
   * chance p: of D values a part has D p, and k parts together D (1 - (1 - p)^k). Parts that have
   * no value in common, as those of a sorted column, say that all others have values of their own.
   *
   * @param found values of the parts together
   * @param each values of one of them, on average
   * @param all how many parts as large as these there are
   */
  static double extrapolated(double found, double each, int some, double all) {
    if (each <= 0) {
      return 0;
    }
    double growth = found / each;
    double low = 1.0 / all;
    double high = 1;
    if ((1 - Math.pow(1 - low, some)) / low <= growth) {
      return each * all;
    }
    for (int i = 0; i < 50; i++) {
      double middle = (low + high) / 2;
      if ((1 - Math.pow(1 - middle, some)) / middle > growth) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return Math.max(found, 2 * each / (low + high));
  }

  /** Nulls as the file counts them; else as many of all rows as of those that were looked at. */
  private long nulls(List<ZoneMap> zones, PartLook[] looks) {
    double nulls = 0;
    for (int i = 0; i < zones.size(); i++) {
      ZoneMap zone = zones.get(i);
      if (zone.nulls() < 0) {
        return (long) ((double) sum(looks, look -> look.scan.nulls) / Math.max(1, looked) * rows);
      }
      // The zone may be of more rows than the part has.
      nulls += (double) zone.nulls() / Math.max(1, zone.rows()) * file.parts().get(i).rows();
    }
    return Math.round(nulls);
  }

  /** Bounds of all values if the file has them, which may be wider; else of those seen. */
  private static @Nullable ValueRange range(List<Long> least, List<Long> most, PartLook[] looks) {
    if (Arrays.stream(looks).anyMatch(look -> !look.scan.ranged)) {
      return null;
    }
    long min = Arrays.stream(looks).mapToLong(look -> look.scan.min).min().orElse(Long.MAX_VALUE);
    long max = Arrays.stream(looks).mapToLong(look -> look.scan.max).max().orElse(Long.MIN_VALUE);
    for (long bound : least) {
      min = Math.min(min, bound);
    }
    for (long bound : most) {
      max = Math.max(max, bound);
    }
    return min <= max ? new ValueRange(min, max) : null;
  }

  /**
   * Quantiles from the bounds of all parts where these tell more than the rows of a few: of columns
   * whose values ascend with the rows, or nearly so. Values of a part are taken to be evenly
   * spread.
   */
  private ValueDistribution spread(
      List<Long> from, List<Long> to, @Nullable ValueRange range, ValueDistribution sampled) {
    int all = file.parts().size();
    if (range == null || sampled.sampled() == 0 || from.size() < all || to.size() < all) {
      return sampled;
    }
    double widths = 0;
    double[] points = new double[all * POINTS];
    for (int part = 0; part < all; part++) {
      double width = (double) to.get(part) - from.get(part);
      widths += width;
      for (int i = 0; i < POINTS; i++) {
        points[part * POINTS + i] = from.get(part) + width * i / (POINTS - 1);
      }
    }
    if (widths / all > NARROW * ((double) range.max() - range.min())) {
      return sampled;
    }
    Arrays.sort(points);
    double[] bounds = new double[sampled.bounds().length];
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = points[(int) ((long) i * (points.length - 1) / (bounds.length - 1))];
    }
    return new ValueDistribution(sampled.sampled(), bounds, sampled.frequent(), sampled.shares());
  }

  /** Those of parts that have one. */
  private static List<Long> bounds(
      List<ZoneMap> zones, Function<ZoneMap, @Nullable Object> which, int scale) {
    List<Long> bounds = new ArrayList<>();
    for (ZoneMap zone : zones) {
      switch (which.apply(zone)) {
        case Long number -> bounds.add(number);
        case BigDecimal decimal ->
            bounds.add(decimal.movePointRight(scale).toBigInteger().longValue());
        case null, default -> {}
      }
    }
    return bounds;
  }
}
