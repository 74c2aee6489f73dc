package io.aragonite.exec.multiway;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.ColumnStore;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.operator.Batches;
import io.aragonite.exec.operator.FilterOperator;
import io.aragonite.exec.operator.RowCollector;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.MultiwayJoin;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of one relation of a join: those of a stored table, or what a pipeline yields. */
final class Relation {
  private final PlanCompiler compiler;
  private final List<ColumnShape> shapes;
  private final PhysicalPlan.@Nullable Scan scan;
  private final List<ColumnBatch> chunks;
  private final int rowCount;
  private @Nullable ColumnBatch rows;
  private boolean owned;

  private Relation(
      PlanCompiler compiler,
      List<ColumnShape> shapes,
      PhysicalPlan.@Nullable Scan scan,
      List<ColumnBatch> chunks,
      long rowCount) {
    this.compiler = compiler;
    this.shapes = shapes;
    this.scan = scan;
    this.chunks = chunks;
    this.rowCount = Math.toIntExact(rowCount);
  }

  /** Runs what yields the rows, without those that have a null in a key. */
  static Relation of(PlanCompiler compiler, MultiwayJoin node, int index) {
    PhysicalPlan plan = node.relations().get(index);
    List<VariableKey> keys = node.keys().get(index);
    if (plan instanceof PhysicalPlan.Scan scan) {
      Table.Pin pin = compiler.pin(scan);
      List<ColumnBatch> chunks = pin.chunks();
      long rows = chunks.stream().mapToLong(ColumnBatch::rows).sum();
      boolean nulls = keys.stream().anyMatch(key -> pin.shapes().get(key.column()).mayBeNull());
      if (!nulls && rows < Integer.MAX_VALUE - 64) {
        return new Relation(compiler, pin.shapes(), scan, chunks, rows);
      }
    }
    PipelineHead head = compiler.compile(plan);
    for (VariableKey key : keys) {
      ColumnShape shape = head.shapes().get(key.column());
      if (shape.mayBeNull()) {
        Expr present =
            Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, Expr.ref(key.column(), shape.type()));
        head =
            head.then(
                new FilterOperator(
                    compiler.expressions().predicate(present, head.shapes()), head.shapes()));
      }
    }
    RowCollector collector =
        new RowCollector(head.shapes(), compiler.spill(), compiler.metrics(node));
    compiler.run(head, collector, node);
    ColumnBatch rows = compiler.work(node, collector::rows);
    Relation relation = new Relation(compiler, rows.shapes(), null, List.of(rows), rows.rows());
    relation.rows = rows;
    relation.owned = true;
    return relation;
  }

  int rowCount() {
    return rowCount;
  }

  List<ColumnShape> shapes() {
    return shapes;
  }

  /** The scan whose rows, all of them and in their order, these are; null if there is none. */
  PhysicalPlan.@Nullable Scan scan() {
    return scan;
  }

  /** All rows of a column in one piece, without indirection. */
  Column column(int index) {
    return rows().column(index);
  }

  /** Columns in one piece each; the pieces of a table are put together when they are asked for. */
  private ColumnBatch rows() {
    ColumnBatch known = rows;
    if (known == null) {
      if (chunks.size() == 1) {
        known = chunks.getFirst();
      } else {
        ColumnStore store = new ColumnStore(shapes, compiler.memory());
        store.appendAll(compiler.context(), chunks);
        known = store.take();
        owned = true;
      }
      rows = known;
    }
    return known;
  }

  /** Gives back the rows that are this relation's own. */
  void free() {
    ColumnBatch known = rows;
    if (owned && known != null) {
      known.columns().forEach(column -> Batches.free(compiler.memory(), column));
    }
    rows = null;
  }

  /** The columns of some keys. */
  List<Column> columns(List<VariableKey> keys) {
    List<Column> columns = new ArrayList<>();
    keys.forEach(key -> columns.add(column(key.column())));
    return columns;
  }
}
