package io.aragonite.bench.multi;

import io.aragonite.bench.data.BenchColumns;
import io.aragonite.bench.data.BenchTable;
import io.aragonite.bench.join.JoinData;
import io.aragonite.bench.data.Zipf;

import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ValueRange;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * R and S in host memory, of 4-byte columns, for joins on several devices: R has the keys 0 to n -
 * 1 mixed, key + 7 and 3 - key; S has n keys of R, key + 11 and the row's number. So every joined
 * row shows that its columns belong together.
 */
final class MultiData {
  private static final List<Integer> WIDTHS = List.of(4, 4, 4);
  private static final List<DataType> TYPES =
      List.of(DataType.INT32, DataType.INT32, DataType.INT32);
  private static final int PIECE = 1 << 26;

  private final long rows;
  private final Table left;
  private final Table right;

  /**
   * Makes the data, which lives in the context's memory.
   *
   * @param host a context over host memory
   * @param zipf how uneven the keys of S are; 0: not at all; infinite: one key only
   */
  MultiData(ExecContext host, long rows, double zipf) {
    this.rows = rows;
    Zipf ranks = new Zipf((int) rows, zipf > 0 && Double.isFinite(zipf) ? zipf : 1);
    LongUnaryOperator key =
        zipf == 0
            ? i -> Long.remainderUnsigned(BenchColumns.mix(i), rows)
            : Double.isInfinite(zipf) ? i -> rows / 3 : i -> mixed(ranks.rank(BenchColumns.mix(i)) - 1);
    left =
        new BenchTable(
            "r",
            TYPES,
            chunks(
                host,
                (i, row) -> {
                  row[0] = mixed(i);
                  row[1] = row[0] + 7;
                  row[2] = 3 - row[0];
                }),
            new ValueRange(0, rows - 1),
            false);
    right =
        new BenchTable(
            "s",
            TYPES,
            chunks(
                host,
                (i, row) -> {
                  row[0] = key.applyAsLong(i);
                  row[1] = row[0] + 11;
                  row[2] = i;
                }),
            new ValueRange(0, rows - 1),
            false);
  }

  /** A permutation of 0 to rows - 1: by an odd factor and an offset, walked until it is inside. */
  private long mixed(long i) {
    int bits = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(rows - 1));
    long mask = (1L << bits) - 1;
    long x = i;
    do {
      x = (x * 0x9E3779B97F4A7C15L + 12345) & mask;
      x ^= x >>> (bits + 1) / 2;
    } while (x >= rows);
    return x;
  }

  /** Writes row {@code i}. */
  private interface RowMaker {
    void make(long i, long[] row);
  }

  private List<ColumnBatch> chunks(ExecContext host, RowMaker maker) {
    List<ColumnBatch> chunks = new ArrayList<>();
    for (long from = 0; from < rows; from += PIECE) {
      long start = from;
      int some = (int) Math.min(PIECE, rows - from);
      List<Column> columns =
          BenchColumns.make(host, WIDTHS, some, (i, row) -> maker.make(start + i, row));
      chunks.add(new ColumnBatch(columns, some));
    }
    return chunks;
  }

  private static PhysicalPlan scan(Table table) {
    return new PhysicalPlan.Scan(table, List.of(0, 1, 2), table.columnTypes());
  }

  /** Bytes of both sides. */
  long bytes() {
    return 2 * 12 * rows;
  }

  /** The wide join of both. */
  PhysicalPlan.Join join(JoinAlgorithm algorithm) {
    List<DataType> types = new ArrayList<>(left.columnTypes());
    types.addAll(right.columnTypes());
    return new PhysicalPlan.Join(
        scan(left),
        scan(right),
        JoinType.INNER,
        List.of(new PhysicalPlan.JoinKey(0, 0, false)),
        null,
        algorithm,
        true,
        types);
  }

  /** What {@link #expected} must come out of: one row over the join. */
  PhysicalPlan check(JoinAlgorithm algorithm) {
    Expr near = sum(Op.MINUS, 1, 4);
    Expr far = sum(Op.PLUS, 2, 4);
    Expr number = wide(5);
    PhysicalPlan terms = new PhysicalPlan.Project(join(algorithm), List.of(near, far, number));
    DataType result = DataType.INT64.withNullable(true);
    return new PhysicalPlan.Aggregate(
        terms,
        List.of(),
        List.of(List.of()),
        List.of(
            AggregateCall.of(AggregateFunction.COUNT, DataType.INT64),
            AggregateCall.of(AggregateFunction.MIN, result, 0),
            AggregateCall.of(AggregateFunction.MAX, result, 0),
            AggregateCall.of(AggregateFunction.MIN, result, 1),
            AggregateCall.of(AggregateFunction.MAX, result, 1),
            AggregateCall.of(AggregateFunction.SUM, result, 2)),
        false,
        List.of(DataType.INT64, result, result, result, result, result));
  }

  List<Long> expected() {
    return List.of(rows, -4L, -4L, 14L, 14L, rows * (rows - 1) / 2);
  }

  private static Expr wide(int column) {
    return Expr.call(Op.CAST, DataType.INT64, Expr.ref(column, DataType.INT32));
  }

  private static Expr sum(Op op, int a, int b) {
    return Expr.call(op, DataType.INT64, wide(a), wide(b));
  }
}
