package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.BlockRanges;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What blocks of a column have, found part by part, against a look at the whole column. */
class PartScanTest {
  private static final int[][] PARTS = {
    {}, {0}, {1}, {511}, {512}, {513}, {512, 1024, 7}, {512, 0, 1000}, {0, 5}, {1536, 512},
  };

  /** Blocks of these reach from a part into the next one. */
  private static final int[][] CUT = {{1, 1}, {511, 512}, {512, 100, 412}};

  private static long value(Random random, Storage storage) {
    int bits = 8 * storage.width();
    return switch (random.nextInt(5)) {
      case 0 -> Long.MIN_VALUE >> 64 - bits;
      case 1 -> Long.MAX_VALUE >> 64 - bits;
      default -> random.nextLong() >> 64 - bits + random.nextInt(bits);
    };
  }

  private static Column column(QueryMemory memory, Storage storage, int rows, Random random) {
    ColumnShape shape = ColumnShape.of(DataType.INT64).withStorage(storage);
    int width = storage.width();
    Buffer values = memory.allocate(Math.max(8, (long) rows * width));
    for (int i = 0; i < rows; i++) {
      long value = value(random, storage);
      long at = values.address() + (long) i * width;
      switch (storage) {
        case BYTE -> Mem.putByte(at, (byte) value);
        case SHORT -> Mem.putShort(at, (short) value);
        case INT -> Mem.putInt(at, (int) value);
        default -> Mem.putLong(at, value);
      }
    }
    return new Column(shape, rows, values, Buffer.EMPTY, null, null);
  }

  private static List<Column> columns(
      QueryMemory memory, Storage storage, int[] rows, Random random) {
    List<Column> columns = new ArrayList<>();
    for (int count : rows) {
      columns.add(column(memory, storage, count, random));
    }
    return columns;
  }

  private static @Nullable BlockRanges ranges(List<Column> columns, QueryMemory memory) {
    List<Decoded> parts = columns.stream().map(column -> new Decoded(column, () -> {})).toList();
    PartScan[] scans =
        parts.stream().map(part -> PartScan.of(part, 0, memory)).toArray(PartScan[]::new);
    for (int i = 0; i < scans.length; i++) {
      BlockRanges one = Objects.requireNonNull(BlockRanges.of(columns.subList(i, i + 1), 1 << 20));
      int blocks = one.blocks();
      assertEquals(blocks, one.meeting(scans[i].min, scans[i].max).cardinality());
      if (blocks == 1 && scans[i].min > Long.MIN_VALUE) {
        assertEquals(0, one.meeting(Long.MIN_VALUE, scans[i].min - 1).cardinality());
      }
      if (blocks == 1 && scans[i].max < Long.MAX_VALUE) {
        assertEquals(0, one.meeting(scans[i].max + 1, Long.MAX_VALUE).cardinality());
      }
    }
    return PartScan.ranges(scans, parts.toArray(Decoded[]::new));
  }

  @Test
  void partsKnowTheRangesOfTheirBlocks() {
    Random random = new Random(7);
    MemoryBudget budget = new MemoryBudget("memory", 1 << 28);
    for (Storage storage : List.of(Storage.BYTE, Storage.SHORT, Storage.INT, Storage.LONG)) {
      for (int[] rows : PARTS) {
        try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
          List<Column> columns = columns(memory, storage, rows, random);
          BlockRanges expected =
              Objects.requireNonNull(BlockRanges.of(columns, BlockRanges.BLOCK_ROWS));
          BlockRanges found = Objects.requireNonNull(ranges(columns, memory));
          assertEquals(expected.rows(), found.rows());
          assertEquals(expected.blocks(), found.blocks());
          assertEquals(expected.width(), found.width());
          for (int i = 0; i < 200; i++) {
            long from = value(random, storage);
            assertEquals(expected.meeting(from, from), found.meeting(from, from));
            long to = value(random, storage);
            assertEquals(expected.meeting(from, to), found.meeting(from, to));
          }
        }
      }
    }
  }

  @Test
  void blocksThatReachIntoTheNextPartAreNotKnown() {
    Random random = new Random(11);
    MemoryBudget budget = new MemoryBudget("memory", 1 << 28);
    for (int[] rows : CUT) {
      try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
        assertNull(ranges(columns(memory, Storage.INT, rows, random), memory));
      }
    }
  }

  @Test
  void blocksWithNullsAreNotKnown() {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 28);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      Column column = column(memory, Storage.INT, 600, new Random(13));
      Buffer validity = memory.allocate(80);
      Mem.fill(validity.address(), 80, (byte) -1);
      ColumnShape shape = ColumnShape.of(DataType.INT32.withNullable(true));
      Column valid = new Column(shape, 600, column.values(), Buffer.EMPTY, validity, null);
      assertEquals(2, Objects.requireNonNull(ranges(List.of(valid), memory)).blocks());
      Mem.putByte(validity.address() + 70, (byte) 0x7f);
      Decoded part = new Decoded(valid, () -> {});
      PartScan scan = PartScan.of(part, 0, memory);
      assertNull(PartScan.ranges(new PartScan[] {scan}, new Decoded[] {part}));
    }
  }
}
