package io.aragonite.rules.program.subquery;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * IN, and comparisons with ANY; those with ALL are negations of these. It is true if the comparison
 * is true for a row of the body, else unknown if it is unknown for one, else false.
 */
final class QuantifiedComparison {
  private final SubqueryColumns rows;
  private final RexBuilder rexBuilder;
  private final SqlKind comparison;
  private final List<RexNode> operands;
  private final RelNode body;

  QuantifiedComparison(
      SubqueryColumns rows, RexSubQuery subQuery, List<RexNode> operands, RelNode body) {
    this.rows = rows;
    this.rexBuilder = rows.rexBuilder();
    this.comparison =
        subQuery.getOperator() instanceof SqlQuantifyOperator quantify
            ? quantify.comparisonKind
            : SqlKind.EQUALS;
    this.operands = operands;
    this.body = body;
  }

  private boolean isSingle() {
    return operands.size() == 1;
  }

  private boolean mayBeUnknown() {
    for (int i = 0; i < operands.size(); i++) {
      if (operands.get(i).getType().isNullable() || column(i).getType().isNullable()) {
        return true;
      }
    }
    return false;
  }

  private RexNode column(int i) {
    return Rels.ref(body, i);
  }

  /** The comparison of a row and one of the body, as the body has it. */
  private RexNode compared(CorrelationId variable) {
    List<RexNode> outer =
        operands.stream().map(operand -> rows.fromBody(operand, variable)).toList();
    return switch (comparison) {
      case EQUALS -> all(outer, SqlStdOperatorTable.EQUALS, true);
      case NOT_EQUALS -> all(outer, SqlStdOperatorTable.NOT_EQUALS, false);
      default -> ordered(outer, 0);
    };
  }

  private RexNode all(List<RexNode> outer, SqlOperator operator, boolean and) {
    List<RexNode> terms = new ArrayList<>();
    for (int i = 0; i < outer.size(); i++) {
      terms.add(rexBuilder.makeCall(operator, outer.get(i), column(i)));
    }
    return and
        ? RexUtil.composeConjunction(rexBuilder, terms)
        : RexUtil.composeDisjunction(rexBuilder, terms);
  }

  /** Rows are ordered by their first columns that differ. */
  private RexNode ordered(List<RexNode> outer, int i) {
    if (i == outer.size() - 1) {
      return rexBuilder.makeCall(operator(comparison), outer.get(i), column(i));
    }
    SqlKind strict =
        comparison == SqlKind.LESS_THAN || comparison == SqlKind.LESS_THAN_OR_EQUAL
            ? SqlKind.LESS_THAN
            : SqlKind.GREATER_THAN;
    RexNode before = rexBuilder.makeCall(operator(strict), outer.get(i), column(i));
    RexNode same = rexBuilder.makeCall(SqlStdOperatorTable.EQUALS, outer.get(i), column(i));
    return rexBuilder.makeCall(
        SqlStdOperatorTable.OR,
        before,
        rexBuilder.makeCall(SqlStdOperatorTable.AND, same, ordered(outer, i + 1)));
  }

  private static SqlOperator operator(SqlKind kind) {
    return switch (kind) {
      case EQUALS -> SqlStdOperatorTable.EQUALS;
      case NOT_EQUALS -> SqlStdOperatorTable.NOT_EQUALS;
      case LESS_THAN -> SqlStdOperatorTable.LESS_THAN;
      case LESS_THAN_OR_EQUAL -> SqlStdOperatorTable.LESS_THAN_OR_EQUAL;
      case GREATER_THAN -> SqlStdOperatorTable.GREATER_THAN;
      case GREATER_THAN_OR_EQUAL -> SqlStdOperatorTable.GREATER_THAN_OR_EQUAL;
      default -> throw new IllegalStateException("no comparison: " + kind);
    };
  }

