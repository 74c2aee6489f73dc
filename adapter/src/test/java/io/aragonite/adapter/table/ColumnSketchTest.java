package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.dictionary.DistinctBytes;
import io.aragonite.adapter.table.StoredStatistics.StoredSketch;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.table.ValueDistribution;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Match ratios and frequent values from sketches, against the truth. */
final class ColumnSketchTest {
  private static ColumnSketch sketch(int rows, double distinct, LongUnaryOperator values) {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 28);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      Buffer buffer = memory.allocate(8L * rows);
      for (int i = 0; i < rows; i++) {
        Mem.putLong(buffer.address() + 8L * i, values.applyAsLong(i));
      }
      ColumnShape shape = ColumnShape.of(DataType.INT64);
      Column column = new Column(shape, rows, buffer, Buffer.EMPTY, null, null);
      ValueDistribution spread = ValueSample.distribution(shape, List.of(column), rows, distinct);
      TableColumnStatistics statistics =
          new TableColumnStatistics(rows, 0, null, distinct, true, 8, spread);
      ColumnSketch sketch =
          ColumnSketch.of(new LoadedColumn(shape, List.of(column), statistics, true, null, memory));
      assertNotNull(sketch);
      return sketch;
    }
  }

  private static double shared(ColumnSketch of, ColumnSketch with) {
    Double share = of.sharedWith(with);
    assertNotNull(share);
    return share;
  }

  @Test
  void sharesOfValuesAreFoundFromSamples() {
    ColumnSketch all = sketch(1_000_000, 1_000_000, i -> i * 7);
    ColumnSketch quarter = sketch(250_000, 250_000, i -> i * 28);
    ColumnSketch tenth = sketch(800_000, 800_000, i -> i % 10 == 0 ? i * 7 : -1 - i);
    assertEquals(0.25, shared(all, quarter), 0.025);
    assertEquals(1, shared(quarter, all));
    assertEquals(0.1, shared(tenth, all), 0.015);
    assertEquals(0, shared(sketch(100_000, 100_000, i -> -5 - i * 3), quarter), 0.001);
  }

  @Test
  void smallColumnsAreExact() {
    ColumnSketch hundred = sketch(1000, 100, i -> i % 100);
    ColumnSketch even = sketch(500, 50, i -> i % 50 * 2);
    assertEquals(0.5, shared(hundred, even));
    assertEquals(1, shared(even, hundred));
    assertNull(sketch(0, 0, i -> i).sharedWith(even));
  }

  @Test
  void frequentValuesHaveTheirShare() {
    assertEquals(0.3, sketch(1_000_000, 700_000, i -> i % 10 < 3 ? 7 : i).topShare(), 0.02);
    assertEquals(0, sketch(1_000_000, 1_000_000, i -> i).topShare());
    assertEquals(1, sketch(1000, 1, i -> 42).topShare());
  }

  /** A frequent value whose bytes are no text is left out of what is looked for one by one. */
  @Test
  void bytesThatAreNoTextHaveASketch() {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 28);
    int rows = 10_000;
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      byte[][] values = new byte[100][];
      for (int i = 0; i < values.length; i++) {
        values[i] = i < 99 ? new byte[] {'a', (byte) i} : new byte[] {(byte) 0xFF};
      }
      Buffer codes = memory.allocate(4L * rows);
      for (int i = 0; i < rows; i++) {
        Mem.putInt(codes.address() + 4L * i, i % 2 == 0 ? 99 : i / 2 % 99);
      }
      ColumnShape shape =
          new ColumnShape(DataType.VARCHAR, Storage.CODE, false, new Dictionary(values), null);
      Column column = new Column(shape, rows, codes, Buffer.EMPTY, null, null);
      ValueDistribution spread = ValueSample.distribution(shape, List.of(column), rows, 100);
      assertEquals(0.5, spread.shares()[0], 0.05);
      TableColumnStatistics statistics =
          new TableColumnStatistics(rows, 0, null, 100, true, 2, spread);
      ColumnSketch sketch =
          ColumnSketch.of(new LoadedColumn(shape, List.of(column), statistics, true, null, memory));
      assertNotNull(sketch);
      assertEquals(1, shared(sketch, sketch));
    }
  }

  /** The second column follows from the first: far fewer pairs than values by values. */
  private static ColumnSketch dependent(int rows, int pieceRows) {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 28);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      ColumnShape shape = ColumnShape.of(DataType.INT64);
      List<LoadedColumn> columns = new ArrayList<>();
      for (long factor : new long[] {3, 5}) {
        List<Column> pieces = new ArrayList<>();
        for (int from = 0; from < rows; from += pieceRows) {
          int count = Math.min(pieceRows, rows - from);
          Buffer buffer = memory.allocate(8L * count);
          for (int i = 0; i < count; i++) {
            Mem.putLong(buffer.address() + 8L * i, (from + i) / 16 * factor);
          }
          pieces.add(new Column(shape, count, buffer, Buffer.EMPTY, null, null));
        }
        double distinct = rows / 16;
        ValueDistribution spread = ValueSample.distribution(shape, pieces, rows, distinct);
        columns.add(
            new LoadedColumn(
                shape,
                pieces,
                new TableColumnStatistics(rows, 0, null, distinct, true, 8, spread),
                true,
                null,
                memory));
      }
      ColumnSketch sketch = ColumnSketch.of(null, List.of(), columns, new LoadWorkers(2));
      assertNotNull(sketch);
      return sketch;
    }
  }

  @Test
  void piecesOfSeveralColumnsAreOneColumnEach() {
    ColumnSketch whole = dependent(400_000, 400_000);
    assertEquals(25_000, whole.distinct(), 1_500);
    for (int pieceRows : new int[] {64, 100_032, 262_144}) {
      ColumnSketch pieces = dependent(400_000, pieceRows);
      assertEquals(whole.distinct(), pieces.distinct());
      assertEquals(1, shared(whole, pieces));
      assertEquals(1, shared(pieces, whole));
      assertArrayEquals(whole.figures().rows(), pieces.figures().rows());
      assertArrayEquals(whole.figures().rowHashes(), pieces.figures().rowHashes());
    }
  }

  /** A column that is taken to have a million values. */
  private static StoredSketch ofMillion(int rows, int pieceRows, LongUnaryOperator value) {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 28);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      ColumnShape shape = ColumnShape.of(DataType.INT64);
      List<Column> pieces = new ArrayList<>();
      for (int from = 0; from < rows; from += pieceRows) {
        int count = Math.min(pieceRows, rows - from);
        Buffer buffer = memory.allocate(8L * count);
        for (int i = 0; i < count; i++) {
          Mem.putLong(buffer.address() + 8L * i, value.applyAsLong(from + i));
        }
        pieces.add(new Column(shape, count, buffer, Buffer.EMPTY, null, null));
      }
      TableColumnStatistics statistics =
          new TableColumnStatistics(rows, 0, null, 1e6, false, 8, ValueDistribution.NONE);
      ColumnSketch sketch =
          ColumnSketch.of(
              null,
              List.of(),
              List.of(new LoadedColumn(shape, pieces, statistics, true, null, memory)),
              new LoadWorkers(2));
      return Objects.requireNonNull(sketch).figures();
    }
  }

  /** A key that is among those kept has nearly all rows: only a part of them is kept. */
  @Test
  void rowsOfAFrequentKeyAreThinnedAlikeInAllRanges() {
    // Of 600,000 values 4,096 are kept: those with the lowest hashes.
    long frequent =
        LongStream.iterate(0, i -> i + 1)
            .filter(i -> DistinctBytes.mix(i + 0x9E3779B97F4A7C15L) >>> 1 < Long.MAX_VALUE / 200)
            .findFirst()
            .orElseThrow();
    LongUnaryOperator value = row -> row % 10 == 0 ? 1_000_000 + row : frequent;
    StoredSketch whole = ofMillion(600_000, 600_000, value);
    assertFalse(whole.allRows());
    assertTrue(whole.rows().length > 20_000 && whole.rows().length <= 65_536);
    for (int pieceRows : new int[] {64_000, 262_144}) {
      StoredSketch pieces = ofMillion(600_000, pieceRows, value);
      assertArrayEquals(whole.hashes(), pieces.hashes());
      assertArrayEquals(whole.rows(), pieces.rows());
      assertArrayEquals(whole.rowHashes(), pieces.rowHashes());
    }
  }
}
