package io.aragonite.adapter.sql;

import static java.util.Objects.requireNonNull;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
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
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.validate.SelectScope;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.apache.calcite.sql.validate.SqlValidatorScope;

/**
 * The grouped columns of a query with aggregates, as its subqueries see them: a variable that
 * stands for a row of the aggregate.
 *
 * <p>Calcite's converter has the variable stand for a row before grouping and changes that
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
  private final Map<List<Integer>, Integer> positions;

  /**
   * @param variable a new one
   * @param positions of columns of the aggregate, by that of a column of the rows before, and of
   *     fields in it
   */
  GroupColumns(
      RexBuilder rexBuilder,
      CorrelationId variable,
      Aggregate aggregate,
      Map<List<Integer>, Integer> positions) {
    this.rexBuilder = rexBuilder;
    this.variable = variable;
    this.row = aggregate.getRowType();
    this.positions = positions;
  }

  /**
   * Where the columns that a query groups by are in its aggregate, by their places in the rows
   * before. Calcite's own map has columns of outer queries among them.
   *
   * @param groupings with qualified names
   * @param rows the scope of the query's FROM
   */
  static Map<List<Integer>, Integer> positions(
      List<SqlNode> groupings, SelectScope rows, SqlNameMatcher names) {
    Map<List<Integer>, Integer> positions = new HashMap<>();
    for (int i = 0; i < groupings.size(); i++) {
      if (groupings.get(i) instanceof SqlIdentifier name
          && !OuterReferences.isOuter(name, rows, names)) {
        positions.put(path(name, rows, names), i);
      }
    }
    return positions;
  }

  private static List<Integer> path(SqlIdentifier column, SelectScope rows, SqlNameMatcher names) {
    SqlValidatorScope.ResolvedImpl found = new SqlValidatorScope.ResolvedImpl();
    rows.resolve(column.names.subList(0, 1), names, false, found);
    RelDataType type = found.only().rowType();
    int before =
        rows.getChildren().subList(0, found.only().path.steps().getFirst().i).stream()
            .mapToInt(child -> child.getRowType().getFieldCount())
            .sum();
    List<Integer> path = new ArrayList<>();
    for (String name : column.names.subList(1, column.names.size())) {
      RelDataTypeField field = requireNonNull(names.field(type, name));
      path.add(path.isEmpty() ? before + field.getIndex() : field.getIndex());
      type = field.getType();
    }
    return path;
  }

  /**
   * What stands for a column, or for a field of one, in a subquery.
   *
   * @param access to a row before grouping
   */
  RexNode column(RexFieldAccess access, SqlIdentifier name) {
    List<Integer> path = new ArrayList<>();
    for (RexNode at = access; at instanceof RexFieldAccess field; at = field.getReferenceExpr()) {
      path.addFirst(field.getField().getIndex());
    }
    for (int length = path.size(); length > 0; length--) {
      Integer position = positions.get(path.subList(0, length));
      if (position != null) {
        RexNode column = column(position);
        for (int field : path.subList(length, path.size())) {
          column = rexBuilder.makeFieldAccess(column, field);
        }
        return column;
      }
    }
    throw new AragoniteException(
        ErrorCode.INVALID_STATEMENT,
        ("Expression '%s' is not being grouped (line %d, column %d); a subquery may use only"
                + " grouped columns of a query with aggregates.")
            .formatted(
                name,
                name.getParserPosition().getLineNum(),
                name.getParserPosition().getColumnNum()));
  }

  private RexNode column(int position) {
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
