package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.CompiledAggregation;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.GroupSums;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.FilterOperator;
import io.aragonite.exec.operator.ProjectOperator;
import io.aragonite.exec.operator.aggregate.AggregateSpec.AccumulatorSlot;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts and sums of a few groups whose packed keys number them, so that no key is looked for: what
 * DuckDB calls a perfect hash aggregate. A device that has code for it computes a row's keys and
 * values, those of a filter and a projection below too, and adds them up in one go. Batches that it
 * does not take are grouped as others are.
 */
final class PerfectHashAggregation {
  /** Bits of packed keys. */
  private static final int MOST_BITS = 6;

  /**
   * Rows that a filter must be expected to keep to be part of the code, which reads all columns of
   * all rows: at a quarter of the rows, nine tenths of the sectors of a column of four bytes have
   * one that is kept.
   */
  private static final double LEAST_SHARE = 0.25;

  private final AggregateSpec spec;
  private final @Nullable KeyLayout layout;
  private final CompiledAggregation compiled;
  private final Input input;

  /** By slot the number of its sum; -1: it counts rows. */
  private final List<Integer> sums;

  private PerfectHashAggregation(
      AggregateSpec spec,
      @Nullable KeyLayout layout,
      CompiledAggregation compiled,
      Input input,
      List<Integer> sums) {
    this.spec = spec;
    this.layout = layout;
    this.compiled = compiled;
    this.input = input;
    this.sums = sums;
  }

  /**
   * The rows that are added up.
   *
   * @param filter leaves some of them out; null: it is done already
   * @param project makes of them the rows that are to be grouped; null: they are these rows
   * @param passed is told how many rows would have come out of both
   */
  private record Input(
      PipelineHead head,
      @Nullable FilterOperator filter,
      @Nullable ProjectOperator project,
      LongConsumer passed) {
    /**
     * @param withFilter whether a filter is to be part of it
     */
    static Input of(PipelineHead grouped, boolean withFilter) {
      Input input = new Input(grouped, null, null, rows -> {});
      PipelineHead.LastOperator last = grouped.last();
      if (last != null && last.operator() instanceof ProjectOperator project) {
        PipelineHead head = grouped.before(last, project.inputs());
        input = new Input(head, null, project, last.passed());
      }
      last = input.head.last();
      return withFilter
              && last != null
              && last.operator() instanceof FilterOperator filter
              && filter.share() >= LEAST_SHARE
          ? new Input(
              input.head.before(last, filter.shapes()),
              filter,
              input.project,
              input.passed.andThen(last.passed()))
          : input;
    }

    @Nullable Expr predicate() {
      return filter == null ? null : filter.predicate();
    }

    /** Takes in rows of {@link #head} that are to be grouped by {@code grouping}. */
    BatchConsumer before(ExecContext context, BatchConsumer grouping) {
      BatchConsumer projecting = project == null ? grouping : project.newWorker(context, grouping);
      BatchConsumer counting =
          new BatchConsumer() {
            @Override
            public void accept(ColumnBatch batch) {
              passed.accept(batch.rows());
              projecting.accept(batch);
            }

            @Override
            public void finish() {
              projecting.finish();
            }
          };
      return filter == null ? counting : filter.newWorker(context, counting);
    }

    /** What a column of the rows that are to be grouped is made of. */
    Expr value(AggregateSpec spec, int column) {
      return project == null
          ? Expr.ref(column, spec.inputs.get(column).type())
          : project.expressions().get(column);
    }
  }

  /**
   * Such an aggregation if the device has code for it, else null.
   *
   * @param grouped the rows to be grouped
   */
  static @Nullable PerfectHashAggregation of(
      AggregateSpec spec, PipelineHead grouped, ExpressionCompiler compiler) {
    if (!isCandidate(spec)) {
      return null;
    }
    Input input = Input.of(grouped, true);
    PerfectHashAggregation made = of(spec, input, compiler);
    return made == null && input.filter() != null
        ? of(spec, Input.of(grouped, false), compiler)
        : made;
  }

