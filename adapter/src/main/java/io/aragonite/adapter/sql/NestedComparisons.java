package io.aragonite.adapter.sql;

import com.google.common.collect.ImmutableList;
import io.aragonite.rules.function.SortKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexWindow;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql2rel.SqlRexContext;
import org.jspecify.annotations.Nullable;

/**
 * Structs that are compared with each other: their fields are, one after the other. A null in a
 * struct is equal to another one, and greater than all else; a comparison with a null struct is
 * null.
 */
final class NestedComparisons extends RexShuttle {
  private static final Set<SqlKind> COLUMNS = Set.of(SqlKind.INPUT_REF, SqlKind.FIELD_ACCESS);

  private final RexBuilder rex;

  NestedComparisons(RexBuilder rex) {
    this.rex = rex;
  }

  /**
   * A comparison of structs where SQL is converted, as Calcite would simplify one of equal structs
   * with a null in them; null for another call. Columns that are equal stay so for {@link
   * #condition}.
   */
  static @Nullable RexNode convert(SqlRexContext context, SqlCall call) {
    if (call.operandCount() != 2
        || !isStruct(context, call.operand(0))
        || !isStruct(context, call.operand(1))
        || isWritten(call.operand(0)) && isWritten(call.operand(1))) {
      return null;
    }
    NestedComparisons comparisons = new NestedComparisons(context.getRexBuilder());
    RexNode left = context.convertExpression(call.operand(0));
    RexNode right = context.convertExpression(call.operand(1));
    if (comparisons.shape(left, right) == null) {
      return null;
    }
    RexNode comparison = comparisons.both(call.getOperator(), left, right);
    if (call.getKind() == SqlKind.EQUALS
        && COLUMNS.contains(left.getKind())
        && COLUMNS.contains(right.getKind())) {
      return comparison;
    }
    RexNode made = comparison.accept(comparisons);
    RelDataType type = context.getValidator().getValidatedNodeTypeIfKnown(call);
    return type == null || type.isNullable() == made.getType().isNullable()
        ? made
        : context.getRexBuilder().makeAbstractCast(type, made, false);
  }

  /** Whether a kind of calls is one of comparisons of two operands. */
  static boolean is(SqlKind kind) {
    return kind == SqlKind.IS_DISTINCT_FROM
        || kind == SqlKind.IS_NOT_DISTINCT_FROM
        || kind != SqlKind.IN && kind.belongsTo(SqlKind.COMPARISON);
  }

  private static boolean isStruct(SqlRexContext context, SqlNode operand) {
    RelDataType type = context.getValidator().getValidatedNodeTypeIfKnown(operand);
    return type != null && NestedLeaves.isNested(type);
  }

  private static boolean isWritten(SqlNode operand) {
    return operand.getKind() == SqlKind.ROW;
  }

  /** A condition whose rows pass where it is true, with equalities that joins know. */
  RexNode condition(RexNode condition) {
    List<RexNode> given = RelOptUtil.conjunctions(condition);
    if (given.stream().noneMatch(this::isEquality)) {
      return condition;
    }
    List<RexNode> parts = new ArrayList<>();
    for (RexNode part : given) {
      if (isEquality(part) && part instanceof RexCall call) {
        RexNode left = call.getOperands().getFirst();
        if (!left.getType().isStruct()) {
          parts.add(ofKeys(call.getOperator(), left, call.getOperands().get(1)));
          continue;
        }
        parts.add(same(left, call.getOperands().get(1)));
        if (left.getType().isNullable()) {
          parts.add(rex.makeCall(SqlStdOperatorTable.IS_NOT_NULL, left));
        }
      } else {
        parts.add(part);
      }
    }
    return RexUtil.composeConjunction(rex, parts);
  }

