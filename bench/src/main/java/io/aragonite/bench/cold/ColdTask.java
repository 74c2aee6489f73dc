package io.aragonite.bench.cold;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What one process does: opens the files with an engine, runs queries in order, in rounds.
 *
 * @param queries numbers of queries
 * @param answers the folder where it leaves the answers of its first round
 */
record ColdTask(
    ColdEngine engine,
    Path directory,
    ColdFormat format,
    double scale,
    int threads,
    List<Integer> queries,
    int rounds,
    Path answers) {

  /** The task as arguments of {@link ColdChild}. */
  List<String> arguments() {
    return new ArrayList<>(
        List.of(
            engine.name(),
            engine.options(),
            directory.toString(),
            format.name(),
            String.valueOf(scale),
            String.valueOf(threads),
            queries.stream().map(String::valueOf).collect(Collectors.joining(",")),
            String.valueOf(rounds),
            answers.toString()));
  }

  static ColdTask of(List<String> arguments) {
    return new ColdTask(
        new ColdEngine(arguments.get(0), arguments.get(1)),
        Path.of(arguments.get(2)),
        ColdFormat.valueOf(arguments.get(3)),
        Double.parseDouble(arguments.get(4)),
        Integer.parseInt(arguments.get(5)),
        Arrays.stream(arguments.get(6).split(",", -1)).map(Integer::valueOf).toList(),
        Integer.parseInt(arguments.get(7)),
        Path.of(arguments.get(8)));
  }

  Path answer(int query) {
    return answers.resolve("q" + query + ".txt");
  }
}
