package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * Casts arguments of aggregates whose result is DOUBLE before they are added up: of AVG over
 * BIGINT, whose sum may be no BIGINT, of averages, variances and covariances of REAL, whose sums
 * are rounded to REAL, of variances of what {@link ExactVariances} leaves, BIGINT and long
 * decimals, and of covariances of exact numbers, which Calcite would divide as what they are,
 * integers as integers.
 */
final class DoubleArgumentCasts extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return rel instanceof LogicalAggregate aggregate
            && aggregate.getAggCallList().stream().anyMatch(call -> isCast(call, aggregate))
        ? withCasts(aggregate)
        : rel;
  }

  private static boolean isCast(AggregateCall call, LogicalAggregate aggregate) {
    if (call.getType().getSqlTypeName() != SqlTypeName.DOUBLE) {
      return false;
    }
    List<RelDataType> types =
        call.getArgList().stream()
            .map(arg -> aggregate.getInput().getRowType().getFieldList().get(arg).getType())
            .toList();
    SqlTypeName first = types.isEmpty() ? SqlTypeName.ANY : types.get(0).getSqlTypeName();
    return switch (call.getAggregation().kind) {
      case AVG -> first == SqlTypeName.BIGINT || first == SqlTypeName.REAL;
      case STDDEV_POP, STDDEV_SAMP, VAR_POP, VAR_SAMP ->
          first == SqlTypeName.REAL
              || !call.isDistinct() && types.stream().anyMatch(SqlTypeUtil::isExactNumeric);
      case COVAR_POP, COVAR_SAMP, REGR_SXX, REGR_SYY ->
          types.stream()
              .anyMatch(type ->
                  SqlTypeUtil.isExactNumeric(type) || type.getSqlTypeName() == SqlTypeName.REAL);
      default -> false;
    };
  }

  private static RelNode withCasts(LogicalAggregate aggregate) {
    RelNode input = aggregate.getInput();
    RexBuilder rexBuilder = input.getCluster().getRexBuilder();
    RelDataTypeFactory types = rexBuilder.getTypeFactory();
    List<RexNode> columns = new ArrayList<>(rexBuilder.identityProjects(input.getRowType()));
    List<AggregateCall> calls = new ArrayList<>();
    for (AggregateCall call : aggregate.getAggCallList()) {
      if (!isCast(call, aggregate)) {
        calls.add(call);
        continue;
      }
      List<Integer> args = new ArrayList<>();
      for (int arg : call.getArgList()) {
        RexNode value = rexBuilder.makeInputRef(input, arg);
        RelDataType type =
            types.createTypeWithNullability(
                types.createSqlType(SqlTypeName.DOUBLE), value.getType().isNullable());
        args.add(columns.size());
        columns.add(rexBuilder.makeCast(type, value, true, false));
      }
      calls.add(call.withArgList(args));
    }
    return aggregate.copy(
        aggregate.getTraitSet(),
        Projections.of(input, columns),
        aggregate.getGroupSet(),
        aggregate.getGroupSets(),
        calls);
  }
}
