package io.aragonite.bench.join;

import io.aragonite.bench.data.JoinQuery;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.table.Table;
import org.jspecify.annotations.Nullable;
import io.aragonite.bench.data.BenchColumns;

import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Rows of real tables, shuffled as in Wu24 (section 5.3), and what their
 * join must be.
 */
final class ShuffledTables implements BenchWork {
  private final LongAdder rows = new LongAdder();
  private final LongAdder hash = new LongAdder();
  private final Table build;
  private final Table probe;

  /**
   * Makes the tables; they live in the context's host memory.
   *
   * @param config has the widths of the columns
   */
  ShuffledTables(JoinCase config, JoinTables tables, ExecContext context) {
    JoinTables.Partners partners = tables.partners();
    build =
        JoinQuery.table(
            "r",
            context.onHost(),
            config.keyBytes(),
            config.buildPayload(),
            tables.build().getFirst().length,
            (i, row) -> row(tables.build(), i, row));
    List<long[]> columns = tables.build();
    probe =
        JoinQuery.table(
            "s",
            context.onHost(),
            config.keyBytes(),
            config.probePayload(),
            tables.probe().getFirst().length,
            (i, row) -> {
              row(tables.probe(), i, row);
              int first = partners.starts()[(int) row[0]];
              int copies = partners.of(row[0]);
              long sum = 0;
              for (int copy = 0; copy < copies; copy++) {
                int partner = partners.rows()[first + copy];
                long h = JoinData.fold(0, row[0]);
                for (int c = 1; c < columns.size(); c++) {
                  h = JoinData.fold(h, value(columns.get(c)[partner], config.buildPayload(), c));
                }
                for (int c = 1; c < tables.probe().size(); c++) {
                  h = JoinData.fold(h, value(row[c], config.probePayload(), c));
                }
                sum += h;
              }
              hash.add(sum);
              rows.add(copies);
            });
  }

  /** A value as column c has it. */
  private static long value(long value, List<Integer> payload, int c) {
    return payload.get(c - 1) == Integer.BYTES ? (int) value : value;
  }

  /** Fills in row {@code i} of the shuffled rows. */
  private static void row(List<long[]> columns, int i, long[] row) {
    int rows = columns.getFirst().length;
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(rows - 1);
    int from = JoinData.permute(i, bits, rows);
    for (int c = 0; c < row.length; c++) {
      row[c] = columns.get(c)[from];
    }
  }

  @Override
  public PhysicalPlan plan(JoinAlgorithm algorithm) {
    return JoinQuery.plan(build, probe, algorithm);
  }

  @Override
  public BenchCheck newCheck() {
    return new BenchCheck(rows.sum(), hash.sum());
  }
}
