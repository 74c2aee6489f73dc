package io.aragonite.adapter.sql;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;

/**
 * The grouped columns of a query with aggregates, as its subqueries see them: a variable that
 * stands for a row of the aggregate.
 *
 * <p>Calcite's converter (1.41) has the variable stand for a row before grouping and changes that
 * afterwards, but only one of several columns, and leaves columns NOT NULL that grouping sets make
 * null. It also wants to know of every variable. So a call that says nothing to it is in the
 * variable's place until the query is converted.
 */
final class GroupColumns {
  private static final SqlFunction COLUMN =
      new SqlFunction(
          "GROUP_COLUMN",
          SqlKind.OTHER_FUNCTION,
          ReturnTypes.ARG0,
          null,
          OperandTypes.VARIADIC,
          SqlFunctionCategory.SYSTEM) {
        /** Or it would be a constant of the subquery. */
        @Override
        public boolean isDeterministic() {
          return false;
        }
      };

  private final RexBuilder rexBuilder;
  private final CorrelationId variable;
  private final RelDataType row;
  private final Map<Integer, Integer> positions;

  /**
   * @param variable a new one
   * @param positions of columns of the aggregate, by that of a column of the rows before
   */
  GroupColumns(
      RexBuilder rexBuilder,
      CorrelationId variable,
      Aggregate aggregate,
      Map<Integer, Integer> positions) {
    this.rexBuilder = rexBuilder;
    this.variable = variable;
    this.row = aggregate.getRowType();
    this.positions = positions;
  }

  /**
   * What stands for a column in a subquery.
   *
   * @param access to a row before grouping
   */
  RexNode column(RexFieldAccess access, SqlIdentifier name) {
    if (access.getReferenceExpr() instanceof RexFieldAccess struct) {
      return rexBuilder.makeFieldAccess(column(struct, name), access.getField().getIndex());
    }
    Integer position = positions.get(access.getField().getIndex());
    if (position == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          ("Expression '%s' is not being grouped (line %d, column %d); a subquery may use only"
                  + " grouped columns of a query with aggregates.")
              .formatted(
                  name,
                  name.getParserPosition().getLineNum(),
                  name.getParserPosition().getColumnNum()));
    }
    return rexBuilder.makeCall(
        row.getFieldList().get(position).getType(),
        COLUMN,
        List.of(number(variable.getId()), number(position)));
  }

  private RexNode number(int value) {
    return rexBuilder.makeExactLiteral(java.math.BigDecimal.valueOf(value));
  }

  /** What is above the aggregate, with the variable in subqueries. */
  RelNode resolve(RelNode rel) {
    if (rel instanceof Aggregate || rel.getInputs().size() != 1) {
      return rel;
    }
    RelNode input = rel.getInput(0);
    RelNode below = resolve(input);
    RelNode changed = below.equals(input) ? rel : rel.copy(rel.getTraitSet(), List.of(below));
    return changed.accept(new Columns());
  }

  private final class Columns extends RexShuttle {
    @Override
    public RexNode visitCall(RexCall call) {
      return call.getOperator().equals(COLUMN) && place(call, 0) == variable.getId()
          ? rexBuilder.makeFieldAccess(rexBuilder.makeCorrel(row, variable), place(call, 1))
          : super.visitCall(call);
    }

    private static int place(RexCall call, int operand) {
      return RexLiteral.intValue(call.getOperands().get(operand));
    }

    @Override
    public RexNode visitSubQuery(RexSubQuery subQuery) {
      RelNode rel = subQuery.rel.accept(new Inside(this));
      RexSubQuery changed = rel.equals(subQuery.rel) ? subQuery : subQuery.clone(rel);
      return super.visitSubQuery(changed);
    }
  }

  private static final class Inside extends RelHomogeneousShuttle {
    private final RexShuttle columns;

    Inside(RexShuttle columns) {
      this.columns = columns;
    }

    @Override
    public RelNode visit(RelNode other) {
      return super.visit(other).accept(columns);
    }
  }
}
