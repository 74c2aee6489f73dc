package io.aragonite.adapter.format.iceberg;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.iceberg.expressions.Binder;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * Conditions as Iceberg's library evaluates them over the bounds and partitions of files. What it
 * has no form for, or means otherwise than we do, is always true: a file that is left out must have
 * no row for which the condition is true.
 */
final class IcebergFilter {
  private static final Expression TRUE = Expressions.alwaysTrue();
  private static final long MICROS_PER_DAY = 86_400_000_000L;
  private static final long MICROS_PER_MILLI = 1000;

  private final Types.StructType struct;

  IcebergFilter(Types.StructType struct) {
    this.struct = struct;
  }

  /**
   * @param condition over the table's columns
   */
  Expression of(Expr condition) {
    return truth(condition, true);
  }

  /** What is true wherever a truth value is {@code wanted}. */
  private Expression truth(Expr expr, boolean wanted) {
    if (expr instanceof Expr.Literal literal) {
      boolean may = Boolean.valueOf(wanted).equals(literal.value());
      return may ? TRUE : Expressions.alwaysFalse();
    }
    if (expr instanceof Expr.InputRef ref && ref.type().kind() == TypeKind.BOOLEAN) {
      return bound(() -> Expressions.equal(field(ref).name(), wanted));
    }
    if (!(expr instanceof Expr.Call call)) {
      return TRUE;
    }
    List<Expr> args = call.args();
    return switch (call.op()) {
      case AND -> all(args, wanted, wanted);
      case OR -> all(args, !wanted, wanted);
      case NOT -> truth(args.getFirst(), !wanted);
      case IS_TRUE -> wanted ? truth(args.getFirst(), true) : TRUE;
      case IS_FALSE -> wanted ? truth(args.getFirst(), false) : TRUE;
      case IS_NULL -> nulls(args.getFirst(), wanted);
      case IS_NOT_NULL -> nulls(args.getFirst(), !wanted);
      case EQ, NE, LT, LE, GT, GE ->
          compared(wanted ? call.op() : call.op().negatedComparison(), args.get(0), args.get(1));
      case IN_LIST -> wanted ? in(args) : TRUE;
      case LIKE -> wanted ? like(args) : TRUE;
      default -> TRUE;
    };
  }

  private Expression all(List<Expr> args, boolean and, boolean wanted) {
    Expression all = and ? TRUE : Expressions.alwaysFalse();
    for (Expr arg : args) {
      Expression one = truth(arg, wanted);
      all = and ? Expressions.and(all, one) : Expressions.or(all, one);
    }
    return all;
  }

  private Expression nulls(Expr expr, boolean wanted) {
    Types.NestedField field = column(expr);
    if (field == null || field.type().isNestedType()) {
      return TRUE;
    }
    return bound(
        () -> wanted ? Expressions.isNull(field.name()) : Expressions.notNull(field.name()));
  }

  private Expression in(List<Expr> args) {
    List<Expression> any = new ArrayList<>();
    for (Expr value : args.subList(1, args.size())) {
      any.add(compared(Op.EQ, args.getFirst(), value));
    }
    return any.stream().reduce(Expressions.alwaysFalse(), Expressions::or);
  }

  private Expression like(List<Expr> args) {
    Types.NestedField field = column(args.getFirst());
    if (field == null
        || field.type().typeId() != Type.TypeID.STRING
        || args.size() != 2
        || !(args.get(1) instanceof Expr.Literal literal)
        || !(literal.value() instanceof String pattern)) {
      return TRUE;
    }
    int length = 0;
    while (length < pattern.length() && "%_".indexOf(pattern.charAt(length)) < 0) {
      length++;
    }
    String prefix = pattern.substring(0, length);
    return prefix.isEmpty() ? TRUE : bound(() -> Expressions.startsWith(field.name(), prefix));
  }

  private Expression compared(Op op, Expr left, Expr right) {
    if (left instanceof Expr.Literal && !(right instanceof Expr.Literal)) {
      return compared(op.flippedComparison(), right, left);
    }
    Types.NestedField field = column(left);
    if (field == null || !(right instanceof Expr.Literal literal) || op == Op.NE) {
      return TRUE;
    }
    Object value = literal.value();
    if (value == null) {
      return Expressions.alwaysFalse();
    }
    if (value instanceof Double number) {
      return floats(op, field, number);
    }
    Object wanted = value(field.type(), value, literal.type());
    return wanted == null ? TRUE : predicate(op, field.name(), wanted);
  }

  private Expression predicate(Op op, String name, Object value) {
    return bound(() ->
        switch (op) {
          case EQ -> Expressions.equal(name, value);
          case LT -> Expressions.lessThan(name, value);
          case LE -> Expressions.lessThanOrEqual(name, value);
          case GT -> Expressions.greaterThan(name, value);
          default -> Expressions.greaterThanOrEqual(name, value);
        });
  }

