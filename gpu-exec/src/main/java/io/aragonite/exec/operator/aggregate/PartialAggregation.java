package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.operator.aggregate.AggregateSpec.Selected;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The groups of one grouping set that one worker has found: those of its hash table, and runs of
 * partial groups that it has put aside.
 *
 * <p>A table far larger than the caches that hardly ever finds a group again costs more than it
 * saves. When rows look like that, the table's groups are put aside as a run whenever there are
 * many, and the table starts anew; groups meet again when partitions are merged (Leis et al.,
 * Morsel-Driven Parallelism, 2014, section 4.4). Where hardly any row has found its group, the next
 * ones are put aside as they are, before a table tries again. That is for the caches of a CPU; a
 * device with memory of its own keeps one table, or sorts rows ({@link SortAggregation}) where that
 * is cheaper ({@link GroupingStrategy}).
 */
final class PartialAggregation {
  /** So many times that are too many groups for one table. */
  private static final int MANY = 8;

  /** A table whose groups have fewer rows than this on average has been in vain. */
  private static final double FEW_ROWS = 1.15;

  /** So many times the groups of a table are put aside as rows before the next table. */
  private static final int SKIPPED_TABLES = 16;

  /** What may be held of rows that wait to be sorted, over what groups may take. */
  private static final int SORT_SHARE = 2;

  private final int checkGroups = EngineSettings.current().sizes().partialGroups();

  private final AggregateSpec spec;
  private final int set;
  private final boolean mayFlush;

  /** Where groups go when they are too many for memory; null: they cannot. */
  private final @Nullable SpilledGroups spilled;

  /** Bytes of groups, in the table or in runs, from which on they go there. */
  private final long mostBytes;

  private GroupState state;

  /** How this set's rows are grouped; null: none has come that would say. */
  private @Nullable GroupingStrategy way;

  /** Not null where rows are sorted; then the table has those that came before, or collide. */
  private @Nullable SortAggregation sorted;

  private final List<ColumnStore> runs = new ArrayList<>();

  /** Whether the first run has all groups, each once, with results of which nothing is missing. */
  private boolean firstRunIsAll;

  /** Is told of groups, keys and then partial results, before they are spilled. */
  private @Nullable BiConsumer<ExecContext, ColumnBatch> beforeSpill;

  /** Of the partial results that the table takes in; null: it takes in rows. */
  private @Nullable List<ColumnShape> partialShapes;

  private boolean hasSpilled;

  // What the table has seen, and had seen when it was last looked at.
  private long rows;
  private long checkedRows;
  private int checkedGroups;
  private int nextCheck = checkGroups;
  private boolean flushing;

  /** Those that the table has taken in. */
  private long tableRows;

  private boolean skipping;

  /**
   * @param spilled of all workers; null: groups stay in memory
   * @param mostBytes memory that this worker may have for its groups
   */
  PartialAggregation(
      AggregateSpec spec,
      int set,
      ExecContext context,
      @Nullable SpilledGroups spilled,
      long mostBytes) {
    this.spilled = spilled;
    this.mostBytes = mostBytes;
    this.spec = spec;
    this.set = set;
    // A table is put aside when a core's cache does not hold it; one that is in no cache stays.
    this.mayFlush =
        spec.onlySlots() && spec.keys.get(set) != null && context.device().traits().morselDriven();
    this.state = new GroupState(spec, set, context, null);
  }

