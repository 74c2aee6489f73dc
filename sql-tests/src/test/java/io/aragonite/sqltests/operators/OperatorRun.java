package io.aragonite.sqltests.operators;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What the tests of one run did, and how that compares with the stored file. */
final class OperatorRun {
  private static final int REASON_LENGTH = 160;

  /**
   * One test.
   *
   * @param standing where it ran
   * @param hostFunctions host functions that its queries used, which our device calls row by row
   * @param reason of a fallback or failure
   */
  private record Outcome(Standing standing, Set<String> hostFunctions, String reason) {}

  private final StoredStandings stored = StoredStandings.load();
  private final Map<String, Outcome> outcomes = new TreeMap<>();
  private final Map<String, Integer> reasons = new HashMap<>();
  private final List<String> improved = new ArrayList<>();
  private int skipped;
  private int leftOut;
  private int queries;
  private int trailingZeros;
  private int deviations;

  /** Whether this run rewrites the stored file. */
  static boolean updating() {
    return Boolean.getBoolean("aragonite.operators.update");
  }

  StoredStandings stored() {
    return stored;
  }

  void skipped() {
    skipped++;
  }

  /** A test is not one of the sample. */
  void leftOut() {
    leftOut++;
  }

  void deviation() {
    deviations++;
  }

  void trailingZeros() {
    trailingZeros++;
  }

  void queries(int count) {
    queries += count;
  }

  void finished(String test, Standing standing, Set<String> hostFunctions, Set<String> why) {
    String reason = oneLine(String.join("; ", why));
    String name = test;
    for (int i = 2; outcomes.containsKey(name); i++) {
      name = test + "#" + i; // parameters that have no name of their own
    }
    outcomes.put(name, new Outcome(standing, hostFunctions, reason));
    if (standing == Standing.FALLBACK) {
      why.forEach(w -> reasons.merge(oneLine(w), 1, Integer::sum));
    }
    if (standing != Standing.NOTHING && standing.compareTo(stored.standing(test)) < 0) {
      improved.add(test);
    }
  }

  private static String oneLine(String text) {
    String line = text.strip().replaceAll("\\s+", " ");
    return line.length() <= REASON_LENGTH ? line : line.substring(0, REASON_LENGTH) + "...";
  }

  /** Prints the counts, and writes the file if asked to. */
  void report() {
    StringBuilder text = new StringBuilder("\nSqlOperatorTest through our driver\n");
    for (Standing standing : Standing.values()) {
      line(text, count(standing), standing.meaning);
    }
    line(text, skipped, "skipped by the suite itself");
    line(text, leftOut, "left out of the day's sample");
    line(text, outcomes.size() + skipped + leftOut, "tests");
    line(text, queries, "queries");
    line(text, trailingZeros, "of these whose decimals differ in zeros at their end");
    line(
        text, deviations, "of these that we answer otherwise on purpose (operator-deviations.txt)");
    reasons.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .forEach(e -> line(text, e.getValue(), "fallback: " + e.getKey()));
    outcomes.values().stream()
        .flatMap(o -> o.hostFunctions().stream())
        .collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()))
        .forEach((name, count) -> line(text, count.intValue(), "host function: " + name));
    System.out.println(text);
    if (updating()) {
      update();
    } else if (!improved.isEmpty()) {
      System.out.println(
          "Better than operator-tests.txt says: "
              + String.join(", ", improved)
              + ". Update the file with: mvn -o -pl sql-tests -am test -Dtest=GpuSqlOperatorTest"
              + " -Dsurefire.failIfNoSpecifiedTests=false -Daragonite.operators.update=true");
    }
  }

  private static void line(StringBuilder text, int count, String what) {
    text.append(String.format(Locale.ROOT, "%7d  %s%n", count, what));
  }

  private int count(Standing standing) {
    return (int) outcomes.values().stream().filter(o -> o.standing() == standing).count();
  }

  private void update() {
    Map<String, String> lines = new TreeMap<>();
    outcomes.forEach((test, outcome) -> {
      if (outcome.standing() == Standing.FALLBACK) {
        lines.put(test, Standing.FALLBACK + " " + outcome.reason());
      } else if (outcome.standing() == Standing.HOST) {
        lines.put(test, Standing.HOST + " " + oneLine(String.join(" ", outcome.hostFunctions())));
      }
    });
    try {
      StoredStandings.store(lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
