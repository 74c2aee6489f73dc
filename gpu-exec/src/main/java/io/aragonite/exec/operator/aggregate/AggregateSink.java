package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.aggregate.AggregateSpec.Selected;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.pipeline.Sink;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Groups rows: each worker by itself, then the workers' groups are merged. */
final class AggregateSink implements Sink {
  /**
   * What part of the query's memory all workers' groups together may take before they are spilled.
   */
  private static final int GROUPS_SHARE = 8;

  private static final long LEAST_BYTES = 128 << 10;

  private final AggregateSpec spec;
  private final @Nullable KernelAggregation kernel;
  private final long mostBytes;

  /** By grouping set; null: its groups stay in memory. */
  private final List<@Nullable SpilledGroups> spilled = new ArrayList<>();

  /** For each worker that had rows its groups. */
  private final List<WorkerGroups> workers = new ArrayList<>();

  private final List<ColumnBatch> chunks = new ArrayList<>();
  private final List<Integer> spilledSets = new ArrayList<>();
  private long stateBytes;

  /**
   * @param kernel takes in the rows, which are those of its head; null: they are grouped as all are
   * @param node for the metrics
   */
  AggregateSink(
      AggregateSpec spec,
      @Nullable KernelAggregation kernel,
      QueryResources resources,
      PhysicalPlan node) {
    this.spec = spec;
    this.kernel = kernel;
    int sets = spec.node.groupingSets().size();
    int parts = GROUPS_SHARE * sets * resources.context().device().properties().workers();
    this.mostBytes =
        Math.min(
            Math.max(LEAST_BYTES, resources.spill().fairShare() / parts),
            Math.max(1, resources.spill().room()));
    for (int set = 0; set < sets; set++) {
      // Without keys there is one group, whose distinct arguments may be many.
      boolean many = spec.keys.get(set) != null || !spec.distincts.isEmpty();
      boolean can = many && !spec.serial();
      spilled.add(
          can ? new SpilledGroups(spec, set, resources.spill(), resources.metrics(node)) : null);
    }
  }

  /** The grouping sets whose groups are not in {@link #chunks}. */
  List<Integer> spilledSets() {
    return spilledSets;
  }

  /** What was put aside of a set. */
  SpilledGroups spilled(int set) {
    return Objects.requireNonNull(spilled.get(set));
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
    WorkerGroups groups = new WorkerGroups(spec, context, spilled, mostBytes);
    synchronized (workers) {
      workers.add(groups);
    }
    BatchConsumer all = batch -> groups.add(context, batch, masks(context, batch));
    return kernel == null ? all : kernel.newWorker(context, groups, all);
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

  /**
   * Takes the groups that workers have not been given; whether these are all that there are, and in
   * {@link #chunks}.
   */
  private boolean takeGroups(
      ExecContext context, Parallel parallel, KernelAggregation from, AggregateMerge merge) {
    stateBytes += from.bytes();
    List<List<ColumnBatch>> tables = from.takeGroups(context, parallel);
    if (tables.stream().allMatch(List::isEmpty)) {
      return false;
    }
    SpilledGroups aside = spilled.getFirst();
    boolean all =
        tables.size() == 1 && spec.resultsHold64Bits() && (aside == null || aside.isEmpty());
    for (WorkerGroups worker : workers) {
      all &= worker.closeEmpty();
    }
    for (List<ColumnBatch> groups : tables) {
      for (ColumnBatch some : groups) {
        if (all) {
          chunks.add(merge.output(context, 0, some));
        } else {
          workers.getFirst().addGroups(context, some);
          Batches.free(context.memory(), some);
        }
      }
    }
    return all;
  }

  @Override
  public void finish(ExecContext context, Parallel parallel) {
    if (workers.isEmpty()) {
      workers.add(new WorkerGroups(spec, context, spilled, mostBytes));
    }
    AggregateMerge merge = new AggregateMerge(spec, context, parallel);
    if (kernel != null && takeGroups(context, parallel, kernel, merge)) {
      return;
    }
    parallel.forEach(workers.size(), (worker, i) -> workers.get(i).makeCoarser(worker));
    for (int i = 0; i < spec.node.groupingSets().size(); i++) {
      int set = i;
      List<PartialAggregation> groups =
          workers.stream().flatMap(worker -> worker.of(set).stream()).toList();
      for (PartialAggregation worker : groups) {
        stateBytes += worker.bytes();
      }
      SpilledGroups aside = spilled.get(set);
      if (aside != null && !aside.isEmpty()) {
        parallel.forEach(groups.size(), (worker, k) -> groups.get(k).spill(worker));
        spilledSets.add(set);
        stateBytes += aside.bytes();
      } else {
        chunks.addAll(merge.merge(set, groups, aside));
      }
    }
  }
}
