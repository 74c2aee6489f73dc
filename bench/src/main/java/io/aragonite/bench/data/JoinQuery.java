package io.aragonite.bench.data;

import io.aragonite.bench.timing.BenchClock;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.execution.QueryExecution;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Joins of tables, by the plans that SQL becomes and the operators that run it. The device keeps
 * the tables' columns from the first run on.
 */
public final class JoinQuery {
  private JoinQuery() {}

  /**
   * A table of rows that a maker makes in host memory.
   *
   * @param host a context of the host
   */
  public static Table table(
      String name,
      ExecContext host,
      int keyBytes,
      List<Integer> payload,
      int count,
      BenchColumns.RowMaker maker) {
    List<Integer> widths = new ArrayList<>(payload);
    widths.addFirst(keyBytes);
    return table(name, BenchColumns.make(host, widths, count, maker));
  }

  /** A table of columns in host memory. */
  public static Table table(String name, List<Column> columns) {
    List<DataType> types = columns.stream().map(column -> column.shape().type()).toList();
    int rows = columns.getFirst().dataRows();
    return new BenchTable(name, types, List.of(new ColumnBatch(columns, rows)));
  }

  /** All columns of a table. */
  public static PhysicalPlan scan(Table table) {
    List<Integer> columns = new ArrayList<>();
    for (int i = 0; i < table.columnTypes().size(); i++) {
      columns.add(i);
    }
    return new PhysicalPlan.Scan(table, columns, table.columnTypes());
  }

  /** The key, the build side's payload and the probe side's; both keys are column 0. */
  public static PhysicalPlan plan(Table build, Table probe, JoinAlgorithm algorithm) {
    int payload = build.columnTypes().size();
    List<Integer> outputs = new ArrayList<>();
    for (int i = 0; i < payload + probe.columnTypes().size(); i++) {
      if (i != payload) {
        outputs.add(i);
      }
    }
    return join(scan(build), 0, scan(probe), 0, algorithm, outputs);
  }

  /**
   * An inner join on one key, whose left side is built.
   *
   * @param outputs columns of the build side and then the probe side that are wanted
   */
  public static PhysicalPlan join(
      PhysicalPlan build,
      int buildKey,
      PhysicalPlan probe,
      int probeKey,
      JoinAlgorithm algorithm,
      List<Integer> outputs) {
    List<DataType> types = new ArrayList<>(build.types());
    types.addAll(probe.types());
    PhysicalPlan join =
        new PhysicalPlan.Join(
            build,
            probe,
            JoinType.INNER,
            List.of(new PhysicalPlan.JoinKey(buildKey, probeKey, false)),
            null,
            algorithm,
            true,
            types);
    List<Expr> wanted = new ArrayList<>();
    outputs.forEach(i -> wanted.add(Expr.ref(i, types.get(i))));
    return new PhysicalPlan.Project(join, wanted);
  }

  /**
   * Runs a plan.
   *
   * @param out gets the output when the time is over
   * @return milliseconds, from the tables to the output columns
   */
  public static double run(
      QueryExecution query, PhysicalPlan plan, BenchClock clock, Consumer<ColumnBatch> out) {
    double start = clock.nanos();
    SpillableRowCollection rows = query.collect(plan);
    query.work(context -> {
      context.device().transfers().await(context);
      return rows;
    });
    double millis = (clock.nanos() - start) / 1e6;
    query.work(context -> {
      for (int block = 0; block < rows.size(); block++) {
        rows.readInBatches(context, block, (worker, batch) -> out.accept(batch));
      }
      return rows;
    });
    return millis;
  }
}
