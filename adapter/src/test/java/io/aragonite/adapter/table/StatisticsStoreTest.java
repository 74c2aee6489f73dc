package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.TestUnpacking;
import io.aragonite.adapter.table.StoredStatistics.StoredSketch;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.rules.metadata.KeySketch;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statistics that one process leaves to the next, and what is passed over. */
final class StatisticsStoreTest {
  private static final int ROWS = 40_000;

  @TempDir private Path temporary;
  private Path tables;
  private Path file;
  private StatisticsStore store;

  @BeforeEach
  void write() throws Exception {
    tables = Files.createDirectory(temporary.resolve("tables"));
    file = tables.resolve("t.parquet");
    store = new StatisticsStore(temporary.resolve("cache").resolve("statistics"));
    write(ROWS);
    Files.writeString(tables.resolve("u.csv"), "id,name,price\n1,one,1.5\n2,two,2.5\n7,,\n");
  }

  private void write(int rows) throws Exception {
    try (DuckDb duck = new DuckDb()) {
      duck.execute(
          "copy (select i as id, (i * 7919) % 1000 as k, 'name ' || i % 50 as few,"
              + " 'text ' || i as many, i / 7.0::double as d,"
              + " case when i % 3 = 0 then null else (i % 100)::decimal(9, 2) end as n"
              + " from range("
              + rows
              + ") r(i)) to '"
              + file
              + "' (format parquet, row_group_size 4096)");
    }
  }

  /** What a process asks of the tables. */
  private record TableAnswers(
      int computations,
      long cached,
      List<Long> bytes,
      List<TableColumnStatistics> statistics,
      List<@Nullable KeySketch> sketches) {}

  private static TableAnswers ask(CachedTable table, MemoryBudget budget) {
    List<TableColumnStatistics> statistics = new ArrayList<>();
    List<@Nullable KeySketch> sketches = new ArrayList<>();
    List<Long> bytes = new ArrayList<>();
    int columns = table.columnNames().size();
    for (int c = 0; c < columns; c++) {
      statistics.add(table.statistics().of(c));
      sketches.add(table.statistics().sketch(List.of(c)));
    }
    sketches.add(table.statistics().sketch(List.of(0, 1)));
    for (int c = 0; c < columns; c++) {
      bytes.add(table.bytes(c));
    }
    return new TableAnswers(
        table.statistics().computations(), budget.used(), bytes, statistics, sketches);
  }

  /** As a process would: opens the tables, asks, closes them. */
  private TableAnswers process(String name) {
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    TableAnswers answers;
    try (TableCatalog catalog = TableCatalog.open(tables, budget, TestUnpacking.ANY, 2, store)) {
      CachedTable table = Objects.requireNonNull(catalog.table(name));
      answers = ask(table, budget);
      int before = table.statistics().computations();
      try (Table.Pin pin = table.pin(List.of(0, 1, 2))) {
        assertEquals(table.rows(), pin.chunks().stream().mapToLong(c -> c.rows()).sum());
      }
      assertEquals(before, table.statistics().computations(), "loading counts what is known");
    }
    assertEquals(0, budget.used(), "bytes in use");
    return answers;
  }

  private static void same(TableColumnStatistics a, TableColumnStatistics b) {
    assertEquals(a.withDistribution(b.distribution()), b);
    assertEquals(a.distribution().sampled(), b.distribution().sampled());
    assertArrayEquals(a.distribution().bounds(), b.distribution().bounds());
    assertEquals(a.distribution().frequent(), b.distribution().frequent());
    assertArrayEquals(a.distribution().shares(), b.distribution().shares());
  }

  @Test
  void aSecondProcessComputesNothing() {
    for (String name : List.of("t", "u")) {
      TableAnswers first = process(name);
      assertTrue(first.computations > 0);
      TableAnswers second = process(name);
      assertEquals(0, second.computations, "computed again");
      assertEquals(0, second.cached, "bytes of columns loaded");
      assertEquals(first.bytes, second.bytes);
      for (int c = 0; c < first.statistics.size(); c++) {
        same(first.statistics.get(c), second.statistics.get(c));
      }
      for (int i = 0; i < first.sketches.size(); i++) {
        KeySketch a = first.sketches.get(i);
        KeySketch b = second.sketches.get(i);
        assertEquals(a == null, b == null, "sketch " + i);
        if (a != null && b != null) {
          assertEquals(a.distinct(), b.distinct());
          assertEquals(a.topShare(), b.topShare());
          assertEquals(1.0, a.sharedWith(b));
          same(((ColumnSketch) a).figures(), ((ColumnSketch) b).figures());
        }
      }
    }
  }

  private static void same(StoredSketch a, StoredSketch b) {
    assertEquals(a.texts(), b.texts());
    assertEquals(a.threshold(), b.threshold());
    assertArrayEquals(a.hashes(), b.hashes());
    assertArrayEquals(a.rows(), b.rows());
    assertArrayEquals(a.rowHashes(), b.rowHashes());
    assertEquals(a.allRows(), b.allRows());
    assertArrayEquals(a.frequent().values(), b.frequent().values());
  }

