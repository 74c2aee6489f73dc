package io.aragonite.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a comparison is asked for.
 *
 * @param benchmark tpch or tpcds
 * @param runs of each statement on each side; 0: the data is made, and no more
 * @param master where Spark runs
 * @param numbers of queries; empty: all
 * @param seconds after which it ends with what it has; 0: without limit
 * @param alone whether Aragonite alone runs, and nothing is compared
 * @param executors numbers of executors to compare, each in a cluster of its own; empty: the
 *     master's
 */
record ComparisonOptions(
    String benchmark,
    double scale,
    int runs,
    String master,
    List<Integer> numbers,
    int seconds,
    boolean alone,
    List<Integer> executors) {
  private static final String SECONDS = "--seconds=";
  private static final String ALONE = "--aragonite-only";
  private static final String EXECUTORS = "--executors=";
  private static final Pattern CLUSTER =
      Pattern.compile("local-cluster\\[ *(\\d+) *, *(\\d+) *, *(\\d+) *]");

  private static final Pattern MASTERS =
      Pattern.compile("local|local\\[.*]|" + CLUSTER.pattern() + "|(spark|k8s)://.+|yarn");

  private static final String DEFAULT_CLUSTER = "local-cluster[1,4,4096]";

  /** What {@code --help} prints. */
  static final String USAGE =
      """
      Usage: aragonite spark [tpch|tpcds] [<scale> [<runs> [<master> [<query>,<query>...]]]] [<option>...]
      Runs a benchmark in a local Spark, without Aragonite and with it, and compares answers and times.
        <scale>   of the data, which the first run makes; 0.1 without it
        <runs>    of each query on each side, the first of which is cold; 3 without it; 0: the data alone
        <master>  local[<cores>], local-cluster[<executors>,<cores>,<MiB>] or a place like spark://host:7077; local[*] without it
        --seconds=<n>            ends after so many with what there is then
        --aragonite-only         compares nothing
        --executors=<n>,<n>...   compares numbers of executors, of the size in local-cluster[1,<cores>,<MiB>]
      ARAGONITE_JAVA_OPTS='-Dspark.<name>=<value>' gives Spark settings. See docs/spark.md.""";

  private static final List<String> HELP = List.of("--help", "-h");

  /** The benchmark and what may come behind it. */
  private static final int WORDS = 5;

  /** Whether someone asks what may be asked for. */
  static boolean isHelp(String... args) {
    return Arrays.stream(args).anyMatch(HELP::contains);
  }

  /**
   * @param args the benchmark; scale, runs, master and numbers of queries may be left out. Options
   *     may be anywhere
   * @throws IllegalArgumentException for what cannot be understood
   */
  static ComparisonOptions of(String... args) {
    List<String> words = new ArrayList<>();
    int seconds = 0;
    boolean alone = false;
    List<Integer> executors = List.of();
    for (String arg : args) {
      if (arg.startsWith(SECONDS)) {
        seconds = number(arg.substring(SECONDS.length()), arg);
      } else if (arg.startsWith(EXECUTORS)) {
        executors = numbers(arg.substring(EXECUTORS.length()), arg);
      } else if (arg.equals(ALONE)) {
        alone = true;
      } else if (arg.startsWith("--")) {
        throw new IllegalArgumentException(
            "%s<n>, %s<n>,<n>... or %s, not %s".formatted(SECONDS, EXECUTORS, ALONE, arg));
      } else {
        words.add(arg);
      }
    }
    if (words.size() > WORDS) {
      throw new IllegalArgumentException(
          "after the benchmark come scale, runs, master and numbers of queries, and no more: "
              + words.subList(WORDS, words.size()));
    }
    ComparisonOptions options =
        new ComparisonOptions(
            words.getFirst(),
            words.size() > 1 ? scale(words.get(1)) : 0.1,
            words.size() > 2 ? number(words.get(2), "the number of runs, " + words.get(2)) : 3,
            words.size() > 3 ? words.get(3) : executors.isEmpty() ? "local[*]" : DEFAULT_CLUSTER,
            words.size() > 4 ? numbers(words.get(4), "numbers of queries, " + words.get(4)) : List.of(),
            seconds,
            alone,
            executors);
    boolean known = MASTERS.matcher(options.master()).matches();
    if (!executors.isEmpty()) {
      options.cores(); // there are some
      if (executors.contains(0)) {
        throw new IllegalArgumentException(EXECUTORS + " has to name numbers from 1 on");
      }
    } else if (!known) {
      throw new IllegalArgumentException(
          "the master has to be local[<cores>], local-cluster[<executors>,<cores>,<MiB>] or a place like spark://host:7077, not "
              + options.master());
    }
    return options;
  }

  private static double scale(String word) {
    try {
      return Double.parseDouble(word);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("the scale has to be a number, not " + word, e);
    }
  }

  private static int number(String word, String arg) {
    try {
      int number = Integer.parseInt(word);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Told of below.
    }
    throw new IllegalArgumentException(arg + ": " + word + " is no whole number");
  }

  private static List<Integer> numbers(String words, String arg) {
    return Arrays.stream(words.split(",", -1)).map(word -> number(word, arg)).toList();
  }

  /**
   * Of each executor.
   *
   * @throws IllegalArgumentException if the master is no cluster of this machine's
   */
  int cores() {
    return Integer.parseInt(cluster().group(2));
  }

  private Matcher cluster() {
    Matcher cluster = CLUSTER.matcher(master);
    if (!cluster.matches()) {
      throw new IllegalArgumentException(
          "%s needs a master of local-cluster[1,<cores of an executor>,<MiB of an executor>], not %s"
              .formatted(EXECUTORS, master));
    }
    return cluster;
  }

  /**
   * The same on so many executors, each as large as those of the master.
   *
   * @param limit seconds; 0: without limit
   */
  ComparisonOptions on(int count, int limit) {
    Matcher cluster = cluster();
    String sized = "local-cluster[%d,%s,%s]".formatted(count, cluster.group(2), cluster.group(3));
    return new ComparisonOptions(
        benchmark, scale, runs, sized, numbers, limit, alone, List.of());
  }
}
