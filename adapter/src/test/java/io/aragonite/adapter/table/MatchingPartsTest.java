package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.RowBlocks;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.table.ZoneMap;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a table is read past its cache, and what of it. */
class MatchingPartsTest {
  private static final DataType LONG = DataType.INT64.withNullable(true);

  @TempDir Path directory;

  private final MemoryBudget budget = new MemoryBudget("memory", 1L << 26);

  @BeforeEach
  void write() throws SQLException {
    try (DuckDb duck = new DuckDb()) {
      duck.execute(
          "copy (select range as a, -range as b, 'text ' || range as c from range(20480)) to '%s' (format parquet, row_group_size 2048)"
              .formatted(path()));
    }
  }

  private Path path() {
    return directory.resolve("t.parquet");
  }

  private CachedTable table(UnaryOperator<ZoneMap> claim) {
    return new CachedTable(
        "t", path(), new ClaimingFile(ParquetFile.open(path()), claim), budget, new LoadWorkers(2));
  }

  /** A file that claims what it likes of its column a. */
  private record ClaimingFile(TableFile file, UnaryOperator<ZoneMap> claim) implements TableFile {
    @Override
    public List<FileColumn> columns() {
      return file.columns();
    }

    @Override
    public List<FilePart> parts() {
      return file.parts().stream().map(part -> (FilePart) new Claims(part, claim)).toList();
    }

    @Override
    public boolean copies() {
      return file.copies();
    }

    @Override
    public void close() {
      file.close();
    }
  }

  private record Claims(TableFile.FilePart part, UnaryOperator<ZoneMap> claim)
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
    public ZoneMap zone(int column) {
      return column == 0 ? claim.apply(part.zone(0)) : part.zone(column);
    }

