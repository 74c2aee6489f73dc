package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.cost.GroupModel;
import io.aragonite.exec.device.CompiledTableAggregation;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.SumTable;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
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
 * Counts and sums of many groups by a key whose values lie close together: they address a table in
 * the device's memory, so that no group is looked for, and rows get no group numbers. Each row is
 * added by atomic operations, which wait for each other where many rows have one key: a sample of
 * the keys says whether they do.
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

  private final AggregateSpec spec;
  private final GroupKeys keys;
  private final int groups;
  private final CompiledTableAggregation compiled;
  private final KernelInput input;
  private final SlotSums slots;

  /** The column of {@link #head} that is the key. */
  private final int keyColumn;

  private DirectAddressAggregation(
      AggregateSpec spec,
      GroupKeys keys,
      int groups,
      CompiledTableAggregation compiled,
      KernelInput input,
      SlotSums slots,
      int keyColumn) {
    this.spec = spec;
    this.keys = keys;
    this.groups = groups;
    this.compiled = compiled;
    this.input = input;
    this.slots = slots;
    this.keyColumn = keyColumn;
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
    KernelInput input = KernelInput.of(grouped, true);
    DirectAddressAggregation made = of(spec, keys, input, compiler);
    return made == null && input.filter() != null
        ? of(spec, keys, KernelInput.of(grouped, false), compiler)
        : made;
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
    int column = ((Expr.InputRef) group.keys().getFirst()).index();
    return new DirectAddressAggregation(spec, keys, groups(keys), compiled, input, slots, column);
  }

  /** Whether there is a single key, never null, that addresses a table. */
  private static boolean isAddress(GroupKeys keys) {
    return keys.shapes().size() == 1
        && keys.layout().exact()
        && keys.bits() <= MOST_BITS
        && !keys.layout().parts().getFirst().mayBeNull();
  }

  private static int groups(GroupKeys keys) {
    ValueRange range = keys.shapes().getFirst().range();
    long all = 1L << keys.bits();
    KeyLayout.KeyField field = keys.layout().parts().getFirst();
    return (int) (range == null ? all : Math.min(all, range.max() - field.min() + 1));
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
          if (suits(context, batch, groups.mostBytes())) {
            table = new SumTable(context, DirectAddressAggregation.this.groups, sums());
          }
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
    KeySample sample = KeySample.of(context, keys, List.of(batch.column(keyColumn)), SAMPLED_PAIRS);
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
      List<Column> columns = new ArrayList<>();
      columns.add(key(context, occupied, count));
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
  private Column key(ExecContext context, Buffer entries, int count) {
    ColumnShape shape = keys.shapes().getFirst();
    long min = keys.layout().parts().getFirst().min();
    int width = shape.storage().width();
    int wide = Math.max(width, Integer.BYTES);
    Buffer words = context.scratch().allocate((long) Long.BYTES * count);
    Buffer values = context.scratch().allocate((long) wide * count);
    context.scan().convert(context, entries, Integer.BYTES, count, Long.BYTES, words);
    context.scan().narrow(context, words, count, min, wide, values);
    if (wide > width) {
      Buffer narrow = context.scratch().allocate((long) width * count);
      context.scan().convert(context, values, wide, count, width, narrow);
      values = narrow;
    }
    return new Column(shape, count, values, Buffer.EMPTY, null, null);
  }

  /** The rows of each of some groups, 64-bit; tells how many they are in all. */
  private Buffer rows(ExecContext context, SumTable totals, Buffer entries, int count) {
    QueryMemory.Arena scratch = context.scratch();
    Buffer less = scratch.allocate((long) Integer.BYTES * count);
    Buffer words = scratch.allocate((long) Long.BYTES * count);
    Buffer rows = scratch.allocate((long) Long.BYTES * (count + 1));
    context.gather().gatherIds(context, totals.counts(), entries, count, less);
    long all = context.scan().exclusiveSum(context, less, count, rows) + count;
    input.passed().accept(all);
    context.addFigure("rows summed by a kernel of all expressions", all);
    context.scan().convert(context, less, Integer.BYTES, count, Long.BYTES, words);
    context.scan().narrow(context, words, count, 1, Long.BYTES, rows);
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
