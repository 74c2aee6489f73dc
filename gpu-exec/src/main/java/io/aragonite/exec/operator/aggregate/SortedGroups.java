package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.memory.Allocator;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes groups of rows, or of partial results, whose words are sorted, or are in order already: a
 * run of equal words is a group, whose slots are segmented reductions. Not safe for several
 * threads.
 */
final class SortedGroups {
  private static final ColumnShape WORD = ColumnShape.of(DataType.INT64);

  private final AggregateSpec spec;
  private final GroupKeys keys;

  /** Input columns of the keys, then the others that slots take in. */
  private final List<Integer> columns;

  /** How many of them are keys. */
  private final int width;

  private final boolean inOrder;
  private final QueryMemory memory;

  /** What is taken while rows are sorted, by address. */
  private final Map<Long, Buffer> held = new HashMap<>();

  /**
   * @param columns input columns of the keys, then the others that slots take in
   * @param width how many of them are keys
   * @param inOrder whether rows are expected in the order of their words
   */
  SortedGroups(
      AggregateSpec spec,
      GroupKeys keys,
      List<Integer> columns,
      int width,
      boolean inOrder,
      QueryMemory memory) {
    this.spec = spec;
    this.keys = keys;
    this.columns = columns;
    this.width = width;
    this.inOrder = inOrder;
    this.memory = memory;
  }

  /** What rows are, and what comes of them. */
  enum GroupingStep {
    /** Of input rows partial results. */
    ROWS,
    /** Of all input rows final results. */
    ALL,
    /** Of partial results final ones. */
    MERGE
  }

  /** The keys of rows, or of groups. */
  ColumnBatch keysOf(ColumnBatch batch) {
    return new ColumnBatch(batch.columns().subList(0, width), batch.rows());
  }

  /**
   * The groups of a batch as it comes; null if its rows are not in order, or for want of memory.
   */
  @Nullable ColumnBatch inOrder(ExecContext context, ColumnBatch input) {
    return holding(context, () -> tryInOrder(context, input));
  }

  private @Nullable ColumnBatch tryInOrder(ExecContext context, ColumnBatch input) {
    long mark = context.scratch().mark();
    boolean plain = width == 1 && GroupKeys.ordersAsWords(input.column(0));
    Buffer words = plain ? Buffer.EMPTY : wordsOf(context, input);
    Buffer starts = hold(4L * (input.rows() + 1L));
    Buffer ordered = plain ? input.column(0).values() : words;
    int bytes = plain ? Integer.BYTES : Long.BYTES;
    int groups = context.sort().ascendingRuns(context, ordered, bytes, input.rows(), starts);
    ColumnBatch result =
        groups < 0
            ? null
            : groups(context, input, words, Buffer.EMPTY, starts, groups, GroupingStep.ROWS);
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

  /**
   * Groups of rows without indirections; null if words do not tell keys apart, or for want of
   * memory.
   */
  @Nullable ColumnBatch of(ExecContext context, ColumnBatch input, GroupingStep step) {
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

  private @Nullable ColumnBatch trySorting(
      ExecContext context, ColumnBatch input, GroupingStep step) {
    Buffer words = words(context, keysOf(input));
    boolean ordered =
        keys.layout().exact()
            && (step == GroupingStep.MERGE || inOrder)
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
      ExecContext context, ColumnBatch input, Buffer words, GroupingStep step, boolean ordered) {
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
      GroupingStep step) {
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
      boolean merge = step == GroupingStep.MERGE;
      Column column =
          merge
              ? values.get(i)
              : slot.arg() < 0 ? wordColumn : all.get(columns.indexOf(slot.arg()));
      AggregateFunction function = merge ? slot.function().merge() : slot.function();
      DataType type = step == GroupingStep.ROWS ? slot.partial() : slot.type();
      result.add(reduce(context, function, column, starts, groups, type, this::hold));
    }
    return new ColumnBatch(result, groups);
  }

  /**
   * A slot's result for each group.
   *
   * @param starts where each group's rows begin, and their number at the end
   */
  Column reduce(
      ExecContext context,
      AggregateFunction function,
      Column column,
      Buffer starts,
      int groups,
      DataType type,
      Allocator allocator) {
    RowIds rowIds = column.rowIds();
    // A group has rows, so that a result is null only where values are: nobody has to look then.
    boolean mayBeNull =
        column.shape().storage() == Storage.NONE
            || column.validity() != null
            || rowIds != null && rowIds.mayBeNull();
    DataType known = mayBeNull ? type : type.withNullable(false);
    return context
        .aggregate()
        .segmentedReduce(context, function, column, starts, groups, known, allocator)
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
}
