package io.aragonite.bench.join;

import io.aragonite.bench.data.JoinQuery;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.table.Table;
import org.jspecify.annotations.Nullable;
import io.aragonite.bench.data.BenchColumns;

import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * A table with foreign keys into several others, joined with one after the other (Wu24, section
 * 5.2.7): the number of the table's row and its foreign keys travel along with the columns found so
 * far. All rows have a partner in each table.
 */
final class SequenceData implements BenchWork {
  private final JoinCase config;
  private final List<Table> tables = new ArrayList<>();
  private final Table fact;
  private final LongAdder hash = new LongAdder();

  /** Makes the tables; they live in the context's host memory. */
  SequenceData(JoinCase config, ExecContext context) {
    this.config = config;
    List<Integer> widths = List.of(config.keyBytes(), 4);
    for (int t = 0; t < config.joins(); t++) {
      int table = t;
      List<Column> columns =
          BenchColumns.make(
              context.onHost(),
              widths,
              config.buildRows(),
              (i, row) -> {
                row[0] = config.buildRows() - 1L - i;
                row[1] = payload((int) row[0], table);
              });
      tables.add(JoinQuery.table("r" + t, columns));
    }
    List<Integer> factWidths = new ArrayList<>(List.of(4));
    factWidths.addAll(Collections.nCopies(config.joins(), config.keyBytes()));
    fact =
        JoinQuery.table(
            "s",
            BenchColumns.make(
                context.onHost(), factWidths, config.probeRows(), this::factRow));
  }

  private static int payload(int key, int table) {
    return (int) BenchColumns.mix(key * 8L + table);
  }

  private void factRow(int i, long[] row) {
    row[0] = i;
    long h = JoinData.fold(0, i);
    for (int t = 0; t < config.joins(); t++) {
      row[1 + t] = Long.remainderUnsigned(BenchColumns.mix(i * 8L + t ^ 0xFACEL), config.buildRows());
      h = JoinData.fold(h, payload((int) row[1 + t], t));
    }
    hash.add(h);
  }

  /** The row's number, and a column of each table: what is not needed any more is left behind. */
  @Override
  public PhysicalPlan plan(JoinAlgorithm algorithm) {
    PhysicalPlan rows = JoinQuery.scan(fact);
    int joins = tables.size();
    for (int t = 0; t < joins; t++) {
      // Of the probe side: the number, foreign keys t and on, the columns found so far.
      int keys = joins - t;
      List<Integer> outputs = new ArrayList<>();
      outputs.add(2);
      for (int i = 1; i < keys + t; i++) {
        outputs.add(2 + 1 + i);
      }
      outputs.add(1);
      rows = JoinQuery.join(JoinQuery.scan(tables.get(t)), 0, rows, 1, algorithm, outputs);
    }
    return rows;
  }

  @Override
  public BenchCheck newCheck() {
    return new BenchCheck(config.probeRows(), hash.sum());
  }
}
