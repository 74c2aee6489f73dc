package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.aggregate.AggregateSpec.AccumulatorSlot;
import io.aragonite.exec.operator.aggregate.SortedGroups.GroupingStep;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Groups rows of one grouping set without a table: rows are collected and their words sorted with
 * the rows' numbers; runs of equal words are groups, whose values are fetched by the numbers and
 * reduced ({@link SortedGroups}). Rows that come in the order of their words are grouped as they
 * come. Not safe for several threads.
 *
 * <p>Words that do not tell keys apart for sure are compared by their keys, neighbour by neighbour;
 * should two differ within a run, which hardly ever happens, a table must do it.
 */
final class SortAggregation implements AutoCloseable {
  /** Bytes that sorting takes for a row, beside its columns: words and numbers, twice, and runs. */
  private static final long SORT_BYTES = 32;

  /** Copies of a column's rows at once: while it grows, or as groups that come of it. */
  private static final long COPIES = 3;

  /** Rows that are grouped at once. */
  private static final int MOST_ROWS = 1 << 30;

  private final AggregateSpec spec;
  private final GroupKeys keys;
  private final QueryMemory memory;
  private final boolean inOrder;
  private final SortedGroups sortedGroups;

  /** Input columns of the keys, then the others that slots take in. */
  private final List<Integer> columns;

  private final int width;

  /** Rows that wait, of {@link #columns}. */
  private final ColumnStore rows;

  /** Groups: keys, then partial results. A group may be in several. */
  private final List<ColumnBatch> runs = new ArrayList<>();

  private long runBytes;

  /** Whether the groups of each run are in the order of their words. */
  private boolean runsInOrder;

  /** Whether some columns have got rows that others had no memory for. */
  private boolean torn;

  /**
   * @param inOrder whether rows are expected in the order of their words
   */
  SortAggregation(AggregateSpec spec, int set, ExecContext context, boolean inOrder) {
    this.spec = spec;
    this.keys = Objects.requireNonNull(spec.keys.get(set));
    this.memory = context.memory();
    this.inOrder = inOrder && keys.layout().exact();
    this.runsInOrder = this.inOrder;
    this.columns = new ArrayList<>(spec.keyColumns(set));
    this.width = columns.size();
    for (AccumulatorSlot slot : spec.slots) {
      if (slot.arg() >= 0 && !columns.contains(slot.arg())) {
        columns.add(slot.arg());
      }
    }
    this.sortedGroups = new SortedGroups(spec, keys, columns, width, this.inOrder, memory);
    this.rows = new ColumnStore(columns.stream().map(spec.inputs::get).toList(), memory);
  }

  /**
   * Whether a set can be grouped so: partial results of rows, all of which count, of columns that
   * have no texts, since a column of all rows' texts may have more bytes than one column can. Of
   * several sets each would keep the rows for itself.
   */
  static boolean can(AggregateSpec spec, int set) {
    return spec.keys.get(set) != null
        && spec.keys.size() == 1
        && spec.onlySlots()
        && !spec.serial()
        && spec.slots.stream().allMatch(slot -> slot.mask() < 0 && hasNoText(spec, slot.arg()))
        && spec.keyColumns(set).stream().allMatch(column -> hasNoText(spec, column));
  }

  private static boolean hasNoText(AggregateSpec spec, int column) {
    return column < 0 || spec.inputs.get(column).storage() != Storage.BYTES;
  }

  /**
   * Takes in input rows.
   *
   * @param mostBytes that may be held before groups are made
   * @return whether that is done; else rows that wait must go another way ({@link #drain}), and
   *     these as well
   */
  boolean add(ExecContext context, ColumnBatch batch, long mostBytes) {
    if (batch.rows() == 0) {
      return true;
    }
    List<Column> kept = columns.stream().map(batch::column).toList();
    ColumnBatch input = new ColumnBatch(kept, batch.rows());
    if (inOrder) {
      // Sorting what is not in order is another matter, which nobody has priced.
      ColumnBatch run = sortedGroups.inOrder(context, input);
      if (run != null) {
        context.addFigure("rows grouped in order", batch.rows());
        addRun(run);
      }
      return run != null;
    }
    long count = (long) rows.rows() + batch.rows();
    boolean full = count > MOST_ROWS || COPIES * rows.bytes() + SORT_BYTES * count > mostBytes;
    if (full && !flush(context)) {
      return false;
    }
    try {
      rows.append(context, input);
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      torn = true;
      return false;
    }
    return true;
  }

