package io.aragonite.rules.program;

import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.limit.PlanningBudget;
import io.aragonite.rules.limit.PlanningClock;
import io.aragonite.rules.limit.PlanningPhase;
import io.aragonite.rules.limit.StoppableHepPlanner;
import io.aragonite.rules.metadata.GpuMetadata;
import io.aragonite.rules.program.Simplification.SimplifiedExpressions;
import io.aragonite.rules.program.subquery.Decorrelation;
import io.aragonite.rules.program.subquery.NullAwareJoins;
import io.aragonite.rules.program.subquery.SubqueryRemoval;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.calcite.plan.RelOptLattice;
import org.apache.calcite.plan.RelOptMaterialization;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelRule;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.plan.hep.HepMatchOrder;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.plan.hep.HepProgramBuilder;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.rules.FilterAggregateTransposeRule;
import org.apache.calcite.rel.rules.FilterCorrelateRule;
import org.apache.calcite.rel.rules.FilterJoinRule;
import org.apache.calcite.rel.rules.FilterMergeRule;
import org.apache.calcite.rel.rules.FilterSetOpTransposeRule;
import org.apache.calcite.rel.rules.JoinPushExpressionsRule;
import org.apache.calcite.rel.rules.ProjectMergeRule;
import org.apache.calcite.rel.rules.ProjectOverSumToSum0Rule;
import org.apache.calcite.rel.rules.ProjectRemoveRule;
import org.apache.calcite.rel.rules.ProjectToWindowRule;
import org.apache.calcite.rel.rules.PruneEmptyRules;
import org.apache.calcite.rel.rules.SemiJoinRule;
import org.apache.calcite.rel.rules.UnionMergeRule;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.tools.Program;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Rewrites a query before operators are chosen: subqueries to joins, filters down, joins in order,
 * columns dropped early, groupings by fewer keys.
 */
public final class LogicalPhase implements Program {
  // Rules are made of their configurations: with CoreRules come some 150, and a first statement
  // waits.
  private static final RelOptRule WINDOWS =
      ProjectToWindowRule.ProjectToLogicalProjectAndWindowRule
          .ProjectToLogicalProjectAndWindowRuleConfig.DEFAULT
          .toRule();

  private static final HepProgram SUMS = program(ProjectOverSumToSum0Rule.Config.DEFAULT.toRule());

  /**
   * A grouping with the empty set has a row of no rows, which a filter on what is grouped would let
   * through; Calcite asks for the columns of a filter only, and it may have none. For grouping sets
   * it takes the places of columns in the output for those in the input (CALCITE-7779), which they
   * are where the keys come first.
   */
  private static final RelOptRule FILTER_INTO_AGGREGATE =
      FilterAggregateTransposeRule.Config.DEFAULT
          .withOperandSupplier(filter ->
              filter
                  .operand(Filter.class)
                  .oneInput(aggregate ->
                      aggregate
                          .operand(Aggregate.class)
                          .predicate(LogicalPhase::filtersGroups)
                          .anyInputs()))
          .as(FilterAggregateTransposeRule.Config.class)
          .toRule();

  private static boolean filtersGroups(Aggregate aggregate) {
    boolean inPlace =
        aggregate.getGroupType() == Aggregate.Group.SIMPLE
            || aggregate.getGroupSet().equals(ImmutableBitSet.range(aggregate.getGroupCount()));
    return inPlace && hasGroupsOfRowsOnly(aggregate);
  }

  private static final HepProgram PUSH_FILTERS =
      program(
          FilterJoinRule.FilterIntoJoinRule.FilterIntoJoinRuleConfig.DEFAULT.toRule(),
          FilterJoinRule.JoinConditionPushRule.JoinConditionPushRuleConfig.DEFAULT.toRule(),
          JoinPushExpressionsRule.Config.DEFAULT.toRule(),
          FilterTransposition.RULE,
          FilterUnnestTranspose.RULE,
          FILTER_INTO_AGGREGATE,
          FilterSetOpTransposeRule.Config.DEFAULT.toRule(),
          FilterMergeRule.Config.DEFAULT.toRule(),
          ProjectMergeRule.Config.DEFAULT.toRule(),
          ProjectRemoveRule.Config.DEFAULT.toRule(),
          AggregateReductions.RULE,
          UnionMergeRule.Config.DEFAULT.toRule(),
          UnionMergeRule.Config.INTERSECT.toRule());

