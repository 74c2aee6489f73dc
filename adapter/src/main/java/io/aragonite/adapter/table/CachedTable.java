package io.aragonite.adapter.table;

import io.aragonite.adapter.format.ColumnNames;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.table.TableEncodedColumn.TextCodes;
import io.aragonite.adapter.table.TableFigures.ColumnFigures;
import io.aragonite.adapter.table.TableFigures.SketchFigures;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.runtime.UseGate;
import io.aragonite.exec.table.BlockRanges;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.table.SortedColumnCheck;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.rules.metadata.KeySketch;
import io.aragonite.rules.metadata.Partitions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A table of a file, whose columns are loaded when they are first wanted and kept under the budget.
 * The budget takes back the columns that were used longest ago and are not pinned.
 */
public final class CachedTable implements Table, AutoCloseable {
  /** What part of the budget a column may be to be loaded for its statistics. */
  private static final int COLUMN_SHARE = 3;

  /** What part of the budget the columns of one scan may be to be kept in memory. */
  private static final int TABLE_SHARE = 4;

  /** A text, as far as types can tell. */
  static final int TEXT_BYTES = 24;

  /** Rows that predicates are tried on. */
  private static final int SAMPLE_ROWS = 2048;

  private final boolean counts;
  private final String name;
  private final FileStamp stamp;
  private final KeptStatistics kept;
  private final TableFile file;
  private final MemoryBudget budget;
  private final LoadWorkers workers;
  private final List<String> names;
  private final List<DataType> types;
  private final ColumnSlot[] slots;

  /** Pins are users, and so is who loads or looks at columns. */
  private final UseGate gate;

  private final TableSketches sketches;

  private final DeferredStatistics deferred;

  /** By column: how many times as much as it has been read past the cache since it was loaded. */
  private final double[] readPast;

  private @Nullable Long rows;
  private @Nullable TableSample sample;
  private @Nullable Optional<SampledParts> sampledParts;

  private final AtomicInteger refinements = new AtomicInteger();

  private final AtomicInteger computations = new AtomicInteger();

  /**
   * @param path where the file is
   */
  public CachedTable(
      String name, Path path, TableFile file, MemoryBudget budget, LoadWorkers workers) {
    this(name, new FileStamp(path), file, budget, workers, true, null);
  }

  /**
   * @param stamp of the file, from before it was opened
   * @param counts whether distinct values of all columns are counted while they are loaded; else
   *     plans know less
   * @param store where statistics are kept for other processes; null: nowhere
   */
  CachedTable(
      String name,
      FileStamp stamp,
      TableFile file,
      MemoryBudget budget,
      LoadWorkers workers,
      boolean counts,
      @Nullable StatisticsStore store) {
    this(name, stamp, file, budget, workers, counts, store, null);
  }