  void add(ExecContext context, ColumnBatch batch, List<Selected> masks) {
    if (way == null) {
      way = GroupingStrategy.of(context, spec, set, batch);
      if (way != null && way != GroupingStrategy.TABLE) {
        sorted = new SortAggregation(spec, set, context, way == GroupingStrategy.IN_ORDER);
      }
    }
    if (sorted != null && addSorted(context, sorted, batch)) {
      return;
    }
    state.add(context, batch, masks);
    rows += batch.rows();
    tableRows += batch.rows();
    if (spilled != null && spec.keys.get(set) == null) {
      if (state.distinctBytes() > mostBytes) {
        spilled.takeDistincts(context, state);
      }
      return;
    }
    if (spilled != null && state.bytes() > mostBytes) {
      BiConsumer<ExecContext, ColumnBatch> listener = beforeSpill;
      if (listener != null) {
        eachOfTable(context, groups -> listener.accept(context, groups));
      }
      spilled.take(context, state);
      startTable(context, false);
      rows = 0;
      checkedRows = 0;
      checkedGroups = 0;
      return;
    }
    if (mayFlush && state.groups() >= nextCheck) {
      flushing = flushing || wantsFlush();
      if (flushing) {
        boolean skip = !skipping && tableRows < FEW_ROWS * state.groups();
        flush(context);
        // Not when all runs are merged: what is put aside then comes too late.
        if (spilled != null && runs.getLast().bytes() > mostBytes) {
          if (beforeSpill != null) {
            beforeSpill.accept(context, runs.getLast().view());
          }
          spilled.take(runs.removeLast().take());
        }
        startTable(context, skip);
      } else {
        nextCheck = (int) Math.min(Integer.MAX_VALUE, 2L * state.groups());
        checkedRows = rows;
        checkedGroups = state.groups();
      }
    }
  }

  /**
   * @param skip whether rows are taken in as they are for a while
   */
  private void startTable(ExecContext context, boolean skip) {
    state = skip ? GroupState.ofRows(spec, set, context) : new GroupState(spec, set, context, null);
    skipping = skip;
    tableRows = 0;
    nextCheck = skip ? SKIPPED_TABLES * checkGroups : checkGroups;
  }

  /**
   * @param listener of groups, keys and then partial results, that will be no more in memory; not
   *     called by {@link #spill}; null: nobody
   */
  void beforeSpill(@Nullable BiConsumer<ExecContext, ColumnBatch> listener) {
    beforeSpill = listener;
  }

  /** Hands the groups out that are in memory, keys and then partial results. */
  void eachGroups(ExecContext context, Consumer<ColumnBatch> consumer) {
    for (ColumnStore run : runs) {
      consumer.accept(run.view());
    }
    eachOfTable(context, consumer);
  }

  private void eachOfTable(ExecContext context, Consumer<ColumnBatch> consumer) {
    if (state.groups() > 0 && spec.onlySlots()) {
      hand(context, state, consumer);
    }
  }

  /** Hands out the groups of a table, keys and then partial results, which are gone afterwards. */
  private static void hand(ExecContext context, GroupState table, Consumer<ColumnBatch> consumer) {
    List<Column> columns = new ArrayList<>(table.keys().columns());
    List<Column> partials = table.partials(context, context.memory());
    columns.addAll(partials);
    consumer.accept(new ColumnBatch(columns, table.groups()));
    partials.forEach(column -> Batches.free(context.memory(), column));
  }

  /**
   * Takes in groups, keys and then partial results. Rows and groups cannot both be taken in.
   *
   * @param groups without indirections
   */
  void addGroups(ExecContext context, ColumnBatch groups) {
    int width = spec.keyColumns(set).size();
    takePartials(context, groups.shapes().subList(width, groups.columns().size()));
    GroupState.inBatches(
        context,
        groups,
        batch -> {
          mergeBatch(context, batch);
          if (spilled != null && spec.keys.get(set) != null && state.bytes() > mostBytes) {
            spilled.take(context, state);
            state = new GroupState(spec, set, context, partialShapes);
            hasSpilled = true;
          }
        });
  }

  /**
   * Takes in all groups that there will be, keys and then partial results, of which no two have
   * equal keys. Partial results have 64 bits.
   */
  void addDistinctGroups(ExecContext context, ColumnBatch groups) {
    ColumnStore run = new ColumnStore(groups.shapes(), context.memory());
    run.append(context, groups);
    if (spilled != null && run.bytes() > mostBytes) {
      spilled.take(run.take());
      hasSpilled = true;
      return;
    }
    runs.add(run);
    firstRunIsAll = spec.resultsHold64Bits();
  }

