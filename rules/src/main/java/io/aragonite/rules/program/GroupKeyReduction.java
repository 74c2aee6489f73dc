package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Takes columns out of GROUP BY that the others determine: they need not be hashed and compared,
 * one value a group is enough (TPC-H 3, 10 and 18 group by whole rows).
 */
final class GroupKeyReduction extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return rel instanceof LogicalAggregate aggregate ? reduce(aggregate) : rel;
  }

  private static RelNode reduce(LogicalAggregate aggregate) {
    ImmutableBitSet keys = aggregate.getGroupSet();
    if (aggregate.getGroupType() != Aggregate.Group.SIMPLE || keys.cardinality() < 2) {
      return aggregate;
    }
    ImmutableBitSet needed = needed(aggregate);
    if (needed.equals(keys) || needed.isEmpty()) {
      return aggregate;
    }
    RelNode input = aggregate.getInput();
    List<RelDataTypeField> fields = input.getRowType().getFieldList();
    ImmutableBitSet dropped = keys.except(needed);
    List<AggregateCall> calls = new ArrayList<>();
    for (int column : dropped) {
      calls.add(anyValue(column, fields.get(column).getType()));
    }
    calls.addAll(aggregate.getAggCallList());
    RelNode reduced = LogicalAggregate.create(input, aggregate.getHints(), needed, null, calls);
    List<RexNode> columns = new ArrayList<>();
    for (int key : keys) {
      int place =
          needed.get(key) ? needed.indexOf(key) : needed.cardinality() + dropped.indexOf(key);
      columns.add(RexInputRef.of(place, reduced.getRowType()));
    }
    for (int i = 0; i < aggregate.getAggCallList().size(); i++) {
      columns.add(RexInputRef.of(keys.cardinality() + i, reduced.getRowType()));
    }
    return RelOptUtil.createProject(reduced, columns, aggregate.getRowType().getFieldNames());
  }

  /** Keys that determine all; the widest are tried first for leaving out. */
  private static ImmutableBitSet needed(LogicalAggregate aggregate) {
    FunctionalDependencies dependencies = FunctionalDependencies.of(aggregate.getInput());
    List<RelDataTypeField> fields = aggregate.getInput().getRowType().getFieldList();
    ImmutableBitSet keys = aggregate.getGroupSet();
    List<Integer> candidates = new ArrayList<>(keys.asList());
    candidates.sort(
        Comparator.comparing((Integer key) -> -width(fields.get(key).getType()))
            .thenComparing(key -> -key));
    ImmutableBitSet needed = keys;
    for (int candidate : candidates) {
      ImmutableBitSet rest = needed.clear(candidate);
      if (dependencies.closure(rest).contains(keys)) {
        needed = rest;
      }
    }
    return needed;
  }

  private static int width(RelDataType type) {
    if (SqlTypeUtil.inCharOrBinaryFamilies(type)) {
      return 1000 + Math.max(0, type.getPrecision());
    }
    return SqlTypeUtil.isDecimal(type) ? 100 : 10;
  }

  private static AggregateCall anyValue(int column, RelDataType type) {
    return AggregateCall.create(
        SqlStdOperatorTable.ANY_VALUE,
        false,
        false,
        false,
        List.of(),
        List.of(column),
        -1,
        null,
        org.apache.calcite.rel.RelCollations.EMPTY,
        type,
        null);
  }
}
