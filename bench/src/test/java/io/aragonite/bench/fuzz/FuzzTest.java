package io.aragonite.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.fuzz.FuzzTable.FuzzColumn;
import io.aragonite.bench.fuzz.Fuzzer.FuzzOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A short run, the same in each build; {@code -Daragonite.fuzz.statements=N} runs more, {@code
 * -Daragonite.seed=N} others, {@code -Daragonite.test.device=cuda} on a GPU. And how statements that
 * fail are made smaller.
 */
class FuzzTest {
  private static final int STATEMENTS = 42;
  private static final int ROUND = 3;
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
      for (int i = 0; run < 12; i++) {
        FuzzStatement statement = FuzzStatement.make(new Random(i), tables, false);
        if (statement.check() == FuzzStatement.FuzzCheck.LITERALS) {
          FuzzOutcome outcome = database.run(statement);
          assertTrue(!outcome.isFinding(), () -> statement.texts() + "\n" + outcome.message());
          run++;
        }
      }
      assertTrue(database.sharedPlans() > 12, () -> "too few plans are shared");
    }
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
    for (int i = 0; i < 20_000; i++) {
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
