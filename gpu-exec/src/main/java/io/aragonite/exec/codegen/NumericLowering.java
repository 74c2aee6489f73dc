package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Arithmetic. Exact values are 64-bit where bounds prove that they fit; then additions and
 * multiplications need no check. Where they might not fit and the result type has at most 64 bits,
 * the operation is checked; else it is done in 128 bits, or by the interpreter.
 */
final class NumericLowering {
  static final int MAX_LONG_SCALE = 18;

  final FloatLowering floats;
  private final Lowering lowering;
  private final DivisionLowering division;

  NumericLowering(Lowering lowering) {
    this.lowering = lowering;
    this.floats = new FloatLowering(lowering);
    this.division = new DivisionLowering(lowering, this);
  }

  /** Null if there is no code for it. */
  @Nullable ExprNode lower(Expr.Call call) {
    List<ExprNode> args = new ArrayList<>();
    for (Expr arg : call.args()) {
      ExprNode node = lowering.lower(arg);
      if (node.isConstantNull() && isStrictNumeric(call.op())) {
        return lowering.nothing(call.type(), Lowering.rep(call.type()));
      }
      args.add(node);
    }
    DataType type = call.type();
    if (type.kind().isFloat()) {
      return floats.lower(call, args);
    }
    for (ExprNode arg : args) {
      if (!Bounds.exact(arg)) {
        return null;
      }
    }
    if (Lowering.rep(type) != Rep.LONG && Lowering.rep(type) != Rep.WIDE) {
      return null;
    }
    return switch (call.op()) {
      case PLUS, MINUS -> sum(call, call.op() == Op.PLUS, args.get(0), args.get(1));
      case TIMES -> product(call, args.get(0), args.get(1));
      case DIVIDE -> division.quotient(call, args.get(0), args.get(1));
      case MOD -> division.remainder(call, args.get(0), args.get(1));
      case NEGATE -> negate(call, args.getFirst());
      case ABS -> abs(call, args.getFirst());
      case SIGN -> sign(call, args.getFirst());
      case FLOOR, CEIL -> division.floor(call, args.getFirst());
      case GREATEST, LEAST -> extreme(call, args);
      case ROUND, TRUNCATE -> division.round(call, args.getFirst());
      case BIT_AND, BIT_OR, BIT_XOR, BIT_NOT -> bits(call, args);
      case BIT_COUNT -> bitCount(call, args.getFirst());
      case GCD, LCM -> gcd(call, args);
      default -> null;
    };
  }

  private static boolean isStrictNumeric(Op op) {
    return switch (op) {
      case PLUS, MINUS, TIMES, DIVIDE, MOD, NEGATE, ABS, SIGN, FLOOR, CEIL -> true;
      case BIT_AND, BIT_OR, BIT_XOR, BIT_NOT, BIT_COUNT, GCD, LCM -> true;
      default -> false;
    };
  }

  private @Nullable ExprNode gcd(Expr.Call call, List<ExprNode> args) {
    for (ExprNode arg : args) {
      if (arg.rep != Rep.LONG || !Bounds.exact(arg) || arg.isConstantNull()) {
        return null;
      }
    }
    String name = lowering.constants.add(call, "Object");
    String code =
        (call.op() == Op.GCD
                ? "Arith.subtract(0L, Integers.negativeGcd(#0, #1), a, "
                : "Arith.multiply(Integers.negativeShare(#0, #1), Integers.negative(#1), a, ")
            + CodeConstants.variable(name)
            + ")";
    ExprNode[] both = args.toArray(ExprNode[]::new);
    return Bounds.ofType(
            exact(call.type(), Rep.LONG, code, "", BigInteger.ZERO, BigInteger.ZERO, both))
        .failing()
        .constants(name)
        .cost(100);
  }

  static int scale(DataType type) {
    return type.kind() == TypeKind.DECIMAL ? type.scale() : 0;
  }

