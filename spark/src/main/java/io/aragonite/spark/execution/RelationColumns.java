package io.aragonite.spark.execution;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.spark.column.ConversionCounter;
import io.aragonite.spark.column.SliceBuilder;
import io.aragonite.spark.column.SliceColumnVector;
import io.aragonite.spark.column.Utf8Batches;
import io.aragonite.spark.column.VectorBatches;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/**
 * Relations that Spark has brought to this executor, as tables: of one that has rows the first task
 * that wants it makes slices, for all of them. Slices are on the heap, and go when the collector has
 * found that nobody holds the relation, and the table with them.
 */
final class RelationColumns {
  private static final int SLICE_ROWS = 1 << 14;

  /** Bytes of values after which a slice ends. */
  private static final long SLICE_BYTES = 4 << 20;

  /** Rows between two looks at whether the task is to end. */
  private static final int BLOCK = 1 << 10;

  private static final long WAIT_MILLIS = 100;

  private static final Map<RelationKey, Map<List<DataType>, CompletableFuture<SharedColumns>>>
      KNOWN = new ConcurrentHashMap<>();

  private static final Cleaner CLEANER = Cleaner.create();

  private RelationColumns() {}

  /** A relation, that one and no equal one, which it does not hold. */
  private static final class RelationKey extends WeakReference<Object> {
    private final int hash;

    RelationKey(Object relation) {
      super(relation);
      this.hash = System.identityHashCode(relation);
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      if (this == other) {
        return true;
      }
      Object relation = get();
      return relation != null && other instanceof RelationKey key && key.refersTo(relation);
    }
  }

  /**
   * A relation's columns, for all tasks.
   *
   * @param table of the slices; null where tasks read them each for itself
   * @param texts whether they are UTF-8
   */
  record SharedColumns(
      List<UnsafeRow> slices, @Nullable BroadcastTable table, TextValidity texts) {
    SharedColumns(List<UnsafeRow> slices, @Nullable BroadcastTable table) {
      this(slices, table, new TextValidity());
    }
  }

  /** Whether the texts of a relation's columns are UTF-8: the first task that asks looks. */
  static final class TextValidity {
    private final Map<Integer, CompletableFuture<Boolean>> known = new ConcurrentHashMap<>();

    /**
     * Whether those are that the input names.
     *
     * @param killed whether the task is to end
     * @throws TaskKilledException if it is killed
     */
    boolean isValid(
        List<UnsafeRow> slices, FragmentPlan.FragmentInput input, BooleanSupplier killed) {
      return input.utf8().stream()
          .filter(column -> input.types().get(column).kind() == TypeKind.VARCHAR)
          .allMatch(
              column -> once(known, column, killed, () -> isValid(slices, input, column, killed)));
    }

    private static boolean isValid(
        List<UnsafeRow> slices,
        FragmentPlan.FragmentInput input,
        int column,
        BooleanSupplier killed) {
      for (UnsafeRow slice : slices) {
        endIfKilled(killed);
        if (!Utf8Batches.isValid(batch(slice, input), column)) {
          return false;
        }
      }
      return true;
    }
  }

  private static ColumnarBatch batch(UnsafeRow slice, FragmentPlan.FragmentInput input) {
    return SliceColumnVector.batch(slice, input.sparkTypes(), input.types());
  }

  /** Makes columns of a relation, in the time of a task. */
  interface ColumnMaker {
    SharedColumns make();
  }

  /**
   * The table of a relation, or, where it has none, a reader of its batches. Rows are counted where
   * they are converted.
   *
   * @throws AragoniteException INVALID_ARGUMENT if texts are not UTF-8 that have to be
   */
  static InputSource of(
      Object relation,
      FragmentPlan.FragmentInput input,
      FragmentMetrics metrics,
      TaskContext task) {
    List<DataType> types = input.types();
    SharedColumns columns =
        shared(relation, types, task::isInterrupted, () -> columns(relation, input, metrics, task));
    // The table goes with the relation.
    task.addTaskCompletionListener(ended -> {
      Reference.reachabilityFence(relation);
      return null;
    });
    if (!columns.texts().isValid(columns.slices(), input, task::isInterrupted)) {
      throw Utf8Batches.error();
    }
    if (columns.table() != null) {
      return new InputSource.SharedTable(columns.table());
    }
    Iterator<ColumnarBatch> batches =
        columns.slices().stream()
            .<ColumnarBatch>map(slice -> batch(slice, input))
            .iterator();
    return new InputSource.TaskBatches(new VectorBatches(batches, types, metrics));
  }

