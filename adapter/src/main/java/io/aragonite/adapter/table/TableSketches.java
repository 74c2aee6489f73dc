package io.aragonite.adapter.table;

import io.aragonite.adapter.table.StoredStatistics.StoredSketch;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.rules.metadata.KeySketch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The sketches of a table's columns: made when they are first asked for, or beside queries. */
final class TableSketches {
  private final StatisticsProvider statistics;
  private final LoadWorkers workers;
  private final ConcurrentMap<List<Integer>, Sketch> sketches = new ConcurrentHashMap<>();

  /** Those that plans have asked for and that are made when their columns are in memory. */
  private final Set<List<Integer>> wanted = ConcurrentHashMap.newKeySet();

  TableSketches(StatisticsProvider statistics, LoadWorkers workers) {
    this.statistics = statistics;
    this.workers = workers;
  }

  /** The sketch of some columns, made under its lock. */
  private static final class Sketch {
    final ReentrantLock lock = new ReentrantLock();

    /** What is to be kept, once it is known: the sketch, or that there can be none. */
    volatile @Nullable Optional<StoredSketch> figures;

    private @Nullable ColumnSketch value;
    private boolean made;

    void set(@Nullable ColumnSketch sketch) {
      value = sketch;
      made = true;
      figures = Optional.ofNullable(sketch).map(ColumnSketch::figures);
    }
  }

  /** What is known of them, to be kept. */
  Map<List<Integer>, Optional<StoredSketch>> figures() {
    Map<List<Integer>, Optional<StoredSketch>> known = new HashMap<>();
    sketches.forEach((key, sketch) -> {
      Optional<StoredSketch> found = sketch.figures;
      if (found != null) {
        known.put(key, found);
      }
    });
    return known;
  }

  void clear() {
    sketches.clear();
  }

  /** As {@link StatisticsProvider#sketch}. */
  @Nullable KeySketch get(List<Integer> columns) {
    Sketch sketch = sketches.computeIfAbsent(List.copyOf(columns), key -> new Sketch());
    sketch.lock.lock();
    try {
      if (!sketch.made) {
        restore(columns, sketch);
      }
      if (!sketch.made) {
        make(columns, sketch);
      }
      return sketch.value;
    } finally {
      sketch.lock.unlock();
    }
  }

  private void make(List<Integer> columns, Sketch sketch) {
    try {
      sketch.set(
          statistics
              .cache()
              .withLoaded(
                  columns, loaded -> ColumnSketch.of(statistics, columns, loaded, workers)));
      statistics.computed();
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      // Plans are made without it then.
      sketch.made = true;
    }
  }

  /**
   * One that is there or that another process has made; else null, and it is wanted. One that is
   * being made is not waited for: it reads whole columns.
   */
  @Nullable KeySketch getOrWant(List<Integer> columns) {
    Sketch sketch = sketches.computeIfAbsent(List.copyOf(columns), key -> new Sketch());
    if (!sketch.lock.tryLock()) {
      return null;
    }
    try {
      if (!sketch.made) {
        restore(columns, sketch);
      }
      if (sketch.made) {
        return sketch.value;
      }
    } finally {
      sketch.lock.unlock();
    }
    wanted.add(List.copyOf(columns));
    return null;
  }

  /** Whether a sketch that is not there yet is wanted of a column, with others or alone. */
  boolean wants(int column) {
    return wanted.stream().anyMatch(columns -> columns.contains(column));
  }

  /** Whether sketches are wanted whose columns queries have read. */
  boolean canMakeWanted() {
    return wanted.stream().anyMatch(statistics::haveBeenRead);
  }

  /** Makes them. */
  void makeWanted() {
    wanted.stream().filter(statistics::haveBeenRead).toList().forEach(this::makeWanted);
  }

  private void makeWanted(List<Integer> columns) {
    get(columns);
    if (wanted.remove(columns)) {
      statistics.refined();
    }
  }

  /** Takes a sketch of another process. */
  private void restore(List<Integer> columns, Sketch sketch) {
    Optional<StoredSketch> found = statistics.storedSketches().get(List.copyOf(columns));
    TableColumnStatistics single =
        found != null && found.isPresent() && columns.size() == 1
            ? statistics.planned(columns.getFirst())
            : null;
    if (found != null) {
      sketch.set(
          found.map(known -> new ColumnSketch(known, statistics, columns, single)).orElse(null));
    }
  }
}
