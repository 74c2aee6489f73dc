package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.CompiledTableAggregation;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.SumTable;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts and sums by packed words that address a table: one visit a row and sum, where a table of
 * words is visited first to learn where a group's sums are. Visits do not wait for each other, so
 * that their cache misses overlap.
 */
final class CpuTableAggregation implements CompiledTableAggregation {
  /** Entries between two looks at whether the query was cancelled. */
  private static final int PIECE = 1 << 16;

  /** A row's word, then what is summed. */
  private final CompiledProjection projection;

  private final int sums;

  private CpuTableAggregation(CompiledProjection projection, int sums) {
    this.projection = projection;
    this.sums = sums;
  }

  static CpuTableAggregation of(
      ExpressionCompiler compiler, Expr.KeyWord group, List<Expr> sums, List<ColumnShape> inputs) {
    List<Expr> expressions = new ArrayList<>();
    expressions.add(group);
    expressions.addAll(sums);
    return new CpuTableAggregation(compiler.projection(expressions, inputs), sums.size());
  }

  @Override
  public boolean add(ExecContext context, ColumnBatch batch, SumTable totals) {
    int count = batch.rows();
    if (count == 0) {
      return true;
    }
    ColumnBatch rows = projection.evaluate(context, batch);
    long words = longs(context, rows.column(0), count);
    long[] values = new long[sums];
    int bits = 0;
    for (int i = 0; i < sums; i++) {
      Column column = rows.column(i + 1);
      if (!column.shape().storage().isInteger()) {
        return false;
      }
      values[i] = longs(context, column, count);
      bits = Math.max(bits, bits(column.shape(), values[i], count));
    }
    if (!totals.reserve(count, bits)) {
      return false;
    }
    count(words, count, totals.counts().address());
    for (int i = 0; i < sums; i++) {
      sum(words, values[i], count, totals.sums(i).address());
    }
    return true;
  }

  @Override
  public boolean tablePerWorker() {
    return true;
  }

  private static long longs(ExecContext context, Column column, int count) {
    long ids = column.rowIds() == null ? 0 : column.rowIds().ids().address();
    return new AccumulatorRows(count, ids, 0).longs(context, column);
  }

  /** Bits of the values without their sign. */
  private static int bits(ColumnShape shape, long values, int count) {
    return Long.SIZE - Long.numberOfLeadingZeros(CpuFolds.magnitude(shape, values, count));
  }

  private static void count(long words, int count, long table) {
    for (int i = 0; i < count; i++) {
      long place = table + 4 * Mem.getLong(words + 8L * i);
      Mem.putInt(place, Mem.getInt(place) + 1);
    }
  }

  private static void sum(long words, long values, int count, long table) {
    for (int i = 0; i < count; i++) {
      long place = table + 8 * Mem.getLong(words + 8L * i);
      Mem.putLong(place, Mem.getLong(place) + Mem.getLong(values + 8L * i));
    }
  }

  /** See {@link io.aragonite.exec.device.AggregateOps#addSums}. */
  static void addSums(ExecContext context, SumTable table, SumTable to, int first, int end) {
    for (int from = first; from < end; from += PIECE) {
      context.checkCancelled();
      int until = Math.min(end, from + PIECE);
      addCounts(table.counts().address(), to.counts().address(), from, until);
      for (int i = 0; i < to.sums(); i++) {
        add(table.sums(i).address(), to.sums(i).address(), from, until);
      }
    }
  }

  /** An entry's count is less by one than its rows. */
  private static void addCounts(long from, long to, int first, int end) {
    for (int i = first; i < end; i++) {
      long place = to + 4L * i;
      Mem.putInt(place, Mem.getInt(place) + Mem.getInt(from + 4L * i) + 1);
    }
  }

  private static void add(long from, long to, int first, int end) {
    for (int i = first; i < end; i++) {
      long place = to + 8L * i;
      Mem.putLong(place, Mem.getLong(place) + Mem.getLong(from + 8L * i));
    }
  }
}
