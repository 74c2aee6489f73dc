package io.aragonite.exec.device.cpu.codegen;

import io.aragonite.exec.device.cpu.codegen.Node.Kind;
import io.aragonite.exec.device.cpu.codegen.Node.Rep;
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
  private static final int MAX_LONG_SCALE = 18;
  private static final int MAX_LIST_COMPARISONS = 3;

  private final Lowering lowering;

  NumericLowering(Lowering lowering) {
    this.lowering = lowering;
  }

  /** Null if there is no code for it. */
  @Nullable Node lower(Expr.Call call) {
    List<Node> args = new ArrayList<>();
    for (Expr arg : call.args()) {
      Node node = lowering.lower(arg);
      if (node.isConstantNull() && isStrictNumeric(call.op())) {
        return lowering.nothing(call.type(), Lowering.rep(call.type()));
      }
      args.add(node);
    }
    DataType type = call.type();
    if (type.kind().isFloat()) {
      return floating(call, args);
    }
    for (Node arg : args) {
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
      case DIVIDE -> quotient(call, args.get(0), args.get(1));
      case MOD -> remainder(call, args.get(0), args.get(1));
      case NEGATE -> negate(call, args.getFirst());
      case ABS -> abs(call, args.getFirst());
      case SIGN -> sign(call, args.getFirst());
      case FLOOR, CEIL -> floor(call, args.getFirst());
      case GREATEST, LEAST -> extreme(call, args);
      case ROUND, TRUNCATE -> round(call, args.getFirst());
      case BIT_AND, BIT_OR, BIT_XOR, BIT_NOT -> bits(call, args);
      default -> null;
    };
  }

  private static boolean isStrictNumeric(Op op) {
    return switch (op) {
      case PLUS, MINUS, TIMES, DIVIDE, MOD, NEGATE, ABS, SIGN, FLOOR, CEIL -> true;
      case BIT_AND, BIT_OR, BIT_XOR, BIT_NOT -> true;
      default -> false;
    };
  }

  static int scale(DataType type) {
    return type.kind() == TypeKind.DECIMAL ? type.scale() : 0;
  }

  /** An exact operation in 64 or 128 bits. */
  private static Node exact(
      DataType type,
      Rep rep,
      String code,
      String second,
      BigInteger min,
      BigInteger max,
      Node... args) {
    boolean nullable = false;
    for (Node arg : args) {
      nullable |= arg.nullable;
    }
    return new Node(
            Kind.STRICT, type.withNullable(nullable), rep, List.of(args), nullable, code, second)
        .bounds(min, max);
  }

  private static BigInteger min(Node node) {
    return java.util.Objects.requireNonNull(node.min);
  }

  private static BigInteger max(Node node) {
    return java.util.Objects.requireNonNull(node.max);
  }

  /** Multiplies by a power of ten, to a type of a larger scale. Null beyond 128 bits. */
  private @Nullable Node scaleUp(Node node, int digits, DataType type) {
    if (digits == 0) {
      return node;
    }
    BigInteger factor = Bounds.powerOfTen(digits);
    BigInteger min = min(node).multiply(factor);
    BigInteger max = max(node).multiply(factor);
    if (node.kind == Kind.CONSTANT) {
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
    Node half = scaleUp(node, MAX_LONG_SCALE, DataType.decimal(38, 0, node.nullable));
    return half == null ? null : scaleUp(half, digits - MAX_LONG_SCALE, type);
  }

  /** A decimal at the type's scale, if its own is not larger; other values as they are. */
  Node toScale(Node value, DataType type) {
    if (type.kind() != TypeKind.DECIMAL || !Bounds.exact(value)) {
      return value;
    }
    int digits = type.scale() - scale(value.type);
    if (digits <= 0) {
      return value;
    }
    Node scaled = scaleUp(value, digits, type);
    return scaled == null ? value : scaled;
  }

  /** A 64-bit value in 128 bits. */
  Node widen(Node value) {
    if (value.rep == Rep.WIDE) {
      return value;
    }
    if (value.isConstantNull()) {
      return lowering.nothing(value.type, Rep.WIDE);
    }
    return exact(value.type, Rep.WIDE, "#0", "#0 >> 63", min(value), max(value), value);
  }

  /** Checks a value against the type that it is to have, where bounds leave a doubt. */
  @Nullable Node fit(Expr expr, @Nullable Node value) {
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
              ? "Arith.fit(~0, #0, " + low + ", " + high + ", a, " + Constants.variable(name) + ")"
              : "Arith.fit(#0, " + low + ", " + high + ", a, " + Constants.variable(name) + ")";
      return exact(type, Rep.LONG, code, "", min, max, value).failing().constants(name).cost(1);
    }
    if (value.rep == Rep.LONG) {
      throw new IllegalStateException("a 64-bit value beyond " + type);
    }
    String second =
        "Arith.fitDigits(~0, #0, " + type.precision() + ", a, " + Constants.variable(name) + ")";
    return exact(type, Rep.WIDE, "#0", second, min, max, value).failing().constants(name).cost(2);
  }

  private @Nullable Node sum(Expr.Call call, boolean plus, Node left, Node right) {
    int scale = Math.max(scale(left.type), scale(right.type));
    DataType type = call.type();
    if (scale(type) < scale) {
      return null;
    }
    scale = scale(type);
    DataType scaled = atScale(type, scale);
    Node a = scaleUp(left, scale - scale(left.type), scaled);
    Node b = scaleUp(right, scale - scale(right.type), scaled);
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
    Node x = widen(a);
    Node y = widen(b);
    if (!Bounds.fitsWide(min, max)) {
      // No decimal has so many digits: what leaves 128 bits is an overflow.
      String name = lowering.constants.add(call, "Object");
      String checked =
          "Arith." + method + "High(~0, #0, ~1, #1, a, " + Constants.variable(name) + ")";
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

  private static DataType atScale(DataType type, int scale) {
    return type.kind() == TypeKind.DECIMAL
        ? DataType.decimal(DataType.MAX_DECIMAL_PRECISION, scale, type.nullable())
        : type;
  }

  /** A 64-bit operation that raises an error when it leaves 64 bits. */
  private @Nullable Node checked(
      Expr.Call call, String method, BigInteger min, BigInteger max, Node a, Node b) {
    String name = lowering.constants.add(call, "Object");
    String code = "Arith." + method + "(#0, #1, a, " + Constants.variable(name) + ")";
    BigInteger low = min.max(Bounds.LONG_MIN);
    BigInteger high = max.min(Bounds.LONG_MAX);
    if (low.compareTo(high) > 0) {
      return null;
    }
    return fit(
        call,
        exact(call.type(), Rep.LONG, code, "", low, high, a, b).failing().constants(name).cost(1));
  }

  private @Nullable Node product(Expr.Call call, Node a, Node b) {
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
    Node product;
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
      Node wide = a.rep == Rep.WIDE ? a : b;
      Node factor = a.rep == Rep.WIDE ? b : a;
      String high = "Arith.timesHigh(~0, #0, #1)";
      product = exact(exactType, Rep.WIDE, "#0 * #1", high, min, max, wide, factor).cost(3);
    } else {
      return wideProduct(call, scale, a, b);
    }
    if (type.kind() != TypeKind.DECIMAL) {
      return scale == 0 ? fit(call, product) : null;
    }
    if (scale(type) < scale) {
      return fit(call, dropDigits(product, scale - scale(type), true, type));
    }
    return fit(call, scaleUp(product, scale(type) - scale, type));
  }

  /** A product that may leave 128 bits before digits are dropped. */
  private @Nullable Node wideProduct(Expr.Call call, int scale, Node a, Node b) {
    DataType type = call.type();
    int drop = scale - scale(type);
    if (type.kind() != TypeKind.DECIMAL
        || (a.rep != Rep.LONG && b.rep != Rep.LONG)
        || drop < 0
        || drop > MAX_LONG_SCALE) {
      return null;
    }
    Node wide = a.rep == Rep.WIDE ? a : b;
    Node factor = a.rep == Rep.WIDE ? b : a;
    String name = lowering.constants.add(call, "Object");
    String code =
        "Arith.timesWide(~0, #0, #1, %d, %d, a, %s)"
            .formatted(drop, type.precision(), Constants.variable(name));
    BigInteger limit = Bounds.max(type);
    return quotientOf(type, code, limit.negate(), limit, wide, factor)
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

  /** Drops digits, rounding half away from zero or towards zero. */
  private static @Nullable Node dropDigits(Node node, int digits, boolean round, DataType type) {
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
  private static Node quotientOf(
      DataType type, String code, BigInteger min, BigInteger max, Node... args) {
    return Bounds.fitsLong(min, max)
        ? exact(type, Rep.LONG, code, "", min, max, args)
        : exact(type, Rep.WIDE, code, "a.high", min, max, args);
  }

  private @Nullable Node quotient(Expr.Call call, Node left, Node right) {
    DataType type = call.type();
    int digits = scale(type) + scale(right.type) - scale(left.type);
    if (right.rep != Rep.LONG || digits < 0) {
      return null;
    }
    boolean decimal = type.kind() == TypeKind.DECIMAL;
    if (!decimal && (scale(left.type) != 0 || scale(right.type) != 0)) {
      return null;
    }
    Node dividend = scaleUp(left, digits, atScale(type, scale(type) + scale(right.type)));
    if (dividend == null || (dividend.rep != Rep.LONG && !decimal)) {
      return null;
    }
    // The quotient by an integer that is not 0 is not larger than the dividend.
    BigInteger limit = min(dividend).abs().max(max(dividend).abs());
    String name = lowering.constants.add(call, "Object");
    if (dividend.rep == Rep.WIDE) {
      String code = "Arith.divideWide(~0, #0, #1, a, " + Constants.variable(name) + ")";
      return fit(
          call,
          exact(type, Rep.WIDE, code, "a.high", limit.negate(), limit, dividend, right)
              .failing()
              .constants(name)
              .cost(30));
    }
    String code =
        (decimal ? "Arith.divideHalfUp" : "Arith.divide")
            + "(#0, #1, a, "
            + Constants.variable(name)
            + ")";
    // 2^63 itself is an overflow, which the code looks for; -2^63 by 1 is not.
    BigInteger low = limit.negate().max(Bounds.LONG_MIN);
    BigInteger high = limit.min(Bounds.LONG_MAX);
    return fit(
        call,
        exact(type, Rep.LONG, code, "", low, high, dividend, right)
            .failing()
            .constants(name)
            .cost(8));
  }

  private @Nullable Node remainder(Expr.Call call, Node left, Node right) {
    DataType type = call.type();
    int scale = Math.max(scale(left.type), scale(right.type));
    if (scale(type) < scale) {
      return null;
    }
    DataType scaled = atScale(type, scale(type));
    Node a = scaleUp(left, scale(type) - scale(left.type), scaled);
    Node b = scaleUp(right, scale(type) - scale(right.type), scaled);
    if (a == null || b == null || a.rep != Rep.LONG || b.rep != Rep.LONG) {
      return null;
    }
    String name = lowering.constants.add(call, "Object");
    String code = "Arith.remainder(#0, #1, a, " + Constants.variable(name) + ")";
    BigInteger min = min(a).min(BigInteger.ZERO);
    BigInteger max = max(a).max(BigInteger.ZERO);
    return fit(
        call, exact(type, Rep.LONG, code, "", min, max, a, b).failing().constants(name).cost(8));
  }

  private @Nullable Node negate(Expr.Call call, Node arg) {
    Node zero = lowering.integer(0, arg.type);
    return scale(arg.type) == scale(call.type()) ? sum(call, false, zero, arg) : null;
  }

  private @Nullable Node abs(Expr.Call call, Node arg) {
    if (arg.rep != Rep.LONG
        || scale(arg.type) != scale(call.type())
        || min(arg).equals(Bounds.LONG_MIN)) {
      return null;
    }
    BigInteger max = min(arg).abs().max(max(arg).abs());
    BigInteger min = min(arg).signum() < 0 ? BigInteger.ZERO : min(arg);
    return fit(call, exact(call.type(), Rep.LONG, "Math.abs(#0)", "", min, max, arg));
  }

  private @Nullable Node sign(Expr.Call call, Node arg) {
    if (arg.rep != Rep.LONG || scale(call.type()) > MAX_LONG_SCALE) {
      return null;
    }
    BigInteger unit = Bounds.powerOfTen(scale(call.type()));
    String code = "Long.signum(#0) * " + unit + "L";
    return fit(call, exact(call.type(), Rep.LONG, code, "", unit.negate(), unit, arg));
  }

  private @Nullable Node floor(Expr.Call call, Node arg) {
    int scale = scale(arg.type);
    if (scale == 0 && scale(call.type()) == 0) {
      return fit(call, arg);
    }
    if (arg.rep != Rep.LONG || scale > MAX_LONG_SCALE) {
      return null;
    }
    BigInteger unit = Bounds.powerOfTen(scale);
    boolean down = call.op() == Op.FLOOR;
    String code = "Math." + (down ? "floorDiv" : "ceilDiv") + "(#0, " + unit + "L)";
    BigInteger min = min(arg).divide(unit).subtract(BigInteger.ONE);
    BigInteger max = max(arg).divide(unit).add(BigInteger.ONE);
    DataType whole = atScale(call.type(), 0);
    Node integral = exact(whole, Rep.LONG, code, "", min, max, arg).cost(3);
    return fit(call, scaleUp(integral, scale(call.type()), call.type()));
  }

  /** ROUND and TRUNCATE to a constant number of digits. */
  private @Nullable Node round(Expr.Call call, Node arg) {
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
      return fit(call, scaleUp(arg, scale(type) - scale, type));
    }
    int dropped = scale - digits;
    boolean half = call.op() == Op.ROUND;
    // The digits that are left stand for 10^-digits each.
    Node rounded = dropDigits(arg, dropped, half, atScale(type, 0));
    int up = scale(type) - digits;
    if (rounded == null || up > MAX_LONG_SCALE) {
      return null;
    }
    return fit(call, scaleUp(rounded, up, type));
  }

  /** Integers of the result's kind: so are the result's bits, whatever its width. */
  private static @Nullable Node bits(Expr.Call call, List<Node> args) {
    DataType type = call.type();
    for (Node arg : args) {
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
        type, Rep.LONG, code, "", Bounds.min(type), Bounds.max(type), args.toArray(new Node[0]));
  }

  private @Nullable Node extreme(Expr.Call call, List<Node> args) {
    Node result = args.getFirst();
    for (Node arg : args) {
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

  // Comparisons

  @Nullable Node compare(Op op, String sign, Node left, Node right) {
    Node a = left;
    Node b = right;
    int scale = Math.max(scale(a.type), scale(b.type));
    if (scale(a.type) != scale(b.type)) {
      DataType type = DataType.decimal(DataType.MAX_DECIMAL_PRECISION, scale, true);
      Node x = scaleUp(a, scale - scale(a.type), type);
      Node y = scaleUp(b, scale - scale(b.type), type);
      if (x == null || y == null) {
        return null;
      }
      a = x;
      b = y;
    }
    if (a.rep == Rep.LONG && b.rep == Rep.LONG) {
      Node node = Lowering.truth("#0 " + sign + " #1", a, b);
      node.bit = bit(op, a, b);
      return node;
    }
    a = widen(a);
    b = widen(b);
    return switch (op) {
      case EQ -> Lowering.truth("#0 == #1 & ~0 == ~1", a, b);
      case NE -> Lowering.truth("#0 != #1 | ~0 != ~1", a, b);
      default -> Lowering.truth("Arith.compare(~0, #0, ~1, #1) " + sign + " 0", a, b).cost(2);
    };
  }

  /** The sign of the difference, where that cannot overflow. */
  private static @Nullable String bit(Op op, Node a, Node b) {
    if (!Bounds.fitsLong(min(a).subtract(max(b)), max(a).subtract(min(b)))
        || !Bounds.fitsLong(min(b).subtract(max(a)), max(b).subtract(min(a)))) {
      return null;
    }
    return switch (op) {
      case LT -> "(#0 - #1 >>> 63)";
      case GE -> "(#0 - #1 >>> 63 ^ 1L)";
      case GT -> "(#1 - #0 >>> 63)";
      case LE -> "(#1 - #0 >>> 63 ^ 1L)";
      case EQ -> "((#0 - #1 | #1 - #0) >>> 63 ^ 1L)";
      case NE -> "((#0 - #1 | #1 - #0) >>> 63)";
      default -> null;
    };
  }

  /** IN over 64-bit values. */
  Node inList(Node value, List<Object> wanted) {
    int scale = scale(value.type);
    List<Long> members = new ArrayList<>();
    for (Object item : wanted) {
      BigDecimal decimal =
          item instanceof BigDecimal given ? given : BigDecimal.valueOf((Long) item);
      BigDecimal stripped = decimal.stripTrailingZeros();
      if (stripped.scale() <= scale) {
        BigInteger unscaled = stripped.setScale(scale).unscaledValue();
        if (unscaled.bitLength() <= 63) {
          members.add(unscaled.longValue());
        }
      }
    }
    if (!members.isEmpty() && members.size() <= MAX_LIST_COMPARISONS) {
      StringBuilder code = new StringBuilder();
      String[] names = new String[members.size()];
      for (int i = 0; i < names.length; i++) {
        names[i] = lowering.constants.add(members.get(i));
        code.append(i == 0 ? "" : " | ").append("#0 == ").append(names[i]);
      }
      return Lowering.truth(code.toString(), value).constants(names).cost(names.length);
    }
    String name = lowering.constants.add(LongSet.of(members), "LongSet");
    return Lowering.truth(Constants.variable(name) + ".contains(#0)", value)
        .constants(name)
        .cost(4);
  }

  // Floats

  Node toDouble(Node value) {
    if (value.rep == Rep.DOUBLE) {
      return value;
    }
    DataType type = DataType.FLOAT64.withNullable(value.nullable);
    if (value.isConstantNull()) {
      return lowering.nothing(type, Rep.DOUBLE);
    }
    int scale = scale(value.type);
    String code =
        value.rep == Rep.BOOL
            ? "(#0 ? 1.0 : 0.0)"
            : value.rep == Rep.WIDE
                ? "Arith.toDouble(~0, #0, " + scale + ")"
                : scale == 0 ? "(double) #0" : "Arith.toDouble(#0, " + scale + ")";
    Node node = new Node(Kind.STRICT, type, Rep.DOUBLE, List.of(value), value.nullable, code, "");
    return value.rep == Rep.WIDE ? node.guarded().cost(50) : node.cost(1);
  }

  private static Node floating(DataType type, String code, List<Node> args) {
    boolean nullable = args.stream().anyMatch(arg -> arg.nullable);
    String rounded = type.kind() == TypeKind.FLOAT32 ? "(double) (float) (" + code + ")" : code;
    return new Node(
        Kind.STRICT, type.withNullable(nullable), Rep.DOUBLE, args, nullable, rounded, "");
  }

  private @Nullable Node floating(Expr.Call call, List<Node> args) {
    List<Node> doubles = new ArrayList<>();
    for (Node arg : args) {
      if (arg.rep != Rep.DOUBLE && !Bounds.exact(arg)) {
        return null;
      }
      doubles.add(toDouble(arg));
    }
    // Operands that are exact are rounded by the interpreter in other ways here and there.
    boolean mixed = args.stream().anyMatch(arg -> arg.rep != Rep.DOUBLE);
    DataType type = call.type();
    return switch (call.op()) {
      case PLUS -> floating(type, "#0 + #1", doubles);
      case MINUS -> floating(type, "#0 - #1", doubles);
      case TIMES -> floating(type, "#0 * #1", doubles);
      case DIVIDE -> floating(type, "#0 / #1", doubles).cost(3);
      case MOD -> {
        String name = lowering.constants.add(call, "Object");
        String code = "Arith.remainder(#0, #1, a, " + Constants.variable(name) + ")";
        yield floating(type, code, doubles).failing().constants(name).cost(15);
      }
      case NEGATE -> mixed ? null : floating(type, "-#0", doubles);
      case ABS -> mixed ? null : floating(type, "Math.abs(#0)", doubles);
      case SIGN -> mixed ? null : floating(type, "Math.signum(#0)", doubles);
      case FLOOR -> mixed ? null : floating(type, "Math.floor(#0)", doubles);
      case CEIL -> mixed ? null : floating(type, "Math.ceil(#0)", doubles);
      case SQRT -> floating(type, "Math.sqrt(#0)", doubles).cost(5);
      case CBRT -> floating(type, "Math.cbrt(#0)", doubles).cost(30);
      case EXP -> floating(type, "Math.exp(#0)", doubles).cost(20);
      case SIN -> floating(type, "Math.sin(#0)", doubles).cost(20);
      case COS -> floating(type, "Math.cos(#0)", doubles).cost(20);
      case TAN -> floating(type, "Math.tan(#0)", doubles).cost(20);
      case ATAN -> floating(type, "Math.atan(#0)", doubles).cost(20);
      case ASIN -> floating(type, "Math.asin(#0)", doubles).cost(20);
      case ACOS -> floating(type, "Math.acos(#0)", doubles).cost(20);
      case ATAN2 -> floating(type, "Math.atan2(#0, #1)", doubles).cost(20);
      case POWER ->
          isHalf(call.args().get(1))
              ? floating(type, "Floats.squareRoot(#0)", doubles.subList(0, 1)).cost(5)
              : floating(type, "Floats.power(#0, #1)", doubles).cost(30);
      default -> null;
    };
  }

  private static boolean isHalf(Expr expr) {
    Expr.Literal literal = Lowering.literal(expr);
    return literal != null
        && literal.value() instanceof Number number
        && number.doubleValue() == 0.5;
  }

  // Casts among numbers

  @Nullable Node cast(Expr.Call call, Node value, DataType type) {
    if (type.kind().isFloat()) {
      if (value.rep != Rep.DOUBLE && !Bounds.exact(value) && value.rep != Rep.BOOL) {
        return null;
      }
      Node number = toDouble(value);
      return type.kind() == TypeKind.FLOAT32 && value.type.kind() != TypeKind.FLOAT32
          ? floating(type, "#0", List.of(number))
          : number.withType(type.withNullable(number.nullable));
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
              + Constants.variable(name)
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
    return fit(call, dropDigits(value, -digits, false, type));
  }

  /** A Java literal; the smallest long is one only with its minus sign. */
  static String literal(BigInteger value) {
    return value.equals(Bounds.LONG_MIN) ? "Long.MIN_VALUE" : value + "L";
  }
}
