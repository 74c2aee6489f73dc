package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.operator.RowCollector;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.MultiwayJoin;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of one relation of a join: those of a stored table, or what a pipeline yields. */
final class Relation implements AutoCloseable {
  private final PlanCompiler compiler;
  private final List<ColumnShape> shapes;
  private final PhysicalPlan.@Nullable Scan scan;
  private final List<ColumnBatch> chunks;
  private final @Nullable SpillableRowCollection collection;
  private final long rowCount;
  private @Nullable ColumnBatch rows;

  private Relation(
      PlanCompiler compiler,
      List<ColumnShape> shapes,
      PhysicalPlan.@Nullable Scan scan,
      List<ColumnBatch> chunks,
      @Nullable SpillableRowCollection collection,
      long rowCount) {
    this.compiler = compiler;
    this.shapes = shapes;
    this.scan = scan;
    this.chunks = chunks;
    this.collection = collection;
    this.rowCount = rowCount;
  }

  /** Runs what yields the rows; those of a table that memory holds stay where they are. */
  static Relation of(PlanCompiler compiler, MultiwayJoin node, int index) {
    PhysicalPlan plan = node.relations().get(index);
    if (plan instanceof PhysicalPlan.Scan scan
        && scan.table().parts(scan.columns(), false) == null) {
      Table.Pin pin = compiler.pin(scan);
      long rows = pin.chunks().stream().mapToLong(ColumnBatch::rows).sum();
      return new Relation(compiler, pin.shapes(), scan, pin.chunks(), null, rows);
    }
    PipelineHead head = compiler.compile(plan);
    RowCollector collector =
        new RowCollector(
            head.shapes(), compiler.resources().spill(), compiler.resources().metrics(node));
    compiler.run(head, collector, node);
    SpillableRowCollection collection = collector.collection();
    return new Relation(compiler, head.shapes(), null, List.of(), collection, collection.rows());
  }

  long rowCount() {
    return rowCount;
  }

  List<ColumnShape> shapes() {
    return shapes;
  }

  /** The scan whose rows, all of them and in their order, these are; null if there is none. */
  PhysicalPlan.@Nullable Scan scan() {
    return scan;
  }

  /** Bytes that it takes to have each column in one piece, beside what is there. */
  long bytesInOnePiece() {
    if (collection != null) {
      return collection.size() == 1 && collection.resident() ? 0 : collection.bytes();
    }
    return chunks.size() == 1 ? 0 : chunks.stream().mapToLong(HostColumns::bytes).sum();
  }

  /** All rows of a column in one piece, without indirection. */
  Column column(int index) {
    return rows().column(index);
  }

  /** Columns in one piece each; pieces are put together when they are asked for. */
  private ColumnBatch rows() {
    ColumnBatch known = rows;
    if (known == null) {
      known = collection != null ? collection.gather(compiler.resources().context()) : inOnePiece();
      rows = known;
    }
    return known;
  }

  private ColumnBatch inOnePiece() {
    if (chunks.size() == 1) {
      return chunks.getFirst();
    }
    ColumnStore store = new ColumnStore(shapes, compiler.resources().memory());
    store.appendAll(compiler.resources().context(), chunks);
    return store.take();
  }

  /** Gives back the rows that are this relation's own. */
  @Override
  public void close() {
    ColumnBatch known = rows;
    if (known != null && (collection != null || chunks.size() > 1)) {
      known.columns().forEach(column -> Batches.free(compiler.resources().memory(), column));
    }
    rows = null;
    if (collection != null) {
      collection.close();
    }
  }
}