  private static SharedColumns columns(
      Object relation,
      FragmentPlan.FragmentInput input,
      FragmentMetrics metrics,
      TaskContext task) {
    List<DataType> types = input.types();
    List<UnsafeRow> slices =
        relation instanceof SlicedRelation.Holder held
            ? held.sliced().slices()
            : slices(
                RelationRows.of(relation, types.size()), types, metrics, task::isInterrupted);
    BroadcastTable table = BroadcastTable.of(slices, input.sparkTypes(), types);
    if (table != null) {
      metrics.columnRows(table.rows());
    }
    return new SharedColumns(slices, table);
  }

  /**
   * The columns of a relation, by types, since joins may differ in what they know of nulls. Where
   * the task that makes them fails or is killed, another that waits makes them.
   *
   * @param killed whether the task is to end
   * @throws TaskKilledException if the task is killed as it waits
   */
  static SharedColumns shared(
      Object relation, List<DataType> types, BooleanSupplier killed, ColumnMaker maker) {
    return once(ofRelation(relation), types, killed, maker::make);
  }

  /** What one task makes, and others wait for. */
  private static <K, V> V once(
      Map<K, CompletableFuture<V>> known, K key, BooleanSupplier killed, Supplier<V> maker) {
    while (true) {
      CompletableFuture<V> mine = new CompletableFuture<>();
      CompletableFuture<V> first = known.putIfAbsent(key, mine);
      if (first != null) {
        V made = await(first, killed);
        if (made != null) {
          return made;
        }
        continue;
      }
      try {
        V made = maker.get();
        mine.complete(made);
        return made;
      } finally {
        if (!mine.isDone()) {
          known.remove(key, mine);
          mine.cancel(false);
        }
      }
    }
  }

  private static Map<List<DataType>, CompletableFuture<SharedColumns>> ofRelation(
      Object relation) {
    RelationKey key = new RelationKey(relation);
    return KNOWN.computeIfAbsent(
        key,
        k -> {
          CLEANER.register(relation, () -> forget(k));
          return new ConcurrentHashMap<>();
        });
  }

  /** What another task makes; null if it does not. */
  private static <V> @Nullable V await(CompletableFuture<V> made, BooleanSupplier killed) {
    while (true) {
      try {
        return made.get(WAIT_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        endIfKilled(killed);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new TaskKilledException("interrupted as it waited for the columns of a broadcast");
      } catch (ExecutionException | CancellationException e) {
        return null;
      }
    }
  }

  private static void endIfKilled(BooleanSupplier killed) {
    if (killed.getAsBoolean()) {
      throw new TaskKilledException("killed as it waited for the columns of a broadcast");
    }
  }

  /** Rows as slices of some rows and some bytes each. */
  static List<UnsafeRow> slices(
      Iterator<InternalRow> rows,
      List<DataType> types,
      ConversionCounter counter,
      BooleanSupplier killed) {
    SliceBuilder builder = new SliceBuilder(types);
    List<UnsafeRow> made = new ArrayList<>();
    long count = 0;
    while (rows.hasNext()) {
      builder.add(rows.next());
      count++;
      if (count % BLOCK == 0) {
        endIfKilled(killed);
      }
      if (builder.rows() == SLICE_ROWS || builder.bytes() >= SLICE_BYTES) {
        made.add(builder.finish());
      }
    }
    if (builder.rows() > 0) {
      made.add(builder.finish());
    }
    counter.rows(count);
    return List.copyOf(made);
  }

  private static void forget(RelationKey key) {
    Map<List<DataType>, CompletableFuture<SharedColumns>> ofRelation = KNOWN.remove(key);
    if (ofRelation != null) {
      tables(List.of(ofRelation)).forEach(BroadcastTable::close);
    }
  }

  private static Stream<BroadcastTable> tables(
      Collection<Map<List<DataType>, CompletableFuture<SharedColumns>>> relations) {
    return relations.stream()
        .flatMap(ofRelation -> ofRelation.values().stream())
        .filter(columns -> columns.state() == Future.State.SUCCESS)
        .map(columns -> columns.resultNow().table())
        .filter(Objects::nonNull);
  }

  /** Gives up columns that nobody uses now; returns the bytes. */
  static long reclaim(long wanted) {
    long freed = 0;
    Iterator<BroadcastTable> tables = tables(KNOWN.values()).iterator();
    while (freed < wanted && tables.hasNext()) {
      freed += tables.next().reclaim();
    }
    return freed;
  }

  /** Bytes of memory of tasks that columns take now. */
  static long bytes() {
    return tables(KNOWN.values()).mapToLong(BroadcastTable::bytes).sum();
  }

  /** Of these, what tasks use now. */
  static long pinnedBytes() {
    return tables(KNOWN.values()).mapToLong(BroadcastTable::pinnedBytes).sum();
  }

  /** Has nothing be left of any relation, once those that use it have ended. */
  static void close() {
    KNOWN.keySet().forEach(RelationColumns::forget);
  }

  /** Relations of which there are columns. */
  static int known() {
    return KNOWN.size();
  }
}