  /** Makes groups of the rows that wait; false if that cannot be done. */
  private boolean flush(ExecContext context) {
    if (torn) {
      return false;
    }
    if (rows.rows() > 0) {
      ColumnBatch run = sortedGroups.of(context, rows.view(), GroupingStep.ROWS);
      if (run == null) {
        return false;
      }
      addRun(run);
      rows.close();
    }
    return true;
  }

  private void addRun(ColumnBatch run) {
    runs.add(run);
    runBytes += run.columns().stream().mapToLong(column -> column.values().size()).sum();
  }

  /** Adds groups that were found otherwise, keys and then partial results, as a run. */
  void addGroups(ColumnBatch groups) {
    runsInOrder = false;
    addRun(groups);
  }

  /** Hands rows that wait out as input rows, in batches, and forgets them. */
  void drain(ExecContext context, Consumer<ColumnBatch> table) {
    GroupState.inBatches(
        context,
        rows.view(),
        batch -> {
          Column[] all = new Column[spec.inputs.size()];
          Arrays.fill(all, AggregateMerge.nothing(batch.rows()));
          for (int i = 0; i < columns.size(); i++) {
            all[columns.get(i)] = batch.column(i);
          }
          table.accept(new ColumnBatch(List.of(all), batch.rows()));
        });
    rows.close();
  }

  /**
   * All groups as runs, whose buffers are the caller's from then on.
   *
   * @param table takes rows that cannot be grouped here
   */
  List<ColumnBatch> takeRuns(ExecContext context, Consumer<ColumnBatch> table) {
    if (!flush(context)) {
      drain(context, table);
    }
    List<ColumnBatch> all = List.copyOf(runs);
    runs.clear();
    runBytes = 0;
    return all;
  }

  /**
   * The groups, keys and final results, in one batch or several; null if that cannot be done, so
   * that nothing changes.
   */
  @Nullable List<ColumnBatch> finish(ExecContext context) {
    if (!torn && runs.isEmpty() && rows.rows() > 0) {
      ColumnBatch groups = sortedGroups.of(context, rows.view(), GroupingStep.ALL);
      if (groups == null) {
        return null;
      }
      rows.close();
      return List.of(groups);
    }
    if (!flush(context) || runs.isEmpty()) {
      return null;
    }
    if (runs.size() > 1) {
      List<ColumnBatch> chained = finishInOrder(context, List.of(this));
      if (chained != null) {
        return chained;
      }
      ColumnBatch all = together(context);
      ColumnBatch groups = sortedGroups.of(context, all, GroupingStep.MERGE);
      if (groups == null) {
        addRun(all);
        return null;
      }
      Batches.free(memory, all);
      return List.of(groups);
    }
    ColumnBatch run = runs.removeFirst();
    runBytes = 0;
    return List.of(finals(context, run));
  }

  /**
   * The groups of several workers' runs that follow upon each other, keys and final results, which
   * the workers have no more then; null if they overlap, so that nothing changes.
   */
  static @Nullable List<ColumnBatch> finishInOrder(
      ExecContext context, List<SortAggregation> workers) {
    if (workers.stream().anyMatch(w -> !w.runsInOrder || w.torn || w.rows.rows() > 0)) {
      return null;
    }
    SortAggregation first = workers.getFirst();
    List<ColumnBatch> runs = workers.stream().flatMap(worker -> worker.runs.stream()).toList();
    List<ColumnBatch> groups = runs.isEmpty() ? null : first.chained(context, runs);
    if (groups != null) {
      workers.forEach(SortAggregation::forgetRuns);
    }
    return groups;
  }

