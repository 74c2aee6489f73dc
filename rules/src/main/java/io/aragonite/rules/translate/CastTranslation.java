package io.aragonite.rules.translate;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The casts that {@link Op} asks for so that operands have one kind. */
final class CastTranslation {
  private CastTranslation() {}

  /** Digits that an integer kind can have. */
  static int digits(TypeKind kind) {
    return switch (kind) {
      case INT8 -> 3;
      case INT16 -> 5;
      case INT32 -> 10;
      case INT64 -> 19;
      default -> throw new IllegalArgumentException(kind + " is not an integer");
    };
  }

  /** The expression as a value of {@code type}'s kind (and scale), nullability kept. */
  static Expr cast(Expr expr, DataType type) {
    DataType target = type.withNullable(expr.type().nullable());
    if (expr.type().sameAs(type)) {
      return expr;
    }
    if (expr instanceof Expr.Literal literal) {
      Expr folded = foldLiteral(literal.value(), literal.type(), target);
      if (folded != null) {
        return folded;
      }
    }
    return Expr.call(Op.CAST, target, expr);
  }

  private static @Nullable Expr foldLiteral(@Nullable Object value, DataType from, DataType to) {
    if (value == null) {
      return Expr.literal(null, to.withNullable(true));
    }
    if (from.kind().isInteger() && to.kind() == TypeKind.INT64) {
      return Expr.literal(value, to);
    }
    if (value instanceof Long number && from.kind().isInteger()) {
      if (to.kind() == TypeKind.DECIMAL && to.precision() - to.scale() >= digits(from.kind())) {
        return Expr.literal(BigDecimal.valueOf(number).setScale(to.scale()), to);
      }
      if (to.kind() == TypeKind.FLOAT64) {
        return Expr.literal(number.doubleValue(), to);
      }
    }
    if (value instanceof BigDecimal number) {
      if (to.kind() == TypeKind.FLOAT64) {
        return Expr.literal(number.doubleValue(), to);
      }
      if (to.kind() == TypeKind.DECIMAL
          && to.scale() >= number.scale()
          && number.precision() - number.scale() <= to.precision() - to.scale()) {
        return Expr.literal(number.setScale(to.scale(), RoundingMode.UNNECESSARY), to);
      }
    }
    return to.kind() == TypeKind.TIMESTAMP && value instanceof Long time
        ? foldTimestamp(time, from, to)
        : null;
  }

  /** Null if it loses digits, or is beyond the unit's range. */
  private static @Nullable Expr foldTimestamp(long value, DataType from, DataType to) {
    TimestampUnit unit = to.timestampUnit();
    try {
      return switch (from.kind()) {
        case DATE -> Expr.literal(Math.multiplyExact(value, unit.perDay()), to);
        case TIMESTAMP ->
            to.precision() < from.precision()
                ? null
                : Expr.literal(from.timestampUnit().to(unit, value), to);
        default -> null;
      };
    } catch (ArithmeticException e) {
      return null;
    }
  }

  /** The kind (with precision and scale) in which values of both types can be compared. */
  static @Nullable DataType common(DataType a, DataType b) {
    TypeKind left = a.kind();
    TypeKind right = b.kind();
    if (left == TypeKind.OPAQUE || right == TypeKind.OPAQUE) {
      return null;
    }
    if (left == TypeKind.INSTANT && right == TypeKind.INSTANT) {
      return new DataType(
          TypeKind.INSTANT, Math.max(3, Math.max(a.precision(), b.precision())), 0, false);
    }
    if (left == right && left != TypeKind.DECIMAL && left != TypeKind.TIMESTAMP) {
      return a;
    }
    if (left == TypeKind.NULL) {
      return b;
    }
    if (right == TypeKind.NULL) {
      return a;
    }
    if (left.isNumeric() && right.isNumeric()) {
      return commonNumber(a, b);
    }
    if (left.isText() && right.isText()) {
      return DataType.of(TypeKind.VARCHAR, false);
    }
    boolean dates =
        (left == TypeKind.DATE || left == TypeKind.TIMESTAMP)
            && (right == TypeKind.DATE || right == TypeKind.TIMESTAMP);
    return dates ? DataType.timestamp(Math.max(digitsOf(a), digitsOf(b)), false) : null;
  }

  /** Digits of a fraction of a second. */
  private static int digitsOf(DataType type) {
    return type.kind() == TypeKind.TIMESTAMP ? Math.max(3, type.precision()) : 3;
  }

