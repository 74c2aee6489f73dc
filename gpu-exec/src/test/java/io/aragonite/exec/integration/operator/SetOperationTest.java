package io.aragonite.exec.integration.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.SetOperation;
import io.aragonite.exec.plan.PhysicalPlan.SetOperation.SetOperationKind;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Set operations against arithmetic on multisets. */
class SetOperationTest {
  @Test
  void agreesWithMultisets() {
    long seed = TestSeed.seed();
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      for (SetOperationKind kind : SetOperationKind.values()) {
        for (boolean all : new boolean[] {false, true}) {
          check(kind, all, random, "-Daragonite.seed=" + seed);
        }
      }
    }
  }

  private static void check(SetOperationKind kind, boolean all, Random random, String what) {
    int inputs = 2 + random.nextInt(2);
    int distinct = 1 + random.nextInt(30);
    boolean nulls = random.nextBoolean();
    List<ColumnShape> shapes =
        List.of(
            ColumnShape.of(DataType.INT64.withNullable(nulls)),
            ColumnShape.of(DataType.VARCHAR.withNullable(nulls)));
    List<PhysicalPlan> scans = new ArrayList<>();
    List<Map<List<@Nullable Object>, Integer>> counts = new ArrayList<>();
    for (int i = 0; i < inputs; i++) {
      int rows = new int[] {0, 1, 65, 300}[random.nextInt(4)];
      List<List<@Nullable Object>> data = new ArrayList<>();
      for (int r = 0; r < rows; r++) {
        Object number = nulls && random.nextInt(9) == 0 ? null : (Object) random.nextLong(distinct);
        Object text = nulls && random.nextInt(9) == 0 ? null : "t" + random.nextInt(3);
        data.add(Arrays.asList(number, text));
      }
      scans.add(new TestTable(shapes, data, 64).scan());
      counts.add(TestEngine.counts(data));
    }
    Map<List<@Nullable Object>, Integer> expected = new HashMap<>(counts.getFirst());
    if (kind == SetOperationKind.INTERSECT || kind == SetOperationKind.EXCEPT) {
      if (!all) {
        expected.replaceAll((row, n) -> 1);
      }
      for (Map<List<@Nullable Object>, Integer> other : counts.subList(1, inputs)) {
        expected.replaceAll((row, n) -> {
          int m = other.getOrDefault(row, 0);
          return kind == SetOperationKind.INTERSECT ? Math.min(n, m) : Math.max(0, n - m);
        });
      }
      expected.values().removeIf(n -> n == 0);
    } else {
      counts
          .subList(1, inputs)
          .forEach(c -> c.forEach((r, n) -> expected.merge(r, n, Integer::sum)));
    }
    if (!all) {
      expected.replaceAll((row, n) -> 1);
    }
    List<DataType> types = shapes.stream().map(ColumnShape::type).toList();
    try (TestEngine engine = new TestEngine(1 + random.nextInt(2), 64)) {
      var actual = TestEngine.counts(engine.run(new SetOperation(kind, all, scans, types)));
      assertEquals(expected, actual, () -> kind + " all=" + all + " " + what);
    }
  }
}