  /** A grand total is a row over no rows too, also beside other grouping sets. */
  private static final RelOptRule PRUNE_EMPTY_GROUPS =
      ((RelRule<?>) PruneEmptyRules.AGGREGATE_INSTANCE)
          .config
          .withOperandSupplier(groups ->
              groups
                  .operand(Aggregate.class)
                  .predicate(LogicalPhase::hasGroupsOfRowsOnly)
                  .oneInput(
                      input -> input.operand(Values.class).predicate(Values::isEmpty).noInputs()))
          .toRule();

  private static boolean hasGroupsOfRowsOnly(Aggregate aggregate) {
    return aggregate.getGroupSets().stream().noneMatch(ImmutableBitSet::isEmpty);
  }

  /** What an empty relation makes empty is not run: a branch of a UNION whose filter is false. */
  private static final HepProgram PRUNE_EMPTY =
      program(
          PruneEmptyRules.PROJECT_INSTANCE,
          PruneEmptyRules.FILTER_INSTANCE,
          PruneEmptyRules.SORT_INSTANCE,
          PRUNE_EMPTY_GROUPS,
          PruneEmptyRules.JOIN_LEFT_INSTANCE,
          PruneEmptyRules.JOIN_RIGHT_INSTANCE,
          PruneEmptyRules.UNION_INSTANCE,
          PruneEmptyRules.INTERSECT_INSTANCE,
          PruneEmptyRules.MINUS_INSTANCE);

  /**
   * Calcite's rules take any aggregate for one whose rows come from rows: without keys it has one
   * in any case.
   */
  private static final HepProgram SEMI_JOINS =
      program(
          SemiJoinRule.ProjectToSemiJoinRule.ProjectToSemiJoinRuleConfig.DEFAULT
              .withOperandSupplier(project ->
                  project
                      .operand(Project.class)
                      .oneInput(join ->
                          join.operand(Join.class)
                              .predicate(LogicalPhase::isInnerOrLeft)
                              .inputs(
                                  left -> left.operand(RelNode.class).anyInputs(),
                                  LogicalPhase::keyed)))
              .as(SemiJoinRule.ProjectToSemiJoinRule.ProjectToSemiJoinRuleConfig.class)
              .toRule(),
          SemiJoinRule.JoinToSemiJoinRule.JoinToSemiJoinRuleConfig.DEFAULT
              .withOperandSupplier(join ->
                  join.operand(Join.class)
                      .predicate(LogicalPhase::isInnerOrLeft)
                      .inputs(left -> left.operand(RelNode.class).anyInputs(), LogicalPhase::keyed))
              .as(SemiJoinRule.JoinToSemiJoinRule.JoinToSemiJoinRuleConfig.class)
              .toRule());

  private static boolean isInnerOrLeft(Join join) {
    return join.getJoinType() == JoinRelType.INNER || join.getJoinType() == JoinRelType.LEFT;
  }

  private static RelRule.Done keyed(RelRule.OperandBuilder operand) {
    return operand
        .operand(Aggregate.class)
        .predicate(aggregate -> !aggregate.getGroupSet().isEmpty())
        .anyInputs();
  }

  private static final HepProgram PUSH_AGAIN =
      program(
          FilterTransposition.RULE,
          FilterUnnestTranspose.RULE,
          FILTER_INTO_AGGREGATE,
          FilterMergeRule.Config.DEFAULT.toRule(),
          ProjectMergeRule.Config.DEFAULT.toRule(),
          ProjectRemoveRule.Config.DEFAULT.toRule());

  /**
   * Projections of windows stay above those that leave out columns: else the window, which has all
   * columns of its input, would read them.
   */
  private static final RelOptRule MERGE_WITHOUT_WINDOWS =
      ProjectMergeRule.Config.DEFAULT
          .withOperandSupplier(top ->
              top.operand(Project.class)
                  .predicate(project -> !project.containsOver())
                  .oneInput(below -> below.operand(Project.class).anyInputs()))
          .as(ProjectMergeRule.Config.class)
          .toRule();

  private static final HepProgram TIDY =
      program(MERGE_WITHOUT_WINDOWS, ProjectRemoveRule.Config.DEFAULT.toRule(), WINDOWS);