  @Test
  void aFileThatHasChangedIsLookedAtAnew() throws Exception {
    process("t");
    FileTime time = Files.getLastModifiedTime(file);
    Files.setLastModifiedTime(file, FileTime.fromMillis(time.toMillis() + 5000));
    assertTrue(process("t").computations > 0, "another time of change");
    assertEquals(0, process("t").computations);
    write(ROWS + 1);
    TableAnswers larger = process("t");
    assertTrue(larger.computations > 0, "other rows");
    assertEquals(ROWS + 1, larger.statistics.getFirst().rows());
    assertEquals(0, process("t").computations);
  }

  private void rewriteUnseen(Path csv, String rows) throws IOException {
    FileTime time = Files.getLastModifiedTime(csv);
    long size = Files.size(csv);
    Files.writeString(csv, rows);
    assertEquals(size, Files.size(csv));
    Files.setLastModifiedTime(csv, time);
  }

  @Test
  void orderIsThatOfTheValuesWhateverWasKept() throws IOException {
    Path csv = tables.resolve("o.csv");
    Files.writeString(csv, "id,name,n\n1,one,4\n2,two,5\n7,six,6\n");
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    try (TableCatalog catalog = TableCatalog.open(tables, budget, TestUnpacking.ANY, 2, store)) {
      CachedTable table = Objects.requireNonNull(catalog.table("o"));
      ask(table, budget);
      assertTrue(table.ascends(0));
    }
    rewriteUnseen(csv, "id,name,n\n7,six,6\n2,two,5\n1,one,4\n");
    try (TableCatalog catalog = TableCatalog.open(tables, budget, TestUnpacking.ANY, 2, store)) {
      assertFalse(Objects.requireNonNull(catalog.table("o")).ascends(0));
    }
  }

  @Test
  void figuresOfOtherValuesAreForgottenWhenTheValuesAreSeen() throws IOException {
    Path csv = tables.resolve("o.csv");
    Files.writeString(csv, "id,name,n\n1,one,4\n2,two,5\n7,six,6\n");
    process("o");
    assertTrue(Files.exists(store.file(csv)));
    rewriteUnseen(csv, "id,name,n\n1,one,4\n2,two,5\n9,six,6\n");
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    try (TableCatalog catalog = TableCatalog.open(tables, budget, TestUnpacking.ANY, 2, store)) {
      CachedTable table = Objects.requireNonNull(catalog.table("o"));
      assertEquals(7, Objects.requireNonNull(table.statistics().of(0).range()).max());
      try (Table.Pin pin = table.pin(List.of(0))) {
        assertEquals(3, pin.chunks().getFirst().rows());
      }
      assertEquals(9, Objects.requireNonNull(table.statistics().of(0).range()).max());
    }
    assertFalse(Files.exists(store.file(csv)), "kept again");
  }

  @Test
  void whatIsDeclaredBesideAFileBelongsToItsState() throws IOException {
    process("u");
    Files.writeString(
        tables.resolve("u.csv.json"),
        "{\"columns\": [{\"name\": \"id\", \"type\": \"DECIMAL(9, 1)\"}]}");
    TableAnswers declared = process("u");
    assertTrue(declared.computations > 0);
    assertEquals(70, Objects.requireNonNull(declared.statistics.getFirst().range()).max());
  }