  /** NaN is larger than all numbers here, and in no bounds there; both zeros are equal here. */
  private Expression floats(Op op, Types.NestedField field, double number) {
    Type.TypeID type = field.type().typeId();
    // The library refuses NaN, which is not equal to itself as a float either.
    boolean exact =
        type == Type.TypeID.DOUBLE && !Double.isNaN(number)
            || type == Type.TypeID.FLOAT && (float) number == number;
    if (!exact) {
      return TRUE;
    }
    Object low = box(type, number == 0 ? -0.0 : number);
    Object high = box(type, number == 0 ? 0.0 : number);
    String name = field.name();
    return switch (op) {
      case EQ -> Expressions.and(predicate(Op.GE, name, low), predicate(Op.LE, name, high));
      case LT, LE -> predicate(op, name, high);
      default -> Expressions.or(bound(() -> Expressions.isNaN(name)), predicate(op, name, low));
    };
  }

  private static Object box(Type.TypeID type, double number) {
    if (type == Type.TypeID.FLOAT) {
      return (float) number;
    }
    return number;
  }

  /** A literal in the form that Iceberg takes for a column's type; null if there is none. */
  private static @Nullable Object value(Type column, Object value, DataType type) {
    return switch (column.typeId()) {
      case INTEGER, LONG -> whole(value);
      case STRING -> value instanceof String ? value : null;
      case BOOLEAN -> value instanceof Boolean ? value : null;
      case DECIMAL -> decimal(value, ((Types.DecimalType) column).scale());
      case DATE -> day(value, type);
      case TIMESTAMP -> value instanceof Long time ? micros(time, type) : null;
      default -> null;
    };
  }

  private static @Nullable Object whole(Object value) {
    if (value instanceof BigDecimal decimal) {
      try {
        return decimal.longValueExact();
      } catch (ArithmeticException e) {
        return null;
      }
    }
    return value instanceof Long ? value : null;
  }

  private static @Nullable Object decimal(Object value, int scale) {
    try {
      return value instanceof BigDecimal decimal
          ? decimal.setScale(scale, RoundingMode.UNNECESSARY)
          : null;
    } catch (ArithmeticException e) {
      return null;
    }
  }

  private static @Nullable Object day(Object value, DataType type) {
    if (!(value instanceof Long time)) {
      return null;
    }
    if (type.kind() == TypeKind.DATE) {
      return time == time.intValue() ? (Object) time.intValue() : null;
    }
    Long micros = micros(time, type);
    return micros == null || micros % MICROS_PER_DAY != 0
        ? null
        : (Object) (int) (micros / MICROS_PER_DAY);
  }

  private static @Nullable Long micros(long time, DataType type) {
    if (type.kind() == TypeKind.DATE) {
      return Math.multiplyHigh(time, MICROS_PER_DAY) == time * MICROS_PER_DAY >> 63
          ? (Long) (time * MICROS_PER_DAY)
          : null;
    }
    if (!type.kind().isTimestamp()) {
      return null;
    }
    long perMilli = type.timestampUnit().perMilli();
    if (perMilli > MICROS_PER_MILLI) {
      long part = perMilli / MICROS_PER_MILLI;
      return time % part == 0 ? (Long) (time / part) : null;
    }
    long factor = MICROS_PER_MILLI / perMilli;
    return Math.multiplyHigh(time, factor) == time * factor >> 63 ? (Long) (time * factor) : null;
  }

  /** A predicate that the library makes and understands, or always true. */
  private Expression bound(Supplier<Expression> made) {
    try {
      Expression predicate = made.get();
      var _ = Binder.bind(struct, predicate, true);
      return predicate;
    } catch (RuntimeException e) {
      return TRUE;
    }
  }

  private Types.NestedField field(Expr.InputRef ref) {
    return struct.fields().get(ref.index());
  }

  /** A column, or a cast of one that keeps all values apart and in order; null for others. */
  private Types.@Nullable NestedField column(Expr expr) {
    if (expr instanceof Expr.InputRef ref) {
      return field(ref);
    }
    if (!(expr instanceof Expr.Call call && call.op() == Op.CAST)) {
      return null;
    }
    DataType from = call.args().getFirst().type();
    DataType to = call.type();
    boolean same =
        from.kind().isInteger() && to.kind().isInteger() && to.kind().compareTo(from.kind()) >= 0
            || from.kind().isInteger() && to.kind() == TypeKind.DECIMAL
            || from.kind().isFloat() && to.kind() == TypeKind.FLOAT64
            || from.kind() == TypeKind.DECIMAL
                && to.kind() == TypeKind.DECIMAL
                && to.scale() >= from.scale()
            || from.kind() == TypeKind.DATE && to.kind() == TypeKind.TIMESTAMP
            || from.kind().isTimestamp()
                && to.kind() == from.kind()
                && to.precision() >= from.precision();
    return same ? column(call.args().getFirst()) : null;
  }
}
