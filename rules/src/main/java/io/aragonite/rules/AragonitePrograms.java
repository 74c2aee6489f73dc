package io.aragonite.rules;

import io.aragonite.rules.metadata.GpuMetadata;
import io.aragonite.rules.program.LogicalPhase;
import io.aragonite.rules.program.PhysicalPhase;
import io.aragonite.rules.program.WrittenCasts;
import io.aragonite.rules.rel.EnumerableToGpuConverter;
import io.aragonite.rules.rel.GpuRel;
import io.aragonite.rules.rel.GpuToEnumerableConverter;
import java.util.List;
import org.apache.calcite.plan.RelOptLattice;
import org.apache.calcite.plan.RelOptMaterialization;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.tools.Program;
import org.apache.calcite.tools.Programs;

/** The planning programs. */
public final class AragonitePrograms {
  private AragonitePrograms() {}

  /**
   * The whole way from a converted query to a plan in the Enumerable convention, for {@code
   * Prepare.getProgram()} and {@code Frameworks}: subqueries, correlation, unused columns, join
   * order, physical operators. It may be shared by threads.
   */
  public static Program program() {
    return AragonitePrograms::run;
  }

  private static RelNode run(
      RelOptPlanner planner,
      RelNode rel,
      RelTraitSet traits,
      List<RelOptMaterialization> materializations,
      List<RelOptLattice> lattices) {
    RelNode plan = rel;
    for (Program program : List.of(new LogicalPhase(), new PhysicalPhase())) {
      plan = program.run(planner, plan, traits, materializations, lattices);
    }
    if (isOurs(plan)) {
      return plan;
    }
    for (Program program : List.of(new WrittenCasts(), Programs.calc(GpuMetadata.PROVIDER))) {
      plan = program.run(planner, plan, traits, materializations, lattices);
    }
    return plan;
  }

  /** Whether no part of a plan is left to Calcite's code. */
  private static boolean isOurs(RelNode rel) {
    return (rel instanceof GpuRel && !(rel instanceof EnumerableToGpuConverter)
            || rel instanceof GpuToEnumerableConverter)
        && rel.getInputs().stream().allMatch(AragonitePrograms::isOurs);
  }
}
