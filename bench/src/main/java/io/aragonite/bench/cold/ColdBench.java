package io.aragonite.bench.cold;

import io.aragonite.bench.cold.ColdProcess.ColdTime;
import io.aragonite.dataset.Answer;
import io.aragonite.dataset.Directories;
import io.aragonite.tpch.TpchQuery;
import io.aragonite.tpch.TpchScale;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Starts fresh processes that open files and run queries once, and holds their answers against the
 * stored ones and against each other.
 */
public final class ColdBench {
  /**
   * What is measured.
   *
   * @param rounds how often a process runs all queries
   * @param secondProcess whether each engine gets another process, which finds what the first left
   * @param perQuery whether each query gets a process of its own, which is timed as a whole
   * @param command the command whose JVM options the processes have
   */
  public record ColdOptions(
      double scale,
      ColdFormat format,
      int threads,
      List<Integer> queries,
      int rounds,
      boolean secondProcess,
      boolean perQuery,
      String command) {}

  private final ColdOptions options;
  private final Path directory;
  private final PrintWriter out;
  private final List<ColdColumn> columns = new ArrayList<>();
  private final Map<Integer, Answer> expected = new HashMap<>();
  private final List<String> complaints = new ArrayList<>();

  /** Makes the files if they are not there. */
  public ColdBench(ColdOptions options, Path cacheRoot, PrintWriter out)
      throws IOException, InterruptedException, SQLException {
    this.options = options;
    this.out = out;
    this.directory =
        ColdData.ensure(options.scale, options.format, cacheRoot, options.threads);
    for (int query : options.queries) {
      TpchQuery.of(query).answer(options.scale)
          .ifPresent(answer -> expected.put(query, answer));
    }
  }

  /** Whether {@link #ColdBench} would need DuckDB to make the files. */
  public static boolean needsDuckDb(ColdOptions options, Path cacheRoot) {
    return ColdData.needsDuckDb(options.scale, options.format, cacheRoot);
  }

  /** Measures an engine. */
  public void run(ColdEngine engine) throws IOException, InterruptedException {
    Path answers = Files.createTempDirectory("aragonite-cold");
    try {
      for (int process = 1; process <= (options.secondProcess ? 2 : 1); process++) {
        String which = process == 1 ? "" : ", process 2";
        if (process == 1) {
          ColdData.touch(directory, options.format);
        }
        columns.addAll(
            options.perQuery
                ? List.of(perQuery(which, engine, answers))
                : whole(which, engine, answers));
      }
    } finally {
      Directories.deleteTree(answers);
    }
  }

  private List<ColdColumn> whole(String which, ColdEngine engine, Path answers)
      throws IOException, InterruptedException {
    ColdProcess process = process(engine, options.queries, options.rounds, answers);
    check(engine.name() + which, process);
    List<ColdColumn> rounds = new ArrayList<>();
    for (int round = 1; round <= options.rounds; round++) {
      String column = which + (round == 1 ? "" : ", round " + round);
      rounds.add(ColdColumn.of(engine.name(), column, process, round, options.queries));
    }
    return rounds;
  }

  private ColdColumn perQuery(String which, ColdEngine engine, Path answers)
      throws IOException, InterruptedException {
    Map<Integer, ColdTime> times = new LinkedHashMap<>();
    for (int query : options.queries) {
      ColdProcess process = process(engine, List.of(query), 1, answers);
      check(engine.name() + which, process);
      if (process.failures().isEmpty()) {
        times.put(query, process.whole());
      }
    }
    return new ColdColumn(engine.name(), which, null, times);
  }

  private ColdProcess process(
      ColdEngine engine, List<Integer> queries, int rounds, Path answers)
      throws IOException, InterruptedException {
    return ColdProcess.run(
        new ColdTask(
            engine,
            directory,
            options.format,
            options.scale,
            options.threads,
            queries,
            rounds,
            answers),
        options.command);
  }

  /** An answer that is stored is what all must give; of the others the first one that comes. */
  private void check(String name, ColdProcess process) {
    process
        .failures()
        .forEach(
            (query, message) ->
                complain(name + (query == 0 ? "" : ", Q" + query) + ": " + message));
    process
        .answers()
        .forEach(
            (query, answer) -> {
              Answer wanted = expected.putIfAbsent(query, answer);
              if (wanted != null) {
                TpchQuery.of(query)
                    .compare(wanted, answer)
                    .ifPresent(difference -> complain(name + ", Q" + query + ": " + difference));
              }
            });
  }

  private void complain(String complaint) {
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
    String what =
        "TPC-H scale %s from %s files, %s; %d threads"
            .formatted(
                new TpchScale(options.scale),
                options.format.title(),
                each,
                options.threads);
    return new ColdReport(what, repeated, List.copyOf(columns), options.queries);
  }
}
