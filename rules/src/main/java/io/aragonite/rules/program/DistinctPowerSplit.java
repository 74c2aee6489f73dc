package io.aragonite.rules.program;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Distinct variances apart from lists, structs and ordered calls, by a join over the keys. {@link
 * AggregateReductions#EXPAND_DISTINCT} would take the minimum of lists, which have none, and loses
 * the order of what it makes distinct.
 */
final class DistinctPowerSplit extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return rel instanceof LogicalAggregate aggregate
            && AggregateReductions.ofDistinctPowers(aggregate)
            && aggregate.getAggCallList().stream().anyMatch(DistinctPowerSplit::stays)
        ? split(aggregate)
        : rel;
  }

  private static boolean stays(AggregateCall call) {
    RelDataType type = call.getType();
    return type.getComponentType() != null
        || type.getKeyType() != null
        || type.isStruct()
        || !call.collation.getFieldCollations().isEmpty();
  }

  private static RelNode split(LogicalAggregate aggregate) {
    if (!DeterministicRule.isRepeatable(aggregate.getInput())) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "A distinct variance beside a list, a struct or an ordered aggregate reads its rows"
              + " twice, which random() makes different ones; keep them first, by CREATE TEMP TABLE"
              + " ... AS.");
    }
    Aggregate powers = part(aggregate, AggregateReductions::isDistinctPower);
    Aggregate others = part(aggregate, call -> !AggregateReductions.isDistinctPower(call));
    RelNode join =
        LogicalJoin.create(
            others, powers, List.of(), condition(others, powers), Set.of(), JoinRelType.INNER);
    RexBuilder rexBuilder = aggregate.getCluster().getRexBuilder();
    List<? extends RexNode> joined = rexBuilder.identityProjects(join.getRowType());
    int keys = aggregate.getGroupCount();
    List<RexNode> columns = new ArrayList<>(joined.subList(0, keys));
    int other = keys;
    int power = others.getRowType().getFieldCount() + keys;
    for (AggregateCall call : aggregate.getAggCallList()) {
      columns.add(joined.get(AggregateReductions.isDistinctPower(call) ? power++ : other++));
    }
    return Projections.of(join, columns);
  }

  /** With some of the calls, and behind them which grouping set a row is of, if there are many. */
  private static Aggregate part(LogicalAggregate aggregate, Predicate<AggregateCall> calls) {
    List<AggregateCall> made =
        new ArrayList<>(aggregate.getAggCallList().stream().filter(calls).toList());
    if (aggregate.getGroupType() != Aggregate.Group.SIMPLE) {
      made.add(grouping(aggregate));
    }
    return aggregate.copy(
        aggregate.getTraitSet(),
        aggregate.getInput(),
        aggregate.getGroupSet(),
        aggregate.getGroupSets(),
        made);
  }

  private static AggregateCall grouping(Aggregate aggregate) {
    return AggregateCall.create(
        SqlParserPos.ZERO,
        SqlStdOperatorTable.GROUPING,
        false,
        false,
        false,
        List.of(),
        aggregate.getGroupSet().asList(),
        -1,
        null,
        RelCollations.EMPTY,
        aggregate.getCluster().getTypeFactory().createSqlType(SqlTypeName.BIGINT),
        null);
  }

  private static RexNode condition(Aggregate others, Aggregate powers) {
    RexBuilder rexBuilder = others.getCluster().getRexBuilder();
    List<? extends RexNode> left = rexBuilder.identityProjects(others.getRowType());
    int shift = left.size();
    List<RexNode> conditions = new ArrayList<>();
    for (int i = 0; i < others.getGroupCount(); i++) {
      conditions.add(same(rexBuilder, left.get(i), shift + i));
    }
    if (others.getGroupType() != Aggregate.Group.SIMPLE) {
      conditions.add(
          same(rexBuilder, left.getLast(), shift + powers.getRowType().getFieldCount() - 1));
    }
    return RexUtil.composeConjunction(rexBuilder, conditions);
  }

  private static RexNode same(RexBuilder rexBuilder, RexNode left, int right) {
    SqlOperator operator =
        left.getType().isNullable()
            ? SqlStdOperatorTable.IS_NOT_DISTINCT_FROM
            : SqlStdOperatorTable.EQUALS;
    return rexBuilder.makeCall(operator, left, rexBuilder.makeInputRef(left.getType(), right));
  }
}
