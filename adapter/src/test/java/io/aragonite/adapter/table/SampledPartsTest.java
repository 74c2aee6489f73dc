package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.TestUnpacking;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.vector.ValueRange;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans of large tables whose columns are not in memory: no column is loaded for them. */
final class SampledPartsTest {
  private static final int ROWS = 2_000_000;

  private static final int ID = 0;
  private static final int PARENT = 1;
  private static final int KEY = 2;
  private static final int FEW = 3;
  private static final int PRICE = 4;
  private static final int TEXT = 5;
  private static final int HIDDEN = 6;

  @TempDir private static Path temporary;
  private final MemoryBudget budget = new MemoryBudget("memory", 1L << 30);
  private TableCatalog catalog;
  private CachedTable table;

  @BeforeAll
  static void write() throws Exception {
    try (DuckDb duck = new DuckDb()) {
      duck.execute(
          "copy (select i as id, i // 4 + 1 as parent, hash(i) % 20000 + 1 as k,"
              + " 'name ' || hash(i + 3) % 50 as few, case when hash(i + 1) % 10 = 0 then null"
              + " else (hash(i + 2) % 100000)::decimal(9, 2) end as price, 'text ' || i as t,"
              + " case when i % 122880 < 10000 then 0 else i end as hidden"
              + " from range("
              + ROWS
              + ") r(i)) to '"
              + temporary.resolve("t.parquet")
              + "' (format parquet)");
    }
  }

  @BeforeEach
  void open() throws Exception {
    catalog = TableCatalog.open(temporary, budget, TestUnpacking.ANY, 2, null);
    table = Objects.requireNonNull(catalog.table("t"));
  }

  @AfterEach
  void close() {
    catalog.close();
    assertEquals(0, budget.used());
  }

  @Test
  void figuresOfSomePartsAreNearThoseOfAll() {
    double[] distinct = {ROWS, ROWS / 4.0, 20_000, 50, 100_000, ROWS};
    for (int column = 0; column < distinct.length; column++) {
      TableColumnStatistics known = table.statistics().planned(column);
      String what = table.columnNames().get(column) + ": " + known;
      assertEquals(ROWS, known.rows());
      assertFalse(known.exact());
      assertEquals(distinct[column], known.distinct(), 0.15 * distinct[column], what);
    }
    assertEquals(new ValueRange(0, ROWS - 1), table.statistics().planned(ID).range());
    assertEquals(new ValueRange(1, ROWS / 4), table.statistics().planned(PARENT).range());
    assertEquals(new ValueRange(1, 20_000), table.statistics().planned(KEY).range());
    assertEquals(0, table.statistics().planned(ID).nulls());
    assertEquals(ROWS / 10.0, table.statistics().planned(PRICE).nulls(), ROWS / 100.0);
    assertEquals(0.5, table.statistics().planned(ID).distribution().bounds()[64] / ROWS, 0.1);
    assertEquals("text 1000000".length(), table.statistics().planned(TEXT).averageWidth(), 1);
    assertEquals(0, budget.used(), "a column was loaded");
    assertEquals(0, table.statistics().computations());
  }

  @Test
  void predicatesAreTriedOnSomeRows() {
    TableSample sample = table.statistics().sample();
    assertTrue(sample.rows() >= 2000, "rows " + sample.rows());
    for (int column : new int[] {KEY, FEW, PRICE}) {
      SampleValues values = Objects.requireNonNull(sample.values(column));
      assertEquals(sample.rows(), values.count());
      long nulls = values.nulls().cardinality();
      assertEquals(column == PRICE ? 0.1 : 0, (double) nulls / values.count(), 0.05);
    }
    assertNotNull(sample.select(new Expr.InputRef(KEY, table.columnTypes().get(KEY))));
    assertEquals(0, budget.used(), "a column was loaded");
  }

  @Test
  void anotherProcessFindsTheValuesThatPredicatesWereTriedOn(@TempDir Path cache) throws Exception {
    StatisticsStore store = new StatisticsStore(cache.resolve("statistics"));
    Path file = temporary.resolve("t.parquet");
    List<String> first = sampled(store, 0);
    assertEquals(first, sampled(store, 0));
    List<String> state = new FileStamp(file).state();
    StoredStatistics found = store.load(file, state, 7, ROWS);
    assertEquals(Set.of(KEY, FEW, PRICE), found.samples().keySet());
    // Others in their place show that the file is not looked at again.
    int rows = found.samples().get(KEY).count();
    Object[] others = new Object[rows];
    Arrays.fill(others, 77L);
    SampleValues tampered = SampleValues.of(others);
    assertTrue(
        store.save(
            file,
            state,
            new StoredStatistics(found.columns(), found.sketches(), Map.of(KEY, tampered))));
    List<String> second = sampled(store, 0);
    assertEquals("77", second.get(0));
    assertEquals(first.subList(1, 3), second.subList(1, 3));
    // Values of another number of rows are not taken.
    SampleValues few = SampleValues.of(new Object[] {77L});
    assertTrue(
        store.save(file, state, new StoredStatistics(found.columns(), Map.of(), Map.of(KEY, few))));
    assertEquals(first, sampled(store, 0));
  }

  /** Values of a row of the sample, by a process of its own. */
  private static List<String> sampled(StatisticsStore store, int row) throws Exception {
    MemoryBudget own = new MemoryBudget("memory", 1L << 30);
    List<String> values = new ArrayList<>();
    try (TableCatalog catalog = TableCatalog.open(temporary, own, TestUnpacking.ANY, 2, store)) {
      TableSample sample = Objects.requireNonNull(catalog.table("t")).statistics().sample();
      for (int column : new int[] {KEY, FEW, PRICE}) {
        values.add(String.valueOf(Objects.requireNonNull(sample.values(column)).get(row)));
      }
    }
    return values;
  }

