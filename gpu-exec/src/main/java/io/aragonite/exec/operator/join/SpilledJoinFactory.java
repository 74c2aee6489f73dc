package io.aragonite.exec.operator.join;

import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.operator.Partitioner;
import io.aragonite.exec.operator.RowCollectionSource;
import io.aragonite.exec.operator.join.JoinMemory.InputSize;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import org.jspecify.annotations.Nullable;

/** Brings both sides of a join that memory does not hold to a {@link SpilledJoin}. */
final class SpilledJoinFactory {
  private SpilledJoinFactory() {}

  /**
   * Whether a build side is known not to fit before it is there: then its rows are partitioned as
   * they come, and cross the bus of a device with memory of its own once less.
   */
  static boolean isTooLarge(PlanCompiler compiler, Join join, PipelineHead build) {
    return !compiler.resources().context().device().traits().hostMemory()
        && !join.keys().isEmpty()
        && join.joinType() != JoinType.NULL_AWARE_ANTI
        && build.rows() >= 0
        && JoinMemory.indexed(InputSize.expected(build.shapes(), build.rows()))
            > compiler.resources().spill().room();
  }

  /** A join that is known to be too large before its build side has run. */
  static PipelineHead compile(PlanCompiler compiler, Join node, Join join, PipelineHead build) {
    PipelineHead probe = compiler.compile(join.buildLeft() ? join.right() : join.left());
    JoinSpec spec =
        new JoinSpec(
            join,
            join.buildLeft() ? build.shapes() : probe.shapes(),
            join.buildLeft() ? probe.shapes() : build.shapes());
    KeyLayout layout = KeyLayouts.choose(spec.buildKeyShapes(), spec.probeKeyShapes());
    SpilledJoin spilled = new SpilledJoin(compiler.resources(), node, spec, layout);
    InputSize expected = InputSize.expected(build.shapes(), build.rows());
    Partitioner builds = spilled.partitionBuild(expected);
    compiler.run(build, builds, node);
    Partitioner probes = spilled.partitionProbe();
    compiler.run(probe, probes, node);
    return PipelineHead.of(spilled);
  }

  /**
   * A join whose collected build side memory does not hold.
   *
   * @param layout how keys become words; null for a join without equal keys
   * @param collected the probe side's rows, if they are collected already; else null
   */
  static PipelineHead compile(
      PlanCompiler compiler,
      Join node,
      JoinSpec spec,
      @Nullable KeyLayout layout,
      JoinRows build,
      PipelineHead probe,
      @Nullable JoinRows collected) {
    SpilledJoin join = new SpilledJoin(compiler.resources(), node, spec, layout);
    PipelineHead rows =
        collected == null
            ? probe
            : PipelineHead.of(new RowCollectionSource(collected.collection()));
    if (SpilledJoin.partitions(spec)) {
      Partitioner partitioner = join.partition(build.collection());
      compiler.run(rows, partitioner, node);
    } else if (collected != null) {
      join.add(build.collection(), collected.collection());
    } else {
      join.add(build.collection(), compiler.collect(probe, node));
    }
    return PipelineHead.of(join);
  }
}
