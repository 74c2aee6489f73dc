package io.aragonite.exec.integration.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Expr.Call;
import io.aragonite.exec.expr.Expr.HostFunctionCall;
import io.aragonite.exec.expr.Expr.InputRef;
import io.aragonite.exec.expr.Expr.Literal;
import io.aragonite.exec.expr.HostFunction;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Filter;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.PhysicalPlan.Project;
import io.aragonite.exec.plan.PhysicalPlan.Repeat;
import io.aragonite.exec.plan.PhysicalPlan.SetOperation;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows come in the order of the table, however many workers make them. */
@Timeout(120)
class RowOrderTest {
  private static final int BATCH_ROWS = 64;

  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);

  /** A number that ascends, one of few values, and a text. */
  private static final List<ColumnShape> SHAPES =
      List.of(ColumnShape.of(DataType.INT64), ColumnShape.of(DataType.INT64), ColumnShape.of(TEXT));

  private static final DataType TRUTH = DataType.BOOLEAN;

  private final Random random = TestSeed.random(RowOrderTest.class);

  /** Rows of several devices come as they arrive. */
  @BeforeEach
  void onOneDevice() {
    assumeTrue(TestDevices.count() == 1);
  }

  private List<List<@Nullable Object>> rows(int count, long first) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Object text = random.nextInt(7) == 0 ? null : "t" + random.nextInt(50);
      rows.add(Arrays.asList(first + i, random.nextLong(40), text));
    }
    return rows;
  }

  private PhysicalPlan scan(List<List<@Nullable Object>> rows) {
    return new TestTable(SHAPES, rows, 64 * (1 + random.nextInt(9))).scan();
  }

  private static Literal number(long value) {
    return new Literal(value, DataType.INT64);
  }

  /** Rows of which the first column is in a range, or the second one below a number. */
  private record OrderKept(Expr predicate, Predicate<List<@Nullable Object>> test) {}

  private static OrderKept below(int column, long bound) {
    Expr predicate =
        new Call(Op.LT, List.of(new InputRef(column, DataType.INT64), number(bound)), TRUTH);
    return new OrderKept(predicate, row -> (Long) row.get(column) < bound);
  }

  /** None, one, some rows here and there, a part at the beginning, or all. */
  private OrderKept kept(int rows) {
    return switch (random.nextInt(6)) {
      case 0 -> below(1, -1);
      case 1 -> below(0, 1);
      case 2 -> below(1, 1);
      case 3 -> below(1, 20);
      case 4 -> below(0, rows / 2);
      default -> below(1, 40);
    };
  }

  private int count() {
    return new int[] {0, 1, 63, 65, 1000, 5000}[random.nextInt(6)];
  }

  private static List<List<@Nullable Object>> filtered(
      List<List<@Nullable Object>> rows, OrderKept kept) {
    return rows.stream().filter(kept.test).toList();
  }

  private void check(PhysicalPlan plan, List<List<@Nullable Object>> expected) {
    int workers = 1 + random.nextInt(8);
    try (TestEngine engine = new TestEngine(workers, BATCH_ROWS)) {
      assertEquals(expected, engine.run(plan), () -> workers + " workers");
    }
  }

  @Test
  void filters() {
    for (int round = 0; round < 60; round++) {
      int count = count();
      List<List<@Nullable Object>> rows = rows(count, 0);
      OrderKept kept = kept(count);
      check(new Filter(scan(rows), kept.predicate), filtered(rows, kept));
    }
  }

  @Test
  void projections() {
    for (int round = 0; round < 20; round++) {
      int count = count();
      List<List<@Nullable Object>> rows = rows(count, 0);
      OrderKept kept = kept(count);
      Expr sum =
          new Call(Op.PLUS, List.of(new InputRef(0, DataType.INT64), number(7)), DataType.INT64);
      List<List<@Nullable Object>> expected = new ArrayList<>();
      filtered(rows, kept)
          .forEach(row -> expected.add(Arrays.asList(row.get(2), (Long) row.get(0) + 7)));
      PhysicalPlan filter = new Filter(scan(rows), kept.predicate);
      check(new Project(filter, List.of(new InputRef(2, TEXT), sum)), expected);
    }
  }

  @Test
  void series() {
    for (int round = 0; round < 30; round++) {
      int count = count();
      List<List<@Nullable Object>> numbers = new ArrayList<>();
      for (long i = 0; i < count; i++) {
        numbers.add(Arrays.asList(i));
      }
      check(new PhysicalPlan.Series(count), numbers);
      PhysicalPlan filter =
          new Filter(
              new PhysicalPlan.Series(count),
              new Call(
                  Op.LT,
                  List.of(new InputRef(0, DataType.INT32), new Literal(count / 2L, DataType.INT32)),
                  TRUTH));
      check(filter, numbers.subList(0, count / 2));
    }
  }

  /** Numbers rows, as NEXTVAL does. */
  private static final class RowNumbers implements HostFunction {
    private final AtomicLong last = new AtomicLong();

    @Override
    public Object apply(@Nullable Object[] arguments) {
      return last.incrementAndGet();
    }

    @Override
    public boolean sequential() {
      return true;
    }
  }

  @Test
  void sequences() {
    for (int round = 0; round < 20; round++) {
      int count = count();
      List<List<@Nullable Object>> rows = rows(count, 0);
      OrderKept kept = kept(count);
      Expr number =
          new HostFunctionCall("NEXTVAL", new RowNumbers(), List.of(), false, DataType.INT64);
      List<List<@Nullable Object>> expected = new ArrayList<>();
      for (List<@Nullable Object> row : filtered(rows, kept)) {
        expected.add(Arrays.asList(row.get(0), expected.size() + 2L));
      }
      Expr sum = new Call(Op.PLUS, List.of(number, number(1)), DataType.INT64);
      PhysicalPlan filter = new Filter(scan(rows), kept.predicate);
      check(new Project(filter, List.of(new InputRef(0, DataType.INT64), sum)), expected);
    }
  }

  /** One input's rows stand behind the other's. */
  @Test
  void unions() {
    for (int round = 0; round < 40; round++) {
      List<PhysicalPlan> inputs = new ArrayList<>();
      List<List<@Nullable Object>> expected = new ArrayList<>();
      int most = 1 + random.nextInt(4);
      for (int i = 0; i < most; i++) {
        int count = count();
        List<List<@Nullable Object>> rows = rows(count, 0);
        OrderKept kept = kept(count);
        PhysicalPlan some = new Filter(scan(rows), kept.predicate);
        List<List<@Nullable Object>> ordered = new ArrayList<>(filtered(rows, kept));
        if (random.nextInt(3) == 0) {
          some = new Sort(some, List.of(new SortKey(0, true, false)), null, null);
          Collections.reverse(ordered);
        }
        inputs.add(some);
        expected.addAll(ordered);
      }
      PhysicalPlan union =
          new SetOperation(
              SetOperation.SetOperationKind.UNION,
              true,
              inputs,
              List.of(DataType.INT64, DataType.INT64, TEXT));
      check(union, expected);
    }
  }

  @Test
  void repetitions() {
    for (int round = 0; round < 30; round++) {
      List<List<@Nullable Object>> rows = rows(count(), 0);
      Expr times = new InputRef(1, DataType.INT64);
      List<List<@Nullable Object>> expected = new ArrayList<>();
      for (List<@Nullable Object> row : rows) {
        for (long number = 0; number < (Long) row.get(1); number++) {
          expected.add(Arrays.asList(row.get(0), number));
        }
      }
      PhysicalPlan counted =
          new Project(scan(rows), List.of(new InputRef(0, DataType.INT64), times));
      check(new Repeat(counted), expected);
    }
  }

  /** Rows with a partner at most: joined, chosen, left out and filled up. */
  @Test
  void probeSides() {
    for (int round = 0; round < 60; round++) {
      List<List<@Nullable Object>> rows = rows(count(), 0);
      List<List<@Nullable Object>> others = new ArrayList<>();
      for (long key = 0; key < 40; key++) {
        if (random.nextBoolean()) {
          others.add(List.of(key, 100 + key, "x"));
        }
      }
      JoinType type =
          List.of(JoinType.INNER, JoinType.LEFT, JoinType.SEMI, JoinType.ANTI)
              .get(random.nextInt(4));
      List<List<@Nullable Object>> expected = new ArrayList<>();
      for (List<@Nullable Object> row : rows) {
        List<List<@Nullable Object>> partners =
            others.stream().filter(other -> other.getFirst().equals(row.get(1))).toList();
        boolean matched = !partners.isEmpty();
        if (type == JoinType.SEMI && matched || type == JoinType.ANTI && !matched) {
          expected.add(row);
        } else if (type == JoinType.LEFT && !matched) {
          expected.add(joined(row, Arrays.asList(null, null, null)));
        } else if (matched && (type == JoinType.LEFT || type == JoinType.INNER)) {
          expected.add(joined(row, partners.getFirst()));
        }
      }
      check(join(scan(rows), scan(others), type), expected);
    }
  }

  private static List<@Nullable Object> joined(
      List<@Nullable Object> left, List<@Nullable Object> right) {
    List<@Nullable Object> row = new ArrayList<>(left);
    row.addAll(right);
    return row;
  }

  private static Join join(PhysicalPlan left, PhysicalPlan right, JoinType type) {
    List<DataType> types = new ArrayList<>(left.types());
    if (type == JoinType.INNER || type == JoinType.LEFT) {
      right.types().forEach(of -> types.add(type == JoinType.LEFT ? of.withNullable(true) : of));
    }
    return new Join(
        left,
        right,
        type,
        List.of(new JoinKey(1, 0, false)),
        null,
        JoinAlgorithm.NON_PARTITIONED_HASH,
        false,
        types);
  }

  /** The first rows that a filter keeps, and no others. */
  @Test
  void limits() {
    for (int round = 0; round < 120; round++) {
      int count = count();
      List<List<@Nullable Object>> rows = rows(count, 0);
      OrderKept kept = kept(count);
      List<List<@Nullable Object>> all = filtered(rows, kept);
      long offset = List.of(0L, 1L, 70L, 3000L).get(random.nextInt(4));
      long fetch = List.of(0L, 1L, 10L, 65L, 1000L, Long.MAX_VALUE).get(random.nextInt(6));
      PhysicalPlan plan =
          new Sort(
              new Filter(scan(rows), kept.predicate),
              List.of(),
              offset == 0 ? null : number(offset),
              fetch == Long.MAX_VALUE ? null : number(fetch));
      List<List<@Nullable Object>> expected = all.stream().skip(offset).limit(fetch).toList();
      check(plan, expected);
      Expr more =
          new Call(Op.PLUS, List.of(new InputRef(0, DataType.INT64), number(1)), DataType.INT64);
      List<List<@Nullable Object>> projected = new ArrayList<>();
      expected.forEach(row -> projected.add(List.of((Long) row.getFirst() + 1)));
      check(new Project(plan, List.of(more)), projected);
    }
  }

  /** A limit over a join ends it early. */
  @Test
  void limitsOfJoins() {
    List<List<@Nullable Object>> others = new ArrayList<>();
    for (long key = 0; key < 40; key += 3) {
      others.add(List.of(key, 100 + key, "x"));
    }
    for (int round = 0; round < 30; round++) {
      List<List<@Nullable Object>> rows = rows(5000, 0);
      List<List<@Nullable Object>> expected =
          rows.stream().filter(row -> (Long) row.get(1) % 3 == 0).limit(100).toList();
      PhysicalPlan join = join(scan(rows), scan(others), JoinType.SEMI);
      check(new Sort(join, List.of(), null, number(100)), expected);
    }
  }

  /** Few batches may wait for those before them. */
  @Test
  void littleMemory() {
    List<List<@Nullable Object>> rows = rows(60_000, 0);
    OrderKept kept = below(1, 35);
    PhysicalPlan plan = new Filter(scan(rows), kept.predicate);
    List<List<@Nullable Object>> expected = filtered(rows, kept);
    for (int round = 0; round < 5; round++) {
      try (TestEngine engine = new TestEngine(8, BATCH_ROWS, 4 << 20)) {
        assertEquals(expected, engine.run(plan));
        PhysicalPlan some = new Sort(plan, List.of(), number(100), number(40_000));
        assertEquals(expected.subList(100, 40_100), engine.run(some));
      }
    }
  }

  /** An error of a late row ends the query, whatever waits for the rows before it. */
  @Test
  void errorsOfLateRows() {
    List<List<@Nullable Object>> rows = rows(20_000, 0);
    Expr quotient =
        new Call(
            Op.DIVIDE,
            List.of(
                number(1),
                new Call(
                    Op.MINUS,
                    List.of(new InputRef(0, DataType.INT64), number(19_990)),
                    DataType.INT64)),
            DataType.INT64);
    PhysicalPlan plan = new Project(scan(rows), List.of(quotient));
    for (int workers = 1; workers <= 8; workers++) {
      try (TestEngine engine = new TestEngine(workers, BATCH_ROWS)) {
        AragoniteException error = assertThrows(AragoniteException.class, () -> engine.run(plan));
        assertEquals(ErrorCode.DIVISION_BY_ZERO, error.code());
        // Those that are wanted come all the same.
        PhysicalPlan some = new Sort(plan, List.of(), null, number(10));
        assertEquals(10, engine.run(some).size());
      }
    }
  }

  /** Rows up to there are the first ones; nothing waits, or is left, afterwards. */
  @Test
  void cancelledInTheMiddle() {
    List<List<@Nullable Object>> rows = rows(60_000, 0);
    PhysicalPlan plan = new Filter(scan(rows), below(1, 35).predicate);
    for (int workers = 1; workers <= 8; workers++) {
      try (TestEngine engine = new TestEngine(workers, BATCH_ROWS)) {
        try (BatchResult result = engine.engine().execute(plan, QueryOptions.DEFAULT)) {
          List<List<@Nullable Object>> seen = new ArrayList<>();
          for (int i = 0; i < 20; i++) {
            ColumnBatch batch = result.next();
            assertTrue(batch != null);
            seen.addAll(TestEngine.rows(batch));
          }
          assertEquals(filtered(rows, below(1, 35)).subList(0, seen.size()), seen);
          result.cancel();
          AragoniteException error =
              assertThrows(
                  AragoniteException.class,
                  () -> {
                    while (result.next() != null) {}
                  });
          assertEquals(ErrorCode.CANCELLED, error.code());
        }
        try (BatchResult result = engine.engine().execute(plan, QueryOptions.DEFAULT)) {
          assertTrue(result.next() != null); // and closed, with the rest not read
        }
      }
    }
  }
}
