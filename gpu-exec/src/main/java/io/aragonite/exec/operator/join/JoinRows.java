package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.operator.ScanSource;
import io.aragonite.exec.operator.ScanSource.TableColumns;
import io.aragonite.exec.operator.join.JoinMemory.InputSize;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * All rows of a side of a join: collected, or, where they are columns that stay where they are
 * until the query ends, those themselves.
 */
final class JoinRows {
  private final PlanCompiler compiler;
  private final PhysicalPlan node;
  private final PipelineHead head;

  /** Somebody else's, to be looked at; null: they are in the collection. */
  private final @Nullable ColumnBatch there;

  /** Whose columns the rows are, of a table that keeps hash tables over them; null: nobody's. */
  private final @Nullable TableColumns origin;

  private @Nullable SpillableRowCollection collection;

  private JoinRows(
      PlanCompiler compiler,
      PhysicalPlan node,
      PipelineHead head,
      @Nullable ColumnBatch there,
      @Nullable TableColumns origin) {
    this.compiler = compiler;
    this.node = node;
    this.head = head;
    this.there = there;
    this.origin = origin;
  }

  /**
   * Runs a pipeline to its end, unless its rows are there.
   *
   * @param node the join
   */
  static JoinRows of(PlanCompiler compiler, PipelineHead head, PhysicalPlan node) {
    ColumnBatch there = null;
    TableColumns origin = null;
    if (head.bare() instanceof ScanSource scan) {
      origin = scan.origin();
      if (origin != null && origin.table().keepsHashTables()) {
        scan.stay(compiler.resources()::closeLater);
      } else {
        origin = null;
      }
      there = scan.stays() ? scan.borrowed(head.shapes()) : null;
    }
    JoinRows rows = new JoinRows(compiler, node, head, there, origin);
    if (rows.there == null) {
      rows.collection();
    }
    return rows;
  }

  List<ColumnShape> shapes() {
    return head.shapes();
  }

  long rows() {
    return there != null ? there.rows() : collection().rows();
  }

  InputSize size() {
    return there != null ? InputSize.of(there) : InputSize.of(collection());
  }

  /** The rows where they may leave memory from; copied there if they were not. */
  SpillableRowCollection collection() {
    if (collection == null) {
      collection = compiler.collect(head, node);
    }
    return collection;
  }

  /** Whose columns the rows are, of a table that keeps hash tables over them; null: nobody's. */
  @Nullable TableColumns origin() {
    return origin;
  }

  /** Whether the rows that {@link #take} gives are the caller's. */
  boolean owned() {
    return there == null || collection != null;
  }

  /** All rows in one batch without indirection, to be asked for once. */
  ColumnBatch take(ExecContext context) {
    if (there != null && collection == null) {
      head.count(there.rows());
      return there;
    }
    return collection().gather(context);
  }

  /** As {@link #take}, with their words. */
  KeyedRows keyed(ExecContext context, JoinKeyEncoder words) {
    ColumnBatch all = take(context);
    return KeyedRows.of(context, all, words, owned());
  }

  /** Looks at the rows in batches of the device's size, one after the other. */
  void read(ExecContext context, BiConsumer<ExecContext, ColumnBatch> consumer) {
    if (there == null || collection != null) {
      for (int block = 0; block < collection().size(); block++) {
        collection().readInBatches(context, block, consumer);
      }
      return;
    }
    int batchRows = context.device().properties().batchRows();
    for (int from = 0; from < there.rows(); from += batchRows) {
      context.checkCancelled();
      long mark = context.scratch().mark();
      int count = Math.min(batchRows, there.rows() - from);
      consumer.accept(context, Batches.slice(there, from, count));
      context.scratch().release(mark);
    }
  }
}
