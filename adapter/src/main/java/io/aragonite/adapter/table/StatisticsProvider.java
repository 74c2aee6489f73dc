package io.aragonite.adapter.table;

import io.aragonite.adapter.table.StoredStatistics.StoredColumnStatistics;
import io.aragonite.adapter.table.StoredStatistics.StoredSketch;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.rules.metadata.KeySketch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a table's columns for plans: found by a look at all values, at some rows of a
 * large table, or by another process.
 */
public final class StatisticsProvider {
  /** Rows that predicates are tried on. */
  private static final int SAMPLE_ROWS = 2048;

  private final ColumnCache cache;
  private final ColumnSlot[] slots;
  private final boolean counts;
  private final KeptStatistics kept;
  private final TableSketches sketches;
  private final DeferredStatistics deferred;
  private volatile @Nullable TableSample sample;
  private volatile @Nullable Optional<SampledParts> sampledParts;
  private final AtomicInteger refinements = new AtomicInteger();
  private final AtomicInteger computations = new AtomicInteger();

  /**
   * @param counts whether distinct values of all columns are counted while they are loaded
   * @param store where statistics are kept for other processes; null: nowhere
   */
  StatisticsProvider(
      ColumnCache cache, ColumnSlot[] slots, boolean counts, @Nullable StatisticsStore store) {
    this.cache = cache;
    this.slots = slots;
    this.counts = counts;
    this.kept = new KeptStatistics(store, cache.stamp, this::figures);
    this.sketches = new TableSketches(this, cache.workers);
    this.deferred = new DeferredStatistics(this, slots, sketches);
  }

  /** The columns that they are of. */
  ColumnCache cache() {
    return cache;
  }

  /** Whether distinct values of all columns are counted. */
  boolean counts() {
    return counts;
  }

  /** Whether they are counted beside queries, as plans have estimates of the table. */
  boolean countsLater() {
    return counts && sampledParts() != null;
  }

  /** A column has been loaded; its slot's lock is held. */
  void loaded(ColumnSlot slot, LoadedColumn column) {
    if (column.counted()) {
      publish(slot, column.statistics());
    } else if (slot.sampled != null) {
      slot.sampled = column.statistics();
    }
    if (sampledParts() != null) {
      deferred.want();
    }
  }

  /** A device has decoded a column of which nothing is known; its slot's lock is held. */
  void decodedElsewhere(ColumnSlot slot) {
    if (countsLater()) {
      slot.uncountedElsewhere = true;
      deferred.want();
    }
  }

  /** The file has other values than what is known of this column: none of it counts any more. */
  void discard(ColumnSlot slot) {
    kept.discard();
    sketches.clear();
    slot.statistics = null;
  }

  void close() {
    kept.close();
  }

