package io.aragonite.bench.join;

import io.aragonite.bench.data.BenchColumns;

import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.operator.join.BatchJoin;
import io.aragonite.exec.operator.join.BatchJoin.Algorithm;
import io.aragonite.exec.operator.join.BatchJoin.Phase;
import io.aragonite.exec.operator.join.BatchJoin.Side;
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
 * 5.2.7): row ids of the table travel along with the columns found so far, and a foreign key is
 * fetched by them right before its join. All rows have a partner in each table.
 */
final class SequenceData implements BenchWork {
  private final JoinCase config;
  private final List<Column> foreignKeys;
  private final List<Side> tables = new ArrayList<>();
  private final LongAdder hash = new LongAdder();

  /** Makes the data; it lives in the context's memory. */
  SequenceData(JoinCase config, ExecContext context) {
    this.config = config;
    List<Integer> widths = List.of(config.keyBytes(), 4);
    for (int t = 0; t < config.joins(); t++) {
      int table = t;
      List<Column> columns =
          BenchColumns.make(
              context,
              widths,
              config.buildRows(),
              (i, row) -> {
                row[0] = config.buildRows() - 1L - i;
                row[1] = payload((int) row[0], table);
              });
      tables.add(new Side(columns.get(0), columns.subList(1, 2)));
    }
    foreignKeys =
        BenchColumns.make(
            context,
            Collections.nCopies(config.joins(), config.keyBytes()),
            config.probeRows(),
            this::foreignKeys);
  }

  private static int payload(int key, int table) {
    return (int) BenchColumns.mix(key * 8L + table);
  }

  private void foreignKeys(int i, long[] row) {
    long h = JoinData.fold(0, i);
    for (int t = 0; t < row.length; t++) {
      row[t] = Long.remainderUnsigned(BenchColumns.mix(i * 8L + t ^ 0xFACEL), config.buildRows());
      h = JoinData.fold(h, payload((int) row[t], t));
    }
    hash.add(h);
  }

  @Override
  public void join(
      ExecContext context, Algorithm algorithm, Consumer<Phase> clock, Consumer<ColumnBatch> out) {
    QueryMemory memory = context.memory();
    int rows = config.probeRows();
    clock.accept(Phase.MATERIALIZE);
    ColumnShape number = ColumnShape.of(DataType.INT32);
    Buffer ids = memory.allocate(4L * rows);
    context.scan().iota(context, ids, 0, rows);
    List<Column> travelling = new ArrayList<>();
    travelling.add(new Column(number, rows, ids, Buffer.EMPTY, null, null));
    for (int t = 0; t < config.joins(); t++) {
      clock.accept(Phase.MATERIALIZE);
      RowIds from = new RowIds(travelling.getFirst().values(), rows, false);
      Column key = foreignKeys.get(t);
      Column fetched = t == 0 ? key : context.gather().materialize(context, key.withRowIds(from), memory);
      List<Column> before = travelling;
      List<Column> after = new ArrayList<>();
      Consumer<ColumnBatch> keep =
          piece -> {
            // The key has done its work; R's column comes behind those of the tables before.
            for (int c = 2; c < piece.columns().size(); c++) {
              after.add(context.gather().materialize(context, piece.column(c), memory));
            }
            after.add(context.gather().materialize(context, piece.column(1), memory));
          };
      new BatchJoin(context, clock, keep).run(algorithm, tables.get(t), new Side(fetched, before));
      before.forEach(column -> memory.free(column.values()));
      if (t > 0) {
        memory.free(fetched.values());
      }
      travelling = after;
    }
    clock.accept(Phase.OUTSIDE);
    out.accept(new ColumnBatch(travelling, rows));
    travelling.forEach(column -> memory.free(column.values()));
  }

  @Override
  public BenchCheck newCheck() {
    return new BenchCheck(config.probeRows(), hash.sum());
  }

  @Override
  public Buffer last() {
    return foreignKeys.getLast().values();
  }
}
