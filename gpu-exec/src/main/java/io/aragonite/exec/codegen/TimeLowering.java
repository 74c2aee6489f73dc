package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.expr.DateTimes;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.expr.TimeUnit;
import io.aragonite.exec.expr.ZoneOffsets;
import io.aragonite.exec.expr.ZonedTimes;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Operations on dates, times and intervals. */
final class TimeLowering {
  private static final BigInteger DAY = BigInteger.valueOf(DateTimes.MILLIS_PER_DAY);

  /** Milliseconds that FLOOR and CEIL move a timestamp by at most. */
  private static final BigInteger MILLENNIUM = DAY.multiply(BigInteger.valueOf(1001L * 366));

  /** Years beyond which no date is computed without the interpreter's checks. */
  private static final BigInteger MAX_DAYS = BigInteger.valueOf(3_000_000);

  private final Lowering lowering;

  TimeLowering(Lowering lowering) {
    this.lowering = lowering;
  }

  boolean isTime(TypeKind kind) {
    return switch (kind) {
      case DATE, TIME, TIMESTAMP, INSTANT, INTERVAL_DAY, INTERVAL_MONTH -> true;
      default -> false;
    };
  }

  private static ExprNode exact(
      DataType type, String code, BigInteger min, BigInteger max, ExprNode... args) {
    boolean nullable = false;
    for (ExprNode arg : args) {
      nullable |= arg.nullable;
    }
    return new ExprNode(
            NodeKind.STRICT,
            type.withNullable(nullable),
            Rep.LONG,
            List.of(args),
            nullable,
            code,
            "")
        .bounds(min, max);
  }

  private static BigInteger min(ExprNode node) {
    return java.util.Objects.requireNonNull(node.min);
  }

  private static BigInteger max(ExprNode node) {
    return java.util.Objects.requireNonNull(node.max);
  }

  /** Null if there is no code for it. */
  @Nullable ExprNode lower(Expr.Call call) {
    return switch (call.op()) {
      case EXTRACT -> extract(call);
      case FLOOR_TIME, CEIL_TIME -> floor(call);
      case DATETIME_PLUS -> plus(call);
      case DATETIME_MINUS -> minus(call);
      case LOCAL_TIME, LOCAL_TO_INSTANT -> zoned(call);
      case INSTANT_FLOOR, INSTANT_CEIL -> roundedInstant(call);
      default -> null;
    };
  }

  private static @Nullable TimeUnit unit(Expr expr) {
    Expr.Literal literal = Lowering.literal(expr);
    return literal == null
        ? null
        : TimeUnit.valueOf((String) java.util.Objects.requireNonNull(literal.value()));
  }

  private @Nullable ExprNode extract(Expr.Call call) {
    TimeUnit unit = unit(call.args().getFirst());
    ExprNode arg = lowering.lower(call.args().get(1));
    if (unit == null || !Bounds.exact(arg) || arg.isConstantNull()) {
      return null;
    }
    ExprNode days = arg;
    TypeKind kind = call.args().get(1).type().kind();
    boolean ofDay = isOfDay(unit);
    if (kind == TypeKind.TIMESTAMP && ofDay) {
      days = divided(arg, unitOf(call).perDay());
    } else if (kind == TypeKind.TIMESTAMP || kind == TypeKind.TIME && !ofDay) {
      return extractOfDay(call, unit, arg, unitOf(call));
    } else if (kind != TypeKind.DATE || !ofDay) {
      return null;
    }
    return switch (unit) {
      case YEAR ->
          within(days)
              ? exact(call.type(), "Arith.year(#0)", year(min(days)), year(max(days)), days).cost(2)
              : bounded(call.type(), "Arith.year(#0)", days, -300_000_000, 300_000_000);
      case MONTH -> bounded(call.type(), "(long) DateTimes.month(#0)", days, 1, 12);
      case QUARTER -> bounded(call.type(), "(long) (DateTimes.month(#0) + 2) / 3L", days, 1, 4);
      case DAY -> bounded(call.type(), "(long) DateTimes.day(#0)", days, 1, 31);
      case DOW -> bounded(call.type(), "Math.floorMod(#0 + 4L, 7L) + 1L", days, 1, 7);
      case ISODOW -> bounded(call.type(), "Math.floorMod(#0 + 3L, 7L) + 1L", days, 1, 7);
      default -> {
        String name = lowering.constants.add(unit, "TimeUnit");
        String code = "DateTimes.extractDate(" + CodeConstants.variable(name) + ", #0)";
        ExprNode node = exact(call.type(), code, BigInteger.ZERO, BigInteger.ZERO, days);
        yield Bounds.ofType(node).constants(name).cost(10);
      }
    };
  }

