package io.aragonite.bench.command;

import picocli.CommandLine.Mixin;
import io.aragonite.adapter.cli.Main;

import io.aragonite.bench.graph.GraphBench;
import io.aragonite.bench.graph.GraphData;
import io.aragonite.bench.graph.GraphQuery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code aragonite bench graph}: patterns of graphs in SQL. */
@Command(
    name = "graph",
    description = {
      "Counts triangles, cliques and cycles of generated graphs in SQL, as one join over tries"
          + " (multiway=on) and by joins of two relations at a time (off), and compares counts.",
      "Exit status 0: all counts agree; 1: some do not."
    },
    mixinStandardHelpOptions = true)
final class BenchGraphCommand implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions("cpu", 5);

  @Option(
      names = "--graphs",
      split = ",",
      paramLabel = "<kind>",
      description = "Kinds of graphs: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private List<GraphData.GraphKind> graphs = List.of(GraphData.GraphKind.RANDOM3, GraphData.GraphKind.RMAT);

  @Option(
      names = "--edges",
      split = ",",
      paramLabel = "<n>",
      description = "Edges, each once; the table has both directions (default: 100000).")
  private List<Integer> edges = List.of(100_000);

  @Option(
      names = "--queries",
      split = ",",
      paramLabel = "<name>",
      description = "Patterns: ${COMPLETION-CANDIDATES} (default: TRIANGLES).")
  private List<GraphQuery> queries = List.of(GraphQuery.TRIANGLES);

  @Option(
      names = "--modes",
      split = ",",
      paramLabel = "on|off|auto|levels|depth",
      description = "Values of the property multiway (default: ${DEFAULT-VALUE}).")
  private List<String> modes = List.of("on", "off");

  @Option(names = "--memory", paramLabel = "<size>", description = "Host memory: 8GB.")
  private @Nullable String memory;

  @Option(names = "--gpu-memory", paramLabel = "<size>", description = "Memory of the GPU.")
  private @Nullable String gpuMemory;

  @Option(names = "--timeout", paramLabel = "<time>", description = "Longest time for a query.")
  private String timeout = "60s";

  @Option(names = "--analyze", description = "Prints each query's plan with counts as well.")
  private boolean analyze;

  @Option(names = "--svg", paramLabel = "<file>", description = "Draws the figures there.")
  private @Nullable Path svg;

  @Override
  public Integer call() throws Exception {
    options.check();
    options.require(
        edges.stream().allMatch(count -> count >= 1 && count <= 1 << 29), "--edges are 1 to 2^29");
    Map<String, String> connection = new LinkedHashMap<>();
    connection.put("device", options.device());
    connection.put("timeout", timeout);
    connection.put("threads", String.valueOf(options.threads()));
    if (memory != null) {
      connection.put("memory", memory);
    }
    if (gpuMemory != null) {
      connection.put("gpuMemory", gpuMemory);
    }
    GraphBench bench = new GraphBench(connection, options.repeat(), analyze, options.out());
    List<GraphBench.GraphResult> results = new ArrayList<>();
    Path directory = Files.createTempDirectory("aragonite-graph");
    try {
      for (GraphData.GraphKind kind : graphs) {
        for (int count : edges) {
          Path own = directory.resolve(kind + "-" + count);
          results.addAll(bench.run(kind, count, queries, modes, own));
          Files.delete(own);
        }
      }
    } finally {
      Files.deleteIfExists(directory);
    }
    options.writeCsv(GraphBench.csv(results));
    if (svg != null) {
      Files.writeString(svg, GraphBench.svg(results));
    }
    return GraphBench.agree(results) ? 0 : Main.FAILED;
  }
}