  private static @Nullable PerfectHashAggregation of(
      AggregateSpec spec, Input input, ExpressionCompiler compiler) {
    List<Expr> sums = new ArrayList<>();
    List<Integer> bySlot = new ArrayList<>();
    for (AccumulatorSlot slot : spec.slots) {
      if (slot.arg() < 0) {
        bySlot.add(-1);
        continue;
      }
      Expr value = input.value(spec, slot.arg());
      if (!sums.contains(value)) {
        sums.add(value);
      }
      bySlot.add(sums.indexOf(value));
    }
    GroupKeys keys = spec.keys.getFirst();
    KeyLayout layout = keys == null ? null : keys.layout();
    Expr.KeyWord group = layout == null ? null : group(spec, input, layout);
    if (layout != null && group == null) {
      return null;
    }
    CompiledAggregation compiled =
        compiler.aggregation(input.predicate(), group, groups(keys), sums, input.head().shapes());
    return compiled == null
        ? null
        : new PerfectHashAggregation(spec, layout, compiled, input, bySlot);
  }

  /** The packed keys, of columns as they come; null if a key is computed. */
  private static Expr.@Nullable KeyWord group(AggregateSpec spec, Input input, KeyLayout layout) {
    List<Expr> columns = new ArrayList<>();
    for (int column : spec.keyColumns(0)) {
      Expr key = input.value(spec, column);
      if (!(key instanceof Expr.InputRef ref) || !sameColumn(spec, input.head(), column, ref)) {
        return null;
      }
      columns.add(key);
    }
    return new Expr.KeyWord(columns, layout);
  }

  private static boolean isCandidate(AggregateSpec spec) {
    GroupKeys keys = spec.keys.getFirst();
    return spec.keys.size() == 1
        && spec.onlySlots()
        && spec.maskPredicates.isEmpty()
        && (keys == null || keys.layout().exact() && keys.bits() <= MOST_BITS)
        && spec.slots.stream().allMatch(slot -> slot.arg() < 0 || isSum(spec, slot));
  }

  private static boolean isSum(AggregateSpec spec, AccumulatorSlot slot) {
    ColumnShape input = spec.inputs.get(slot.arg());
    boolean sum =
        slot.function() == AggregateFunction.SUM || slot.function() == AggregateFunction.SUM0;
    return sum
        && !slot.type().kind().isFloat()
        && input.storage().isInteger()
        && !input.mayBeNull();
  }

  /** Whether a key is a column as it comes. */
  private static boolean sameColumn(
      AggregateSpec spec, PipelineHead head, int column, Expr.InputRef ref) {
    ColumnShape key = spec.inputs.get(column);
    return head.shapes().get(ref.index()).withType(key.type()).equals(key)
        && (key.storage().isInteger() || key.storage().isCode());
  }

  private static int groups(@Nullable GroupKeys keys) {
    return keys == null ? 1 : 1 << keys.bits();
  }

  /** The rows that are to come to {@link #newWorker}. */
  PipelineHead head() {
    return input.head();
  }

  /**
   * Takes in a worker's rows.
   *
   * @param groups get what was added up when all rows have come
   * @param others takes in batches that are to be grouped another way
   */
  BatchConsumer newWorker(ExecContext context, WorkerGroups groups, BatchConsumer others) {
    int count = (int) sums.stream().filter(sum -> sum >= 0).distinct().count();
    GroupSums totals = new GroupSums(groups(spec.keys.getFirst()), count);
    BatchConsumer anotherWay = input.before(context, others);
    return new BatchConsumer() {
      @Override
      public void accept(ColumnBatch batch) {
        long before = totals.count();
        if (compiled.add(context, batch, totals)) {
          long added = totals.count() - before;
          input.passed().accept(added);
          context.addFigure("rows summed by a kernel of all expressions", added);
        } else {
          anotherWay.accept(batch);
        }
      }

      @Override
      public void finish() {
        give(context, totals, groups);
        anotherWay.finish();
      }
    };
  }

