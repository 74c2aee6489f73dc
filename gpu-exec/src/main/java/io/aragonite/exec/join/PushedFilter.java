package io.aragonite.exec.join;

import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.ExecContext;
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
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys of a join's build side as a filter of rows on their way to its probe side. It is made
 * when these rows' pipeline is compiled, since their shapes say how keys become words.
 */
public final class PushedFilter {
  private static final long MOST_ROWS = 1 << 30;

  private final Join join;
  private final FilterPlace place;
  private final JoinRows rows;

  private PushedFilter(Join join, FilterPlace place, JoinRows rows) {
    this.join = join;
    this.place = place;
    this.rows = rows;
  }

  /**
   * Leaves a filter with the compiler if it is worth it, and if there is room for the words.
   *
   * @param node the join as it stands in the plan
   * @param join the same with what is known now
   * @param rows the rows of the build side
   */
  static void leave(PlanCompiler compiler, Join node, Join join, JoinRows rows) {
    FilterPlace place = FilterPlace.of(join, rows.rows(), compiler.context().device().profile());
    long bytes = (Long.BYTES + FilterPlace.MOST_BYTES) * rows.rows();
    if (place != null && 4 * bytes <= compiler.spill().room() && rows.rows() <= MOST_ROWS) {
      compiler.filter(place.node(), new PushedFilter(node, place, rows));
    }
  }

  /** Puts the filter behind the pipeline of its place. */
  public PipelineHead behind(PlanCompiler compiler, PipelineHead head) {
    List<Integer> buildColumns = new ArrayList<>();
    for (JoinKey key : join.keys()) {
      buildColumns.add(join.buildLeft() ? key.left() : key.right());
    }
    KeyLayout layout =
        KeyLayouts.choose(
            buildColumns.stream().map(rows.shapes()::get).toList(),
            place.columns().stream().map(head.shapes()::get).toList());
    CompiledProjection buildWords = projection(compiler, rows.shapes(), buildColumns, layout);
    WordFilter filter =
        compiler.work(
            join,
            context -> {
              int count = (int) rows.rows();
              Buffer words = words(context, buildWords, count);
              WordFilter made =
                  context
                      .device()
                      .primitives()
                      .filterBuild(context, words, count, context.memory());
              context.memory().free(words);
              return compiler.closeLater(made);
            });
    compiler.addStateBytes(join, filter.bytes());
    compiler.addFigure(
        join, filter.exact() ? "exact filter bytes" : "Bloom filter bytes", filter.bytes());
    CompiledProjection words = projection(compiler, head.shapes(), place.columns(), layout);
    return head.then(new WordFilterOperator(words, filter, head.shapes()));
  }

  private static CompiledProjection projection(
      PlanCompiler compiler, List<ColumnShape> shapes, List<Integer> columns, KeyLayout layout) {
    List<Expr> keys = new ArrayList<>();
    for (int column : columns) {
      keys.add(Expr.ref(column, shapes.get(column).type()));
    }
    return compiler.expressions().projection(List.of(new Expr.KeyWord(keys, layout)), shapes);
  }

  private Buffer words(ExecContext context, CompiledProjection projection, int count) {
    Buffer words = context.memory().allocate(8L * count);
    long[] next = {0};
    rows.read(
        context,
        (worker, batch) -> {
          Buffer some = projection.evaluate(worker, batch).column(0).values();
          long bytes = 8L * batch.rows();
          worker.device().transfers().copy(worker, some, words.slice(next[0], bytes), bytes);
          next[0] += bytes;
        });
    return words;
  }
}
