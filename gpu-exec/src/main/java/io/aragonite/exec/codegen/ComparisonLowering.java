package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Comparisons of values of one kind, IS DISTINCT FROM and IN. */
final class ComparisonLowering {
  private final Lowering lowering;
  private final NumericComparisons numbers;

  ComparisonLowering(Lowering lowering) {
    this.lowering = lowering;
    this.numbers = new NumericComparisons(lowering, lowering.numeric);
  }

  @Nullable ExprNode compare(Op op, Expr left, Expr right) {
    ExprNode a = lowering.lower(left);
    ExprNode b = lowering.lower(right);
    if (a.isConstantNull() || b.isConstantNull()) {
      return lowering.nothing(DataType.BOOLEAN.withNullable(true), Rep.BOOL);
    }
    if (a.rep == Rep.CODE && b.rep == Rep.CODE) {
      return lowering.dictionaries.compare(op, a, b);
    }
    if (a.rep == Rep.CODE && b.literal != null) {
      return lowering.dictionaries.compareWithText(op, a, b.literal);
    }
    return compare(op, lowering.decode(a), lowering.decode(b));
  }

  /** Null if there is no code for it. */
  @Nullable ExprNode compare(Op op, ExprNode a, ExprNode b) {
    String sign = Lowering.sign(op);
    if (Bounds.exact(a) && Bounds.exact(b)) {
      return numbers.compare(op, sign, a, b);
    }
    if (a.rep == Rep.DOUBLE || b.rep == Rep.DOUBLE) {
      return Lowering.truth(
          floating(op, mayBeNaN(a), mayBeNaN(b)),
          lowering.numeric.floats.toDouble(a),
          lowering.numeric.floats.toDouble(b));
    }
    if (a.rep == Rep.BOOL && b.rep == Rep.BOOL) {
      return Lowering.truth("(#0 ? 1 : 0) " + sign + " (#1 ? 1 : 0)", a, b);
    }
    if (a.rep == Rep.TEXT && b.rep == Rep.TEXT) {
      String code =
          op == Op.EQ || op == Op.NE
              ? (op == Op.NE ? "!" : "") + "Texts.equal(#0, ~0, #1, ~1)"
              : "Texts.compare(#0, ~0, #1, ~1) " + sign + " 0";
      return Lowering.truth(code, a, b).guarded().cost(8);
    }
    return null;
  }

  /** Whether a value may be no number; one that is made of an integer or a decimal is one. */
  private static boolean mayBeNaN(ExprNode value) {
    return value.rep == Rep.DOUBLE;
  }

  /**
   * Java's comparisons are false if a value is no number. In SQL, as in PostgreSQL, such a value is
   * equal to another one and greater than all numbers, so that values have one order.
   */
  private static String floating(Op op, boolean left, boolean right) {
    return switch (op) {
      case EQ -> left && right ? "(#0 == #1 | (#0 != #0 & #1 != #1))" : "#0 == #1";
      case NE -> left && right ? "(#0 != #1 & (#0 == #0 | #1 == #1))" : "#0 != #1";
      case LT -> right ? "(#0 < #1 | (#1 != #1" + (left ? " & #0 == #0" : "") + "))" : "#0 < #1";
      case GT -> left ? "(#0 > #1 | (#0 != #0" + (right ? " & #1 == #1" : "") + "))" : "#0 > #1";
      case LE -> right ? "(#0 <= #1 | #1 != #1)" : "#0 <= #1";
      case GE -> left ? "(#0 >= #1 | #0 != #0)" : "#0 >= #1";
      default -> throw new IllegalArgumentException(op.toString());
    };
  }

  @Nullable ExprNode same(List<Expr> args) {
    ExprNode a = lowering.lower(args.get(0));
    ExprNode b = lowering.lower(args.get(1));
    if (a.isConstantNull() || b.isConstantNull()) {
      return Lowering.isNull(a.isConstantNull() ? b : a);
    }
    if (a.rep == Rep.DOUBLE && b.rep == Rep.DOUBLE) {
      String code = floating(Op.EQ, true, true);
      return new ExprNode(
          NodeKind.SAME, DataType.BOOLEAN, Rep.BOOL, List.of(a, b), false, code, "");
    }
    if (a.rep == Rep.DOUBLE || b.rep == Rep.DOUBLE) {
      return null;
    }
    ExprNode equal =
        a.rep == Rep.CODE && b.rep == Rep.CODE
            ? lowering.dictionaries.compare(Op.EQ, a, b)
            : compare(Op.EQ, lowering.decode(a), lowering.decode(b));
    if (equal == null || equal.kind != NodeKind.STRICT || equal.args.size() != 2) {
      return null;
    }
    ExprNode node =
        new ExprNode(NodeKind.SAME, DataType.BOOLEAN, Rep.BOOL, equal.args, false, equal.code, "");
    node.guarded = equal.guarded;
    return node.cost(equal.cost).constants(equal.constants.toArray(new String[0]));
  }

  @Nullable ExprNode inList(Expr.Call call) {
    ExprNode value = lowering.decode(lowering.lower(call.args().getFirst()));
    if (value.isConstantNull()) {
      return lowering.nothing(DataType.BOOLEAN.withNullable(true), Rep.BOOL);
    }
    List<Object> wanted = new ArrayList<>();
    boolean hasNull = false;
    for (Expr arg : call.args().subList(1, call.args().size())) {
      if (!(arg instanceof Expr.Literal literal)) {
        return null;
      }
      if (literal.value() == null) {
        hasNull = true;
      } else {
        wanted.add(literal.value());
      }
    }
    ExprNode found;
    if (value.rep == Rep.LONG) {
      found = numbers.inList(value, wanted);
    } else if (value.rep == Rep.TEXT) {
      String name = lowering.constants.add(new TextSet(wanted), "TextSet");
      found =
          Lowering.truth(CodeConstants.variable(name) + ".contains(#0, ~0)", value)
              .guarded()
              .cost(15)
              .constants(name);
    } else {
      return null;
    }
    if (!hasNull) {
      return found;
    }
    // Not found among values and a null is unknown: found OR NULL.
    return lowering.logic(
        NodeKind.OR,
        List.of(found, lowering.nothing(DataType.BOOLEAN.withNullable(true), Rep.BOOL)));
  }
}
