package io.aragonite.rules.program;

import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.metadata.GpuMetadata;
import io.aragonite.rules.program.subquery.Decorrelation;
import io.aragonite.rules.program.subquery.SubqueryRemoval;
import java.util.List;
import org.apache.calcite.plan.RelOptLattice;
import org.apache.calcite.plan.RelOptMaterialization;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.plan.hep.HepMatchOrder;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.plan.hep.HepProgramBuilder;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.RelFactories;
import org.apache.calcite.rel.rules.CoreRules;
import org.apache.calcite.sql2rel.RelFieldTrimmer;
import org.apache.calcite.tools.Program;
import org.apache.calcite.tools.RelBuilder;

/**
 * Rewrites a query before operators are chosen: subqueries to joins, filters down, joins in order,
 * columns dropped early, groupings by fewer keys.
 */
public final class LogicalPhase implements Program {
  private static final HepProgram SUMS = program(CoreRules.PROJECT_OVER_SUM_TO_SUM0_RULE);

  private static final HepProgram PUSH_FILTERS =
      program(
          CoreRules.FILTER_INTO_JOIN,
          CoreRules.JOIN_CONDITION_PUSH,
          CoreRules.JOIN_PUSH_EXPRESSIONS,
          CoreRules.FILTER_PROJECT_TRANSPOSE,
          CoreRules.FILTER_AGGREGATE_TRANSPOSE,
          CoreRules.FILTER_SET_OP_TRANSPOSE,
          CoreRules.FILTER_MERGE,
          CoreRules.PROJECT_MERGE,
          CoreRules.PROJECT_REMOVE,
          AggregateReductions.RULE,
          CoreRules.UNION_MERGE,
          CoreRules.INTERSECT_MERGE);

  private static final HepProgram SEMI_JOINS =
      program(CoreRules.PROJECT_TO_SEMI_JOIN, CoreRules.JOIN_TO_SEMI_JOIN);

  private static final HepProgram PUSH_AGAIN =
      program(
          CoreRules.FILTER_PROJECT_TRANSPOSE,
          CoreRules.FILTER_AGGREGATE_TRANSPOSE,
          CoreRules.FILTER_MERGE,
          CoreRules.PROJECT_MERGE,
          CoreRules.PROJECT_REMOVE);

  private static final HepProgram TIDY =
      program(
          CoreRules.PROJECT_MERGE,
          CoreRules.PROJECT_REMOVE,
          CoreRules.PROJECT_TO_LOGICAL_PROJECT_AND_WINDOW);

  private static HepProgram program(RelOptRule... rules) {
    return new HepProgramBuilder()
        .addMatchOrder(HepMatchOrder.TOP_DOWN)
        .addRuleCollection(List.of(rules))
        .build();
  }

  @Override
  public RelNode run(
      RelOptPlanner planner,
      RelNode root,
      RelTraitSet requiredOutputTraits,
      List<RelOptMaterialization> materializations,
      List<RelOptLattice> lattices) {
    root.getCluster().setMetadataProvider(GpuMetadata.PROVIDER);
    RelBuilder builder = RelFactories.LOGICAL_BUILDER.create(root.getCluster(), null);
    RelNode rel = Decorrelation.decorrelate(SubqueryRemoval.remove(root));
    rel = hep(SUMS, rel, planner);
    if (isCorrelated(rel)) {
      return hep(TIDY, rel, planner);
    }
    rel = rel.accept(new ConditionRewriter());
    rel = rel.accept(new DoubleArguments());
    rel = hep(PUSH_FILTERS, rel, planner);
    rel = hep(SEMI_JOINS, rel, planner);
    rel = new RelFieldTrimmer(null, builder).trim(rel);
    rel = hep(PUSH_AGAIN, rel, planner);
    rel.getCluster().invalidateMetadataQuery();
    rel = rel.accept(new JoinOrdering());
    rel = hep(PUSH_AGAIN, rel, planner);
    rel = rel.accept(new GroupKeyReduction());
    rel = rel.accept(new CountedKeys());
    rel = ColumnPruner.prune(rel);
    return hep(TIDY, rel, planner);
  }

  /**
   * Whether a Correlate is left. Such a query runs in Enumerable, as it is: rules that move nodes
   * or trim columns do not heed that its right side refers to its left one.
   */
  private static boolean isCorrelated(RelNode rel) {
    return rel instanceof Correlate
        || rel.getInputs().stream().anyMatch(LogicalPhase::isCorrelated);
  }

  private static RelNode hep(HepProgram program, RelNode rel, RelOptPlanner outer) {
    HepPlanner planner = new HepPlanner(program, outer.getContext(), true, null, GpuCost.FACTORY);
    planner.setExecutor(outer.getExecutor());
    planner.setRoot(rel);
    return planner.findBestExp();
  }
}
