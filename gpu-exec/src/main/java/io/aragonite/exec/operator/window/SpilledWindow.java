package io.aragonite.exec.operator.window;

import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.QueryScope;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.operator.Partitioner;
import io.aragonite.exec.operator.SpillPartitions;
import io.aragonite.exec.operator.SpillPartitions.SpillPartition;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A window over rows that memory does not hold: they are partitioned by a hash of PARTITION BY, and
 * one part after the other is computed in memory. A single partition of the window has to fit.
 */
final class SpilledWindow implements Source {
  private static final int MOST_BITS = 48;

  private final QueryResources resources;
  private final Window node;
  private final Window window;
  private final List<ColumnShape> inputs;
  private final List<ColumnShape> shapes;
  private final @Nullable CompiledProjection output;
  private final SpillPartitions<SpillableRowCollection> parts;
  private @Nullable WindowSource source;
  private @Nullable QueryScope scope;
  private int morsels;

  /**
   * @param node for the metrics
   */
  SpilledWindow(
      QueryResources resources,
      Window node,
      Window window,
      List<ColumnShape> inputs,
      SpillableRowCollection rows) {
    this.resources = resources;
    this.node = node;
    this.window = window;
    this.inputs = List.copyOf(inputs);
    // No rows tell what the results look like; parts do not know each other's nulls.
    WindowCompiler.WindowRows empty =
        resources.work(
            node, context -> WindowCompiler.compute(context, window, noRows(context, this.inputs)));
    List<ColumnShape> computed = new ArrayList<>(empty.source().shapes());
    for (int i = inputs.size(); i < computed.size(); i++) {
      computed.set(i, computed.get(i).withMayBeNull(true));
    }
    List<Expr> wanted = empty.output();
    this.output = wanted == null ? null : resources.expressions().projection(wanted, computed);
    this.shapes = output == null ? computed : output.shapes();
    this.parts =
        new SpillPartitions<>(
            resources.spill(), resources.metrics(node), MOST_BITS, SpillableRowCollection::bytes);
    parts.add(List.of(rows), false);
  }

  private static ColumnBatch noRows(ExecContext context, List<ColumnShape> shapes) {
    return new ColumnStore(shapes, context.memory()).view();
  }

  /** Whether memory holds rows while a window over them is computed. */
  static boolean fits(QueryResources resources, Window window, SpillableRowCollection rows) {
    return need(window, rows) <= resources.spill().room() && rows.rows() < Integer.MAX_VALUE - 64;
  }

  /**
   * Sorting takes as much as a sort; then there are partitions, peers, frames, and a value a call.
   */
  private static long need(Window window, SpillableRowCollection rows) {
    return need(window, rows.bytes(), rows.rows());
  }

  static long need(Window window, long bytes, long rows) {
    return bytes + (60 + 24L * window.calls().size()) * rows;
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public boolean hasRounds() {
    return true;
  }

  @Override
  public int morsels() {
    return morsels;
  }

  @Override
  public boolean nextRound(ExecContext context) {
    while (true) {
      close();
      SpillPartition<SpillableRowCollection> part = parts.poll();
      if (part == null) {
        return false;
      }
      SpillableRowCollection rows = part.rows();
      if (rows.rows() == 0) {
        rows.close();
      } else if (part.whole() || fits(resources, window, rows)) {
        compute(context, rows);
        return true;
      } else {
        split(context, part);
      }
    }
  }

  private void compute(ExecContext context, SpillableRowCollection rows) {
    scope = new QueryScope(context);
    WindowSource made = WindowCompiler.compute(context, window, rows.gather(context)).source();
    rows.close();
    source = made;
    morsels = made.morsels();
    scope.end();
    resources.metrics(node).figures.merge("passes", 1L, Long::sum);
  }

  private void split(ExecContext context, SpillPartition<SpillableRowCollection> parent) {
    int workers = context.parallel().workers();
    int bits = Partitioner.bits(need(window, parent.rows()), resources.spill().room(), workers);
    List<Expr> keys = new ArrayList<>();
    window.partitionBy().forEach(key -> keys.add(Expr.ref(key, inputs.get(key).type())));
    CompiledProjection words =
        resources
            .expressions()
            .projection(List.of(new Expr.KeyWord(keys, KeyLayout.HASHED)), inputs);
    SpillPartitions<SpillableRowCollection>.Split split = parts.split(parent, bits, workers);
    List<SpillableRowCollection> children = split.children(inputs);
    split
        .partitioner(children, Partitioner.PartitionWords.of(words), Long.SIZE)
        .runOver(context, parent.rows());
    split.push(children::get);
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    WindowSource rows = source;
    if (rows == null) {
      throw new IllegalStateException("no part of the window has been computed");
    }
    CompiledProjection projection = output;
    rows.run(
        context,
        morsel,
        new BatchConsumer() {
          @Override
          public void accept(ColumnBatch batch) {
            ColumnBatch result = projection == null ? batch : projection.evaluate(context, batch);
            conformed(context, result, shapes, consumer);
          }

          @Override
          public boolean done() {
            return consumer.done();
          }
        });
  }

  /** Where a part's results lie otherwise than those of no rows, copies them. */
  static void conformed(
      ExecContext context, ColumnBatch batch, List<ColumnShape> shapes, BatchConsumer consumer) {
    List<Column> columns = new ArrayList<>(batch.columns());
    List<ColumnStore> copies = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).shape().storage() != shapes.get(i).storage()) {
        ColumnStore copy = new ColumnStore(List.of(shapes.get(i)), context.memory());
        copies.add(copy);
        copy.append(context, new ColumnBatch(List.of(columns.get(i)), batch.rows()));
        columns.set(i, copy.view().column(0));
      }
    }
    consumer.accept(new ColumnBatch(columns, batch.rows()));
    copies.forEach(ColumnStore::close);
  }

  /** Frees the rows of the last round. */
  @Override
  public void close() {
    source = null;
    morsels = 0;
    if (scope != null) {
      scope.close();
      scope = null;
    }
  }
}
