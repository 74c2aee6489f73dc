package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.expr.DateTimes;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.expr.TimeUnit;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Operations on dates, times and intervals. */
final class TimeLowering {
  private static final BigInteger DAY = BigInteger.valueOf(DateTimes.MILLIS_PER_DAY);

  /** Years beyond which no date is computed without the interpreter's checks. */
  private static final BigInteger MAX_DAYS = BigInteger.valueOf(3_000_000);

  private final Lowering lowering;

  TimeLowering(Lowering lowering) {
    this.lowering = lowering;
  }

  boolean isTime(TypeKind kind) {
    return switch (kind) {
      case DATE, TIME, TIMESTAMP, INTERVAL_DAY, INTERVAL_MONTH -> true;
      default -> false;
    };
  }

  private static boolean isInterval(TypeKind kind) {
    return kind == TypeKind.INTERVAL_DAY || kind == TypeKind.INTERVAL_MONTH;
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
      days = toDays(arg);
    } else if (kind == TypeKind.TIMESTAMP) {
      String name = lowering.constants.add(unit, "TimeUnit");
      String code = "DateTimes.extractTimestamp(" + CodeConstants.variable(name) + ", #0)";
      ExprNode node = exact(call.type(), code, BigInteger.ZERO, BigInteger.ZERO, arg);
      return Bounds.ofType(node).constants(name).cost(10);
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

  private static ExprNode toDays(ExprNode timestamp) {
    BigInteger min =
        BigInteger.valueOf(Math.floorDiv(min(timestamp).longValue(), DateTimes.MILLIS_PER_DAY));
    BigInteger max =
        BigInteger.valueOf(Math.floorDiv(max(timestamp).longValue(), DateTimes.MILLIS_PER_DAY));
    return exact(
            DataType.INT64,
            "Math.floorDiv(#0, " + DateTimes.MILLIS_PER_DAY + "L)",
            min,
            max,
            timestamp)
        .cost(4);
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
    String name = lowering.constants.add(unit, "TimeUnit");
    String method =
        (call.op() == Op.FLOOR_TIME ? "floor" : "ceil")
            + (kind == TypeKind.DATE ? "Date" : "Timestamp");
    String code = "DateTimes." + method + "(" + CodeConstants.variable(name) + ", #0)";
    ExprNode node = exact(call.type(), code, BigInteger.ZERO, BigInteger.ZERO, arg);
    return Bounds.ofType(node).constants(name).cost(10);
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
    BigInteger low;
    BigInteger high;
    String code;
    if (intervalKind == TypeKind.INTERVAL_MONTH) {
      // A month has at most 31 days, so this is more than enough to either side.
      BigInteger unit = BigInteger.valueOf(31).multiply(date ? BigInteger.ONE : DAY);
      BigInteger least = min(interval).min(BigInteger.ZERO).subtract(BigInteger.ONE);
      BigInteger most = max(interval).max(BigInteger.ZERO).add(BigInteger.ONE);
      low = min(value).add(least.multiply(unit));
      high = max(value).add(most.multiply(unit));
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

  private @Nullable ExprNode minus(Expr.Call call) {
    ExprNode a = lowering.lower(call.args().get(0));
    ExprNode b = lowering.lower(call.args().get(1));
    TypeKind kind = call.args().get(0).type().kind();
    if (!Bounds.exact(a)
        || !Bounds.exact(b)
        || a.isConstantNull()
        || b.isConstantNull()
        || kind != call.args().get(1).type().kind()
        || call.type().kind() != TypeKind.INTERVAL_DAY) {
      return null;
    }
    BigInteger unit = kind == TypeKind.DATE ? DAY : BigInteger.ONE;
    BigInteger min = min(a).subtract(max(b)).multiply(unit);
    BigInteger max = max(a).subtract(min(b)).multiply(unit);
    String code = kind == TypeKind.DATE ? "(#0 - #1) * " + DAY + "L" : "#0 - #1";
    return Bounds.fitsLong(min, max) ? exact(call.type(), code, min, max, a, b) : null;
  }

  /** CAST from or to dates and times; null if there is no code for it. */
  @Nullable ExprNode cast(Expr.Call call, ExprNode value, DataType from, DataType to) {
    if (!Bounds.exact(value)) {
      return null;
    }
    DataType type = to.withNullable(value.nullable);
    if (from.kind() == to.kind()) {
      boolean exactly =
          from.kind() == TypeKind.DATE
              || from.kind() == TypeKind.INTERVAL_DAY
              || from.kind() == TypeKind.INTERVAL_MONTH
              || to.precision() >= from.precision();
      return exactly ? value.withType(type) : null;
    }
    if (from.kind() == TypeKind.TIMESTAMP && to.kind() == TypeKind.DATE) {
      return lowering.fit(call, toDays(value));
    }
    if (from.kind() == TypeKind.DATE && to.kind() == TypeKind.TIMESTAMP) {
      String code = "#0 * " + DAY + "L";
      return exact(type, code, min(value).multiply(DAY), max(value).multiply(DAY), value);
    }
    if ((from.kind().isInteger() || isTime(from.kind()))
        && (to.kind().isInteger() || isInterval(to.kind()))) {
      // Of an interval the number of its milliseconds or months.
      return lowering.fit(call, value);
    }
    return null;
  }
}
