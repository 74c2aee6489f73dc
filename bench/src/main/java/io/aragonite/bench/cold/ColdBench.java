package io.aragonite.bench.cold;

import io.aragonite.bench.cold.ColdProcess.ColdRunning;
import io.aragonite.dataset.Answer;
import io.aragonite.dataset.Directories;
import io.aragonite.dataset.TerminalProgress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Starts fresh processes that open files and run statements once, and holds their answers against
 * the stored ones and against each other.
 */
public final class ColdBench {
  /**
   * What is measured.
   *
   * @param numbers of queries; none: all
   * @param rounds how often a process runs all statements
   * @param secondProcess whether each engine gets another process, which finds what the first left
   * @param perQuery whether each statement gets a process of its own, which is timed as a whole
   * @param command the command whose JVM options the processes have
   * @param limitSeconds after which a process is ended; 0: never
   */
  public record ColdOptions(
      ColdFiles files,
      int threads,
      List<Integer> numbers,
      int rounds,
      boolean secondProcess,
      boolean perQuery,
      String command,
      int limitSeconds) {}

  private final ColdOptions options;
  private final Path directory;
  private final PrintWriter out;
  private final ColdProgress progress = new ColdProgress();
  private final List<ColdColumn> columns = new ArrayList<>();
  private final List<String> queries;
  private final ColdAnswers answers;
  private final List<String> complaints = new ArrayList<>();

  /**
   * Makes the files if they are not there.
   *
   * @param root the folder that has those of all workloads and scales
   */
  public ColdBench(ColdOptions options, Path root, PrintWriter out)
      throws IOException, InterruptedException, SQLException {
    this.options = options;
    this.out = out;
    ColdFiles files = options.files;
    List<ColdQuery> chosen =
        files.workload().queries(files.scale()).stream()
            .filter(
                query -> options.numbers.isEmpty() || options.numbers.contains(query.number()))
            .toList();
    this.queries = chosen.stream().map(ColdQuery::name).toList();
    this.answers = new ColdAnswers(chosen, this::allRows);
    this.directory = files.ensure(root, options.threads, new TerminalProgress());
  }

  /** Measures an engine. */
  public void run(ColdEngine engine) throws IOException, InterruptedException {
    for (int process = 1; process <= (options.secondProcess ? 2 : 1); process++) {
      String which = process == 1 ? "" : ", process 2";
      if (process == 1) {
        ColdFiles.touch(directory);
      }
      progress.started(engine.name() + which, queries.size() * options.rounds);
      columns.addAll(
          options.perQuery ? List.of(perQuery(which, engine)) : whole(which, engine));
      progress.clear();
    }
  }

  private List<ColdColumn> whole(String which, ColdEngine engine)
      throws IOException, InterruptedException {
    ColdProcess process = process(engine, queries, options.rounds, false);
    check(engine.name() + which, process);
    List<ColdColumn> rounds = new ArrayList<>();
    for (int round = 1; round <= options.rounds; round++) {
      String column = which + (round == 1 ? "" : ", round " + round);
      rounds.add(ColdColumn.of(engine.name(), column, process, round, queries));
    }
    return rounds;
  }

  private ColdColumn perQuery(String which, ColdEngine engine)
      throws IOException, InterruptedException {
    Map<String, ColdTime> times = new LinkedHashMap<>();
    for (String query : queries) {
      ColdProcess process = process(engine, List.of(query), 1, false);
      check(engine.name() + which, process);
      ColdTime time = process.time(1, query);
      if (process.failures().isEmpty() && time != null) {
        ColdTime whole = process.whole();
        times.put(
            query,
            new ColdTime(1, query, whole.millis(), time.planMillis(), whole.cpuMillis()));
      }
    }
    return new ColdColumn(engine.name(), which, null, times);
  }

  private ColdProcess process(
      ColdEngine engine, List<String> statements, int rounds, boolean unlimited)
      throws IOException, InterruptedException {
    Path left = Files.createTempDirectory("aragonite-cold");
    try {
      return ColdProcess.run(
          new ColdTask(
              engine,
              directory,
              options.files,
              options.threads,
              statements,
              unlimited,
              rounds,
              left),
          new ColdRunning(options.command, options.limitSeconds, progress));
    } finally {
      Directories.deleteTree(left);
    }
  }

  /** What DuckDB finds without the LIMIT, in a process that nobody times. */
  private @Nullable Answer allRows(ColdQuery query) throws IOException, InterruptedException {
    if (!ColdEngine.hasDuckDb()) {
      return null;
    }
    return process(ColdEngine.DUCKDB, List.of(query.name()), 1, true).answers().get(query.name());
  }

  private void check(String name, ColdProcess process) throws IOException, InterruptedException {
    process
        .failures()
        .forEach(
            (query, message) ->
                complain(
                    name
                        + (query.equals(ColdProcess.ITSELF) ? "" : ", " + query)
                        + ": "
                        + message));
    answers.check(name, process).forEach(this::complain);
  }

  private void complain(String complaint) {
    progress.clear();
    complaints.add(complaint);
    out.println(complaint);
    out.flush();
  }

  /** What failed or is wrong. */
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  /** What was measured, of which {@code repeated} is the command. */
  public ColdReport report(String repeated) {
    String each =
        options.perQuery
            ? "each query in a process of its own, from its start to its end"
            : "each query once in a fresh process";
    ColdFiles files = options.files;
    String what =
        "%s scale %s from %s files%s, %s; %d threads"
            .formatted(
                files.workload().title(),
                files.workload().dataset(files.scale()).scale(),
                files.format().title(),
                files.format() == ColdFormat.PARQUET ? " (" + files.codec() + ")" : "",
                each,
                options.threads);
    return new ColdReport(what, repeated, List.copyOf(columns), queries);
  }
}
