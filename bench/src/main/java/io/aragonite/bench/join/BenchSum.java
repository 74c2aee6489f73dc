package io.aragonite.bench.join;

import io.aragonite.bench.data.BenchColumns;

import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.execution.QueryExecution;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.util.ArrayList;
import java.util.List;

/**
 * What the output of every run must have in common with that of the first one, which is checked row
 * by row: the number of rows, and the sum of a hash over the key and payload of each, found on the
 * device.
 */
final class BenchSum {
  private static final DataType TOTAL = DataType.decimal(DataType.MAX_DECIMAL_PRECISION, 0, true);

  private final QueryExecution own;
  private long rows;
  private long low;
  private long high;

  /**
   * @param own lends memory, so that the join's own is not counted with it
   */
  BenchSum(QueryExecution own) {
    this.own = own;
  }

  /** Takes in a piece of the output, which is there. */
  void add(ColumnBatch batch) {
    rows += batch.rows();
    if (batch.rows() > 0) {
      own.work(context -> {
        add(context, batch);
        return batch;
      });
    }
  }

  private void add(ExecContext context, ColumnBatch batch) {
    List<Expr> values = new ArrayList<>();
    for (int c = 0; c < batch.columns().size(); c++) {
      values.add(Expr.ref(c, batch.column(c).shape().type()));
    }
    Expr word = new Expr.KeyWord(values, KeyLayout.HASHED);
    CompiledProjection hashes =
        context.device().expressions().projection(List.of(word), batch.shapes());
    ColumnShape shape = hashes.shapes().getFirst();
    try (Accumulator sum =
        context.aggregate().newAccumulator(context, AggregateFunction.SUM, shape, TOTAL, context.memory())) {
      for (int from = 0; from < batch.rows(); from += BenchColumns.PIECE) {
        long mark = context.scratch().mark();
        int some = Math.min(BenchColumns.PIECE, batch.rows() - from);
        Column piece = hashes.evaluate(context, Batches.slice(batch, from, some)).column(0);
        sum.update(context, piece, null, null, some, 1);
        context.scratch().release(mark);
      }
      long mark = context.scratch().mark();
      Column total = sum.finish(context, 1, context.scratch());
      long more = context.device().transfers().readLong(context, total.values(), 0);
      // A total that fits a word comes as one.
      high +=
          total.shape().storage() == Storage.LONG
              ? more >> 63
              : context.device().transfers().readLong(context, total.values(), 8);
      low += more;
      if (Long.compareUnsigned(low, more) < 0) {
        high++;
      }
      context.scratch().release(mark);
    }
  }

  boolean agrees(BenchSum other) {
    return rows == other.rows && low == other.low && high == other.high;
  }

  long rows() {
    return rows;
  }
}
