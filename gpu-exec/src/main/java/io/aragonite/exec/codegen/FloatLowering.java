package io.aragonite.exec.codegen;

import static io.aragonite.exec.codegen.NumericLowering.scale;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Arithmetic and functions whose result is a floating-point number: Java's. */
final class FloatLowering {
  private final Lowering lowering;

  FloatLowering(Lowering lowering) {
    this.lowering = lowering;
  }

  ExprNode toDouble(ExprNode value) {
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
    ExprNode node =
        new ExprNode(NodeKind.STRICT, type, Rep.DOUBLE, List.of(value), value.nullable, code, "");
    return value.rep == Rep.WIDE ? node.guarded().cost(50) : node.cost(1);
  }

  static ExprNode floating(DataType type, String code, List<ExprNode> args) {
    boolean nullable = args.stream().anyMatch(arg -> arg.nullable);
    String rounded = type.kind() == TypeKind.FLOAT32 ? "(double) (float) (" + code + ")" : code;
    return new ExprNode(
        NodeKind.STRICT, type.withNullable(nullable), Rep.DOUBLE, args, nullable, rounded, "");
  }

  @Nullable ExprNode lower(Expr.Call call, List<ExprNode> args) {
    List<ExprNode> doubles = new ArrayList<>();
    for (ExprNode arg : args) {
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
        String code = "Arith.remainder(#0, #1, a, " + CodeConstants.variable(name) + ")";
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
}
