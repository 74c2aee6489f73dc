package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.ZoneMap;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Columns of integers whose files say between which bounds they are, truly or not. */
final class PromisedStorageTest {
  private static final DataType DECIMAL = DataType.decimal(15, 2, true);
  private static final DataType BIGINT = DataType.INT64.withNullable(true);
  private static final DataType DATE = DataType.DATE.withNullable(true);

  /**
   * A part of 64-bit integers.
   *
   * @param min what it says of them; null: nothing
   */
  private record Part(
      DataType type, List<@Nullable Long> values, @Nullable Long min, @Nullable Long max)
      implements TableFile.FilePart {
    @Override
    public int rows() {
      return values.size();
    }

    @Override
    public ZoneMap zone(int column) {
      return new ZoneMap(rows(), -1, bound(min), bound(max), false);
    }

    private @Nullable Object bound(@Nullable Long value) {
      return value == null || !type.equals(DECIMAL) ? value : (Object) BigDecimal.valueOf(value, 2);
    }

    @Override
    public TableFile.Decoded read(int column, QueryMemory memory) {
      Storage storage = Storage.of(type);
      Buffer numbers = memory.allocate((long) rows() * storage.width());
      Buffer validity = memory.allocate((rows() + 63L) / 64 * 8);
      Mem.fill(validity.address(), validity.size(), (byte) 0);
      for (int i = 0; i < rows(); i++) {
        // Under a null is what fits nothing narrower.
        long value = Objects.requireNonNullElse(values.get(i), 0x7654_3210_7654_3210L);
        if (storage == Storage.LONG) {
          Mem.putLong(numbers.address() + 8L * i, value);
        } else {
          Mem.putInt(numbers.address() + 4L * i, (int) value);
        }
        if (values.get(i) != null) {
          long at = validity.address() + (i >> 3);
          Mem.putByte(at, (byte) (Mem.getByte(at) | 1 << (i & 7)));
        }
      }
      boolean nulls = values.stream().anyMatch(Objects::isNull);
      return new TableFile.Decoded(
          new Column(
              ColumnShape.of(type), rows(), numbers, Buffer.EMPTY, nulls ? validity : null, null),
          () -> {});
    }
  }

  private record Numbers(List<Part> numbers) implements TableFile {
    @Override
    public List<FileColumn> columns() {
      return List.of(new FileColumn("n", numbers.getFirst().type, "number"));
    }

    @Override
    public List<FilePart> parts() {
      return List.copyOf(numbers);
    }

    @Override
    public boolean copies() {
      return true;
    }

    @Override
    public void close() {}
  }

  private static Part honest(DataType type, @Nullable Long... values) {
    List<Long> present = Stream.of(values).filter(Objects::nonNull).toList();
    return new Part(
        type,
        Arrays.asList(values),
        present.stream().min(Long::compare).orElse(null),
        present.stream().max(Long::compare).orElse(null));
  }

  private static List<@Nullable Long> values(List<Column> pieces) {
    List<@Nullable Long> values = new ArrayList<>();
    for (Column piece : pieces) {
      for (int i = 0; i < piece.dataRows(); i++) {
        boolean present = piece.validity() == null || Mem.getBit(piece.validity().address(), i);
        long at = piece.values().address();
        values.add(present ? (Long) PartScan.integer(piece.shape().storage(), at, i) : null);
      }
    }
    return values;
  }

  /** Loads a column, which must be in a storage, and reads its parts anew in the same. */
  private static void check(Storage storage, Part... parts) {
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    Numbers file = new Numbers(List.of(parts));
    List<@Nullable Long> expected = Stream.of(parts).flatMap(part -> part.values.stream()).toList();
    List<Long> present = expected.stream().filter(Objects::nonNull).toList();
    ColumnLoader loader =
        new ColumnLoader(
            Path.of("numbers"), file, 0, parts[0].type, budget, new LoadWorkers(2), true);
    try (LoadedColumn loaded = loader.load()) {
      assertEquals(storage, loaded.shape().storage());
      assertEquals(expected, values(loaded.pieces()));
      ValueRange range = loaded.shape().range();
      if (present.isEmpty()) {
        assertNull(range);
      } else {
        assertEquals(
            new ValueRange(
                present.stream().min(Long::compare).orElseThrow(),
                present.stream().max(Long::compare).orElseThrow()),
            range);
      }
      assertEquals(expected.size() - present.size(), loaded.statistics().nulls());
      assertEquals(present.stream().distinct().count(), loaded.statistics().distinct());
      try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
        for (Part part : parts) {
          assertEquals(
              part.values, values(loader.read(loaded.shape(), part, expected.size(), memory)));
        }
      }
    }
    assertEquals(0, budget.used(), "bytes in use");
  }

  @Test
  void boundsDecideTheWidth() {
    check(Storage.BYTE, honest(DECIMAL, 0L, -128L, 127L), honest(DECIMAL, 5L));
    check(Storage.SHORT, honest(DECIMAL, 0L, 5L), honest(DECIMAL, 128L));
    check(Storage.INT, honest(DECIMAL, 0L, -40_000L));
    check(Storage.LONG, honest(DECIMAL, 0L, 1L << 31));
    check(Storage.SHORT, honest(DATE, 9_000L, 1L));
    check(Storage.INT, honest(DATE, 40_000L));
    check(Storage.INT, honest(BIGINT, 1L, 2L));
    check(Storage.LONG, honest(BIGINT, 1L, Long.MIN_VALUE));
  }

  @Test
  void rowsAreNull() {
    check(Storage.BYTE, honest(DECIMAL, null, 1L, null), honest(DECIMAL, 3L, 4L));
    check(Storage.SHORT, honest(DATE, null, 1L), honest(DATE, 3L, 400L, null));
  }

  @Test
  void filesThatSayNothingHaveTheWidthOfTheirType() {
    check(Storage.LONG, new Part(DECIMAL, List.of(1L, 2L), null, null));
    check(Storage.LONG, honest(DECIMAL, 1L), new Part(DECIMAL, List.of(2L), null, null));
    check(Storage.LONG, new Part(DECIMAL, Arrays.asList(null, null), null, null));
  }

  @Test
  void wrongBoundsCostNothingButTheWidth() {
    check(Storage.LONG, new Part(DECIMAL, List.of(1L, 128L), 1L, 2L));
    check(Storage.LONG, honest(DECIMAL, 1L), new Part(DECIMAL, List.of(-40_000L, 7L), 0L, 300L));
    check(Storage.INT, new Part(DATE, List.of(1L, 70_000L), 1L, 2L), honest(DATE, 3L));
  }
}
