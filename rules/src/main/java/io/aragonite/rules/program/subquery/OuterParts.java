package io.aragonite.rules.program.subquery;

import io.aragonite.rules.function.SortKeys;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/**
 * A dependent join whose right side takes single values out of lists, maps and rows of the outer
 * row, or takes these whole, with the values, or {@link SortKeys}, as columns of the left side:
 * these are compared and grouped by everywhere, what they are made of is not.
 *
 * @param left the left side, with the values behind its columns
 * @param right the right side, which refers to {@code left} by {@code variable}
 */
record OuterParts(RelNode left, RelNode right, CorrelationId variable) {

  /** The join with such columns, null where the right side takes no value out of another. */
  static @Nullable OuterParts of(RelNode left, RelNode right, CorrelationId variable) {
    if (left.getRowType().getFieldList().stream()
        .noneMatch(field -> TypeMapping.isNested(field.getType()))) {
      return null;
    }
    Values values = new Values(left, variable);
    right.accept(new Trees(values));
    if (values.columns.isEmpty()) {
      return null;
    }
    List<RexNode> columns = Rels.refs(left, 0, Rels.width(left));
    columns.addAll(values.columns.keySet());
    RelNode wider = Rels.project(left, columns);
    CorrelationId wanted = left.getCluster().createCorrel();
    RexBuilder rexBuilder = left.getCluster().getRexBuilder();
    values.row = rexBuilder.makeCorrel(wider.getRowType(), wanted);
    RelNode named = right.accept(new Trees(values));
    RexNode row = values.row;
    RelNode moved =
        OuterColumns.replace(
            named,
            (id, type, field) ->
                id.equals(variable)
                    ? Rels.as(
                        type.getFieldList().get(field).getType(),
                        rexBuilder.makeFieldAccess(row, field),
                        rexBuilder)
                    : null);
    return new OuterParts(wider, moved, wanted);
  }

  private static final class Trees extends RelHomogeneousShuttle {
    private final Values values;

    Trees(Values values) {
      this.values = values;
    }

    @Override
    public RelNode visit(RelNode other) {
      return super.visit(other).accept(values);
    }
  }

  /** Finds the values, and puts columns in their place once there is a row that has them. */
  private static final class Values extends RexShuttle {
    private final RelNode left;
    private final CorrelationId variable;
    private final RexBuilder rexBuilder;
    private final Map<RexNode, Integer> columns = new LinkedHashMap<>();
    private @Nullable RexNode row;
    private int guarding;

    Values(RelNode left, CorrelationId variable) {
      this.left = left;
      this.variable = variable;
      this.rexBuilder = left.getCluster().getRexBuilder();
    }

    @Override
    public RexNode visitCall(RexCall call) {
      RexNode value = taken(call, call.getOperands());
      if (value != null) {
        return value;
      }
      boolean guards = call.isA(SqlKind.CASE) || call.isA(SqlKind.COALESCE);
      guarding += guards ? 1 : 0;
      try {
        return super.visitCall(call);
      } finally {
        guarding -= guards ? 1 : 0;
      }
    }

    @Override
    public RexNode visitFieldAccess(RexFieldAccess access) {
      RexNode from = access.getReferenceExpr();
      RexNode value =
          from instanceof RexCorrelVariable ? whole(access) : taken(access, List.of(from));
      return value == null ? super.visitFieldAccess(access) : value;
    }

    /** A nested column of the outer row, of the sort key that it has as a column. */
    private @Nullable RexNode whole(RexFieldAccess column) {
      RelDataType type = column.getType();
      if (!TypeMapping.isNested(type) || !SortKeys.has(type) || !isOuter(column)) {
        return null;
      }
      RexNode overRow = Rels.ref(left, column.getField().getIndex());
      RexNode key = added(SortKeys.create(rexBuilder, overRow, overRow.getType()));
      return key == null ? null : SortKeys.decode(rexBuilder, key, type);
    }

    /** The column that an expression over the left side becomes; null before there is a row. */
    private @Nullable RexNode added(RexNode overRow) {
      int place = columns.computeIfAbsent(overRow, key -> Rels.width(left) + columns.size());
      return row == null ? null : rexBuilder.makeFieldAccess(row, place);
    }

    /** A value that is no longer nested, of one that is. */
    private @Nullable RexNode taken(RexNode expression, List<RexNode> operands) {
      // What fails for some rows may stand in a branch that is not theirs.
      if (guarding > 0
          || TypeMapping.isNested(expression.getType())
          || operands.stream().noneMatch(operand -> TypeMapping.isNested(operand.getType()))
          || !isOuter(expression)) {
        return null;
      }
      RexNode overRow =
          OuterColumns.replace(
              expression, (id, type, field) -> id.equals(variable) ? Rels.ref(left, field) : null);
      RexNode column = added(overRow);
      return column == null ? null : Rels.as(expression.getType(), column, rexBuilder);
    }

    /** Whether an expression is over this outer row alone. */
    private boolean isOuter(RexNode expression) {
      if (!OuterColumns.uses(expression, variable) || !RexUtil.isDeterministic(expression)) {
        return false;
      }
      List<RexNode> others = new ArrayList<>();
      expression.accept(
          new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef ref) {
              others.add(ref);
              return ref;
            }

            @Override
            public RexNode visitCorrelVariable(RexCorrelVariable other) {
              if (!other.id.equals(variable)) {
                others.add(other);
              }
              return other;
            }
          });
      return others.isEmpty();
    }
  }
}