  @Override
  public RexNode visitCall(RexCall original) {
    RexNode visited = super.visitCall(original);
    if (!(visited instanceof RexCall call)) {
      return visited;
    }
    if (!isOfStructs(call)) {
      return ofUuids(call);
    }
    RexNode left = call.getOperands().getFirst();
    RexNode right = call.getOperands().get(1);
    if (!left.getType().isStruct()) {
      return ofKeys(call.getOperator(), left, right);
    }
    return switch (call.getKind()) {
      case IS_NOT_DISTINCT_FROM -> same(left, right);
      case IS_DISTINCT_FROM -> not(same(left, right));
      case EQUALS -> ofPresent(call, same(left, right));
      case NOT_EQUALS -> ofPresent(call, not(same(left, right)));
      case LESS_THAN -> ofPresent(call, less(left, right));
      case GREATER_THAN -> ofPresent(call, less(right, left));
      case LESS_THAN_OR_EQUAL -> ofPresent(call, not(less(right, left)));
      case GREATER_THAN_OR_EQUAL -> ofPresent(call, not(less(left, right)));
      default -> call;
    };
  }

  /** A comparison of lists or maps. */
  private RexNode ofKeys(SqlOperator operator, RexNode left, RexNode right) {
    RelDataType shape = shape(left, right);
    return both(operator, leaves(left, shape).getFirst(), leaves(right, shape).getFirst());
  }

  /** A comparison of UUIDs by what these are ordered by. */
  private RexNode ofUuids(RexCall call) {
    boolean ordering =
        switch (call.getKind()) {
          case LESS_THAN, GREATER_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN_OR_EQUAL -> true;
          case GREATEST, LEAST, GREATEST_PG, LEAST_PG -> true;
          default -> false;
        };
    if (!ordering || !isUuid(call.getOperands().getFirst())) {
      return call;
    }
    List<RexNode> operands = new ArrayList<>();
    call.getOperands().forEach(operand -> operands.add(NestedKeys.ordered(rex, operand)));
    RexNode made = rex.makeCall(call.getOperator(), operands);
    return made.getType().equals(call.getType())
        ? made
        : rex.makeAbstractCast(call.getType(), made, false);
  }

  private static boolean isUuid(RexNode value) {
    return value.getType().getSqlTypeName() == SqlTypeName.UUID;
  }

  @Override
  public RexNode visitOver(RexOver original) {
    RexOver over = (RexOver) super.visitOver(original);
    boolean extreme = over.getKind() == SqlKind.MIN || over.getKind() == SqlKind.MAX;
    if (extreme && isUuid(over.getOperands().getFirst())) {
      RexNode text = NestedKeys.ordered(rex, over.getOperands().getFirst());
      RelDataType type =
          rex.getTypeFactory()
              .createTypeWithNullability(text.getType(), over.getType().isNullable());
      RexNode found = byParts(over, type, List.of(text));
      return rex.makeAbstractCast(over.getType(), found, false);
    }
    if (extreme && NestedLeaves.isKeyed(over.getOperands().getFirst().getType())) {
      RexNode key = leaves(over.getOperands().getFirst(), null).getFirst();
      RelDataType type =
          rex.getTypeFactory()
              .createTypeWithNullability(key.getType(), over.getType().isNullable());
      return SortKeys.decode(rex, byParts(over, type, List.of(key)), over.getType());
    }
    boolean counted = over.getKind() == SqlKind.COUNT && over.isDistinct();
    boolean by = over.getKind() == SqlKind.ARG_MIN || over.getKind() == SqlKind.ARG_MAX;
    return byParts(
        over,
        over.getType(),
        by || counted && over.getOperands().size() == 1
            ? withKey(over.getOperands())
            : over.getOperands());
  }

  /** Operands whose last one is compared as bytes or a text, if it is no plain value. */
  private List<RexNode> withKey(List<RexNode> operands) {
    RexNode value = operands.getLast();
    List<RexNode> made = new ArrayList<>(operands);
    made.set(
        operands.size() - 1,
        NestedLeaves.isNested(value.getType()) && SortKeys.has(value.getType())
            ? SortKeys.create(rex, value, value.getType())
            : NestedKeys.ordered(rex, value));
    return made;
  }

