package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.exchange.CoPartitionedInputs;
import io.aragonite.exec.exchange.ExchangedInputs;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.join.JoinState.JoinedOutput;
import io.aragonite.exec.operator.join.JoinState.TableProbe;
import io.aragonite.exec.operator.join.PartitionedHashJoin.JoinInput;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Partitioned inner joins on equal words alone, on a device with memory of its own: the very join
 * that is measured ({@link PartitionedHashJoin}), as a part of a query. Batches are as large as
 * they can be there; a CPU, whose batches stay in cache, probes them by morsels.
 */
final class PartitionedJoinSource implements Source {
  private final JoinSpec spec;
  private final JoinKeyEncoder.SideEncoders words;
  private final JoinState begun;
  private final int morselRows;

  private PartitionedJoinSource(
      JoinSpec spec, JoinKeyEncoder.SideEncoders words, JoinState begun, int morselRows) {
    this.spec = spec;
    this.words = words;
    this.begun = begun;
    this.morselRows = morselRows;
  }

  /** Whether equal words are all that a join on this device asks for. */
  static boolean takes(Device device, JoinSpec spec, KeyLayout layout) {
    if (device.traits().morselDriven()
        || spec.type() != JoinType.INNER
        || spec.plan().residual() != null
        || !layout.exact()) {
      return false;
    }
    for (int i = 0; i < spec.plan().keys().size(); i++) {
      JoinKey key = spec.plan().keys().get(i);
      boolean nulls =
          spec.buildKeyShapes().get(i).mayBeNull() || spec.probeKeyShapes().get(i).mayBeNull();
      if (nulls && !key.nullSafe()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Joins.
   *
   * @param roomy whether there is room for a copy more of both sides
   */
  static PipelineHead compile(
      QueryResources resources,
      Join node,
      JoinSpec spec,
      JoinKeyEncoder.SideEncoders words,
      JoinRows buildRows,
      JoinRows probeRows,
      boolean roomy) {
    int rows = (int) buildRows.rows();
    resources.metrics(node).addFigure("build rows", rows);
    if (rows == 0 || probeRows.rows() == 0) {
      resources.metrics(node).addFigure("distinct keys", 0);
      return PipelineHead.of(resources.scanOf(spec.output(), List.of(), false));
    }
    long before = resources.memory().used();
    JoinState begun =
        resources.work(
            node,
            context -> {
              KeyedRows build = buildRows.keyed(context, words.build());
              KeyedRows probe = probeRows.keyed(context, words.probe());
              return start(context, build, probe, roomy);
            });
    return output(resources, node, spec, words, begun, rows, before);
  }

  /**
   * Joins sides that devices have brought each other, of which the probe side may still be on its
   * way.
   *
   * @param both which are arranged, and neither is empty
   * @param words columns of the rows
   */
  static PipelineHead compile(
      QueryResources resources,
      Join node,
      JoinSpec spec,
      JoinKeyEncoder.SideEncoders words,
      ExchangedInputs both,
      CoPartitionedInputs arranged) {
    long before = resources.memory().used();
    int rows = (int) both.buildRows();
    resources.metrics(node).addFigure("build rows", rows);
    JoinInput build = KeyedRows.input(both.takeBuild(), words.build().column());
    JoinInput probe = KeyedRows.input(both.takeProbe(), words.probe().column());
    JoinState begun =
        resources.work(
            node,
            context -> {
              JoinState made = CoPartitionedJoin.start(context, build, probe, arranged);
              both.end(context);
              return made;
            });
    resources.metrics(node).addFigure("partitions as received", begun.parts());
    return output(resources, node, spec, words, begun, rows, before);
  }

  private static PipelineHead output(
      QueryResources resources,
      Join node,
      JoinSpec spec,
      JoinKeyEncoder.SideEncoders words,
      JoinState begun,
      int rows,
      long before) {
    resources.metrics(node).addStateBytes(Math.max(0, resources.memory().used() - before));
    resources.metrics(node).addFigure("partitions", begun.parts());
    resources.metrics(node).addFigure("tables", begun.tables());
    resources
        .metrics(node)
        .addFigure(
            "distinct keys", begun.rest() instanceof TableProbe t ? t.table().distinct() : rows);
    if (begun.rest() instanceof TableProbe over) {
      resources.metrics(node).addFigure("largest multiplicity", over.table().maxMultiplicity());
    }
    PartitionedJoinSource join =
        new PartitionedJoinSource(
            spec, words, begun, resources.context().device().properties().morselRows());
    if (begun.rest() instanceof JoinedOutput all) {
      if (words.build().column() < 0) {
        resources.memory().free(all.pairs().column(0).values());
      }
      ColumnBatch pairs = join.output(all.pairs());
      return PipelineHead.of(resources.scanOwned(spec.output(), List.of(pairs), false));
    }
    return PipelineHead.of(join);
  }

  /**
   * Joins rows that are all there.
   *
   * @param build without indirection; their memory is the join's from now on, as that of the others
   * @param roomy whether there is room for a copy more of both sides
   */
  static PartitionedJoinSource of(
      ExecContext context,
      JoinSpec spec,
      JoinKeyEncoder.SideEncoders words,
      ColumnBatch build,
      ColumnBatch probe,
      boolean roomy) {
    KeyedRows left = KeyedRows.of(context, build, words.build(), true);
    KeyedRows right = KeyedRows.of(context, probe, words.probe(), true);
    JoinState begun = start(context, left, right, roomy);
    int morselRows = context.device().properties().morselRows();
    return new PartitionedJoinSource(spec, words, begun, morselRows);
  }

  private static JoinState start(
      ExecContext context, KeyedRows build, KeyedRows probe, boolean roomy) {
    JoinInput left = build.input();
    JoinInput right = probe.input();
    PartitionFunction order = PartitionPlan.order(context, left);
    Runnable freeSides =
        () -> {
          build.free(context.memory());
          probe.free(context.memory());
        };
    if (order.ascending() && PartitionPlan.order(context, right).ascending()) {
      HashTable table = tableInOrder(context, order, left);
      if (table != null) {
        return new JoinState(1, 1, new TableProbe(table, left, right, freeSides));
      }
    }
    JoinState begun =
        new PartitionedHashJoin(context, piece -> {}).start(order, left, right, roomy);
    freeSides.run();
    return begun;
  }

  /**
   * A table that is visited in the order of the build side's rows, which are as good as partitioned
   * where those of the probe side are in that order too; null if there is none.
   */
  private static @Nullable HashTable tableInOrder(
      ExecContext context, PartitionFunction order, JoinInput build) {
    Buffer words = build.key().values();
    HashTable table =
        context
            .hash()
            .build(context, words, build.wordBytes(), null, build.rows(), order, context.memory());
    if (table.inOrder()) {
      return table;
    }
    table.close();
    return null;
  }

  /** The columns of both sides, of pairs of key, the build side's payload, and the probe side's. */
  private ColumnBatch output(ColumnBatch pairs) {
    Column key = pairs.column(0);
    List<Column> all = pairs.columns();
    int built = 1 + spec.build().size() - (words.build().column() < 0 ? 0 : 1);
    List<Column> build = side(all.subList(1, built), key, words.build(), spec.build());
    List<Column> probe = side(all.subList(built, all.size()), key, words.probe(), spec.probe());
    List<Column> columns =
        spec.buildLeft() ? JoinSpec.concat(build, probe) : JoinSpec.concat(probe, build);
    return new ColumnBatch(columns, pairs.rows());
  }

  private static List<Column> side(
      List<Column> payload, Column key, JoinKeyEncoder words, List<ColumnShape> shapes) {
    List<Column> columns = new ArrayList<>(payload);
    if (words.column() >= 0) {
      columns.add(words.column(), key);
    }
    for (int i = 0; i < columns.size(); i++) {
      Column c = columns.get(i);
      columns.set(
          i,
          new Column(
              shapes.get(i), c.dataRows(), c.values(), c.offsets(), c.validity(), c.rowIds()));
    }
    return columns;
  }

  @Override
  public List<ColumnShape> shapes() {
    return spec.output();
  }

  @Override
  public int morsels() {
    return (int) ((begun.rest().rows() + morselRows - 1L) / morselRows);
  }

  @Override
  public boolean expands() {
    return begun.rest() instanceof TableProbe over && !over.table().unique();
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    context.scratch().reset();
    PartitionedHashJoin.PairConsumer out =
        new PartitionedHashJoin.PairConsumer() {
          @Override
          public void accept(ColumnBatch piece) {
            if (piece.rows() > 0) {
              long mark = context.scratch().mark();
              consumer.accept(output(piece));
              context.scratch().release(mark);
            }
          }

          @Override
          public boolean done() {
            return consumer.done();
          }
        };
    int from = morsel * morselRows;
    int count = Math.min(morselRows, begun.rest().rows() - from);
    new PartitionedHashJoin(context, out).finish(begun, from, count);
  }

  @Override
  public void close() {
    begun.close();
  }
}
