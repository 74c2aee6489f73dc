package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * SUM, MIN, MAX, ANY_VALUE and the bit functions of integers, decimals, dates, codes, handles; and
 * MIN, MAX, ANY_VALUE of floats, which are longs of the same order here.
 *
 * <p>States have 64 bits for as long as that is known to be enough. For sums a bound of every
 * group's magnitude grows with each batch, by the column's bounds or by what a look at its values
 * tells; when it leaves 64 bits, states become 128 bits wide.
 */
final class ExactAccumulator extends CpuAccumulator {
  private final AggregateFunction function;
  private final boolean sums;
  private final ColumnShape declared;
  private final long start;
  private final @Nullable Dictionary dictionary;
  private boolean wide;
  private long bound;
  private Buffer states = Buffer.EMPTY;

  /**
   * @param input what is known of the values; the storage of a decimal may differ from batch to
   *     batch
   */
  ExactAccumulator(
      AggregateFunction function, ColumnShape input, DataType type, QueryMemory memory) {
    super(memory, type, tracksSeen(function, type));
    this.function = function;
    this.sums = function == AggregateFunction.SUM || function == AggregateFunction.SUM0;
    this.declared = sums ? ColumnShape.of(type) : input.withType(type);
    this.dictionary = declared.dictionary();
    this.start =
        switch (function) {
          case MIN -> Long.MAX_VALUE;
          case MAX -> Long.MIN_VALUE;
          case BIT_AND -> -1;
          default -> 0;
        };
  }

  private static boolean tracksSeen(AggregateFunction function, DataType type) {
    if (function == AggregateFunction.SUM0) {
      return false;
    }
    // MIN and MAX whose states may become wide must tell a start value from a value.
    boolean mayWiden = Storage.of(type) == Storage.LONG128 && function != AggregateFunction.SUM;
    return type.nullable() || mayWiden;
  }

  @Override
  void grow(int newCapacity) {
    states = memory.grow(states, (wide ? 16L : 8L) * newCapacity);
    clear(capacity, newCapacity);
  }

  /** Starts groups from {@code from} to {@code to}. */
  private void clear(int from, int to) {
    // The least and the greatest 128-bit number have a low word of their own.
    long low =
        switch (function) {
          case MIN -> -1;
          case MAX -> 0;
          default -> start;
        };
    for (int group = from; group < to; group++) {
      if (wide) {
        Mem.putLong(states.address() + 16L * group, low);
        Mem.putLong(states.address() + 16L * group + 8, start);
      } else {
        Mem.putLong(states.address() + 8L * group, start);
      }
    }
  }

  @Override
  void fold(ExecContext context, @Nullable Column values, AccumulatorRows rows, int groupCount) {
    Column column = Objects.requireNonNull(values);
    Storage incoming = column.shape().storage();
    if (incoming == Storage.LONG128 && !wide) {
      widen();
    }
    if (incoming.isCode() && dictionary != column.shape().dictionary()) {
      throw new AragoniteException(
          ErrorCode.INTERNAL, function + " over codes of two dictionaries; decode them first.");
    }
    if (sums) {
      sum(context, column, rows, groupCount);
    } else if (wide) {
      long wides = rows.wides(context, column);
      CpuFolds.foldWide(function, wides, rows.groups(), rows.count(), states.address());
    } else {
      long longs = longs(context, column, rows);
      CpuFolds.fold(function, longs, rows.groups(), rows.count(), states.address());
    }
  }

  private static long longs(ExecContext context, Column column, AccumulatorRows rows) {
    Storage storage = column.shape().storage();
    if (storage != Storage.FLOAT && storage != Storage.DOUBLE) {
      return rows.longs(context, column);
    }
    long doubles = rows.doubles(context, column);
    long out = context.scratch().allocate(8L * rows.count()).address();
    CpuFolds.ordered(doubles, rows.count(), out);
    return out;
  }

