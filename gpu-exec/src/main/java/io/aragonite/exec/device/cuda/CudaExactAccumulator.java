package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaFold.Batch;
import io.aragonite.exec.device.cuda.CudaFold.State;
import io.aragonite.exec.device.cuda.CudaResults.Findings;
import io.aragonite.exec.device.cuda.CudaResults.Groups;
import io.aragonite.exec.device.cuda.CudaResults.Pending;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * SUM, MIN, MAX, ANY_VALUE and the bit functions of integers, decimals, dates, codes, handles; and
 * MIN, MAX, ANY_VALUE of floats, which are longs of the same order here. Everything but sums is a
 * maximum or a disjunction, of complements where need be; any value is as good as the greatest.
 *
 * <p>States have one 64-bit limb for as long as that is known to be enough. Sums get a second one
 * when a bound of every group's magnitude, which grows with each batch by the column's bounds or
 * its storage's, leaves 64 bits; and a third when values have 128 bits. Maxima of 128-bit values
 * are found limb by limb, in two passes over a batch.
 */
final class CudaExactAccumulator extends CudaAccumulator {
  private final AggregateFunction function;
  private final boolean sums;
  private final CudaFold fold;
  private final long flip;

  /** The state of an empty group. */
  private final long start;

  private final ColumnShape declared;
  private int limbs = 1;
  private long bound;
  private Buffer lo = Buffer.EMPTY;
  private Buffer hi = Buffer.EMPTY;
  private Buffer ext = Buffer.EMPTY;

  /**
   * @param input what is known of the values; the storage of a decimal may differ from batch to
   *     batch
   */
  CudaExactAccumulator(
      AggregateFunction function, ColumnShape input, DataType type, QueryMemory memory) {
    super(memory, type, tracksSeen(function, type));
    this.function = function;
    this.sums = CudaAccumulators.isSum(function);
    this.declared = sums ? ColumnShape.of(type) : input.withType(type);
    this.fold = fold(function);
    this.flip = flip(function);
    this.start = start(fold);
  }

  /** What computes a function; a sum has as many limbs as it needs. */
  static CudaFold fold(AggregateFunction function) {
    return switch (function) {
      case BIT_AND, BIT_OR -> CudaFold.OR;
      case BIT_XOR -> CudaFold.XOR;
      case SUM, SUM0 -> CudaFold.SUM1;
      default -> CudaFold.MAX;
    };
  }

  /** The bits that are turned over in values and states. */
  static long flip(AggregateFunction function) {
    return function == AggregateFunction.MIN || function == AggregateFunction.BIT_AND ? -1 : 0;
  }

