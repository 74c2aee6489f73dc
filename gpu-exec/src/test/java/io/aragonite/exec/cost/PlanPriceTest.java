package io.aragonite.exec.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Filter;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.PhysicalPlan.Scan;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Prices of operators against what they took in TPC-H at scale 30 on one H200, 2026-11-22. */
class PlanPriceTest {
  private static final long LINEITEM = 179_998_372;
  private static final long ORDERS = 45_000_000;
  private static final PlanPrice PRICE = new PlanPrice(MachineProfile.H200);

  /** A table of which only sizes are known. */
  private record Sized(long rows, List<DataType> columnTypes, long textBytes) implements Table {
    @Override
    public String name() {
      return "sized";
    }

    @Override
    public List<String> columnNames() {
      return Collections.nCopies(columnTypes.size(), "c");
    }

    @Override
    public long bytes(int column) {
      return columnTypes.get(column).kind().isText() ? textBytes : 8 * rows;
    }

    @Override
    public Pin pin(List<Integer> columns) {
      throw new UnsupportedOperationException("a table without data");
    }
  }

  private static Scan scan(long rows, long textBytes, DataType... types) {
    return new Scan(
        new Sized(rows, List.of(types), textBytes),
        IntStream.range(0, types.length).boxed().toList(),
        List.of(types));
  }

  private static Expr compared(Scan scan, int column) {
    Expr value = Expr.ref(column, scan.types().get(column));
    return Expr.call(Op.LT, DataType.BOOLEAN, value, value);
  }

  private static Aggregate grouped(Scan scan, int keys, double groups, int sums) {
    List<Integer> columns = IntStream.range(0, keys).boxed().toList();
    return new Aggregate(
        scan,
        columns,
        List.of(columns),
        Collections.nCopies(sums, AggregateCall.of(AggregateFunction.SUM, DataType.INT64, keys)),
        false,
        Collections.nCopies(keys + sums, DataType.INT64),
        groups);
  }

  private static void took(double millis, PlanPrice price, PhysicalPlan plan) {
    double estimate = price.nanos(plan) / 1e6;
    assertTrue(estimate < 1.5 * millis && millis < 1.5 * estimate, estimate + " ms for " + millis);
  }

  @Test
  void filters() {
    // Q20's l_shipdate, Q6's three columns of 20 bytes, Q13's LIKE, Q9's.
    Scan dates = scan(LINEITEM, 0, DataType.DATE, DataType.INT64, DataType.INT64);
    took(0.55, PRICE, new Filter(dates, compared(dates, 0)));
    Expr three =
        Expr.call(
            Op.AND, DataType.BOOLEAN, compared(dates, 0), compared(dates, 1), compared(dates, 2));
    took(1.02, PRICE, new Filter(dates, three));
    Scan comments = scan(ORDERS, 2_362_400_332L, DataType.VARCHAR);
    took(3.38, PRICE, new Filter(comments, compared(comments, 0)));
    Scan names = scan(6_000_000, 220_486_158, DataType.VARCHAR);
    took(0.217, PRICE, new Filter(names, compared(names, 0)));
  }

  @Test
  void groupings() {
    DataType key = DataType.INT64;
    // Q13's by customer, Q15's by supplier, Q1's four groups, Q5's five.
    took(2.76, PRICE, grouped(scan(46_014_184, 0, key, key), 1, 4_500_000, 1));
    took(0.81, PRICE, grouped(scan(6_799_585, 0, key, key), 1, 300_000, 1));
    took(5.16, PRICE, grouped(scan(177_467_533, 0, key, key, key), 2, 4, 7));
    took(0.29, PRICE, grouped(scan(218_784, 0, key, key), 1, 5, 1));
    // Q18's, whose table is in the order of the key.
    Scan lines = scan(LINEITEM, 0, key, key);
    took(5.35, new PlanPrice(MachineProfile.H200, (t, c) -> c == 0), grouped(lines, 1, ORDERS, 1));
  }

  /** Coarser grouping sets are made of a finer one's groups, unless values count once. */
  @Test
  void coarserSetsTakeInGroups() {
    Scan lines = scan(LINEITEM, 0, DataType.INT64, DataType.INT64, DataType.INT64);
    double read = PRICE.nanos(lines);
    double one = PRICE.nanos(sets(lines, List.of(List.of(0, 1)), false)) - read;
    List<List<Integer>> rollup = List.of(List.of(0, 1), List.of(0), List.of());
    double three = PRICE.nanos(sets(lines, rollup, false)) - read;
    assertTrue(three > one && three < 1.5 * one, three + " for three, " + one + " for one");
    List<List<Integer>> apart = List.of(List.of(0), List.of(1));
    double two = PRICE.nanos(sets(lines, apart, false)) - read;
    assertTrue(two > 1.9 * one, two + " for two, " + one + " for one");
    double once = PRICE.nanos(sets(lines, List.of(List.of(0, 1)), true)) - read;
    double thrice = PRICE.nanos(sets(lines, rollup, true)) - read;
    assertEquals(3 * once, thrice, 0.01 * thrice);
  }

  private static Aggregate sets(Scan scan, List<List<Integer>> sets, boolean distinct) {
    AggregateFunction sum = AggregateFunction.SUM;
    AggregateCall call =
        new AggregateCall(
            sum, null, sum.name(), List.of(2), distinct, -1, List.of(), DataType.INT64);
    return new Aggregate(
        scan,
        List.of(0, 1),
        sets,
        List.of(call),
        false,
        Collections.nCopies(3, DataType.INT64),
        1000);
  }

  /**
   * What comes out of filters and groupings is what the planner expects, not a part of the rows.
   */
  @Test
  void rowsAreTheExpectedOnes() {
    Scan lines = scan(LINEITEM, 0, DataType.INT64, DataType.INT64);
    Expr predicate = compared(lines, 0);
    double few = above(new Filter(lines, predicate, 1000));
    double most = above(new Filter(lines, predicate, LINEITEM));
    assertTrue(most > 10 * few, most + " for all, " + few + " for few");
    assertTrue(above(grouped(lines, 1, LINEITEM, 1)) > 10 * above(grouped(lines, 1, 1000, 1)));
  }

  /** What a grouping of a plan's rows takes. */
  private static double above(PhysicalPlan plan) {
    Aggregate aggregate =
        new Aggregate(
            plan, List.of(0), List.of(List.of(0)), List.of(), false, List.of(DataType.INT64));
    return PRICE.nanos(aggregate) - PRICE.nanos(plan);
  }

  /** Whatever launches and waits is what is left without rows: of a join what its model says. */
  @Test
  void stepsAreCountedOnce() {
    Scan side = scan(1, 0, DataType.INT64);
    JoinEstimate expected = new JoinEstimate(1, 1, 1, 1, 1, 0, "", false);
    Join join =
        new Join(
            side,
            side,
            JoinType.INNER,
            List.of(new JoinKey(0, 0, false)),
            null,
            JoinAlgorithm.NON_PARTITIONED_HASH,
            false,
            List.of(DataType.INT64, DataType.INT64),
            expected);
    assertEquals(0, PRICE.nanos(side));
    assertEquals(PRICE.nanos(join), PRICE.fixedNanos(join), 1e3);
    // Joins of a row took 0.09 to 0.2 ms.
    took(0.15, PRICE, join);
  }
}
