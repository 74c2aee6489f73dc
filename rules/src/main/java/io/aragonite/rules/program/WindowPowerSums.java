package io.aragonite.rules.program;

import com.google.common.collect.ImmutableList;
import io.aragonite.rules.function.PowerSum;
import java.math.BigDecimal;
import java.util.List;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexWindow;
import org.apache.calcite.rex.RexWindowBounds;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Sums of powers over windows, of distances from the mean of the whole partition, which is a window
 * within the window: {@link NestedWindows} takes it apart.
 */
final class WindowPowerSums extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    return super.visit(other).accept(new Sums(other.getCluster().getRexBuilder()));
  }

  private final class Sums extends RexShuttle {
    private final RexBuilder rex;

    Sums(RexBuilder rex) {
      this.rex = rex;
    }

    @Override
    public RexNode visitSubQuery(RexSubQuery query) {
      RexSubQuery call = (RexSubQuery) super.visitSubQuery(query); // its operands' subqueries
      return call.clone(call.rel.accept(WindowPowerSums.this));
    }

    @Override
    public RexNode visitOver(RexOver over) {
      if (!(over.getAggOperator() instanceof PowerSum sum)) {
        return super.visitOver(over);
      }
      RexNode value = over.getOperands().getFirst();
      RexWindow window = over.getWindow();
      RexNode distance =
          ShiftedVariances.distance(
              rex,
              value,
              mean(value, window),
              ofPartition(SqlStdOperatorTable.MIN, value, window),
              ofPartition(SqlStdOperatorTable.MAX, value, window));
      return rex.makeOver(
          over.getType(),
          SqlStdOperatorTable.SUM0,
          List.of(ShiftedVariances.power(rex, distance, sum.power())),
          window.partitionKeys,
          window.orderKeys,
          window.getLowerBound(),
          window.getUpperBound(),
          window.getExclude(),
          window.isRows(),
          true,
          true,
          over.isDistinct(),
          over.ignoreNulls());
    }

    private RexNode mean(RexNode value, RexWindow window) {
      RexNode count = ofPartition(SqlStdOperatorTable.COUNT, value, window);
      RexNode sum = ofPartition(SqlStdOperatorTable.SUM0, value, window);
      RexNode none =
          rex.makeCall(SqlStdOperatorTable.EQUALS, count, rex.makeBigintLiteral(BigDecimal.ZERO));
      RexNode mean =
          rex.makeCall(SqlStdOperatorTable.DIVIDE, sum, rex.makeCast(sum.getType(), count));
      return rex.makeCall(
          SqlStdOperatorTable.CASE, none, rex.makeNullLiteral(value.getType()), mean);
    }

    private RexNode ofPartition(SqlAggFunction function, RexNode value, RexWindow window) {
      return rex.makeOver(
          type(function, value),
          function,
          List.of(value),
          window.partitionKeys,
          ImmutableList.of(),
          RexWindowBounds.UNBOUNDED_PRECEDING,
          RexWindowBounds.UNBOUNDED_FOLLOWING,
          false,
          true,
          false,
          false,
          false);
    }

    private RelDataType type(SqlAggFunction function, RexNode value) {
      return function.kind == SqlKind.COUNT
          ? rex.getTypeFactory().createSqlType(SqlTypeName.BIGINT)
          : rex.getTypeFactory()
              .createTypeWithNullability(value.getType(), function.kind != SqlKind.SUM0);
    }
  }
}