  /** What the time or timestamp counts that is the second argument. */
  private static TimestampUnit unitOf(Expr.Call call) {
    return call.args().get(1).type().timestampUnit();
  }

  private ExprNode extractOfDay(Expr.Call call, TimeUnit unit, ExprNode arg, TimestampUnit of) {
    if (of != TimestampUnit.MILLIS && isShort(unit)) {
      long perSecond = unit == TimeUnit.MICROSECOND ? 1_000_000 : 1_000_000_000;
      String ofMinute = "Math.floorMod(#0, " + 60 * of.perSecond() + "L)";
      String code =
          perSecond >= of.perSecond()
              ? ofMinute + " * " + perSecond / of.perSecond() + "L"
              : ofMinute + " / " + of.perSecond() / perSecond + "L";
      return bounded(call.type(), code, arg, 0, 60 * perSecond);
    }
    String name = lowering.constants.add(unit, "TimeUnit");
    String code = "DateTimes.extractTimestamp(" + CodeConstants.variable(name) + ", #0)";
    ExprNode millis = divided(arg, of.perMilli());
    ExprNode node = exact(call.type(), code, BigInteger.ZERO, BigInteger.ZERO, millis);
    return Bounds.ofType(node).constants(name).cost(10);
  }

  private static boolean isShort(TimeUnit unit) {
    return unit == TimeUnit.MICROSECOND || unit == TimeUnit.NANOSECOND;
  }

  private static boolean isOfDay(TimeUnit unit) {
    return switch (unit) {
      case HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, NANOSECOND, EPOCH -> false;
      default -> true;
    };
  }

  private static boolean within(ExprNode days) {
    return min(days).abs().compareTo(MAX_DAYS) < 0 && max(days).abs().compareTo(MAX_DAYS) < 0;
  }

  private static BigInteger year(BigInteger days) {
    return BigInteger.valueOf(DateTimes.year(days.longValue()));
  }

  private static ExprNode bounded(DataType type, String code, ExprNode days, long min, long max) {
    return exact(type, code, BigInteger.valueOf(min), BigInteger.valueOf(max), days).cost(6);
  }

  /** Rounded down. */
  private static ExprNode divided(ExprNode value, long divisor) {
    if (divisor == 1) {
      return value;
    }
    BigInteger min = BigInteger.valueOf(Math.floorDiv(min(value).longValue(), divisor));
    BigInteger max = BigInteger.valueOf(Math.floorDiv(max(value).longValue(), divisor));
    String code = "Math.floorDiv(#0, " + divisor + "L)";
    return exact(DataType.INT64, code, min, max, value).cost(4);
  }

  /** A number of milliseconds or days as a timestamp of the call's type. */
  private ExprNode multiplied(Expr.Call call, ExprNode value, long factor) {
    if (factor == 1) {
      return value;
    }
    BigInteger low = min(value).multiply(BigInteger.valueOf(factor));
    BigInteger high = max(value).multiply(BigInteger.valueOf(factor));
    if (Bounds.fitsLong(low, high)) {
      return exact(call.type(), "#0 * " + factor + "L", low, high, value);
    }
    String name = lowering.constants.add(call, "Object");
    String code = "Arith.multiply(#0, " + factor + "L, a, " + CodeConstants.variable(name) + ")";
    ExprNode node = exact(call.type(), code, low, high, value);
    return Bounds.ofType(node).failing().constants(name).cost(2);
  }

  /** Milliseconds and, of {@code value}, what is behind the milliseconds. */
  private ExprNode combined(Expr.Call call, ExprNode millis, ExprNode value, TimestampUnit of) {
    BigInteger factor = BigInteger.valueOf(of.perMilli());
    BigInteger low = min(millis).multiply(factor);
    BigInteger high = max(millis).add(BigInteger.ONE).multiply(factor);
    String rest = "Math.floorMod(#1, " + factor + "L)";
    if (Bounds.fitsLong(low, high)) {
      String code = "#0 * " + factor + "L + " + rest;
      return exact(call.type(), code, low, high, millis, value).cost(6);
    }
    String name = lowering.constants.add(call, "Object");
    String object = CodeConstants.variable(name);
    String code = "Arith.combine(#0, " + factor + "L, " + rest + ", a, " + object + ")";
    ExprNode node = exact(call.type(), code, low, high, millis, value);
    return Bounds.ofType(node).failing().constants(name).cost(12);
  }

