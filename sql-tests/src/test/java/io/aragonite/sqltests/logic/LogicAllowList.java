package io.aragonite.sqltests.logic;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What we do otherwise than the scripts say: {@code logic-allowed.txt}, a line each with a pattern
 * of what happens (the script, an error's code, {@code differs} or {@code done}, and the statement)
 * and the reason.
 */
final class LogicAllowList {
  private static final String RESOURCE = "logic-allowed.txt";

  /** A line of the list, and how often it has counted. */
  static final class AllowedDifference {
    private final Pattern pattern;
    private final String reason;
    private long times;

    private AllowedDifference(Pattern pattern, String reason) {
      this.pattern = pattern;
      this.reason = reason;
    }

    @Override
    public String toString() {
      return "%,d times: %s (%s)".formatted(times, reason, pattern);
    }
  }

  private final List<AllowedDifference> lines = new ArrayList<>();

  LogicAllowList() throws IOException {
    try (InputStream stream = LogicAllowList.class.getResourceAsStream("/" + RESOURCE)) {
      if (stream == null) {
        throw new IllegalStateException(RESOURCE + " is not on the class path");
      }
      for (String line : new String(stream.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
        if (!line.isBlank() && !line.startsWith("#")) {
          int arrow = line.lastIndexOf(" => ");
          lines.add(
              new AllowedDifference(
                  Pattern.compile(line.substring(0, arrow), Pattern.DOTALL),
                  line.substring(arrow + 4)));
        }
      }
    }
  }

  /** Whether what has happened is on the list. */
  synchronized boolean has(String what) {
    for (AllowedDifference line : lines) {
      if (line.pattern.matcher(what).lookingAt()) {
        line.times++;
        return true;
      }
    }
    return false;
  }

  /** The lines that have not. */
  synchronized List<AllowedDifference> unused() {
    return lines.stream().filter(line -> line.times == 0).toList();
  }
}
