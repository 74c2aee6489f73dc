package io.aragonite.exec.operator.sort;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.LimitOperator;
import io.aragonite.exec.operator.RowCollector;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;

/** Runs the input of a sort and yields its rows in order. */
public final class SortCompiler {
  private SortCompiler() {}

  /**
   * @param sort with keys
   * @param offset rows to leave out
   * @param fetch rows to keep, Long.MAX_VALUE for all
   */
  public static PipelineHead compile(PlanCompiler compiler, Sort sort, long offset, long fetch) {
    return compile(compiler, sort, compiler.compile(sort.input()), offset, fetch);
  }

  /**
   * Rows in order that memory does not hold, a range after the other, whose rows are closed with
   * it.
   *
   * @param node for the metrics
   * @param share what part of the room a range may take, as a divisor
   */
  public static Source parts(
      PlanCompiler compiler,
      PhysicalPlan node,
      List<SortKey> keys,
      SpillableRowCollection rows,
      int share) {
    return new SpilledSort(
        compiler.resources(), node, keys, rows, SortWord.of(rows.shapes(), keys), share);
  }

  /** As the other, of an input that is compiled already. */
  public static PipelineHead compile(
      PlanCompiler compiler, Sort sort, PipelineHead input, long offset, long fetch) {
    long limit = fetch > Long.MAX_VALUE - offset ? Long.MAX_VALUE : offset + fetch;
    List<SortWord> words = SortWord.of(input.shapes(), sort.keys());
    ColumnBatch rows;
    if (limit > 0 && limit <= TopN.MAX_ROWS && !words.isEmpty()) {
      TopN sink =
          new TopN(input.shapes(), sort.keys(), words, (int) limit, compiler.resources().memory());
      compiler.run(input, sink, sort);
      rows = sink.rows();
    } else {
      RowCollector sink =
          new RowCollector(
              input.shapes(), compiler.resources().spill(), compiler.resources().metrics(sort));
      compiler.run(input, sink, sort);
      if (!SpilledSort.fits(compiler.resources(), sink.collection())) {
        SpilledSort parts =
            new SpilledSort(compiler.resources(), sort, sort.keys(), sink.collection(), words, 1);
        PipelineHead all = PipelineHead.of(parts);
        return offset == 0 && fetch == Long.MAX_VALUE
            ? all
            : all.then(new LimitOperator(input.shapes(), offset, fetch));
      }
      rows = compiler.resources().work(sort, sink::rows);
    }
    Buffer order =
        compiler.resources().work(sort, context -> Sorter.sort(context, rows, sort.keys()));
    int morselRows = compiler.resources().context().device().properties().morselRows();
    return PipelineHead.of(
        new SortedSource(rows, order, offset, fetch, morselRows, compiler.resources().memory()));
  }
}
