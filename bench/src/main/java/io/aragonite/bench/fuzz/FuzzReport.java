package io.aragonite.bench.fuzz;

import io.aragonite.bench.fuzz.FuzzOutcome.OutcomeKind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What became of all statements. */
public final class FuzzReport {
  private static final int LONGEST_MESSAGE = 110;

  private final Map<String, Map<OutcomeKind, Integer>> byConfiguration = new LinkedHashMap<>();
  private final Map<String, Integer> refusals = new TreeMap<>();
  private int lost;
  private final List<String> findings = new ArrayList<>();
  private final Map<String, Integer> checks = new LinkedHashMap<>();
  private final FuzzTimes times = new FuzzTimes();
  private final Map<String, Long> nanosByConfiguration = new HashMap<>();
  private final Map<FuzzPhase, Long> others = new EnumMap<>(FuzzPhase.class);

  void add(FuzzConfiguration configuration, FuzzOutcome outcome) {
    byConfiguration
        .computeIfAbsent(configuration.name(), name -> new EnumMap<>(OutcomeKind.class))
        .merge(outcome.kind(), 1, Integer::sum);
    checks.merge(configuration.name(), outcome.checks(), Integer::sum);
    if (outcome.kind() == OutcomeKind.REFUSED || outcome.kind() == OutcomeKind.NOT_COMPARED) {
      String message = outcome.message().lines().findFirst().orElse("").replaceAll("[0-9]+", "N").replaceAll("['\"]([^'\"(]{0,20})[^'\"]*['\"]", "$1..");
      refusals.merge(message.substring(0, Math.min(LONGEST_MESSAGE, message.length())), 1, Integer::sum);
    }
  }

  /** Where what this process does counts. */
  FuzzTimes times() {
    return times;
  }

  /** Processor time by phase: of the processes that share a run, and of this one where it runs statements itself. */
  private Map<FuzzPhase, Long> nanos() {
    return others.isEmpty() ? times.nanos() : others;
  }

  /**
   * How quick it was.
   *
   * @param seconds that have passed
   */
  public String speed(double seconds) {
    Map<FuzzPhase, Long> nanos = nanos();
    double processor = nanos.values().stream().mapToLong(Long::longValue).sum() / 1e9;
    return "%.0f s, %.0f s of processor time: %.1f statements and %.0f checks a second; %.1f ms of processor time a check (%s)"
        .formatted(
            seconds, processor, statements() / seconds, checks() / seconds, 1e3 * processor / Math.max(1, checks()), FuzzTimes.shares(nanos));
  }

  /** Adds processor time of statements of a configuration. */
  void spent(FuzzConfiguration configuration, long nanos) {
    nanosByConfiguration.merge(configuration.name(), nanos, Long::sum);
  }

  /** Counts a database of DuckDB's that a defect of its own has ended. */
  void lost() {
    lost++;
  }

  /** How often DuckDB had to be opened again. */
  public int lostPeers() {
    return lost;
  }

  /** Adds one that someone has to look at. */
  public void finding(String text) {
    findings.add(text);
  }

  /** What someone has to look at: each a script with the statement, its tables and how it fails. */
  public List<String> findings() {
    return List.copyOf(findings);
  }

  /** How many statements were run. */
  public int statements() {
    return byConfiguration.values().stream().flatMap(kinds -> kinds.values().stream()).mapToInt(Integer::intValue).sum();
  }

  /** How many answers were compared and right. */
  public int agreed() {
    return byConfiguration.values().stream().mapToInt(kinds -> kinds.getOrDefault(OutcomeKind.AGREED, 0)).sum();
  }

  /** How many answers were compared and right: several of some statements. */
  public int checks() {
    return checks.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** All of it as lines, from which {@link #addLine} of another process makes it again. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    byConfiguration.forEach((name, kinds) -> kinds.forEach((kind, count) -> lines.add("outcome\t" + name + '\t' + kind + '\t' + count)));
    checks.forEach((name, count) -> lines.add("checks\t" + name + '\t' + count));
    refusals.forEach((reason, count) -> lines.add("reason\t" + reason.replace('\t', ' ') + '\t' + count));
    lines.add("lost\t" + lost);
    nanosByConfiguration.forEach((name, nanos) -> lines.add("spent\t" + name + '\t' + nanos));
    nanos().forEach((phase, nanos) -> lines.add("time\t" + phase.name() + '\t' + nanos));
    return lines;
  }

  /** Adds what a line of another report says. */
  public void addLine(String line) {
    String[] words = line.split("\t");
    switch (words[0]) {
      case "outcome" ->
          byConfiguration
              .computeIfAbsent(words[1], name -> new EnumMap<>(OutcomeKind.class))
              .merge(OutcomeKind.valueOf(words[2]), Integer.parseInt(words[3]), Integer::sum);
      case "checks" -> checks.merge(words[1], Integer.parseInt(words[2]), Integer::sum);
      case "reason" -> refusals.merge(words[1], Integer.parseInt(words[2]), Integer::sum);
      case "spent" -> nanosByConfiguration.merge(words[1], Long.parseLong(words[2]), Long::sum);
      case "time" -> others.merge(FuzzPhase.valueOf(words[1]), Long.parseLong(words[2]), Long::sum);
      case "lost" -> lost += Integer.parseInt(words[1]);
      default -> throw new IllegalArgumentException(line);
    }
  }

  /** A table of outcomes by configuration. */
  public String table() {
    StringBuilder text = new StringBuilder("%-20s %9s %9s %9s".formatted("configuration", "run", "checks", "ms/check"));
    for (OutcomeKind kind : OutcomeKind.values()) {
      text.append(" %12s".formatted(kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ')));
    }
    text.append('\n');
    byConfiguration.forEach((name, kinds) -> {
      int run = kinds.values().stream().mapToInt(Integer::intValue).sum();
      text.append("%-20s %9d %9d %9.1f".formatted(name, run, checks.getOrDefault(name, 0), nanosByConfiguration.getOrDefault(name, 0L) / 1e6 / Math.max(1, checks.getOrDefault(name, 0))));
      for (OutcomeKind kind : OutcomeKind.values()) {
        text.append(" %12d".formatted(kinds.getOrDefault(kind, 0)));
      }
      text.append('\n');
    });
    return text.toString();
  }

  /** The most frequent reasons why statements were not compared, with their numbers. */
  public String reasons(int most) {
    StringBuilder text = new StringBuilder();
    refusals.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .limit(most)
        .forEach(entry -> text.append("%7d  %s%n".formatted(entry.getValue(), entry.getKey())));
    return text.toString();
  }
}
