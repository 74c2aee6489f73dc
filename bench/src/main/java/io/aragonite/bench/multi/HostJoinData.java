package io.aragonite.bench.multi;

import io.aragonite.bench.data.BenchColumns;
import io.aragonite.bench.data.BenchTable;
import io.aragonite.bench.data.Zipf;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * Two tables in host memory, each of a key and a payload column of one width: R of n different keys,
 * spread over all integers of their width, S of n keys of R. A payload follows from its key, so that
 * a query over the join tells whether each pair belongs together.
 */
final class HostJoinData implements AutoCloseable {
  /** What payloads of a key differ by. */
  private static final int GAP = 11;

  /** Rows that one task writes. */
  private static final long TASK = 1 << 20;

  private final QueryMemory memory;
  private final List<Buffer> buffers = new ArrayList<>();
  private final int width;
  private final long rows;
  private final boolean sorted;

  /** The sum of S's payload. */
  private final long sum;

  /**
   * @param log2 2 to this power are the rows of each side
   * @param width of keys and payload: 4 or 8 bytes
   * @param zipf how uneven the keys of S are; 0: not at all; infinite: one key only
   * @param sorted whether both sides lie in the order of their keys, and S has each key once
   */
  HostJoinData(QueryMemory memory, int log2, int width, double zipf, boolean sorted) {
    this.memory = memory;
    this.width = width;
    this.rows = 1L << log2;
    this.sorted = sorted;
    for (int i = 0; i < 4; i++) {
      buffers.add(memory.allocate(width * rows));
    }
    long mask = rows - 1;
    if (sorted) {
      fill(0, this::evenKey, 0);
      this.sum = fill(2, this::evenKey, GAP);
    } else {
      LongUnaryOperator row = rowsOf(zipf);
      fill(0, i -> key(i * 0x9E3779B1L & mask), 0);
      this.sum = fill(2, i -> key(row.applyAsLong(i)), GAP);
    }
  }

  private LongUnaryOperator rowsOf(double zipf) {
    long mask = rows - 1;
    if (zipf == 0) {
      return i -> BenchColumns.mix(i) & mask;
    }
    if (Double.isInfinite(zipf)) {
      return i -> rows / 3;
    }
    Zipf ranks = new Zipf((int) rows, zipf);
    return i -> (long) (ranks.rank(BenchColumns.mix(i)) - 1) * 0x9E3779B1L & mask;
  }

  /** A permutation of the numbers of 32 or 64 bits. */
  private long key(long row) {
    return width == 4 ? (int) (row * 0x85EBCA6BL) : row * 0x9E3779B97F4A7C15L;
  }

  /** Keys that ascend with their rows, over all integers of their width. */
  private long evenKey(long row) {
    int bits = 8 * width - Long.numberOfTrailingZeros(rows);
    return (row << bits) + (width == 4 ? Integer.MIN_VALUE : Long.MIN_VALUE);
  }

  /** Between 0 and 2^24. */
  private static long payload(long key) {
    return BenchColumns.mix(key) & 0xFFFFFF;
  }

  /**
   * Writes the columns of a side.
   *
   * @return the sum of the payload
   */
  private long fill(int first, LongUnaryOperator key, int gap) {
    long keys = buffers.get(first).address();
    long payloads = buffers.get(first + 1).address();
    return LongStream.range(0, (rows + TASK - 1) / TASK)
        .parallel()
        .map(task -> {
          long total = 0;
          for (long i = task * TASK; i < Math.min(rows, (task + 1) * TASK); i++) {
            long value = key.applyAsLong(i);
            long payload = payload(value) + gap;
            put(keys + width * i, value);
            put(payloads + width * i, payload);
            total += payload;
          }
          return total;
        })
        .sum();
  }

  private void put(long address, long value) {
    if (width == 4) {
      Mem.putInt(address, (int) value);
    } else {
      Mem.putLong(address, value);
    }
  }

  long rows() {
    return rows;
  }

  /** Bytes of both sides. */
  long bytes() {
    return 4 * width * rows;
  }

  List<Buffer> buffers() {
    return buffers;
  }

  private DataType type() {
    return width == 4 ? DataType.INT32 : DataType.INT64;
  }

  /** A table that no device has seen. */
  private Table table(String name, int first) {
    List<Column> columns = new ArrayList<>();
    for (int i = first; i < first + 2; i++) {
      columns.add(
          new Column(
              ColumnShape.of(type()), (int) rows, buffers.get(i), Buffer.EMPTY, null, null));
    }
    ColumnBatch all = new ColumnBatch(columns, (int) rows);
    return new BenchTable(name, List.of(type(), type()), List.of(all), null, sorted);
  }

  /**
   * A query over the join of tables that no device has seen: how many pairs, the least and the
   * greatest difference of their payloads, and the sum of S's.
   */
  PhysicalPlan query(JoinAlgorithm algorithm) {
    List<DataType> types = List.of(type(), type(), type(), type());
    PhysicalPlan join =
        new PhysicalPlan.Join(
            new PhysicalPlan.Scan(table("r", 0), List.of(0, 1), List.of(type(), type())),
            new PhysicalPlan.Scan(table("s", 2), List.of(0, 1), List.of(type(), type())),
            JoinType.INNER,
            List.of(new PhysicalPlan.JoinKey(0, 0, false)),
            null,
            algorithm,
            true,
            types);
    Expr difference = Expr.call(Op.MINUS, DataType.INT64, wide(3), wide(1));
    PhysicalPlan terms = new PhysicalPlan.Project(join, List.of(difference, wide(3)));
    DataType result = DataType.INT64.withNullable(true);
    return new PhysicalPlan.Aggregate(
        terms,
        List.of(),
        List.of(List.of()),
        List.of(
            AggregateCall.of(AggregateFunction.COUNT, DataType.INT64),
            AggregateCall.of(AggregateFunction.MIN, result, 0),
            AggregateCall.of(AggregateFunction.MAX, result, 0),
            AggregateCall.of(AggregateFunction.SUM, result, 1)),
        false,
        List.of(DataType.INT64, result, result, result));
  }

  private Expr wide(int column) {
    Expr ref = Expr.ref(column, type());
    return width == 8 ? ref : Expr.call(Op.CAST, DataType.INT64, ref);
  }

  /** What {@link #query} must answer. */
  List<Long> expected() {
    return List.of(rows, (long) GAP, (long) GAP, sum);
  }

  @Override
  public void close() {
    buffers.forEach(memory::free);
  }
}
