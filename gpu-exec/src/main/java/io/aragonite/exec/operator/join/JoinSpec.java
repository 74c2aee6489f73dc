package io.aragonite.exec.operator.join;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A join as seen from its build and its probe side, with the shapes of all columns.
 *
 * @param plan the plan node
 * @param left shapes of the left input
 * @param right shapes of the right input
 */
record JoinSpec(Join plan, List<ColumnShape> left, List<ColumnShape> right) {
  static JoinSpec of(Join plan, List<ColumnShape> build, List<ColumnShape> probe) {
    boolean left = plan.buildLeft();
    return new JoinSpec(plan, left ? build : probe, left ? probe : build);
  }

  boolean buildLeft() {
    return plan.buildLeft();
  }

  JoinType type() {
    return plan.joinType();
  }

  List<ColumnShape> build() {
    return buildLeft() ? left : right;
  }

  List<ColumnShape> probe() {
    return buildLeft() ? right : left;
  }

  /** Whether joined pairs are output at all. */
  boolean emitsPairs() {
    return !type().leftOnly();
  }

  /** Whether probe rows without a match come out with nulls for the build side. */
  boolean padsBuild() {
    return buildLeft() ? type().padsLeft() : type().padsRight();
  }

  /** Whether build rows without a match come out with nulls for the probe side. */
  boolean padsProbe() {
    return buildLeft() ? type().padsRight() : type().padsLeft();
  }

  /** Whether the output is rows of the probe side chosen by whether they have a match. */
  boolean choosesProbe() {
    return type().leftOnly() && !buildLeft();
  }

  /** Whether the output is rows of the build side chosen by whether they have a match. */
  boolean choosesBuild() {
    return type().leftOnly() && buildLeft();
  }

  /** For a join that chooses rows: whether it is those with a match. */
  boolean choosesMatched() {
    return type() == JoinType.SEMI;
  }

  boolean nullAware() {
    return type() == JoinType.NULL_AWARE_ANTI;
  }

  /** Whether build rows must be known to have had a match when probing is over. */
  boolean flagsBuild() {
    return padsProbe() || choosesBuild();
  }

  /** Output shapes of the build side's columns. */
  List<ColumnShape> buildOut() {
    return padded(build(), padsBuild());
  }

  /** Output shapes of the probe side's columns. */
  List<ColumnShape> probeOut() {
    return padded(probe(), padsProbe());
  }

  private static List<ColumnShape> padded(List<ColumnShape> shapes, boolean pads) {
    if (!pads) {
      return shapes;
    }
    return shapes.stream()
        .map(s -> s.withType(s.type().withNullable(true)).withMayBeNull(true))
        .toList();
  }

  List<ColumnShape> output() {
    if (type().leftOnly()) {
      return left;
    }
    return concat(buildLeft() ? buildOut() : probeOut(), buildLeft() ? probeOut() : buildOut());
  }

  static <T> List<T> concat(List<? extends T> first, List<? extends T> second) {
    List<T> all = new ArrayList<>(first.size() + second.size());
    all.addAll(first);
    all.addAll(second);
    return all;
  }

  /** The column of key {@code key} as an expression over its own side. */
  private static Expr ref(List<ColumnShape> side, int column) {
    return Expr.ref(column, side.get(column).type());
  }

  List<Expr> buildKeys() {
    return keys(buildLeft());
  }

  List<Expr> probeKeys() {
    return keys(!buildLeft());
  }

  List<ColumnShape> buildKeyShapes() {
    return keyShapes(buildLeft());
  }

  List<ColumnShape> probeKeyShapes() {
    return keyShapes(!buildLeft());
  }

  private List<Expr> keys(boolean ofLeft) {
    List<Expr> keys = new ArrayList<>(plan.keys().size());
    for (JoinKey key : plan.keys()) {
      keys.add(ofLeft ? ref(left, key.left()) : ref(right, key.right()));
    }
    return keys;
  }

  private List<ColumnShape> keyShapes(boolean ofLeft) {
    List<ColumnShape> shapes = new ArrayList<>(plan.keys().size());
    for (JoinKey key : plan.keys()) {
      shapes.add(ofLeft ? left.get(key.left()) : right.get(key.right()));
    }
    return shapes;
  }

  /** True for rows of a side that can match at all: keys that are not null-safe are not null. */
  @Nullable Expr keysPresent(boolean ofBuild) {
    List<Expr> refs = ofBuild ? buildKeys() : probeKeys();
    List<ColumnShape> shapes = ofBuild ? buildKeyShapes() : probeKeyShapes();
    List<Expr> checks = new ArrayList<>();
    for (int i = 0; i < refs.size(); i++) {
      if (shapes.get(i).mayBeNull() && !plan.keys().get(i).nullSafe()) {
        checks.add(Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, refs.get(i)));
      }
    }
    return and(checks);
  }

  /** Equality of all keys over left columns, then right ones. */
  @Nullable Expr keysEqual() {
    List<Expr> checks = new ArrayList<>();
    for (JoinKey key : plan.keys()) {
      checks.add(equal(key));
    }
    return and(checks);
  }

  /** NOT IN's view of a pair: no key is known to differ. */
  @Nullable Expr keysNotUnequal() {
    List<Expr> checks = new ArrayList<>();
    for (JoinKey key : plan.keys()) {
      checks.add(Expr.call(Op.IS_NOT_FALSE, DataType.BOOLEAN, equal(key)));
    }
    return and(checks);
  }

  private Expr equal(JoinKey key) {
    Expr l = ref(left, key.left());
    DataType rightType = right.get(key.right()).type();
    Expr r = Expr.ref(left.size() + key.right(), rightType);
    if (key.nullSafe()) {
      return Expr.call(Op.IS_NOT_DISTINCT_FROM, DataType.BOOLEAN, l, r);
    }
    boolean nullable = l.type().nullable() || rightType.nullable();
    return Expr.call(Op.EQ, DataType.BOOLEAN.withNullable(nullable), l, r);
  }

  static @Nullable Expr and(List<Expr> checks) {
    if (checks.size() < 2) {
      return checks.isEmpty() ? null : checks.getFirst();
    }
    boolean nullable = checks.stream().anyMatch(c -> c.type().nullable());
    return new Expr.Call(Op.AND, checks, DataType.BOOLEAN.withNullable(nullable));
  }

  static @Nullable Expr and(@Nullable Expr a, @Nullable Expr b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return and(List.of(a, b));
  }
}