  /** The state of an empty group, in each limb. */
  static long start(CudaFold fold) {
    return fold == CudaFold.MAX ? Long.MIN_VALUE : 0;
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
  void grow(ExecContext context, int newCapacity) {
    lo = growWords(context, lo, newCapacity, start);
    if (limbs > 1) {
      hi = growWords(context, hi, newCapacity, start);
    }
    if (limbs > 2) {
      ext = growWords(context, ext, newCapacity, 0);
    }
  }

  private State state() {
    return new State(lo, hi, ext, seen);
  }

  @Override
  void fold(
      ExecContext context,
      @Nullable Column values,
      @Nullable Buffer groups,
      @Nullable Buffer mask,
      int count,
      int groupCount) {
    Column column = Objects.requireNonNull(values);
    Storage incoming = column.shape().storage();
    if (incoming.isCode() && declared.dictionary() != column.shape().dictionary()) {
      throw new AragoniteException(
          ErrorCode.INTERNAL, function + " over codes of two dictionaries; decode them first.");
    }
    Batch batch = new Batch(column, groups, mask, count, 0, flip, Buffer.EMPTY);
    if (sums) {
      makeRoom(context, column, count);
      CudaFold sum = limbs == 1 ? CudaFold.SUM1 : limbs == 2 ? CudaFold.SUM2 : CudaFold.SUM3;
      sum.launch(context, batch, state(), groupCount);
      return;
    }
    if (incoming == Storage.LONG128 && limbs == 1) {
      widenMax(context);
    }
    if (limbs == 1) {
      fold.launch(context, batch, state(), groupCount);
    } else {
      foldWideMax(context, batch, groupCount);
    }
  }

  /** Gives sums the limbs that they need after this batch. */
  private void makeRoom(ExecContext context, Column column, int count) {
    if (column.shape().storage() == Storage.LONG128) {
      while (limbs < 3) {
        addLimb(context);
      }
    } else if (limbs == 1) {
      long largest = magnitude(column.shape());
      boolean fits = Math.multiplyHigh(largest, count) == 0 && largest * count >= 0;
      if (fits && bound + largest * count >= 0) {
        bound += largest * count;
      } else {
        addLimb(context);
      }
    }
  }

  /** An upper bound of the values' magnitude, as an unsigned number. */
  static long magnitude(ColumnShape shape) {
    ValueRange range = shape.range();
    if (range != null && range.min() > Long.MIN_VALUE) {
      return Math.max(Math.abs(range.min()), Math.abs(range.max()));
    }
    return switch (shape.storage()) {
      case BYTE -> 1L << 7;
      case SHORT -> 1L << 15;
      case INT -> 1L << 31;
      // Nothing is known: more than any 64-bit sum has room for.
      default -> Long.MIN_VALUE;
    };
  }

  /** Adds a limb above that has the sign of the one below. */
  private void addLimb(ExecContext context) {
    Buffer below = limbs == 1 ? lo : hi;
    Buffer above = memory.allocate(8L * capacity);
    CudaResults.launch(CudaStream.of(context), "ara_result_sign", capacity, below, capacity, above);
    if (limbs == 1) {
      hi = above;
    } else {
      ext = above;
    }
    limbs++;
  }

  private void widenMax(ExecContext context) {
    hi = memory.allocate(8L * capacity);
    CudaResults.launch(
        CudaStream.of(context), "ara_result_widen_max", capacity, lo, hi, seen, capacity);
    limbs = 2;
  }

  private void foldWideMax(ExecContext context, Batch batch, int groupCount) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      Buffer before = scratch.allocate(8L * groupCount);
      stream.copy(hi.address(), before.address(), 8L * groupCount);
      State high = new State(hi, Buffer.EMPTY, Buffer.EMPTY, seen);
      fold.launch(context, batch.withPart(CudaFold.HIGH, Buffer.EMPTY), high, groupCount);
      CudaResults.launch(stream, "ara_result_restart", groupCount, before, hi, lo, groupCount);
      State low = new State(lo, Buffer.EMPTY, Buffer.EMPTY, Buffer.EMPTY);
      fold.launch(context, batch.withPart(CudaFold.LOW, hi), low, groupCount);
    } finally {
      scratch.release(mark);
    }
  }

  @Override
  public Column finish(ExecContext context, int groupCount, Allocator allocator) {
    return CudaResults.finish(context, pending(context, groupCount, false), allocator);
  }

  @Override
  public Column finishPart(ExecContext context, int groupCount, Allocator allocator) {
    return CudaResults.finish(context, pending(context, groupCount, true), allocator);
  }

  @Override
  Pending pending(ExecContext context, int groupCount, boolean part) {
    ensure(context, groupCount);
    Groups groups = new Groups(state(), groupCount, flip, limbs == 2 && !sums);
    boolean wider = part && sums;
    return pending(
        context,
        groups,
        sums,
        wider ? ColumnShape.of(function.partial(declared.type())) : declared);
  }

  /**
   * The results of such states, when they have been looked at.
   *
   * @param sums whether they are sums, which need not fit their type
   * @param declared the type, and the storage that is declared for it
   */
  static Pending pending(ExecContext context, Groups groups, boolean sums, ColumnShape declared) {
    return new Pending(
        groups,
        sums ? declared.type() : null,
        (findings, allocator) -> column(context, groups, declared, findings, allocator));
  }

  private static Column column(
      ExecContext context,
      Groups groups,
      ColumnShape declared,
      Findings findings,
      Allocator allocator) {
    DataType type = declared.type();
    Buffer validity = CudaResults.validity(context, groups, findings, allocator);
    Storage storage = declared.storage();
    if (storage == Storage.FLOAT || storage == Storage.DOUBLE) {
      ColumnShape shape = declared.withMayBeNull(type.nullable() || validity != null);
      return CudaResults.floats(context, groups, shape, validity, true, allocator);
    }
    Storage narrow =
        findings.fitsLong() ? storage == Storage.LONG128 ? Storage.LONG : storage : Storage.LONG128;
    ColumnShape shape = new ColumnShape(type, narrow, type.nullable(), declared.dictionary(), null);
    return CudaResults.integers(context, groups, shape, validity, findings, allocator);
  }

  @Override
  public void close() {
    super.close();
    memory.free(lo);
    memory.free(hi);
    memory.free(ext);
    lo = Buffer.EMPTY;
    hi = Buffer.EMPTY;
    ext = Buffer.EMPTY;
  }
}