  /** Statistics of a column, which is loaded for them if it has not been yet. */
  public TableColumnStatistics of(int index) {
    ColumnSlot slot = slots[index];
    return cache.use(() -> {
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
    DeferredStatistics.asked();
    ColumnSlot slot = slots[index];
    SampledParts some = sampledParts();
    if (some == null || slot.statistics != null) {
      return of(index);
    }
    return cache.use(() -> {
      TableColumnStatistics found = found(index, slot);
      return found != null ? found : sampleOnce(some, index, slot);
    });
  }

  /**
   * What is known, or a look at some rows has found; whoever loads the column is not waited for.
   */
  private @Nullable TableColumnStatistics found(int index, ColumnSlot slot) {
    TableColumnStatistics known = slot.statistics;
    if (known == null && slot.tryLock()) {
      try {
        known = known(index, slot);
      } finally {
        slot.unlock();
      }
    }
    return known != null ? known : slot.sampled;
  }

  private TableColumnStatistics sampleOnce(SampledParts some, int index, ColumnSlot slot) {
    ColumnSlot.enter(slot.sampling);
    try {
      TableColumnStatistics found = found(index, slot);
      if (found == null) {
        found = sampled(some, index);
        slot.sampled = found;
        kept.changed();
      }
      return found;
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
    } finally {
      slot.sampling.unlock();
    }
    return of(index);
  }

  private boolean isReadable(int index) {
    return cache.file.columns().get(index).type() != null;
  }

  /**
   * Has other threads look for what a plan is going to ask for.
   *
   * @param columns whose figures it wants
   * @param tried columns of predicates that it will try on some rows
   */
  public void expect(Set<Integer> columns, Set<Integer> tried) {
    List<Runnable> looks = new ArrayList<>();
    for (int index : columns) {
      if (isReadable(index) && slots[index].statistics == null && slots[index].sampled == null) {
        looks.add(() -> planned(index));
      }
    }
    for (int index : tried) {
      if (isReadable(index)) {
        looks.add(() -> sample().values(index));
      }
    }
    cache.workers.ahead(looks);
  }

  private TableColumnStatistics sampled(SampledParts some, int index) {
    int limit = cache.loader(index, false).dictionaryLimit(cache.rows());
    return some.statistics(index, cache.types.get(index), limit);
  }

  /** Null of a small table, whose columns are loaded when a plan first asks for their figures. */
  private synchronized @Nullable SampledParts sampledParts() {
    Optional<SampledParts> known = sampledParts;
    if (known == null) {
      known =
          Optional.ofNullable(
              cache.use(
                  () -> SampledParts.of(cache.file, cache.budget, cache.workers, cache.rows())));
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

  /** How often plans that were made before would have known better since. */
  public int refinements() {
    return refinements.get();
  }

  void refined() {
    refinements.incrementAndGet();
  }

  /** Statistics of a column that need no look at its values; its slot's lock is held. */
  @Nullable TableColumnStatistics known(int index, ColumnSlot slot) {
    if (slot.statistics == null) {
      StoredColumnStatistics found = stored().column(index);
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
  Map<List<Integer>, Optional<StoredSketch>> storedSketches() {
    return cache.use(this::stored).sketches();
  }

  private StoredStatistics stored() {
    return kept.stored(slots.length, cache.rows());
  }

  /** What is known now, to be kept. */
  private StoredStatistics figures() {
    List<StoredColumnStatistics> columns =
        Arrays.stream(slots)
            .map(slot -> {
              TableColumnStatistics all = slot.statistics;
              return new StoredColumnStatistics(
                  all != null ? all : slot.sampled, all == null, ColumnCache.storage(slot));
            })
            .toList();
    TableSample tried = sample;
    Optional<SampledParts> some = sampledParts;
    boolean large = some != null && some.isPresent();
    return new StoredStatistics(
        columns, sketches.figures(), tried != null && large ? tried.kept() : Map.of());
  }

  /** How many statistics and sketches were found by a look at all values of a column. */
  public int computations() {
    return computations.get();
  }

  void computed() {
    computations.incrementAndGet();
    kept.changed();
  }

  /**
   * A sketch of the values of columns together, made when it is first asked for, which loads the
   * columns if they have not been yet; null if one is of a kind that cannot be sketched. It
   * outlives the columns in memory.
   */
  public @Nullable KeySketch sketch(List<Integer> columns) {
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
          some == null ? ValueSample.rows(cache.rows(), SAMPLE_ROWS) : some.rows(SAMPLE_ROWS);
      present = new TableSample(this, sampled);
      sample = present;
    }
    return present;
  }

  /**
   * Values of some rows, which ascend, of a column. That of a small table is loaded if it has not
   * been yet; of a large one they are null then, unless the rows are those of {@link #sample}.
   */
  @Nullable SampleValues values(int column, long[] rows) {
    SampledParts some = sampledParts();
    TableSample tried = sample;
    if (some == null || tried == null || !tried.isOf(rows)) {
      return read(some, column, rows);
    }
    SampleValues found = cache.use(this::stored).samples().get(column);
    if (found == null || found.count() != rows.length) {
      found = read(some, column, rows);
      kept.changed();
    }
    return found;
  }

  private @Nullable SampleValues read(@Nullable SampledParts some, int column, long[] rows) {
    @Nullable Object[] found =
        some != null && !atHand(List.of(column))
            ? cache.use(
                () -> some.values(cache.loader(column, false), cache.types.get(column), rows))
            : cache.withLoaded(
                List.of(column),
                loaded ->
                    TableSample.read(loaded.getFirst().shape(), loaded.getFirst().pieces(), rows));
    return found == null ? null : SampleValues.of(found);
  }

  /** Why figures may not be those of the file, for people; empty if there is no reason. */
  public String doubt() {
    if (cache.stamp.changed()) {
      return "statistics of %s, whose file has changed since it was opened".formatted(cache.name);
    }
    boolean some =
        Arrays.stream(slots).anyMatch(slot -> slot.sampled != null && slot.statistics == null);
    return some ? "statistics of " + cache.name + ", of which some rows were looked at" : "";
  }

  /**
   * Makes all statistics anew, reading the file again: of every column that can be read, and the
   * sketches that joins have asked for so far.
   *
   * @return columns looked at
   */
  public int analyze() {
    return cache.use(this::analyzeColumns);
  }

  private int analyzeColumns() {
    StoredStatistics before = figures().with(stored());
    synchronized (this) {
      sample = null;
    }
    sketches.clear();
    kept.forget();
    int columns = 0;
    for (int index = 0; index < slots.length; index++) {
      if (cache.file.columns().get(index).type() == null) {
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
      if (cache.bytes(index) <= cache.budget.limit() / ColumnCache.COLUMN_SHARE) {
        return counted(index, slot);
      }
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
    }
    ColumnLoader.Profile profile =
        cache.loader(index, counts && known(index, slot) == null).profile();
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
   * Makes the figures of a column that memory does not hold, beside queries: part by part, of which
   * none is kept, unless a sketch wants the column's values as well.
   */
  void profile(int index) {
    if (sketches.wants(index)) {
      of(index);
      return;
    }
    ColumnSlot slot = slots[index];
    cache.use(() -> {
      ColumnLoader.Profile found = cache.loader(index, counts).profile();
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

  ColumnShape shape(int index) {
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

  private void publish(ColumnSlot slot, TableColumnStatistics found) {
    if (slot.publish(found)) {
      refined();
    }
  }

  /** Figures of all values of a column that memory holds; its slot's lock is held. */
  private TableColumnStatistics counted(int index, ColumnSlot slot) {
    LoadedColumn column = cache.load(index, slot);
    return column.counted()
        ? column.statistics()
        : takeCounted(slot, ColumnLoader.counted(column, cache.workers));
  }

  /** Takes the figures of a column that has been counted in memory; its slot's lock is held. */
  TableColumnStatistics takeCounted(ColumnSlot slot, LoadedColumn counted) {
    slot.column = counted;
    publish(slot, counted.statistics());
    computed();
    return counted.statistics();
  }
}
