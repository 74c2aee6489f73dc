package io.aragonite.adapter.table;

import io.aragonite.adapter.format.ColumnNames;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.table.TableFigures.ColumnFigures;
import io.aragonite.adapter.table.TableFigures.SketchFigures;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.runtime.UseGate;
import io.aragonite.exec.table.SortedColumnCheck;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.rules.metadata.KeySketch;
import io.aragonite.rules.metadata.Partitions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
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

  /** How long somebody waits for a column between two looks whether the query is to end. */
  private static final long LOOK_MILLIS = 50;

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
  private final Slot[] slots;

  /** Pins are users, and so is who loads or looks at columns. */
  private final UseGate gate =
      new UseGate(
          "The table's connection is closed, so that it cannot be read any more.", this::free);

  private final ConcurrentMap<List<Integer>, Sketch> sketches = new ConcurrentHashMap<>();

  /** By column: how many times as much as it has been read past the cache since it was loaded. */
  private final double[] readPast;

  private @Nullable Long rows;
  private @Nullable TableSample sample;

  private final AtomicInteger computations = new AtomicInteger();

  /** The sketch of some columns, made under its lock. */
  private static final class Sketch {
    /** What is to be kept, once it is known: the sketch, or that there can be none. */
    volatile @Nullable Optional<SketchFigures> figures;

    private @Nullable ColumnSketch value;
    private boolean made;

    void set(@Nullable ColumnSketch sketch) {
      value = sketch;
      made = true;
      figures = Optional.ofNullable(sketch).map(ColumnSketch::figures);
    }
  }

  /**
   * A column's place in the cache, guarded by its lock. Whoever takes back memory only tries locks,
   * since loading holds one while it asks for memory.
   */
  private static final class Slot extends ReentrantLock {
    private static final long serialVersionUID = 1L;

    transient volatile @Nullable LoadedColumn column;

    /** Locks it. Another query may load the column meanwhile, and this one end before it has. */
    void enter() {
      try {
        while (!tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
          StopCheck.current().check();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AragoniteException(ErrorCode.CANCELLED, "Loading was interrupted.", e);
      }
    }

    /** What parts of the column look like, once somebody has looked. */
    transient volatile @Nullable ColumnShape shape;

    /** How it lies in memory, as another process found out. */
    transient volatile @Nullable Storage storage;

    transient volatile @Nullable TableColumnStatistics statistics;

    /** Whether values never descend; null while nobody has looked. */
    transient volatile @Nullable Boolean ascends;

    int pins;
    long lastUse;
  }

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
    this.counts = counts;
    this.name = name;
    this.stamp = stamp;
    this.kept = new KeptStatistics(store, stamp, this::figures);
    this.file = file;
    this.budget = budget;
    this.workers = workers;
    this.names = ColumnNames.distinct(file.columns().stream().map(FileColumn::name).toList());
    this.types =
        file.columns().stream()
            .map(column -> column.type() == null ? DataType.of(TypeKind.NULL, true) : column.type())
            .toList();
    this.slots = new Slot[file.columns().size()];
    this.readPast = new double[slots.length];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = new Slot();
    }
  }

  /** A table of another file, with the same name and budget. */
  CachedTable over(TableFile other) {
    return new CachedTable(name, stamp, other, budget, workers, counts, null);
  }

  /** What the folders of the table's files say; null if they say nothing. */
  public @Nullable Partitions partitions() {
    return file instanceof PartedFile parted && !parted.partitions().columns().isEmpty()
        ? new Partitions(
            names.size() - parted.partitions().columns().size(), parted.partitions().values())
        : null;
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
      known = use(() -> file.parts().stream().mapToLong(TableFile.FilePart::rows).sum());
      rows = known;
    }
    return known;
  }

  /** Statistics of a column, which is loaded for them if it has not been yet. */
  public TableColumnStatistics statistics(int index) {
    Slot slot = slots[index];
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

  /** Statistics of a column that need no look at its values; its slot's lock is held. */
  private @Nullable TableColumnStatistics known(int index, Slot slot) {
    if (slot.statistics == null) {
      slot.storage = stored().column(index).storage();
      slot.statistics = stored().column(index).statistics();
    }
    return slot.statistics;
  }

  private TableFigures stored() {
    return kept.stored(slots.length, rows());
  }

  /** What is known now, to be kept. */
  private TableFigures figures() {
    List<ColumnFigures> columns =
        Arrays.stream(slots)
            .map(slot -> new ColumnFigures(slot.statistics, storage(slot)))
            .toList();
    Map<List<Integer>, Optional<SketchFigures>> known = new HashMap<>();
    sketches.forEach((key, sketch) -> {
      Optional<SketchFigures> found = sketch.figures;
      if (found != null) {
        known.put(key, found);
      }
    });
    return new TableFigures(columns, known);
  }

  /** How many statistics and sketches were found by a look at all values of a column. */
  public int computations() {
    return computations.get();
  }

  private void computed() {
    computations.incrementAndGet();
    kept.changed();
  }

  /** What looks at columns, or loads some; the table is not freed meanwhile. */
  private <T extends @Nullable Object> T use(Supplier<T> task) {
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
    Sketch sketch = sketches.computeIfAbsent(List.copyOf(columns), key -> new Sketch());
    synchronized (sketch) {
      if (!sketch.made) {
        restore(columns, sketch);
      }
      if (!sketch.made) {
        List<LoadedColumn> loaded = new ArrayList<>();
        List<Integer> pinned = new ArrayList<>();
        try {
          pin(columns, pinned, loaded);
          sketch.set(ColumnSketch.of(this, columns, loaded, workers));
          computed();
        } catch (AragoniteException e) {
          if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
            throw e;
          }
          // Plans are made without it then.
          sketch.made = true;
        } finally {
          unpin(pinned);
        }
      }
      return sketch.value;
    }
  }

  /** Takes a sketch of another process. */
  private void restore(List<Integer> columns, Sketch sketch) {
    Optional<SketchFigures> found = use(this::stored).sketches().get(List.copyOf(columns));
    TableColumnStatistics single =
        found != null && found.isPresent() && columns.size() == 1
            ? statistics(columns.getFirst())
            : null;
    if (found != null) {
      sketch.set(found.map(known -> new ColumnSketch(known, this, columns, single)).orElse(null));
    }
  }

  /** Rows of the table, chosen evenly, on which predicates can be tried. */
  public synchronized TableSample sample() {
    TableSample present = sample;
    if (present == null) {
      present = new TableSample(this, ValueSample.rows(rows(), SAMPLE_ROWS));
      sample = present;
    }
    return present;
  }

  /** Values of some rows, which ascend, of a column, which is loaded if it has not been yet. */
  @Nullable Object[] values(int column, long[] rows) {
    List<LoadedColumn> loaded = new ArrayList<>();
    List<Integer> pinned = new ArrayList<>();
    try {
      pin(List.of(column), pinned, loaded);
      return TableSample.read(loaded.getFirst(), rows);
    } finally {
      unpin(pinned);
    }
  }

  /** Which of some values a column of integers has, by their places. */
  BitSet contains(int column, long[] values) {
    List<LoadedColumn> loaded = new ArrayList<>();
    List<Integer> pinned = new ArrayList<>();
    try {
      pin(List.of(column), pinned, loaded);
      return ValueSearch.find(loaded.getFirst(), values);
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      // An estimate goes on as if it had all of them.
      BitSet all = new BitSet(values.length);
      all.set(0, values.length);
      return all;
    } finally {
      unpin(pinned);
    }
  }

  /** Rows with some of the values of a column of integers; null if it cannot be loaded. */
  ValueSearch.@Nullable SampledRows rowsOf(int column, long[] values) {
    List<LoadedColumn> loaded = new ArrayList<>();
    List<Integer> pinned = new ArrayList<>();
    try {
      pin(List.of(column), pinned, loaded);
      return ValueSearch.rows(this, loaded.getFirst(), values);
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return null;
    } finally {
      unpin(pinned);
    }
  }

  /** Why figures may not be those of the file, for people; empty if there is no reason. */
  public String doubt() {
    return stamp.changed()
        ? "statistics of %s, whose file has changed since it was opened".formatted(name)
        : "";
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
      Slot slot = slots[index];
      slot.enter();
      try {
        LoadedColumn column = slot.column;
        if (column != null && slot.pins == 0) {
          slot.column = null;
          column.close();
        }
        slot.ascends = null;
        slot.statistics = null;
        slot.statistics = load(index, slot).statistics();
        columns++;
      } finally {
        slot.unlock();
      }
    }
    before.sketches().keySet().forEach(this::keySketch);
    return columns;
  }

  /** Statistics of a column, which is loaded if memory holds it, or else looked at part by part. */
  private TableColumnStatistics lookAt(int index, Slot slot) {
    try {
      if (bytes(index) <= budget.limit() / COLUMN_SHARE) {
        return load(index, slot).statistics();
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

  private static @Nullable Storage storage(Slot slot) {
    ColumnShape shape = slot.shape;
    return shape != null ? shape.storage() : slot.storage;
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
    List<ColumnShape> shapes = columns.stream().map(this::shape).toList();
    return new FileParts(file.parts(), ALL, columns, shapes);
  }

  /**
   * Parts that a filter leaves, as long as all that was read past the cache of a column is not more
   * than the column: then it is loaded.
   */
  @Override
  public @Nullable TableParts matching(List<Integer> columns, Expr filter) {
    return use(() -> matchingParts(columns, filter));
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
    return new FileParts(matching.parts(), matching.skipped(), columns, shapes);
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

  private ColumnShape shape(int index) {
    Slot slot = slots[index];
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

  /** Parts that are skipped where no filter was asked: they are the parts of the file. */
  private static final int ALL = -1;

  /** Parts of the file that are read each time. */
  private final class FileParts implements TableParts {
    private final List<TableFile.FilePart> parts;
    private final int skipped;
    private final List<Integer> columns;
    private final List<ColumnLoader> loaders;
    private final List<ColumnShape> shapes;
    private final long rows = rows();

    FileParts(
        List<TableFile.FilePart> parts,
        int skipped,
        List<Integer> columns,
        List<ColumnShape> shapes) {
      this.parts = parts;
      this.skipped = skipped;
      this.columns = columns;
      this.loaders = columns.stream().map(index -> loader(index, false)).toList();
      this.shapes = shapes;
    }

    @Override
    public List<ColumnShape> shapes() {
      return shapes;
    }

    @Override
    public int count() {
      return parts.size();
    }

    @Override
    public int skipped() {
      return Math.max(0, skipped);
    }

    @Override
    public long fileBytes() {
      long bytes = 0;
      for (TableFile.FilePart part : parts) {
        for (int index : columns) {
          long some = part.fileBytes(index);
          if (some < 0) {
            return -1;
          }
          bytes += some;
        }
      }
      return bytes;
    }

    @Override
    public List<ColumnBatch> read(int part, QueryMemory memory) {
      return use(() -> readPart(part, memory));
    }

    private List<ColumnBatch> readPart(int number, QueryMemory memory) {
      TableFile.FilePart part = parts.get(number);
      if (loaders.isEmpty()) {
        return List.of(new ColumnBatch(List.of(), part.rows()));
      }
      List<List<Column>> read = new ArrayList<>();
      for (int i = 0; i < loaders.size(); i++) {
        read.add(loaders.get(i).read(shapes.get(i), part, rows, memory));
      }
      if (skipped == ALL) {
        file.forget(number);
      } else if (stamp.changed()) {
        // What was left out, and what is read, may not be of one state.
        throw new AragoniteException(
            ErrorCode.FILE_BROKEN,
            "%s has changed while it was read; run the statement again on a new connection"
                .formatted(stamp.path()));
      }
      return align(read);
    }
  }

  /** Looks at all values once, as far as they ascend, which may load the column. */
  @Override
  public boolean ascends(int index) {
    Slot slot = slots[index];
    DataType type = file.columns().get(index).type();
    if (type == null || bytes(index) > budget.limit() / COLUMN_SHARE) {
      return false;
    }
    return use(() -> ascends(index, slot));
  }

  private boolean ascends(int index, Slot slot) {
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

  private ColumnLoader loader(int index, boolean counting) {
    FileColumn declared = file.columns().get(index);
    DataType type = declared.type();
    if (type == null) {
      throw new AragoniteException(
          ErrorCode.COLUMN_TYPE_UNSUPPORTED,
          "Column \"%s\" of table \"%s\" has the type %s, which has no counterpart here; leave it out of the query"
              .formatted(names.get(index), name, declared.fileType()));
    }
    return new ColumnLoader(stamp.path(), file, index, type, budget, workers, counting);
  }

  /** Loads a column; what is known of its values already is not counted again. */
  private LoadedColumn loadValues(int index, Slot slot) {
    TableColumnStatistics known = known(index, slot);
    LoadedColumn column = loader(index, counts && known == null).load();
    if (known == null) {
      computed();
      return column;
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

  private LoadedColumn load(int index, Slot slot) {
    LoadedColumn column = slot.column;
    if (column == null) {
      column = loadValues(index, slot);
      for (int part = 0; part < file.parts().size(); part++) {
        file.forget(part);
      }
      slot.column = column;
      synchronized (readPast) {
        readPast[index] = 0;
      }
      slot.shape = column.shape();
      slot.statistics = column.statistics();
    }
    slot.lastUse = System.nanoTime();
    return column;
  }

  @Override
  public Pin pin(List<Integer> columns) {
    List<Integer> pinned = new ArrayList<>();
    List<LoadedColumn> loaded = new ArrayList<>();
    try {
      pin(columns, pinned, loaded);
      return new TablePin(pinned, loaded, loaded.isEmpty() ? rows() : 0);
    } catch (Throwable e) {
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
    Slot slot = slots[index];
    slot.enter();
    try {
      LoadedColumn column = load(index, slot);
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
    for (Slot slot : slots) {
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
    for (Slot slot : slots) {
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

  /** Waits until nobody looks at the table's columns any more; later looks are refused. */
  @Override
  public void close() {
    gate.close(() -> {});
  }

  private void free() {
    kept.close();
    for (Slot slot : slots) {
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
              ? bareChunks(bareRows)
              : align(loaded.stream().map(LoadedColumn::pieces).toList());
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
        unpin(pinned);
      }
    }
  }

  private static List<ColumnBatch> bareChunks(long rows) {
    List<ColumnBatch> chunks = new ArrayList<>();
    for (long from = 0; from < rows; from += PieceWriter.PIECE_ROWS) {
      chunks.add(new ColumnBatch(List.of(), (int) Math.min(PieceWriter.PIECE_ROWS, rows - from)));
    }
    return chunks;
  }

  /** Columns are cut independently of each other: chunks are their common refinement. */
  static List<ColumnBatch> align(List<List<Column>> columns) {
    TreeSet<Long> cuts = new TreeSet<>();
    for (List<Column> column : columns) {
      long at = 0;
      cuts.add(at);
      for (Column piece : column) {
        cuts.add(at += piece.dataRows());
      }
    }
    List<ColumnBatch> chunks = new ArrayList<>();
    int[] piece = new int[columns.size()];
    long[] pieceStart = new long[columns.size()];
    long from = 0;
    for (long to : cuts.tailSet(0L, false)) {
      List<Column> slices = new ArrayList<>();
      int count = (int) (to - from);
      for (int c = 0; c < columns.size(); c++) {
        List<Column> pieces = columns.get(c);
        if (from >= pieceStart[c] + pieces.get(piece[c]).dataRows()) {
          pieceStart[c] += pieces.get(piece[c]++).dataRows();
        }
        Column whole = pieces.get(piece[c]);
        slices.add(
            whole.dataRows() == count ? whole : whole.slice((int) (from - pieceStart[c]), count));
      }
      chunks.add(new ColumnBatch(slices, count));
      from = to;
    }
    return chunks;
  }
}
