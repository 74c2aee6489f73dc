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

  /** For each worker that had rows its states, one a grouping set. */
  private final List<List<GroupState>> workers = new ArrayList<>();

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
    List<GroupState> states = newStates(context);
    synchronized (workers) {
      workers.add(states);
    }
    return batch -> {
      List<Selected> masks = masks(context, batch);
      for (GroupState state : states) {
        state.add(context, batch, masks);
      }
    };
  }

  private List<GroupState> newStates(ExecContext context) {
    List<GroupState> states = new ArrayList<>();
    for (int set = 0; set < spec.node.groupingSets().size(); set++) {
      states.add(new GroupState(spec, set, context, null));
    }
    return states;
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
      workers.add(newStates(context));
    }
    AggregateMerge merge = new AggregateMerge(spec, context, parallel);
    for (int i = 0; i < spec.node.groupingSets().size(); i++) {
      int set = i;
      List<GroupState> states = workers.stream().map(worker -> worker.get(set)).toList();
      for (GroupState state : states) {
        stateBytes += state.bytes();
      }
      chunks.addAll(merge.merge(set, states));
    }
  }
}
