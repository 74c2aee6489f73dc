package io.aragonite.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.fuzz.FuzzOutcome.OutcomeKind;
import io.aragonite.bench.fuzz.FuzzStatement.FuzzCheck;
import io.aragonite.bench.fuzz.Fuzzer.FuzzOptions;
import io.aragonite.bench.fuzz.Soak.SoakOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults of random statements, short runs of many connections and of several processes, and that
 * each would find what it looks for. {@code -Daragonite.fuzz.faults=N} runs N statements with
 * faults, {@code -Daragonite.soak.seconds=N} connections for longer.
 */
class FuzzFaultsTest {
  private static final String SQL = "select c0, count(*) from r4 group by c0";

  @TempDir private Path directory = Path.of("");

  private static FuzzConfiguration named(String name) {
    return FuzzConfiguration.all("cpu").stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void statementsWithFaultsAreRightOrSaySo() throws Exception {
    int statements = Integer.getInteger("aragonite.fuzz.faults", 4);
    List<FuzzConfiguration> configurations = List.of(named("plain"), named("discrete"));
    FuzzReport report =
        new Fuzzer(new FuzzOptions(11, 0, statements, 2, 0, 1, 1_000_000, 5, true, List.of(), configurations))
            .run(directory, text -> {});
    assertEquals(List.of(), report.findings());
    assertTrue(report.checks() > report.statements(), report.table());
  }

  /** An engine that answers with too few rows where it has no memory, and one that fails. */
  @Test
  void wrongAnswersOfFaultsAreFound() throws Exception {
    FuzzConfiguration configuration = named("plain");
    List<FuzzTable> tables = FuzzTables.make(new Random(5));
    try (FuzzPeer peer = new FuzzPeer(tables, directory.resolve("round"));
        FuzzDatabase database = new FuzzDatabase(peer, configuration, false)) {
      FuzzFaults faults = new FuzzFaults(directory.resolve("round-spill"));
      FuzzOutcome swallowed =
          faults.run(
              () -> {
                try {
                  return database.ours(SQL, 1000);
                } catch (SQLException e) {
                  return new FuzzRows(List.of());
                }
              });
      assertEquals(OutcomeKind.WRONG, swallowed.kind(), swallowed.message());
      FuzzOutcome other =
          faults.run(
              () -> {
                try {
                  return database.ours(SQL, 1000);
                } catch (SQLException e) {
                  throw new SQLException("index out of bounds", e);
                }
              });
      assertEquals(OutcomeKind.BROKEN, other.kind(), other.message());
      AtomicInteger threads = new AtomicInteger();
      FuzzOutcome leaking =
          faults.run(
              () -> {
                Thread.ofPlatform()
                    .daemon(true)
                    .name("aragonite-left-" + threads.incrementAndGet())
                    .start(FuzzFaultsTest::linger);
                return database.ours(SQL, 1000);
              });
      assertEquals(OutcomeKind.BROKEN, leaking.kind(), leaking.message());
    }
  }

  private static void linger() {
    try {
      Thread.sleep(60_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void manyConnectionsBesideEachOther() throws Exception {
    long seconds = Long.getLong("aragonite.soak.seconds", 2);
    Soak soak = new Soak(new SoakOptions(3, seconds, 6, 5, named("tight-memory"), false));
    List<String> findings = soak.run(directory, text -> {});
    assertEquals(List.of(), findings);
    assertTrue(soak.counts().contains("plain="), soak.counts());
    assertTrue(soak.counts().contains("own table="), soak.counts());
    assertTrue(FuzzFiles.isEmpty(directory));
  }

  @Test
  void manyClientsOfAServer() throws Exception {
    long seconds = Long.getLong("aragonite.soak.seconds", 2);
    Soak soak = new Soak(new SoakOptions(3, seconds, 6, 3, named("tight-memory"), true));
    List<String> findings = soak.run(directory, text -> {});
    assertEquals(List.of(), findings);
    assertTrue(soak.counts().contains("plain="), soak.counts());
    assertTrue(FuzzFiles.isEmpty(directory));
  }

  @Test
  void processesShareTheStatements() throws Exception {
    FuzzReport report =
        new FuzzProcesses(
                List.of("--first", "96", "--statements", "4", "--configuration", "plain,discrete"), 2)
            .run(text -> {});
    assertEquals(List.of(), report.findings());
    assertEquals(4, report.statements(), report.table());
    assertTrue(report.checks() > 2, report.table());
  }

  @Test
  void reportsAreSumsOfOthers() {
    FuzzReport one = new FuzzReport();
    one.add(named("plain"), FuzzOutcome.agreed(3));
    one.add(named("plain"), new FuzzOutcome(OutcomeKind.REFUSED, "not\tyet 17"));
    FuzzReport both = new FuzzReport();
    one.lines().forEach(both::addLine);
    one.lines().forEach(both::addLine);
    assertEquals(6, both.checks());
    assertEquals(4, both.statements());
    assertTrue(both.reasons(1).contains("2  not yet N"), both.reasons(1));
  }

  @Test
  void pivotsStandForTheirColumns() {
    FuzzPivot pivot = new FuzzPivot(List.of("3"), Map.of("t0.c1", "cast('x' as varchar)"));
    assertEquals(
        "(cast('x' as varchar) = 't0.c1' and t10.c1 is null)",
        pivot.of("(t0.c1 = 't0.c1' and t10.c1 is null)"));
  }

  /** Each kind of check is made, and its statement runs. */
  @Test
  void allKindsOfChecksAgree() throws Exception {
    List<FuzzTable> tables = FuzzTables.make(new Random(5));
    AtomicInteger agreed = new AtomicInteger();
    try (FuzzPeer peer = new FuzzPeer(tables, directory.resolve("round"));
        FuzzDatabase database = new FuzzDatabase(peer, named("plain"), false)) {
      for (FuzzCheck check : FuzzCheck.values()) {
        for (int i = 0, found = 0; found < 3; i++) {
          FuzzStatement statement = FuzzStatement.make(new Random(i), tables, false);
          if (statement.check() == check) {
            found++;
            FuzzOutcome outcome = database.run(statement);
            assertTrue(!outcome.isFinding(), () -> outcome.message() + statement.sql());
            agreed.addAndGet(outcome.kind() == OutcomeKind.AGREED ? 1 : 0);
          }
        }
      }
    }
    assertTrue(agreed.get() > 8, "agreed: " + agreed);
  }

  /** Numbers far from zero, whose variances are rounded in each engine's way, and a variance that is wrong by no rounding. */
  @Test
  void variancesOfSumsAreNotFindings() throws Exception {
    String far = "select regr_sxx(x, x), regr_syy(x, x) from (values (1e8), (1e8 + 0.1e0), (1e8 + 0.4e0), (1e8 + 0.9e0)) as v (x)";
    try (FuzzPeer peer = new FuzzPeer(FuzzTables.make(new Random(5)), directory.resolve("round"));
        FuzzDatabase database = new FuzzDatabase(peer, named("plain"), false)) {
      FuzzRows ours = database.ours(far, 1);
      assertTrue(ours != null && ours.difference(peer.answer(far)) != null, "engines agree");
      FuzzOutcome outcome = database.run(new FuzzStatement(FuzzCheck.PEER, SqlTree.fixed(far), List.of(), null));
      assertEquals(OutcomeKind.NOT_COMPARED, outcome.kind(), outcome.message());
      FuzzRows wrong = new FuzzRows(Collections.nCopies(1, List.of(25.0, 5.0)));
      assertEquals(OutcomeKind.WRONG, database.compared(far, wrong, peer.answer(far)).kind());
    }
  }

  /** Parameters have the values of the literals that they stand for. */
  @Test
  void parametersAreLiterals() throws Exception {
    FuzzConfiguration configuration = named("plain");
    Files.writeString(directory.resolve("one.csv"), "x\n1\n");
    configuration.enter();
    try (Connection connection = configuration.open(directory.toString(), directory, 20);
        Statement plain = connection.createStatement()) {
      for (FuzzType type : FuzzType.values()) {
        SqlTree literal = SqlTree.literal(type, type.simplest());
        FuzzStatement statement =
            new FuzzStatement(
                FuzzCheck.PREPARED, SqlTree.fixed("select ", literal), List.of(), null);
        try (var ready = connection.prepareStatement(statement.prepared())) {
          FuzzRows rows = FuzzDatabase.answer(ready, statement.tree());
          FuzzRows expected = FuzzRows.read(plain.executeQuery(statement.sql()), 1);
          assertEquals(expected, rows, type.name());
        }
      }
    } finally {
      configuration.leave();
    }
  }
}
