package io.aragonite.exec.join;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.Primitives.WordFilter;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.WordFilterOperator;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys of a join's build side as a filter of rows on their way to its probe side. It is made
 * when these rows' pipeline is compiled, since their shapes say how keys become words.
 */
public final class PushedFilter {
  private final Join join;
  private final FilterPlace place;
  private final ColumnBatch rows;
  private final List<ColumnShape> shapes;

  private PushedFilter(Join join, FilterPlace place, ColumnBatch rows, List<ColumnShape> shapes) {
    this.join = join;
    this.place = place;
    this.rows = rows;
    this.shapes = shapes;
  }

  /**
   * Leaves a filter with the compiler if it is worth it.
   *
   * @param node the join as it stands in the plan
   * @param join the same with what is known now
   * @param rows the collected rows of the build side, and their shapes
   */
  static void leave(
      PlanCompiler compiler, Join node, Join join, ColumnBatch rows, List<ColumnShape> shapes) {
    FilterPlace place = FilterPlace.of(join, rows.rows(), compiler.context().device().profile());
    if (place != null) {
      compiler.filter(place.node(), new PushedFilter(node, place, rows, shapes));
    }
  }

  /** Puts the filter behind the pipeline of its place. */
  public PipelineHead behind(PlanCompiler compiler, PipelineHead head) {
    List<Expr> buildKeys = new ArrayList<>();
    List<ColumnShape> buildShapes = new ArrayList<>();
    for (int i = 0; i < join.keys().size(); i++) {
      int column = join.buildLeft() ? join.keys().get(i).left() : join.keys().get(i).right();
      buildKeys.add(Expr.ref(column, shapes.get(column).type()));
      buildShapes.add(shapes.get(column));
    }
    List<Expr> keys = new ArrayList<>();
    List<ColumnShape> keyShapes = new ArrayList<>();
    for (int column : place.columns()) {
      keys.add(Expr.ref(column, head.shapes().get(column).type()));
      keyShapes.add(head.shapes().get(column));
    }
    KeyLayout layout = KeyLayouts.choose(buildShapes, keyShapes);
    CompiledProjection buildWords =
        compiler.expressions().projection(List.of(new Expr.KeyWord(buildKeys, layout)), shapes);
    WordFilter filter =
        compiler.work(
            join,
            context -> {
              Buffer words = Arrangement.words(context, buildWords, rows);
              WordFilter made =
                  context
                      .device()
                      .primitives()
                      .filterBuild(context, words, rows.rows(), context.memory());
              context.memory().free(words);
              return compiler.closeLater(made);
            });
    compiler.addStateBytes(join, filter.bytes());
    compiler.addFigure(
        join, filter.exact() ? "exact filter bytes" : "Bloom filter bytes", filter.bytes());
    CompiledProjection words =
        compiler.expressions().projection(List.of(new Expr.KeyWord(keys, layout)), head.shapes());
    return head.then(new WordFilterOperator(words, filter, head.shapes()));
  }
}
