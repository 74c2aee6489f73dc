package io.aragonite.bench.fuzz;

import io.aragonite.bench.fuzz.FuzzTimes.PhaseSpan;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs random statements, one configuration after the other, some of them on the same tables, and makes those that fail smaller.
 *
 * <p>The number of a statement and the seed say what it is, so that any can be run again alone.
 */
public final class Fuzzer {
  /** Names of the ways in which statements are checked. */
  public static final List<String> CHECKS = Arrays.stream(FuzzStatement.FuzzCheck.values()).map(FuzzStatement.FuzzCheck::option).toList();

  private static final int MOST_FINDINGS = 20;
  private static final int MOST_OTHERS = 1_000;

  /** How many rounds, each with another configuration, share tables: to make them takes as long as some statements. */
  private static final int ROUNDS_OF_TABLES = 6;

  private final FuzzOptions options;
  private final FuzzReport report = new FuzzReport();
  private final PeerMaker maker;
  private int folders;
  private @Nullable FuzzPeer peer;
  private int peerGroup;

  /**
   * What to run.
   *
   * @param seed of all that is random
   * @param first number of the first statement
   * @param statements how many
   * @param roundStatements how many share a connection and a configuration
   * @param part of all rounds, from 0, that is run here
   * @param parts how many processes share the rounds
   * @param seconds after which no other is begun
   * @param reduceSeconds how long one that fails is made smaller
   * @param faults whether each statement is run again without some of its memory
   * @param checks how statements are checked, by the names of {@link FuzzStatement.FuzzCheck}; none: in all ways
   * @param configurations those that rounds take in turn
   */
  public record FuzzOptions(
      long seed,
      int first,
      int statements,
      int roundStatements,
      int part,
      int parts,
      long seconds,
      long reduceSeconds,
      boolean faults,
      List<String> checks,
      List<FuzzConfiguration> configurations) {
    /** Who runs a round: rounds over the same tables stay together, unless there are too few for all. */
    int partOf(int round) {
      boolean many = statements / roundStatements >= 2 * parts * ROUNDS_OF_TABLES;
      return (many ? round / ROUNDS_OF_TABLES : round) % parts;
    }

    FuzzStatement make(Random random, List<FuzzTable> tables, boolean equalJoins) {
      FuzzStatement made = FuzzStatement.make(random, tables, equalJoins);
      // Some tables and configurations have none of them.
      for (int i = 0; i < MOST_OTHERS && !checks.isEmpty() && !checks.contains(made.check().option()); i++) {
        made = FuzzStatement.make(random, tables, equalJoins);
      }
      return made;
    }
  }

  /** Makes DuckDB's database of tables. */
  interface PeerMaker {
    FuzzPeer make(List<FuzzTable> tables, Path directory) throws SQLException, IOException;
  }

  /** Prepares a run; nothing is opened before {@link #run}. */
  public Fuzzer(FuzzOptions options) {
    this(options, FuzzPeer::new);
  }

  Fuzzer(FuzzOptions options, PeerMaker maker) {
    this.options = options;
    this.maker = maker;
  }

  /**
   * Runs all.
   *
   * @param directory an empty folder for tables, which is empty again afterwards
   * @param progress is told how many statements have been run, and of each finding
   */
  public FuzzReport run(Path directory, Consumer<String> progress) throws SQLException, IOException {
    long end = System.nanoTime() + options.seconds * 1_000_000_000L;
    int last = options.first + options.statements;
    try {
      for (int next = options.first; next < last && inTime(end); ) {
        int round = next / options.roundStatements;
        int to = Math.min(last, (round + 1) * options.roundStatements);
        if (options.partOf(round) == options.part) {
          to = round(directory, round, next, to, end, progress);
          progress.accept(
              options.parts == 1
                  ? "%d statements, %d findings".formatted(report.statements(), report.findings().size())
                  : FuzzProcesses.progress(report.statements()));
        }
        next = to;
      }
    } finally {
      close(peer);
    }
    return report;
  }

  /** The tables of a round. */
  private FuzzPeer peer(Path directory, int round) throws SQLException, IOException {
    FuzzPeer there = peer;
    if (there == null || peerGroup != round / ROUNDS_OF_TABLES) {
      close(there);
      peer = null;
      peerGroup = round / ROUNDS_OF_TABLES;
      Path folder = directory.resolve("tables" + folders++);
      try (PhaseSpan _ = report.times().in(FuzzPhase.TABLES)) {
        there = maker.make(FuzzTables.make(random(-1 - peerGroup)), folder);
      }
      peer = there;
    }
    return there;
  }

  /** With its files, and those of its databases. */
  private static void close(@Nullable FuzzPeer peer) {
    if (peer != null) {
      peer.close();
      peer.delete();
    }
  }

  private boolean inTime(long end) {
    return System.nanoTime() < end && report.findings().size() < MOST_FINDINGS;
  }

  /** Numbers beside each other begin alike in {@link Random}, unless they are mixed. */
  private Random random(int number) {
    return new Random(new SplittableRandom(options.seed * 1_000_003 + number).nextLong());
  }

