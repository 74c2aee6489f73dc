package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.CompiledPredicate;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.aggregate.AggregateSpec.Selected;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Parallel;
import io.aragonite.exec.pipeline.Sink;
import java.util.ArrayList;
import java.util.List;

/** Groups rows: each worker by itself, then the workers' groups are merged. */
final class AggregateSink implements Sink {
  private final AggregateSpec spec;

  /** For each worker that had rows its groups, by grouping set. */
  private final List<List<WorkerGroups>> workers = new ArrayList<>();

  private final List<ColumnBatch> chunks = new ArrayList<>();
  private long stateBytes;

  AggregateSink(AggregateSpec spec) {
    this.spec = spec;
  }

  /** The result, in chunks of the node's columns; at least one. */
  List<ColumnBatch> chunks() {
    return chunks;
  }

  long stateBytes() {
    return stateBytes;
  }

  @Override
  public boolean serial() {
    return spec.serial();
  }

  @Override
  public BatchConsumer newWorker(ExecContext context) {
    List<WorkerGroups> sets = newSets(context);
    synchronized (workers) {
      workers.add(sets);
    }
    return batch -> {
      List<Selected> masks = masks(context, batch);
      for (WorkerGroups set : sets) {
        set.add(context, batch, masks);
      }
    };
  }

  private List<WorkerGroups> newSets(ExecContext context) {
    List<WorkerGroups> sets = new ArrayList<>();
    for (int set = 0; set < spec.node.groupingSets().size(); set++) {
      sets.add(new WorkerGroups(spec, set, context));
    }
    return sets;
  }

  private List<Selected> masks(ExecContext context, ColumnBatch batch) {
    if (spec.maskPredicates.isEmpty()) {
      return List.of();
    }
    List<Selected> masks = new ArrayList<>();
    for (CompiledPredicate predicate : spec.maskPredicates) {
      Buffer positions = context.scratch().allocate(4L * batch.rows());
      int count = predicate.select(context, batch, positions);
      masks.add(new Selected(count == batch.rows() ? null : positions, count));
    }
    return masks;
  }

  @Override
  public void finish(ExecContext context, Parallel parallel) {
    if (workers.isEmpty()) {
      workers.add(newSets(context));
    }
    AggregateMerge merge = new AggregateMerge(spec, context, parallel);
    for (int i = 0; i < spec.node.groupingSets().size(); i++) {
      int set = i;
      List<WorkerGroups> groups = workers.stream().map(worker -> worker.get(set)).toList();
      for (WorkerGroups worker : groups) {
        stateBytes += worker.bytes();
      }
      chunks.addAll(merge.merge(set, groups));
    }
  }
}
