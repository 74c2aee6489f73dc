package io.aragonite.rules.program.subquery;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.hint.NullAwareAnti;
import io.aragonite.rules.translate.TypeMapping;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Collect;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Rows to which the values of subqueries are joined as columns, or of which subqueries leave some
 * out. The columns of the rows stay in their places.
 */
final class SubqueryColumns {
  private final Set<CorrelationId> own;
  private final Set<CorrelationId> inside;
  private final RexBuilder rexBuilder;
  private final Map<RexSubQuery, RexNode> known = new HashMap<>();
  private RelNode rel;

  /**
   * @param own variables that stand for a row
   * @param outer variables of rows further out
   */
  SubqueryColumns(RelNode rel, Set<CorrelationId> own, Set<CorrelationId> outer) {
    this.rel = rel;
    this.own = own;
    this.inside = new HashSet<>(outer);
    this.inside.addAll(own);
    this.rexBuilder = rel.getCluster().getRexBuilder();
  }

  RelNode rel() {
    return rel;
  }

  RexBuilder rexBuilder() {
    return rexBuilder;
  }

  /** An expression with columns in place of its subqueries. */
  RexNode replace(RexNode expression) {
    return expression.accept(
        new RexShuttle() {
          @Override
          public RexNode visitCall(RexCall call) {
            RexNode replaced = super.visitCall(call);
            return replaced instanceof RexCall changed && !replaced.equals(call)
                ? Rels.retyped(changed, rexBuilder)
                : replaced;
          }

          @Override
          public RexNode visitSubQuery(RexSubQuery subQuery) {
            RexNode value = known.get(subQuery);
            if (value == null) {
              value = value(subQuery);
              known.put(subQuery, value);
            }
            return value;
          }
        });
  }

  private List<RexNode> operands(RexSubQuery subQuery) {
    List<RexNode> operands = new ArrayList<>();
    for (RexNode operand : subQuery.getOperands()) {
      operands.add(replace(operand));
    }
    return operands;
  }

  private RelNode body(RexSubQuery subQuery) {
    return SubqueryRemoval.remove(subQuery.rel, inside);
  }

  private RexNode value(RexSubQuery subQuery) {
    List<RexNode> operands = operands(subQuery);
    RelNode body = body(subQuery);
    return switch (subQuery.getKind()) {
      case EXISTS -> exists(Rels.withoutProjects(body));
      case SCALAR_QUERY -> scalar(body);
      case IN, SOME -> new QuantifiedComparison(this, subQuery, operands, body).value();
      case UNIQUE -> {
        RelNode repeated = repeated(body);
        yield rexBuilder.makeCall(SqlStdOperatorTable.NOT, exists(repeated));
      }
      case ARRAY_QUERY_CONSTRUCTOR -> {
        RexNode list = column(ListOfRows.of(body), JoinRelType.INNER);
        yield ListOfRows.orEmpty(rexBuilder, list, subQuery.getType());
      }
      case MULTISET_QUERY_CONSTRUCTOR, MAP_QUERY_CONSTRUCTOR ->
          column(Collect.create(body, subQuery.getKind(), "x"), JoinRelType.INNER);
      default -> throw unsupported(subQuery);
    };
  }

