package io.aragonite.exec.operator.window;

import static io.aragonite.exec.operator.window.ExprBuilder.arithmetic;
import static io.aragonite.exec.operator.window.ExprBuilder.cast;
import static io.aragonite.exec.operator.window.ExprBuilder.choose;
import static io.aragonite.exec.operator.window.ExprBuilder.minus;
import static io.aragonite.exec.operator.window.ExprBuilder.number;
import static io.aragonite.exec.operator.window.ExprBuilder.plus;
import static io.aragonite.exec.operator.window.ExprBuilder.test;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.WindowResult;
import io.aragonite.exec.device.WindowResult.Computed;
import io.aragonite.exec.device.WindowResult.Picked;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.window.DeviceRows.Runs;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates over frames by a device's primitives: over whole partitions by segmented reduction;
 * counts, and sums of integers whose range is narrow enough for 32 bits, as differences of running
 * totals; running minima, maxima and floating sums by doubling: after step k each position has the
 * result of up to 2^k positions that end with it (Hillis and Steele's scan).
 */
final class DeviceAggregates {
  private final DeviceRows rows;
  private final ExecContext context;
  private final DeviceFrames frames;
  private final WindowCall call;
  private final AggregateCall aggregate;

  DeviceAggregates(DeviceRows rows, DeviceFrames frames, WindowCall call) {
    this.rows = rows;
    this.context = rows.context();
    this.frames = frames;
    this.call = call;
    this.aggregate = Objects.requireNonNull(call.aggregate());
  }

  /** The result; null: for the host. */
  @Nullable WindowResult find() {
    AggregateFunction function = aggregate.function();
    if (function == null || aggregate.distinct() || aggregate.args().size() > 1) {
      return null;
    }
    if (!aggregate.args().isEmpty() && storage() == Storage.HANDLE) {
      return null;
    }
    return switch (function) {
      case COUNT -> count();
      case SUM, SUM0 -> {
        boolean floating = argument().type().kind().isFloat();
        // Totals of 128-bit values may pass beyond 128 bits and come back.
        if (floating != call.type().kind().isFloat() || storage() == Storage.LONG128) {
          yield null;
        }
        if (frames.whole()) {
          yield whole(function);
        }
        yield floating ? floatingSum(function) : exactSum(function);
      }
      case MIN, MAX ->
          frames.whole() ? whole(function) : extreme(function == AggregateFunction.MIN);
      case BIT_AND, BIT_OR, BIT_XOR -> frames.whole() ? whole(function) : null;
      case ANY_VALUE, SINGLE_VALUE -> null;
    };
  }

  private ColumnShape argument() {
    return rows.input(aggregate.args().getFirst()).shape();
  }

  private Storage storage() {
    return argument().storage();
  }

  /** The argument in the order of positions. */
  private Column values() {
    return rows.at(aggregate.args().getFirst());
  }

  /** Whether a position counts; null: all do. */
  private @Nullable Expr counts(ExprBuilder terms) {
    Expr filter =
        aggregate.filter() < 0 ? null : test(Op.IS_TRUE, terms.value(rows.at(aggregate.filter())));
    Expr given =
        aggregate.args().isEmpty() || !argument().mayBeNull() && storage() != Storage.NONE
            ? null
            : test(Op.IS_NOT_NULL, terms.value(values()));
    if (filter == null) {
      return given;
    }
    return given == null ? filter : test(Op.AND, filter, given);
  }

  /** Every partition's result once, which its positions refer to. */
  private @Nullable Computed whole(AggregateFunction function) {
    if (storage() == Storage.NONE) {
      return null;
    }
    Column values = values();
    if (aggregate.filter() >= 0) {
      ExprBuilder terms = new ExprBuilder();
      Expr filter = test(Op.IS_TRUE, terms.value(rows.at(aggregate.filter())));
      Expr value = terms.value(values);
      DataType type = value.type().withNullable(true);
      Expr masked = Expr.call(Op.CASE, type, filter, value, Expr.literal(null, type));
      values = rows.project(masked, terms.columns());
      rows.temporary(values);
    }
    Runs partitions = rows.partitions();
    Column reduced = rows.reduced(function, values, partitions, call.type());
    return new Computed(reduced.withType(call.type()), rows.keep(partitions.of()));
  }

  private Computed computed(Expr value, ExprBuilder terms) {
    Column column = rows.project(value, terms.columns());
    return new Computed(column.withType(call.type()), null);
  }

  private Computed count() {
    ExprBuilder terms = new ExprBuilder();
    return computed(cast(framed(terms), call.type()), terms);
  }

  /** Running totals of numbers from 0 to 2^31 - 1, one more than there are positions. */
  private Column totals(Expr number, ExprBuilder terms) {
    Column numbers = rows.temporary(rows.project(cast(number, DataType.INT32), terms.columns()));
    Buffer sums = rows.allocate(8L * rows.count() + 8);
    context.scan().exclusiveSum(context, numbers.values(), rows.count(), sums);
    ColumnShape shape = ColumnShape.of(DataType.INT64);
    return new Column(shape, rows.count() + 1, sums, Buffer.EMPTY, null, null);
  }

  /** What running totals have gained within each frame. */
  private Expr total(ExprBuilder terms, Column totals) {
    RowIds high = new RowIds(frames.high().values(), rows.count(), false);
    RowIds low = new RowIds(frames.low().values(), rows.count(), false);
    return minus(terms.value(totals.withRowIds(high)), terms.value(totals.withRowIds(low)));
  }

  private @Nullable Computed exactSum(AggregateFunction function) {
    Storage storage = storage();
    DataType type = argument().type();
    boolean integers =
        storage == Storage.BYTE
            || storage == Storage.SHORT
            || storage == Storage.INT
            || storage == Storage.LONG;
    if (!integers
        || !type.kind().isInteger() && type.kind() != TypeKind.DECIMAL
        || type.scale() != call.type().scale()) {
      return null;
    }
    ValueRange range = argument().range();
    if (range == null) {
      range = context.scan().valueRange(context, rows.input(aggregate.args().getFirst()));
    }
    long least = range == null ? 0 : range.min();
    long span = range == null ? 0 : range.max() - least;
    // Totals of distances from the least value fit 62 bits then, and so do sums.
    boolean narrow = span >= 0 && span <= Integer.MAX_VALUE && Math.abs(least) <= 1L << 31;
    if (!narrow) {
      return null;
    }
    Column distances = distances(least);
    ExprBuilder terms = new ExprBuilder();
    Expr count = framed(terms);
    Expr sum = plus(total(terms, distances), arithmetic(Op.TIMES, count, number(least)));
    if (function == AggregateFunction.SUM) {
      DataType nullable = DataType.INT64.withNullable(true);
      Expr none = test(Op.EQ, count, number(0));
      sum = Expr.call(Op.CASE, nullable, none, Expr.literal(null, nullable), sum);
    }
    return call.type().kind() == TypeKind.DECIMAL
        ? decimal(sum, terms, type.scale())
        : computed(cast(sum, call.type()), terms);
  }

  /** Running totals of how far values are above the least one; of those that do not count, 0. */
  private Column distances(long least) {
    ExprBuilder terms = new ExprBuilder();
    Expr counts = counts(terms);
    Expr distance = minus(unscaled(terms, values()), number(least));
    Expr nothing = number(0);
    return totals(
        counts == null
            ? distance
            : Expr.call(Op.COALESCE, DataType.INT64, choose(counts, distance, nothing), nothing),
        terms);
  }

  /** How many rows of each frame count. */
  private Expr framed(ExprBuilder terms) {
    ExprBuilder counting = new ExprBuilder();
    Expr counts = counts(counting);
    return counts == null
        ? minus(terms.number(frames.high()), terms.number(frames.low()))
        : total(terms, totals(choose(counts, number(1), number(0)), counting));
  }

  /** An unscaled sum of 64 bits as the decimal that the call declares. */
  private Computed decimal(Expr sum, ExprBuilder terms, int scale) {
    Column bits = rows.project(sum, terms.columns());
    // The same 64 bits, as a decimal that any of them fit.
    DataType wide = DataType.decimal(DataType.MAX_DECIMAL_PRECISION, scale, sum.type().nullable());
    Column decimal = reinterpret(bits, wide);
    if (call.type().precision() > DataType.MAX_LONG_PRECISION) {
      return new Computed(decimal.withType(call.type()), null);
    }
    rows.temporary(decimal);
    ExprBuilder narrowing = new ExprBuilder();
    Expr value = narrowing.value(decimal);
    return computed(cast(value, call.type()), narrowing);
  }

  /** A column of whole numbers, or of unscaled decimals, as INT64. */
  private static Expr unscaled(ExprBuilder terms, Column column) {
    if (column.shape().type().kind() != TypeKind.DECIMAL) {
      return terms.number(column);
    }
    boolean nullable = column.shape().mayBeNull();
    return terms.value(reinterpret(column, DataType.INT64.withNullable(nullable)));
  }

  /** The same integers under another type. */
  private static Column reinterpret(Column column, DataType type) {
    ColumnShape given = column.shape();
    ColumnShape shape =
        new ColumnShape(type, given.storage(), given.mayBeNull(), null, given.range());
    return new Column(
        shape,
        column.dataRows(),
        column.values(),
        Buffer.EMPTY,
        column.validity(),
        column.rowIds());
  }

  /** How often a scan by doubling has to double. */
  private int longestPartition() {
    Column places = rows.ints(rows.partitions().place());
    ValueRange range = context.scan().valueRange(context, places);
    return range == null ? 1 : (int) range.max() + 1;
  }

  /** The position {@code step} before each that is in its partition, -1 if there is none. */
  private RowIds before(Column positions, Column starts, int step) {
    ExprBuilder terms = new ExprBuilder();
    Expr other = minus(terms.number(positions), number(step));
    Expr outside = test(Op.LT, other, terms.number(starts));
    Expr row = cast(choose(outside, number(-1), other), DataType.INT32);
    Column found = rows.project(row, terms.columns());
    return new RowIds(found.values(), rows.count(), true);
  }

  /** Minima or maxima of frames that begin with their partitions. */
  private @Nullable Picked extreme(boolean least) {
    if (!frames.fromStart() || storage() == Storage.NONE) {
      return null;
    }
    Column positions = rows.positions();
    Column starts = rows.startOf(rows.partitions());
    ExprBuilder choosing = new ExprBuilder();
    Expr counts = counts(choosing);
    Expr own = choosing.number(rows.order());
    Expr first = counts == null ? own : choose(counts, own, number(-1));
    // The row with the best value up to each position; -1: none counts.
    Column best = rows.project(cast(first, DataType.INT32), choosing.columns());
    int longest = longestPartition();
    for (int step = 1; step < longest && step > 0; step <<= 1) {
      context.checkCancelled();
      RowIds before = before(positions, starts, step);
      Buffer other = context.memory().allocate(4L * rows.count());
      context.gather().gatherIds(context, best.values(), before.ids(), rows.count(), other);
      Column next = better(best.values(), other, least);
      context.memory().free(before.ids());
      context.memory().free(other);
      Batches.free(context.memory(), best);
      best = next;
    }
    rows.temporary(best);
    Buffer picked = context.memory().allocate(4L * rows.count());
    context.gather().gatherIds(context, best.values(), ends().ids(), rows.count(), picked);
    return Picked.of(aggregate.args().getFirst(), picked);
  }

  /** The last position of each frame, -1 of an empty one. */
  private RowIds ends() {
    ExprBuilder terms = new ExprBuilder();
    Expr low = terms.number(frames.low());
    Expr high = terms.number(frames.high());
    Expr last = choose(test(Op.LT, low, high), minus(high, number(1)), number(-1));
    Column ends = rows.project(cast(last, DataType.INT32), terms.columns());
    return new RowIds(rows.temporary(ends).values(), rows.count(), true);
  }

  /** Of two rows with a value, or -1, that with the better one. */
  private Column better(Buffer here, Buffer other, boolean least) {
    Column value = rows.input(aggregate.args().getFirst());
    ExprBuilder terms = new ExprBuilder();
    Expr a = terms.number(rows.ints(other));
    Expr b = terms.number(rows.ints(here));
    Expr x = terms.value(orNull(value, new RowIds(other, rows.count(), true)));
    Expr y = terms.value(orNull(value, new RowIds(here, rows.count(), true)));
    Expr better = test(least ? Op.LT : Op.GT, x, y);
    Expr none = number(0);
    Expr both = choose(test(Op.IS_TRUE, better), a, b);
    Expr chosen = choose(test(Op.LT, b, none), a, choose(test(Op.LT, a, none), b, both));
    return rows.project(cast(chosen, DataType.INT32), terms.columns());
  }

  /** Floating sums of frames that begin with their partitions. */
  private @Nullable Computed floatingSum(AggregateFunction function) {
    if (!frames.fromStart()
        || call.type().kind() != TypeKind.FLOAT64
        || storage() == Storage.NONE) {
      return null;
    }
    Column positions = rows.positions();
    Column starts = rows.startOf(rows.partitions());
    Expr zero = Expr.literal(0.0, DataType.FLOAT64);
    ExprBuilder choosing = new ExprBuilder();
    Expr counts = counts(choosing);
    Expr own = cast(choosing.value(values()), DataType.FLOAT64);
    Expr first =
        counts == null
            ? own
            : Expr.call(Op.COALESCE, DataType.FLOAT64, choose(counts, own, zero), zero);
    Column sums = rows.project(first, choosing.columns());
    int longest = longestPartition();
    for (int step = 1; step < longest && step > 0; step <<= 1) {
      context.checkCancelled();
      RowIds before = before(positions, starts, step);
      ExprBuilder terms = new ExprBuilder();
      Expr here = terms.value(sums);
      Expr other = terms.value(orNull(sums, before));
      Expr sum = arithmetic(Op.PLUS, other, here);
      Column next =
          rows.project(Expr.call(Op.COALESCE, DataType.FLOAT64, sum, here), terms.columns());
      context.memory().free(before.ids());
      Batches.free(context.memory(), sums);
      sums = next;
    }
    rows.temporary(sums);
    ExprBuilder terms = new ExprBuilder();
    Expr found = terms.value(orNull(sums, ends()));
    Expr value = Expr.call(Op.COALESCE, DataType.FLOAT64, found, zero);
    if (function == AggregateFunction.SUM) {
      ExprBuilder counting = new ExprBuilder();
      Expr counted = counts(counting);
      Expr count =
          counted == null
              ? minus(terms.number(frames.high()), terms.number(frames.low()))
              : total(terms, totals(choose(counted, number(1), number(0)), counting));
      DataType nullable = DataType.FLOAT64.withNullable(true);
      Expr none = test(Op.EQ, count, number(0));
      value = Expr.call(Op.CASE, nullable, none, Expr.literal(null, nullable), value);
    }
    return computed(value, terms);
  }

  private static Column orNull(Column column, RowIds ids) {
    ColumnShape given = column.shape();
    ColumnShape shape = given.withType(given.type().withNullable(true)).withMayBeNull(true);
    return new Column(
        shape, column.dataRows(), column.values(), column.offsets(), column.validity(), ids);
  }
}
