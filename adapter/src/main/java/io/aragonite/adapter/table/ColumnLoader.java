package io.aragonite.adapter.table;

import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.adapter.format.dictionary.ChunkDictionaries;
import io.aragonite.adapter.format.dictionary.DistinctBytes;
import io.aragonite.adapter.table.DistinctCounter.Count;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.ReadProgress;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.table.ValueDistribution;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.ValueRange;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Loads one column of a table: decodes its parts beside each other, looks at the values once
 * (bounds, nulls, distinct values, a dictionary if they are few), chooses the narrowest storage,
 * and writes the column in large pieces.
 */
final class ColumnLoader {
  /** Most values of a dictionary; beyond that, strings are offsets and bytes. */
  private static final int MAX_DICTIONARY = 1 << 16;

  /**
   * Pages of a mapped file are in no account: what part of the budget a column may have of them
   * until all of it has been loaded. Of a larger one they are given back part by part.
   */
  private static final int MAPPED_SHARE = 64;

  /** Parts of a remote file that are on their way ahead of those that are decoded. */
  private static final int PREFETCHED = 32;

  private final Path path;
  private final TableFile file;
  private final int index;
  private final DataType type;
  private final MemoryBudget budget;
  private final LoadWorkers workers;
  private final boolean counts;

  /**
   * @param path of the file, for messages
   * @param counts whether distinct values are counted, also where storage does not need it
   */
  ColumnLoader(
      Path path,
      TableFile file,
      int index,
      DataType type,
      MemoryBudget budget,
      LoadWorkers workers,
      boolean counts) {
    this.path = path;
    this.file = file;
    this.index = index;
    this.type = type;
    this.budget = budget;
    this.workers = workers;
    this.counts = counts;
  }

  LoadedColumn load() {
    List<FilePart> parts = file.parts();
    Storage widest = Storage.of(type);
    Storage storage = file.copies() ? PromisedStorage.of(parts, index, type) : widest;
    LoadedColumn column = load(parts, storage);
    // Else the file's bounds are wrong; but for the width of its values nothing has relied on them.
    return column != null ? column : Objects.requireNonNull(load(parts, widest));
  }

