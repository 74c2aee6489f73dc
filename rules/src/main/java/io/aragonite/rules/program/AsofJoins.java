package io.aragonite.rules.program;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.AsofMatch;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalAsofJoin;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexWindowBounds;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * ASOF joins by sorting: the rows of both sides, together and in the order of the compared value,
 * are counted along; the rows of the left side between two candidates of the right one share the
 * number of the first, which is their partner. Each side is read once, and sorted rows make it
 * cheap however many candidates a key has. Calcite's operator of its own returns other rows than
 * the nearest (in 1.42).
 */
final class AsofJoins extends RelHomogeneousShuttle {
  private static final Set<SqlKind> INEQUALITIES =
      EnumSet.of(
          SqlKind.LESS_THAN,
          SqlKind.LESS_THAN_OR_EQUAL,
          SqlKind.GREATER_THAN,
          SqlKind.GREATER_THAN_OR_EQUAL);

  @Override
  public RelNode visit(LogicalAsofJoin join) {
    LogicalAsofJoin visited = (LogicalAsofJoin) super.visit(join);
    return new Sorted(
            visited,
            visited.getMatchCondition(),
            RelOptUtil.conjunctions(visited.getCondition()),
            visited.getJoinType() == JoinRelType.LEFT_ASOF,
            false)
        .joined();
  }

  @Override
  public RelNode visit(LogicalJoin join) {
    LogicalJoin visited = (LogicalJoin) super.visit(join);
    List<RexNode> equalities = new ArrayList<>(RelOptUtil.conjunctions(visited.getCondition()));
    for (RexNode condition : List.copyOf(equalities)) {
      if (condition instanceof RexCall call && call.getOperator().equals(AsofMatch.ASOF_MATCH)) {
        equalities.remove(condition);
        JoinRelType type = visited.getJoinType();
        return new Sorted(
                visited,
                call.getOperands().getFirst(),
                equalities,
                type.generatesNullsOnRight(),
                type.generatesNullsOnLeft())
            .joined();
      }
    }
    return visited;
  }

