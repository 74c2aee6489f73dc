package io.aragonite.exec.integration.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Groups that a worker puts aside are all there at the end, however near memory's end they come:
 * some numbers of groups fill a worker's share just when runs are merged.
 */
class PutAsideGroupsTest {
  private static final DataType LONG = DataType.INT64;

  @AfterEach
  void clear() {
    System.clearProperty("aragonite.test.flushGroups");
    System.clearProperty("aragonite.group");
  }

  @ParameterizedTest
  @CsvSource({"table, 1", "sort, 4"})
  void noneIsLost(String way, int workers) {
    System.setProperty("aragonite.test.flushGroups", "10000");
    System.setProperty("aragonite.group", way);
    List<String> wrong = new ArrayList<>();
    for (int count = 30_000; count < 130_000; count += 4_500) {
      List<List<Long>> rows = new ArrayList<>();
      for (long i = 0; i < count; i++) {
        rows.add(List.of(i * 1_000_003));
      }
      PhysicalPlan plan =
          new PhysicalPlan.Aggregate(
              new TestTable(List.of(ColumnShape.of(LONG)), rows, 1 << 16).scan(),
              List.of(0),
              List.of(List.of(0)),
              List.of(AggregateCall.of(AggregateFunction.COUNT, LONG)),
              false,
              List.of(LONG, LONG));
      long groups = 0;
      try (TestEngine engine = new TestEngine(workers, 1024, 16 << 20, 1);
          BatchResult result = engine.engine().execute(plan, QueryOptions.DEFAULT)) {
        for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
          groups += batch.rows();
        }
      }
      if (groups != count) {
        wrong.add(count + " keys, " + groups + " groups");
      }
    }
    assertEquals(List.of(), wrong);
  }

  /** Keys that do not repeat for long, and then all do. */
  @ParameterizedTest
  @CsvSource({"1, 512", "4, 16"})
  void rowsPutAsideMeetTheirGroups(int workers, int megabytes) {
    System.setProperty("aragonite.test.flushGroups", "1000");
    int count = 60_000;
    List<List<@Nullable Long>> rows = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      for (long i = 0; i < count; i++) {
        rows.add(Arrays.asList(i * 1_000_003, i % 7 == 0 ? null : i + round));
      }
    }
    PhysicalPlan plan =
        new PhysicalPlan.Aggregate(
            new TestTable(
                    List.of(ColumnShape.of(LONG), ColumnShape.of(LONG.withNullable(true))),
                    rows,
                    1 << 16)
                .scan(),
            List.of(0),
            List.of(List.of(0)),
            List.of(
                AggregateCall.of(AggregateFunction.COUNT, LONG),
                AggregateCall.of(AggregateFunction.MAX, LONG.withNullable(true), 1)),
            false,
            List.of(LONG, LONG, LONG.withNullable(true)));
    Map<Long, List<@Nullable Object>> found = new HashMap<>();
    try (TestEngine engine = new TestEngine(workers, 1024, (long) megabytes << 20, 1)) {
      for (List<@Nullable Object> row : engine.run(plan)) {
        assertNull(found.put((Long) row.get(0), row.subList(1, 3)));
      }
    }
    Map<Long, List<@Nullable Object>> expected = new HashMap<>();
    for (long i = 0; i < count; i++) {
      expected.put(i * 1_000_003, Arrays.asList(3L, i % 7 == 0 ? null : i + 2));
    }
    assertEquals(expected, found);
  }
}
