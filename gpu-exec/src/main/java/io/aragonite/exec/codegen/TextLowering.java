package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.expr.EvalException;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.LikePattern;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Operations on text. */
final class TextLowering {
  private final Lowering lowering;

  TextLowering(Lowering lowering) {
    this.lowering = lowering;
  }

  /** Null if there is no code for it. */
  @Nullable ExprNode lower(Expr.Call call) {
    return switch (call.op()) {
      case LIKE -> like(call);
      case UPPER, LOWER -> {
        String code = "Texts.changeCase(#0, ~0, " + (call.op() == Op.UPPER) + ", a)";
        yield unary(call, code, 20);
      }
      case CHAR_LENGTH -> length(call, true);
      case OCTET_LENGTH -> length(call, false);
      case SUBSTRING -> substring(call);
      case LEFT -> left(call);
      case CONCAT -> concat(call);
      case TRIM_BOTH -> trim(call, true, true);
      case TRIM_LEADING -> trim(call, true, false);
      case TRIM_TRAILING -> trim(call, false, true);
      default -> null;
    };
  }

  private ExprNode text(Expr expr) {
    return lowering.decode(lowering.lower(expr));
  }

  private static @Nullable ExprNode made(
      DataType type, String code, String second, List<ExprNode> args, int cost) {
    boolean nullable = false;
    for (ExprNode arg : args) {
      if (arg.isConstantNull()) {
        return null;
      }
      nullable |= arg.nullable;
    }
    return new ExprNode(
            NodeKind.STRICT, type.withNullable(nullable), Rep.TEXT, args, nullable, code, second)
        .guarded()
        .cost(cost);
  }

  private @Nullable ExprNode unary(Expr.Call call, String code, int cost) {
    ExprNode arg = text(call.args().getFirst());
    return arg.rep == Rep.TEXT && arg.type.kind().isText()
        ? made(call.type(), code, "a.length", List.of(arg), cost)
        : null;
  }

  private @Nullable ExprNode like(Expr.Call call) {
    List<Expr> args = call.args();
    ExprNode arg = text(args.getFirst());
    Expr.Literal pattern = Lowering.literal(args.get(1));
    if (arg.rep != Rep.TEXT || arg.isConstantNull() || pattern == null) {
      return null;
    }
    String escape = null;
    if (args.size() > 2) {
      Expr.Literal literal = Lowering.literal(args.get(2));
      if (literal == null) {
        return null;
      }
      escape = (String) literal.value();
    }
    LikePattern parsed;
    try {
      parsed =
          new LikePattern(
              (String) java.util.Objects.requireNonNull(pattern.value()), escape, false);
    } catch (EvalException e) {
      // The error belongs to the rows, if there are any.
      return null;
    }
    String name = lowering.constants.add(new ByteMatcher(parsed), "ByteMatcher");
    return Lowering.truth(CodeConstants.variable(name) + ".matches(#0, ~0)", arg)
        .guarded()
        .cost(30)
        .constants(name);
  }

  private @Nullable ExprNode length(Expr.Call call, boolean points) {
    ExprNode arg = text(call.args().getFirst());
    if (arg.rep != Rep.TEXT || arg.isConstantNull()) {
      return null;
    }
    boolean scan = points && arg.type.kind().isText();
    ExprNode node =
        new ExprNode(
            NodeKind.STRICT,
            call.type().withNullable(arg.nullable),
            Rep.LONG,
            List.of(arg),
            arg.nullable,
            scan ? "Texts.points(#0, ~0)" : "(long) ~0",
            "");
    node.bounds(BigInteger.ZERO, BigInteger.valueOf(Integer.MAX_VALUE));
    return (scan ? node.guarded().cost(10) : node);
  }