    @Override
    public long fileBytes(int column) {
      return part.fileBytes(column);
    }
  }

  private static Expr below(long limit) {
    return Expr.call(
        Op.LT, DataType.BOOLEAN.withNullable(true), Expr.ref(1, LONG), Expr.literal(limit, LONG));
  }

  private static Table.TableParts matching(CachedTable table, long limit) {
    Table.TableParts parts = table.matching(List.of(1, 0), below(limit));
    assertNotNull(parts);
    return parts;
  }

  @Test
  void partsThatMatchAreReadWithWhatTheFilePromises() {
    try (CachedTable table = table(zone -> zone)) {
      Table.TableParts parts = matching(table, 3000);
      assertEquals(2, parts.count());
      assertEquals(8, parts.skipped());
      assertTrue(parts.fileBytes() > 0);
      ColumnShape shape = parts.shapes().get(0);
      assertEquals(new ValueRange(-4095, 0), shape.range());
      assertEquals(false, shape.mayBeNull());
      try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
        List<ColumnBatch> chunks = parts.read(1, memory);
        assertEquals(2048, ColumnBatch.rows(chunks));
        assertEquals(-2048, Mem.getLong(chunks.getFirst().column(0).values().address()));
        assertEquals(2048, Mem.getLong(chunks.getFirst().column(1).values().address()));
      }
    }
    assertEquals(0, budget.used());
  }

  /** All that is read past the cache is not more than the column. */
  @Test
  void afterAsMuchAsAColumnItIsLoaded() {
    try (CachedTable table = table(zone -> zone)) {
      for (int i = 0; i < 3; i++) {
        assertEquals(3, matching(table, 6000).count());
      }
      assertNull(table.matching(List.of(1, 0), below(6000)));
      // Little is left of it.
      assertEquals(1, matching(table, 10).count());
      assertNull(table.matching(List.of(1, 0), below(10)));
      assertEquals(0, matching(table, -10).count());
      table.pin(List.of(1, 0)).close();
      assertNull(table.matching(List.of(1, 0), below(10)));
      assertNull(table.matching(List.of(1, 0), below(1_000_000)));
    }
    assertEquals(0, budget.used());
  }

  @Test
  void aTableThatMemoryDoesNotHoldIsAlwaysReadPast() {
    MemoryBudget little = new MemoryBudget("memory", 1L << 20);
    try (CachedTable table =
        new CachedTable("t", path(), ParquetFile.open(path()), little, new LoadWorkers(1))) {
      for (int i = 0; i < 20; i++) {
        assertEquals(3, matching(table, 6000).count());
      }
    }
    assertEquals(0, little.used());
  }

  /** Code is made for what the file promises: values that break it are an error. */
  @Test
  void valuesOutsideOfTheBoundsAreAnError() {
    List<UnaryOperator<ZoneMap>> claims =
        List.of(
            zone -> new ZoneMap(zone.rows(), 0, zone.min(), (Long) zone.max() - 1, false),
            zone -> new ZoneMap(zone.rows(), 0, (Long) zone.min() + 1, zone.max(), false));
    for (UnaryOperator<ZoneMap> claim : claims) {
      try (CachedTable table = table(claim);
          QueryMemory memory = new NativeQueryMemory(budget, 0)) {
        Table.TableParts parts = table.matching(List.of(0, 1), equalTo(-20_479, 1));
        assertNotNull(parts);
        assertEquals(1, parts.count());
        AragoniteException error =
            assertThrows(AragoniteException.class, () -> parts.read(0, memory));
        assertEquals(ErrorCode.FILE_BROKEN, error.code());
        assertTrue(error.getMessage().contains("\"a\""), error::getMessage);
        assertTrue(error.getMessage().contains(path().toString()), error::getMessage);
      }
    }
    assertEquals(0, budget.used());
  }

  private static Expr equalTo(long value, int column) {
    return Expr.call(
        Op.EQ,
        DataType.BOOLEAN.withNullable(true),
        Expr.ref(column, LONG),
        Expr.literal(value, LONG));
  }

  @Test
  void ofAFileThatHasChangedNothingIsLeftOut() throws IOException {
    try (CachedTable table = table(zone -> zone)) {
      RowBlocks some = new RowBlocks(BitSet.valueOf(new long[] {2}), 1024);
      assertEquals(1, matching(table, 10).count());
      assertEquals(1, table.rowsIn(List.of(1, 0), some).count());
      Files.setLastModifiedTime(path(), FileTime.fromMillis(1_000_000));
      assertNull(table.matching(List.of(1, 0), below(10)));
      assertNull(table.rowsIn(List.of(1, 0), some));
    }
  }

  @Test
  void aFileThatChangesMeanwhileIsAnError() throws Exception {
    try (CachedTable table = table(zone -> zone);
        QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      Table.TableParts parts = matching(table, 3000);
      parts.read(0, memory);
      Files.setLastModifiedTime(path(), FileTime.fromMillis(1_000_000));
      Thread.sleep(600);
      AragoniteException error =
          assertThrows(AragoniteException.class, () -> parts.read(1, memory));
      assertEquals(ErrorCode.FILE_BROKEN, error.code());
      assertTrue(error.getMessage().contains("has changed while it was read"), error::getMessage);
    }
    assertEquals(0, budget.used());
  }

  @Test
  void eachOfSeveralFilesIsLookedAt() throws Exception {
    Path first = Files.writeString(path().resolveSibling("first.csv"), "a\n1\n");
    Path other = Files.writeString(path().resolveSibling("other.csv"), "a\n2\n");
    List<Path> both = List.of(first, other);
    FileStamp stamp = FileStamp.ofFound(both, both.stream().map(FileStamp::stateOf).toList());
    Thread.sleep(600);
    assertFalse(stamp.changed());
    assertTrue(stamp.isCurrent());
    Files.writeString(other, "a\n22\n");
    assertFalse(stamp.isCurrent());
    assertTrue(stamp.changed());
    assertTrue(String.valueOf(stamp.changedWhileRead().getMessage()).contains(other.toString()));
  }

  /** At once: what is known of a file for a while does not count here. */
  @Test
  void columnsOfAChangedFileAreNotLoadedBesideOlderOnes() throws Exception {
    try (CachedTable table = table(zone -> zone)) {
      table.cache().withLoaded(List.of(0), columns -> null);
      Files.setLastModifiedTime(path(), FileTime.fromMillis(1_000_000_000_000L));
      for (int tries = 0; tries < 2; tries++) { // nothing of the first stays in memory
        AragoniteException error =
            assertThrows(
                AragoniteException.class,
                () -> table.cache().withLoaded(List.of(0, 1), columns -> null));
        assertEquals(ErrorCode.FILE_BROKEN, error.code());
      }
    }
  }

  private static List<Long> first(List<TableFile.FilePart> parts, MemoryBudget budget) {
    List<Long> values = new ArrayList<>();
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      for (TableFile.FilePart part : parts) {
        Column column = part.read(0, memory).column();
        for (int row = 0; row < part.rows(); row++) {
          values.add(Mem.getLong(column.values().address() + 8L * row));
        }
      }
    }
    return values;
  }

  /** All rows of wanted blocks are there, once and in order, and no part without one. */
  @Test
  void partsOfBlocksHaveTheirRows() {
    Random random = new Random(Long.getLong("aragonite.seed", 11));
    try (TableFile file = ParquetFile.open(path())) {
      for (int round = 0; round < 40; round++) {
        int blockRows = 1 << random.nextInt(13);
        BitSet wanted = new BitSet();
        for (int i = random.nextInt(6); i > 0; i--) {
          int from = random.nextInt(20_480 / blockRows);
          wanted.set(from, Math.min(20_480 / blockRows, from + 1 + random.nextInt(4)));
        }
        MatchingParts parts = MatchingParts.in(file, new RowBlocks(wanted, blockRows));
        List<Long> rows = first(parts.parts(), budget);
        assertEquals(rows.stream().sorted().distinct().toList(), rows);
        assertEquals(parts.share(), rows.size() / 20_480.0);
        Set<Long> found = new HashSet<>(rows);
        for (long row = 0; row < 20_480; row++) {
          boolean may = !wanted.get((int) (row / blockRows)) || found.contains(row);
          assertTrue(may, wanted + " of " + blockRows + " rows lack " + row);
        }
        BitSet used = new BitSet();
        wanted.stream()
            .forEach(block ->
                used.set(block * blockRows / 2048, (block * blockRows + blockRows - 1) / 2048 + 1));
        assertEquals(10 - used.cardinality(), parts.skipped());
      }
    }
    assertEquals(0, budget.used());
  }

  @Test
  void partsAreCutIntoSmallOnesFirst() {
    List<Long> all = LongStream.range(0, 20_480).boxed().toList();
    try (TableFile file = ParquetFile.open(path())) {
      for (int rows : List.of(1, 7, 1000, 2048, 50_000)) {
        List<TableFile.FilePart> parts = MatchingParts.cut(file.parts(), rows);
        assertEquals(Math.min(rows, 2048), parts.getFirst().rows());
        assertEquals(all, first(parts, budget));
      }
    }
    assertEquals(0, budget.used());
  }
}
