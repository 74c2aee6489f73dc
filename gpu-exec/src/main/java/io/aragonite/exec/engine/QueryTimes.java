package io.aragonite.exec.engine;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What queries took on one processor, beside what they were expected to take. A query that comes
 * again is expected to take what it took; others what their price says, times the median of taken
 * over expected. In this median a query weighs what it was expected to take: so short ones, whose
 * fixed cost no price knows exactly, do not speak for long ones.
 *
 * <p>The first run of a query does not count: its expressions are compiled, and the Java code of
 * its operators may run for the first time. For one thread at a time.
 */
final class QueryTimes {
  private static final int MOST_QUERIES = 1024;

  /** How many runs the median is of. */
  private static final int RECENT = 64;

  /** So far a price may be wrong, in either direction. */
  private static final double MOST_WRONG = 8;

  /** How much a run changes what a query is known to take, if it took longer. */
  private static final double SLOWER_SHARE = 0.25;

  private record Run(double expected, double ratio) {}

  private static final class Known {
    int runs;
    int tries;
    double nanos;
  }

  private final Map<Integer, Known> queries =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Known> eldest) {
          return size() > MOST_QUERIES;
        }
      };

  private final Deque<Run> recent = new ArrayDeque<>();

  /** NaN: a run has come since. */
  private double correction = 1;

  /**
   * What a query will take.
   *
   * @param query tells it from others; two that share it are taken for one
   * @param priced nanoseconds by its price
   */
  double nanos(int query, double priced) {
    Known known = queries.get(query);
    return known != null && knows(query) ? known.nanos : priced * correction();
  }

  /** How often a query has run. */
  int runs(int query) {
    Known known = queries.get(query);
    return known == null ? 0 : known.runs;
  }

  /** Whether it is known what a query takes. */
  boolean knows(int query) {
    return runs(query) > 1;
  }

  /** How often a query has been begun here to see what it takes. */
  int tries(int query) {
    Known known = queries.get(query);
    return known == null ? 0 : known.tries;
  }

  /** Counts a run that begins to see what it takes, whether or not it will end here. */
  void tried(int query) {
    queries.computeIfAbsent(query, key -> new Known()).tries++;
  }

  /** Counts a run that took {@code nanos}. */
  void ran(int query, double priced, double nanos) {
    Known known = queries.computeIfAbsent(query, key -> new Known());
    known.runs++;
    if (known.runs == 1 || !(priced > 0)) {
      return;
    }
    known.nanos =
        known.runs == 2 || nanos < known.nanos
            ? nanos
            : known.nanos + SLOWER_SHARE * (nanos - known.nanos);
    recent.add(new Run(priced, nanos / priced));
    if (recent.size() > RECENT) {
      recent.remove();
    }
    correction = Double.NaN;
  }

  private double correction() {
    if (Double.isNaN(correction)) {
      correction = Math.clamp(median(), 1 / MOST_WRONG, MOST_WRONG);
    }
    return correction;
  }

  private double median() {
    List<Run> sorted = recent.stream().sorted(Comparator.comparingDouble(Run::ratio)).toList();
    double half = sorted.stream().mapToDouble(Run::expected).sum() / 2;
    double sum = 0;
    for (Run run : sorted) {
      sum += run.expected;
      if (sum >= half) {
        return run.ratio;
      }
    }
    return sorted.getLast().ratio;
  }
}
