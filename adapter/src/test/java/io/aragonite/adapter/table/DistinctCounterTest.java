package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.dictionary.DistinctBytes;
import io.aragonite.adapter.table.DistinctCounter.Count;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** Counts of distinct values from samples against the truth. */
final class DistinctCounterTest {
  private static final int ROWS = 1_000_003;
  private static final int PART = 131_072;

  /** Of 64-bit values in parts; every fourth row is null, with poison under it, if wanted. */
  private static Count count(int rows, boolean streamed, boolean nulls, IntToLongFunction values) {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 28);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      ColumnShape shape = ColumnShape.of(DataType.INT64.withNullable(nulls));
      List<Column> parts = new ArrayList<>();
      for (int from = 0; from < rows; from += PART) {
        int count = Math.min(PART, rows - from);
        Buffer buffer = memory.allocate(8L * count);
        Buffer validity = memory.allocate((count + 63L) / 64 * 8);
        Mem.fill(validity.address(), validity.size(), (byte) 0b0111_0111);
        for (int i = 0; i < count; i++) {
          boolean poison = nulls && i % 4 == 3;
          Mem.putLong(buffer.address() + 8L * i, poison ? i : values.applyAsLong(from + i));
        }
        parts.add(new Column(shape, count, buffer, Buffer.EMPTY, nulls ? validity : null, null));
      }
      return count(false, parts, rows, streamed, nulls ? 4 : Integer.MAX_VALUE);
    }
  }

  private static Count count(
      boolean text, List<Column> parts, long rows, boolean streamed, int nullEvery) {
    DistinctCounter counter = new DistinctCounter(text, parts.size(), rows, streamed);
    // In any order, as threads would.
    for (int i = parts.size() - 1; i >= 0; i--) {
      Column part = parts.get(i);
      counter.look(i, decoded(part), part.dataRows() / nullEvery, null);
    }
    List<Decoded> all = parts.stream().map(DistinctCounterTest::decoded).toList();
    return counter.count(streamed ? List.of() : all, new LoadWorkers(1));
  }

  private static Decoded decoded(Column column) {
    return new Decoded(column, () -> {});
  }

  private static void about(double expected, IntToLongFunction values) {
    for (boolean streamed : new boolean[] {false, true}) {
      Count count = count(ROWS, streamed, false, values);
      assertEquals(expected, count.distinct(), 0.05 * expected, "streamed " + streamed);
    }
  }

  private static long scattered(long i) {
    return i * 0x2545F4914F6CDD1DL;
  }

  @Test
  void whateverTheFrequenciesAre() {
    about(1, i -> 42);
    about(50, i -> 100L * (i * 7919L % 50));
    about(2500, i -> i * 7919L % 2500);
    about(10_000, i -> i * 7919L % 10_000);
    about(200_000, i -> scattered(i % 200_000));
    // Equal ones side by side, four each.
    about(250_001, i -> i / 4);
    // A half of the rows has one value, the others have one each.
    about(500_002, i -> i % 2 == 0 ? -1 : scattered(i));
    // Values of decreasing frequency: one over its number.
    about(distinctOf(DistinctCounterTest::inverse), DistinctCounterTest::inverse);
  }

  private static long inverse(int i) {
    double place = (DistinctBytes.mix(i) >>> 11) * 0x1.0p-53;
    return (long) Math.exp(place * Math.log(300_000));
  }

  private static double distinctOf(IntToLongFunction values) {
    return java.util.stream.IntStream.range(0, ROWS).mapToLong(values).distinct().count();
  }

  @Test
  void keysAreKnownToBeUnique() {
    assertEquals(ROWS, count(ROWS, false, false, i -> i).distinct());
    assertEquals(ROWS, count(ROWS, true, false, DistinctCounterTest::scattered).distinct());
    Count some = count(ROWS, false, true, DistinctCounterTest::scattered);
    assertEquals(ROWS, some.distinct() * 4 / 3, 8);
  }

  @Test
  void smallTablesAreCounted() {
    for (boolean streamed : new boolean[] {false, true}) {
      assertEquals(new Count(0, true), count(0, streamed, false, i -> i));
      assertEquals(new Count(1, true), count(1, streamed, false, i -> 0));
      assertEquals(new Count(60_001, true), count(60_001, streamed, false, i -> i));
      assertEquals(new Count(75, true), count(100, streamed, true, i -> i));
    }
    assertFalse(count(ROWS, false, false, i -> i).exact());
  }

  @Test
  void textsAreCountedByASample() {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 28);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      for (int distinct : new int[] {300, 90_000, 400_000}) {
        int rows = 400_000;
        Buffer offsets = memory.allocate(4L * (rows + 1));
        Buffer bytes = memory.allocate(12L * rows);
        int at = 0;
        for (int i = 0; i < rows; i++) {
          Mem.putInt(offsets.address() + 4L * i, at);
          byte[] text = ("text" + i * 7919L % distinct).getBytes(StandardCharsets.US_ASCII);
          for (byte b : text) {
            Mem.putByte(bytes.address() + at++, b);
          }
        }
        Mem.putInt(offsets.address() + 4L * rows, at);
        Column column =
            new Column(ColumnShape.of(DataType.VARCHAR), rows, bytes, offsets, null, null);
        Count count = count(true, List.of(column), rows, false, Integer.MAX_VALUE);
        assertEquals(distinct, count.distinct(), 0.15 * distinct);
        assertTrue(count.distinct() <= rows);
      }
    }
  }
}