  private @Nullable ExprNode floor(Expr.Call call) {
    TimeUnit unit = unit(call.args().getFirst());
    ExprNode arg = lowering.lower(call.args().get(1));
    TypeKind kind = call.args().get(1).type().kind();
    if (unit == null
        || unit == TimeUnit.EPOCH
        || (!isOfDay(unit) && kind != TypeKind.TIMESTAMP)
        || unit == TimeUnit.DOW
        || unit == TimeUnit.ISODOW
        || unit == TimeUnit.DOY
        || !Bounds.exact(arg)
        || arg.isConstantNull()
        || (kind != TypeKind.DATE && kind != TypeKind.TIMESTAMP)) {
      return null;
    }
    if (kind == TypeKind.TIMESTAMP && unitOf(call) != TimestampUnit.MILLIS) {
      return floorParts(call, unit, arg, unitOf(call));
    }
    String name = lowering.constants.add(unit, "TimeUnit");
    String method =
        (call.op() == Op.FLOOR_TIME ? "floor" : "ceil")
            + (kind == TypeKind.DATE ? "Date" : "Timestamp");
    String code = "DateTimes." + method + "(" + CodeConstants.variable(name) + ", #0)";
    ExprNode node = exact(call.type(), code, BigInteger.ZERO, BigInteger.ZERO, arg);
    return Bounds.ofType(node).constants(name).cost(10);
  }

  /** FLOOR and CEIL of a timestamp that counts parts of milliseconds. */
  private @Nullable ExprNode floorParts(
      Expr.Call call, TimeUnit unit, ExprNode arg, TimestampUnit of) {
    if (isShort(unit)) {
      boolean same = unit == TimeUnit.NANOSECOND || of == TimestampUnit.MICROS;
      return same ? arg.withType(call.type().withNullable(arg.nullable)) : null;
    }
    boolean floor = call.op() == Op.FLOOR_TIME;
    ExprNode millis = divided(arg, of.perMilli());
    if (!floor) {
      String code = "DateTimes.ceilDiv(#0, " + of.perMilli() + "L)";
      BigInteger most = max(millis).add(BigInteger.ONE);
      millis = exact(DataType.INT64, code, min(millis), most, arg).cost(6);
    }
    String name = lowering.constants.add(unit, "TimeUnit");
    String method = floor ? "floorTimestamp" : "ceilTimestamp";
    String code = "DateTimes." + method + "(" + CodeConstants.variable(name) + ", #0)";
    BigInteger low = min(millis).subtract(floor ? MILLENNIUM : BigInteger.ZERO);
    BigInteger high = max(millis).add(floor ? BigInteger.ZERO : MILLENNIUM);
    ExprNode start = exact(DataType.INT64, code, low, high, millis).constants(name).cost(10);
    return multiplied(call, start, of.perMilli());
  }

  private @Nullable ExprNode plus(Expr.Call call) {
    ExprNode value = lowering.lower(call.args().get(0));
    ExprNode interval = lowering.lower(call.args().get(1));
    TypeKind kind = call.args().get(0).type().kind();
    TypeKind intervalKind = call.args().get(1).type().kind();
    if (!Bounds.exact(value)
        || !Bounds.exact(interval)
        || value.isConstantNull()
        || interval.isConstantNull()
        || (kind != TypeKind.DATE && kind != TypeKind.TIMESTAMP)) {
      return null;
    }
    boolean date = kind == TypeKind.DATE;
    TimestampUnit of = call.type().timestampUnit();
    if (!date && of != TimestampUnit.MILLIS) {
      return plusParts(call, value, interval, of);
    }
    BigInteger low;
    BigInteger high;
    String code;
    if (intervalKind == TypeKind.INTERVAL_MONTH) {
      BigInteger unit = date ? BigInteger.ONE : DAY;
      low = min(value).add(leastDays(interval).multiply(unit));
      high = max(value).add(mostDays(interval).multiply(unit));
      code = date ? "DateTimes.addMonths(#0, #1)" : "DateTimes.addMonthsToTimestamp(#0, #1)";
    } else if (date) {
      low = min(value).add(min(interval).divide(DAY));
      high = max(value).add(max(interval).divide(DAY));
      code = "#0 + #1 / " + DateTimes.MILLIS_PER_DAY + "L";
    } else {
      low = min(value).add(min(interval));
      high = max(value).add(max(interval));
      code = "#0 + #1";
    }
    if (Bounds.fits(low, high, call.type())) {
      return exact(call.type(), code, low, high, value, interval).cost(10);
    }
    if (date) {
      return lowering.fit(call, exact(call.type(), code, low, high, value, interval).cost(11));
    }
    if (intervalKind == TypeKind.INTERVAL_MONTH) {
      return Bounds.ofType(exact(call.type(), code, low, high, value, interval)).cost(10);
    }
    String name = lowering.constants.add(call, "Object");
    String checked = "Arith.add(#0, #1, a, " + CodeConstants.variable(name) + ")";
    return Bounds.ofType(exact(call.type(), checked, low, high, value, interval))
        .failing()
        .constants(name)
        .cost(2);
  }

