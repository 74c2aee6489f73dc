package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.aragonite.exec.testing.TestSample;
import io.aragonite.sqltests.corpus.Script.Statement;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The scripts of {@code src/test/resources/sql}, each under each {@link Configuration} of a class.
 * {@code setup.sql} makes the tables, in DuckDB, from where they reach us as Parquet files. {@code
 * -Daragonite.corpus=joins} runs scripts whose name contains that, {@code
 * -Daragonite.corpus.configuration=discrete} one configuration; with neither, each script runs in
 * the configuration {@link #EACH} and in some of the others: see {@link TestSample}.
 */
abstract class Corpus {
  private static final Path SCRIPTS = scriptFolder();

  private static Path scriptFolder() {
    try {
      return Path.of(Objects.requireNonNull(Corpus.class.getResource("/sql")).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** In which a node that is left to Calcite is an error too. */
  private static final String EACH = "no-fallback";

  private static final String WANTED = System.getProperty("aragonite.corpus", "");
  private static final String ONLY = System.getProperty("aragonite.corpus.configuration", "");

  /** Whether all scripts run in all configurations of the class. */
  static final boolean WHOLE = TestSample.isWhole() || !WANTED.isEmpty() || !ONLY.isEmpty();

  @TempDir private static Path directory = Path.of("");

  private static @Nullable DuckDbOracle duckDb;
  private static final Map<Statement, CorpusRows> EXPECTED = new HashMap<>();

  private static final Pattern NESTED_LOOP = Pattern.compile("NestedLoopJoin");

  /** By statement that was refused with some algorithm of joins, whether its plan has a loop. */
  private static final Map<Statement, Boolean> LOOPS = new ConcurrentHashMap<>();

  /** Whether the class runs its scripts in a configuration. */
  abstract boolean runsIn(Configuration configuration);

  @BeforeAll
  static void makeTables() throws SQLException, IOException {
    duckDb = new DuckDbOracle();
    for (String statement : Files.readString(SCRIPTS.resolve("setup.sql")).split(";\n", -1)) {
      if (!statement.isBlank()) {
        duckDb.execute(statement);
      }
    }
    duckDb.export(directory);
  }

  static final int JOIN_UNSUPPORTED = 505;

  @AfterAll
  static void closeDuckDb() throws SQLException {
    if (duckDb != null) {
      duckDb.close();
      duckDb = null;
    }
  }

  @TestFactory
  Stream<DynamicNode> scripts() throws IOException {
    List<Script> scripts = new ArrayList<>();
    try (Stream<Path> files = Files.list(SCRIPTS)) {
      for (Path file : files.sorted().toList()) {
        if (file.toString().endsWith(".test") && file.toString().contains(WANTED)) {
          scripts.add(Script.read(file));
        }
      }
    }
    assertTrue(!scripts.isEmpty(), "no script matches " + WANTED);
    List<Configuration> configurations =
        Configuration.wanted().stream()
            .filter(configuration -> runsIn(configuration) && configuration.name().contains(ONLY))
            .toList();
    Map<Configuration, Set<Script>> drawn = draw(scripts, configurations);
    return configurations.stream()
        .map(configuration ->
            dynamicContainer(
                configuration.name(),
                Stream.of(configuration)
                    .flatMap(entered -> tests(entered, drawn.get(configuration)))));
  }

  /** The scripts that run in each configuration. */
  private Map<Configuration, Set<Script>> draw(
      List<Script> scripts, List<Configuration> configurations) {
    Map<Configuration, Set<Script>> drawn = new HashMap<>();
    configurations.forEach(configuration -> drawn.put(configuration, new LinkedHashSet<>()));
    TestSample sample = WHOLE ? null : new TestSample(getClass());
    for (Script script : scripts) {
      List<Configuration> runs = configurations.stream().filter(script::runsIn).toList();
      Set<Configuration> some = new HashSet<>(runs);
      if (sample != null) {
        some.retainAll(sample.some(runs, configurations.size() > 1 ? 0.05 : 0.07));
        runs.stream().filter(one -> one.name().equals(EACH)).forEach(some::add);
      }
      some.forEach(configuration -> drawn.get(configuration).add(script));
    }
    return drawn;
  }

  /**
   * A test for each script of a configuration, which the process enters now and leaves when the
   * stream is closed. The scripts run beside each other on threads of their own, which tests wait
   * for.
   */
  private static Stream<DynamicNode> tests(Configuration configuration, Set<Script> scripts) {
    ExecutorService threads = Executors.newFixedThreadPool(configuration.scriptsAtATime());
    configuration.enter();
    Map<Script, Future<?>> runs = new LinkedHashMap<>();
    for (Script script : scripts) {
      Callable<Void> run =
          () -> {
            run(configuration, script);
            return null;
          };
      runs.put(script, threads.submit(run));
    }
    return runs.entrySet().stream()
        .<DynamicNode>map(
            entry -> dynamicTest(entry.getKey().name(), () -> await(entry.getValue())))
        .onClose(() -> {
          threads.close();
          configuration.leave();
        });
  }

  private static void await(Future<?> run) throws Throwable {
    try {
      run.get();
    } catch (ExecutionException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  private static void run(Configuration configuration, Script script) throws Exception {
    List<String> errors = new ArrayList<>();
    configuration.connect(
        Map.of("directory", directory.toString()),
        connection -> {
          for (Statement statement : script.statements()) {
            if (statement.skips().contains(configuration.name())
                || configuration.forcesJoins() && !statement.mayJoin()) {
              continue;
            }
            String error = error(connection, statement, configuration.forcesJoins());
            if (error != null) {
              errors.add(
                  "%s:%d: %s%n%s"
                      .formatted(script.name(), statement.line(), statement.sql(), error));
            }
          }
        });
    if (!errors.isEmpty()) {
      fail(
          "%d of %d statements%n%s"
              .formatted(errors.size(), script.statements().size(), String.join("\n\n", errors)));
    }
  }

  /**
   * What is wrong with a statement, null for nothing.
   *
   * @param forced whether joins without an equality are refused
   */
  private static @Nullable String error(
      Connection connection, Statement statement, boolean forced) {
    CorpusRows rows;
    try {
      rows = query(connection, statement);
    } catch (SQLException e) {
      if (forced && e.getErrorCode() == JOIN_UNSUPPORTED) {
        return wrongRefusal(statement, String.valueOf(e.getMessage()));
      }
      return wrongError(statement, e);
    }
    if (statement.expectation() == Script.Expectation.ERROR) {
      return "no error but\n" + rows;
    }
    try {
      return rows.difference(expected(statement), statement.ordered());
    } catch (SQLException e) {
      return "DuckDB: " + e.getMessage();
    }
  }

  /**
   * What is wrong with refusing a statement because an algorithm is asked of all joins: nothing if
   * the plan that nobody forces has a nested loop, and the message says so.
   */
  private static @Nullable String wrongRefusal(Statement statement, String message) {
    if (!message.contains("has no equality between its two sides, so it is a nested loop")) {
      return "refused, but not for want of an equality: " + message;
    }
    Boolean loops = LOOPS.computeIfAbsent(statement, one -> NESTED_LOOP.matcher(plan(one)).find());
    return loops ? null : "refused, though the plan has no nested loop: " + message;
  }

  private static String plan(Statement statement) {
    try (Connection plain = DriverManager.getConnection("jdbc:aragonite:directory=" + directory);
        java.sql.Statement explain = plain.createStatement();
        ResultSet rows = explain.executeQuery("EXPLAIN PLAN FOR " + statement.sql())) {
      StringBuilder text = new StringBuilder();
      while (rows.next()) {
        text.append(rows.getString(1)).append('\n');
      }
      return text.toString();
    } catch (SQLException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static CorpusRows query(Connection connection, Statement statement) throws SQLException {
    List<Cell> parameters = statement.parameters();
    if (parameters == null) {
      try (java.sql.Statement plain = connection.createStatement()) {
        return plain.execute(statement.sql())
            ? CorpusRows.read(plain.getResultSet())
            : CorpusRows.count(plain.getLargeUpdateCount());
      }
    }
    try (PreparedStatement prepared = connection.prepareStatement(statement.sql())) {
      for (int i = 0; i < parameters.size(); i++) {
        Cell cell = parameters.get(i);
        prepared.setObject(i + 1, cell.number() != null ? cell.number() : cell.text());
      }
      return prepared.execute()
          ? CorpusRows.read(prepared.getResultSet())
          : CorpusRows.count(prepared.getLargeUpdateCount());
    }
  }

  private static synchronized CorpusRows expected(Statement statement) throws SQLException {
    if (statement.expectation() == Script.Expectation.COUNT) {
      return CorpusRows.count(statement.number());
    }
    if (statement.expectation() == Script.Expectation.ROWS) {
      return CorpusRows.parse(statement.after());
    }
    CorpusRows known = EXPECTED.get(statement);
    if (known == null) {
      String sql =
          statement.after().isEmpty() ? statement.sql() : String.join("\n", statement.after());
      known = java.util.Objects.requireNonNull(duckDb).query(sql);
      EXPECTED.put(statement, known);
    }
    return known;
  }

  private static @Nullable String wrongError(Statement statement, SQLException e) {
    String message = String.valueOf(e.getMessage());
    if (statement.expectation() != Script.Expectation.ERROR) {
      return message;
    }
    boolean state = statement.sqlState() == null || statement.sqlState().equals(e.getSQLState());
    if (e.getErrorCode() != statement.number() || !state) {
      return "another error: %s, SQLSTATE %s".formatted(message, e.getSQLState());
    }
    for (String part : statement.after()) {
      if (!message.contains(part)) {
        return "the message lacks '%s': %s".formatted(part, message);
      }
    }
    return null;
  }
}