  private void sum(ExecContext context, Column column, AccumulatorRows rows, int groupCount) {
    int count = rows.count();
    if (column.shape().storage() == Storage.LONG128) {
      CpuFolds.sumWide(rows.wides(context, column), rows.groups(), count, states.address());
      return;
    }
    long longs = rows.longs(context, column);
    long largest = CpuFolds.magnitude(column.shape(), longs, count);
    // Of this batch alone.
    boolean fits = Math.multiplyHigh(largest, count) == 0 && largest * count >= 0;
    if (!wide && (!fits || bound + largest * count < 0)) {
      widen();
    }
    if (!fits) {
      long wides = rows.wides(context, column);
      CpuFolds.sumWide(wides, rows.groups(), count, states.address());
      return;
    }
    bound += wide ? 0 : largest * count;
    CpuFolds.sum(context, longs, rows.groups(), count, groupCount, states.address(), wide);
  }

  /** Makes the states 128 bits wide. */
  private void widen() {
    Buffer old = states;
    states = memory.allocate(16L * capacity);
    wide = true;
    clear(0, capacity);
    for (int group = 0; group < capacity; group++) {
      long value = Mem.getLong(old.address() + 8L * group);
      // Without a value a group keeps the start value, which is another one for 128 bits.
      if (hasValue(group)) {
        Mem.putLong(states.address() + 16L * group, value);
        Mem.putLong(states.address() + 16L * group + 8, value >> 63);
      }
    }
    memory.free(old);
  }

  @Override
  public Column finish(ExecContext context, int groupCount, Allocator allocator) {
    return finish(context, groupCount, declared, allocator);
  }

  @Override
  public Column finishPart(ExecContext context, int groupCount, Allocator allocator) {
    ColumnShape part = sums ? ColumnShape.of(function.partial(type)) : declared;
    return finish(context, groupCount, part, allocator);
  }

  /**
   * @param as the type of the result, and the storage that is declared for it, of which only that
   *     of a decimal changes
   */
  private Column finish(ExecContext context, int groupCount, ColumnShape as, Allocator allocator) {
    ensure(groupCount);
    Buffer validity = validity(groupCount, allocator);
    if (sums) {
      CpuResults.checkSums(as.type(), states.address(), wide, groupCount, validity);
    }
    Storage storage = as.storage();
    if (storage == Storage.FLOAT || storage == Storage.DOUBLE) {
      return floats(groupCount, validity, allocator);
    }
    Storage narrow = storage == Storage.LONG128 ? Storage.LONG : storage;
    ColumnShape shape = new ColumnShape(as.type(), narrow, type.nullable(), dictionary, null);
    if (!wide) {
      return CpuResults.narrow(shape, states.address(), groupCount, validity, allocator);
    }
    if (!CpuResults.fitLong(states.address(), groupCount, validity)) {
      return CpuResults.wide(as.type(), states.address(), groupCount, validity, allocator);
    }
    long narrowed = context.scratch().allocate(8L * groupCount).address();
    for (int group = 0; group < groupCount; group++) {
      Mem.putLong(narrowed + 8L * group, Mem.getLong(states.address() + 16L * group));
    }
    return CpuResults.narrow(shape, narrowed, groupCount, validity, allocator);
  }

  private Column floats(int groupCount, @Nullable Buffer validity, Allocator allocator) {
    Storage storage = declared.storage();
    Buffer out = allocator.allocate((long) groupCount * storage.width());
    for (int group = 0; group < groupCount; group++) {
      double value =
          Double.longBitsToDouble(CpuFolds.flip(Mem.getLong(states.address() + 8L * group)));
      if (storage == Storage.FLOAT) {
        Mem.putFloat(out.address() + 4L * group, (float) value);
      } else {
        Mem.putDouble(out.address() + 8L * group, value);
      }
    }
    return new Column(
        declared.withMayBeNull(type.nullable()), groupCount, out, Buffer.EMPTY, validity, null);
  }

  @Override
  public void close() {
    super.close();
    memory.free(states);
    states = Buffer.EMPTY;
  }
}
