package io.aragonite.exec.codegen;

import static io.aragonite.exec.codegen.NumericLowering.max;
import static io.aragonite.exec.codegen.NumericLowering.min;
import static io.aragonite.exec.codegen.NumericLowering.scale;

import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Comparisons of exact numbers, decimals of any scales among them. */
final class NumericComparisons {
  private static final int MAX_LIST_COMPARISONS = 3;

  private final Lowering lowering;
  private final NumericLowering numeric;

  NumericComparisons(Lowering lowering, NumericLowering numeric) {
    this.lowering = lowering;
    this.numeric = numeric;
  }

  @Nullable ExprNode compare(Op op, String sign, ExprNode left, ExprNode right) {
    ExprNode a = left;
    ExprNode b = right;
    int scale = Math.max(scale(a.type), scale(b.type));
    if (scale(a.type) != scale(b.type)) {
      DataType type = DataType.decimal(DataType.MAX_DECIMAL_PRECISION, scale, true);
      ExprNode x = numeric.scaleUp(a, scale - scale(a.type), type);
      ExprNode y = numeric.scaleUp(b, scale - scale(b.type), type);
      if (x == null || y == null) {
        return null;
      }
      a = x;
      b = y;
    }
    if (a.rep == Rep.LONG && b.rep == Rep.LONG) {
      ExprNode node = Lowering.truth("#0 " + sign + " #1", a, b);
      node.bit = bit(op, a, b);
      return node;
    }
    a = numeric.widen(a);
    b = numeric.widen(b);
    return switch (op) {
      case EQ -> Lowering.truth("#0 == #1 & ~0 == ~1", a, b);
      case NE -> Lowering.truth("#0 != #1 | ~0 != ~1", a, b);
      default -> Lowering.truth("Arith.compare(~0, #0, ~1, #1) " + sign + " 0", a, b).cost(2);
    };
  }

  /** The sign of the difference, where that cannot overflow. */
  private static @Nullable String bit(Op op, ExprNode a, ExprNode b) {
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
  ExprNode inList(ExprNode value, List<Object> wanted) {
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
    return Lowering.truth(CodeConstants.variable(name) + ".contains(#0)", value)
        .constants(name)
        .cost(4);
  }
}