  /**
   * Runs statements of a round, up to one with which DuckDB is lost.
   *
   * @return the number behind the last
   */
  private int round(Path directory, int round, int from, int to, long end, Consumer<String> progress)
      throws SQLException, IOException {
    FuzzConfiguration configuration = options.configurations.get(round % options.configurations.size()).drawn(random(Integer.MIN_VALUE + round));
    FuzzPeer shared;
    try {
      shared = peer(directory, round);
    } catch (LostPeerException e) {
      report.lost();
      return to;
    }
    List<FuzzTable> tables = shared.tables();
    List<FuzzFinding> failed = new ArrayList<>();
    int number = from;
    try (FuzzDatabase database = new FuzzDatabase(shared, configuration, options.faults, report.times())) {
      if (options.statements == 1) {
        database.unlimited();
      }
      for (; number < to && !shared.isLost() && inTime(end); number++) {
        FuzzStatement statement = made(number, tables, configuration);
        long before = FuzzTimes.processorNanos();
        FuzzOutcome outcome = database.run(statement);
        report.spent(configuration, FuzzTimes.processorNanos() - before);
        report.add(configuration, outcome);
        if (outcome.isFinding()) {
          failed.add(smaller(database, number, statement, outcome, end));
        }
      }
    }
    if (shared.isLost()) {
      report.lost();
      close(shared);
      peer = null;
    }
    for (FuzzFinding finding : failed) {
      List<FuzzTable> fewer = reduced(directory, tables, configuration, finding, end);
      FuzzOutcome outcome = once(directory, fewer, configuration, finding.statement);
      String text =
          script(outcome == null || !outcome.isFinding() ? finding : finding.with(outcome), configuration, fewer);
      report.finding(text);
      progress.accept(text);
    }
    return number;
  }

  private FuzzStatement made(int number, List<FuzzTable> tables, FuzzConfiguration configuration) {
    try (PhaseSpan _ = report.times().in(FuzzPhase.STATEMENTS)) {
      return options.make(random(number), tables, configuration.forcesJoins());
    }
  }

  /** Whoever has given the run a time waits for what is found last, not for all that is found last. */
  private FuzzReducer reducer(long end) {
    long grace = end - System.nanoTime() + options.reduceSeconds * 1_000_000_000L;
    return new FuzzReducer(Math.clamp(grace / 1_000_000_000L, 0, options.reduceSeconds));
  }

  private FuzzFinding smaller(FuzzDatabase database, int number, FuzzStatement statement, FuzzOutcome outcome, long end) {
    try (PhaseSpan _ = report.times().in(FuzzPhase.REDUCING)) {
      return reduced(database, number, statement, outcome, end);
    }
  }

  private FuzzFinding reduced(FuzzDatabase database, int number, FuzzStatement statement, FuzzOutcome outcome, long end) {
    FuzzStatement failing = statement;
    for (SqlTree variant : statement.variants()) {
      FuzzStatement one = statement.with(variant);
      // A statement alone may run by the plan that others have left there.
      boolean sharing = statement.check() == FuzzStatement.FuzzCheck.LITERALS;
      if (!sharing && fails(database.run(one.unprepared()), outcome)) {
        failing = one.unprepared();
        break;
      } else if (fails(database.run(one), outcome)) {
        failing = one;
        break;
      }
    }
    FuzzStatement least = failing;
    SqlTree tree = reducer(end).statement(least.tree(), less -> fails(database.run(least.with(less)), outcome));
    FuzzOutcome last = database.run(least.with(tree));
    return new FuzzFinding(number, least.with(tree), last.isFinding() ? last : outcome);
  }

  /**
   * A statement that failed.
   *
   * @param number of the statement
   * @param statement made smaller
   * @param outcome of that
   */
  private record FuzzFinding(int number, FuzzStatement statement, FuzzOutcome outcome) {
    FuzzFinding with(FuzzOutcome other) {
      return new FuzzFinding(number, statement, other);
    }
  }

  /** Whether a smaller statement fails in the same way. */
  private static boolean fails(FuzzOutcome outcome, FuzzOutcome wanted) {
    return outcome.kind() == wanted.kind();
  }

  /** The tables that a statement names, with the rows that it needs to fail. */
  private List<FuzzTable> reduced(
      Path directory, List<FuzzTable> tables, FuzzConfiguration configuration, FuzzFinding finding, long end) {
    String sql = finding.statement.sql();
    List<FuzzTable> named =
        tables.stream().filter(table -> sql.matches("(?s).*\\b" + table.name() + "\\b.*")).toList();
    return reducer(end)
        .tables(named, fewer -> {
          FuzzOutcome outcome = once(directory, fewer, configuration, finding.statement);
          return outcome != null && fails(outcome, finding.outcome);
        });
  }

  private @Nullable FuzzOutcome once(
      Path directory, List<FuzzTable> tables, FuzzConfiguration configuration, FuzzStatement statement) {
    FuzzPeer less = null;
    try (PhaseSpan _ = report.times().in(FuzzPhase.REDUCING)) {
      less = maker.make(tables, directory.resolve("less" + folders++));
      try (FuzzDatabase database = new FuzzDatabase(less, configuration, options.faults, report.times())) {
        return database.run(statement);
      }
    } catch (SQLException | IOException e) {
      return null;
    } finally {
      close(less);
    }
  }

  private String script(FuzzFinding finding, FuzzConfiguration configuration, List<FuzzTable> tables) {
    String made =
        tables.stream()
            .flatMap(table -> Stream.concat(Stream.of("-- " + table.storage()), table.statements().stream().map(sql -> sql + ";")))
            .map(line -> line + "\n")
            .collect(Collectors.joining());
    String message = finding.outcome.message().lines().map(line -> "-- " + line + "\n").collect(Collectors.joining());
    return "-- statement %d of seed %d, %s: %s, %s%n-- %s %s%n%s%s%s;%n"
        .formatted(
            finding.number,
            options.seed,
            configuration,
            finding.statement.check(),
            finding.outcome.kind(),
            configuration.properties(),
            configuration.system(),
            message,
            made,
            String.join(";\n", finding.statement.texts()));
  }
}
