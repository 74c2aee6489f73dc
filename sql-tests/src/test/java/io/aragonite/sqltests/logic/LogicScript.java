package io.aragonite.sqltests.logic;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A script of sqllogictest: records apart by empty lines. What it says of other engines ({@code
 * onlyif}) is left out, and what it keeps from them ({@code skipif}) is there.
 */
final class LogicScript {
  private static final Pattern HASH = Pattern.compile("(\\d+) values hashing to ([0-9a-f]{32})");

  /** A statement or a query of a script. */
  sealed interface ScriptStep permits Change, Query {
    /** Where it begins, from 1. */
    int line();

    String sql();
  }

  /**
   * A statement without a result.
   *
   * @param refused whether it must fail
   */
  record Change(int line, String sql, boolean refused) implements ScriptStep {}

  /**
   * A query.
   *
   * @param types of the columns as they are told: I, R or T
   * @param sort nosort, rowsort or valuesort
   * @param values that are expected, one a line; null if there is a hash
   * @param hash of the values; null if they stand there
   */
  record Query(
      int line,
      String sql,
      String types,
      String sort,
      @Nullable List<String> values,
      int count,
      @Nullable String hash)
      implements ScriptStep {}

  private final List<ScriptStep> steps = new ArrayList<>();

  private LogicScript() {}

  static LogicScript read(InputStream stream) throws IOException {
    LogicScript script = new LogicScript();
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      List<String> lines = new ArrayList<>();
      int number = 0;
      int first = 1;
      for (String line = ""; line != null; ) {
        line = reader.readLine();
        number++;
        if (line != null && !line.isBlank()) {
          if (lines.isEmpty()) {
            first = number;
          }
          lines.add(line.stripTrailing());
          continue;
        }
        if (!lines.isEmpty() && script.endsWith(lines, first)) {
          break;
        }
        lines.clear();
      }
    }
    return script;
  }

  List<ScriptStep> steps() {
    return steps;
  }

  /** Adds the record of some lines; whether the script ends with it. */
  private boolean endsWith(List<String> record, int first) {
    List<String> lines = new ArrayList<>();
    int line = first;
    for (String text : record) {
      if (text.startsWith("#") && lines.isEmpty()) {
        line++;
      } else if (text.startsWith("onlyif ")) {
        return false;
      } else if (text.startsWith("skipif ")) {
        line++;
      } else {
        lines.add(text);
      }
    }
    if (lines.isEmpty()) {
      return false;
    }
    String[] words = lines.getFirst().split("\\s+");
    switch (words[0]) {
      case "halt" -> {
        return true;
      }
      case "hash-threshold" -> {}
      case "statement" ->
          steps.add(
              new Change(
                  line,
                  String.join("\n", lines.subList(1, lines.size())),
                  words[1].equals("error")));
      case "query" -> steps.add(query(line, words, lines));
      default -> throw new IllegalArgumentException("Line " + line + ": " + lines.getFirst());
    }
    return false;
  }

  private static Query query(int line, String[] words, List<String> lines) {
    int end = lines.indexOf("----");
    String sql = String.join("\n", lines.subList(1, end < 0 ? lines.size() : end));
    List<String> values = end < 0 ? List.of() : List.copyOf(lines.subList(end + 1, lines.size()));
    String sort = words.length > 2 ? words[2] : "nosort";
    Matcher hash = HASH.matcher(values.size() == 1 ? values.getFirst() : "");
    return hash.matches()
        ? new Query(line, sql, words[1], sort, null, Integer.parseInt(hash.group(1)), hash.group(2))
        : new Query(line, sql, words[1], sort, values, values.size(), null);
  }
}
