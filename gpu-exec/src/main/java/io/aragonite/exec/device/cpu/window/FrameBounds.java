package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.DateTimes;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.plan.WindowFrame.FrameBoundKind;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.math.BigDecimal;
import java.util.List;

/** Finds the frame of each position. Offsets must be literals by now. */
final class FrameBounds {
  private final ExecContext context;
  private final Window window;
  private final SortedRows sorted;

  FrameBounds(ExecContext context, Window window, SortedRows sorted) {
    this.context = context;
    this.window = window;
    this.sorted = sorted;
  }

  Frames find() {
    IntVector low = bounds(window.frame().start(), true);
    IntVector high = bounds(window.frame().end(), false);
    for (int p = 0; p < sorted.count(); p++) {
      if (high.get(p) < low.get(p)) {
        high.set(p, low.get(p));
      }
    }
    return new Frames(
        sorted,
        low,
        high,
        window.frame().exclude(),
        window.frame().start().kind() == FrameBoundKind.UNBOUNDED_PRECEDING || fromPeers());
  }

  /** RANGE from the current row without an order: all rows are peers. */
  private boolean fromPeers() {
    FrameBound bound = window.frame().start();
    return !window.frame().rows()
        && window.orderBy().isEmpty()
        && bound.kind() == FrameBoundKind.CURRENT_ROW;
  }

  private IntVector bounds(FrameBound bound, boolean start) {
    IntVector out = IntVector.allocate(context.memory(), sorted.count());
    Ranged ranged = null;
    long offset = 0;
    if (bound.kind() == FrameBoundKind.PRECEDING || bound.kind() == FrameBoundKind.FOLLOWING) {
      if (window.frame().rows()) {
        offset = bound.rows();
      } else {
        ranged = ranged(bound);
      }
    }
    for (int i = 0; i < sorted.partitionCount(); i++) {
      context.checkCancelled();
      int from = sorted.partitions().get(i);
      int to = sorted.partitions().get(i + 1L);
      if (ranged != null) {
        ranged.find(from, to, start, out);
      } else {
        for (int p = from; p < to; p++) {
          out.set(p, bound(bound.kind(), start, offset, p, from, to));
        }
      }
    }
    if (ranged != null) {
      ranged.close();
    }
    return out;
  }

  private int bound(FrameBoundKind kind, boolean start, long offset, int p, int from, int to) {
    return switch (kind) {
      case UNBOUNDED_PRECEDING -> from;
      case UNBOUNDED_FOLLOWING -> to;
      case CURRENT_ROW -> {
        if (window.frame().rows()) {
          yield start ? p : p + 1;
        }
        yield start ? sorted.peerStart(p) : sorted.peerEnd(p);
      }
      case PRECEDING -> clip(p - offset + (start ? 0 : 1), from, to);
      case FOLLOWING -> clip(p + offset + (start ? 0 : 1), from, to);
    };
  }

  private static int clip(long position, int from, int to) {
    return (int) Math.max(from, Math.min(to, position));
  }

