package io.aragonite.exec.operator.window;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import java.util.ArrayList;
import java.util.List;

/** Columns that expressions are made over, and short names for what they are made of. */
final class ExprBuilder {
  private final List<Column> columns = new ArrayList<>();

  List<Column> columns() {
    return columns;
  }

  /** A column as it is. */
  Expr value(Column column) {
    columns.add(column);
    return Expr.ref(columns.size() - 1, column.shape().type());
  }

  /** A column of integers as INT64. */
  Expr number(Column column) {
    return cast(value(column), DataType.INT64);
  }

  static Expr cast(Expr value, DataType type) {
    DataType wanted = type.withNullable(value.type().nullable());
    return value.type().equals(wanted) ? value : Expr.call(Op.CAST, wanted, value);
  }

  static Expr number(long value) {
    return Expr.literal(value, DataType.INT64);
  }

  static Expr plus(Expr a, Expr b) {
    return arithmetic(Op.PLUS, a, b);
  }

  static Expr minus(Expr a, Expr b) {
    return arithmetic(Op.MINUS, a, b);
  }

  static Expr arithmetic(Op op, Expr a, Expr b) {
    boolean nullable = a.type().nullable() || b.type().nullable();
    return Expr.call(op, a.type().withNullable(nullable), a, b);
  }

  static Expr test(Op op, Expr... args) {
    boolean nullable = false;
    for (Expr arg : args) {
      nullable |= arg.type().nullable();
    }
    boolean known = op == Op.IS_NULL || op == Op.IS_NOT_NULL || op == Op.IS_TRUE;
    return Expr.call(op, DataType.BOOLEAN.withNullable(nullable && !known), args);
  }

  static Expr choose(Expr condition, Expr then, Expr otherwise) {
    boolean nullable = then.type().nullable() || otherwise.type().nullable();
    return Expr.call(Op.CASE, then.type().withNullable(nullable), condition, then, otherwise);
  }

  static Expr least(Expr a, Expr b) {
    return choose(test(Op.LT, a, b), a, b);
  }

  static Expr greatest(Expr a, Expr b) {
    return choose(test(Op.LT, a, b), b, a);
  }
}
