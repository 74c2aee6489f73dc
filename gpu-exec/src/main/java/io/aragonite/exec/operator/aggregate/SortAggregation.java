package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.aggregate.AggregateSpec.AccumulatorSlot;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Groups rows of one grouping set without a table: rows are collected and their words sorted with
 * the rows' numbers; runs of equal words are groups, whose values are fetched by the numbers and
 * reduced. Rows that come in the order of their words are grouped as they come. Not safe for
 * several threads.
 *
 * <p>Words that do not tell keys apart for sure are compared by their keys, neighbour by neighbour;
 * should two differ within a run, which hardly ever happens, a table must do it.
 */
final class SortAggregation implements AutoCloseable {
  private static final ColumnShape WORD = ColumnShape.of(DataType.INT64);

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

  /** What is taken while rows are sorted, by address. */
  private final Map<Long, Buffer> held = new HashMap<>();

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
      ColumnBatch run = holding(context, () -> groupedInOrder(context, input));
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

  /** The groups of a batch; null if its rows are not in order. */
  private @Nullable ColumnBatch groupedInOrder(ExecContext context, ColumnBatch input) {
    long mark = context.scratch().mark();
    boolean plain = width == 1 && GroupKeys.ordersAsWords(input.column(0));
    Buffer words = plain ? Buffer.EMPTY : wordsOf(context, input);
    Buffer starts = hold(4L * (input.rows() + 1L));
    Buffer ordered = plain ? input.column(0).values() : words;
    int bytes = plain ? Integer.BYTES : Long.BYTES;
    int groups = context.sort().ascendingRuns(context, ordered, bytes, input.rows(), starts);
    ColumnBatch result =
        groups < 0 ? null : groups(context, input, words, Buffer.EMPTY, starts, groups, Step.ROWS);
    free(starts);
    context.scratch().release(mark);
    return result;
  }

  private Buffer wordsOf(ExecContext context, ColumnBatch input) {
    Column words = keys.words().evaluate(context, keysOf(input)).column(0);
    return words.rowIds() == null
        ? words.values()
        : context.gather().materialize(context, words, context.scratch()).values();
  }

  private ColumnBatch keysOf(ColumnBatch batch) {
    return new ColumnBatch(batch.columns().subList(0, width), batch.rows());
  }