  /** A month has at most 31 days, so this is more than enough to either side. */
  private static BigInteger leastDays(ExprNode months) {
    return BigInteger.valueOf(31)
        .multiply(min(months).min(BigInteger.ZERO).subtract(BigInteger.ONE));
  }

  private static BigInteger mostDays(ExprNode months) {
    return BigInteger.valueOf(31).multiply(max(months).max(BigInteger.ZERO).add(BigInteger.ONE));
  }

  /** A timestamp that counts parts of milliseconds, and an interval. */
  private @Nullable ExprNode plusParts(
      Expr.Call call, ExprNode value, ExprNode interval, TimestampUnit of) {
    ExprNode millis = divided(value, of.perMilli());
    boolean months = call.args().get(1).type().kind() == TypeKind.INTERVAL_MONTH;
    BigInteger low = min(millis).add(months ? leastDays(interval).multiply(DAY) : min(interval));
    BigInteger high = max(millis).add(months ? mostDays(interval).multiply(DAY) : max(interval));
    if (!Bounds.fitsLong(low, high)) {
      return null;
    }
    String code = months ? "DateTimes.addMonthsToTimestamp(#0, #1)" : "#0 + #1";
    ExprNode sum = exact(DataType.INT64, code, low, high, millis, interval);
    return combined(call, sum.cost(months ? 10 : 1), value, of);
  }

  private @Nullable ExprNode minus(Expr.Call call) {
    ExprNode a = lowering.lower(call.args().get(0));
    ExprNode b = lowering.lower(call.args().get(1));
    TypeKind kind = call.args().get(0).type().kind();
    if (!Bounds.exact(a)
        || !Bounds.exact(b)
        || a.isConstantNull()
        || b.isConstantNull()
        || kind != call.args().get(1).type().kind()
        || kind == TypeKind.TIME
        || kind == TypeKind.TIMESTAMP && unitOf(call) != TimestampUnit.MILLIS
        || call.type().kind() != TypeKind.INTERVAL_DAY) {
      return null;
    }
    BigInteger unit = kind == TypeKind.DATE ? DAY : BigInteger.ONE;
    BigInteger min = min(a).subtract(max(b)).multiply(unit);
    BigInteger max = max(a).subtract(min(b)).multiply(unit);
    String code = kind == TypeKind.DATE ? "(#0 - #1) * " + DAY + "L" : "#0 - #1";
    return Bounds.fitsLong(min, max) ? exact(call.type(), code, min, max, a, b) : null;
  }

  /** What clocks in a time zone show at an instant, or the instant at which they show it. */
  private @Nullable ExprNode zoned(Expr.Call call) {
    Expr.Literal zone = Lowering.literal(call.args().getFirst());
    ExprNode value = lowering.lower(call.args().get(1));
    if (zone == null || zone.value() == null || !Bounds.exact(value) || value.isConstantNull()) {
      return null;
    }
    boolean toLocal = call.op() == Op.LOCAL_TIME;
    ExprNode offset = offset(zone.value(), value, call.type().timestampUnit(), toLocal);
    return offset == null ? null : sum(call, value, offset);
  }

  /** What is added to an instant, or to a local time; null where the interpreter refuses a zone. */
  private @Nullable ExprNode offset(
      Object zone, ExprNode value, TimestampUnit of, boolean toLocal) {
    ZoneOffsets offsets = ZoneOffsets.known((String) zone);
    if (offsets == null) {
      return null;
    }
    String name = lowering.constants.add(offsets, "ZoneOffsets");
    String method = toLocal ? ".atInstant(" : ".atLocal(";
    String code =
        CodeConstants.variable(name)
            + method
            + "Math.floorDiv(#0, "
            + of.perSecond()
            + "L)) * "
            + (toLocal ? of.perSecond() : -of.perSecond())
            + "L";
    BigInteger most = BigInteger.valueOf(ZoneOffsets.MOST_SECONDS * of.perSecond());
    return exact(DataType.INT64, code, most.negate(), most, value).constants(name).cost(30);
  }