  /** A window whose keys are parts of values. */
  private RexNode byParts(RexOver over, RelDataType type, List<RexNode> operands) {
    RexWindow window = over.getWindow();
    if (window.partitionKeys.stream().noneMatch(key -> NestedLeaves.isNested(key.getType()))
        && window.orderKeys.stream()
            .noneMatch(key -> NestedKeys.isOrderedByParts(key.left.getType()))
        && operands.equals(over.getOperands())) {
      return over;
    }
    List<RexNode> partition = new ArrayList<>();
    window.partitionKeys.forEach(key -> NestedLeaves.of(rex, key, key.getType(), partition));
    List<RexFieldCollation> order = new ArrayList<>();
    for (RexFieldCollation key : window.orderKeys) {
      if (key.left.getType().isStruct()) {
        order(key, order);
      } else {
        RexNode value = leaves(key.left, null).getFirst();
        order.add(new RexFieldCollation(NestedKeys.ordered(rex, value), key.right));
      }
    }
    return rex.makeOver(
        type,
        over.getAggOperator(),
        operands,
        partition,
        ImmutableList.copyOf(order),
        window.getLowerBound(),
        window.getUpperBound(),
        window.getExclude(),
        window.isRows(),
        true,
        false,
        over.isDistinct(),
        over.ignoreNulls());
  }

  /** Null structs come where the key has nulls; nulls in a struct are greater than all else. */
  private void order(RexFieldCollation key, List<RexFieldCollation> order) {
    boolean descending = key.right.contains(SqlKind.DESCENDING);
    Set<SqlKind> fields =
        descending ? Set.of(SqlKind.DESCENDING, SqlKind.NULLS_FIRST) : Set.of(SqlKind.NULLS_LAST);
    List<RexNode> leaves = leaves(key.left, null);
    for (int i = 0; i < leaves.size(); i++) {
      boolean whole = i == 0 && key.left.getType().isNullable();
      boolean first =
          key.right.contains(SqlKind.NULLS_FIRST)
              || descending && !key.right.contains(SqlKind.NULLS_LAST);
      order.add(
          new RexFieldCollation(
              NestedKeys.ordered(rex, leaves.get(i)),
              !whole ? fields : first ? Set.of(SqlKind.DESCENDING) : Set.<SqlKind>of()));
    }
  }

  @Override
  public RexNode visitSubQuery(RexSubQuery original) {
    RexSubQuery query = (RexSubQuery) super.visitSubQuery(original);
    RelNode rows = NestedKeys.byFields(query.rel);
    if (query.getKind() == SqlKind.SOME && isUuid(query.getOperands().getFirst())) {
      RexNode column = NestedKeys.ordered(rex, rex.makeInputRef(rows, 0));
      return RexSubQuery.some(
          LogicalProject.create(rows, List.of(), List.of(column), (List<String>) null),
          ImmutableList.of(NestedKeys.ordered(rex, query.getOperands().getFirst())),
          (SqlQuantifyOperator) query.getOperator());
    }
    if (query.getKind() != SqlKind.IN
        || query.getOperands().stream()
            .noneMatch(operand -> NestedLeaves.isNested(operand.getType()))) {
      return rows.equals(query.rel) ? query : query.clone(rows);
    }
    List<RexNode> operands = new ArrayList<>();
    List<RexNode> columns = new ArrayList<>();
    for (int i = 0; i < query.getOperands().size(); i++) {
      RexNode operand = query.getOperands().get(i);
      RexNode column = rex.makeInputRef(rows, i);
      if (!NestedLeaves.isNested(operand.getType())) {
        operands.add(operand);
        columns.add(column);
        continue;
      }
      RelDataType shape =
          SortKeys.compared(rex.getTypeFactory(), operand.getType(), column.getType());
      if (shape == null
          || !NestedLeaves.encode(rex, operand, shape, operands)
          || !NestedLeaves.encode(rex, column, shape, columns)) {
        return query.clone(rows);
      }
    }
    return RexSubQuery.in(
        LogicalProject.create(rows, List.of(), columns, (List<String>) null),
        ImmutableList.copyOf(operands));
  }

  private boolean isEquality(RexNode part) {
    return part instanceof RexCall call && call.isA(SqlKind.EQUALS) && isOfStructs(call);
  }

  /** Whether a call is one of two structs that are not both written as rows. */
  private boolean isOfStructs(RexCall call) {
    if (!is(call.getKind()) || call.getOperands().size() != 2) {
      return false;
    }
    RexNode left = call.getOperands().getFirst();
    RexNode right = call.getOperands().get(1);
    return NestedLeaves.isNested(left.getType())
        && NestedLeaves.isNested(right.getType())
        && !(isWritten(left) && isWritten(right))
        && shape(left, right) != null;
  }