  private void mergeBatch(ExecContext context, ColumnBatch batch) {
    int width = spec.keyColumns(set).size();
    state.merge(context, AggregateMerge.keysOf(batch, width), AggregateMerge.rest(batch, width));
  }

  /** Makes the table one that takes in partial results of such shapes too. */
  private void takePartials(ExecContext context, List<ColumnShape> shapes) {
    List<ColumnShape> known = partialShapes;
    if (known != null && GroupRuns.fits(shapes, known, 0)) {
      return;
    }
    List<ColumnShape> all =
        GroupRuns.roomy(
            known == null ? shapes : AggregateMerge.unifyShapes(spec, List.of(known, shapes)), 0);
    partialShapes = all;
    if (known != null && GroupRuns.fits(all, known, 0)) {
      return;
    }
    GroupState old = state;
    state = new GroupState(spec, set, context, all);
    if (known != null) {
      hand(
          context,
          old,
          groups -> GroupState.inBatches(context, groups, batch -> mergeBatch(context, batch)));
    }
    old.close();
  }

  /** Whether groups that {@link #addGroups} has taken in are in memory no more. */
  boolean hasSpilled() {
    return hasSpilled;
  }

  /** Whether rows have been taken in by sorting; if not, none will be any more. */
  private boolean addSorted(ExecContext context, SortAggregation groups, ColumnBatch batch) {
    long most = spilled == null ? Long.MAX_VALUE : SORT_SHARE * mostBytes;
    if (!groups.add(context, batch, most)) {
      stopSorting(context, groups, spilled);
      return false;
    }
    SpilledGroups to = spilled;
    if (to != null && groups.runBytes() > mostBytes) {
      groups.takeRuns(context, rows -> addToTable(context, rows, to)).forEach(to::take);
    }
    return true;
  }

  /** Takes in rows that cannot be sorted. */
  private void addToTable(ExecContext context, ColumnBatch rows, @Nullable SpilledGroups aside) {
    state.add(context, rows, List.of());
    if (aside != null && state.bytes() > mostBytes) {
      aside.take(context, state);
      state = new GroupState(spec, set, context, null);
    }
  }

  /**
   * Goes on with a table, and keeps what has been grouped as runs.
   *
   * @param aside where groups go when they are too many; null: nowhere
   */
  private void stopSorting(
      ExecContext context, SortAggregation groups, @Nullable SpilledGroups aside) {
    for (ColumnBatch run : groups.takeRuns(context, rows -> addToTable(context, rows, aside))) {
      append(context, run);
      Batches.free(context.memory(), run);
    }
    groups.close();
    sorted = null;
  }

  /**
   * The groups of all workers, keys and then final results, if rows came to each in the order of
   * their keys and no two workers had the same keys, which closes the workers; else null.
   */
  static @Nullable List<ColumnBatch> finishInOrder(
      ExecContext context, List<PartialAggregation> workers) {
    List<SortAggregation> inOrder = new ArrayList<>();
    for (PartialAggregation worker : workers) {
      SortAggregation groups = worker.sorted;
      if (groups != null) {
        inOrder.add(groups);
      }
      if (worker.state.groups() > 0 || !worker.runs.isEmpty()) {
        return null;
      }
    }
    List<ColumnBatch> result =
        inOrder.isEmpty() ? null : SortAggregation.finishInOrder(context, inOrder);
    if (result != null) {
      inOrder.forEach(SortAggregation::close);
      workers.forEach(worker -> {
        worker.sorted = null;
        worker.state.close();
      });
    }
    return result;
  }

