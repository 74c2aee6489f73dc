package io.aragonite.rules.program;

import io.aragonite.rules.hint.NullAwareAnti;
import io.aragonite.rules.limit.PlanningClock;
import io.aragonite.rules.limit.PlanningPhase;
import io.aragonite.rules.metadata.GpuMetadata;
import io.aragonite.rules.rel.CteTable;
import io.aragonite.rules.rel.EnumerableToGpuConverter;
import io.aragonite.rules.rel.FallbackReasons;
import io.aragonite.rules.rel.GpuRecursion;
import io.aragonite.rules.rel.GpuRel;
import io.aragonite.rules.rel.GpuRules;
import io.aragonite.rules.rel.GpuTableScan;
import io.aragonite.rules.rel.GpuWorkingRows;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.adapter.enumerable.EnumerableRules;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptLattice;
import org.apache.calcite.plan.RelOptMaterialization;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelRule;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.core.RepeatUnion;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.TableSpool;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.rules.AggregateExpandDistinctAggregatesRule;
import org.apache.calcite.rel.rules.CoreRules;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.schema.TransientTable;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.tools.Program;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Chooses operators by cost. What our convention can run as a whole is planned with our rules only,
 * which is nearly a direct conversion, and rules that read other adapters' tables if there are any;
 * otherwise Calcite's Enumerable rules join in.
 */
public final class PhysicalPhase implements Program {
  private static final RelOptRule EXPAND_DISTINCT =
      AggregateExpandDistinctAggregatesRule.Config.DEFAULT
          .withOperandSupplier(operand ->
              operand
                  .operand(LogicalAggregate.class)
                  .predicate(PhysicalPhase::isUnsorted)
                  .anyInputs())
          .as(AggregateExpandDistinctAggregatesRule.Config.class)
          .toRule();

  private static final List<RelOptRule> FALLBACK_RULES = fallbackRules();

  private static final List<RelOptRule> FALLBACK_OF_OUR_RECURSIONS =
      FALLBACK_RULES.stream()
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

  private static List<RelOptRule> fallbackRules() {
    List<RelOptRule> rules = new ArrayList<>(GpuRules.rules());
    rules.add(GpuRules.FROM_ENUMERABLE);
    rules.addAll(EnumerableRules.rules());
    Predicate<LogicalJoin> joins = PhysicalPhase::isRightInEnumerable;
    restrict(rules, EnumerableRules.ENUMERABLE_JOIN_RULE, LogicalJoin.class, joins);
    restrict(
        rules,
        EnumerableRules.ENUMERABLE_MERGE_JOIN_RULE,
        LogicalJoin.class,
        joins.and(PhysicalPhase::isMergedRightly));
    rules.remove(EnumerableRules.ENUMERABLE_MERGE_UNION_RULE); // compares as its joins do
    restrict(
        rules,
        EnumerableRules.ENUMERABLE_AGGREGATE_RULE,
        LogicalAggregate.class,
        PhysicalPhase::isRightInEnumerable);
    // Enumerable has no DISTINCT aggregates of its own.
    rules.add(EXPAND_DISTINCT);
    rules.add(CoreRules.PROJECT_TO_LOGICAL_PROJECT_AND_WINDOW);
    rules.add(CoreRules.MATCH);
    return List.copyOf(rules);
  }

  @Override
  public RelNode run(
      RelOptPlanner planner,
      RelNode rel,
      RelTraitSet requiredOutputTraits,
      List<RelOptMaterialization> materializations,
      List<RelOptLattice> lattices) {
    PlanningClock.begin(planner, PlanningPhase.PHYSICAL);
    rel.getCluster().setMetadataProvider(GpuMetadata.PROVIDER);
    RelNode ordered = ordered(rel, requiredOutputTraits);
    Leaves leaves = Leaves.of(rel);
    List<RelOptRule> rules = new ArrayList<>(GpuRules.rules());
    if (leaves.foreign) {
      rules.add(EnumerableRules.ENUMERABLE_TABLE_SCAN_RULE);
      rules.add(GpuRules.FROM_ENUMERABLE);
    }
    RelNode plan;
    try {
      plan = plan(planner, ordered.accept(new WithoutSpools()), requiredOutputTraits, rules);
    } catch (RelOptPlanner.CannotPlanException e) {
      RelNode known = rel.accept(new GrandTotalRewrite()).accept(new RangeNullsRewrite());
      plan = fallback(planner, ordered(known, requiredOutputTraits), requiredOutputTraits);
    }
    plan = SortedOutputs.use(plan);
    FallbackReasons reasons = FallbackReasons.of(planner);
    if (reasons != null) {
      reasons.resolve(plan);
    }
    return plan;
  }

