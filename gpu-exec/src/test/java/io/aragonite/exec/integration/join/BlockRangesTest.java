package io.aragonite.exec.integration.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.table.BlockRanges;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Blocks that may have values of a range, against a look at each value. */
class BlockRangesTest {
  private static final List<ColumnShape> SHAPES =
      List.of(
          ColumnShape.of(DataType.INT64.withNullable(true)),
          ColumnShape.of(DataType.INT32),
          ColumnShape.of(DataType.FLOAT64));

  @Test
  void agreesWithALookAtEachValue() {
    Random random = TestSeed.random(BlockRangesTest.class);
    for (int round = 0; round < 50; round++) {
      List<List<@Nullable Object>> rows = new ArrayList<>();
      for (int i = random.nextInt(500); i > 0; i--) {
        Long value =
            random.nextInt(3) == 0 ? null : (Long) (long) (rows.size() + random.nextInt(9));
        rows.add(Arrays.asList(value, (long) random.nextInt(500), 0.5));
      }
      TestTable table = new TestTable(SHAPES, rows, 64 * (1 + random.nextInt(4)));
      int blockRows = 1 + random.nextInt(100);
      long from = random.nextInt(500);
      long to = from + random.nextInt(60) - 5;
      long[] some = random.longs(random.nextInt(9), 0, 520).sorted().toArray();
      for (int column = 0; column < 2; column++) {
        BitSet expected = new BitSet();
        BitSet withValues = new BitSet();
        for (int block = 0; block * blockRows < rows.size(); block++) {
          int end = Math.min(rows.size(), (block + 1) * blockRows);
          int key = column;
          List<Long> values =
              rows.subList(block * blockRows, end).stream()
                  .map(row -> (Long) row.get(key))
                  .filter(Objects::nonNull)
                  .toList();
          boolean low = values.stream().anyMatch(value -> value <= to);
          boolean high = values.stream().anyMatch(value -> value >= from);
          expected.set(block, low && high);
          LongSummaryStatistics known =
              values.stream().mapToLong(Long::longValue).summaryStatistics();
          withValues.set(
              block, Arrays.stream(some).anyMatch(v -> v >= known.getMin() && v <= known.getMax()));
        }
        BlockRanges ranges =
            Objects.requireNonNull(BlockRanges.of(pieces(table, column), blockRows));
        assertEquals(rows.size(), ranges.rows());
        assertEquals((rows.size() + blockRows - 1) / blockRows, ranges.blocks());
        assertEquals(expected, ranges.meeting(from, to));
        assertEquals(withValues, ranges.meeting(some));
      }
      if (!rows.isEmpty()) {
        assertNull(BlockRanges.of(pieces(table, 2), blockRows));
      }
    }
  }

  @Test
  void blocksOfATableThatLiesByAColumnSpanLittleOfItsRange() {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (long i = 0; i < 1000; i++) {
      rows.add(Arrays.asList(i / 10, i * 37 % 1000, 0.5));
    }
    assertEquals(0.1, width(rows, 0), 1e-9);
    assertEquals(0.97, width(rows, 1), 0.03);
    rows.replaceAll(row -> Arrays.asList(null, row.get(1), 0.5));
    assertEquals(1, width(rows, 0));
    assertEquals(1, width(List.of(), 0));
  }

  private static double width(List<List<@Nullable Object>> rows, int column) {
    TestTable table = new TestTable(SHAPES, rows, 256);
    return Objects.requireNonNull(BlockRanges.of(pieces(table, column), 100)).width();
  }

  private static List<Column> pieces(TestTable table, int column) {
    try (Table.Pin pin = table.pin(List.of(column))) {
      return pin.chunks().stream().map(chunk -> chunk.column(0)).toList();
    }
  }
}