  /** An exact operation in 64 or 128 bits. */
  static ExprNode exact(
      DataType type,
      Rep rep,
      String code,
      String second,
      BigInteger min,
      BigInteger max,
      ExprNode... args) {
    boolean nullable = false;
    for (ExprNode arg : args) {
      nullable |= arg.nullable;
    }
    return new ExprNode(
            NodeKind.STRICT,
            type.withNullable(nullable),
            rep,
            List.of(args),
            nullable,
            code,
            second)
        .bounds(min, max);
  }

  static BigInteger min(ExprNode node) {
    return java.util.Objects.requireNonNull(node.min);
  }

  static BigInteger max(ExprNode node) {
    return java.util.Objects.requireNonNull(node.max);
  }

  /** Multiplies by a power of ten, to a type of a larger scale. Null beyond 128 bits. */
  @Nullable ExprNode scaleUp(ExprNode node, int digits, DataType type) {
    if (digits == 0) {
      return node;
    }
    BigInteger factor = Bounds.powerOfTen(digits);
    BigInteger min = min(node).multiply(factor);
    BigInteger max = max(node).multiply(factor);
    if (node.kind == NodeKind.CONSTANT) {
      BigDecimal value = new BigDecimal(min, type.scale());
      return Bounds.fitsWide(min, max) ? lowering.constant(value, type) : null;
    }
    if (digits <= MAX_LONG_SCALE && Bounds.fitsLong(min, max)) {
      return exact(type, Rep.LONG, "#0 * " + factor + "L", "", min, max, node);
    }
    if (!Bounds.fitsWide(min, max)) {
      return null;
    }
    if (node.rep == Rep.LONG && digits <= MAX_LONG_SCALE) {
      return exact(
          type,
          Rep.WIDE,
          "#0 * " + factor + "L",
          "Math.multiplyHigh(#0, " + factor + "L)",
          min,
          max,
          node);
    }
    if (digits <= MAX_LONG_SCALE) {
      return exact(
          type,
          Rep.WIDE,
          "#0 * " + factor + "L",
          "Arith.timesHigh(~0, #0, " + factor + "L)",
          min,
          max,
          node);
    }
    ExprNode half = scaleUp(node, MAX_LONG_SCALE, DataType.decimal(38, 0, node.nullable));
    return half == null ? null : scaleUp(half, digits - MAX_LONG_SCALE, type);
  }

  /** A decimal at the type's scale, if its own is not larger; other values as they are. */
  ExprNode toScale(ExprNode value, DataType type) {
    if (type.kind() != TypeKind.DECIMAL || !Bounds.exact(value)) {
      return value;
    }
    int digits = type.scale() - scale(value.type);
    if (digits <= 0) {
      return value;
    }
    ExprNode scaled = scaleUp(value, digits, type);
    return scaled == null ? value : scaled;
  }

  /** A 64-bit value in 128 bits. */
  ExprNode widen(ExprNode value) {
    if (value.rep == Rep.WIDE) {
      return value;
    }
    if (value.isConstantNull()) {
      return lowering.nothing(value.type, Rep.WIDE);
    }
    return exact(value.type, Rep.WIDE, "#0", "#0 >> 63", min(value), max(value), value);
  }

  /** Checks a value against the type that it is to have, where bounds leave a doubt. */
  @Nullable ExprNode fit(Expr expr, @Nullable ExprNode value) {
    if (value == null) {
      return null;
    }
    DataType type = expr.type();
    if (Bounds.fits(min(value), max(value), type)) {
      return value.withType(type.withNullable(value.nullable));
    }
    BigInteger min = min(value).max(Bounds.min(type));
    BigInteger max = max(value).min(Bounds.max(type));
    if (min.compareTo(max) > 0) {
      return null;
    }
    String name = lowering.constants.add(expr, "Object");
    boolean narrow = Bounds.fitsLong(Bounds.min(type), Bounds.max(type));
    if (narrow) {
      String low = literal(Bounds.min(type));
      String high = literal(Bounds.max(type));
      String code =
          value.rep == Rep.WIDE
              ? "Arith.fit(~0, #0, "
                  + low
                  + ", "
                  + high
                  + ", a, "
                  + CodeConstants.variable(name)
                  + ")"
              : "Arith.fit(#0, " + low + ", " + high + ", a, " + CodeConstants.variable(name) + ")";
      return exact(type, Rep.LONG, code, "", min, max, value).failing().constants(name).cost(1);
    }
    if (value.rep == Rep.LONG) {
      throw new IllegalStateException("a 64-bit value beyond " + type);
    }
    String second =
        "Arith.fitDigits(~0, #0, "
            + type.precision()
            + ", a, "
            + CodeConstants.variable(name)
            + ")";
    return exact(type, Rep.WIDE, "#0", second, min, max, value).failing().constants(name).cost(2);
  }

