package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a row has a match, where a condition decides beside the keys: rows are numbered and joined
 * with all their matches, and the rows with one number are one again.
 */
final class ExistenceRows {
  private static final DataType MARK = DataType.BOOLEAN.withNullable(true);
  private ExistenceRows() {}

  /** The rows with a number each behind their columns. */
  static PhysicalPlan numbered(PhysicalPlan rows) {
    WindowCall number =
        new WindowCall(
            WindowCall.Function.ROW_NUMBER, null, List.of(), false, DataType.INT64);
    return new PhysicalPlan.Window(rows, List.of(), List.of(), SparkWindows.RANKS, List.of(number));
  }

  /** The rows with a mark behind their columns. */
  static PhysicalPlan marked(PhysicalPlan rows) {
    List<Expr> columns = new ArrayList<>(rows.references());
    columns.add(Expr.literal(true, DataType.BOOLEAN));
    return new PhysicalPlan.Project(rows, columns);
  }

  /**
   * Each numbered row once, and whether a marked one was found for it.
   *
   * @param joined columns of a row, its number, columns of a match, its mark or null
   * @param types of the columns of a row
   */
  static PhysicalPlan found(PhysicalPlan joined, List<DataType> types) {
    int width = types.size();
    List<Expr> columns = joined.references();
    List<Expr> wanted = new ArrayList<>(columns.subList(0, width + 1));
    wanted.add(columns.getLast());
    List<AggregateCall> calls = new ArrayList<>();
    List<DataType> made = new ArrayList<>();
    made.add(DataType.INT64);
    for (int i = 0; i < width; i++) {
      calls.add(AggregateCall.of(AggregateFunction.ANY_VALUE, types.get(i), i));
      made.add(types.get(i));
    }
    calls.add(AggregateCall.of(AggregateFunction.MAX, MARK, width + 1));
    made.add(MARK);
    PhysicalPlan rows =
        new PhysicalPlan.Aggregate(
            new PhysicalPlan.Project(joined, wanted),
            List.of(width),
            List.of(List.of(0)),
            calls,
            false,
            made);
    List<Expr> output = new ArrayList<>(rows.references().subList(1, 1 + width));
    output.add(Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, rows.references().getLast()));
    return new PhysicalPlan.Project(rows, output);
  }
}
