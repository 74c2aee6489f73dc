package io.aragonite.bench.cold;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * What one process does: opens the files with an engine, runs statements in order, in rounds.
 *
 * @param queries names of statements
 * @param unlimited whether they run without their LIMIT
 * @param answers the folder where it leaves the answers of its first round
 */
record ColdTask(
    ColdEngine engine,
    Path directory,
    ColdFiles files,
    int threads,
    List<String> queries,
    boolean unlimited,
    int rounds,
    Path answers) {

  /** The task as arguments of {@link ColdChild}. */
  List<String> arguments() {
    return List.of(
        engine.name(),
        engine.options(),
        directory.toString(),
        files.workload().name(),
        String.valueOf(files.scale()),
        files.format().name(),
        files.codec(),
        String.valueOf(threads),
        String.join(",", queries),
        String.valueOf(unlimited),
        String.valueOf(rounds),
        answers.toString());
  }

  static ColdTask of(List<String> arguments) {
    return new ColdTask(
        new ColdEngine(arguments.get(0), arguments.get(1)),
        Path.of(arguments.get(2)),
        new ColdFiles(
            ColdWorkload.valueOf(arguments.get(3)),
            Double.parseDouble(arguments.get(4)),
            ColdFormat.valueOf(arguments.get(5)),
            arguments.get(6)),
        Integer.parseInt(arguments.get(7)),
        Arrays.asList(arguments.get(8).split(",", -1)),
        Boolean.parseBoolean(arguments.get(9)),
        Integer.parseInt(arguments.get(10)),
        Path.of(arguments.get(11)));
  }

  Path answer(String query) {
    return answers.resolve(query + ".txt");
  }
}
