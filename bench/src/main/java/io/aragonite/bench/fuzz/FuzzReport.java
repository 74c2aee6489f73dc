package io.aragonite.bench.fuzz;

import io.aragonite.bench.fuzz.FuzzOutcome.Kind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What became of all statements. */
public final class FuzzReport {
  private static final int LONGEST_MESSAGE = 110;

  private final Map<String, Map<Kind, Integer>> byConfiguration = new LinkedHashMap<>();
  private final Map<String, Integer> refusals = new TreeMap<>();
  private final List<String> findings = new ArrayList<>();

  void add(FuzzConfiguration configuration, FuzzOutcome outcome) {
    byConfiguration
        .computeIfAbsent(configuration.name(), name -> new EnumMap<>(Kind.class))
        .merge(outcome.kind(), 1, Integer::sum);
    if (outcome.kind() == Kind.REFUSED || outcome.kind() == Kind.NOT_COMPARED) {
      String message = outcome.message().lines().findFirst().orElse("").replaceAll("[0-9]+", "N").replaceAll("\"[^\"]*\"|'[^']*'", "..");
      refusals.merge(message.substring(0, Math.min(LONGEST_MESSAGE, message.length())), 1, Integer::sum);
    }
  }

  void finding(String text) {
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
    return byConfiguration.values().stream().mapToInt(kinds -> kinds.getOrDefault(Kind.AGREED, 0)).sum();
  }

  /** A table of outcomes by configuration. */
  public String table() {
    StringBuilder text = new StringBuilder("%-20s %9s".formatted("configuration", "run"));
    for (Kind kind : Kind.values()) {
      text.append(" %12s".formatted(kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ')));
    }
    text.append('\n');
    byConfiguration.forEach((name, kinds) -> {
      text.append("%-20s %9d".formatted(name, kinds.values().stream().mapToInt(Integer::intValue).sum()));
      for (Kind kind : Kind.values()) {
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
