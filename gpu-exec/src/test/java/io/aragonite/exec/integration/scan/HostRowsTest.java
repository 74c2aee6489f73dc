package io.aragonite.exec.integration.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.table.RowSource;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rows that the host hands over. */
class HostRowsTest {
  private static final List<DataType> TYPES =
      List.of(
          DataType.INT32,
          DataType.VARCHAR.withNullable(true),
          DataType.decimal(30, 2, true),
          DataType.BOOLEAN.withNullable(true));

  /** Counts how often it was opened and closed. */
  private static final class Source implements RowSource {
    private final int count;
    private int opened;
    private int closed;

    Source(int count) {
      this.count = count;
    }

    static List<@Nullable Object> row(long i) {
      boolean none = i % 5 == 3;
      return Arrays.asList(
          i,
          none ? null : "t" + i,
          i % 7 == 0 ? null : BigDecimal.valueOf(i * i, 2),
          none ? null : i % 2 == 0);
    }

    @Override
    public RowReader open(List<Integer> columns) {
      opened++;
      return new RowReader() {
        private long next;

        @Override
        public @Nullable Object @Nullable [] next() {
          if (next == count) {
            return null;
          }
          List<@Nullable Object> row = row(next++);
          return columns.stream().map(row::get).toArray();
        }

        @Override
        public void close() {
          closed++;
        }
      };
    }
  }

  private static PhysicalPlan plan(List<Integer> columns) {
    return new PhysicalPlan.RowInput(
        new Expr.Parameter(0, DataType.of(TypeKind.OPAQUE, false)),
        columns,
        columns.stream().map(TYPES::get).toList());
  }

  private static QueryOptions options(Object parameter, long memory) {
    return new QueryOptions(List.of(parameter), 0, memory, null);
  }

  @Test
  void allRowsComeWithTheirNullsAndInTheirOrder() {
    for (int count : new int[] {0, 1, 63, 64, 65, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 140_000}) {
      for (List<Integer> columns : List.of(List.of(0, 1, 2, 3), List.of(2, 0), List.of(1))) {
        List<List<@Nullable Object>> expected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          List<@Nullable Object> row = Source.row(i);
          expected.add(new ArrayList<>(columns.stream().map(row::get).toList()));
        }
        Source source = new Source(count);
        try (TestEngine engine = new TestEngine(1, 4096)) {
          assertEquals(expected, engine.run(plan(columns), options(source, 0)));
        }
        assertEquals(1, source.opened);
        assertEquals(1, source.closed);
      }
    }
  }

  @Test
  void rowsWithoutColumnsAreCounted() {
    try (TestEngine engine = new TestEngine(2, 64)) {
      assertEquals(1000, engine.run(plan(List.of()), options(new Source(1000), 0)).size());
    }
  }

  @Test
  void rowsThatDoNotFitAreAnErrorAndTheSourceIsClosed() {
    Source source = new Source(1_000_000);
    try (TestEngine engine = new TestEngine(2, 64)) {
      AragoniteException e =
          assertThrows(
              AragoniteException.class,
              () -> engine.run(plan(List.of(0, 1, 2, 3)), options(source, 1 << 20)));
      assertEquals(ErrorCode.MEMORY_EXCEEDED, e.code());
    }
    assertEquals(1, source.closed);
  }

  @Test
  void aParameterThatIsNoSourceIsADefect() {
    try (TestEngine engine = new TestEngine(1, 64)) {
      AragoniteException e =
          assertThrows(
              AragoniteException.class, () -> engine.run(plan(List.of(0)), options("rows", 0)));
      assertEquals(ErrorCode.INTERNAL, e.code());
    }
  }
}