  private @Nullable ExprNode substring(Expr.Call call) {
    List<Expr> args = call.args();
    ExprNode arg = text(args.getFirst());
    ExprNode from = lowering.lower(args.get(1));
    if (arg.rep != Rep.TEXT || !isInteger(from)) {
      return null;
    }
    String method = arg.type.kind() == TypeKind.BINARY ? "substringBytes" : "substring";
    if (args.size() == 2) {
      String code = "Texts." + method + "(#0, ~0, #1, Long.MAX_VALUE, a)";
      return made(call.type(), code, "a.length", List.of(arg, from), 10);
    }
    ExprNode count = lowering.lower(args.get(2));
    if (!isInteger(count)) {
      return null;
    }
    boolean safe = count.kind == NodeKind.CONSTANT && count.min != null && count.min.signum() >= 0;
    String name = lowering.constants.add(call, "Object");
    String end = "Texts.end(#1, #2, a, " + CodeConstants.variable(name) + ")";
    String code = "Texts." + method + "(#0, ~0, #1, " + end + ", a)";
    ExprNode node = made(call.type(), code, "a.length", List.of(arg, from, count), 10);
    if (node == null) {
      return null;
    }
    node.constants(name);
    return safe ? node : node.failing();
  }

  private static boolean isInteger(ExprNode node) {
    return node.rep == Rep.LONG && !node.isConstantNull() && NumericLowering.scale(node.type) == 0;
  }

  private @Nullable ExprNode left(Expr.Call call) {
    ExprNode arg = text(call.args().getFirst());
    ExprNode count = lowering.lower(call.args().get(1));
    if (arg.rep != Rep.TEXT || !isInteger(count)) {
      return null;
    }
    String method = arg.type.kind() == TypeKind.BINARY ? "substringBytes" : "substring";
    String code = "Texts." + method + "(#0, ~0, 1L, Math.max(0L, #1), a)";
    return made(call.type(), code, "a.length", List.of(arg, count), 10);
  }

  private @Nullable ExprNode concat(Expr.Call call) {
    List<ExprNode> nodes = new ArrayList<>();
    for (Expr arg : call.args()) {
      ExprNode node = text(arg);
      if (node.rep != Rep.TEXT || node.isConstantNull()) {
        return null;
      }
      nodes.add(node);
    }
    // A balanced tree keeps copies and methods small.
    while (nodes.size() > 1) {
      List<ExprNode> next = new ArrayList<>();
      for (int i = 0; i < nodes.size(); i += 2) {
        if (i + 1 == nodes.size()) {
          next.add(nodes.get(i));
          continue;
        }
        String name = lowering.constants.add(call, "Object");
        String code = "Texts.concat(#0, ~0, #1, ~1, a, " + CodeConstants.variable(name) + ")";
        ExprNode node =
            made(call.type(), code, "a.length", List.of(nodes.get(i), nodes.get(i + 1)), 20);
        if (node == null) {
          return null;
        }
        next.add(node.failing().constants(name));
      }
      nodes = next;
    }
    return nodes.getFirst();
  }

  private @Nullable ExprNode trim(Expr.Call call, boolean leading, boolean trailing) {
    Expr.Literal set = Lowering.literal(call.args().getFirst());
    ExprNode arg = text(call.args().get(1));
    if (set == null
        || !(set.value() instanceof String characters)
        || characters.length() != 1
        || characters.charAt(0) > 127
        || !arg.type.kind().isText()
        || arg.rep != Rep.TEXT) {
      return null;
    }
    String name = lowering.constants.add((long) characters.charAt(0));
    String code = "Texts.trim(#0, ~0, " + name + ", " + leading + ", " + trailing + ", a)";
    ExprNode node = made(call.type(), code, "a.length", List.of(arg), 8);
    return node == null ? null : node.constants(name);
  }

