package io.aragonite.rules.program;

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
import org.apache.calcite.adapter.enumerable.EnumerableRules;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptLattice;
import org.apache.calcite.plan.RelOptMaterialization;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.RepeatUnion;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.TableSpool;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.schema.TransientTable;
import org.apache.calcite.tools.Program;

/**
 * Chooses operators. What our convention can run as a whole is converted directly, or chosen by
 * cost with rules that read other adapters' tables if there are any; otherwise Calcite's Enumerable
 * rules join in.
 */
public final class PhysicalPhase implements Program {
  @Override
  public RelNode run(
      RelOptPlanner planner,
      RelNode rel,
      RelTraitSet requiredOutputTraits,
      List<RelOptMaterialization> materializations,
      List<RelOptLattice> lattices) {
    PlanningClock.begin(planner, PlanningPhase.PHYSICAL);
    rel.getCluster().setMetadataProvider(GpuMetadata.PROVIDER);
    rel.getCluster().invalidateMetadataQuery();
    RelNode ordered = ordered(rel, requiredOutputTraits);
    Leaves leaves = Leaves.of(rel);
    RelNode ours = ordered.accept(new WithoutSpools());
    RelNode plan = leaves.foreign ? null : DirectConversion.plan(ours, requiredOutputTraits);
    if (plan == null) {
      plan = chosen(planner, rel, ours, leaves.foreign, requiredOutputTraits);
    }
    plan = SortedOutputs.use(plan);
    FallbackReasons reasons = FallbackReasons.of(planner);
    if (reasons != null) {
      reasons.resolve(plan);
    }
    return plan;
  }

  /**
   * The plan of the lowest cost.
   *
   * @param rel with the nodes by which Calcite's code runs recursions
   * @param ours without, and in the order that is asked for
   */
  private static RelNode chosen(
      RelOptPlanner planner, RelNode rel, RelNode ours, boolean foreign, RelTraitSet traits) {
    List<RelOptRule> rules = new ArrayList<>(GpuRules.rules());
    if (foreign) {
      rules.add(EnumerableRules.ENUMERABLE_TABLE_SCAN_RULE);
      rules.add(GpuRules.FROM_ENUMERABLE);
    }
    try {
      return plan(planner, ours, traits, rules);
    } catch (RelOptPlanner.CannotPlanException e) {
      RelNode known = rel.accept(new GrandTotalRewrite()).accept(new RangeNullsRewrite());
      return fallback(planner, ordered(known, traits), traits);
    }
  }

  /**
   * Enumerable's rules join in. A recursion is ours as a whole, where none of its steps needs them:
   * both keep the rows of steps in ways of their own.
   */
  private static RelNode fallback(RelOptPlanner planner, RelNode rel, RelTraitSet traits) {
    if (Leaves.of(rel).recursive) {
      try {
        RelNode plan =
            plan(planner, rel.accept(new WithoutSpools()), traits, FallbackRules.OF_OUR_RECURSIONS);
        if (!leavesStep(plan, false)) {
          return plan;
        }
      } catch (RelOptPlanner.CannotPlanException e) {
        // a step that no rule of ours converts
      }
    }
    return plan(planner, rel, traits, FallbackRules.ALL);
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
