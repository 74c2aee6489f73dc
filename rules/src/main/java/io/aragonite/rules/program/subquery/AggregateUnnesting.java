package io.aragonite.rules.program.subquery;

import io.aragonite.rules.function.OrderedFunctions;
import io.aragonite.rules.function.PowerSum;
import io.aragonite.rules.function.RowAggregates;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/** Groups by keys too. A grouping that has a row even of no rows then lacks it: it is a default. */
final class AggregateUnnesting {
  private final OuterSide outer;

  AggregateUnnesting(OuterSide outer) {
    this.outer = outer;
  }

  UnnestedSide of(LogicalAggregate aggregate, UnnestedSide unnested) {
    UnnestedSide input = outer.complete(unnested);
    boolean single =
        aggregate.getAggCallList().stream()
            .anyMatch(call -> call.getAggregation().kind == SqlKind.SINGLE_VALUE);
    if (single) {
      // More than one row is an error for values that there are only.
      input = outer.restrict(input);
    }
    if (aggregate.getGroupType() != Aggregate.Group.SIMPLE) {
      input = apart(input, aggregate.getGroupSet());
    }
    List<RexNode> defaults =
        !input.keys().isEmpty() && hasEmptySet(aggregate) ? defaults(aggregate) : null;
    ImmutableBitSet.Builder keys = ImmutableBitSet.builder();
    input.keys().values().forEach(bound -> keys.set(bound.column()));
    ImmutableBitSet keySet = keys.build();
    ImmutableBitSet groupSet = aggregate.getGroupSet().union(keySet);
    List<ImmutableBitSet> groupSets =
        aggregate.getGroupSets().stream()
            .map(set -> set.union(keySet))
            .sorted(ImmutableBitSet.COMPARATOR)
            .toList();
    List<AggregateCall> calls = new ArrayList<>();
    boolean empty = groupSets.stream().anyMatch(ImmutableBitSet::isEmpty);
    for (AggregateCall call : aggregate.getAggCallList()) {
      calls.add(call.adaptTo(input.rel(), call.getArgList(), call.filterArg, !empty, empty));
    }
    RelNode grouped =
        LogicalAggregate.create(input.rel(), aggregate.getHints(), groupSet, groupSets, calls);
    List<RexNode> columns = new ArrayList<>();
    for (int column : aggregate.getGroupSet()) {
      columns.add(Rels.ref(grouped, groupSet.indexOf(column)));
    }
    columns.addAll(Rels.refs(grouped, groupSet.cardinality(), Rels.width(grouped)));
    Map<CorrelationKey, UnnestedSide.KeyBinding> places =
        UnnestedSide.moved(input.keys(), groupSet::indexOf);
    return Unnesting.withKeys(grouped, columns, places).withDefaults(defaults);
  }

  private static boolean hasEmptySet(Aggregate aggregate) {
    return aggregate.getGroupSets().stream().anyMatch(ImmutableBitSet::isEmpty);
  }

  /** Keys in columns that are none of the grouping's, whose sets may leave these out. */
  private static UnnestedSide apart(UnnestedSide input, ImmutableBitSet groupSet) {
    List<RexNode> columns = Rels.refs(input.rel(), 0, Rels.width(input.rel()));
    Map<CorrelationKey, UnnestedSide.KeyBinding> keys = new LinkedHashMap<>();
    input
        .keys()
        .forEach((key, bound) -> {
          if (groupSet.get(bound.column())) {
            keys.put(key, new UnnestedSide.KeyBinding(columns.size(), bound.notNull()));
            columns.add(input.column(key));
          } else {
            keys.put(key, bound);
          }
        });
    return columns.size() == Rels.width(input.rel())
        ? input
        : input.with(Rels.project(input.rel(), columns), keys);
  }

  /** The row of a grouping of no rows. */
  private static List<RexNode> defaults(Aggregate aggregate) {
    RexBuilder rexBuilder = aggregate.getCluster().getRexBuilder();
    List<RexNode> defaults = new ArrayList<>();
    int groups = aggregate.getGroupCount();
    for (int i = 0; i < Rels.width(aggregate); i++) {
      RexInputRef column = Rels.ref(aggregate, i);
      RelDataType type = column.getType();
      Long value = i < groups ? null : empty(aggregate.getAggCallList().get(i - groups));
      defaults.add(
          value == null
              ? rexBuilder.makeNullLiteral(type)
              : rexBuilder.makeLiteral(BigDecimal.valueOf(value), type, false));
    }
    return defaults;
  }

  /** An aggregate's value over no rows, null for null. */
  private static @Nullable Long empty(AggregateCall call) {
    SqlAggFunction function = call.getAggregation();
    if (function.equals(RowAggregates.ENTROPY)) {
      return 0L;
    }
    if (RowAggregates.has(function)
        || OrderedFunctions.all().contains(function)
        || function instanceof PowerSum) {
      return null;
    }
    return switch (call.getAggregation().kind) {
      case COUNT, SUM0, GROUP_ID, REGR_COUNT -> 0L;
      case GROUPING, GROUPING_ID -> (1L << call.getArgList().size()) - 1;
      case SUM,
          AVG,
          MIN,
          MAX,
          ANY_VALUE,
          SINGLE_VALUE,
          BIT_AND,
          BIT_OR,
          BIT_XOR,
          STDDEV_POP,
          STDDEV_SAMP,
          VAR_POP,
          VAR_SAMP,
          COVAR_POP,
          COVAR_SAMP,
          REGR_SXX,
          REGR_SYY,
          COLLECT,
          ARRAY_AGG,
          LISTAGG,
          STRING_AGG,
          GROUP_CONCAT,
          MODE,
          PERCENTILE_CONT,
          PERCENTILE_DISC,
          ARG_MIN,
          ARG_MAX ->
          null;
      default ->
          throw new NotUnnestable(
              call.getAggregation().getName() + " may have any value over no rows");
    };
  }
}
