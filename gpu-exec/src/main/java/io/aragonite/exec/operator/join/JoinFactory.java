package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.exchange.CoPartitionedInputs;
import io.aragonite.exec.exchange.ExchangeFactory;
import io.aragonite.exec.exchange.ExchangedInputs;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.operator.RowCollectionSource;
import io.aragonite.exec.operator.join.JoinMemory.InputSize;
import io.aragonite.exec.operator.sort.SortCompiler;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a join: settles its algorithm, collects the build side or has devices bring each other
 * both, and hands over to the factory of that kind of join.
 */
public final class JoinFactory {
  private JoinFactory() {}

  /**
   * The algorithm that the connection asks for, else the plan's. Joins without an equality keep
   * theirs, as do those whose algorithm the statement names.
   */
  private static JoinAlgorithm algorithm(PlanCompiler compiler, Join plan) {
    JoinAlgorithm forced = compiler.join();
    boolean settled = plan.expected() != null && plan.expected().settled();
    boolean open =
        !settled && plan.algorithm() != JoinAlgorithm.NESTED_LOOP && !plan.keys().isEmpty();
    if (compiler.resources().rank() != null
        && (forced == JoinAlgorithm.HOST_SORT_MERGE
            || plan.algorithm() == JoinAlgorithm.HOST_SORT_MERGE)) {
      // Where its rows are was settled when the plan was spread.
      return plan.algorithm();
    }
    return open && forced != null ? forced : plan.algorithm();
  }

  /** The pipeline of a join's output, in the order that is wanted of it: its own, or by sorting. */
  public static PipelineHead compile(PlanCompiler compiler, Join plan) {
    JoinOutput output = join(compiler, plan);
    if (plan.order().isEmpty() || output.inOrder()) {
      return output.head();
    }
    Sort sort = new Sort(plan, plan.order(), null, null);
    return SortCompiler.compile(compiler, sort, output.head(), 0, Long.MAX_VALUE);
  }

  private static JoinOutput join(PlanCompiler compiler, Join plan) {
    Expr residual = plan.residual();
    Join join =
        new Join(
            plan.left(),
            plan.right(),
            plan.joinType(),
            plan.keys(),
            residual == null ? null : compiler.resolve(residual),
            algorithm(compiler, plan),
            plan.buildLeft(),
            plan.types(),
            plan.expected(),
            plan.order());
    if (join.algorithm() == JoinAlgorithm.HOST_SORT_MERGE) {
      PipelineHead merged = HostSortMergePlanner.compile(compiler, plan, join);
      if (merged != null) {
        return new JoinOutput(merged, merged.ordered());
      }
      join = join.with(JoinAlgorithm.SORT_MERGE, join.buildLeft(), join.expected());
    }
    join = BuildSideChoice.buildsWhatIsThere(compiler, plan, join);
    PhysicalPlan buildPlan = join.buildLeft() ? join.left() : join.right();
    PhysicalPlan probePlan = join.buildLeft() ? join.right() : join.left();
    Join known = join;
    ExchangedInputs both =
        ExchangeFactory.both(
            compiler,
            join,
            buildPlan,
            probePlan,
            (shapes, rows) ->
                JoinKeyFilter.leave(
                    compiler, plan, known, JoinKeyFilter.BuildKeys.of(shapes, rows)));
    if (both != null) {
      JoinSpec spec =
          spec(compiler, plan, join, both.buildShapes(), both.probeShapes(), both.buildRows());
      PipelineHead whole = whole(compiler, plan, spec, both);
      return whole != null
          ? JoinOutput.unordered(whole)
          : joined(compiler, plan, spec, JoinRows.of(compiler, both.build(), plan), both.probe());
    }
    PipelineHead build = compiler.compile(buildPlan);
    if (SpilledJoinFactory.isTooLarge(compiler, join, build)) {
      JoinKeyFilter.refuse(compiler, plan);
      return JoinOutput.unordered(SpilledJoinFactory.compile(compiler, plan, join, build));
    }
    JoinRows rows = JoinRows.of(compiler, build, plan);
    JoinKeyFilter.leave(compiler, plan, join, JoinKeyFilter.BuildKeys.of(rows));
    PipelineHead probe = compiler.compile(probePlan);
    JoinSpec planned = JoinSpec.of(join, build.shapes(), probe.shapes());
    JoinSpec swapped = BuildSideChoice.swapped(compiler, plan, planned, rows, probe);
    if (swapped != null) {
      PipelineHead collected = PipelineHead.of(new RowCollectionSource(rows.collection()));
      JoinRows fewer = JoinRows.of(compiler, probe, plan);
      return joined(compiler, plan, swapped, fewer, collected);
    }
    JoinSpec spec = JoinChoice.revise(compiler, plan, planned, count(rows.rows()));
    return joined(compiler, plan, spec, rows, probe);
  }