  /** CAST to text or bytes; null if there is no code for it. */
  @Nullable ExprNode cast(Expr.Call call, ExprNode value, DataType from, DataType to) {
    if (to.kind() != TypeKind.BINARY && value.rep == Rep.LONG) {
      return written(call, value, from, to);
    }
    boolean sameKind = from.kind() == TypeKind.BINARY == (to.kind() == TypeKind.BINARY);
    if ((value.rep != Rep.TEXT && value.rep != Rep.CODE) || !sameKind) {
      return null;
    }
    DataType type = to.withNullable(value.nullable);
    boolean fits =
        to.precision() < 0 || (from.precision() >= 0 && from.precision() <= to.precision());
    if (fits && (to.kind() != TypeKind.CHAR || to.precision() < 0)) {
      return value.withType(type);
    }
    if (to.kind() == TypeKind.BINARY) {
      return null;
    }
    return fitted(lowering.decode(value), type);
  }

  /** A number or date as text. */
  private @Nullable ExprNode written(Expr.Call call, ExprNode value, DataType from, DataType to) {
    String name = lowering.constants.add(call, "Object");
    String object = CodeConstants.variable(name);
    int scale = NumericLowering.scale(value.type);
    String code =
        switch (from.kind()) {
          case INT8, INT16, INT32, INT64 -> "TextCasts.ofLong(#0, a, " + object + ")";
          case DECIMAL ->
              scale == 0
                  ? "TextCasts.ofLong(#0, a, " + object + ")"
                  : scale > DataType.MAX_LONG_PRECISION
                      ? null
                      : "TextCasts.ofDecimal(#0, %d, %sL, a, %s)"
                          .formatted(scale, Bounds.powerOfTen(scale), object);
          case DATE -> "TextCasts.ofDate(#0, a)";
          case TIMESTAMP -> {
            TimestampUnit unit = from.timestampUnit();
            yield "TextCasts.ofTimestamp(#0, %dL, %d, a)"
                .formatted(unit.perSecond(), unit.digits());
          }
          default -> null;
        };
    if (code == null) {
      return null;
    }
    DataType whole = DataType.VARCHAR.withNullable(value.nullable);
    ExprNode text = made(whole, code, "a.length", List.of(value), 20);
    if (text == null) {
      return null;
    }
    text.constants(name);
    return to.precision() < 0 ? text.withType(to.withNullable(value.nullable)) : fitted(text, to);
  }

  private static @Nullable ExprNode fitted(ExprNode text, DataType to) {
    String code =
        "Texts.fit(#0, ~0, " + to.precision() + ", " + (to.kind() == TypeKind.CHAR) + ", a)";
    return made(to.withNullable(text.nullable), code, "a.length", List.of(text), 10);
  }

  /** A number or date out of a text; null if there is no code for it. */
  @Nullable ExprNode read(Expr.Call call, ExprNode value, DataType type) {
    if (value.rep != Rep.TEXT) {
      return null;
    }
    String name = lowering.constants.add(call, "Object");
    String object = CodeConstants.variable(name);
    boolean exact = type.kind().isInteger() || type.kind() == TypeKind.DECIMAL;
    if (exact && !Bounds.fitsLong(Bounds.min(type), Bounds.max(type))) {
      return null;
    }
    String range =
        exact
            ? NumericLowering.literal(Bounds.min(type))
                + ", "
                + NumericLowering.literal(Bounds.max(type))
            : "";
    String code =
        switch (type.kind()) {
          case INT8, INT16, INT32, INT64 ->
              "TextCasts.toLong(#0, ~0, " + range + ", a, " + object + ")";
          case DECIMAL ->
              "TextCasts.toDecimal(#0, ~0, %d, true, %s, a, %s)"
                  .formatted(type.scale(), range, object);
          case DATE -> "TextCasts.toDate(#0, ~0, a, " + object + ")";
          case FLOAT64 -> "TextCasts.toDouble(#0, ~0, a, " + object + ")";
          default -> null;
        };
    if (code == null) {
      return null;
    }
    ExprNode node =
        new ExprNode(
            NodeKind.STRICT,
            type.withNullable(value.nullable),
            type.kind().isFloat() ? Rep.DOUBLE : Rep.LONG,
            List.of(value),
            value.nullable,
            code,
            "");
    return Bounds.ofType(node).failing().constants(name).cost(25);
  }
}