  private @Nullable ExprNode sum(Expr.Call call, boolean plus, ExprNode left, ExprNode right) {
    int scale = Math.max(scale(left.type), scale(right.type));
    DataType type = call.type();
    if (scale(type) < scale) {
      return null;
    }
    scale = scale(type);
    DataType scaled = atScale(type, scale);
    ExprNode a = scaleUp(left, scale - scale(left.type), scaled);
    ExprNode b = scaleUp(right, scale - scale(right.type), scaled);
    if (a == null || b == null) {
      return null;
    }
    BigInteger min = plus ? min(a).add(min(b)) : min(a).subtract(max(b));
    BigInteger max = plus ? max(a).add(max(b)) : max(a).subtract(min(b));
    boolean narrow = a.rep == Rep.LONG && b.rep == Rep.LONG;
    String sign = plus ? "+" : "-";
    String method = plus ? "add" : "subtract";
    if (narrow && Bounds.fitsLong(min, max)) {
      return fit(call, exact(type, Rep.LONG, "#0 " + sign + " #1", "", min, max, a, b));
    }
    if (narrow && Bounds.fitsLong(Bounds.min(type), Bounds.max(type))) {
      return checked(call, method, min, max, a, b);
    }
    ExprNode x = widen(a);
    ExprNode y = widen(b);
    if (!Bounds.fitsWide(min, max)) {
      // No decimal has so many digits: what leaves 128 bits is an overflow.
      String name = lowering.constants.add(call, "Object");
      String checked =
          "Arith." + method + "High(~0, #0, ~1, #1, a, " + CodeConstants.variable(name) + ")";
      BigInteger low = min.max(Bounds.WIDE_MIN);
      BigInteger top = max.min(Bounds.WIDE_MAX);
      return fit(
          call,
          exact(type, Rep.WIDE, "#0 " + sign + " #1", checked, low, top, x, y)
              .failing()
              .constants(name)
              .cost(2));
    }
    String high = "Arith." + method + "High(~0, #0, ~1, #1)";
    return fit(call, exact(type, Rep.WIDE, "#0 " + sign + " #1", high, min, max, x, y).cost(1));
  }

  static DataType atScale(DataType type, int scale) {
    return type.kind() == TypeKind.DECIMAL
        ? DataType.decimal(DataType.MAX_DECIMAL_PRECISION, scale, type.nullable())
        : type;
  }

  /** A 64-bit operation that raises an error when it leaves 64 bits. */
  private @Nullable ExprNode checked(
      Expr.Call call, String method, BigInteger min, BigInteger max, ExprNode a, ExprNode b) {
    String name = lowering.constants.add(call, "Object");
    String code = "Arith." + method + "(#0, #1, a, " + CodeConstants.variable(name) + ")";
    BigInteger low = min.max(Bounds.LONG_MIN);
    BigInteger high = max.min(Bounds.LONG_MAX);
    if (low.compareTo(high) > 0) {
      return null;
    }
    return fit(
        call,
        exact(call.type(), Rep.LONG, code, "", low, high, a, b).failing().constants(name).cost(1));
  }