  /** Makes groups of the rows that wait; false if that cannot be done. */
  private boolean flush(ExecContext context) {
    if (torn) {
      return false;
    }
    if (rows.rows() > 0) {
      ColumnBatch run = sorted(context, rows.view(), Step.ROWS);
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
      ColumnBatch groups = sorted(context, rows.view(), Step.ALL);
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
      ColumnBatch groups = sorted(context, all, Step.MERGE);
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
        GroupRuns.chain(context, keys, all.stream().map(this::keysOf).toList());
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
        merged = sorted(context, store.view(), Step.MERGE);
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
        column = reduce(context, slot.function().merge(), column, starts, count, slot.type());
        result.set(width + i, column);
        made.add(column);
      }
    }
    memory.free(starts);
    held.clear();
    return new ColumnBatch(result, count);
  }

  private static boolean isConverted(AccumulatorSlot slot) {
    return !slot.partial().equals(slot.type());
  }

  /** What rows are, and what comes of them. */
  private enum Step {
    /** Of input rows partial results. */
    ROWS,
    /** Of all input rows final results. */
    ALL,
    /** Of partial results final ones. */
    MERGE
  }

  /**
   * Groups of rows without indirections; null if words do not tell keys apart, or for want of
   * memory.
   */
  private @Nullable ColumnBatch sorted(ExecContext context, ColumnBatch input, Step step) {
    context.checkCancelled();
    return holding(context, () -> trySorting(context, input, step));
  }

  /** Groups, or null where there is too little memory to make them; what was taken goes back. */
  private @Nullable ColumnBatch holding(ExecContext context, Supplier<@Nullable ColumnBatch> task) {
    long mark = context.scratch().mark();
    try {
      return task.get();
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      // A table takes less where groups are few, and parts of it can be put aside.
      held.values().forEach(memory::free);
      context.scratch().release(mark);
      return null;
    } finally {
      held.clear();
    }
  }

  /** Memory that goes back if there turns out to be too little of it. */
  private Buffer hold(long bytes) {
    Buffer buffer = memory.allocate(bytes);
    held.put(buffer.address(), buffer);
    return buffer;
  }

  private void free(Buffer buffer) {
    held.remove(buffer.address());
    memory.free(buffer);
  }

  /** The words of rows without indirections. */
  private Buffer words(ExecContext context, ColumnBatch rows) {
    Buffer words = hold(8L * rows.rows());
    int[] done = {0};
    GroupState.inBatches(
        context,
        rows,
        batch -> {
          Column some = keys.words().evaluate(context, batch).column(0);
          Buffer place = words.slice(8L * done[0], 8L * batch.rows());
          context.device().transfers().copy(context, some.values(), place, 8L * batch.rows());
          done[0] += batch.rows();
        });
    return words;
  }

  private @Nullable ColumnBatch trySorting(ExecContext context, ColumnBatch input, Step step) {
    Buffer words = words(context, keysOf(input));
    boolean ordered =
        keys.layout().exact()
            && (step == Step.MERGE || inOrder)
            && context.sort().sorted(context, words, input.rows());
    context.addFigure(ordered ? "rows grouped in order" : "rows grouped by sorting", input.rows());
    ColumnBatch groups = group(context, input, words, step, ordered);
    free(words);
    return groups;
  }

  /**
   * @param input columns as they are kept, or keys and then partial results
   * @param words of all rows, which are sorted in place
   * @param ordered whether they are sorted already
   */
  private @Nullable ColumnBatch group(
      ExecContext context, ColumnBatch input, Buffer words, Step step, boolean ordered) {
    int count = input.rows();
    long mark = context.scratch().mark();
    Buffer ids = ordered ? Buffer.EMPTY : hold(4L * count);
    if (!ordered) {
      context.scan().iota(context, ids, 0, count);
      context.sort().sortPairs(context, words, ids, count, 0, keys.bits());
    }
    Buffer starts = hold(4L * (count + 1L));
    int groups = context.sort().runLengthEncode(context, words, count, starts);
    ColumnBatch result =
        differs(context, input, ids, groups)
            ? null
            : groups(context, input, words, ids, starts, groups, step);
    free(starts);
    free(ids);
    context.scratch().release(mark);
    return result;
  }

  /** Whether rows with equal words have different keys. Neighbours are compared. */
  private boolean differs(ExecContext context, ColumnBatch input, Buffer ids, int groups) {
    if (keys.differ() == null || input.rows() < 2) {
      return false;
    }
    int pairs = input.rows() - 1;
    Buffer next = hold(4L * pairs);
    context.device().transfers().copy(context, ids.slice(4, 4L * pairs), next, 4L * pairs);
    List<Column> both = new ArrayList<>();
    for (Buffer side : List.of(ids, next)) {
      RowIds seen = new RowIds(side, pairs, false);
      both.addAll(Batches.select(context, keysOf(input).columns(), seen));
    }
    Buffer positions = hold(4L * pairs);
    int differing = keys.differ().select(context, new ColumnBatch(both, pairs), positions);
    free(positions);
    free(next);
    // Where one run ends and the next begins keys differ; equal keys have equal words.
    return differing != groups - 1;
  }

  private ColumnBatch groups(
      ExecContext context,
      ColumnBatch input,
      Buffer words,
      Buffer ids,
      Buffer starts,
      int groups,
      Step step) {
    boolean ordered = ids.address() == 0;
    List<Column> result = new ArrayList<>();
    // Something without nulls, of which rows are counted.
    Column wordColumn =
        words.address() == 0
            ? input.column(0)
            : new Column(WORD, input.rows(), words, Buffer.EMPTY, null, null);
    Column integers = words.address() == 0 ? null : integers(context, wordColumn, starts, groups);
    if (integers != null) {
      result.add(integers);
    } else {
      Buffer firsts = starts;
      if (!ordered) {
        firsts = context.scratch().allocate(4L * groups);
        context.gather().gatherIds(context, ids, starts, groups, firsts);
      }
      for (Column key : Batches.select(context, keysOf(input), firsts, groups).columns()) {
        result.add(context.gather().materialize(context, key, this::hold));
      }
    }
    List<Column> values = input.columns().subList(width, input.columns().size());
    List<Column> all = input.columns();
    if (!ordered) {
      RowIds order = new RowIds(ids, input.rows(), false);
      all = Batches.select(context, all, order);
      values = all.subList(width, all.size());
    }
    for (int i = 0; i < spec.slots.size(); i++) {
      AccumulatorSlot slot = spec.slots.get(i);
      boolean merge = step == Step.MERGE;
      Column column =
          merge
              ? values.get(i)
              : slot.arg() < 0 ? wordColumn : all.get(columns.indexOf(slot.arg()));
      AggregateFunction function = merge ? slot.function().merge() : slot.function();
      DataType type = step == Step.ROWS ? slot.partial() : slot.type();
      result.add(reduce(context, function, column, starts, groups, type));
    }
    return new ColumnBatch(result, groups);
  }

  private Column reduce(
      ExecContext context,
      AggregateFunction function,
      Column column,
      Buffer starts,
      int groups,
      DataType type) {
    RowIds rowIds = column.rowIds();
    // A group has rows, so that a result is null only where values are: nobody has to look then.
    boolean mayBeNull =
        column.shape().storage() == Storage.NONE
            || column.validity() != null
            || rowIds != null && rowIds.mayBeNull();
    DataType known = mayBeNull ? type : type.withNullable(false);
    return context
        .aggregate()
        .segmentedReduce(context, function, column, starts, groups, known, this::hold)
        .withType(type);
  }

  /** The keys out of the words, if that is what words are made of; else null. */
  private @Nullable Column integers(ExecContext context, Column words, Buffer starts, int groups) {
    ColumnShape shape = keys.shapes().getFirst();
    Storage storage = shape.storage();
    boolean integer = storage == Storage.INT || storage == Storage.LONG || storage == Storage.CODE;
    if (width > 1 || !keys.layout().exact() || shape.mayBeNull() || !integer) {
      return null;
    }
    KeyLayout.KeyField part = keys.layout().parts().getFirst();
    RowIds firsts = new RowIds(starts, groups, false);
    Column seen =
        context.gather().materialize(context, words.withRowIds(firsts), context.scratch());
    Buffer out = hold((long) storage.width() * groups);
    context.scan().narrow(context, seen.values(), groups, part.min(), storage.width(), out);
    return new Column(shape, groups, out, Buffer.EMPTY, null, null);
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