  @Test
  void otherThreadsLookForWhatAPlanIsGoingToAskFor() throws Exception {
    StatisticsProvider statistics = table.statistics();
    statistics.expect(Set.of(KEY, PRICE), Set.of(FEW));
    for (int i = 0; i < 600 && !statistics.sample().has(FEW); i++) {
      Thread.sleep(100);
    }
    assertTrue(statistics.sample().has(FEW));
    assertFalse(statistics.sample().has(KEY));
    TableColumnStatistics found = statistics.planned(KEY);
    assertEquals(20_000, found.distinct(), 3000);
    assertSame(found, statistics.planned(KEY), "looked at twice");
    assertEquals(0, statistics.computations());
  }

  /** Our own writer's row groups are read in several parts each, and have one count of nulls. */
  @Test
  void nullsOfRowGroupsOfSeveralPartsCountOnce(@TempDir Path folder) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:device=cpu");
        Statement statement = connection.createStatement()) {
      statement.execute(
          "copy (select case when mod(i, 10) = 0 then null else i end as v from"
              + " generate_series(1, 2000000) as g(i)) to '%s'"
                  .formatted(folder.resolve("cut.parquet")));
    }
    try (TableCatalog cut = TableCatalog.open(folder, budget, TestUnpacking.ANY, 2, null)) {
      CachedTable values = Objects.requireNonNull(cut.table("cut"));
      assertTrue(values.file().parts().size() > 8, "parts");
      assertEquals(200_000, values.statistics().planned(0).nulls());
    }
  }

  @Test
  void sketchesAreMadeBesideOnceColumnsAreThere() throws Exception {
    assertNull(table.statistics().plannedSketch(List.of(KEY)));
    assertTrue(table.statistics().planned(KEY).distinct() > 0);
    assertFalse(table.statistics().doubt().isEmpty());
    assertEquals(0, table.statistics().refinements());
    try (Table.Pin pin = table.pin(List.of(KEY))) {
      assertEquals(1, pin.shapes().size());
    }
    assertEquals(0, table.statistics().computations(), "a first query waited for statistics");
    assertEquals(20_000, table.statistics().planned(KEY).distinct(), 3000);
    // What plans took was near enough; the sketch is something new.
    awaitRefinement();
    assertTrue(table.statistics().doubt().isEmpty());
    assertEquals(20_000, table.statistics().planned(KEY).distinct(), 600);
    assertNotNull(table.statistics().plannedSketch(List.of(KEY)));
    assertEquals(2, table.statistics().computations());
  }

  private void awaitRefinement() throws InterruptedException {
    for (int i = 0; i < 600 && table.statistics().refinements() < 1; i++) {
      Thread.sleep(100);
    }
    assertEquals(1, table.statistics().refinements());
  }

  /** Who asks for the figures themselves waits for them, and they are those of a counted load. */
  @Test
  void figuresOfALoadedColumnAreCountedWhenTheyAreAskedFor() {
    for (int column = 0; column < table.columnNames().size(); column++) {
      TableColumnStatistics sampled = table.statistics().planned(column);
      try (Table.Pin pin = table.pin(List.of(column))) {
        assertEquals(1, pin.shapes().size());
      }
      // A dictionary says how many values there are.
      assertEquals(column == FEW, table.statistics().planned(column).exact(), () -> "" + sampled);
    }
    MemoryBudget other = new MemoryBudget("other", 1L << 30);
    try (TableCatalog again = TableCatalog.open(temporary, other, TestUnpacking.ANY, 2, null)) {
      CachedTable loaded = Objects.requireNonNull(again.table("t"));
      for (int column = 0; column < table.columnNames().size(); column++) {
        TableColumnStatistics found = table.statistics().of(column);
        TableColumnStatistics expected = loaded.statistics().of(column);
        String what = table.columnNames().get(column);
        assertEquals(expected.range(), found.range(), what);
        assertEquals(expected.nulls(), found.nulls(), what);
        assertEquals(expected.distinct(), found.distinct(), 0.03 * expected.distinct(), what);
        assertArrayEquals(expected.distribution().bounds(), found.distribution().bounds(), what);
        assertEquals(expected.distribution().frequent(), found.distribution().frequent(), what);
      }
    }
  }

  @Test
  void plansAreMadeAnewWhereSomeRowsWereNotLikeTheOthers() throws Exception {
    assertTrue(
        table.statistics().planned(HIDDEN).distinct() < ROWS / 2.0,
        () -> "" + table.statistics().planned(HIDDEN));
    try (Table.Pin pin = table.pin(List.of(HIDDEN, KEY))) {
      assertEquals(2, pin.shapes().size());
    }
    awaitRefinement();
    assertEquals(0.9 * ROWS, table.statistics().planned(HIDDEN).distinct(), 0.1 * ROWS);
    assertEquals(1, table.statistics().refinements());
  }

  @Test
  void valuesOfPartsSayHowManyThereAre() {
    // Of 1000 values each part has all; of a sorted column each part has its own.
    assertEquals(1000, SampledParts.extrapolated(1000, 1000, 4, 50), 1);
    assertEquals(50_000, SampledParts.extrapolated(4000, 1000, 4, 50), 1);
    // A tenth of 10,000 in each part: 1 - 0.9^4 of them in four.
    assertEquals(10_000, SampledParts.extrapolated(3439, 1000, 4, 50), 10);
    assertEquals(0, SampledParts.extrapolated(0, 0, 4, 50));
  }
}
