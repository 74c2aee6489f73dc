package io.aragonite.rules.program;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * An aggregate of several sets of keys (ROLLUP, CUBE, GROUPING SETS) as the UNION ALL of one for
 * each set, over the same input.
 */
final class GroupingSets {
  private final LogicalAggregate aggregate;
  private final Function<LogicalAggregate, RelNode> each;
  private final RexBuilder rex;

  /**
   * @param each what is made of the aggregate of a set; it has the same columns
   */
  GroupingSets(LogicalAggregate aggregate, Function<LogicalAggregate, RelNode> each) {
    this.aggregate = aggregate;
    this.each = each;
    this.rex = aggregate.getCluster().getRexBuilder();
  }

  RelNode run() {
    return LogicalUnion.create(aggregate.getGroupSets().stream().map(this::of).toList(), true);
  }

  private RelNode of(ImmutableBitSet keys) {
    List<AggregateCall> calls = new ArrayList<>();
    for (AggregateCall call : aggregate.getAggCallList()) {
      if (grouping(call, keys) == null) {
        calls.add(of(call, keys));
      }
    }
    RelNode groups =
        each.apply(
            LogicalAggregate.create(
                aggregate.getInput(), aggregate.getHints(), keys, List.of(keys), calls));
    List<RexNode> columns = new ArrayList<>();
    int place = 0;
    for (int key : aggregate.getGroupSet()) {
      RelDataType type = type(columns.size());
      columns.add(
          keys.get(key)
              ? rex.ensureType(type, rex.makeInputRef(groups, place++), true)
              : rex.makeNullLiteral(type));
    }
    for (AggregateCall call : aggregate.getAggCallList()) {
      RelDataType type = type(columns.size());
      Long grouping = grouping(call, keys);
      columns.add(
          grouping == null
              ? rex.ensureType(type, rex.makeInputRef(groups, place++), true)
              : rex.makeLiteral(BigDecimal.valueOf(grouping), type, false));
    }
    return LogicalProject.create(
        groups, List.of(), columns, aggregate.getRowType().getFieldNames(), Set.of());
  }

  private RelDataType type(int column) {
    return aggregate.getRowType().getFieldList().get(column).getType();
  }

  private AggregateCall of(AggregateCall call, ImmutableBitSet keys) {
    return AggregateCall.create(
        call.getParserPosition(),
        call.getAggregation(),
        call.isDistinct(),
        call.isApproximate(),
        call.ignoreNulls(),
        call.rexList,
        call.getArgList(),
        call.filterArg,
        call.distinctKeys,
        call.collation,
        keys.isEmpty(),
        aggregate.getInput(),
        null,
        call.getName());
  }

  /** What GROUPING is of a set: a bit for each argument that is no key; null: another function. */
  private static @Nullable Long grouping(AggregateCall call, ImmutableBitSet keys) {
    return switch (call.getAggregation().kind) {
      case GROUP_ID -> 0L; // no set is there twice
      case GROUPING, GROUPING_ID -> {
        long bits = 0;
        for (int argument : call.getArgList()) {
          bits = bits << 1 | (keys.get(argument) ? 0 : 1);
        }
        yield bits;
      }
      default -> null;
    };
  }
}