  /**
   * Before the sides of a Correlate are on their own: a condition may be what joins the left one.
   */
  private static final HepProgram PUSH_INTO_CORRELATES =
      program(
          FilterCorrelateRule.Config.DEFAULT.toRule(),
          FilterJoinRule.FilterIntoJoinRule.FilterIntoJoinRuleConfig.DEFAULT.toRule(),
          FilterTransposition.RULE,
          FilterMergeRule.Config.DEFAULT.toRule());

  private static final HepProgram DISTINCT_POWERS =
      new HepProgramBuilder().addRuleInstance(AggregateReductions.EXPAND_DISTINCT).build();

  private static HepProgram program(RelOptRule... rules) {
    return new HepProgramBuilder()
        .addMatchOrder(HepMatchOrder.TOP_DOWN)
        .addRuleCollection(Stream.of(rules).map(LogicalPhase::withoutSimplification).toList())
        .build();
  }

  /** Windows are split off whatever they compute: else nothing runs them. */
  @SuppressWarnings("ReferenceEquality") // these very rules
  private static RelOptRule withoutSimplification(RelOptRule rule) {
    // a configuration makes rules of Calcite's class; ours has none of its own
    if (rule == AggregateReductions.RULE
        || rule == FilterTransposition.RULE
        || rule == FilterUnnestTranspose.RULE
        || !(rule instanceof RelRule<?> changeable)) {
      return rule;
    }
    RelOptRule plain = changeable.config.withRelBuilderFactory(Simplification.NONE).toRule();
    return rule == WINDOWS ? plain : new DeterministicRule(plain);
  }

  @Override
  public RelNode run(
      RelOptPlanner planner,
      RelNode root,
      RelTraitSet requiredOutputTraits,
      List<RelOptMaterialization> materializations,
      List<RelOptLattice> lattices) {
    root.getCluster().setMetadataProvider(GpuMetadata.PROVIDER);
    ExpectedStatistics.tell(root);
    return MaterializedCtes.plan(root.accept(new RepeatedInputs()), query -> plan(query, planner));
  }

  private static RelNode plan(RelNode root, RelOptPlanner planner) {
    PlanningClock.begin(planner, PlanningPhase.SUBQUERIES);
    // ASOF joins before dependent ones are unnested, which would take them for inner joins.
    RelNode windows =
        root.accept(new OrderedInputs())
            .accept(new CharComparisons())
            .accept(new WindowPowerSums())
            .accept(new NestedWindows());
    RelNode rel = SubqueryRemoval.remove(windows).accept(new AsofJoins());
    rel = Decorrelation.decorrelate(rel).accept(new NullAwareJoins(LogicalPhase::simplified));
    PlanningClock.begin(planner, PlanningPhase.REWRITE);
    rel =
        rel.accept(new RepeatedSetTypes())
            .accept(new GroupingConstants())
            .accept(new OrderedAggregates());
    rel = rel.accept(new UnnestedCollections()).accept(new LimitPushdown());
    rel = anyNode(rel, LogicalPhase::hasWindows) ? hep(SUMS, rel, planner) : rel;
    rel = rel.accept(new ConditionRewriter());
    if (anyNode(rel, Correlate.class::isInstance)) {
      rel = hep(PUSH_INTO_CORRELATES, rel, planner);
    }
    if (UnnestedCollections.areCorrelated(rel)) {
      // The sides of a Correlate keep their columns from here on.
      rel = CorrelateTrimmer.trimmed(rel);
    }
    RelNode plan = optimize(rel, planner);
    return anyNode(plan, node -> hasWindows(node) || isUntidy(node))
        ? hep(TIDY, plan, planner)
        : plan;
  }

  private static RexNode simplified(RelNode rel, RexNode condition) {
    return Simplification.condition(rel, ConditionRewriter.rewrite(rel, condition));
  }

  /** Each part of a query that its Correlates separate is a query of its own. */
  private static RelNode optimize(RelNode rel, RelOptPlanner planner) {
    return anyNode(rel, Correlate.class::isInstance)
        ? CorrelateLeaf.restore(
            rewrite(CorrelateLeaf.cut(rel, side -> optimize(side, planner)), planner))
        : rewrite(rel, planner);
  }

