package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.operator.UnionAll;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/** Compiles and runs Aggregate nodes. */
public final class Aggregation {
  private Aggregation() {}

  /** Runs the input into groups; the result is a source over them. */
  public static PipelineHead compile(PlanCompiler compiler, PhysicalPlan.Aggregate node) {
    return run(compiler, node, compiler.compile(node.input()), node);
  }

  /** The distinct rows of a pipeline; nulls are equal. */
  public static PipelineHead distinct(
      PlanCompiler compiler, PhysicalPlan node, PipelineHead input) {
    List<Integer> keys = new ArrayList<>();
    for (int i = 0; i < node.types().size(); i++) {
      keys.add(i);
    }
    return run(
        compiler,
        new PhysicalPlan.Aggregate(node, keys, List.of(keys), List.of(), false, node.types()),
        input,
        node);
  }

  /**
   * @param metered whose figures these are
   */
  private static PipelineHead run(
      PlanCompiler compiler,
      PhysicalPlan.Aggregate node,
      PipelineHead input,
      PhysicalPlan metered) {
    AggregateSpec spec =
        new AggregateSpec(node, input.shapes(), compiler.resources().expressions());
    KernelAggregation kernel =
        KernelAggregation.of(spec, input, compiler.resources().expressions());
    AggregateSink sink = new AggregateSink(spec, kernel, compiler.resources(), metered);
    compiler.run(kernel == null ? input : kernel.head(), sink, metered);
    compiler.resources().metrics(metered).addStateBytes(sink.stateBytes());
    if (!sink.spilledSets().isEmpty()) {
      return spilled(compiler, spec, sink, metered);
    }
    List<ColumnShape> shapes = new ArrayList<>();
    for (int i = 0; i < node.types().size(); i++) {
      shapes.add(unify(sink.chunks(), i, node.types().get(i)));
    }
    List<ColumnBatch> chunks = new ArrayList<>();
    for (ColumnBatch chunk : sink.chunks()) {
      chunks.add(conform(compiler.resources().context(), chunk, shapes));
    }
    return PipelineHead.of(compiler.resources().scanOwned(shapes, chunks, false));
  }

  /** A result that comes part by part, whose columns must hold what any of them may have. */
  private static PipelineHead spilled(
      PlanCompiler compiler, AggregateSpec spec, AggregateSink sink, PhysicalPlan metered) {
    List<ColumnShape> shapes = new ArrayList<>();
    List<DataType> types = spec.node.types();
    boolean several = spec.node.groupingSets().size() > 1;
    for (int i = 0; i < types.size(); i++) {
      ColumnShape shape =
          i < spec.node.keys().size() ? spec.keyShape(i) : ColumnShape.of(types.get(i));
      boolean key = i < spec.node.keys().size();
      shapes.add(shape.withType(types.get(i)).withMayBeNull(!key || several || shape.mayBeNull()));
    }
    List<ColumnBatch> chunks =
        sink.chunks().stream()
            .map(c -> conform(compiler.resources().context(), c, shapes))
            .toList();
    List<Integer> sets = sink.spilledSets();
    List<SpilledGroups> spilled = sets.stream().map(sink::spilled).toList();
    return PipelineHead.of(
        new SpilledAggregate(
            compiler.resources(),
            spec,
            shapes,
            chunks,
            spilled,
            sets,
            compiler.resources().metrics(metered)));
  }

  private static ColumnShape unify(List<ColumnBatch> chunks, int column, DataType type) {
    List<ColumnShape> shapes = new ArrayList<>();
    for (ColumnBatch chunk : chunks) {
      shapes.add(chunk.column(column).shape());
    }
    return UnionAll.unify(shapes, type);
  }

  /** Sums fit 64 bits in most chunks; where one needs 128, the others get them too. */
  static ColumnBatch conform(ExecContext context, ColumnBatch chunk, List<ColumnShape> shapes) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      Column column = chunk.column(i);
      if (column.shape().storage() != shapes.get(i).storage()) {
        ColumnStore store = new ColumnStore(List.of(shapes.get(i)), context.memory());
        store.append(context, new ColumnBatch(List.of(column), chunk.rows()));
        columns.add(store.take().column(0));
        Batches.free(context.memory(), column);
      } else {
        columns.add(column);
      }
    }
    return new ColumnBatch(columns, chunk.rows());
  }
}
