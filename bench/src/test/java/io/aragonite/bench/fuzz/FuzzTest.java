package io.aragonite.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.fuzz.FuzzTable.FuzzColumn;
import io.aragonite.bench.fuzz.Fuzzer.FuzzOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.calcite.util.mapping.MappingType;
import org.apache.calcite.util.mapping.Mappings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A short run, the same in each build; {@code -Daragonite.fuzz.statements=N} runs more, {@code
 * -Daragonite.seed=N} others, {@code -Daragonite.test.device=cuda} on a GPU. And how statements that
 * fail are made smaller.
 */
class FuzzTest {
  private static final int STATEMENTS = 28;
  private static final int ROUND = 2;
  private static final long NO_LIMIT = 1_000_000;

  @TempDir private Path directory = Path.of("");

  @Test
  void randomStatementsAreRight() throws Exception {
    long seed = Long.getLong("aragonite.seed", 1);
    int statements = Integer.getInteger("aragonite.fuzz.statements", STATEMENTS);
    System.out.println("FuzzTest: repeat with -Daragonite.seed=" + seed);
    boolean cuda = System.getProperty("aragonite.test.device", "").startsWith("cuda");
    assertTrue(FuzzConfiguration.hasTests());
    List<FuzzConfiguration> configurations = FuzzConfiguration.all(cuda ? "cuda" : "cpu");
    FuzzReport report =
        new Fuzzer(new FuzzOptions(seed, 0, statements, ROUND, 0, 1, NO_LIMIT, 20, false, List.of(), configurations))
            .run(directory, text -> {});
    System.out.print(report.table());
    assertEquals(List.of(), report.findings());
    assertTrue(report.agreed() > report.statements() / 2, report.table() + report.reasons(5));
    try (Stream<Path> left = Files.list(directory)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void sameSeedSameStatements() {
    List<FuzzTable> tables = FuzzTables.make(new Random(7));
    assertEquals(tables, FuzzTables.make(new Random(7)));
    for (int i = 0; i < 50; i++) {
      assertEquals(
          FuzzStatement.make(new Random(i), tables, false).sql(),
          FuzzStatement.make(new Random(i), tables, false).sql());
    }
  }

  /** Statements run again with other literals do so by plans that they share, and are right. */
  @Test
  void plansThatStatementsShareAreRight() throws Exception {
    FuzzConfiguration configuration = FuzzConfiguration.all("cpu").getFirst();
    List<FuzzTable> tables = FuzzTables.make(new Random(8));
    int run = 0;
    try (FuzzPeer peer = new FuzzPeer(tables, directory.resolve("tables"));
        FuzzDatabase database = new FuzzDatabase(peer, configuration, false)) {
      database.unlimited();
      for (int i = 0; run < 6; i++) {
        FuzzStatement statement = FuzzStatement.make(new Random(i), tables, false);
        if (statement.check() == FuzzStatement.FuzzCheck.LITERALS) {
          FuzzOutcome outcome = database.run(statement);
          assertTrue(!outcome.isFinding(), () -> statement.texts() + "\n" + outcome.message());
          run++;
        }
      }
      assertTrue(database.metrics().sharedPlans() > 6, () -> "too few plans are shared");
    }
  }

  /** Most values of a prepared statement have the types of the one before, and with them its plan. */
  @Test
  void valuesOfOneTypeShareAPlan() throws Exception {
    FuzzConfiguration configuration = FuzzConfiguration.all("cpu").getFirst().drawn(new Random(4));
    List<FuzzTable> tables = FuzzTables.make(new Random(8));
    int checks = 0;
    try (FuzzPeer peer = new FuzzPeer(tables, directory.resolve("tables"));
        FuzzDatabase database = new FuzzDatabase(peer, configuration, false)) {
      database.unlimited();
      for (int i = 0; checks < 100; i++) {
        FuzzStatement statement = FuzzStatement.make(new Random(i), tables, false);
        if (statement.check() == FuzzStatement.FuzzCheck.PREPARED) {
          FuzzOutcome outcome = database.run(statement);
          assertTrue(!outcome.isFinding(), () -> statement.texts() + "\n" + outcome.message());
          checks += outcome.checks();
        }
      }
      long planned = database.metrics().plannedStatements();
      assertTrue(planned < checks / 4, planned + " plans for " + checks + " answers");
    }
  }

  @Test
  void literalsOfOneTypeAreAlike() {
    assertTrue(FuzzType.DECIMAL.isAlike("4.25", "-3.25"));
    assertFalse(FuzzType.DECIMAL.isAlike("4.25", "14.25"));
    assertFalse(FuzzType.DECIMAL.isAlike("4.25", "4.5"));
    assertTrue(FuzzType.VARCHAR.isAlike("''", "'a'"));
    assertTrue(FuzzType.VARCHAR.isAlike("'ab'", "'日本'"));
    assertFalse(FuzzType.VARCHAR.isAlike("'ab'", "'a'"));
    assertFalse(FuzzType.INTEGER.isAlike("1", "cast(null as bigint)"));
  }

  /** Assertions of Calcite's that fail for right plans are known by where they are; all others are findings. */
  @Test
  void assertionsOfCalciteAreKnown() {
    AssertionError known = assertThrows(AssertionError.class, () -> Mappings.create(MappingType.INVERSE_SURJECTION, 0, 1));
    assertEquals("Mappings.create", FuzzAssertions.place(new SQLException("AR-901", known)));
    assertNull(FuzzAssertions.place(new SQLException("AR-901", new AssertionError("another"))));
  }

  /** A round's variations are those of its configuration and drawn ones, which set what the process has. */
  @Test
  void variationsAreDrawn() {
    Set<String> alone = new TreeSet<>();
    Set<String> group = new TreeSet<>();
    for (FuzzConfiguration configuration : FuzzConfiguration.all("cpu")) {
      for (int i = 0; i < 20; i++) {
        List<FuzzConfiguration.FuzzVariation> ways = configuration.drawn(new Random(i)).variations();
        assertEquals(12, ways.size());
        assertEquals(configuration.variations(), ways.subList(0, 4));
        ways.forEach(way -> (configuration.name().startsWith("group") ? group : alone).addAll(way.system().keySet()));
        List<FuzzConfiguration.FuzzVariation> users = configuration.withoutTests().drawn(new Random(i)).variations();
        assertTrue(users.stream().noneMatch(way -> way.system().toString().contains("aragonite.test")), users::toString);
      }
    }
    assertTrue(alone.stream().noneMatch(key -> key.contains("exchange")), alone::toString);
    assertTrue(group.containsAll(alone), group::toString);
    assertTrue(group.contains("aragonite.exchange.split"), group::toString);
  }

  /** Processes share all rounds, those over the same tables one process where there are enough. */
  @Test
  void eachRoundIsOfOneProcess() {
    for (int statements : List.of(1_000, 100_000)) {
      FuzzOptions options = new FuzzOptions(1, 0, statements, 100, 0, 4, NO_LIMIT, 20, false, List.of(), List.of());
      List<Integer> parts = IntStream.range(0, statements / 100).map(options::partOf).boxed().toList();
      assertEquals(Set.of(0, 1, 2, 3), Set.copyOf(parts));
      assertEquals(statements == 1_000 ? List.of(0, 1, 2, 3, 0, 1, 2) : List.of(0, 0, 0, 0, 0, 0, 1), parts.subList(0, 7));
    }
  }

  /** DuckDB's squares of distances lose digits of great numbers that are near to each other: no finding, as another number is. */
  @Test
  void squaresOfDistancesMayBeMoreExact() throws Exception {
    String sql =
        "select regr_sxx(0, x) from (select cast(-2147483648.75 as double) as x from range(6000) union all select cast(-2147483647.75 as double) from range(6000)) as t";
    try (FuzzPeer peer = new FuzzPeer(FuzzTables.make(new Random(8)), directory.resolve("tables"));
        FuzzDatabase database = new FuzzDatabase(peer, FuzzConfiguration.all("cpu").getFirst(), false)) {
      FuzzRows exact = new FuzzRows(List.of(List.of(3000.0)));
      for (String composed : List.of("regr_sxx_of_sums(0, x)", "regr_syy_of_sums(x, 0)")) {
        assertEquals(exact, peer.answer(sql.replace("regr_sxx(0, x)", composed)));
      }
      assertEquals(FuzzOutcome.OutcomeKind.WRONG, database.compared(sql, new FuzzRows(List.of(List.of(3001.0))), exact).kind());
    }
  }

  /** Queries that find columns and windows by their names are among random ones. */
  @Test
  void queriesByNameAreMade() {
    List<FuzzTable> tables = FuzzTables.make(new Random(7));
    List<String> missing =
        new ArrayList<>(List.of(" union by name ", " union all by name ", " natural ", " using (m", " group by all", "select * exclude (", " replace (", " window m"));
    for (int i = 0; i < 3_000 && !missing.isEmpty(); i++) {
      String sql = FuzzStatement.make(new Random(i), tables, false).sql();
      missing.removeIf(sql::contains);
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void processesTakeOptionsOfTheUser() {
    assertEquals("-Xmx2g -XX:NewSize=400m -XX:MetaspaceSize=256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC", FuzzProcesses.javaOptions(""));
    assertEquals("-Xmx2g -XX:NewSize=400m -XX:MetaspaceSize=256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx1g", FuzzProcesses.javaOptions("-Xmx1g"));
    assertEquals("-Xmx2g -XX:NewSize=400m -XX:MetaspaceSize=256m -XX:TieredStopAtLevel=1 -XX:+UseZGC", FuzzProcesses.javaOptions("-XX:+UseZGC"));
  }

  /** The report of processes adds up theirs, times too. */
  @Test
  void reportsAddUp() {
    FuzzReport one = new FuzzReport();
    one.add(FuzzConfiguration.all("cpu").getFirst(), FuzzOutcome.agreed(12));
    one.spent(FuzzConfiguration.all("cpu").getFirst(), 24_000_000);
    one.times().add(FuzzPhase.PEER, 4_000_000_000_000L);
    FuzzReport both = new FuzzReport();
    one.lines().forEach(both::addLine);
    one.lines().forEach(both::addLine);
    assertTrue(Pattern.compile("plain +2 +24 +2\\.0 +2 ").matcher(both.table()).find(), both.table());
    assertTrue(both.speed(10).matches("10 s, 8\\d{3} s of processor time: 0\\.2 statements and 2 checks a second; .*\\(DuckDB (100|99) %.*"), both.speed(10));
  }

  /** What statements are made of, each form by a pattern, is in some of them. */
  @Test
  void eachFormOccurs() {
    List<String> forms =
        List.of(
            "asof left join", "join lateral \\(", "\\(pivot \\(", "\\(unpivot \\(", " qualify ", "range between interval '",
            "merge into changed", "on conflict \\(k\\) do update", "(?s)insert into changed[^;]* returning ",
            "(?s)update changed[^;]* returning ", "(?s)delete from changed[^;]* returning ", "\\{'a': .* = \\{'a': ",
            "\\{'a': .*\\) in \\(", "\\('?[^()]*\\) < \\(|\\(coalesce\\(.* < \\(coalesce\\(", " group by s\\)", "distinct s, 1 as n",
            "map \\{'a': ", "(lpad|rpad|translate|reverse)\\(.*(日|ä)", "groups between");
    List<FuzzTable> tables = FuzzTables.make(new Random(3));
    List<Pattern> missing = new ArrayList<>(forms.stream().map(Pattern::compile).toList());
    for (int i = 0; i < 20_000 && !missing.isEmpty(); i++) {
      String sql = FuzzStatement.make(new Random(i), tables, false).sql();
      missing.removeIf(form -> form.matcher(sql).find());
    }
    assertEquals(List.of(), missing);
    assertTrue(
        IntStream.range(0, 200)
            .mapToObj(seed -> FuzzTables.make(new Random(seed)).toString())
            .anyMatch(made -> made.contains("date '1500-03-01'")));
  }

  /** Lists ordered by their elements are ordered by them with other parameters, too. */
  @Test
  void otherValuesOfAnElementAreThoseOfItsOrder() {
    List<FuzzTable> tables = FuzzTables.make(new Random(3));
    int found = 0;
    for (int i = 0; i < 8_000 && found <= 20; i++) {
      FuzzStatement statement = FuzzStatement.make(new Random(i), tables, false);
      List<Boolean> lists = orderedByThemselves(statement.tree().text());
      for (SqlTree variant : statement.variants()) {
        assertEquals(lists, orderedByThemselves(variant.text()), variant::text);
        found += lists.contains(true) ? 1 : 0;
      }
    }
    assertTrue(found > 20, "lists: " + found);
  }

  /** Of each list, whether its order begins with its element. */
  private static List<Boolean> orderedByThemselves(String sql) {
    Matcher list = Pattern.compile("array_agg\\((distinct )?(.*?) order by ").matcher(sql);
    return list.results().map(one -> sql.startsWith(one.group(2), one.end())).toList();
  }

  @Test
  void makesStatementsSmaller() {
    List<FuzzTable> tables = FuzzTables.make(new Random(3));
    for (int i = 0; i < 200; i++) {
      SqlTree tree = FuzzStatement.make(new Random(i), tables, false).tree();
      if (!tree.text().contains("upper(")) {
        continue;
      }
      SqlTree less = new FuzzReducer(NO_LIMIT).statement(tree, other -> other.text().contains("upper("));
      assertTrue(less.text().contains("upper("), less.text());
      assertTrue(
          less.smaller().stream().noneMatch(other -> other.text().contains("upper(")), less.text());
    }
  }

  @Test
  void makesTablesSmaller() {
    List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      rows.add(List.of(String.valueOf(i)));
    }
    FuzzTable table =
        new FuzzTable(
            "r0", List.of(new FuzzColumn("id", "integer", FuzzType.INTEGER)), List.of(), rows, new FuzzStorage(FuzzStorage.StorageKind.DIRECTORY, List.of("format parquet"), null));
    List<FuzzTable> less =
        new FuzzReducer(NO_LIMIT)
            .tables(
                List.of(table),
                tables -> tables.get(0).rows().containsAll(List.of(List.of("17"), List.of("71"))));
    assertEquals(List.of(List.of("17"), List.of("71")), less.get(0).rows());
  }

  /** What a wrong answer is reported as: the rows of both sides. */
  @Test
  void differencesAreSeen() {
    FuzzRows one = new FuzzRows(List.of(List.of(new java.math.BigDecimal("1.5"), "a"), List.of(2.0, "b")));
    assertEquals(null, one.difference(new FuzzRows(List.of(one.rows().get(1), one.rows().get(0)))));
    assertEquals(null, one.difference(new FuzzRows(List.of(one.rows().get(0), List.of(2.0000000001, "b")))));
    assertTrue(
        String.valueOf(one.difference(new FuzzRows(List.of(one.rows().get(0), List.of(2.1, "b")))))
            .contains("2.0 | b instead of 2.1 | b"));
    assertTrue(String.valueOf(one.difference(new FuzzRows(List.of(one.rows().get(0))))).contains("2 rows instead of 1"));
  }
}
