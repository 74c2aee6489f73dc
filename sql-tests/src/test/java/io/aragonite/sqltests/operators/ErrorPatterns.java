package io.aragonite.sqltests.operators;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which errors of our catalogue stand for those that the suite expects at run time. The suite asks
 * for Calcite's wording. Ours often contains it; where it does not, {@code operator-errors.txt}
 * says which of our codes stand for a pattern of the suite.
 */
final class ErrorPatterns {
  private static final String RESOURCE = "operator-errors.txt";
  private static final Pattern PREFIX = Pattern.compile("^AR-\\d+ \\([A-Z]+\\): ");
  private static final Pattern PLACE = Pattern.compile(", in \\S+\\(.*\\)$");

  private final Map<Pattern, Set<String>> codes = new LinkedHashMap<>();

  ErrorPatterns() {
    try (InputStream stream = ErrorPatterns.class.getResourceAsStream("/" + RESOURCE)) {
      if (stream == null) {
        throw new IllegalStateException(RESOURCE + " is not on the class path");
      }
      new String(stream.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(line -> {
            String[] parts = line.split(" ", 2);
            codes.put(Pattern.compile(parts[1]), Set.of(parts[0].split(",", -1)));
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether {@code thrown} is an error of our catalogue that stands for the expected pattern. */
  boolean accepts(@Nullable String expected, @Nullable Throwable thrown) {
    SQLException ours = ours(thrown);
    if (ours == null || expected == null) {
      return false;
    }
    String code = String.valueOf(ours.getErrorCode());
    return contains(String.valueOf(ours.getMessage()), expected)
        || codes.entrySet().stream()
            .anyMatch(e -> e.getKey().matcher(expected).matches() && e.getValue().contains(code));
  }

  /** Whether our message is Calcite's with a code in front and a place behind. */
  private static boolean contains(String message, String expected) {
    String sentence = PREFIX.matcher(message).replaceFirst("");
    String bare = sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    Pattern pattern = Pattern.compile(expected);
    return pattern.matcher(sentence).matches()
        || pattern.matcher(bare).matches()
        || pattern.matcher(PLACE.matcher(bare).replaceFirst("")).matches();
  }

  /** Our code of an error, 0 if it is none of ours. */
  static int code(Throwable thrown) {
    SQLException ours = ours(thrown);
    return ours == null ? 0 : ours.getErrorCode();
  }

  private static @Nullable SQLException ours(@Nullable Throwable thrown) {
    for (Throwable e = thrown; e != null; e = e.getCause()) {
      if (e instanceof SQLException sql && String.valueOf(sql.getMessage()).startsWith("AR-")) {
        return sql;
      }
    }
    return null;
  }
}