  /**
   * One join.
   *
   * @param keepsLeft whether rows of the left side without a partner are in the result
   * @param keepsRight whether those of the right side are
   */
  private record Sorted(
      Join join, RexNode match, List<RexNode> equalities, boolean keepsLeft, boolean keepsRight) {
    private RelNode joined() {
      int left = join.getLeft().getRowType().getFieldCount();
      RexCall inequality = oriented(match, join.getCluster().getRexBuilder(), left);
      RelBuilder builder = Simplification.NONE.create(join.getCluster(), null);
      int keys = pushBothSides(builder, inequality, left);
      numberCandidates(builder, inequality.getKind(), keys);
      pairRows(builder, left, keys);
      List<RexNode> columns = new ArrayList<>();
      List<RelDataTypeField> fields = join.getRowType().getFieldList();
      for (int i = 0; i < fields.size(); i++) {
        RelDataType type = fields.get(i).getType();
        RexNode value = builder.field(i);
        columns.add(
            value.getType().equals(type)
                ? value
                : builder.getRexBuilder().makeCast(type, value, true, false));
      }
      return builder.project(columns, join.getRowType().getFieldNames(), true).build();
    }

    /**
     * Pushes the rows of both sides: the columns of the join, keys, the compared value, 1 for a
     * candidate, and true for a row of the left side. Returns how many keys there are.
     */
    private int pushBothSides(RelBuilder builder, RexCall inequality, int left) {
      List<RexNode> leftKeys = new ArrayList<>();
      List<RexNode> rightKeys = new ArrayList<>();
      BitSet nullable =
          keys(join.getCluster().getRexBuilder(), equalities, left, leftKeys, rightKeys);
      int keys = leftKeys.size();
      leftKeys.add(inequality.getOperands().get(0));
      rightKeys.add(RexUtil.shift(inequality.getOperands().get(1), -left));
      RexBuilder rex = builder.getRexBuilder();
      List<RelDataType> types = new ArrayList<>();
      for (int i = 0; i < leftKeys.size(); i++) {
        types.add(commonType(leftKeys.get(i), rightKeys.get(i)));
      }
      List<RelDataTypeField> fields = join.getRowType().getFieldList();
      RelDataType one = rex.getTypeFactory().createSqlType(SqlTypeName.INTEGER);
      builder.push(join.getLeft());
      List<RexNode> columns = new ArrayList<>(builder.fields());
      fields
          .subList(left, fields.size())
          .forEach(field -> columns.add(rex.makeNullLiteral(nullable(field.getType()))));
      addKeys(builder, columns, leftKeys, types);
      columns.add(rex.makeNullLiteral(nullable(one)));
      columns.add(builder.literal(true));
      builder.project(columns, List.of(), true);
      builder.push(join.getRight());
      List<RexNode> comparable = new ArrayList<>();
      for (int i = 0; i < rightKeys.size(); i++) {
        if (!nullable.get(i)) {
          comparable.add(builder.isNotNull(rightKeys.get(i)));
        }
      }
      if (!keepsRight) {
        builder.filter(comparable);
      }
      columns.clear();
      fields
          .subList(0, left)
          .forEach(field -> columns.add(rex.makeNullLiteral(nullable(field.getType()))));
      columns.addAll(builder.fields());
      addKeys(builder, columns, rightKeys, types);
      columns.add(
          builder.call(
              SqlStdOperatorTable.CASE,
              builder.and(comparable),
              rex.makeLiteral(1, one, false),
              rex.makeNullLiteral(nullable(one))));
      columns.add(
          rex.makeNullLiteral(
              builder
                  .getTypeFactory()
                  .createTypeWithNullability(
                      builder.getTypeFactory().createSqlType(SqlTypeName.BOOLEAN), true)));
      builder.project(columns, List.of(), true);
      builder.union(true);
      return keys;
    }

    /** Adds the number of candidates up to each row, among the rows with the same keys. */
    private void numberCandidates(RelBuilder builder, SqlKind kind, int keys) {
      int first = join.getRowType().getFieldCount();
      boolean latest = kind == SqlKind.GREATER_THAN || kind == SqlKind.GREATER_THAN_OR_EQUAL;
      boolean equal = kind == SqlKind.LESS_THAN_OR_EQUAL || kind == SqlKind.GREATER_THAN_OR_EQUAL;
      RexNode value = builder.field(first + keys);
      RexNode candidate = builder.field(first + keys + 1);
      List<RexNode> columns = new ArrayList<>(builder.fields());
      columns.add(
          builder
              .aggregateCall(SqlStdOperatorTable.COUNT, candidate)
              .over()
              .partitionBy(builder.fields(ImmutableBitSet.range(first, first + keys)))
              .orderBy(
                  builder.nullsFirst(latest ? value : builder.desc(value)),
                  equal ? builder.nullsLast(candidate) : builder.nullsFirst(candidate))
              .rowsTo(RexWindowBounds.CURRENT_ROW)
              .toRex());
      builder.project(columns, List.of(), true);
    }

    /**
     * Rows with the same keys and number have at most one candidate among them. It is the first;
     * those of the left side follow, then those of the right side that are no candidates.
     */
    private void pairRows(RelBuilder builder, int left, int keys) {
      int first = join.getRowType().getFieldCount();
      RexNode candidate = builder.field(first + keys + 1);
      RexNode ofLeft = builder.field(first + keys + 2);
      List<RexNode> same =
          new ArrayList<>(builder.fields(ImmutableBitSet.range(first, first + keys)));
      same.add(builder.field(first + keys + 3));
      List<RexNode> columns = new ArrayList<>(builder.fields());
      for (int i = left; i < first; i++) {
        RexNode partner =
            builder
                .aggregateCall(SqlStdOperatorTable.FIRST_VALUE, builder.field(i))
                .over()
                .partitionBy(same)
                .orderBy(builder.nullsLast(candidate), builder.nullsLast(ofLeft))
                .rowsTo(RexWindowBounds.CURRENT_ROW)
                .toRex();
        columns.set(
            i,
            keepsRight
                ? builder.call(
                    SqlStdOperatorTable.CASE, builder.isNotNull(ofLeft), partner, builder.field(i))
                : partner);
      }
      if (keepsRight) {
        columns.add(
            builder
                .aggregateCall(SqlStdOperatorTable.COUNT, ofLeft)
                .over()
                .partitionBy(same)
                .rowsUnbounded()
                .toRex());
      }
      builder.project(columns, List.of(), true);
      builder.filter(kept(builder, first + keys + 1));
    }

    private RexNode kept(RelBuilder builder, int candidate) {
      RexNode zero = builder.literal(0);
      RexNode ofLeft = builder.isNotNull(builder.field(candidate + 1));
      RexNode left =
          keepsLeft
              ? ofLeft
              : builder.and(ofLeft, builder.greaterThan(builder.field(candidate + 2), zero));
      if (!keepsRight) {
        return left;
      }
      RexNode alone =
          builder.or(
              builder.isNull(builder.field(candidate)),
              builder.equals(builder.field(candidate + 3), zero));
      return builder.or(left, builder.and(builder.isNull(builder.field(candidate + 1)), alone));
    }

    private static void addKeys(
        RelBuilder builder, List<RexNode> columns, List<RexNode> keys, List<RelDataType> types) {
      for (int i = 0; i < keys.size(); i++) {
        columns.add(builder.getRexBuilder().ensureType(types.get(i), keys.get(i), true));
      }
    }

    private RelDataType commonType(RexNode left, RexNode right) {
      RelDataTypeFactory types = join.getCluster().getTypeFactory();
      RelDataType type = types.leastRestrictive(List.of(left.getType(), right.getType()));
      if (type == null) {
        throw new AragoniteException(
            ErrorCode.EXPRESSION_UNSUPPORTED,
            "The values %s and %s of an ASOF join have no type in common; cast one of them."
                .formatted(left, right));
      }
      return types.createTypeWithNullability(type, true);
    }

    private RelDataType nullable(RelDataType type) {
      return join.getCluster().getTypeFactory().createTypeWithNullability(type, true);
    }
  }