  private static RelNode rewrite(RelNode root, RelOptPlanner planner) {
    SimplifiedExpressions known = new SimplifiedExpressions();
    RelNode rel = root.accept(new Simplification(known)).accept(new MixedFilters());
    if (AggregateReductions.hasDistinctPowers(rel)) {
      rel = hep(DISTINCT_POWERS, rel.accept(new DistinctPowerSplit()), planner);
    }
    rel = rel.accept(new ExactVariances()).accept(new DoubleArgumentCasts());
    rel = rel.accept(new ShiftedVariances());
    rel =
        hep(PUSH_FILTERS, rel, planner).accept(new PairCounts()).accept(new Simplification(known));
    rel = pushed(OuterJoinReduction.reduce(rel), rel, planner, known);
    rel = pushed(rel.accept(new AntiJoinReduction()), rel, planner, known);
    rel = pushed(TransitiveFilters.add(rel), rel, planner, known);
    rel = rel.accept(new ScalarAggregates()).accept(new PartitionPruning());
    PlanningBudget budget = PlanningBudget.of(planner);
    if (anyNode(rel, LogicalPhase::joinsGroups) && budget.allows("semi-joins of groupings")) {
      rel = hep(SEMI_JOINS, rel, planner);
    }
    rel = rel.accept(new FalseFilters());
    rel = new FieldTrimmer(rel).trim(rel);
    rel = anyNode(rel, LogicalPhase::isEmpty) ? hep(PRUNE_EMPTY, rel, planner) : rel;
    ExpectedScans.tell(rel, planner);
    rel = pushedAgain(rel, planner).accept(new Simplification(known));
    rel.getCluster().invalidateMetadataQuery();
    PlanningClock.begin(planner, PlanningPhase.JOIN_ORDER);
    rel = rel.accept(new JoinOrdering(budget));
    PlanningClock.begin(planner, PlanningPhase.REWRITE);
    rel = pushedAgain(rel, planner).accept(new Simplification(known));
    if (budget.allows("fewer keys of groupings")) {
      rel = rel.accept(new GroupKeyReduction());
      rel = rel.accept(new CountKeyRewrite());
      rel = rel.accept(new EagerAggregation());
    }
    return ColumnPruner.prune(rel);
  }

  @SuppressWarnings("ReferenceEquality") // the same object if nothing has changed
  private static RelNode pushed(
      RelNode changed, RelNode before, RelOptPlanner planner, SimplifiedExpressions known) {
    return changed == before
        ? before
        : hep(PUSH_FILTERS, changed, planner).accept(new Simplification(known));
  }

  private static RelNode pushedAgain(RelNode rel, RelOptPlanner planner) {
    return anyNode(rel, node -> isHighFilter(node) || isUntidy(node))
        ? hep(PUSH_AGAIN, rel, planner)
        : rel;
  }

  // What programs look for that match nothing in most statements: each of them makes the whole plan
  // anew.

  /** What rules on projections alone look for. */
  private static boolean isUntidy(RelNode rel) {
    return rel instanceof Project project
        && (project.getInput() instanceof Project || ProjectRemoveRule.isTrivial(project));
  }

  /** What rules on filters look for, those into joins aside. */
  private static boolean isHighFilter(RelNode rel) {
    return rel instanceof Filter filter
        && !(filter.getInput() instanceof TableScan)
        && !(filter.getInput() instanceof Join);
  }

  /** What {@link #SUMS} looks for. */
  private static boolean hasWindows(RelNode rel) {
    return rel instanceof Project project && project.containsOver();
  }

  /** What {@link #SEMI_JOINS} look for. */
  private static boolean joinsGroups(RelNode rel) {
    return rel instanceof Join join && join.getRight() instanceof Aggregate;
  }

  /** What {@link #PRUNE_EMPTY} looks for. */
  private static boolean isEmpty(RelNode rel) {
    return rel instanceof Values values && Values.isEmpty(values);
  }

  private static boolean anyNode(RelNode rel, Predicate<RelNode> test) {
    return test.test(rel) || rel.getInputs().stream().anyMatch(input -> anyNode(input, test));
  }

  private static RelNode hep(HepProgram program, RelNode rel, RelOptPlanner outer) {
    HepPlanner planner = new StoppableHepPlanner(program, outer.getContext(), GpuCost.FACTORY);
    planner.setExecutor(outer.getExecutor());
    planner.setRoot(rel);
    return planner.findBestExp();
  }
}