  /**
   * @param whole the gate of the table that this one is a part of; null: of none
   */
  private CachedTable(
      String name,
      FileStamp stamp,
      TableFile file,
      MemoryBudget budget,
      LoadWorkers workers,
      boolean counts,
      @Nullable StatisticsStore store,
      @Nullable UseGate whole) {
    this.gate =
        new UseGate(
            "The table's connection is closed, so that it cannot be read any more.",
            this::free,
            whole);
    this.counts = counts;
    this.name = name;
    this.stamp = stamp;
    this.kept = new KeptStatistics(store, stamp, this::figures);
    this.file = file;
    this.budget = budget;
    this.workers = workers;
    this.sketches = new TableSketches(this, workers);
    this.names = ColumnNames.distinct(file.columns().stream().map(FileColumn::name).toList());
    this.types =
        file.columns().stream()
            .map(column -> column.type() == null ? DataType.of(TypeKind.NULL, true) : column.type())
            .toList();
    this.slots = new ColumnSlot[file.columns().size()];
    this.readPast = new double[slots.length];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = new ColumnSlot();
    }
    this.deferred = new DeferredStatistics(this, slots, sketches);
  }

  /** A table of some of the file's parts, with the same name and budget. */
  CachedTable over(TableFile other) {
    return new CachedTable(name, stamp, other, budget, workers, counts, null, gate);
  }

  /**
   * Gives up the local copies of a remote file, unless somebody reads it.
   *
   * @return bytes of the disk that this gives back
   */
  long giveUpCopies() {
    // Else loaded columns may be where the copies are.
    long[] bytes = new long[1];
    if (file.copies()) {
      gate.whenUnused(() -> bytes[0] = file.giveUpCopies());
    }
    return bytes[0];
  }

  /** What the folders of the table's files say; null if they say nothing. */
  public @Nullable Partitions partitions() {
    return file instanceof PartedFile parted && !parted.partitions().columns().isEmpty()
        ? new Partitions(
            names.size() - parted.partitions().columns().size(), parted.partitions().values())
        : null;
  }

  /**
   * The files of the table that may have rows for which a condition over its columns is true; null
   * if nothing is known of files, or all may.
   */
  public @Nullable BitSet matchingFiles(Expr condition) {
    BitSet kept = file instanceof PartedFile parted ? parted.matching(condition) : null;
    return kept == null || kept.cardinality() == fileCount() ? null : kept;
  }

  /** How many files the table has. */
  public int fileCount() {
    return file instanceof PartedFile parted ? parted.fileCount() : 1;
  }

  @Override
  public String name() {
    return name;
  }

  public TableFile file() {
    return file;
  }

  /** Distinct whatever their case, which names in a Parquet or Arrow file need not be. */
  @Override
  public List<String> columnNames() {
    return names;
  }

  /**
   * Types of the columns; one that no type of ours can hold is of kind NULL, and cannot be read.
   */
  @Override
  public List<DataType> columnTypes() {
    return types;
  }

  @Override
  public boolean closed() {
    return gate.closing();
  }

  @Override
  public synchronized long rows() {
    Long known = rows;
    if (known == null) {
      known = use(file::rows);
      rows = known;
    }
    return known;
  }

  /** Statistics of a column, which is loaded for them if it has not been yet. */
  public TableColumnStatistics statistics(int index) {
    ColumnSlot slot = slots[index];
    return use(() -> {
      slot.enter();
      try {
        TableColumnStatistics known = known(index, slot);
        return known != null ? known : lookAt(index, slot);
      } finally {
        slot.unlock();
      }
    });
  }

  /**
   * What plans take for the statistics of a column: of a large table that has not been loaded what
   * its file says, and a look at some rows.
   */
  public TableColumnStatistics planned(int index) {
    ColumnSlot slot = slots[index];
    SampledParts some = sampledParts();
    if (some == null || slot.statistics != null) {
      return statistics(index);
    }
    return use(() -> {
      if (!slot.tryLock()) {
        // Whoever loads the column says what is known of it; rows can be looked at beside that.
        TableColumnStatistics known = slot.statistics;
        TableColumnStatistics sampled = known != null ? known : slot.sampled;
        return sampled != null ? sampled : sampled(some, index);
      }
      try {
        TableColumnStatistics known = known(index, slot);
        TableColumnStatistics sampled = known != null ? known : slot.sampled;
        if (sampled == null) {
          sampled = sampled(some, index);
          slot.sampled = sampled;
          kept.changed();
        }
        return sampled;
      } finally {
        slot.unlock();
      }
    });
  }

  private TableColumnStatistics sampled(SampledParts some, int index) {
    try {
      int limit = loader(index, false).dictionaryLimit(rows());
      return some.statistics(index, types.get(index), limit);
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return statistics(index);
    }
  }

  /** Null of a small table, whose columns are loaded when a plan first asks for their figures. */
  private synchronized @Nullable SampledParts sampledParts() {
    Optional<SampledParts> known = sampledParts;
    if (known == null) {
      known = Optional.ofNullable(use(() -> SampledParts.of(file, budget, workers, rows())));
      sampledParts = known;
    }
    return known.orElse(null);
  }

  /** Whether plans may look at all values of columns. */
  boolean atHand(List<Integer> columns) {
    return sampledParts() == null
        || columns.stream().allMatch(index -> slots[index].column != null);
  }

  /** Whether queries have read the columns, so that sketches of them may be made beside queries. */
  boolean haveBeenRead(List<Integer> columns) {
    return sampledParts() == null
        || columns.stream()
            .allMatch(index -> slots[index].column != null || slots[index].elsewhere);
  }

  /** Whether queries are not let in any more. */
  boolean closing() {
    return gate.closing();
  }

  /** How often plans that were made before would have known better since. */
  public int refinements() {
    return refinements.get();
  }

  void refined() {
    refinements.incrementAndGet();
  }

  /** Statistics of a column that need no look at its values; its slot's lock is held. */
  private @Nullable TableColumnStatistics known(int index, ColumnSlot slot) {
    if (slot.statistics == null) {
      ColumnFigures found = stored().column(index);
      slot.storage = found.storage();
      if (!found.sampled()) {
        slot.statistics = found.statistics();
      } else if (slot.sampled == null) {
        slot.sampled = found.statistics();
      }
    }
    return slot.statistics;
  }

  /** Sketches that another process has kept. */
  Map<List<Integer>, Optional<SketchFigures>> storedSketches() {
    return use(this::stored).sketches();
  }

  private TableFigures stored() {
    return kept.stored(slots.length, rows());
  }

  /** What is known now, to be kept. */
  private TableFigures figures() {
    List<ColumnFigures> columns =
        Arrays.stream(slots)
            .map(slot -> {
              TableColumnStatistics all = slot.statistics;
              return new ColumnFigures(
                  all != null ? all : slot.sampled, all == null, storage(slot));
            })
            .toList();
    return new TableFigures(columns, sketches.figures());
  }

  /** How many statistics and sketches were found by a look at all values of a column. */
  public int computations() {
    return computations.get();
  }

  void computed() {
    computations.incrementAndGet();
    kept.changed();
  }

  /** What looks at columns, or loads some; the table is not freed meanwhile. */
  <T extends @Nullable Object> T use(Supplier<T> task) {
    gate.enter();
    try {
      return task.get();
    } finally {
      gate.leave();
    }
  }

  /**
   * A sketch of the values of columns together, made when it is first asked for, which loads the
   * columns if they have not been yet; null if one is of a kind that cannot be sketched. It
   * outlives the columns in memory.
   */
  public @Nullable KeySketch keySketch(List<Integer> columns) {
    return sketches.get(columns);
  }

  /**
   * The sketch that plans use: of a large table none before it has been made, which a process does
   * beside its queries once their columns are in memory.
   */
  public @Nullable KeySketch plannedSketch(List<Integer> columns) {
    if (sampledParts() == null) {
      return sketches.get(columns);
    }
    KeySketch sketch = sketches.getOrWant(columns);
    if (sketch == null && sketches.canMakeWanted()) {
      deferred.want();
    }
    return sketch;
  }

  /** Rows of the table, chosen evenly, on which predicates can be tried. */
  public synchronized TableSample sample() {
    TableSample present = sample;
    if (present == null) {
      SampledParts some = sampledParts();
      long[] sampled =
          some == null ? ValueSample.rows(rows(), SAMPLE_ROWS) : some.rows(SAMPLE_ROWS);
      present = new TableSample(this, sampled);
      sample = present;
    }
    return present;
  }

  /**
   * Values of some rows, which ascend, of a column. That of a small table is loaded if it has not
   * been yet; of a large one they are null then, unless the rows are those of {@link #sample}.
   */
  @Nullable Object @Nullable [] values(int column, long[] rows) {
    SampledParts some = sampledParts();
    if (some != null && !atHand(List.of(column))) {
      return use(() -> some.values(loader(column, false), types.get(column), rows));
    }
    return withLoaded(
        List.of(column),
        loaded -> TableSample.read(loaded.getFirst().shape(), loaded.getFirst().pieces(), rows));
  }

  /**
   * Does something with columns that are in memory meanwhile, loaded if they have not been yet.
   *
   * @throws AragoniteException MEMORY_EXCEEDED, and what loading throws
   */
  <T extends @Nullable Object> T withLoaded(
      List<Integer> columns, Function<List<LoadedColumn>, T> task) {
    List<LoadedColumn> loaded = new ArrayList<>();
    List<Integer> pinned = new ArrayList<>();
    try {
      pin(columns, pinned, loaded);
      return task.apply(loaded);
    } finally {
      unpin(pinned);
    }
  }

  /** Why figures may not be those of the file, for people; empty if there is no reason. */
  public String doubt() {
    if (stamp.changed()) {
      return "statistics of %s, whose file has changed since it was opened".formatted(name);
    }
    boolean some =
        Arrays.stream(slots).anyMatch(slot -> slot.sampled != null && slot.statistics == null);
    return some ? "statistics of %s, of which some rows were looked at".formatted(name) : "";
  }

  /**
   * Makes all statistics anew, reading the file again: of every column that can be read, and the
   * sketches that joins have asked for so far.
   *
   * @return columns looked at
   */
  public int analyze() {
    return use(this::analyzeColumns);
  }

  private int analyzeColumns() {
    TableFigures before = figures().with(stored());
    synchronized (this) {
      sample = null;
    }
    sketches.clear();
    kept.forget();
    int columns = 0;
    for (int index = 0; index < slots.length; index++) {
      if (file.columns().get(index).type() == null) {
        continue;
      }
      ColumnSlot slot = slots[index];
      slot.enter();
      try {
        LoadedColumn column = slot.column;
        if (column != null && slot.pins == 0) {
          slot.column = null;
          column.close();
        }
        slot.ascends = null;
        slot.sampled = null;
        slot.statistics = null;
        slot.statistics = counted(index, slot);
        columns++;
      } finally {
        slot.unlock();
      }
    }
    before.sketches().keySet().forEach(sketches::get);
    return columns;
  }

  /** Statistics of a column, which is loaded if memory holds it, or else looked at part by part. */
  private TableColumnStatistics lookAt(int index, ColumnSlot slot) {
    try {
      if (bytes(index) <= budget.limit() / COLUMN_SHARE) {
        return counted(index, slot);
      }
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
    }
    ColumnLoader.Profile profile = loader(index, counts && known(index, slot) == null).profile();
    slot.shape = profile.shape();
    TableColumnStatistics known = known(index, slot);
    if (known == null) {
      known = profile.statistics();
      slot.statistics = known;
      computed();
    }
    return known;
  }

  /**
   * Makes the figures of a column that memory does not hold, as one thread's work beside queries:
   * part by part, of which none is kept, unless a sketch wants the column's values as well.
   */
  void profile(int index) {
    if (sketches.wants(index)) {
      statistics(index);
      return;
    }
    ColumnSlot slot = slots[index];
    use(() -> {
      ColumnLoader.Profile found = loader(index, counts, new LoadWorkers(1)).profile();
      slot.lock();
      try {
        // Somebody may have asked for the figures meanwhile.
        if (slot.statistics == null) {
          publish(slot, found.statistics());
          computed();
        }
      } finally {
        slot.unlock();
      }
      return null;
    });
  }

  private static @Nullable Storage storage(ColumnSlot slot) {
    ColumnShape shape = slot.shape;
    return shape != null ? shape.storage() : slot.storage;
  }

  @Override
  public @Nullable ColumnShape shape(int index) {
    return slots[index].shape;
  }

  @Override
  public long bytes(int index) {
    DataType type = file.columns().get(index).type();
    Storage storage = storage(slots[index]);
    TableColumnStatistics statistics = slots[index].statistics;
    if (type == null) {
      return 0;
    }
    if (storage == null) {
      int width = type.kind().isText() ? TEXT_BYTES : Math.min(8, Storage.of(type).width());
      return rows() * width;
    }
    return storage == Storage.BYTES && statistics != null
        ? (long) (rows() * (statistics.averageWidth() + 4))
        : rows() * storage.width();
  }

  /**
   * The column as the file has it, as long as memory does not hold it: what needs values on the
   * host, statistics too, loads it later.
   */
  @Override
  public Decodable<EncodedColumn> encoded(int index) {
    ColumnSlot slot = slots[index];
    if (slot.column != null) {
      return Decodable.byHost("");
    }
    gate.enter();
    DeferredStatistics.beginRead();
    Runnable closing =
        () -> {
          DeferredStatistics.endRead();
          gate.leave();
        };
    boolean open = false;
    try {
      Decodable<EncodedColumn> found = encoded(index, slot, closing);
      open = found.present();
      return found;
    } finally {
      if (!open) {
        closing.run();
      }
    }
  }

  private Decodable<EncodedColumn> encoded(int index, ColumnSlot slot, Runnable closing) {
    Decodable<PagedColumn> found = file.encoded(index);
    if (!found.present()) {
      return Decodable.byHost(found.reason());
    }
    PagedColumn column = found.get();
    TextCodes texts = null;
    if (column.form() == PageForm.LENGTHS) {
      int limit = loader(index, false).dictionaryLimit(rows());
      String refusal = PlainTexts.refusal(column, exactDistinct(index, slot), limit, budget);
      if (refusal != null) {
        return Decodable.byHost(refusal);
      }
    }
    if (column.texts()) {
      int limit = loader(index, false).dictionaryLimit(rows());
      Decodable<TextCodes> made = ChunkDictionaries.of(column, limit, budget, workers);
      if (!made.present()) {
        return Decodable.byHost(made.reason());
      }
      texts = made.get();
    }
    return Decodable.of(
        new TableEncodedColumn(
            column,
            types.get(index),
            budget,
            workers,
            texts,
            (shape, nulls) -> decodedElsewhere(index, slot, shape, nulls),
            closing));
  }

  private @Nullable Double exactDistinct(int index, ColumnSlot slot) {
    slot.enter();
    try {
      TableColumnStatistics known = known(index, slot);
      return known != null && known.exact() ? Double.valueOf(known.distinct()) : null;
    } finally {
      slot.unlock();
    }
  }

  /**
   * A device has decoded a column.
   *
   * @return whether it is what is known of it; else the file is another one by now, and the host
   *     finds out what is to be forgotten
   */
  private boolean decodedElsewhere(int index, ColumnSlot slot, ColumnShape shape, long nulls) {
    slot.enter();
    try {
      TableColumnStatistics known = known(index, slot);
      if (known != null
          && (known.nulls() != nulls || !Objects.equals(known.range(), shape.range()))) {
        return false;
      }
      if (!stamp.isCurrent()) {
        throw stamp.changedWhileRead();
      }
      slot.shape = shape;
      slot.elsewhere = true;
      if (known == null && counts && sampledParts() != null) {
        slot.uncountedElsewhere = true;
        deferred.want();
      }
      return true;
    } finally {
      slot.unlock();
    }
  }

  /**
   * Parts of the columns, if they would fill more than a share of the budget and are not in memory
   * yet. They are read from the file each time.
   */
  @Override
  public @Nullable TableParts parts(List<Integer> columns, boolean always) {
    return use(() -> fileParts(columns, always));
  }

  private @Nullable TableParts fileParts(List<Integer> columns, boolean always) {
    long bytes = 0;
    boolean loaded = true;
    for (int index : columns) {
      loaded &= slots[index].column != null;
      bytes += bytes(index);
    }
    if (!always && (loaded || bytes <= budget.limit() / TABLE_SHARE || file.parts().size() < 2)) {
      return null;
    }
    List<ColumnShape> shapes = columns.stream().map(this::foundShape).toList();
    return read(file.parts(), FileParts.ALL, columns, shapes);
  }

  /**
   * Parts that a filter leaves, as long as all that was read past the cache of a column is not more
   * than the column: then it is loaded.
   */
  @Override
  public @Nullable TableParts matching(List<Integer> columns, Expr filter) {
    return use(() -> matchingParts(columns, filter));
  }

  @Override
  public boolean skipsParts(List<Integer> columns, Expr filter) {
    return use(() -> MatchingParts.of(file, columns, filter).share() < 1);
  }

  private @Nullable TableParts matchingParts(List<Integer> columns, Expr filter) {
    List<Integer> missing = columns.stream().filter(index -> slots[index].column == null).toList();
    if (missing.isEmpty() || !stamp.isCurrent()) {
      return null;
    }
    MatchingParts matching = MatchingParts.of(file, columns, filter);
    if (matching.share() == 1) {
      return null;
    }
    long bytes = columns.stream().mapToLong(this::bytes).sum();
    if (bytes <= budget.limit() / TABLE_SHARE && !readPast(missing, matching.share())) {
      return null;
    }
    List<ColumnShape> shapes =
        columns.stream().map(index -> matching.shape(index, types.get(index))).toList();
    return read(matching.parts(), matching.skipped(), columns, shapes);
  }

  private TableParts read(
      List<TableFile.FilePart> parts,
      int skipped,
      List<Integer> columns,
      List<ColumnShape> shapes) {
    List<ColumnLoader> loaders = columns.stream().map(index -> loader(index, false)).toList();
    return new FileParts(parts, skipped, columns, loaders, shapes, file, stamp, rows(), gate);
  }

  /**
   * Counts a share of columns that is to be read past the cache; false if they are to be loaded.
   */
  private boolean readPast(List<Integer> columns, double share) {
    synchronized (readPast) {
      for (int index : columns) {
        if (readPast[index] + share > 1) {
          return false;
        }
      }
      columns.forEach(index -> readPast[index] += share);
      return true;
    }
  }

  private ColumnShape foundShape(int index) {
    ColumnSlot slot = slots[index];
    slot.enter();
    try {
      if (slot.shape == null) {
        lookAt(index, slot);
      }
      return Objects.requireNonNull(slot.shape);
    } finally {
      slot.unlock();
    }
  }

  /** Looks at all values once, as far as they ascend, which may load the column. */
  @Override
  public boolean ascends(int index) {
    ColumnSlot slot = slots[index];
    DataType type = file.columns().get(index).type();
    if (type == null || bytes(index) > budget.limit() / COLUMN_SHARE) {
      return false;
    }
    return use(() -> ascends(index, slot));
  }

  private boolean ascends(int index, ColumnSlot slot) {
    slot.enter();
    try {
      Boolean known = slot.ascends;
      if (known == null) {
        known = SortedColumnCheck.is(load(index, slot).pieces());
        slot.ascends = known;
      }
      return known;
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return false;
    } finally {
      slot.unlock();
    }
  }

  /** Looks at all values of a column that memory holds, once. */
  @Override
  public @Nullable BlockRanges blockRanges(int index) {
    ColumnSlot slot = slots[index];
    ColumnSlot.LoadedRanges known = slot.ranges;
    return known != null && known.areOf(slot.column)
        ? known.ranges()
        : use(() -> blockRanges(slot));
  }

  private static @Nullable BlockRanges blockRanges(ColumnSlot slot) {
    slot.enter();
    try {
      LoadedColumn column = slot.column;
      if (column == null) {
        return null;
      }
      ColumnSlot.LoadedRanges known = slot.ranges;
      if (known == null || !known.areOf(column)) {
        known =
            new ColumnSlot.LoadedRanges(
                column.pieces(), BlockRanges.of(column.pieces(), BlockRanges.BLOCK_ROWS));
        slot.ranges = known;
      }
      return known.ranges();
    } finally {
      slot.unlock();
    }
  }

  private ColumnLoader loader(int index, boolean counting) {
    return loader(index, counting, workers);
  }

  private ColumnLoader loader(int index, boolean counting, LoadWorkers loaders) {
    FileColumn declared = file.columns().get(index);
    DataType type = declared.type();
    if (type == null) {
      throw new AragoniteException(
          ErrorCode.COLUMN_TYPE_UNSUPPORTED,
          "Column \"%s\" of table \"%s\" has the type %s, which has no counterpart here; leave it out of the query, as SELECT * EXCLUDE (\"%s\")"
              .formatted(names.get(index), name, declared.fileType(), names.get(index)));
    }
    return new ColumnLoader(stamp.path(), file, index, type, budget, loaders, counting);
  }

  /**
   * Loads a column. What is known of its values already is not counted again, and those of a large
   * table are counted later, as plans have estimates.
   */
  private LoadedColumn loadValues(int index, ColumnSlot slot) {
    TableColumnStatistics known = known(index, slot);
    TableColumnStatistics sampled = slot.sampled;
    boolean later = counts && known == null && sampledParts() != null;
    LoadedColumn column = loader(index, counts && known == null && !later).load();
    if (later) {
      return column.withEstimates(sampled);
    }
    if (known == null) {
      computed();
      return column.withStatistics(column.statistics());
    }
    TableColumnStatistics seen = column.statistics();
    if (seen.nulls() == known.nulls() && Objects.equals(seen.range(), known.range())) {
      return column.withStatistics(known);
    }
    // They are of other values: the file's time of change does not tell. Nothing that is known of
    // this file is trusted or kept any more.
    column.close();
    kept.discard();
    sketches.clear();
    slot.statistics = null;
    slot.ascends = null;
    return loadValues(index, slot);
  }

  private LoadedColumn load(int index, ColumnSlot slot) {
    LoadedColumn column = slot.column;
    if (column == null) {
      column = loadValues(index, slot);
      if (!stamp.isCurrent()) {
        column.close(); // it may not be of the state that other columns are of
        throw stamp.changedWhileRead();
      }
      for (int part = 0; part < file.parts().size(); part++) {
        file.forget(part);
      }
      slot.column = column;
      synchronized (readPast) {
        readPast[index] = 0;
      }
      slot.shape = column.shape();
      if (column.counted()) {
        publish(slot, column.statistics());
      } else if (slot.sampled != null) {
        slot.sampled = column.statistics();
      }
      if (sampledParts() != null) {
        deferred.want();
      }
    }
    slot.lastUse = System.nanoTime();
    return column;
  }

  private void publish(ColumnSlot slot, TableColumnStatistics found) {
    if (slot.publish(found)) {
      refined();
    }
  }

  /** Figures of all values of a column that memory holds; its slot's lock is held. */
  private TableColumnStatistics counted(int index, ColumnSlot slot) {
    LoadedColumn column = load(index, slot);
    return column.counted()
        ? column.statistics()
        : takeCounted(slot, ColumnLoader.counted(column, workers));
  }

  /** Takes the figures of a column that has been counted in memory; its slot's lock is held. */
  TableColumnStatistics takeCounted(ColumnSlot slot, LoadedColumn counted) {
    slot.column = counted;
    publish(slot, counted.statistics());
    computed();
    return counted.statistics();
  }

  @Override
  public Pin pin(List<Integer> columns) {
    List<Integer> pinned = new ArrayList<>();
    List<LoadedColumn> loaded = new ArrayList<>();
    DeferredStatistics.beginRead();
    try {
      pin(columns, pinned, loaded);
      return new TablePin(pinned, loaded, loaded.isEmpty() ? rows() : 0);
    } catch (Throwable e) {
      DeferredStatistics.endRead();
      unpin(pinned);
      throw e;
    }
  }

  private void pin(List<Integer> columns, List<Integer> pinned, List<LoadedColumn> loaded) {
    for (int index : columns) {
      gate.enter();
      boolean held = false;
      try {
        loaded.add(loadAndHold(index));
        pinned.add(index);
        held = true;
      } finally {
        if (!held) {
          gate.leave();
        }
      }
    }
  }

  private LoadedColumn loadAndHold(int index) {
    ColumnSlot slot = slots[index];
    slot.enter();
    try {
      LoadedColumn column = load(index, slot);
      if (file.cutsTimes(index) || file.notice() != null) {
        loader(index, false).warn();
      }
      slot.pins++;
      return column;
    } finally {
      slot.unlock();
    }
  }

  private void unpin(List<Integer> pinned) {
    for (int index : pinned) {
      slots[index].lock();
      try {
        slots[index].pins--;
      } finally {
        slots[index].unlock();
        gate.leave();
      }
    }
  }

  /**
   * When the least recently used column that is not pinned was used, or {@link Long#MAX_VALUE} if
   * there is none.
   */
  long oldestUse() {
    long oldest = Long.MAX_VALUE;
    for (ColumnSlot slot : slots) {
      if (slot.tryLock()) {
        try {
          if (slot.column != null && slot.pins == 0) {
            oldest = Math.min(oldest, slot.lastUse);
          }
        } finally {
          slot.unlock();
        }
      }
    }
    return oldest;
  }

  /**
   * Drops the column that was last used at {@code use}, unless it has been used since.
   *
   * @return bytes given back
   */
  long evict(long use) {
    for (ColumnSlot slot : slots) {
      if (slot.tryLock()) {
        try {
          LoadedColumn column = slot.column;
          if (column != null && slot.pins == 0 && slot.lastUse == use) {
            long bytes = column.bytes();
            slot.column = null;
            column.close();
            return bytes;
          }
        } finally {
          slot.unlock();
        }
      }
    }
    return 0;
  }

  /** Bytes of the columns that are in memory now. */
  long loadedBytes() {
    long bytes = 0;
    for (ColumnSlot slot : slots) {
      LoadedColumn column = slot.column;
      bytes += column == null ? 0 : column.bytes();
    }
    return bytes;
  }

  /** Waits until nobody looks at the table's columns any more; later looks are refused. */
  @Override
  public void close() {
    gate.close(() -> {});
  }

  private void free() {
    kept.close();
    for (ColumnSlot slot : slots) {
      slot.lock();
      try {
        if (slot.column != null) {
          slot.column.close();
          slot.column = null;
        }
      } finally {
        slot.unlock();
      }
    }
    file.close();
  }

  private final class TablePin implements Pin {
    private final List<Integer> pinned;
    private final List<LoadedColumn> loaded;
    private final List<ColumnBatch> chunks;
    private boolean closed;

    TablePin(List<Integer> pinned, List<LoadedColumn> loaded, long bareRows) {
      this.pinned = pinned;
      this.loaded = loaded;
      this.chunks =
          loaded.isEmpty()
              ? ColumnChunks.bare(bareRows)
              : ColumnChunks.align(loaded.stream().map(LoadedColumn::pieces).toList());
    }

    @Override
    public List<ColumnShape> shapes() {
      return loaded.stream().map(LoadedColumn::shape).toList();
    }

    @Override
    public List<ColumnBatch> chunks() {
      return chunks;
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        DeferredStatistics.endRead();
        unpin(pinned);
      }
    }
  }
}
