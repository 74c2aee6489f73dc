package io.aragonite.rules.translate;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;

/**
 * Comparison of CHAR values. SQL compares them as if the shorter one were padded, and Calcite pads
 * constants to the length of what they are compared with; the engine keeps values as they were
 * given. So trailing spaces are taken away on both sides.
 */
final class CharPadding {
  private static final Expr SPACE = Expr.literal(" ", DataType.VARCHAR);

  private CharPadding() {}

  /** The value without trailing spaces. */
  static Expr trimmed(Expr expr) {
    DataType type = new DataType(TypeKind.VARCHAR, -1, 0, expr.type().nullable());
    if (expr instanceof Expr.Literal literal) {
      return literal.value() instanceof String text
          ? Expr.literal(strip(text), type)
          : Expr.literal(null, type);
    }
    return Expr.call(Op.TRIM_TRAILING, type, SPACE, expr);
  }

  private static String strip(String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    return text.substring(0, end);
  }
}
