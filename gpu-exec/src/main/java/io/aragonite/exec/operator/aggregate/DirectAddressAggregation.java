package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.cost.GroupModel;
import io.aragonite.exec.device.CompiledTableAggregation;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.SumTable;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout.KeyField;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.EngineSettings.GroupingMethod;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts and sums of many groups by keys whose values lie close together: packed, they address a
 * table in the device's memory, so that no group is looked for, and rows get no group numbers. Each
 * row is added by atomic operations, which wait for each other where many rows have one key: a
 * sample of the keys says whether they do.
 */
final class DirectAddressAggregation implements KernelAggregation {
  /** Entries of a table for each row of a batch. */
  private static final long ENTRIES_A_ROW = 2;

  private static final int MOST_BITS = 28;

  /** Groups that keep all of a GPU's units for atomic operations busy. */
  private static final int LEAST_GROUPS = 1 << 13;

  /** A key may have one in so many rows. */
  private static final int MOST_FREQUENT_SHARE = 16;

  private static final int SAMPLED_PAIRS = 1 << 12;

  /** What the table must promise. */
  private static final double DOUBT = 1.3;

  /** Of what a table has in place of counts the counts. */
  private static final KeyField ONE_MORE = new KeyField(1, Integer.SIZE - 1, false);

  private final AggregateSpec spec;
  private final GroupKeys keys;
  private final int groups;
  private final CompiledTableAggregation compiled;
  private final KernelInput input;
  private final SlotSums slots;

  /** The columns of {@link #head} that are the keys. */
  private final List<Integer> keyColumns;

  private DirectAddressAggregation(
      AggregateSpec spec,
      GroupKeys keys,
      int groups,
      CompiledTableAggregation compiled,
      KernelInput input,
      SlotSums slots,
      List<Integer> keyColumns) {
    this.spec = spec;
    this.keys = keys;
    this.groups = groups;
    this.compiled = compiled;
    this.input = input;
    this.slots = slots;
    this.keyColumns = List.copyOf(keyColumns);
  }

  /**
   * Such an aggregation if the device has code for it, else null.
   *
   * @param grouped the rows to be grouped
   */
  static @Nullable DirectAddressAggregation of(
      AggregateSpec spec, PipelineHead grouped, ExpressionCompiler compiler) {
    GroupingMethod method = EngineSettings.current().grouping();
    boolean wanted = method == GroupingMethod.AUTO || method == GroupingMethod.DIRECT;
    GroupKeys keys = spec.keys.getFirst();
    if (!wanted || keys == null || !SlotSums.areSums(spec) || !isAddress(keys)) {
      return null;
    }
    return KernelInput.tried(grouped, input -> of(spec, keys, input, compiler));
  }

  private static @Nullable DirectAddressAggregation of(
      AggregateSpec spec, GroupKeys keys, KernelInput input, ExpressionCompiler compiler) {
    SlotSums slots = SlotSums.of(spec, input);
    Expr.KeyWord group = input.group(spec, 0, keys.layout());
    CompiledTableAggregation compiled =
        group == null
            ? null
            : compiler.tableAggregation(
                input.predicate(), group, slots.sums(), input.head().shapes());
    if (group == null || compiled == null) {
      return null;
    }
    List<Integer> columns =
        group.keys().stream().map(key -> ((Expr.InputRef) key).index()).toList();
    return new DirectAddressAggregation(spec, keys, groups(keys), compiled, input, slots, columns);
  }

  /** Whether packed keys address a table. */
  private static boolean isAddress(GroupKeys keys) {
    return keys.layout().exact() && keys.bits() <= MOST_BITS;
  }

  /** Packed keys are smaller than this. */
  private static int groups(GroupKeys keys) {
    KeyField last = keys.layout().parts().getLast();
    ValueRange range = keys.shapes().getLast().range();
    long parts = 1L << last.bits();
    if (range != null) {
      parts = Math.min(parts, range.max() - last.zero() + 1);
    }
    return (int) (parts << keys.bits() - last.bits());
  }

  @Override
  public PipelineHead head() {
    return input.head();
  }

  @Override
  public BatchConsumer newWorker(ExecContext context, WorkerGroups groups, BatchConsumer others) {
    BatchConsumer anotherWay = input.before(context, others);
    return new BatchConsumer() {
      private boolean decided;
      private @Nullable SumTable table;

      @Override
      public void accept(ColumnBatch batch) {
        if (!decided && batch.rows() > 1) {
          decided = true;
          table = suits(context, batch, groups.mostBytes()) ? tryTable(context) : null;
        }
        SumTable totals = table;
        if (totals == null || !compiled.add(context, batch, totals)) {
          anotherWay.accept(batch);
        }
      }

      @Override
      public void finish() {
        try (SumTable totals = table) {
          if (totals != null) {
            give(context, totals, groups);
          }
        }
        anotherWay.finish();
      }
    };
  }