  private static JoinSpec spec(
      PlanCompiler compiler,
      Join node,
      Join join,
      List<ColumnShape> build,
      List<ColumnShape> probe,
      long buildRows) {
    return JoinChoice.revise(compiler, node, JoinSpec.of(join, build, probe), count(buildRows));
  }

  private static int count(long rows) {
    return (int) Math.min(rows, Integer.MAX_VALUE);
  }

  /**
   * Joins sides that devices have brought each other as they lie, the build side while the probe
   * side is on its way; null if the join is of another kind, or has not the room.
   */
  private static @Nullable PipelineHead whole(
      PlanCompiler compiler, Join node, JoinSpec spec, ExchangedInputs both) {
    CoPartitionedInputs arranged = both.arranged();
    if (arranged == null
        || spec.plan().algorithm() != JoinAlgorithm.PARTITIONED_HASH
        || both.buildRows() == 0
        || both.probeRows() == 0) {
      return null;
    }
    Device device = compiler.resources().context().device();
    KeyLayout layout = KeyLayouts.choose(spec.buildKeyShapes(), spec.probeKeyShapes());
    JoinKeyEncoder.SideEncoders words =
        JoinKeyEncoder.SideEncoders.of(device, compiler.resources().expressions(), spec, layout);
    return PartitionedJoinSource.takes(device, spec, layout)
            && words.build().column() >= 0
            && words.probe().column() >= 0
            && JoinMemory.fitsWhole(
                InputSize.of(both.takeBuild()),
                InputSize.of(both.takeProbe()),
                JoinMemory.ONE_PASS,
                compiler.resources().spill().room())
        ? PartitionedJoinSource.compile(compiler.resources(), node, spec, words, both, arranged)
        : null;
  }

  private static JoinOutput joined(
      PlanCompiler compiler, Join plan, JoinSpec spec, JoinRows rows, PipelineHead probe) {
    compiler.resources().metrics(plan).algorithm = spec.plan().algorithm();
    return switch (spec.plan().algorithm()) {
      case NON_PARTITIONED_HASH, PARTITIONED_HASH, PARTITIONED_HASH_UM, SORT_MERGE, SORT_MERGE_UM ->
          new EquiJoinFactory(compiler, plan, spec, rows, probe).compile();
      case NESTED_LOOP -> JoinOutput.unordered(nestedLoop(compiler, plan, spec, rows, probe));
      case HOST_SORT_MERGE ->
          throw new IllegalStateException("a join that has collected a side is another one");
    };
  }

  private static PipelineHead nestedLoop(
      PlanCompiler compiler, Join node, JoinSpec spec, JoinRows collected, PipelineHead probe) {
    if (!JoinMemory.fitsIndexed(collected.size(), compiler.resources().spill().room())) {
      return SpilledJoinFactory.compile(compiler, node, spec, null, collected, probe, null);
    }
    BuildSide side = new BuildSide();
    compiler.resources().closeLater(side);
    compiler
        .resources()
        .work(
            node,
            context -> {
              side.fill(context, spec, collected.take(context), collected.owned());
              return side;
            });
    NestedLoopProbe operator = new NestedLoopProbe(spec, side, compiler.resources().expressions());
    return CompletionSource.after(probe.then(operator), compiler.resources(), spec, side, null);
  }
}