  private @Nullable ExprNode product(Expr.Call call, ExprNode a, ExprNode b) {
    DataType type = call.type();
    int scale = scale(a.type) + scale(b.type);
    BigInteger[] corners = {
      min(a).multiply(min(b)),
      min(a).multiply(max(b)),
      max(a).multiply(min(b)),
      max(a).multiply(max(b))
    };
    BigInteger min = least(corners);
    BigInteger max = greatest(corners);
    DataType exactType = atScale(type, scale);
    boolean narrow = a.rep == Rep.LONG && b.rep == Rep.LONG;
    ExprNode product;
    if (narrow && Bounds.fitsLong(min, max)) {
      product = exact(exactType, Rep.LONG, "#0 * #1", "", min, max, a, b).cost(1);
    } else if (narrow
        && scale(type) == scale
        && Bounds.fitsLong(Bounds.min(type), Bounds.max(type))) {
      return checked(call, "multiply", min, max, a, b);
    } else if (narrow) {
      String high = "Math.multiplyHigh(#0, #1)";
      product = exact(exactType, Rep.WIDE, "#0 * #1", high, min, max, a, b).cost(2);
    } else if (Bounds.fitsWide(min, max) && (a.rep == Rep.LONG || b.rep == Rep.LONG)) {
      ExprNode wide = a.rep == Rep.WIDE ? a : b;
      ExprNode factor = a.rep == Rep.WIDE ? b : a;
      String high = "Arith.timesHigh(~0, #0, #1)";
      product = exact(exactType, Rep.WIDE, "#0 * #1", high, min, max, wide, factor).cost(3);
    } else {
      return wideProduct(call, scale, a, b);
    }
    if (type.kind() != TypeKind.DECIMAL) {
      return scale == 0 ? fit(call, product) : null;
    }
    if (scale(type) < scale) {
      return fit(call, DivisionLowering.dropDigits(product, scale - scale(type), true, type));
    }
    return fit(call, scaleUp(product, scale(type) - scale, type));
  }

  /** A product that may leave 128 bits before digits are dropped. */
  private @Nullable ExprNode wideProduct(Expr.Call call, int scale, ExprNode a, ExprNode b) {
    DataType type = call.type();
    int drop = scale - scale(type);
    if (type.kind() != TypeKind.DECIMAL
        || (a.rep != Rep.LONG && b.rep != Rep.LONG)
        || drop < 0
        || drop > MAX_LONG_SCALE) {
      return null;
    }
    ExprNode wide = a.rep == Rep.WIDE ? a : b;
    ExprNode factor = a.rep == Rep.WIDE ? b : a;
    String name = lowering.constants.add(call, "Object");
    String code =
        "Arith.timesWide(~0, #0, #1, %d, %d, a, %s)"
            .formatted(drop, type.precision(), CodeConstants.variable(name));
    BigInteger limit = Bounds.max(type);
    return DivisionLowering.quotientOf(type, code, limit.negate(), limit, wide, factor)
        .failing()
        .constants(name)
        .cost(20);
  }

  private static BigInteger least(BigInteger[] values) {
    BigInteger result = values[0];
    for (BigInteger value : values) {
      result = result.min(value);
    }
    return result;
  }

  private static BigInteger greatest(BigInteger[] values) {
    BigInteger result = values[0];
    for (BigInteger value : values) {
      result = result.max(value);
    }
    return result;
  }

  private @Nullable ExprNode negate(Expr.Call call, ExprNode arg) {
    ExprNode zero = lowering.integer(0, arg.type);
    return scale(arg.type) == scale(call.type()) ? sum(call, false, zero, arg) : null;
  }

  private @Nullable ExprNode abs(Expr.Call call, ExprNode arg) {
    if (arg.rep != Rep.LONG
        || scale(arg.type) != scale(call.type())
        || min(arg).equals(Bounds.LONG_MIN)) {
      return null;
    }
    BigInteger max = min(arg).abs().max(max(arg).abs());
    BigInteger min = min(arg).signum() < 0 ? BigInteger.ZERO : min(arg);
    return fit(call, exact(call.type(), Rep.LONG, "Math.abs(#0)", "", min, max, arg));
  }

  private @Nullable ExprNode sign(Expr.Call call, ExprNode arg) {
    if (arg.rep != Rep.LONG || scale(call.type()) > MAX_LONG_SCALE) {
      return null;
    }
    BigInteger unit = Bounds.powerOfTen(scale(call.type()));
    String code = "Long.signum(#0) * " + unit + "L";
    return fit(call, exact(call.type(), Rep.LONG, code, "", unit.negate(), unit, arg));
  }