  private ExprNode sum(Expr.Call call, ExprNode value, ExprNode change) {
    BigInteger low = min(value).add(min(change));
    BigInteger high = max(value).add(max(change));
    if (Bounds.fitsLong(low, high)) {
      return exact(call.type(), "#0 + #1", low, high, value, change);
    }
    String object = lowering.constants.add(call, "Object");
    String checked = "Arith.add(#0, #1, a, " + CodeConstants.variable(object) + ")";
    return Bounds.ofType(exact(call.type(), checked, low, high, value, change))
        .failing()
        .constants(object)
        .cost(2);
  }

  /** An instant, less what has passed of a unit of local time, or with what is left of it. */
  private @Nullable ExprNode roundedInstant(Expr.Call call) {
    Expr.Literal zone = Lowering.literal(call.args().getFirst());
    Expr.Literal unit = Lowering.literal(call.args().get(1));
    ExprNode value = lowering.lower(call.args().get(2));
    if (zone == null
        || zone.value() == null
        || unit == null
        || unit.value() == null
        || !Bounds.exact(value)
        || value.isConstantNull()) {
      return null;
    }
    TimestampUnit of = call.type().timestampUnit();
    ExprNode offset = offset(zone.value(), value, of, true);
    if (offset == null) {
      return null;
    }
    long size = ZonedTimes.seconds((String) unit.value()) * of.perSecond();
    // each part by itself: the sum of both may be beyond 64 bits
    String past = "(Math.floorMod(#0, %1$dL) + Math.floorMod(#1, %1$dL)) %% %1$dL".formatted(size);
    boolean floor = call.op() == Op.INSTANT_FLOOR;
    String code = floor ? "-(" + past + ")" : "(%1$dL - %2$s) %% %1$dL".formatted(size, past);
    BigInteger most = BigInteger.valueOf(size - 1);
    ExprNode change =
        floor
            ? exact(DataType.INT64, code, most.negate(), BigInteger.ZERO, value, offset)
            : exact(DataType.INT64, code, BigInteger.ZERO, most, value, offset);
    return sum(call, value, change.cost(15));
  }

  /** CAST from or to dates and times; null if there is no code for it. */
  @Nullable ExprNode cast(Expr.Call call, ExprNode value, DataType from, DataType to) {
    if (!Bounds.exact(value)) {
      return null;
    }
    DataType type = to.withNullable(value.nullable);
    if (from.kind() == TypeKind.INSTANT || to.kind() == TypeKind.INSTANT) {
      return from.kind() == to.kind() ? changed(call, value, from, to) : null;
    }
    if (from.kind() == TypeKind.TIMESTAMP && to.kind() == TypeKind.TIMESTAMP) {
      return changed(call, value, from, to);
    }
    if (from.kind() == to.kind()) {
      boolean exactly =
          from.kind() == TypeKind.DATE
              || from.kind().isInterval()
              || to.precision() >= from.precision();
      return exactly ? value.withType(type) : null;
    }
    if (from.kind() == TypeKind.TIMESTAMP && to.kind() == TypeKind.DATE) {
      return lowering.fit(call, divided(value, from.timestampUnit().perDay()));
    }
    if (from.kind() == TypeKind.DATE && to.kind() == TypeKind.TIMESTAMP) {
      return multiplied(call, value, to.timestampUnit().perDay());
    }
    if (from.kind() == TypeKind.INT64 && to.kind() == TypeKind.TIMESTAMP) {
      return value.withType(type);
    }
    if ((from.kind().isInteger() || isTime(from.kind()))
        && (to.kind().isInteger() || to.kind().isInterval())) {
      // Of an interval the number of its milliseconds or months.
      return lowering.fit(call, value);
    }
    return null;
  }

  /** Of another precision, with digits cut off rather than rounded. */
  private ExprNode changed(Expr.Call call, ExprNode value, DataType from, DataType to) {
    TimestampUnit source = from.timestampUnit();
    TimestampUnit target = to.timestampUnit();
    if (target.perMilli() > source.perMilli()) {
      return multiplied(call, value, target.perMilli() / source.perMilli());
    }
    ExprNode node = divided(value, source.perMilli() / target.perMilli());
    BigInteger width = Bounds.powerOfTen(Math.max(0, target.digits() - to.precision()));
    BigInteger low = min(node).subtract(width.subtract(BigInteger.ONE));
    if (to.precision() >= from.precision() || width.equals(BigInteger.ONE)) {
      return node.withType(to.withNullable(node.nullable));
    }
    if (low.bitLength() <= 63) {
      String code = "#0 - Math.floorMod(#0, " + width + "L)";
      return exact(to, code, low, max(node), node).cost(4);
    }
    ExprNode whole = divided(node, width.longValue());
    return multiplied(call, whole, width.longValue());
  }
}
