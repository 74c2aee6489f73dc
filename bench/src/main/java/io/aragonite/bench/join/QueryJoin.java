package io.aragonite.bench.join;

import io.aragonite.bench.data.HostTable;

import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.operator.join.BatchJoin.Algorithm;
import io.aragonite.exec.operator.join.BatchJoin.Side;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.execution.QueryExecution;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The same join of the same rows as a query has it: over tables that the device keeps, by the plan
 * that SQL becomes, its result left in the device's memory.
 */
final class QueryJoin {
  private final Table build;
  private final Table probe;

  /** Copies both sides to tables in the context's host memory. */
  QueryJoin(ExecContext context, Side build, Side probe) {
    this.build = table(context, "r", build);
    this.probe = table(context, "s", probe);
  }

  private static Table table(ExecContext context, String name, Side side) {
    List<Column> columns = new ArrayList<>();
    List<DataType> types = new ArrayList<>();
    List<Column> all = new ArrayList<>(side.payload());
    all.addFirst(side.key());
    for (Column column : all) {
      long bytes = (long) column.shape().storage().width() * column.dataRows();
      Buffer copy = context.hostMemory().allocate(bytes);
      context.device().transfers().toHost(context, column.values(), copy.address(), bytes);
      columns.add(new Column(column.shape(), column.dataRows(), copy, Buffer.EMPTY, null, null));
      types.add(column.shape().type());
    }
    ColumnBatch rows = new ColumnBatch(columns, side.key().dataRows());
    return new HostTable(name, types, List.of(rows));
  }

  private static PhysicalPlan scan(Table table) {
    List<Integer> columns = new ArrayList<>();
    for (int i = 0; i < table.columnTypes().size(); i++) {
      columns.add(i);
    }
    return new PhysicalPlan.Scan(table, columns, table.columnTypes());
  }

  private static JoinAlgorithm planned(Algorithm algorithm) {
    return switch (algorithm) {
      case NPHJ -> JoinAlgorithm.NON_PARTITIONED_HASH;
      case PHJ -> JoinAlgorithm.PARTITIONED_HASH;
      case PHJ_UM -> JoinAlgorithm.PARTITIONED_HASH_UM;
      case SMJ -> JoinAlgorithm.SORT_MERGE;
    };
  }

  /**
   * Joins.
   *
   * @param out gets the output when the time is over: the key, R's payload, S's
   * @return milliseconds, from the tables to the output columns
   */
  double run(QueryExecution query, Algorithm algorithm, Consumer<ColumnBatch> out) {
    List<DataType> types = new ArrayList<>(build.columnTypes());
    types.addAll(probe.columnTypes());
    PhysicalPlan plan =
        new PhysicalPlan.Join(
            scan(build),
            scan(probe),
            JoinType.INNER,
            List.of(new PhysicalPlan.JoinKey(0, 0, false)),
            null,
            planned(algorithm),
            true,
            types);
    long start = System.nanoTime();
    SpillableRowCollection rows = query.collect(plan);
    double millis = (System.nanoTime() - start) / 1e6;
    int second = build.columnTypes().size();
    query.work(context -> {
      for (int block = 0; block < rows.size(); block++) {
        rows.readInBatches(
            context,
            block,
            (worker, batch) -> {
              List<Column> columns = new ArrayList<>(batch.columns());
              columns.remove(second);
              out.accept(new ColumnBatch(columns, batch.rows()));
            });
      }
      return rows;
    });
    return millis;
  }
}