  private static AragoniteException unsupported(RexSubQuery subQuery) {
    return new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "%s over a query is not supported; use EXISTS, IN, a comparison with ANY or ALL, or a scalar subquery."
            .formatted(subQuery.getOperator().getName()));
  }

  private RexNode exists(RelNode body) {
    RelNode rows = isDependent(body) ? body : Rels.firstRow(body);
    return isThere(column(presence(rows), JoinRelType.INNER));
  }

  /**
   * One row of one column, which is null if there are no rows. Marks are tests for null, since they
   * are never unknown themselves.
   */
  RelNode presence(RelNode rows) {
    RelNode ones = Rels.project(rows, List.of(rexBuilder.makeExactLiteral(BigDecimal.ONE)));
    return Rels.aggregate(ones, List.of(Rels.call(SqlStdOperatorTable.MAX, ones, 0)));
  }

  RexNode isThere(RexNode mark) {
    return rexBuilder.makeCall(SqlStdOperatorTable.IS_NOT_NULL, mark);
  }

  /** Rows without nulls that there are twice. */
  private RelNode repeated(RelNode body) {
    List<RexNode> present = new ArrayList<>();
    for (RexNode column : Rels.refs(body, 0, Rels.width(body))) {
      present.add(Rels.isNotNull(body, column));
    }
    RelNode rows = Rels.filter(body, present);
    AggregateCall count = Rels.call(SqlStdOperatorTable.COUNT, rows);
    RelNode counted =
        LogicalAggregate.create(
            rows, List.of(), ImmutableBitSet.range(Rels.width(rows)), null, List.of(count));
    RexNode number = Rels.ref(counted, Rels.width(rows));
    return Rels.filter(
        counted,
        List.of(
            rexBuilder.makeCall(
                SqlStdOperatorTable.GREATER_THAN,
                number,
                rexBuilder.makeLiteral(1, number.getType(), false))));
  }

  private RexNode scalar(RelNode body) {
    RelNode row =
        isAtMostOne(body)
            ? body
            : Rels.aggregate(body, List.of(Rels.call(SqlStdOperatorTable.SINGLE_VALUE, body, 0)));
    return column(row, Domain.isSingleRow(row) ? JoinRelType.INNER : JoinRelType.LEFT);
  }

  private static boolean isAtMostOne(RelNode body) {
    Double rows = body.getCluster().getMetadataQuery().getMaxRowCount(body);
    return Domain.isSingleRow(body)
        || body instanceof LogicalSort sort
            && sort.fetch instanceof RexLiteral literal
            && RexLiteral.intValue(literal) <= 1
        || !hasVariables(body) && rows != null && rows <= 1;
  }

  private static boolean hasVariables(RelNode body) {
    boolean[] any = new boolean[1];
    OuterColumns.replace(
        body,
        (variable, row, field) -> {
          any[0] = true;
          return null;
        });
    return any[0];
  }

  /** The first column of a body of one row, joined. */
  private RexNode column(RelNode body, JoinRelType type) {
    int place = join(body, type);
    return Rels.ref(rel, place);
  }

  /** Joins the one row that a body has; returns where its columns begin. */
  int join(RelNode body, JoinRelType type) {
    int start = Rels.width(rel);
    CorrelationId variable = rel.getCluster().createCorrel();
    dependent(bound(body, variable), variable, type);
    return start;
  }

  boolean isDependent(RelNode body) {
    return own.stream().anyMatch(variable -> OuterColumns.uses(body, variable));
  }

  /** A body that refers to rows by the variable of one join. */
  RelNode bound(RelNode body, CorrelationId variable) {
    RexNode row = rexBuilder.makeCorrel(rel.getRowType(), variable);
    return OuterColumns.replace(
        body,
        (old, type, field) ->
            own.contains(old)
                ? Rels.as(
                    type.getFieldList().get(field).getType(),
                    rexBuilder.makeFieldAccess(row, field),
                    rexBuilder)
                : null);
  }

  /** An expression over a row, as a body refers to it. */
  RexNode fromBody(RexNode expression, CorrelationId variable) {
    RexNode row = rexBuilder.makeCorrel(rel.getRowType(), variable);
    return expression.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return rexBuilder.makeFieldAccess(row, ref.getIndex());
          }
        });
  }

  /** Joins a body that refers to rows by a variable, or to none. */
  void dependent(RelNode body, CorrelationId variable, JoinRelType type) {
    ImmutableBitSet used = OuterColumns.fields(body, variable);
    boolean any = used.isEmpty() && !type.projectsRight();
    rel =
        used.isEmpty()
            ? Rels.join(rel, any ? Rels.firstRow(body) : body, List.of(), type)
            : LogicalCorrelate.create(rel, body, List.of(), variable, used, type);
  }

  /**
   * Keeps the rows for which a condition is true, by semi-joins and anti-joins.
   *
   * @return false if it is none for these
   */
  boolean restrict(RexNode condition) {
    boolean negated = condition.isA(SqlKind.NOT);
    RexNode plain = negated ? ((RexCall) condition).getOperands().get(0) : condition;
    if (!(plain instanceof RexSubQuery subQuery)) {
      return false;
    }
    JoinRelType type = negated ? JoinRelType.ANTI : JoinRelType.SEMI;
    switch (subQuery.getKind()) {
      case EXISTS -> {
        RelNode body = Rels.withoutProjects(body(subQuery));
        CorrelationId variable = rel.getCluster().createCorrel();
        dependent(bound(body, variable), variable, type);
        return true;
      }
      case IN, SOME -> {
        List<RexNode> operands = operands(subQuery);
        return new QuantifiedComparison(this, subQuery, operands, body(subQuery)).restrict(negated);
      }
      default -> {
        return false;
      }
    }
  }

  /**
   * An anti-join for NOT IN, of columns that may be null.
   *
   * @return false if there can be none
   */
  boolean nullAware(List<RexNode> operands, RelNode body) {
    // What is nested is compared by Calcite's code, which knows no such join.
    boolean nested = operands.stream().anyMatch(operand -> TypeMapping.isNested(operand.getType()));
    if (nested || hasFree(body) || !NullAwareAnti.allow(rel.getCluster())) {
      return false;
    }
    RelNode left = rel;
    int width = Rels.width(left);
    List<RexNode> columns = new ArrayList<>(Rels.refs(left, 0, width));
    List<RexNode> keys = new ArrayList<>();
    for (RexNode operand : operands) {
      if (operand instanceof RexInputRef) {
        keys.add(operand);
      } else {
        keys.add(new RexInputRef(columns.size(), operand.getType()));
        columns.add(operand);
      }
    }
    RelNode outer = columns.size() == width ? left : Rels.project(left, columns);
    List<RexNode> conditions = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      RexInputRef value = Rels.ref(body, i);
      conditions.add(
          rexBuilder.makeCall(
              SqlStdOperatorTable.EQUALS,
              keys.get(i),
              new RexInputRef(columns.size() + i, value.getType())));
    }
    LogicalJoin join = NullAwareAnti.mark(Rels.join(outer, body, conditions, JoinRelType.ANTI));
    rel = columns.size() == width ? join : Rels.project(join, Rels.refs(join, 0, width));
    return true;
  }

  private static boolean hasFree(RelNode body) {
    Set<CorrelationId> defined = OuterColumns.defined(body);
    boolean[] free = new boolean[1];
    OuterColumns.replace(
        body,
        (variable, row, field) -> {
          free[0] |= !defined.contains(variable);
          return null;
        });
    return free[0];
  }

  RexNode unknown() {
    return rexBuilder.makeNullLiteral(
        rexBuilder
            .getTypeFactory()
            .createTypeWithNullability(
                rexBuilder.getTypeFactory().createSqlType(SqlTypeName.BOOLEAN), true));
  }
}