  private @Nullable RelDataType shape(RexNode left, RexNode right) {
    return SortKeys.compared(rex.getTypeFactory(), left.getType(), right.getType());
  }

  /** A ROW without names of fields, which the grammar compares by itself. */
  private static boolean isWritten(RexNode node) {
    return node.getKind() == SqlKind.ROW
        && node.getType().getFieldNames().stream().allMatch(name -> name.startsWith("EXPR$"));
  }

  private RexNode not(RexNode condition) {
    return rex.makeCall(SqlStdOperatorTable.NOT, condition);
  }

  private RexNode both(SqlOperator operator, RexNode left, RexNode right) {
    return rex.makeCall(operator, left, right);
  }

  /** Null if one of the operands is. */
  private RexNode ofPresent(RexCall call, RexNode made) {
    List<RexNode> absent = new ArrayList<>();
    for (RexNode operand : call.getOperands()) {
      if (operand.getType().isNullable()) {
        absent.add(rex.makeCall(SqlStdOperatorTable.IS_NULL, NestedLeaves.uncast(operand)));
      }
    }
    if (absent.isEmpty()) {
      return made;
    }
    RelDataType type = rex.getTypeFactory().createSqlType(SqlTypeName.BOOLEAN);
    RelDataType nullable = rex.getTypeFactory().createTypeWithNullability(type, true);
    return rex.makeCall(
        nullable,
        SqlStdOperatorTable.CASE,
        List.of(RexUtil.composeDisjunction(rex, absent), rex.makeNullLiteral(nullable), made));
  }

  private List<RexNode> leaves(RexNode value, @Nullable RelDataType shape) {
    List<RexNode> leaves = new ArrayList<>();
    NestedLeaves.of(rex, value, shape == null ? value.getType() : shape, leaves);
    return leaves;
  }

  private RexNode same(RexNode left, RexNode right) {
    RelDataType shape = shape(left, right);
    List<RexNode> lefts = leaves(left, shape);
    List<RexNode> rights = leaves(right, shape);
    List<RexNode> parts = new ArrayList<>();
    for (int i = 0; i < lefts.size(); i++) {
      parts.add(same(lefts, rights, i));
    }
    return RexUtil.composeConjunction(rex, parts);
  }

  private RexNode same(List<RexNode> lefts, List<RexNode> rights, int i) {
    SqlOperator operator =
        lefts.get(i).getType().isNullable() || rights.get(i).getType().isNullable()
            ? SqlStdOperatorTable.IS_NOT_DISTINCT_FROM
            : SqlStdOperatorTable.EQUALS;
    return both(operator, lefts.get(i), rights.get(i));
  }

  private RexNode less(RexNode left, RexNode right) {
    RelDataType shape = shape(left, right);
    List<RexNode> lefts = leaves(left, shape);
    List<RexNode> rights = leaves(right, shape);
    RexNode rest = rex.makeLiteral(false);
    for (int i = lefts.size() - 1; i >= 0; i--) {
      RexNode further = RexUtil.composeConjunction(rex, List.of(same(lefts, rights, i), rest));
      rest =
          RexUtil.composeDisjunction(rex, List.of(lessLeaf(lefts.get(i), rights.get(i)), further));
    }
    return rest;
  }

  private RexNode lessLeaf(RexNode left, RexNode right) {
    RexNode less =
        left.getType().getSqlTypeName() == SqlTypeName.BOOLEAN
            ? both(SqlStdOperatorTable.AND, not(left), right)
            : both(SqlStdOperatorTable.LESS_THAN, left, right);
    if (less.getType().isNullable()) {
      less = rex.makeCall(SqlStdOperatorTable.IS_TRUE, less);
    }
    return right.getType().isNullable()
        ? both(
            SqlStdOperatorTable.OR,
            less,
            both(
                SqlStdOperatorTable.AND,
                rex.makeCall(SqlStdOperatorTable.IS_NOT_NULL, left),
                rex.makeCall(SqlStdOperatorTable.IS_NULL, right)))
        : less;
  }
}
