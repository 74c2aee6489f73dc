package io.aragonite.exec.join;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.join.Arrangement.Sides;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.RowCollector;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the build side of a join and yields the pipeline that probes it: one way an algorithm. */
public final class JoinFactory {
  private JoinFactory() {}

  /** The pipeline of a join's output. */
  public static PipelineHead compile(PlanCompiler compiler, Join plan) {
    Expr residual = plan.residual();
    Join join =
        new Join(
            plan.left(),
            plan.right(),
            plan.joinType(),
            plan.keys(),
            residual == null ? null : compiler.resolve(residual),
            ForcedJoin.instead(compiler.join(), plan),
            plan.buildLeft(),
            plan.types(),
            plan.expected());
    PhysicalPlan buildPlan = join.buildLeft() ? join.left() : join.right();
    PipelineHead build = compiler.compile(buildPlan);
    RowCollector collector = new RowCollector(build.shapes(), compiler.memory());
    compiler.run(build, collector, plan);
    PipelineHead probe = compiler.compile(join.buildLeft() ? join.right() : join.left());
    JoinSpec planned =
        new JoinSpec(
            join,
            join.buildLeft() ? build.shapes() : probe.shapes(),
            join.buildLeft() ? probe.shapes() : build.shapes());
    JoinSpec spec = JoinChoice.revise(compiler, plan, planned, collector.rows().rows());
    Materialization how = Materialization.GFUR;
    BuildSide side = new BuildSide();
    return switch (spec.plan().algorithm()) {
      case NON_PARTITIONED_HASH, PARTITIONED_HASH, SORT_MERGE ->
          equality(compiler, plan, spec, collector.rows(), side, probe, how);
      case NESTED_LOOP -> nestedLoop(compiler, spec, collector.rows(), side, probe, how);
    };
  }

  private static PipelineHead equality(
      PlanCompiler compiler,
      Join node,
      JoinSpec spec,
      ColumnBatch collected,
      BuildSide side,
      PipelineHead probe,
      Materialization how) {
    KeyLayout layout = KeyLayouts.choose(spec.buildKeyShapes(), spec.probeKeyShapes());
    HashBuild build = new HashBuild(spec, how, layout, compiler.expressions());
    JoinAlgorithm algorithm = spec.plan().algorithm();
    long before = compiler.memory().used();
    ColumnBatch rows = collected;
    PipelineHead input = probe;
    if (algorithm != JoinAlgorithm.NON_PARTITIONED_HASH) {
      Sides sides = arrange(compiler, node, spec, layout, build, collected, probe);
      rows = sides.build();
      input = PipelineHead.of(compiler.scanOwned(probe.shapes(), List.of(sides.probe()), false));
    }
    ColumnBatch buildRows = rows;
    boolean sorted = algorithm == JoinAlgorithm.SORT_MERGE;
    KeyIndex index =
        compiler.work(
            node,
            context -> {
              build.build(context, buildRows, sorted, side);
              return compiler.closeLater(side.index());
            });
    compiler.addFigure(node, "build rows", rows.rows());
    compiler.addFigure(node, "distinct keys", index.distinct());
    if (index instanceof KeyIndex.Hash hash) {
      compiler.addFigure(node, "largest multiplicity", hash.table().maxMultiplicity());
    }
    compiler.addStateBytes(node, Math.max(0, compiler.memory().used() - before));
    HashProbe operator = new HashProbe(spec, side, how, layout, compiler.expressions());
    boolean byWord = operator.marksByWord() && !index.unique();
    side.setFlagsByWord(byWord);
    return complete(compiler, spec, side, how, input, operator, byWord ? build.words() : null);
  }

  /** Collects the probe side as well, and brings both sides into an order. */
  private static Sides arrange(
      PlanCompiler compiler,
      Join node,
      JoinSpec spec,
      KeyLayout layout,
      HashBuild build,
      ColumnBatch buildRows,
      PipelineHead probe) {
    RowCollector collector = new RowCollector(probe.shapes(), compiler.memory());
    compiler.run(probe, collector, node);
    CompiledProjection probeWords =
        compiler
            .expressions()
            .projection(List.of(new Expr.KeyWord(spec.probeKeys(), layout)), spec.probe());
    boolean sort = spec.plan().algorithm() == JoinAlgorithm.SORT_MERGE;
    Sides sides =
        compiler.work(
            node,
            context ->
                sort
                    ? Arrangement.sort(
                        context, buildRows, build.words(), collector.rows(), probeWords)
                    : Arrangement.partition(
                        context, buildRows, build.words(), collector.rows(), probeWords));
    compiler.addFigure(node, sort ? "sorted sides" : "partitions", sort ? 2 : 1L << sides.bits());
    return sides;
  }

  private static PipelineHead nestedLoop(
      PlanCompiler compiler,
      JoinSpec spec,
      ColumnBatch rows,
      BuildSide side,
      PipelineHead probe,
      Materialization how) {
    ExecContext context = compiler.context();
    Buffer flags = Buffer.EMPTY;
    if (spec.flagsBuild()) {
      flags = compiler.memory().allocate(rows.rows());
      compiler.primitives().fill(context, flags, 1, 0, rows.rows());
    }
    side.fill(rows, null, flags, new RowIds(Buffer.EMPTY, 0, false));
    NestedLoopProbe operator = new NestedLoopProbe(spec, side, how, compiler.expressions());
    return complete(compiler, spec, side, how, probe, operator, null);
  }

  private static PipelineHead complete(
      PlanCompiler compiler,
      JoinSpec spec,
      BuildSide side,
      Materialization how,
      PipelineHead probe,
      StreamOperator operator,
      @Nullable CompiledProjection words) {
    PipelineHead joined = probe.then(operator);
    if (!spec.flagsBuild()) {
      return joined;
    }
    int morselRows = compiler.context().device().properties().morselRows();
    return joined.followedBy(
        new CompletionSource(spec, side, how, words, compiler.expressions(), morselRows));
  }
}
