package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.dictionary.DistinctBytes;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.ValueDistribution;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** Quantiles and frequent values of samples against the truth. */
final class ValueSampleTest {
  /** Of a column in two pieces, the second of which has a null in every fourth row if wanted. */
  private static ValueDistribution of(
      int rows, double distinct, boolean nulls, IntToLongFunction values) {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 28);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      Buffer buffer = memory.allocate(8L * rows);
      Buffer validity = memory.allocate((rows + 63L) / 64 * 8);
      Mem.fill(validity.address(), validity.size(), (byte) 0b0111_0111);
      for (int i = 0; i < rows; i++) {
        boolean poison = nulls && i % 4 == 3;
        Mem.putLong(buffer.address() + 8L * i, poison ? Long.MIN_VALUE : values.applyAsLong(i));
      }
      ColumnShape shape =
          ColumnShape.of(nulls ? DataType.INT64.withNullable(true) : DataType.INT64);
      Column whole = new Column(shape, rows, buffer, Buffer.EMPTY, nulls ? validity : null, null);
      int cut = rows / 3 / 64 * 64;
      List<Column> pieces =
          cut == 0 ? List.of(whole) : List.of(whole.slice(0, cut), whole.slice(cut, rows - cut));
      ValueDistribution found = ValueSample.distribution(shape, pieces, rows, distinct);
      // Parts that are not kept show the same, in whatever order they come.
      ValueSample.OfParts parts =
          new ValueSample.OfParts(pieces.stream().map(Column::dataRows).toList());
      for (int i = pieces.size() - 1; i >= 0; i--) {
        parts.look(i, new Decoded(pieces.get(i), () -> {}));
      }
      ValueDistribution same = parts.distribution(distinct);
      assertEquals(found.sampled(), same.sampled());
      assertArrayEquals(found.bounds(), same.bounds());
      assertEquals(found.frequent(), same.frequent());
      assertArrayEquals(found.shares(), same.shares());
      return found;
    }
  }

  @Test
  void quantilesAreWithinTwoPercent() {
    for (boolean nulls : new boolean[] {false, true}) {
      ValueDistribution squares =
          of(
              1_000_003,
              1e6,
              nulls,
              i -> {
                long place = Long.remainderUnsigned(DistinctBytes.mix(i), 1_000_000);
                return place * place;
              });
      assertEquals(nulls ? 6144 : 8192, squares.sampled(), nulls ? 200 : 0);
      int parts = squares.bounds().length - 1;
      for (int i = 0; i <= parts; i++) {
        double share = Math.sqrt(squares.bounds()[i]) / 1e6;
        assertEquals((double) i / parts, share, 0.02);
      }
      assertEquals(List.of(), squares.frequent());
    }
  }

  @Test
  void frequentValuesAreThoseThatStandOut() {
    ValueDistribution evenly = of(1_000_000, 100, false, i -> i * 7919L % 100);
    assertEquals(List.of(), evenly.frequent());
    assertEquals(0, evenly.topShare());
    ValueDistribution skewed =
        of(1_000_000, 600_000, false, i -> i % 10 < 3 ? 7 : i % 10 == 3 ? -5 : i);
    assertEquals(List.of(7.0, -5.0), skewed.frequent());
    assertEquals(0.3, skewed.shares()[0], 0.02);
    assertEquals(0.1, skewed.shares()[1], 0.02);
  }

  @Test
  void smallAndEmptyColumns() {
    assertEquals(0, of(0, 0, false, i -> i).sampled());
    ValueDistribution one = of(1, 1, false, i -> 42);
    assertEquals(List.of(42.0), one.frequent());
    assertEquals(1, one.topShare());
    ValueDistribution same = of(5000, 1, true, i -> 3);
    assertEquals(List.of(3.0), same.frequent());
    assertEquals(3, same.bounds()[0]);
    assertEquals(0, of(4, 0, true, i -> 1).bounds().length % 129);
  }

  @Test
  void rowsAreEvenlySpreadAndAscend() {
    assertArrayEquals(new long[] {0, 1, 2}, ValueSample.rows(3, 10));
    long[] rows = ValueSample.rows(3_000_000_000L, 1000);
    for (int i = 0; i < rows.length; i++) {
      assertTrue(rows[i] >= 3_000_000L * i && rows[i] < 3_000_000L * (i + 1));
    }
  }
}
