package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.operator.FilterOperator;
import io.aragonite.exec.operator.ProjectOperator;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The rows that code of a device adds up, and the filter and the projection behind them that are
 * part of that code.
 *
 * @param filter leaves some of them out; null: it is done already
 * @param project makes of them the rows that are to be grouped; null: they are these rows
 * @param passed is told how many rows would have come out of both
 */
record KernelInput(
    PipelineHead head,
    @Nullable FilterOperator filter,
    @Nullable ProjectOperator project,
    LongConsumer passed) {
  /**
   * Rows that a filter must be expected to keep to be part of the code, which reads all columns of
   * all rows: at a quarter of the rows, nine tenths of the sectors of a column of four bytes have
   * one that is kept.
   */
  private static final double LEAST_SHARE = 0.25;

  /**
   * What is made of some rows with a filter as part of the code, or else without it; null if it is
   * null both times.
   *
   * @param grouped the rows to be grouped
   */
  static <T> @Nullable T tried(PipelineHead grouped, Function<KernelInput, @Nullable T> make) {
    KernelInput input = of(grouped, true);
    T made = make.apply(input);
    return made == null && input.filter() != null ? make.apply(of(grouped, false)) : made;
  }

  /**
   * @param withFilter whether a filter is to be part of it
   */
  private static KernelInput of(PipelineHead grouped, boolean withFilter) {
    KernelInput input = new KernelInput(grouped, null, null, rows -> {});
    PipelineHead.LastOperator last = grouped.last();
    if (last != null && last.operator() instanceof ProjectOperator project) {
      PipelineHead head = grouped.before(last, project.inputs());
      input = new KernelInput(head, null, project, last.passed());
    }
    last = input.head.last();
    return withFilter
            && last != null
            && last.operator() instanceof FilterOperator filter
            && filter.share() >= LEAST_SHARE
        ? new KernelInput(
            input.head.before(last, filter.shapes()),
            filter,
            input.project,
            input.passed.andThen(last.passed()))
        : input;
  }

  @Nullable Expr predicate() {
    return filter == null ? null : filter.predicate();
  }

  /** Takes in rows of {@link #head} that are to be grouped by {@code grouping}. */
  BatchConsumer before(ExecContext context, BatchConsumer grouping) {
    BatchConsumer projecting = project == null ? grouping : project.newWorker(context, grouping);
    BatchConsumer counting =
        new BatchConsumer() {
          @Override
          public void accept(ColumnBatch batch) {
            passed.accept(batch.rows());
            projecting.accept(batch);
          }

          @Override
          public void finish() {
            projecting.finish();
          }
        };
    return filter == null ? counting : filter.newWorker(context, counting);
  }

  /** What a column of the rows that are to be grouped is made of. */
  Expr value(AggregateSpec spec, int column) {
    return project == null
        ? Expr.ref(column, spec.inputs.get(column).type())
        : project.expressions().get(column);
  }

  /** The packed keys of a grouping set, of columns as they come; null if a key is computed. */
  Expr.@Nullable KeyWord group(AggregateSpec spec, int set, KeyLayout layout) {
    List<Expr> columns = new ArrayList<>();
    for (int column : spec.keyColumns(set)) {
      Expr key = value(spec, column);
      if (!(key instanceof Expr.InputRef ref) || !isSameColumn(spec, column, ref)) {
        return null;
      }
      columns.add(key);
    }
    return new Expr.KeyWord(columns, layout);
  }

  /** Whether a key is a column as it comes. */
  private boolean isSameColumn(AggregateSpec spec, int column, Expr.InputRef ref) {
    ColumnShape key = spec.inputs.get(column);
    return head.shapes().get(ref.index()).withType(key.type()).equals(key)
        && (key.storage().isInteger() || key.storage().isCode());
  }
}
