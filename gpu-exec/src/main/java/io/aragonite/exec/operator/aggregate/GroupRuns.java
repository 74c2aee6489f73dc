package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.UnionAll;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs of groups, keys and then partial results, of which a group may be in several. Where rows
 * came in the order of their keys, each run is in order and follows upon the one before: then only
 * the last group of one and the first of the next can be the same.
 */
final class GroupRuns {
  private GroupRuns() {}

  /**
   * Runs that follow upon each other.
   *
   * @param order their numbers, in the order of their groups
   * @param shared for each place of the order whether its last group is the next one's first
   */
  record GroupChain(List<Integer> order, BitSet shared) {}

  /**
   * The order in which runs follow upon each other; null if they overlap by more than their ends.
   *
   * @param runs keys in the order of their words, which are exact; none is empty
   */
  static @Nullable GroupChain chain(ExecContext context, GroupKeys keys, List<ColumnBatch> runs) {
    long[] ends = ends(context, keys, runs);
    Comparator<Integer> byWords =
        (a, b) -> {
          int first = Long.compareUnsigned(ends[2 * a], ends[2 * b]);
          return first != 0 ? first : Long.compareUnsigned(ends[2 * a + 1], ends[2 * b + 1]);
        };
    List<Integer> order = IntStream.range(0, runs.size()).boxed().sorted(byWords).toList();
    BitSet shared = new BitSet();
    for (int i = 1; i < order.size(); i++) {
      int compared = Long.compareUnsigned(ends[2 * order.get(i - 1) + 1], ends[2 * order.get(i)]);
      if (compared > 0) {
        return null;
      }
      shared.set(i - 1, compared == 0);
    }
    return new GroupChain(order, shared);
  }

  /** The words of the first and the last group of each run. */
  private static long[] ends(ExecContext context, GroupKeys keys, List<ColumnBatch> runs) {
    long marked = context.scratch().mark();
    List<ColumnBatch> ends = new ArrayList<>();
    for (ColumnBatch run : runs) {
      ends.add(part(context, run, 0, 1));
      ends.add(part(context, run, run.rows() - 1, 1));
    }
    long[] words = new long[ends.size()];
    try (ColumnStore store = new ColumnStore(keys.shapes(), context.memory())) {
      store.appendAll(context, ends);
      int[] done = {0};
      GroupState.inBatches(
          context,
          store.view(),
          batch -> {
            Buffer some = keys.words().evaluate(context, batch).column(0).values();
            QueryMemory.Arena host = context.hostScratch();
            long mark = host.mark();
            long at = host.allocate(8L * batch.rows()).address();
            context.device().transfers().toHost(context, some, at, 8L * batch.rows());
            for (int i = 0; i < batch.rows(); i++) {
              words[done[0]++] = Mem.getLong(at + 8L * i);
            }
            host.release(mark);
          });
    }
    context.scratch().release(marked);
    return words;
  }