  /**
   * A group is in two runs only where one ends and the next begins.
   *
   * @param all runs, which become the result or are freed unless that is null
   */
  private @Nullable List<ColumnBatch> chained(ExecContext context, List<ColumnBatch> all) {
    GroupRuns.GroupChain chain =
        GroupRuns.chain(context, keys, all.stream().map(sortedGroups::keysOf).toList());
    if (chain == null) {
      return null;
    }
    long mark = context.scratch().mark();
    BitSet shared = chain.shared();
    List<ColumnBatch> runs = chain.order().stream().map(all::get).toList();
    ColumnBatch merged = null;
    if (!shared.isEmpty()) {
      List<ColumnBatch> ends = GroupRuns.sharedGroups(context, runs, shared);
      try (ColumnStore store = new ColumnStore(GroupRuns.partialShapes(spec, keys, ends), memory)) {
        store.appendAll(context, ends);
        merged = sortedGroups.of(context, store.view(), GroupingStep.MERGE);
      }
      if (merged == null) {
        context.scratch().release(mark);
        return null;
      }
    }
    if (spec.slots.stream().noneMatch(SortAggregation::isConverted)
        && GroupRuns.canTakeEnds(runs, merged)) {
      List<ColumnBatch> groups = GroupRuns.withEnds(context, runs, shared, merged, width);
      if (merged != null) {
        Batches.free(memory, merged);
      }
      context.scratch().release(mark);
      return groups;
    }
    ColumnBatch groups = copied(context, runs, shared, merged);
    context.scratch().release(mark);
    return List.of(groups);
  }

  /** The final results of runs that follow upon each other, in one batch; frees the runs. */
  private ColumnBatch copied(
      ExecContext context, List<ColumnBatch> runs, BitSet shared, @Nullable ColumnBatch merged) {
    List<Column> made = new ArrayList<>();
    List<ColumnBatch> parts = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      int from = i > 0 && shared.get(i - 1) ? 1 : 0;
      int to = runs.get(i).rows() - (shared.get(i) ? 1 : 0);
      if (from < to) {
        parts.add(finals(context, runs.get(i), from, to, made));
      }
    }
    if (merged != null) {
      made.addAll(merged.columns());
      parts.add(merged);
    }
    ColumnStore store = new ColumnStore(GroupRuns.finalShapes(spec, keys, parts), memory);
    store.appendAll(context, parts);
    made.forEach(column -> Batches.free(memory, column));
    runs.forEach(run -> Batches.free(memory, run));
    return store.take();
  }

  private void forgetRuns() {
    runs.clear();
    runBytes = 0;
  }

  /** All runs in one. */
  private ColumnBatch together(ExecContext context) {
    ColumnStore store = new ColumnStore(GroupRuns.partialShapes(spec, keys, runs), memory);
    store.appendAll(context, runs);
    runs.forEach(run -> Batches.free(memory, run));
    runs.clear();
    runBytes = 0;
    return store.take();
  }

  /** Of partial results of which each is all of its group the final ones. */
  private ColumnBatch finals(ExecContext context, ColumnBatch run) {
    ColumnBatch groups = finals(context, run, 0, run.rows(), new ArrayList<>());
    for (int i = 0; i < spec.slots.size(); i++) {
      if (isConverted(spec.slots.get(i))) {
        Batches.free(memory, run.column(width + i));
      }
    }
    return groups;
  }

  /**
   * The same of some groups of a run. Partial results of others may fit no final one.
   *
   * @param made gets the columns that are new; the others are the run's
   */
  private ColumnBatch finals(
      ExecContext context, ColumnBatch run, int from, int to, List<Column> made) {
    int count = to - from;
    List<Column> result = new ArrayList<>(GroupRuns.part(context, run, from, count).columns());
    Buffer starts = Buffer.EMPTY;
    for (int i = 0; i < spec.slots.size(); i++) {
      AccumulatorSlot slot = spec.slots.get(i);
      if (isConverted(slot)) {
        if (starts.address() == 0) {
          starts = memory.allocate(4L * (count + 1));
          context.scan().iota(context, starts, from, count + 1);
        }
        Column column = run.column(width + i);
        column =
            sortedGroups.reduce(
                context, slot.function().merge(), column, starts, count, slot.type(), memory);
        result.set(width + i, column);
        made.add(column);
      }
    }
    memory.free(starts);
    return new ColumnBatch(result, count);
  }

  private static boolean isConverted(AccumulatorSlot slot) {
    return !slot.partial().equals(slot.type());
  }

  /** Groups and rows, a group of several runs more than once. */
  long groups() {
    return rows.rows() + runs.stream().mapToLong(ColumnBatch::rows).sum();
  }

  /** The part of {@link #bytes} that groups take. */
  long runBytes() {
    return runBytes;
  }

  /** An estimate of the memory held. */
  long bytes() {
    return rows.bytes() + runBytes;
  }

  @Override
  public void close() {
    rows.close();
    runs.forEach(run -> Batches.free(memory, run));
    runs.clear();
  }
}
