package io.aragonite.exec.bench;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.join.BatchJoin;
import io.aragonite.exec.join.BatchJoin.Algorithm;
import io.aragonite.exec.join.BatchJoin.Phase;
import io.aragonite.exec.join.BatchJoin.Side;
import io.aragonite.exec.memory.Buffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Rows of real tables in the device's memory, shuffled as in Wu24 (section 5.3), and what their
 * join must be.
 */
final class TableData implements BenchWork {
  private final JoinTables tables;
  private final LongAdder hash = new LongAdder();
  private final Side build;
  private final Side probe;

  /**
   * Makes the data; it lives in the context's memory.
   *
   * @param config has the widths of the columns
   */
  TableData(JoinCase config, JoinTables tables, ExecContext context) {
    this.tables = tables;
    long[] keys = tables.build().getFirst();
    int[] rowOf = new int[(int) Arrays.stream(keys).max().orElse(0) + 1];
    for (int row = 0; row < keys.length; row++) {
      rowOf[(int) keys[row]] = row;
    }
    build =
        BenchColumns.side(
            context,
            config.keyBytes(),
            config.buildPayload(),
            tables.build().getFirst().length,
            (i, row) -> row(tables.build(), i, row));
    List<long[]> partners = tables.build();
    probe =
        BenchColumns.side(
            context,
            config.keyBytes(),
            config.probePayload(),
            tables.probe().getFirst().length,
            (i, row) -> {
              int mine = row(tables.probe(), i, row);
              int partner = rowOf[(int) row[0]];
              long h = JoinData.fold(0, row[0]);
              for (int c = 1; c < partners.size(); c++) {
                h = JoinData.fold(h, partners.get(c)[partner]);
              }
              for (int c = 1; c < tables.probe().size(); c++) {
                h = JoinData.fold(h, tables.probe().get(c)[mine]);
              }
              hash.add(h);
            });
  }

  /** Fills in row {@code i} of the shuffled rows; returns which one it is of the table's. */
  private static int row(List<long[]> columns, int i, long[] row) {
    int rows = columns.getFirst().length;
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(rows - 1);
    int from = JoinData.permute(i, bits, rows);
    for (int c = 0; c < row.length; c++) {
      row[c] = columns.get(c)[from];
    }
    return from;
  }

  @Override
  public void join(
      ExecContext context, Algorithm algorithm, Consumer<Phase> clock, Consumer<ColumnBatch> out) {
    new BatchJoin(context, clock, out).run(algorithm, build, probe);
  }

  @Override
  public List<Side> sides() {
    return List.of(build, probe);
  }

  @Override
  public BenchCheck newCheck() {
    return new BenchCheck(tables.probeRows(), hash.sum());
  }

  @Override
  public Buffer last() {
    return probe.key().values();
  }
}
