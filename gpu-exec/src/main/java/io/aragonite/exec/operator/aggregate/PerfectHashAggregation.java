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
import io.aragonite.exec.operator.aggregate.AggregateSpec.AccumulatorSlot;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Counts and sums of a few groups whose packed keys number them, so that no key is looked for: what
 * DuckDB calls a perfect hash aggregate. A device that has code for it computes a row's keys and
 * values, those of a filter and a projection below too, and adds them up in one go. Batches that it
 * does not take are grouped as others are.
 */
final class PerfectHashAggregation implements KernelAggregation {
  /** Bits of packed keys. */
  private static final int MOST_BITS = 6;

  private final AggregateSpec spec;
  private final @Nullable KeyLayout layout;
  private final CompiledAggregation compiled;
  private final KernelInput input;

  private final SlotSums slots;

  private PerfectHashAggregation(
      AggregateSpec spec,
      @Nullable KeyLayout layout,
      CompiledAggregation compiled,
      KernelInput input,
      SlotSums slots) {
    this.spec = spec;
    this.layout = layout;
    this.compiled = compiled;
    this.input = input;
    this.slots = slots;
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
    return KernelInput.tried(grouped, input -> of(spec, input, compiler));
  }

  private static @Nullable PerfectHashAggregation of(
      AggregateSpec spec, KernelInput input, ExpressionCompiler compiler) {
    SlotSums slots = SlotSums.of(spec, input);
    GroupKeys keys = spec.keys.getFirst();
    KeyLayout layout = keys == null ? null : keys.layout();
    Expr.KeyWord group = layout == null ? null : input.group(spec, 0, layout);
    if (layout != null && group == null) {
      return null;
    }
    CompiledAggregation compiled =
        compiler.aggregation(
            input.predicate(), group, groups(keys), slots.sums(), input.head().shapes());
    return compiled == null
        ? null
        : new PerfectHashAggregation(spec, layout, compiled, input, slots);
  }

  private static boolean isCandidate(AggregateSpec spec) {
    GroupKeys keys = spec.keys.getFirst();
    return (keys == null || keys.layout().exact() && keys.bits() <= MOST_BITS)
        && SlotSums.areSums(spec);
  }

  private static int groups(@Nullable GroupKeys keys) {
    return keys == null ? 1 : 1 << keys.bits();
  }

  @Override
  public PipelineHead head() {
    return input.head();
  }

  @Override
  public BatchConsumer newWorker(ExecContext context, WorkerGroups groups, BatchConsumer others) {
    GroupSums totals = new GroupSums(groups(spec.keys.getFirst()), slots.sums().size());
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
      columns.add(partial(host, spec.slots.get(i), slots.bySlot().get(i), totals, there));
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