  @Test
  void figuresOfAFileThatChangesMeanwhileAreNotKept() throws IOException {
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    try (TableCatalog catalog = TableCatalog.open(tables, budget, TestUnpacking.ANY, 2, store)) {
      ask(Objects.requireNonNull(catalog.table("t")), budget);
      Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000));
    }
    assertFalse(Files.exists(store.file(file)));
  }

  @Test
  void analyzeRenewsThem() throws IOException {
    process("t");
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    Files.setLastModifiedTime(store.file(file), FileTime.fromMillis(1_000_000));
    try (TableCatalog catalog = TableCatalog.open(tables, budget, TestUnpacking.ANY, 2, store)) {
      CachedTable table = Objects.requireNonNull(catalog.table("t"));
      ask(table, budget);
      assertEquals(0, table.statistics().computations());
      table.statistics().analyze();
      assertTrue(table.statistics().computations() >= table.columnNames().size());
    }
    assertNotEquals(1_000_000, Files.getLastModifiedTime(store.file(file)).toMillis());
    assertEquals(0, process("t").computations);
  }

  private StoredStatistics load() {
    return store.load(file, new FileStamp(file).state(), 6, ROWS);
  }

  @Test
  void whatIsCutShortDamagedOrOfAnotherVersionIsPassedOver() throws IOException {
    process("t");
    Path kept = store.file(file);
    byte[] sound = Files.readAllBytes(kept);
    assertFalse(load().columns().isEmpty());
    Random random = new Random(3);
    for (int i = 0; i < 200; i++) {
      Files.write(kept, Arrays.copyOf(sound, random.nextInt(sound.length)));
      assertEquals(StoredStatistics.NONE, load(), "cut short");
      byte[] damaged = sound.clone();
      damaged[random.nextInt(sound.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(kept, damaged);
      assertEquals(StoredStatistics.NONE, load(), "damaged");
    }
    byte[] newer = sound.clone();
    ByteBuffer.wrap(newer).putInt(4, ByteBuffer.wrap(sound).getInt(4) + 1);
    Files.write(kept, newer);
    assertEquals(StoredStatistics.NONE, load(), "of another version");
    Files.write(kept, new byte[0]);
    assertTrue(process("t").computations > 0);
    assertEquals(0, process("t").computations, "written again");
    // Of another table, or of one with other columns or rows.
    Path other = tables.resolve("other.parquet");
    Files.copy(kept, store.file(other));
    assertEquals(StoredStatistics.NONE, store.load(other, new FileStamp(file).state(), 6, ROWS));
    assertEquals(StoredStatistics.NONE, store.load(file, new FileStamp(file).state(), 5, ROWS));
    assertEquals(StoredStatistics.NONE, store.load(file, new FileStamp(file).state(), 6, ROWS - 1));
  }

  /** Whatever the bytes are: rows of samples are rows of the table. */
  @Test
  void figuresThatNoTableHasAreRefused() throws IOException {
    process("t");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    StoredStatisticsFormat.write(load(), new DataOutputStream(bytes));
    byte[] sound = bytes.toByteArray();
    assertNotNull(StoredStatisticsFormat.read(sound, 0, 6, ROWS));
    Random random = new Random(5);
    int refused = 0;
    for (int i = 0; i < 1000; i++) {
      byte[] damaged = sound.clone();
      int at = random.nextInt(sound.length);
      for (int j = at; j < Math.min(sound.length, at + 1 + random.nextInt(8)); j++) {
        damaged[j] = (byte) random.nextInt();
      }
      try {
        for (var sketch : StoredStatisticsFormat.read(damaged, 0, 6, ROWS).sketches().values()) {
          long before = -1;
          for (long row : sketch.map(StoredSketch::rows).orElse(new long[0])) {
            assertTrue(row > before && row < ROWS, "row " + row);
            before = row;
          }
        }
      } catch (IOException e) {
        refused++;
      }
    }
    assertTrue(refused > 20, refused + " refused");
  }

  @Test
  void writersBesideEachOtherLeaveOneWholeFile() throws IOException {
    process("t");
    StoredStatistics all = load();
    StoredStatistics few =
        new StoredStatistics(all.columns(), Collections.emptyMap(), Collections.emptyMap());
    List<String> state = new FileStamp(file).state();
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int w = 0; w < 4; w++) {
      StoredStatistics mine = w % 2 == 0 ? all : few;
      writers.add(
          CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 50; i++) {
              assertTrue(store.save(file, state, mine));
            }
          }));
    }
    while (!writers.stream().allMatch(CompletableFuture::isDone)) {
      int found = load().sketches().size();
      assertTrue(found == 0 || found == all.sketches().size(), found + " sketches");
      assertEquals(6, load().columns().size());
    }
    writers.forEach(CompletableFuture::join);
    try (Stream<Path> files = Files.list(store.file(file).getParent())) {
      assertEquals(List.of(store.file(file)), files.toList());
    }
  }

  @Test
  void aFolderThatCannotBeWrittenKeepsNothing() throws IOException {
    Path occupied = Files.writeString(temporary.resolve("occupied"), "a file");
    store = new StatisticsStore(occupied);
    assertTrue(process("t").computations > 0);
    assertTrue(process("t").computations > 0);
    assertEquals("a file", Files.readString(occupied));
  }

  @Test
  void theOldestFilesGo() throws IOException {
    StoredStatistics none =
        new StoredStatistics(List.of(), Collections.emptyMap(), Collections.emptyMap());
    for (int i = 0; i < 10; i++) {
      Path path = tables.resolve("t" + i);
      assertTrue(store.save(path, List.of("state"), none));
      Files.setLastModifiedTime(store.file(path), FileTime.fromMillis(1000L * i));
    }
    store.prune(7, Long.MAX_VALUE);
    assertFalse(Files.exists(store.file(tables.resolve("t2"))));
    assertTrue(Files.exists(store.file(tables.resolve("t3"))));
    store.prune(7, 2 * Files.size(store.file(tables.resolve("t3"))));
    assertFalse(Files.exists(store.file(tables.resolve("t7"))));
    assertTrue(Files.exists(store.file(tables.resolve("t8"))));
  }

  @Test
  void nothingIsKeptWhereNothingShallBe() {
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    try (TableCatalog catalog = TableCatalog.open(tables, budget, TestUnpacking.ANY, 2)) {
      ask(Objects.requireNonNull(catalog.table("t")), budget);
    }
    assertFalse(Files.exists(store.file(file)));
  }

  @Test
  void aSettingTurnsItOff() {
    String before = System.getProperty("aragonite.statistics");
    try {
      System.setProperty("aragonite.statistics", "off");
      assertNull(StatisticsStore.ofUser());
      System.clearProperty("aragonite.statistics");
      assertNotNull(StatisticsStore.ofUser());
    } finally {
      if (before != null) {
        System.setProperty("aragonite.statistics", before);
      }
    }
  }
}