  /** Null for want of memory: others can do with less. */
  private @Nullable SumTable tryTable(ExecContext context) {
    try {
      return new SumTable(context, groups, sums());
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return null;
    }
  }

  private int sums() {
    return slots.sums().size();
  }

  /** Whether a table is the best way for rows like these. */
  private boolean suits(ExecContext context, ColumnBatch batch, long mostBytes) {
    EngineSettings settings = EngineSettings.current();
    if (SumTable.bytes(groups, sums()) > mostBytes) {
      return false;
    }
    if (settings.grouping() == GroupingMethod.DIRECT) {
      return true;
    }
    if (batch.rows() < settings.sizes().sampledRows()
        || groups < LEAST_GROUPS
        || groups > ENTRIES_A_ROW * batch.rows()) {
      return false;
    }
    KeySample sample =
        KeySample.of(context, keys, keyColumns.stream().map(batch::column).toList(), SAMPLED_PAIRS);
    if (sample.ascending()
        || sample.mostFrequent() > Math.max(1, sample.places() / MOST_FREQUENT_SHARE)) {
      return false;
    }
    double rows = batch.rows();
    double found = Math.min(groups, sample.groups(rows));
    GroupModel model = new GroupModel(context.device().profile());
    GroupModel.Shape shape = GroupingStrategy.shape(spec, keys, rows, found);
    double others = Math.min(model.table(shape), model.sort(shape));
    return found >= LEAST_GROUPS && DOUBT * model.directAddress(rows, groups, sums()) < others;
  }

  /** Gives groups that have rows, keys and then partial results, to a worker's groups. */
  private void give(ExecContext context, SumTable totals, WorkerGroups to) {
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    Buffer occupied = scratch.allocate((long) Integer.BYTES * totals.groups());
    int count = context.scan().selectIds(context, totals.counts(), totals.groups(), true, occupied);
    if (count > 0) {
      List<Column> columns = new ArrayList<>(keys(context, occupied, count));
      Buffer rows = rows(context, totals, occupied, count);
      for (int i = 0; i < spec.slots.size(); i++) {
        int sum = slots.bySlot().get(i);
        DataType type = spec.slots.get(i).partial();
        ColumnShape shape = new ColumnShape(type, Storage.LONG, false, null, null);
        columns.add(
            sum < 0
                ? new Column(shape, count, rows, Buffer.EMPTY, null, null)
                : sum(context, shape, totals.sums(sum), totals.groups(), occupied, count));
      }
      to.addDistinctGroups(context, new ColumnBatch(columns, count));
    }
    scratch.release(mark);
  }

  /** The keys that entries stand for. */
  private List<Column> keys(ExecContext context, Buffer entries, int count) {
    QueryMemory.Arena scratch = context.scratch();
    List<Column> columns = new ArrayList<>();
    int shift = 0;
    for (int i = 0; i < keys.shapes().size(); i++) {
      ColumnShape shape = keys.shapes().get(i);
      KeyField field = keys.layout().parts().get(i);
      int width = shape.storage().width();
      Buffer values = scratch.allocate((long) width * count);
      Buffer validity = field.mayBeNull() ? scratch.allocate((count + 63L) / 64 * 8) : null;
      context.scan().unpack(context, entries, count, field, shift, width, values, validity);
      columns.add(new Column(shape, count, values, Buffer.EMPTY, validity, null));
      shift += field.bits();
    }
    return columns;
  }

  /** The rows of each of some groups, 64-bit; tells how many they are in all. */
  private Buffer rows(ExecContext context, SumTable totals, Buffer entries, int count) {
    QueryMemory.Arena scratch = context.scratch();
    Buffer less = scratch.allocate((long) Integer.BYTES * count);
    Buffer rows = scratch.allocate((long) Long.BYTES * (count + 1));
    context.gather().gatherIds(context, totals.counts(), entries, count, less);
    long all = context.scan().exclusiveSum(context, less, count, rows) + count;
    input.passed().accept(all);
    context.addFigure("rows summed by a kernel of all expressions", all);
    context.scan().unpack(context, less, count, ONE_MORE, 0, Long.BYTES, rows, null);
    return rows;
  }

  private static Column sum(
      ExecContext context, ColumnShape shape, Buffer sums, int groups, Buffer entries, int count) {
    Column all = new Column(shape, groups, sums, Buffer.EMPTY, null, null);
    return context
        .gather()
        .materialize(context, all.withRowIds(new RowIds(entries, count, false)), context.scratch());
  }
}