  /**
   * @param storage of values of one width
   * @return null if some values do not fit that
   */
  private @Nullable LoadedColumn load(List<FilePart> parts, Storage storage) {
    ReadProgress reading = expected(parts);
    Decoded[] decoded = new Decoded[parts.size()];
    QueryMemory kept = new NativeQueryMemory(budget, 0);
    boolean done = false;
    try (QueryMemory temporary = workers.temporary(budget)) {
      PartScan[] scans = new PartScan[decoded.length];
      long rows = rows(parts);
      int limit = dictionaryLimit(rows);
      AtomicBoolean tooMany = new AtomicBoolean();
      boolean sparing = rows * width() > budget.limit() / MAPPED_SHARE;
      DistinctCounter counter = counter(parts.size(), rows, sparing);
      // Files that are read where they lie may have wider values than the type needs.
      FixedPieces fixed = file.copies() ? FixedPieces.of(type, storage, parts, kept) : null;
      TextPlace place = counter == null ? placeOfTexts(parts, kept) : null;
      AtomicBoolean misfit = new AtomicBoolean();
      prefetch(parts, 0, PREFETCHED);
      workers.forEach(
          decoded.length,
          i -> {
            if (misfit.get()) {
              return;
            }
            prefetch(parts, i + PREFETCHED, 1);
            long target = fixed != null ? fixed.target(i) : place != null ? place.target(i) : 0;
            decoded[i] = parts.get(i).read(index, temporary, target, storage);
            scans[i] = look(counter, i, decoded[i], limit, tooMany, temporary);
            if (fixed != null && !take(fixed, i, decoded, scans[i], temporary)) {
              misfit.set(true);
            }
            if (sparing) {
              file.forget(i);
            }
            reading.read(knownBytes(parts.get(i), index));
          });
      if (misfit.get()) {
        return null;
      }
      IntConsumer read = sparing ? file::forget : part -> {};
      LoadedColumn column = assemble(decoded, scans, rows, counter, kept, fixed, place, read);
      warn();
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

  /** Not where values are counted: who counts reads parts again, where they were decoded. */
  private @Nullable TextPlace placeOfTexts(List<FilePart> parts, QueryMemory kept) {
    return file.copies() ? TextPlace.of(index, type, parts, budget.limit(), kept) : null;
  }

  /** Puts a part's values where they are kept; false if they do not fit there. */
  private static boolean take(
      FixedPieces fixed, int part, Decoded[] decoded, PartScan scan, QueryMemory temporary) {
    Storage storage = fixed.storage();
    if (storage.widensTo(decoded[part].column().shape().storage())) {
      if (!PromisedStorage.holds(storage, scan)) {
        return false;
      }
      decoded[part] =
          PromisedStorage.narrowed(decoded[part], storage, fixed.target(part), temporary);
    }
    fixed.take(part, decoded[part].column());
    return true;
  }

  private void prefetch(List<FilePart> parts, int from, int count) {
    for (int i = from; i < Math.min(parts.size(), from + count); i++) {
      parts.get(i).prefetch(List.of(index));
    }
  }

  /** Tells whoever runs the query, if values that were read are not those of the file. */
  void warn() {
    if (file.cutsTimes(index)) {
      StopCheck.current()
          .reading()
          .warn(
              "Column \"%s\" of %s has times with more than %s; what is behind them is cut off"
                  .formatted(file.columns().get(index).name(), path, unit()));
    }
    String notice = file.notice();
    if (notice != null) {
      StopCheck.current().reading().warn(notice);
    }
  }

  private String unit() {
    DataType type = file.columns().get(index).type();
    return type == null || type.kind() != TypeKind.TIMESTAMP && type.kind() != TypeKind.TIME
        ? "milliseconds"
        : switch (type.timestampUnit()) {
          case MILLIS -> "milliseconds";
          case MICROS -> "microseconds";
          case NANOS -> "nanoseconds";
        };
  }

  /** What is known of a column without its values. */
  record Profile(ColumnShape shape, TableColumnStatistics statistics) {}

  /** Says that the column is going to be read. */
  private ReadProgress expected(List<FilePart> parts) {
    ReadProgress reading = StopCheck.current().reading();
    reading.expect(parts.size(), parts.stream().mapToLong(part -> knownBytes(part, index)).sum());
    return reading;
  }

  /** Bytes of the file that a column of a part is; 0 if that is not known. */
  static long knownBytes(FilePart part, int column) {
    return Math.max(0, part.fileBytes(column));
  }

  /** Looks at a column a part at a time, and keeps none of them; texts have no distribution. */
  Profile profile() {
    List<FilePart> parts = file.parts();
    ReadProgress reading = expected(parts);
    PartScan[] scans = new PartScan[parts.size()];
    long rows = rows(parts);
    int limit = dictionaryLimit(rows);
    AtomicBoolean tooMany = new AtomicBoolean();
    DistinctCounter counter = counter(parts.size(), rows, true);
    ValueSample.OfParts sample =
        new ValueSample.OfParts(parts.stream().map(FilePart::rows).toList());
    workers.forEach(
        scans.length,
        i -> {
          try (QueryMemory temporary = workers.temporary(budget);
              Decoded part = parts.get(i).read(index, temporary)) {
            scans[i] = look(counter, i, part, limit, tooMany, temporary);
            if (counter != null) {
              sample.look(i, part);
            }
            scans[i].codes = null;
            scans[i].words = null;
            if (scans[i].distinct != null) {
              scans[i].distinct.keep();
            }
          }
          file.forget(i);
          reading.read(knownBytes(parts.get(i), index));
        });
    ColumnShape shape = shape(scans, rows);
    TableColumnStatistics found = statistics(shape, scans, rows);
    if (counter != null && shape.dictionary() == null) {
      found = withCount(found, counter.count(List.of(), workers));
    }
    return new Profile(
        shape,
        counter == null || shape.storage() == Storage.LONG128
            ? found
            : found.withDistribution(sample.distribution(found.distinct())));
  }

  private static long rows(List<FilePart> parts) {
    return parts.stream().mapToLong(FilePart::rows).sum();
  }

  /**
   * A part in a form that was found before, or that the file promises. Its values are held against
   * it: what is compiled relies on it.
   *
   * @param rows of the whole file
   * @param memory where it is; whoever owns it frees it
   * @throws AragoniteException FILE_BROKEN if the values are not of that form
   */
  List<Column> read(ColumnShape shape, FilePart part, long rows, QueryMemory memory) {
    int limit = shape.dictionary() == null ? 0 : dictionaryLimit(rows);
    try (QueryMemory temporary = workers.temporary(budget);
        Decoded decoded =
            part.read(index, file.copies() && !type.kind().isVariable() ? memory : temporary)) {
      warn();
      PartScan[] scan = {PartScan.of(decoded, limit, temporary)};
      requireForm(shape, scan[0]);
      Column column = decoded.column();
      if (file.copies()
          && !type.kind().isVariable()
          && column.shape().storage() == shape.storage()) {
        return List.of(
            new Column(
                shape,
                column.dataRows(),
                column.values(),
                column.offsets(),
                shape.mayBeNull() ? column.validity() : null,
                null));
      }
      return new PieceWriter(shape, List.of(decoded), scan, null, null, memory, end -> {})
          .write(new LoadWorkers(1));
    }
  }

  private void requireForm(ColumnShape shape, PartScan scan) {
    ValueRange range = shape.range();
    boolean empty = scan.min > scan.max;
    boolean outside =
        range != null
            && !empty
            && (!scan.ranged || scan.min < range.min() || scan.max > range.max());
    if (outside || scan.nulls > 0 && !shape.mayBeNull()) {
      throw new AragoniteException(
          ErrorCode.FILE_BROKEN,
          "Column \"%s\" of %s has values that its statistics exclude, so the file is broken or has changed while it was read; write it again, or run the statement on a new connection"
              .formatted(file.columns().get(index).name(), path));
    }
  }

  /** Most values of a dictionary; 0 of types that have none. */
  int dictionaryLimit(long rows) {
    return type.kind().isText() ? ChunkDictionaries.limit(rows, MAX_DICTIONARY) : 0;
  }

  private LoadedColumn assemble(
      Decoded[] decoded,
      PartScan[] scans,
      long rows,
      @Nullable DistinctCounter counter,
      QueryMemory kept,
      @Nullable FixedPieces fixed,
      @Nullable TextPlace place,
      IntConsumer read) {
    ColumnShape widest = shape(scans, rows);
    ColumnShape shape = fixed == null ? widest : widest.withStorage(fixed.storage());
    List<Decoded> columns = List.of(decoded);
    boolean inPlace = place != null && shape.storage() == Storage.BYTES && place.holds(decoded);
    List<Column> pieces =
        new PieceWriter(shape, columns, scans, fixed, inPlace ? place : null, kept, read)
            .write(workers);
    if (place != null && !inPlace) {
      kept.free(place.bytes()); // some parts' texts were there until now
    }
    TableColumnStatistics found = statistics(shape, scans, rows);
    if (counter != null && shape.dictionary() == null) {
      found = withCount(found, counter.count(columns, workers));
    }
    return new LoadedColumn(
        shape,
        pieces,
        counter == null
            ? found
            : found.withDistribution(
                ValueSample.distribution(shape, pieces, rows, found.distinct())),
        counter != null,
        shape.storage().isInteger() && shape.dictionary() == null
            ? PartScan.ranges(scans, decoded)
            : null,
        kept);
  }

  /**
   * A column that was loaded without being counted, with the figures of all its values.
   *
   * @param counters who look at its pieces
   */
  static LoadedColumn counted(LoadedColumn column, LoadWorkers counters) {
    ColumnShape shape = column.shape();
    TableColumnStatistics found =
        shape.dictionary() != null
            ? column.statistics()
            : withCount(column.statistics(), count(column, counters));
    return column.withStatistics(
        found.withDistribution(
            ValueSample.distribution(shape, column.pieces(), found.rows(), found.distinct())));
  }

  private static Count count(LoadedColumn column, LoadWorkers counters) {
    List<Decoded> pieces =
        column.pieces().stream().map(piece -> new Decoded(piece, () -> {})).toList();
    boolean bytes = column.shape().storage() == Storage.BYTES;
    DistinctCounter counter =
        new DistinctCounter(bytes, pieces.size(), column.statistics().rows(), false);
    counters.forEach(
        pieces.size(),
        i -> counter.look(i, pieces.get(i), PartScan.nulls(pieces.get(i).column()), null));
    return counter.count(pieces, counters);
  }

  private @Nullable DistinctCounter counter(int parts, long rows, boolean streamed) {
    return counts
        ? new DistinctCounter(Storage.of(type) == Storage.BYTES, parts, rows, streamed)
        : null;
  }

  /**
   * @param tooMany whether some part has more values than a dictionary, so that the others need not
   *     be held against one
   */
  private static PartScan look(
      @Nullable DistinctCounter counter,
      int part,
      Decoded decoded,
      int limit,
      AtomicBoolean tooMany,
      QueryMemory temporary) {
    PartScan scan = PartScan.of(decoded, tooMany.get() ? 0 : limit, temporary);
    if (scan.distinct == null && limit > 0) {
      tooMany.set(true);
    }
    if (counter != null) {
      counter.look(part, decoded, scan.nulls, scan.distinct);
    }
    return scan;
  }

  /** Bytes of a value in a file, about. */
  private int width() {
    return type.kind().isText() ? ColumnCache.TEXT_BYTES : Storage.of(type).width();
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

  /** Without a count: the values are those of the dictionary, or taken to differ. */
  private static TableColumnStatistics statistics(ColumnShape shape, PartScan[] scans, long rows) {
    long nulls = nulls(scans);
    long bytes = Arrays.stream(scans).mapToLong(scan -> scan.bytes).sum();
    Dictionary dictionary = shape.dictionary();
    double width =
        shape.storage() == Storage.BYTES || dictionary != null
            ? (double) bytes / Math.max(1, rows - nulls)
            : shape.storage().width();
    return new TableColumnStatistics(
        rows,
        nulls,
        shape.range(),
        dictionary != null ? Math.min(dictionary.size(), rows - nulls) : rows - nulls,
        dictionary != null,
        width,
        ValueDistribution.NONE);
  }

  private static TableColumnStatistics withCount(TableColumnStatistics seen, Count counted) {
    ValueRange range = seen.range();
    double span = range == null ? Double.POSITIVE_INFINITY : (double) range.max() - range.min() + 1;
    double distinct = Math.min(counted.distinct(), span);
    return new TableColumnStatistics(
        seen.rows(),
        seen.nulls(),
        range,
        Math.min(distinct, seen.rows() - seen.nulls()),
        // Of a range that is full no value can have been missed.
        counted.exact() || distinct == span,
        seen.averageWidth(),
        ValueDistribution.NONE);
  }

  private Storage storage(
      @Nullable Dictionary dictionary, @Nullable ValueRange range, boolean empty) {
    if (dictionary != null) {
      return new ColumnShape(type, Storage.CODE, false, dictionary, null).narrowest().storage();
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
}