  /**
   * Enumerable's rules join in. A recursion is ours as a whole, where none of its steps needs them:
   * both keep the rows of steps in ways of their own.
   */
  private static RelNode fallback(RelOptPlanner planner, RelNode rel, RelTraitSet traits) {
    if (Leaves.of(rel).recursive) {
      try {
        RelNode plan =
            plan(planner, rel.accept(new WithoutSpools()), traits, FALLBACK_OF_OUR_RECURSIONS);
        if (!leavesStep(plan, false)) {
          return plan;
        }
      } catch (RelOptPlanner.CannotPlanException e) {
        // a step that no rule of ours converts
      }
    }
    return plan(planner, rel, traits, FALLBACK_RULES);
  }

  /** Whether Calcite's code would ask for the rows that a step of ours works on. */
  private static boolean leavesStep(RelNode rel, boolean outside) {
    if (rel instanceof GpuWorkingRows) {
      return outside;
    }
    boolean within =
        (outside || rel instanceof EnumerableToGpuConverter) && !(rel instanceof GpuRecursion);
    return rel.getInputs().stream().anyMatch(input -> leavesStep(input, within));
  }

  /**
   * The rows with the order that is asked of them. Simplification replaces a sort with LIMIT 0 by
   * Values without rows, and no rule gives these an order again.
   */
  private static RelNode ordered(RelNode rel, RelTraitSet traits) {
    RelCollation collation = traits.getCollation();
    boolean unordered =
        rel instanceof Values && collation != null && !collation.getFieldCollations().isEmpty();
    return unordered ? LogicalSort.create(rel, collation, null, null) : rel;
  }

  private static RelNode plan(
      RelOptPlanner planner, RelNode rel, RelTraitSet traits, List<RelOptRule> rules) {
    planner.clear();
    rules.forEach(planner::addRule);
    registerScans(planner, rel);
    rel.getCluster().invalidateMetadataQuery();
    RelNode root = rel.getTraitSet().equals(traits) ? rel : planner.changeTraits(rel, traits);
    planner.setRoot(root);
    return planner.findBestExp();
  }

  /**
   * Adapters add their rules when the planner first meets their scans; it does not meet them again.
   */
  private static void registerScans(RelOptPlanner planner, RelNode rel) {
    Convention convention = rel.getConvention();
    if (rel instanceof TableScan && convention != null && !convention.equals(GpuRel.CONVENTION)) {
      rel.register(planner);
      convention.register(planner);
    }
    rel.getInputs().forEach(input -> registerScans(planner, input));
  }

  /**
   * Recursions without the nodes by which Calcite's code keeps the rows of their steps: ours keep
   * them themselves.
   */
  private static final class WithoutSpools extends RelHomogeneousShuttle {
    @Override
    public RelNode visit(RelNode other) {
      return other instanceof TableSpool spool ? spool.getInput().accept(this) : super.visit(other);
    }
  }

  /** What there is in a tree beside our own tables. */
  private static final class Leaves {
    private boolean foreign;
    private boolean recursive;

    static Leaves of(RelNode rel) {
      Leaves leaves = new Leaves();
      leaves.visit(rel);
      return leaves;
    }

    private void visit(RelNode rel) {
      recursive |= rel instanceof RepeatUnion;
      foreign |=
          rel instanceof TableScan scan
              && !(rel instanceof GpuTableScan)
              && CteTable.of(scan) == null
              && scan.getTable().unwrap(TransientTable.class) == null;
      rel.getInputs().forEach(this::visit);
    }
  }
}