  /**
   * Adds the sides of the equalities, those of the right side by its own columns. Returns which of
   * them two nulls meet: those of IS NOT DISTINCT FROM.
   */
  private static BitSet keys(
      RexBuilder rex,
      List<RexNode> equalities,
      int left,
      List<RexNode> leftKeys,
      List<RexNode> rightKeys) {
    BitSet nullable = new BitSet();
    for (RexNode written : equalities) {
      RexNode condition = written;
      if (condition.isAlwaysTrue()
          || condition instanceof RexCall mark && mark.getOperator().equals(AsofMatch.ASOF_USING)) {
        continue;
      }
      if (condition instanceof RexCall call) {
        condition = RelOptUtil.collapseExpandedIsNotDistinctFromExpr(call, rex);
      }
      if (!(condition instanceof RexCall call)
          || call.getKind() != SqlKind.EQUALS && call.getKind() != SqlKind.IS_NOT_DISTINCT_FROM) {
        throw notEqual(condition);
      }
      nullable.set(leftKeys.size(), call.getKind() == SqlKind.IS_NOT_DISTINCT_FROM);
      RexNode first = call.getOperands().get(0);
      RexNode second = call.getOperands().get(1);
      boolean inOrder = side(first, left, true) && side(second, left, false);
      if (!inOrder && !(side(first, left, false) && side(second, left, true))) {
        throw notEqual(condition);
      }
      leftKeys.add(inOrder ? first : second);
      rightKeys.add(RexUtil.shift(inOrder ? second : first, -left));
    }
    return nullable;
  }

  private static AragoniteException notEqual(RexNode condition) {
    return new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "Beside its inequality an ASOF join has equalities between its sides only; '%s' goes into WHERE or a subquery."
            .formatted(condition));
  }

  /** The comparison with the left side's value first. */
  private static RexCall oriented(RexNode match, RexBuilder rex, int left) {
    if (match instanceof RexCall call && call.getOperands().size() == 2) {
      boolean inOrder =
          side(call.getOperands().get(0), left, true)
              && side(call.getOperands().get(1), left, false);
      boolean reversed =
          side(call.getOperands().get(0), left, false)
              && side(call.getOperands().get(1), left, true);
      if ((inOrder || reversed) && INEQUALITIES.contains(call.getKind())) {
        return inOrder ? call : (RexCall) Objects.requireNonNull(RexUtil.invert(rex, call));
      }
    }
    throw new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "The inequality of an ASOF join compares a value of the left side with one of the right by <, <=, > or >=; '%s' does not."
            .formatted(match));
  }

  private static boolean side(RexNode value, int left, boolean isLeft) {
    for (int field : RelOptUtil.InputFinder.bits(value)) {
      if (field < left != isLeft) {
        return false;
      }
    }
    return true;
  }
}