  private static DataType commonNumber(DataType a, DataType b) {
    if (a.kind().isFloat() || b.kind().isFloat()) {
      return a.kind() == b.kind() ? a : DataType.of(TypeKind.FLOAT64, false);
    }
    if (a.kind().isInteger() && b.kind().isInteger()) {
      return digits(a.kind()) >= digits(b.kind()) ? a : b;
    }
    DataType left = asDecimal(a);
    DataType right = asDecimal(b);
    int scale = Math.max(left.scale(), right.scale());
    int whole = Math.max(left.precision() - left.scale(), right.precision() - right.scale());
    return DataType.decimal(
        Math.min(DataType.MAX_DECIMAL_PRECISION, whole + scale),
        Math.min(scale, DataType.MAX_DECIMAL_PRECISION),
        false);
  }

  /** An exact number's type as a decimal type. */
  static DataType asDecimal(DataType type) {
    return type.kind() == TypeKind.DECIMAL
        ? type
        : DataType.decimal(digits(type.kind()), 0, type.nullable());
  }

  /** Two operands of a comparison, of one kind; null if there is none. */
  static @Nullable List<Expr> comparable(Expr left, Expr right) {
    Expr a = withoutWidening(left);
    Expr b = withoutWidening(right);
    DataType common = common(a.type(), b.type());
    if (common == null) {
      return null;
    }
    if (common.kind() == TypeKind.TIMESTAMP) {
      common = beyond(a, common) ? coarser(a) : beyond(b, common) ? coarser(b) : common;
    }
    return List.of(forComparison(a, common), forComparison(b, common));
  }

  /** Two operands of one kind and with all of their digits; null if there is none. */
  static @Nullable List<Expr> aligned(Expr left, Expr right) {
    DataType common = common(left.type(), right.type());
    return common == null
        ? null
        : List.of(forComparison(left, common), forComparison(right, common));
  }

  /** Whether an operand is a constant that lies beyond what a type's unit reaches. */
  private static boolean beyond(Expr expr, DataType type) {
    Expr constant = constant(expr);
    return constant instanceof Expr.Literal literal
        && literal.value() instanceof Long value
        && foldTimestamp(value, literal.type(), type.withNullable(false)) == null;
  }

  /**
   * The type in which a constant that is beyond the other operand's range is compared with it: as
   * it equals no value there, digits that are cut off change no order.
   */
  private static DataType coarser(Expr expr) {
    DataType type = constant(expr).type();
    return type.kind() == TypeKind.DATE ? DataType.timestamp(3, false) : type;
  }

  /** A constant without a cast to a finer unit. */
  private static Expr constant(Expr expr) {
    return expr instanceof Expr.Call call
            && call.op() == Op.CAST
            && call.type().kind() == TypeKind.TIMESTAMP
            && call.args().get(0) instanceof Expr.Literal literal
            && (literal.type().kind() == TypeKind.DATE
                || literal.type().kind() == TypeKind.TIMESTAMP
                    && literal.type().precision() <= call.type().precision())
        ? literal
        : expr;
  }

  /** Several operands of a comparison, of one kind; null if there is none. */
  static @Nullable List<Expr> comparable(List<Expr> exprs) {
    DataType common = exprs.get(0).type();
    for (Expr expr : exprs) {
      common = common(common, expr.type());
      if (common == null) {
        return null;
      }
    }
    List<Expr> result = new ArrayList<>();
    for (Expr expr : exprs) {
      result.add(forComparison(expr, common));
    }
    return result;
  }

  private static Expr forComparison(Expr given, DataType common) {
    TypeKind kind = common.kind();
    if (kind == TypeKind.TIMESTAMP || kind == TypeKind.INSTANT) {
      Expr expr = constant(given);
      boolean same =
          expr.type().kind() == kind && expr.type().timestampUnit() == common.timestampUnit();
      return same ? expr : cast(expr, common);
    }
    return ofKind(given, common);
  }

  private static Expr ofKind(Expr expr, DataType common) {
    TypeKind kind = common.kind();
    // Decimals of any scales compare with each other, and so do texts of any lengths.
    if (kind == TypeKind.DECIMAL && expr.type().kind() == TypeKind.DECIMAL
        || kind.isText() && expr.type().kind().isText()
        || kind == expr.type().kind() && kind != TypeKind.NULL) {
      return expr;
    }
    if (kind == TypeKind.DECIMAL && expr.type().kind().isInteger()) {
      return cast(expr, asDecimal(expr.type()));
    }
    return cast(expr, common);
  }

  /** A text without casts that only make its declared length longer: they change no value. */
  static Expr withoutWidening(Expr expr) {
    Expr result = expr;
    while (result instanceof Expr.Call call
        && call.op() == Op.CAST
        && call.type().kind() == TypeKind.VARCHAR
        && call.args().get(0).type().kind().isText()
        && fits(call.args().get(0).type(), call.type())) {
      result = call.args().get(0);
    }
    return result;
  }

  private static boolean fits(DataType from, DataType to) {
    return to.precision() < 0 || from.precision() >= 0 && from.precision() <= to.precision();
  }
}
