package io.aragonite.exec.codegen;

import static io.aragonite.exec.codegen.NumericLowering.MAX_LONG_SCALE;
import static io.aragonite.exec.codegen.NumericLowering.atScale;
import static io.aragonite.exec.codegen.NumericLowering.exact;
import static io.aragonite.exec.codegen.NumericLowering.max;
import static io.aragonite.exec.codegen.NumericLowering.min;
import static io.aragonite.exec.codegen.NumericLowering.scale;

import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Exact arithmetic that loses digits: quotients and remainders, FLOOR, CEIL, ROUND and TRUNCATE.
 */
final class DivisionLowering {
  private final Lowering lowering;
  private final NumericLowering numeric;

  DivisionLowering(Lowering lowering, NumericLowering numeric) {
    this.lowering = lowering;
    this.numeric = numeric;
  }

  /** Drops digits, rounding half away from zero or towards zero. */
  static @Nullable ExprNode dropDigits(ExprNode node, int digits, boolean round, DataType type) {
    if (digits > MAX_LONG_SCALE) {
      return null;
    }
    BigInteger unit = Bounds.powerOfTen(digits);
    BigInteger min = min(node).divide(unit).subtract(BigInteger.ONE);
    BigInteger max = max(node).divide(unit).add(BigInteger.ONE);
    if (node.rep == Rep.LONG) {
      String code = round ? "Arith.divideHalfUp(#0, " + unit + "L)" : "#0 / " + unit + "L";
      return exact(type, Rep.LONG, code, "", min, max, node).cost(3);
    }
    String code = "Arith.divideWide(~0, #0, " + unit + "L, " + round + ", a)";
    return quotientOf(type, code, min, max, node).cost(15);
  }

  /** A 128-bit quotient, which may be known to have 64. */
  static ExprNode quotientOf(
      DataType type, String code, BigInteger min, BigInteger max, ExprNode... args) {
    return Bounds.fitsLong(min, max)
        ? exact(type, Rep.LONG, code, "", min, max, args)
        : exact(type, Rep.WIDE, code, "a.high", min, max, args);
  }

  @Nullable ExprNode quotient(Expr.Call call, ExprNode left, ExprNode right) {
    DataType type = call.type();
    int digits = scale(type) + scale(right.type) - scale(left.type);
    if (right.rep != Rep.LONG || digits < 0) {
      return null;
    }
    boolean decimal = type.kind() == TypeKind.DECIMAL;
    if (!decimal && (scale(left.type) != 0 || scale(right.type) != 0)) {
      return null;
    }
    ExprNode dividend =
        numeric.scaleUp(left, digits, atScale(type, scale(type) + scale(right.type)));
    if (dividend == null || (dividend.rep != Rep.LONG && !decimal)) {
      return null;
    }
    // The quotient by an integer that is not 0 is not larger than the dividend.
    BigInteger limit = min(dividend).abs().max(max(dividend).abs());
    String name = lowering.constants.add(call, "Object");
    if (dividend.rep == Rep.WIDE) {
      String code = "Arith.divideWide(~0, #0, #1, a, " + CodeConstants.variable(name) + ")";
      return numeric.fit(
          call,
          exact(type, Rep.WIDE, code, "a.high", limit.negate(), limit, dividend, right)
              .failing()
              .constants(name)
              .cost(30));
    }
    String code =
        (decimal ? "Arith.divideHalfUp" : "Arith.divide")
            + "(#0, #1, a, "
            + CodeConstants.variable(name)
            + ")";
    // 2^63 itself is an overflow, which the code looks for; -2^63 by 1 is not.
    BigInteger low = limit.negate().max(Bounds.LONG_MIN);
    BigInteger high = limit.min(Bounds.LONG_MAX);
    return numeric.fit(
        call,
        exact(type, Rep.LONG, code, "", low, high, dividend, right)
            .failing()
            .constants(name)
            .cost(8));
  }

  @Nullable ExprNode remainder(Expr.Call call, ExprNode left, ExprNode right) {
    DataType type = call.type();
    int scale = Math.max(scale(left.type), scale(right.type));
    if (scale(type) < scale) {
      return null;
    }
    DataType scaled = atScale(type, scale(type));
    ExprNode a = numeric.scaleUp(left, scale(type) - scale(left.type), scaled);
    ExprNode b = numeric.scaleUp(right, scale(type) - scale(right.type), scaled);
    if (a == null || b == null || a.rep != Rep.LONG || b.rep != Rep.LONG) {
      return null;
    }
    String name = lowering.constants.add(call, "Object");
    String code = "Arith.remainder(#0, #1, a, " + CodeConstants.variable(name) + ")";
    BigInteger min = min(a).min(BigInteger.ZERO);
    BigInteger max = max(a).max(BigInteger.ZERO);
    return numeric.fit(
        call, exact(type, Rep.LONG, code, "", min, max, a, b).failing().constants(name).cost(8));
  }

  @Nullable ExprNode floor(Expr.Call call, ExprNode arg) {
    int scale = scale(arg.type);
    if (scale == 0 && scale(call.type()) == 0) {
      return numeric.fit(call, arg);
    }
    if (scale > MAX_LONG_SCALE) {
      return null;
    }
    BigInteger unit = Bounds.powerOfTen(scale);
    BigInteger min = min(arg).divide(unit).subtract(BigInteger.ONE);
    BigInteger max = max(arg).divide(unit).add(BigInteger.ONE);
    DataType whole = atScale(call.type(), 0);
    boolean down = call.op() == Op.FLOOR;
    ExprNode integral;
    if (arg.rep == Rep.LONG) {
      String code = "Math." + (down ? "floorDiv" : "ceilDiv") + "(#0, " + unit + "L)";
      integral = exact(whole, Rep.LONG, code, "", min, max, arg).cost(3);
    } else {
      String code = "Arith." + (down ? "floorWide" : "ceilWide") + "(~0, #0, " + unit + "L, a)";
      integral = quotientOf(whole, code, min, max, arg).cost(15);
    }
    return numeric.fit(call, numeric.scaleUp(integral, scale(call.type()), call.type()));
  }

  /** ROUND and TRUNCATE to a constant number of digits. */
  @Nullable ExprNode round(Expr.Call call, ExprNode arg) {
    int digits = 0;
    if (call.args().size() > 1) {
      Expr.Literal literal = Lowering.literal(call.args().get(1));
      if (literal == null
          || !(literal.value() instanceof Long count)
          || Math.abs(count) > MAX_LONG_SCALE) {
        return null;
      }
      digits = count.intValue();
    }
    int scale = scale(arg.type);
    DataType type = call.type();
    if (scale(type) < Math.min(Math.max(digits, 0), scale)) {
      return null;
    }
    if (digits >= scale) {
      return numeric.fit(call, numeric.scaleUp(arg, scale(type) - scale, type));
    }
    int dropped = scale - digits;
    boolean half = call.op() == Op.ROUND;
    // The digits that are left stand for 10^-digits each.
    ExprNode rounded = dropDigits(arg, dropped, half, atScale(type, 0));
    int up = scale(type) - digits;
    if (rounded == null || up > MAX_LONG_SCALE) {
      return null;
    }
    return numeric.fit(call, numeric.scaleUp(rounded, up, type));
  }
}
