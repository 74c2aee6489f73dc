package io.aragonite.rules.translate;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;

/**
 * The inputs of a join with keys of equal types: where the two columns of an equality differ in
 * type, columns with casts are appended to an input and taken away above the join.
 */
public final class JoinInputs {
  private final PhysicalPlan left;
  private final PhysicalPlan right;
  private final int leftWidth;
  private final int rightWidth;
  private final List<PhysicalPlan.JoinKey> keys;
  private final RexNode residual;

  private JoinInputs(
      PhysicalPlan left,
      PhysicalPlan right,
      int leftWidth,
      int rightWidth,
      List<PhysicalPlan.JoinKey> keys,
      RexNode residual) {
    this.left = left;
    this.right = right;
    this.leftWidth = leftWidth;
    this.rightWidth = rightWidth;
    this.keys = keys;
    this.residual = residual;
  }

  /** Splits a join's condition in keys and the rest, and makes the inputs. */
  public static JoinInputs of(Join join, PhysicalPlan left, PhysicalPlan right) {
    List<Integer> leftKeys = new ArrayList<>();
    List<Integer> rightKeys = new ArrayList<>();
    List<Boolean> filterNulls = new ArrayList<>();
    RexNode residual = residual(join, leftKeys, rightKeys, filterNulls);
    List<Expr> leftColumns = new ArrayList<>(left.references());
    List<Expr> rightColumns = new ArrayList<>(right.references());
    List<PhysicalPlan.JoinKey> keys = new ArrayList<>();
    for (int i = 0; i < leftKeys.size(); i++) {
      Expr leftKey = leftColumns.get(leftKeys.get(i));
      Expr rightKey = rightColumns.get(rightKeys.get(i));
      DataType common = keyType(leftKey.type(), rightKey.type());
      keys.add(
          new PhysicalPlan.JoinKey(
              place(leftColumns, leftKeys.get(i), common),
              place(rightColumns, rightKeys.get(i), common),
              !filterNulls.get(i)));
    }
    int leftWidth = left.types().size();
    int rightWidth = right.types().size();
    int added = leftColumns.size() - leftWidth;
    RexNode shifted = added == 0 ? residual : RexUtil.shift(residual, leftWidth, added);
    return new JoinInputs(
        widened(left, leftColumns),
        widened(right, rightColumns),
        leftWidth,
        rightWidth,
        keys,
        shifted);
  }

  /** Splits the condition; keys of types that are not compared by the engine stay in the rest. */
  private static RexNode residual(
      Join join, List<Integer> leftKeys, List<Integer> rightKeys, List<Boolean> filterNulls) {
    List<RexNode> nonEqui = new ArrayList<>();
    RelOptUtil.splitJoinCondition(
        join.getLeft(),
        join.getRight(),
        join.getCondition(),
        leftKeys,
        rightKeys,
        filterNulls,
        nonEqui);
    RexBuilder rexBuilder = join.getCluster().getRexBuilder();
    return RexUtil.composeConjunction(rexBuilder, nonEqui);
  }

  private static DataType keyType(DataType left, DataType right) {
    if (left.sameAs(right) || left.kind().isText() && right.kind().isText()) {
      return left;
    }
    DataType common = CastTranslation.common(left, right);
    if (common == null) {
      if (left.kind() == TypeKind.INSTANT || right.kind() == TypeKind.INSTANT) {
        throw new AragoniteException(
            ErrorCode.EXPRESSION_UNSUPPORTED,
            "A %s is looked up among values of type %s; write AT TIME ZONE for one of them."
                .formatted(left.kind().sqlName(), right.kind().sqlName()));
      }
      throw new Untranslatable("an equality of %s and %s".formatted(left, right));
    }
    return common;
  }

  private static int place(List<Expr> columns, int key, DataType type) {
    Expr column = columns.get(key);
    boolean same =
        column.type().sameAs(type)
            || column.type().kind().isText()
                && type.kind().isText()
                && type.kind() != TypeKind.NULL;
    if (same) {
      return key;
    }
    columns.add(CastTranslation.cast(column, type));
    return columns.size() - 1;
  }

  private static PhysicalPlan widened(PhysicalPlan plan, List<Expr> columns) {
    return columns.size() == plan.types().size() ? plan : new PhysicalPlan.Project(plan, columns);
  }

  public PhysicalPlan left() {
    return left;
  }

  public PhysicalPlan right() {
    return right;
  }

  public List<PhysicalPlan.JoinKey> keys() {
    return keys;
  }

  /** The rest of the condition, over left columns, then right ones, casts included. */
  public RexNode residual() {
    return residual;
  }

  /** The columns of the join with the appended ones, of the nullability that the row type says. */
  public List<DataType> joinedTypes(JoinType type, List<DataType> rowTypes) {
    List<DataType> types = new ArrayList<>(rowTypes.subList(0, leftWidth));
    pad(types, left.types(), leftWidth, type.padsLeft());
    if (!type.leftOnly()) {
      types.addAll(rowTypes.subList(leftWidth, leftWidth + rightWidth));
      pad(types, right.types(), rightWidth, type.padsRight());
    }
    return types;
  }

  private static void pad(List<DataType> types, List<DataType> all, int width, boolean nullable) {
    for (DataType extra : all.subList(width, all.size())) {
      types.add(extra.withNullable(extra.nullable() || nullable));
    }
  }

  /** The join without the appended columns. */
  public PhysicalPlan withoutCasts(PhysicalPlan join, JoinType type) {
    List<Expr> all = join.references();
    List<Expr> kept = new ArrayList<>(all.subList(0, leftWidth));
    if (!type.leftOnly()) {
      int start = left.types().size();
      kept.addAll(all.subList(start, start + rightWidth));
    }
    return kept.size() == all.size() ? join : new PhysicalPlan.Project(join, kept);
  }
}