  /** Gives groups that have rows, keys and then partial results, to a worker's groups. */
  private void give(ExecContext context, GroupSums totals, WorkerGroups groups) {
    List<Integer> there = new ArrayList<>();
    for (int group = 0; group < totals.groups(); group++) {
      if (totals.count(group) > 0) {
        there.add(group);
      }
    }
    if (there.isEmpty()) {
      return;
    }
    QueryMemory.Arena scratch = context.scratch();
    QueryMemory.Arena host = context.hostScratch();
    long mark = scratch.mark();
    long hostMark = host.mark();
    List<Column> columns = new ArrayList<>();
    List<Integer> keyColumns = spec.keyColumns(0);
    for (int i = 0; i < keyColumns.size(); i++) {
      columns.add(key(host, spec.inputs.get(keyColumns.get(i)), i, there));
    }
    for (int i = 0; i < spec.slots.size(); i++) {
      columns.add(partial(host, spec.slots.get(i), sums.get(i), totals, there));
    }
    ColumnBatch onHost = new ColumnBatch(columns, there.size());
    groups.addGroups(context, HostColumns.toDevice(context, onHost, scratch));
    scratch.release(mark);
    host.release(hostMark);
  }

  /** The values of a key, out of packed words. */
  private Column key(QueryMemory.Arena host, ColumnShape shape, int number, List<Integer> words) {
    List<KeyLayout.KeyField> fields = Objects.requireNonNull(layout).parts();
    KeyLayout.KeyField field = fields.get(number);
    int shift = fields.subList(0, number).stream().mapToInt(KeyLayout.KeyField::bits).sum();
    int width = shape.storage().width();
    Buffer values = host.allocate((long) width * words.size());
    Buffer validity = shape.mayBeNull() ? host.allocate((words.size() + 63L) / 64 * 8) : null;
    if (validity != null) {
      Mem.fill(validity.address(), validity.size(), (byte) 0);
    }
    for (int i = 0; i < words.size(); i++) {
      long part = words.get(i) >> shift & (1L << field.bits()) - 1;
      boolean isNull = field.mayBeNull() && part == 0;
      long value = isNull ? 0 : field.min() + part - (field.mayBeNull() ? 1 : 0);
      put(values.address() + (long) i * width, width, value);
      if (validity != null && !isNull) {
        long bits = validity.address() + (i >> 3);
        Mem.putByte(bits, (byte) (Mem.getByte(bits) | 1 << (i & 7)));
      }
    }
    return new Column(shape, words.size(), values, Buffer.EMPTY, validity, null);
  }

  private static void put(long address, int width, long value) {
    switch (width) {
      case 1 -> Mem.putByte(address, (byte) value);
      case 2 -> Mem.putShort(address, (short) value);
      case 4 -> Mem.putInt(address, (int) value);
      default -> Mem.putLong(address, value);
    }
  }

  private static Column partial(
      QueryMemory.Arena host,
      AccumulatorSlot slot,
      int sum,
      GroupSums totals,
      List<Integer> groups) {
    boolean wide =
        sum >= 0
            && groups.stream()
                .anyMatch(group -> totals.low(group, sum) >> 63 != totals.high(group, sum));
    Storage storage = wide ? Storage.LONG128 : Storage.LONG;
    int width = storage.width();
    Buffer values = host.allocate((long) width * groups.size());
    for (int i = 0; i < groups.size(); i++) {
      int group = groups.get(i);
      long address = values.address() + (long) i * width;
      Mem.putLong(address, sum < 0 ? totals.count(group) : totals.low(group, sum));
      if (wide) {
        Mem.putLong(address + Long.BYTES, totals.high(group, sum));
      }
    }
    ColumnShape shape = new ColumnShape(slot.partial(), storage, false, null, null);
    return new Column(shape, groups.size(), values, Buffer.EMPTY, null, null);
  }
}