  /** Whether the least and the greatest value decide, so that no pairs are made. */
  private boolean byExtremes() {
    return isSingle()
        && comparison != SqlKind.EQUALS
        && isOrdered(column(0).getType())
        && isOrdered(operands.get(0).getType());
  }

  private static boolean isOrdered(RelDataType type) {
    return SqlTypeUtil.isNumeric(type)
        || SqlTypeUtil.isDatetime(type)
        || type.getSqlTypeName() == SqlTypeName.VARCHAR;
  }

  /**
   * Keeps the rows for which it, or its negation, is true.
   *
   * @return false if its value is the better way
   */
  boolean restrict(boolean negated) {
    if (byExtremes()) {
      return false;
    }
    if (!negated) {
      matching(JoinRelType.SEMI, SqlStdOperatorTable.IS_TRUE);
    } else if (!mayBeUnknown()) {
      matching(JoinRelType.ANTI, SqlStdOperatorTable.IS_TRUE);
    } else if (comparison != SqlKind.EQUALS || !rows.nullAware(operands, body)) {
      unmatched();
    }
    return true;
  }

  private void matching(JoinRelType type, SqlOperator test) {
    CorrelationId variable = rows.rel().getCluster().createCorrel();
    RexNode compared = compared(variable);
    RexNode condition =
        test.equals(SqlStdOperatorTable.IS_TRUE) ? compared : rexBuilder.makeCall(test, compared);
    rows.dependent(Rels.filter(rows.bound(body, variable), List.of(condition)), variable, type);
  }

  /** Leaves out the rows that one of the body is equal to, or may be. */
  private void unmatched() {
    if (!isSingle() || comparison != SqlKind.EQUALS) {
      matching(JoinRelType.ANTI, SqlStdOperatorTable.IS_NOT_FALSE);
      return;
    }
    // Three joins that hash, rather than one that tries all pairs.
    matching(JoinRelType.ANTI, SqlStdOperatorTable.IS_TRUE);
    if (column(0).getType().isNullable()) {
      CorrelationId variable = rows.rel().getCluster().createCorrel();
      rows.dependent(
          Rels.filter(
              rows.bound(body, variable), List.of(Decorrelation.isNull(rexBuilder, column(0)))),
          variable,
          JoinRelType.ANTI);
    }
    if (operands.get(0).getType().isNullable()) {
      CorrelationId variable = rows.rel().getCluster().createCorrel();
      RexNode isNull = Decorrelation.isNull(rexBuilder, rows.fromBody(operands.get(0), variable));
      rows.dependent(
          Rels.filter(rows.bound(body, variable), List.of(isNull)), variable, JoinRelType.ANTI);
    }
  }

  /** True, false or unknown, as a column of the rows. */
  RexNode value() {
    if (byExtremes()) {
      return extremes();
    }
    RexNode matches = exists(SqlStdOperatorTable.IS_TRUE);
    if (!mayBeUnknown()) {
      return matches;
    }
    if (comparison != SqlKind.EQUALS) {
      return cases(matches, yes(), exists(SqlStdOperatorTable.IS_NULL), rows.unknown(), no());
    }
    if (!isSingle()) {
      return cases(matches, yes(), allUnequal(), no(), rows.unknown());
    }
    int start = summary(List.of());
    RexNode unknown =
        rexBuilder.makeCall(SqlStdOperatorTable.OR, hasNull(start), isNull(operands.get(0)));
    return cases(matches, yes(), isEmpty(start), no(), unknown, rows.unknown(), no());
  }

  private RexNode yes() {
    return rexBuilder.makeLiteral(true);
  }

  private RexNode no() {
    return rexBuilder.makeLiteral(false);
  }

  private RexNode cases(RexNode... operands) {
    return rexBuilder.makeCall(SqlStdOperatorTable.CASE, operands);
  }

  private RexNode isNull(RexNode value) {
    return Decorrelation.isNull(rexBuilder, value);
  }

