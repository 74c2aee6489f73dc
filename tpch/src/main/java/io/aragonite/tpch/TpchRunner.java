package io.aragonite.tpch;

import io.aragonite.dataset.BenchmarkQuery;
import io.aragonite.dataset.QueryRunner;
import io.aragonite.dataset.QueryStreams;
import java.io.PrintStream;
import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Runs TPC-H queries through a connection of any engine that has the tables. */
public final class TpchRunner {
  private TpchRunner() {}

  /**
   * What to run.
   *
   * @param scale the scale factor of the tables
   * @param queries the queries, in order
   * @param check whether to compare with {@link TpchQuery#answer}
   * @param repeats how often each query is run, at least 1; the best time counts
   */
  public record Options(double scale, List<TpchQuery> queries, boolean check, int repeats) {
    /** Copies the list. */
    public Options {
      queries = List.copyOf(queries);
    }

    /** All 22 queries, checked, once. */
    public static Options standard(double scale) {
      return new Options(scale, TpchQuery.all(), true, 1);
    }

    private QueryRunner.RunOptions general() {
      return new QueryRunner.RunOptions(
          queries.stream().map(query -> query.at(scale)).toList(), check, repeats);
    }
  }

  /**
   * Runs query streams of TPC-H's throughput test, each in the order of {@link TpchQuery#ofStream}.
   * The connections, one for each stream, stay the caller's to close.
   *
   * @throws IllegalArgumentException if there are no repeats, no connections or more than {@link
   *     TpchQuery#STREAMS}
   */
  public static QueryStreams streams(
      List<Connection> connections, Options options, PrintStream out) {
    Map<TpchQuery, BenchmarkQuery> queries = new HashMap<>();
    for (TpchQuery query : options.queries) {
      queries.put(query, query.at(options.scale).remembering());
    }
    List<List<BenchmarkQuery>> streams =
        IntStream.rangeClosed(1, connections.size())
            .mapToObj(TpchQuery::ofStream)
            .map(order -> order.stream().filter(queries::containsKey).map(queries::get).toList())
            .toList();
    return new QueryStreams(connections, streams, options.check, options.repeats, out);
  }

  /**
   * A runner of TPC-H queries. The connection stays the caller's to close.
   *
   * @throws IllegalArgumentException if there are no repeats
   */
  public static QueryRunner of(Connection connection, Options options, PrintStream out) {
    return new QueryRunner(connection, options.general(), out);
  }
}