  /**
   * The groups, keys and then final results, if this worker sorts rows or was given all groups;
   * null if it does not, or cannot after all.
   */
  @Nullable List<ColumnBatch> finishWithoutTable(ExecContext context) {
    if (firstRunIsAll) {
      state.close();
      return List.of(runs.removeFirst().take());
    }
    SortAggregation groups = sorted;
    if (groups == null || !runs.isEmpty()) {
      return null;
    }
    if (state.groups() > 0) {
      List<Column> columns = new ArrayList<>(state.keys().columns());
      columns.addAll(state.partials(context, context.memory()));
      int count = state.groups();
      state.takeKeys();
      groups.addGroups(new ColumnBatch(columns, count));
      state.close();
      state = new GroupState(spec, set, context, null);
    }
    List<ColumnBatch> result = groups.finish(context);
    if (result != null) {
      groups.close();
      state.close();
      sorted = null;
    }
    return result;
  }

  /**
   * If keys came in random order out of D, n rows would have found g = D (1 - e^(-n/D)) groups, and
   * the next row a new one with the probability e^(-n/D). A larger share of new groups of late
   * means that rows of a group lie together: then nothing is lost by putting groups aside. Else
   * that is only good if D is large.
   */
  private boolean wantsFlush() {
    double perGroup = (double) rows / state.groups();
    double x = solve(perGroup);
    double recent = (double) (state.groups() - checkedGroups) / Math.max(1, rows - checkedRows);
    boolean clustered = checkedGroups > 0 && recent > 1.5 * Math.exp(-x) + 0.02;
    return clustered || rows / x > (long) MANY * checkGroups;
  }

  /** The x with x / (1 - e^-x) = ratio. */
  private static double solve(double ratio) {
    double low = 1e-9;
    double high = ratio + 1;
    for (int i = 0; i < 40; i++) {
      double middle = (low + high) / 2;
      if (middle / -Math.expm1(-middle) < ratio) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  /** Puts the table's groups aside and closes it. */
  private void flush(ExecContext context) {
    hand(context, state, groups -> append(context, groups));
    state.close();
  }

  /** Copies groups, keys and then partial results, to the runs. */
  private void append(ExecContext context, ColumnBatch groups) {
    List<ColumnShape> shapes = groups.shapes();
    int width = spec.keyColumns(set).size();
    if (runs.isEmpty() || !GroupRuns.fits(shapes, runs.getLast().view().shapes(), width)) {
      runs.add(new ColumnStore(GroupRuns.roomy(shapes, width), context.memory()));
    }
    runs.getLast().append(context, groups);
  }

  /** Puts all that is left aside as well, since some of the set's groups are. */
  void spill(ExecContext context) {
    SpilledGroups to = spilled;
    if (to != null) {
      SortAggregation groups = sorted;
      if (groups != null) {
        stopSorting(context, groups, to);
      }
      runs.forEach(run -> to.take(run.take()));
      runs.clear();
      to.take(context, state);
    }
  }

  /** The groups of the table. */
  GroupState state() {
    return state;
  }

  /** Whether no groups are here that rows have made. */
  boolean isEmpty() {
    return rows == 0 && !hasRuns();
  }

  boolean hasRuns() {
    return !runs.isEmpty() || sorted != null;
  }

  /**
   * All groups as runs: columns of keys, then of partial results, whatever memory they take:
   * whether any are spilled has been decided. Closes the table.
   *
   * @return stores that the caller closes
   */
  List<ColumnStore> takeRuns(ExecContext context) {
    SortAggregation groups = sorted;
    if (groups != null) {
      stopSorting(context, groups, null);
    }
    flush(context);
    return runs;
  }

  /** Groups, those that are in several runs more than once. */
  long groups() {
    long groups = state.groups() + (sorted == null ? 0 : sorted.groups());
    for (ColumnStore run : runs) {
      groups += run.rows();
    }
    return groups;
  }

  /** An estimate of the memory held. */
  long bytes() {
    long bytes = state.bytes() + (sorted == null ? 0 : sorted.bytes());
    for (ColumnStore run : runs) {
      bytes += run.bytes();
    }
    return bytes;
  }
}