  /** Whether the body has a row with that outcome of the comparison. */
  private RexNode exists(SqlOperator test) {
    CorrelationId variable = rows.rel().getCluster().createCorrel();
    RexNode compared = compared(variable);
    RexNode condition =
        test.equals(SqlStdOperatorTable.IS_TRUE) ? compared : rexBuilder.makeCall(test, compared);
    RelNode matching = Rels.filter(rows.bound(body, variable), List.of(condition));
    int start = Rels.width(rows.rel());
    rows.dependent(rows.presence(matching), variable, JoinRelType.INNER);
    return rows.isThere(Rels.ref(rows.rel(), start));
  }

  /** Whether the comparison is false for each row of the body, by an anti-join of these. */
  private RexNode allUnequal() {
    CorrelationId variable = rows.rel().getCluster().createCorrel();
    RelNode one = LogicalValues.createOneRow(body.getCluster());
    RelNode inner = rows.bound(body, variable);
    int width = Rels.width(one);
    RelNode both = Rels.join(one, inner, List.of(), JoinRelType.INNER);
    RexNode compared = Rels.move(compared(variable), column -> column + width, both);
    RexNode mayMatch = rexBuilder.makeCall(SqlStdOperatorTable.IS_NOT_FALSE, compared);
    RelNode unmatched = Rels.join(one, inner, List.of(mayMatch), JoinRelType.ANTI);
    int start = Rels.width(rows.rel());
    rows.dependent(rows.presence(unmatched), variable, JoinRelType.INNER);
    return rows.isThere(Rels.ref(rows.rel(), start));
  }

  /**
   * Joins whether the body has rows, whether it has nulls, and aggregates of its column; returns
   * where these begin.
   */
  private int summary(List<SqlAggFunction> functions) {
    RexNode one = rexBuilder.makeExactLiteral(BigDecimal.ONE);
    RexNode none =
        rexBuilder.makeNullLiteral(
            rexBuilder.getTypeFactory().createTypeWithNullability(one.getType(), true));
    RelNode values =
        Rels.project(body, List.of(one, cases(isNull(column(0)), one, none), column(0)));
    List<AggregateCall> calls = new ArrayList<>();
    calls.add(Rels.call(SqlStdOperatorTable.MAX, values, 0));
    calls.add(Rels.call(SqlStdOperatorTable.MAX, values, 1));
    for (SqlAggFunction function : functions) {
      calls.add(Rels.call(function, values, 2));
    }
    return rows.join(Rels.aggregate(values, calls), JoinRelType.INNER);
  }

  private RexNode isEmpty(int summary) {
    return isNull(Rels.ref(rows.rel(), summary));
  }

  private RexNode hasNull(int summary) {
    return rows.isThere(Rels.ref(rows.rel(), summary + 1));
  }

  private RexNode extremes() {
    int start = summary(List.of(SqlStdOperatorTable.MIN, SqlStdOperatorTable.MAX));
    RexNode least = Rels.ref(rows.rel(), start + 2);
    RexNode greatest = Rels.ref(rows.rel(), start + 3);
    RexNode operand = operands.get(0);
    RexNode matches =
        switch (comparison) {
          case NOT_EQUALS ->
              rexBuilder.makeCall(
                  SqlStdOperatorTable.OR,
                  rexBuilder.makeCall(SqlStdOperatorTable.NOT_EQUALS, operand, least),
                  rexBuilder.makeCall(SqlStdOperatorTable.NOT_EQUALS, operand, greatest));
          case LESS_THAN, LESS_THAN_OR_EQUAL ->
              rexBuilder.makeCall(operator(comparison), operand, greatest);
          default -> rexBuilder.makeCall(operator(comparison), operand, least);
        };
    RexNode unknown = rexBuilder.makeCall(SqlStdOperatorTable.OR, isNull(operand), isNull(least));
    // Where the comparison is made neither side is null.
    return cases(
        isEmpty(start),
        no(),
        unknown,
        rows.unknown(),
        matches,
        yes(),
        hasNull(start),
        rows.unknown(),
        no());
  }
}
