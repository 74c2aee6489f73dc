package io.aragonite.exec.integration.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.plan.PhysicalPlan;
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

/** Rows that are repeated, with the numbers of their repetitions. */
class RepeatTest {
  private static final List<ColumnShape> SHAPES =
      List.of(
          ColumnShape.of(DataType.INT64.withNullable(true)),
          ColumnShape.of(DataType.VARCHAR.withNullable(true)),
          ColumnShape.of(DataType.INT64));

  @Test
  void rowsComeAsOftenAsTheySay() {
    long seed = TestSeed.seed();
    Random random = new Random(seed);
    for (int round = 0; round < 60; round++) {
      int most = new int[] {1, 2, 5, 300}[random.nextInt(4)];
      int rows = new int[] {0, 1, 63, 65, 300}[random.nextInt(5)];
      List<List<@Nullable Object>> data = new ArrayList<>();
      for (int i = 0; i < rows; i++) {
        Object number = random.nextInt(9) == 0 ? null : (Object) random.nextLong(40);
        Object text = random.nextInt(9) == 0 ? null : "t" + random.nextInt(3);
        data.add(Arrays.asList(number, text, (long) random.nextInt(most + 1)));
      }
      check(data, 1 + random.nextInt(2), "-Daragonite.seed=" + seed);
    }
  }

  @Test
  void nothingOfRowsWithoutRepetitions() {
    check(List.of(List.of(1L, "a", 0L), List.of(2L, "b", 0L)), 1, "all of them");
    check(List.of(List.of(1L, "a", 0L), List.of(2L, "b", 2L)), 1, "as many as rows");
  }

  private static void check(List<List<@Nullable Object>> data, int workers, String what) {
    Map<List<@Nullable Object>, Integer> expected = new HashMap<>();
    for (List<@Nullable Object> row : data) {
      for (long number = 0; number < (long) row.getLast(); number++) {
        expected.merge(Arrays.asList(row.get(0), row.get(1), number), 1, Integer::sum);
      }
    }
    PhysicalPlan plan = new PhysicalPlan.Repeat(new TestTable(SHAPES, data, 64).scan());
    try (TestEngine engine = new TestEngine(workers, 64)) {
      assertEquals(expected, TestEngine.counts(engine.run(plan)), what);
    }
  }
}
