package io.aragonite.adapter.table;

import io.aragonite.adapter.format.ColumnNames;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.runtime.UseGate;
import io.aragonite.exec.table.BlockRanges;
import io.aragonite.exec.table.SortedColumnCheck;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a table of a file: loaded when they are first wanted, and in memory until somebody
 * takes it back from those that are not pinned.
 */
final class ColumnCache {
  /** What part of the budget a column may be to be loaded for its statistics. */
  static final int COLUMN_SHARE = 3;

  /** A text, as far as types can tell. */
  static final int TEXT_BYTES = 24;

  final String name;
  final FileStamp stamp;
  final TableFile file;
  final MemoryBudget budget;
  final LoadWorkers workers;

  /** Distinct whatever their case, which names in a Parquet or Arrow file need not be. */
  final List<String> names;

  /** One that no type of ours can hold is of kind NULL, and cannot be read. */
  final List<DataType> types;

  /** Pins are users, and so is who loads or looks at columns. */
  final UseGate gate;

  final StatisticsProvider statistics;
  private final ColumnSlot[] slots;

  /** By column: how many times as much as it has been read past the cache since it was loaded. */
  private final double[] readPast;

  private @Nullable Long rows;

  /**
   * @param stamp of the file, from before it was opened
   * @param counts whether distinct values of all columns are counted while they are loaded; else
   *     plans know less
   * @param store where statistics are kept for other processes; null: nowhere
   * @param whole the gate of the table that this one is a part of; null: of none
   */
  ColumnCache(
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
    this.name = name;
    this.stamp = stamp;
    this.file = file;
    this.budget = budget;
    this.workers = workers;
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
    this.statistics = new StatisticsProvider(this, slots, counts, store);
  }

  ColumnSlot slot(int index) {
    return slots[index];
  }

  /** Whether memory holds a column now. */
  boolean holds(int index) {
    return slots[index].column != null;
  }

  synchronized long rows() {
    Long known = rows;
    if (known == null) {
      known = use(file::rows);
      rows = known;
    }
    return known;
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

  static @Nullable Storage storage(ColumnSlot slot) {
    ColumnShape shape = slot.shape;
    return shape != null ? shape.storage() : slot.storage;
  }

  long bytes(int index) {
    DataType type = file.columns().get(index).type();
    Storage storage = storage(slots[index]);
    TableColumnStatistics known = slots[index].statistics;
    if (type == null) {
      return 0;
    }
    if (storage == null) {
      int width = type.kind().isText() ? TEXT_BYTES : Math.min(8, Storage.of(type).width());
      return rows() * width;
    }
    return storage == Storage.BYTES && known != null
        ? (long) (rows() * (known.averageWidth() + 4))
        : rows() * storage.width();
  }

  /**
   * Counts a share of columns that is to be read past the cache; false if they are to be loaded.
   */
  boolean readPast(List<Integer> columns, double share) {
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

  /** Whether a column has been read past the cache as much as is to be before it is loaded. */
  boolean wasReadPast(List<Integer> columns) {
    synchronized (readPast) {
      return columns.stream().anyMatch(index -> readPast[index] >= 1);
    }
  }

  /** Counts a share of columns that was read past the cache. */
  void countReadPast(List<Integer> columns, double share) {
    synchronized (readPast) {
      columns.forEach(index -> readPast[index] += share);
    }
  }

  /** Looks at all values once, as far as they ascend, which may load the column. */
  boolean ascends(int index) {
    ColumnSlot slot = slots[index];
    DataType type = file.columns().get(index).type();
    if (type == null
        || bytes(index) > budget.limit() / COLUMN_SHARE
        || !MatchingParts.mayAscend(file.parts().stream().map(part -> part.zone(index)).toList())) {
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
  @Nullable BlockRanges blockRanges(int index) {
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
      if (column.ranges() != null) {
        return column.ranges();
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

  ColumnLoader loader(int index, boolean counting) {
    FileColumn declared = file.columns().get(index);
    DataType type = declared.type();
    if (type == null) {
      throw new AragoniteException(
          ErrorCode.COLUMN_TYPE_UNSUPPORTED,
          "Column \"%s\" of table \"%s\" has the type %s, which has no counterpart here; leave it out of the query, as SELECT * EXCLUDE (\"%s\")"
              .formatted(names.get(index), name, declared.fileType(), names.get(index)));
    }
    return new ColumnLoader(stamp.path(), file, index, type, budget, workers, counting);
  }

  /**
   * Loads a column. What is known of its values already is not counted again, and those of a large
   * table are counted later, as plans have estimates.
   */
  private LoadedColumn loadValues(int index, ColumnSlot slot) {
    TableColumnStatistics known = statistics.known(index, slot);
    TableColumnStatistics sampled = slot.sampled;
    boolean later = known == null && statistics.countsLater();
    LoadedColumn column = loader(index, known == null && statistics.counts() && !later).load();
    if (later) {
      return column.withEstimates(sampled);
    }
    if (known == null) {
      statistics.computed();
      return column.withStatistics(column.statistics());
    }
    TableColumnStatistics seen = column.statistics();
    if (seen.nulls() == known.nulls() && Objects.equals(seen.range(), known.range())) {
      return column.withStatistics(known);
    }
    // They are of other values: the file's time of change does not tell. Nothing that is known of
    // this file is trusted or kept any more.
    column.close();
    statistics.discard(slot);
    slot.ascends = null;
    return loadValues(index, slot);
  }

  /** The column, loaded if it has not been yet; its slot's lock is held. */
  LoadedColumn load(int index, ColumnSlot slot) {
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
      statistics.loaded(slot, column);
    }
    slot.lastUse = System.nanoTime();
    return column;
  }

  Table.Pin pin(List<Integer> columns) {
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

  private void free() {
    statistics.close();
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

  private final class TablePin implements Table.Pin {
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
