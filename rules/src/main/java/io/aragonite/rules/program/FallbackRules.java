package io.aragonite.rules.program;

import io.aragonite.rules.hint.NullAwareAnti;
import io.aragonite.rules.rel.GpuRules;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.adapter.enumerable.EnumerableRules;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelRule;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.rules.AggregateExpandDistinctAggregatesRule;
import org.apache.calcite.rel.rules.CoreRules;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.ImmutableBitSet;

/** The rules of a plan of which parts run in Calcite's Enumerable convention, and ours. */
final class FallbackRules {
  private static final RelOptRule EXPAND_DISTINCT =
      AggregateExpandDistinctAggregatesRule.Config.DEFAULT
          .withOperandSupplier(operand ->
              operand
                  .operand(LogicalAggregate.class)
                  .predicate(FallbackRules::isUnsorted)
                  .anyInputs())
          .as(AggregateExpandDistinctAggregatesRule.Config.class)
          .toRule();

  static final List<RelOptRule> ALL = all();

  /** Those for a query with a recursion that our convention runs. */
  static final List<RelOptRule> OF_OUR_RECURSIONS =
      ALL.stream()
          .filter(rule -> !rule.equals(EnumerableRules.ENUMERABLE_REPEAT_UNION_RULE))
          .toList();

  /** Has a rule convert those nodes only that Enumerable answers rightly. */
  private static <R extends RelNode> void restrict(
      List<RelOptRule> rules, RelOptRule rule, Class<R> type, Predicate<R> right) {
    RelOptRule restricted =
        ((RelRule<?>) rule)
            .config
            .as(ConverterRule.Config.class)
            .withConversion(
                type, right, Convention.NONE, EnumerableConvention.INSTANCE, rule.toString())
            .toRule();
    rules.set(rules.indexOf(rule), restricted);
  }

  /**
   * Whether Enumerable's joins give a join's rows. They know no NOT IN, and a nested loop takes
   * equal rows of the right side for one where a row is a single value: it tells them apart by
   * their objects.
   */
  private static boolean isRightInEnumerable(LogicalJoin join) {
    boolean single = join.getRight().getRowType().getFieldCount() <= 1;
    boolean loop = join.analyzeCondition().leftKeys.isEmpty();
    return !NullAwareAnti.isMarked(join)
        && !(single && loop && join.getJoinType().generatesNullsOnLeft());
  }

  /** Its merge joins compare texts by UTF-16 units, and sorts are by code points. */
  private static boolean isMergedRightly(LogicalJoin join) {
    List<RelDataTypeField> fields = join.getLeft().getRowType().getFieldList();
    return join.analyzeCondition().leftKeys.stream()
        .map(key -> fields.get(key).getType())
        .noneMatch(type -> SqlTypeUtil.inCharFamily(type) || type.getComponentType() != null);
  }

  /** Enumerable forgets the grand total of no rows beside other grouping sets. */
  private static boolean isRightInEnumerable(LogicalAggregate aggregate) {
    return aggregate.getGroupSets().size() == 1
        || !aggregate.getGroupSets().contains(ImmutableBitSet.of());
  }

  /** The rule leaves the columns that a call sorts by as they were before it. */
  private static boolean isUnsorted(LogicalAggregate aggregate) {
    return aggregate.getAggCallList().stream()
        .allMatch(call -> call.getCollation().getFieldCollations().isEmpty());
  }

  private static List<RelOptRule> all() {
    List<RelOptRule> rules = new ArrayList<>(GpuRules.rules());
    rules.add(GpuRules.FROM_ENUMERABLE);
    rules.addAll(EnumerableRules.rules());
    Predicate<LogicalJoin> joins = FallbackRules::isRightInEnumerable;
    restrict(rules, EnumerableRules.ENUMERABLE_JOIN_RULE, LogicalJoin.class, joins);
    restrict(
        rules,
        EnumerableRules.ENUMERABLE_MERGE_JOIN_RULE,
        LogicalJoin.class,
        joins.and(FallbackRules::isMergedRightly));
    rules.remove(EnumerableRules.ENUMERABLE_MERGE_UNION_RULE); // compares as its joins do
    restrict(
        rules,
        EnumerableRules.ENUMERABLE_AGGREGATE_RULE,
        LogicalAggregate.class,
        FallbackRules::isRightInEnumerable);
    // Enumerable has no DISTINCT aggregates of its own.
    rules.add(EXPAND_DISTINCT);
    rules.add(CoreRules.PROJECT_TO_LOGICAL_PROJECT_AND_WINDOW);
    rules.add(CoreRules.MATCH);
    return List.copyOf(rules);
  }

  private FallbackRules() {}
}