  /** Prepares a RANGE bound with an offset: the order key and the key plus or minus the offset. */
  private Ranged ranged(FrameBound bound) {
    if (window.orderBy().size() != 1 || !(bound.offset() instanceof Expr.Literal offset)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "RANGE with an offset needs exactly one ORDER BY column and a constant offset.");
    }
    SortKey key = window.orderBy().getFirst();
    ColumnShape shape = sorted.batch().column(key.column()).shape();
    boolean plus = (bound.kind() == FrameBoundKind.FOLLOWING) != key.descending();
    if (offset.type().kind() == TypeKind.INTERVAL_DAY && isMoment(shape.type().kind())) {
      if (!(offset.value() instanceof Long millis) || millis < 0) {
        throw FrameBound.invalid(offset.value());
      }
      return new Ranged(key, shape.type(), plus ? millis : -millis);
    }
    Expr ref = Expr.ref(0, shape.type());
    Expr value = comparable(ref, offset);
    Expr limit = limit(value, offset, plus);
    CompiledProjection projection =
        context.device().expressions().projection(List.of(value, limit), List.of(shape));
    return new Ranged(projection, key, shape);
  }

  private static boolean isMoment(TypeKind kind) {
    return switch (kind) {
      case DATE, TIME, TIMESTAMP, INSTANT, INTERVAL_DAY -> true;
      default -> false;
    };
  }

  /** The key in a type in which adding the offset cannot overflow. */
  private static Expr comparable(Expr key, Expr.Literal offset) {
    DataType type = key.type();
    if (type.kind().isFloat() || offset.type().kind().isFloat()) {
      return cast(key, new DataType(TypeKind.FLOAT64, 0, 0, type.nullable()));
    }
    if (type.kind().isInteger() || type.kind() == TypeKind.DECIMAL) {
      int scale = type.scale();
      if (offset.value() instanceof BigDecimal decimal) {
        scale = Math.max(scale, decimal.scale());
      }
      return cast(key, DataType.decimal(DataType.MAX_DECIMAL_PRECISION, scale, type.nullable()));
    }
    return key;
  }

  private static Expr cast(Expr key, DataType type) {
    return type.equals(key.type()) ? key : Expr.call(Op.CAST, type, key);
  }

  private static Expr limit(Expr key, Expr.Literal offset, boolean plus) {
    DataType type = key.type();
    Object value = offset.value();
    switch (type.kind()) {
      case FLOAT64 -> {
        double number = value instanceof Number n ? n.doubleValue() : Double.NaN;
        if (!(number >= 0)) {
          throw FrameBound.invalid(value);
        }
        Expr literal = Expr.literal(number, type.withNullable(false));
        return Expr.call(plus ? Op.PLUS : Op.MINUS, type, key, literal);
      }
      case DECIMAL -> {
        BigDecimal number =
            switch (value) {
              case Long l -> BigDecimal.valueOf(l);
              case BigDecimal d -> d;
              case null, default -> BigDecimal.ONE.negate();
            };
        if (number.signum() < 0) {
          throw FrameBound.invalid(value);
        }
        Expr literal = Expr.literal(number.setScale(type.scale()), type.withNullable(false));
        return Expr.call(plus ? Op.PLUS : Op.MINUS, type, key, literal);
      }
      case DATE, TIME, TIMESTAMP, INTERVAL_DAY, INTERVAL_MONTH -> {
        if (!(value instanceof Long number) || number < 0) {
          throw FrameBound.invalid(value);
        }
        Expr literal = Expr.literal(plus ? number : -number, offset.type());
        return Expr.call(type.kind().isInterval() ? Op.PLUS : Op.DATETIME_PLUS, type, key, literal);
      }
      default ->
          throw new AragoniteException(
              ErrorCode.INVALID_STATEMENT,
              "RANGE with an offset needs an ORDER BY column of numbers or dates, not "
                  + type
                  + ".");
    }
  }

  /** Keys and limits of all positions, and the search for the bound. */
  private final class Ranged {
    private final Column keys;
    private final Column limits;
    private final WindowValues key;
    private final WindowValues limit;
    private final boolean descending;

    Ranged(CompiledProjection projection, SortKey sortKey, ColumnShape shape) {
      int count = sorted.count();
      keys = column(projection.shapes().get(0), count);
      limits = column(projection.shapes().get(1), count);
      Column input = sorted.batch().column(sortKey.column()).withRowIds(null);
      int piece = context.device().properties().batchRows();
      for (int from = 0; from < count; from += piece) {
        context.checkCancelled();
        int some = Math.min(piece, count - from);
        long mark = context.scratch().mark();
        Buffer ids = sorted.order().buffer().slice(from * 4L, some * 4L);
        Column in = input.withRowIds(new RowIds(ids, some, false));
        ColumnBatch out = projection.evaluate(context, new ColumnBatch(List.of(in), some));
        append(out.column(0), keys, from);
        append(out.column(1), limits, from);
        context.scratch().release(mark);
      }
      key = new WindowValues(keys);
      limit = new WindowValues(limits);
      descending = sortKey.descending();
    }

    /**
     * Moments and a number of milliseconds: no calendar is needed, days need not be whole, and a
     * time of day does not begin again at midnight.
     */
    Ranged(SortKey sortKey, DataType type, long millis) {
      int count = sorted.count();
      ColumnShape shape = ColumnShape.of(DataType.INT64.withNullable(true));
      keys = column(shape, count);
      limits = column(shape, count);
      WindowValues input = new WindowValues(sorted.batch().column(sortKey.column()));
      long unit = type.kind() == TypeKind.DATE ? DateTimes.MILLIS_PER_DAY : 1;
      long offset = offset(type, millis);
      for (int p = 0; p < count; p++) {
        int row = sorted.order().get(p);
        boolean valid = !input.isNull(row);
        long value = valid ? input.integer(row) * unit : 0;
        Mem.putLong(keys.values().address() + p * 8L, value);
        Mem.putLong(limits.values().address() + p * 8L, saturated(value, offset));
        setValid(keys, p, valid);
        setValid(limits, p, valid);
      }
      key = new WindowValues(keys);
      limit = new WindowValues(limits);
      descending = sortKey.descending();
    }

    private static long offset(DataType type, long millis) {
      if (type.kind() == TypeKind.DATE || type.kind() == TypeKind.INTERVAL_DAY) {
        return millis;
      }
      try {
        return TimestampUnit.MILLIS.to(type.timestampUnit(), millis);
      } catch (ArithmeticException e) {
        throw new AragoniteException(
            ErrorCode.NUMERIC_OVERFLOW,
            "The offset of the RANGE frame is beyond the range of %s; cast the ORDER BY column to TIMESTAMP(3)."
                .formatted(type.withNullable(true)),
            e);
      }
    }

    /** A limit beyond all values is one beyond the last. */
    private static long saturated(long value, long offset) {
      long sum = value + offset;
      boolean wrapped = ((value ^ sum) & (offset ^ sum)) < 0;
      return wrapped ? (offset > 0 ? Long.MAX_VALUE : Long.MIN_VALUE) : sum;
    }

    private static void setValid(Column column, int position, boolean valid) {
      Buffer validity = column.validity();
      if (validity != null) {
        long at = validity.address() + (position >> 3);
        int bit = 1 << (position & 7);
        Mem.putByte(at, (byte) (valid ? Mem.getByte(at) | bit : Mem.getByte(at) & ~bit));
      }
    }

    private Column column(ColumnShape shape, int count) {
      Buffer values = context.memory().allocate((long) count * shape.storage().width());
      Buffer validity = context.memory().allocate(count / 64 * 8L + 8);
      return new Column(shape, count, values, Buffer.EMPTY, validity, null);
    }

    private void append(Column some, Column all, int from) {
      Column flat = context.gather().materialize(context, some, context.scratch());
      int width = all.shape().storage().width();
      Mem.copy(
          flat.values().address(),
          all.values().address() + (long) from * width,
          (long) flat.rows() * width);
      for (int i = 0; i < flat.rows(); i++) {
        setValid(
            all, from + i, flat.validity() == null || Mem.getBit(flat.validity().address(), i));
      }
    }

    /** Bounds of a partition's positions; keys and limits rise together, so one walk finds all. */
    void find(int from, int to, boolean start, IntVector out) {
      int first = from;
      while (first < to && key.isNull(first)) {
        first++;
      }
      int last = to;
      while (last > first && key.isNull(last - 1)) {
        last--;
      }
      int at = first;
      for (int p = from; p < to; p++) {
        if (p < first || p >= last) {
          out.set(p, start ? sorted.peerStart(p) : sorted.peerEnd(p));
          continue;
        }
        while (at < last && before(at, p, start)) {
          at++;
        }
        out.set(p, at);
      }
    }

    /**
     * Whether the key at {@code at} comes before the limit of {@code p} (or with it, for an end).
     */
    private boolean before(int at, int p, boolean start) {
      int order = compare(at, p);
      if (descending) {
        order = -order;
      }
      return start ? order < 0 : order <= 0;
    }

    private int compare(int at, int p) {
      if (key.isFloating()) {
        return Double.compare(key.floating(at) + 0.0, limit.floating(p) + 0.0);
      }
      int high = Long.compare(key.high(at), limit.high(p));
      return high != 0 ? high : Long.compareUnsigned(key.integer(at), limit.integer(p));
    }

    void close() {
      for (Column column : List.of(keys, limits)) {
        context.memory().free(column.values());
        if (column.validity() != null) {
          context.memory().free(column.validity());
        }
      }
    }
  }
}