  /** Integers of the result's kind: so are the result's bits, whatever its width. */
  private static @Nullable ExprNode bits(Expr.Call call, List<ExprNode> args) {
    DataType type = call.type();
    for (ExprNode arg : args) {
      if (!type.kind().isInteger() || arg.type.kind() != type.kind()) {
        return null;
      }
    }
    String code =
        switch (call.op()) {
          case BIT_AND -> "#0 & #1";
          case BIT_OR -> "#0 | #1";
          case BIT_XOR -> "#0 ^ #1";
          default -> "#0 ^ -1L";
        };
    return exact(
        type,
        Rep.LONG,
        code,
        "",
        Bounds.min(type),
        Bounds.max(type),
        args.toArray(new ExprNode[0]));
  }

  private static @Nullable ExprNode bitCount(Expr.Call call, ExprNode arg) {
    if (arg.rep != Rep.LONG) {
      return null;
    }
    BigInteger all = BigInteger.valueOf(Long.SIZE);
    return exact(call.type(), Rep.LONG, "(long) Long.bitCount(#0)", "", BigInteger.ZERO, all, arg);
  }

  private @Nullable ExprNode extreme(Expr.Call call, List<ExprNode> args) {
    ExprNode result = args.getFirst();
    for (ExprNode arg : args) {
      if (arg.rep != Rep.LONG || scale(arg.type) != scale(call.type())) {
        return null;
      }
      if (arg != result) {
        boolean greatest = call.op() == Op.GREATEST;
        BigInteger min = greatest ? min(result).max(min(arg)) : min(result).min(min(arg));
        BigInteger max = greatest ? max(result).max(max(arg)) : max(result).min(max(arg));
        String code = greatest ? "Math.max(#0, #1)" : "Math.min(#0, #1)";
        result = exact(call.type(), Rep.LONG, code, "", min, max, result, arg);
      }
    }
    return fit(call, result);
  }

  // Casts among numbers

  private ExprNode toReal(Expr.Call call, ExprNode value, DataType type) {
    String name = lowering.constants.add(call, "Object");
    String code = "Arith.toReal(#0, a, " + CodeConstants.variable(name) + ")";
    DataType nullable = type.withNullable(value.nullable);
    return new ExprNode(
            NodeKind.STRICT, nullable, Rep.DOUBLE, List.of(value), value.nullable, code, "")
        .failing()
        .constants(name)
        .cost(1);
  }

  @Nullable ExprNode cast(Expr.Call call, ExprNode value, DataType type) {
    if (type.kind().isFloat()) {
      if (value.rep != Rep.DOUBLE && !Bounds.exact(value) && value.rep != Rep.BOOL) {
        return null;
      }
      ExprNode number = floats.toDouble(value);
      if (type.kind() != TypeKind.FLOAT32 || value.type.kind() == TypeKind.FLOAT32) {
        return number.withType(type.withNullable(number.nullable));
      }
      return value.type.kind() == TypeKind.FLOAT64
          ? toReal(call, number, type)
          : FloatLowering.floating(type, "#0", List.of(number)); // no exact one is too large
    }
    if (!type.kind().isInteger() && type.kind() != TypeKind.DECIMAL) {
      return null;
    }
    if (value.rep == Rep.DOUBLE && type.kind().isInteger()) {
      String name = lowering.constants.add(call, "Object");
      String code =
          "Arith.toLong(#0, "
              + literal(Bounds.min(type))
              + ", "
              + literal(Bounds.max(type))
              + ", a, "
              + CodeConstants.variable(name)
              + ")";
      return exact(type, Rep.LONG, code, "", Bounds.min(type), Bounds.max(type), value)
          .failing()
          .constants(name)
          .cost(3);
    }
    if (!Bounds.exact(value)) {
      return null;
    }
    int digits = scale(type) - scale(value.type);
    if (digits >= 0) {
      return fit(call, scaleUp(value, digits, atScale(type, scale(type))));
    }
    return fit(call, DivisionLowering.dropDigits(value, -digits, true, type));
  }

  /** A Java literal; the smallest long is one only with its minus sign. */
  static String literal(BigInteger value) {
    return value.equals(Bounds.LONG_MIN) ? "Long.MIN_VALUE" : value + "L";
  }
}