  /**
   * The groups that are in two runs or more, as often as they are there.
   *
   * @param runs in the order of a chain
   */
  static List<ColumnBatch> sharedGroups(
      ExecContext context, List<ColumnBatch> runs, BitSet shared) {
    List<ColumnBatch> ends = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      ColumnBatch run = runs.get(i);
      boolean first = i > 0 && shared.get(i - 1);
      if (first) {
        ends.add(part(context, run, 0, 1));
      }
      if (shared.get(i) && !(first && run.rows() == 1)) {
        ends.add(part(context, run, run.rows() - 1, 1));
      }
    }
    return ends;
  }

  /**
   * Whether {@link #withEnds} can serve: columns have all values at fixed places, and in the same
   * form in all runs.
   *
   * @param merged the groups that several runs have; null: there are none
   */
  static boolean canTakeEnds(List<ColumnBatch> runs, @Nullable ColumnBatch merged) {
    ColumnBatch first = runs.getFirst();
    return runs.stream().allMatch(run -> hasFormOf(run, first))
        && (merged == null || hasFormOf(merged, first));
  }

  @SuppressWarnings("ReferenceEquality") // codes are those of one dictionary
  private static boolean hasFormOf(ColumnBatch run, ColumnBatch other) {
    for (int i = 0; i < run.columns().size(); i++) {
      ColumnShape shape = run.column(i).shape();
      ColumnShape wanted = other.column(i).shape();
      if (shape.storage() == Storage.BYTES
          || shape.storage() != wanted.storage()
          || shape.dictionary() != wanted.dictionary()
          || run.column(i).validity() != null) {
        return false;
      }
    }
    return true;
  }

  /**
   * Runs of which none has a group of another one, where they lie: a group that several have is in
   * the last of these alone, with its whole result. A run of which nothing is left is freed.
   *
   * @param runs in the order of a chain, whose results are final ones
   * @param merged the whole results of shared groups, in their order; null: there are none
   * @param width columns of keys
   */
  static List<ColumnBatch> withEnds(
      ExecContext context,
      List<ColumnBatch> runs,
      BitSet shared,
      @Nullable ColumnBatch merged,
      int width) {
    List<ColumnBatch> result = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < runs.size(); i++) {
      ColumnBatch run = runs.get(i);
      int rows = run.rows() - (shared.get(i) ? 1 : 0);
      if (rows == 0) {
        Batches.free(context.memory(), run);
        continue;
      }
      if (merged != null && i > 0 && shared.get(i - 1)) {
        replaceFirst(context, run, merged, next++, width);
      }
      List<Column> columns = new ArrayList<>();
      for (int c = 0; c < run.columns().size(); c++) {
        Column column = run.column(c);
        ColumnShape shape = column.shape();
        if (merged != null && c >= width) {
          shape = UnionAll.unify(List.of(shape, merged.column(c).shape()), shape.type());
        }
        // The same buffers, whatever their rows: somebody frees them.
        columns.add(new Column(shape, rows, column.values(), column.offsets(), null, null));
      }
      result.add(new ColumnBatch(columns, rows));
    }
    return result;
  }

  private static void replaceFirst(
      ExecContext context, ColumnBatch run, ColumnBatch merged, int row, int width) {
    for (int i = width; i < run.columns().size(); i++) {
      int bytes = run.column(i).shape().storage().width();
      Buffer from = merged.column(i).values().slice((long) bytes * row, bytes);
      context.device().transfers().copy(context, from, run.column(i).values(), bytes);
    }
  }

  /**
   * Some rows of a batch without indirections; without a copy if they have no nulls, else by an
   * indirection in scratch memory.
   */
  static ColumnBatch part(ExecContext context, ColumnBatch batch, int from, int count) {
    if (from == 0 && count == batch.rows()) {
      return batch;
    }
    if (batch.columns().stream().allMatch(column -> column.validity() == null)) {
      return new ColumnBatch(
          batch.columns().stream().map(column -> column.sliceAnywhere(from, count)).toList(),
          count);
    }
    Buffer ids = context.scratch().allocate(4L * count);
    context.scan().iota(context, ids, from, count);
    return Batches.select(context, batch, ids, count);
  }

  /**
   * Whether groups of some shapes can be kept in columns of others: whoever adds partial results up
   * trusts the bounds that their columns have.
   *
   * @param width columns of keys before them, whose bounds are always the same
   */
  static boolean fits(List<ColumnShape> shapes, List<ColumnShape> into, int width) {
    for (int i = 0; i < shapes.size(); i++) {
      ColumnShape shape = shapes.get(i);
      ColumnShape kept = into.get(i);
      ValueRange bounds = i < width ? null : kept.range();
      ValueRange range = shape.range();
      boolean within =
          bounds == null
              || range != null && range.min() >= bounds.min() && range.max() <= bounds.max();
      if (!within || shape.storage() != kept.storage() || shape.dictionary() != kept.dictionary()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Shapes with bounds of powers of two, so that what comes later fits them more often than not.
   */
  static List<ColumnShape> roomy(List<ColumnShape> shapes, int width) {
    List<ColumnShape> result = new ArrayList<>(shapes.subList(0, width));
    for (ColumnShape shape : shapes.subList(width, shapes.size())) {
      result.add(
          new ColumnShape(
              shape.type(),
              shape.storage(),
              shape.mayBeNull(),
              shape.dictionary(),
              roomy(shape.range())));
    }
    return result;
  }

  private static @Nullable ValueRange roomy(@Nullable ValueRange range) {
    if (range == null) {
      return null;
    }
    long most = Long.highestOneBit(Math.max(range.max(), ~range.min()) | 1) * 2 - 1;
    return new ValueRange(range.min() < 0 ? ~most : 0, range.max() < 0 ? 0 : most);
  }

  /** Shapes that keys and partial results of all runs fit. */
  static List<ColumnShape> partialShapes(
      AggregateSpec spec, GroupKeys keys, List<ColumnBatch> runs) {
    int width = keys.shapes().size();
    List<ColumnShape> shapes = new ArrayList<>(keys.shapes());
    shapes.addAll(
        AggregateMerge.unify(
            spec, runs.stream().map(run -> AggregateMerge.rest(run, width)).toList()));
    return shapes;
  }

  /** Shapes that keys and final results of all runs fit. */
  static List<ColumnShape> finalShapes(AggregateSpec spec, GroupKeys keys, List<ColumnBatch> runs) {
    List<ColumnShape> shapes = new ArrayList<>(keys.shapes());
    for (int i = 0; i < spec.slots.size(); i++) {
      int at = keys.shapes().size() + i;
      shapes.add(
          UnionAll.unify(
              runs.stream().map(run -> run.column(at).shape()).toList(), spec.slots.get(i).type()));
    }
    return shapes;
  }
}
