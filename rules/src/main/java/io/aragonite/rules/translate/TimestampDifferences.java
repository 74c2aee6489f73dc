package io.aragonite.rules.translate;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Differences of timestamps with more than milliseconds. An interval counts milliseconds, so what
 * only looks at a difference takes it as a number of the timestamps' unit.
 */
final class TimestampDifferences {
  private final RexTranslator translator;

  TimestampDifferences(RexTranslator translator) {
    this.translator = translator;
  }

  /** A difference in the unit of its timestamps. */
  private record Difference(Expr count, TimestampUnit unit) {}

  private static boolean isDays(RexNode node) {
    return TypeMapping.of(node.getType()).kind() == TypeKind.INTERVAL_DAY;
  }

  /** The difference that an expression is, null if it is none or one of milliseconds. */
  private @Nullable Difference of(RexNode given) {
    RexNode node = given;
    while (node.isA(SqlKind.CAST) && isDays(node)) {
      node = ((RexCall) node).getOperands().get(0);
    }
    if (!isDays(node)
        || !(node instanceof RexCall call)
        || !call.getOperator().equals(SqlStdOperatorTable.MINUS_DATE)
        || call.getOperands().stream().noneMatch(TimestampDifferences::isFine)) {
      return null;
    }
    List<Expr> operands = translator.translateAll(call.getOperands());
    List<Expr> same = CastTranslation.aligned(operands.get(0), operands.get(1));
    if (same == null) {
      return null;
    }
    DataType number = DataType.INT64.withNullable(TypeMapping.of(call.getType()).nullable());
    Expr count =
        Expr.call(
            Op.MINUS,
            number,
            CastTranslation.cast(same.get(0), DataType.INT64),
            CastTranslation.cast(same.get(1), DataType.INT64));
    return new Difference(count, same.get(0).type().timestampUnit());
  }

  private static boolean isFine(RexNode operand) {
    DataType type = TypeMapping.of(operand.getType());
    return type.kind() == TypeKind.TIMESTAMP && type.timestampUnit() != TimestampUnit.MILLIS;
  }

  /** A difference's whole milliseconds, as a number; null if the expression is none of these. */
  @Nullable Expr millis(RexNode node) {
    Difference difference = of(node);
    return difference == null
        ? null
        : Expr.call(
            Op.DIVIDE,
            difference.count.type(),
            difference.count,
            Expr.literal(difference.unit.perMilli(), DataType.INT64));
  }

  /** Two intervals as numbers that compare as they do; null if none of them is a difference. */
  @Nullable List<Expr> comparable(RexNode left, RexNode right) {
    Difference a = isDays(left) ? of(left) : null;
    Difference b = isDays(right) ? of(right) : null;
    if (a == null && b == null || !isDays(left) || !isDays(right)) {
      return null;
    }
    Difference x = a == null ? ofInterval(left) : a;
    Difference y = b == null ? ofInterval(right) : b;
    TimestampUnit unit = x.unit.compareTo(y.unit) >= 0 ? x.unit : y.unit;
    return List.of(count(x, unit), count(y, unit));
  }

  private Difference ofInterval(RexNode interval) {
    Expr millis = CastTranslation.cast(translator.translate(interval), DataType.INT64);
    return new Difference(millis, TimestampUnit.MILLIS);
  }

  private static Expr count(Difference difference, TimestampUnit unit) {
    long factor = unit.perMilli() / difference.unit.perMilli();
    return factor == 1
        ? difference.count
        : Expr.call(
            Op.TIMES,
            difference.count.type(),
            difference.count,
            Expr.literal(factor, DataType.INT64));
  }
}
