package io.aragonite.rules.rel;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Joins nested columns as the bytes that are stored, which count in the budget, and decodes them
 * above the join.
 */
final class JoinedBytes {
  private final PhysicalPlan.Join join;
  private final Side left;
  private final Side right;

  /** An input of the join, and below what is decoded in it. */
  private record Side(PhysicalPlan plan, PhysicalPlan.@Nullable Project decoding) {
    PhysicalPlan below() {
      return decoding == null ? plan : decoding.input();
    }

    int width() {
      return plan.types().size();
    }

    Expr expression(int column) {
      return decoding == null
          ? Expr.ref(column, plan.types().get(column))
          : decoding.expressions().get(column);
    }

    boolean isPlain(int column) {
      return expression(column) instanceof Expr.InputRef;
    }

    /** The column below that a column is, or is decoded of. */
    int place(int column) {
      Expr expression = expression(column);
      Expr stored =
          expression instanceof Expr.HostFunctionCall call ? call.args().getFirst() : expression;
      return ((Expr.InputRef) stored).index();
    }
  }

  private JoinedBytes(PhysicalPlan.Join join, boolean lateLeft, boolean lateRight) {
    this.join = join;
    this.left = new Side(join.left(), lateLeft ? LateDecoding.of(join.left()) : null);
    this.right = new Side(join.right(), lateRight ? LateDecoding.of(join.right()) : null);
  }

  /**
   * A join that decodes above, or the same one if its condition or order wants values.
   *
   * @param lateLeft whether columns of the left side may be decoded above: those of a row that is
   *     in many pairs are decoded for each of them
   */
  static PhysicalPlan of(PhysicalPlan.Join join, boolean lateLeft, boolean lateRight) {
    JoinedBytes late = new JoinedBytes(join, lateLeft, lateRight);
    return late.isWorthwhile() && late.isPossible() ? late.plan() : join;
  }

  private boolean isWorthwhile() {
    return left.decoding != null || right.decoding != null;
  }

  private boolean isPossible() {
    return join.keys().stream()
            .allMatch(key -> left.isPlain(key.left()) && right.isPlain(key.right()))
        && join.order().stream().allMatch(key -> isPlain(key.column()))
        && (join.residual() == null || uses(join.residual(), this::isPlain));
  }

  private boolean isPlain(int column) {
    return column < left.width() ? left.isPlain(column) : right.isPlain(column - left.width());
  }

  /** Whether all columns that an expression uses are such. */
  private static boolean uses(Expr expr, IntPredicate such) {
    return switch (expr) {
      case Expr.InputRef ref -> such.test(ref.index());
      case Expr.Literal _, Expr.Parameter _ -> true;
      case Expr.Call call -> call.args().stream().allMatch(arg -> uses(arg, such));
      case Expr.HostFunctionCall call -> call.args().stream().allMatch(arg -> uses(arg, such));
      case Expr.KeyWord word -> word.keys().stream().allMatch(key -> uses(key, such));
    };
  }

  /** The place below of a column of the join. */
  private int place(int column) {
    return column < left.width()
        ? left.place(column)
        : left.below().types().size() + right.place(column - left.width());
  }

  private PhysicalPlan plan() {
    List<DataType> types = types();
    List<Expr> residual = new ArrayList<>();
    List<Expr> above = new ArrayList<>();
    for (int i = 0; i < left.width() + right.width(); i++) {
      boolean joined = i < join.types().size();
      Expr value = i < left.width() ? left.expression(i) : right.expression(i - left.width());
      DataType type = joined ? join.types().get(i) : value.type();
      residual.add(Expr.ref(place(i), value.type()));
      if (joined) {
        above.add(above(value, Expr.ref(place(i), types.get(place(i))), type));
      }
    }
    List<PhysicalPlan.JoinKey> keys =
        join.keys().stream()
            .map(key ->
                new PhysicalPlan.JoinKey(
                    left.place(key.left()), right.place(key.right()), key.nullSafe()))
            .toList();
    List<SortKey> order =
        join.order().stream()
            .map(key -> new SortKey(place(key.column()), key.descending(), key.nullsFirst()))
            .toList();
    Expr condition = join.residual();
    return new PhysicalPlan.Project(
        new PhysicalPlan.Join(
            left.below(),
            right.below(),
            join.joinType(),
            keys,
            condition == null ? null : LateDecoding.over(condition, residual),
            join.algorithm(),
            join.buildLeft(),
            types,
            join.expected(),
            order),
        above);
  }

  private static Expr above(Expr value, Expr ref, DataType type) {
    return value instanceof Expr.HostFunctionCall call
        ? new Expr.HostFunctionCall(
            call.name(), call.function(), List.of(ref), call.deterministic(), type)
        : ref;
  }

  /** The types of the join below: of columns that are handed on those that they had. */
  private List<DataType> types() {
    List<DataType> types = new ArrayList<>();
    for (DataType type : left.below().types()) {
      types.add(type.withNullable(type.nullable() || join.joinType().padsLeft()));
    }
    if (!join.joinType().leftOnly()) {
      for (DataType type : right.below().types()) {
        types.add(type.withNullable(type.nullable() || join.joinType().padsRight()));
      }
    }
    for (int i = 0; i < join.types().size(); i++) {
      if (isPlain(i)) {
        types.set(place(i), join.types().get(i));
      }
    }
    return types;
  }
}
