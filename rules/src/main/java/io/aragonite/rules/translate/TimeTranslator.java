package io.aragonite.rules.translate;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.expr.TimeUnit;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.Arrays;
import java.util.List;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/** Parts of dates and times, and their sums and differences with intervals. */
final class TimeTranslator {
  private final RexTranslator translator;
  private final TimestampDifferences differences;

  TimeTranslator(RexTranslator translator, TimestampDifferences differences) {
    this.translator = translator;
    this.differences = differences;
  }

  static @Nullable Expr unit(RexNode flag) {
    if (!(flag instanceof RexLiteral literal)
        || !(literal.getValue() instanceof TimeUnitRange range)) {
      return null;
    }
    String name = range.name();
    boolean known = Arrays.stream(TimeUnit.values()).anyMatch(unit -> unit.name().equals(name));
    return known ? Expr.literal(name, DataType.VARCHAR) : null;
  }

  @Nullable Expr extract(RexCall call) {
    Expr unit = unit(call.getOperands().get(0));
    RexNode operand = call.getOperands().get(1);
    boolean time =
        switch (TypeMapping.of(operand.getType()).kind()) {
          case DATE, TIME, TIMESTAMP, INTERVAL_MONTH, INTERVAL_DAY -> true;
          default -> false;
        };
    if (unit == null || !time) {
      return null;
    }
    DataType type = TypeMapping.of(call.getType());
    Expr millis = isShort(unit) ? null : differences.millis(operand);
    Expr from =
        millis == null
            ? translator.translate(operand)
            : CastTranslation.cast(millis, TypeMapping.of(operand.getType()));
    Expr value = Expr.call(Op.EXTRACT, DataType.INT64.withNullable(type.nullable()), unit, from);
    return CastTranslation.cast(value, type);
  }

  /** Whether a unit is shorter than a millisecond. */
  private static boolean isShort(Expr unit) {
    return unit instanceof Expr.Literal literal
        && (TimeUnit.MICROSECOND.name().equals(literal.value())
            || TimeUnit.NANOSECOND.name().equals(literal.value()));
  }

  @Nullable Expr datetimePlus(RexCall call) {
    RexNode time = call.getOperands().get(0);
    RexNode interval = call.getOperands().get(1);
    if (TypeMapping.of(time.getType()).kind().isInterval()) {
      RexNode swap = time;
      time = interval;
      interval = swap;
    }
    if (!TypeMapping.of(interval.getType()).kind().isInterval()
        || TypeMapping.of(time.getType()).kind() != TypeMapping.of(call.getType()).kind()) {
      return null;
    }
    return shifted(
        translator.translate(time), translator.translate(interval), TypeMapping.of(call.getType()));
  }

  private static Expr shifted(Expr time, Expr interval, DataType type) {
    DataType own =
        type.kind() == TypeKind.TIMESTAMP && time.type().precision() > type.precision()
            ? time.type().withNullable(type.nullable())
            : type;
    Expr from = own.kind() == TypeKind.TIMESTAMP ? CastTranslation.cast(time, own) : time;
    return CastTranslation.cast(Expr.call(Op.DATETIME_PLUS, own, from, interval), type);
  }

  @Nullable Expr datetimeMinus(RexCall call) {
    List<RexNode> operands = call.getOperands();
    DataType type = TypeMapping.of(call.getType());
    Expr left = translator.translate(operands.get(0));
    Expr right = translator.translate(operands.get(1));
    if (right.type().kind().isInterval()) {
      if (left.type().kind() != type.kind()) {
        return null;
      }
      return shifted(left, negated(right), type);
    }
    List<Expr> same = CastTranslation.aligned(left, right);
    return same == null || !type.kind().isInterval()
        ? null
        : new Expr.Call(Op.DATETIME_MINUS, same, type);
  }

  private static Expr negated(Expr interval) {
    if (interval instanceof Expr.Literal literal && literal.value() instanceof Long value) {
      return Expr.literal(Math.negateExact(value), literal.type());
    }
    return Expr.call(Op.NEGATE, interval.type(), interval);
  }
}
