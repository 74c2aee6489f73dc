package io.aragonite.rules.program;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * The grand total of ROLLUP, CUBE and GROUPING SETS as a grouping of its own. It is a row over no
 * rows too, which Calcite's Enumerable forgets where there are other grouping sets beside it. Only
 * for plans that Enumerable has a part in.
 */
final class GrandTotalRewrite extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return rel instanceof LogicalAggregate aggregate
            && aggregate.getGroupSets().size() > 1
            && aggregate.getGroupSets().contains(ImmutableBitSet.of())
        ? apart(aggregate)
        : rel;
  }

  private static RelNode apart(LogicalAggregate aggregate) {
    List<ImmutableBitSet> sets =
        aggregate.getGroupSets().stream().filter(set -> !set.isEmpty()).toList();
    RelNode groups =
        LogicalAggregate.create(
            aggregate.getInput(),
            aggregate.getHints(),
            aggregate.getGroupSet(),
            sets,
            aggregate.getAggCallList().stream()
                .map(call -> ofGroups(call, aggregate.getInput()))
                .toList());
    RelNode total = total(aggregate);
    List<RexNode> columns = new ArrayList<>();
    for (RelDataTypeField field : aggregate.getRowType().getFieldList()) {
      columns.add(
          aggregate
              .getCluster()
              .getRexBuilder()
              .ensureType(
                  field.getType(), RexInputRef.of(field.getIndex(), groups.getRowType()), true));
    }
    return LogicalUnion.create(List.of(Projections.of(groups, columns), total), true);
  }

  /** The same call where no group is empty: its value is null less often. */
  private static AggregateCall ofGroups(AggregateCall call, RelNode input) {
    return call.adaptTo(input, call.getArgList(), call.filterArg, true, false);
  }

  private static RelNode total(LogicalAggregate aggregate) {
    List<AggregateCall> calls =
        aggregate.getAggCallList().stream().filter(call -> !isGrouping(call)).toList();
    RelNode one =
        LogicalAggregate.create(
            aggregate.getInput(), aggregate.getHints(), ImmutableBitSet.of(), null, calls);
    RexBuilder builder = aggregate.getCluster().getRexBuilder();
    List<RelDataTypeField> fields = aggregate.getRowType().getFieldList();
    List<RexNode> columns = new ArrayList<>();
    for (int key = 0; key < aggregate.getGroupCount(); key++) {
      columns.add(builder.makeNullLiteral(fields.get(key).getType()));
    }
    int next = 0;
    for (int i = 0; i < aggregate.getAggCallList().size(); i++) {
      AggregateCall call = aggregate.getAggCallList().get(i);
      RelDataType type = fields.get(aggregate.getGroupCount() + i).getType();
      RexNode value =
          isGrouping(call)
              ? builder.makeExactLiteral(
                  BigDecimal.valueOf((1L << call.getArgList().size()) - 1), type)
              : RexInputRef.of(next++, one.getRowType());
      columns.add(builder.ensureType(type, value, true));
    }
    return Projections.of(one, columns);
  }

  /** Whether it says which keys are none of a row's. */
  private static boolean isGrouping(AggregateCall call) {
    return switch (call.getAggregation().getKind()) {
      case GROUPING, GROUPING_ID -> true;
      default -> false;
    };
  }
}
