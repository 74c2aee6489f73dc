package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.TestUnpacking;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Texts of Parquet files that are decoded where the column is to be, and those that cannot be. */
final class TextPlaceTest {
  private static final int ROWS = 100_000;
  private static final int GROUP = 4096;

  @TempDir private Path temporary;

  @BeforeEach
  void write() throws Exception {
    try (DuckDb duck = new DuckDb()) {
      duck.execute(
          "copy (select repeat('ab', i % 37) || i as many, case when i % 7 = 3 then null when i % 5"
              + " = 0 then '' else 'n' || i * i end as gaps, case when i < 8192 then 'few ' || i %"
              + " 3 else 'many ' || i end as mixed, 'f' || i % 50 as few, case when i >= 0 then"
              + " null else 'x' end as nothing from range("
              + ROWS
              + ") r(i)) to '"
              + temporary.resolve("t.parquet")
              + "' (format parquet, row_group_size "
              + GROUP
              + ")");
    }
  }

  /** Counts the parts whose values are where the reader wanted them. */
  private record Watched(TableFile file, AtomicInteger inPlace) implements TableFile {
    @Override
    public List<FileColumn> columns() {
      return file.columns();
    }

    @Override
    public boolean copies() {
      return file.copies();
    }

    @Override
    public List<FilePart> parts() {
      return file.parts().stream().map(part -> (FilePart) new WatchedPart(part, inPlace)).toList();
    }

    @Override
    public void close() {}
  }

  private record WatchedPart(TableFile.FilePart part, AtomicInteger inPlace)
      implements TableFile.FilePart {
    @Override
    public int rows() {
      return part.rows();
    }

    @Override
    public TableFile.Decoded read(int column, QueryMemory temporary) {
      return part.read(column, temporary);
    }

    @Override
    public TableFile.Decoded read(int column, QueryMemory temporary, long target, Storage storage) {
      TableFile.Decoded decoded = part.read(column, temporary, target, storage);
      if (target != 0 && decoded.column().values().address() == target) {
        inPlace.incrementAndGet();
      }
      return decoded;
    }

    @Override
    public long textBytes(int column) {
      return part.textBytes(column);
    }
  }

  private static @Nullable String text(Column column, int row) {
    if (column.validity() != null && !Mem.getBit(column.validity().address(), row)) {
      return null;
    }
    long offsets = column.offsets().address() + 4L * row;
    byte[] bytes = new byte[Mem.getInt(offsets + 4) - Mem.getInt(offsets)];
    Mem.copy(column.values().address() + Mem.getInt(offsets), bytes, 0, bytes.length);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /**
   * Loads a column with and without counting its values, and checks them.
   *
   * @return parts that were in place
   */
  private int check(int column, boolean few, IntFunction<@Nullable String> expected) {
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    AtomicInteger inPlace = new AtomicInteger();
    try (TableCatalog catalog = TableCatalog.open(temporary, budget, TestUnpacking.ANY, 2, null)) {
      TableFile file = new Watched(Objects.requireNonNull(catalog.table("t")).file(), inPlace);
      assertEquals((ROWS + GROUP - 1) / GROUP, file.parts().size());
      DataType type = Objects.requireNonNull(file.columns().get(column).type());
      for (boolean counts : new boolean[] {true, false}) {
        ColumnLoader loader =
            new ColumnLoader(Path.of("t"), file, column, type, budget, new LoadWorkers(2), counts);
        try (LoadedColumn loaded = loader.load()) {
          if (few) {
            assertNotNull(loaded.shape().dictionary());
          } else {
            assertNull(loaded.shape().dictionary());
            assertEquals(1, loaded.pieces().size());
            Column piece = loaded.pieces().getFirst();
            for (int row = 0; row < ROWS; row++) {
              assertEquals(expected.apply(row), text(piece, row), "row " + row);
            }
          }
        }
        if (counts) {
          assertEquals(0, inPlace.get(), "parts that are read again");
        }
      }
    }
    assertEquals(0, budget.used(), "bytes in use");
    return inPlace.get();
  }

  @Test
  void textsAreDecodedWhereTheyStay() {
    int parts = (ROWS + GROUP - 1) / GROUP;
    assertEquals(parts, check(0, false, row -> "ab".repeat(row % 37) + row));
    assertEquals(
        parts,
        check(1, false, row -> row % 7 == 3 ? null : row % 5 == 0 ? "" : "n" + (long) row * row));
  }

  @Test
  void someInDictionaries() {
    int inPlace = check(2, false, row -> row < 8192 ? "few " + row % 3 : "many " + row);
    assertTrue(inPlace > 0 && inPlace < (ROWS + GROUP - 1) / GROUP, "in place " + inPlace);
  }

  @Test
  void dictionariesNeedNoPlace() {
    check(3, true, row -> "f" + row % 50);
    check(4, true, row -> null);
  }
}
