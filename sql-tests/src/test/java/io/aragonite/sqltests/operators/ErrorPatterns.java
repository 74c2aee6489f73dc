package io.aragonite.sqltests.operators;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What Calcite's messages of errors at run time are in our catalogue. The suite expects Calcite's
 * wording; ours differs, so {@code operator-errors.txt} says for a pattern of the suite which of
 * our codes stand for it.
 */
final class ErrorPatterns {
  private static final String RESOURCE = "operator-errors.txt";

  private final Map<String, String> codes = new LinkedHashMap<>();

  ErrorPatterns() {
    try (InputStream stream = ErrorPatterns.class.getResourceAsStream("/" + RESOURCE)) {
      if (stream == null) {
        throw new IllegalStateException(RESOURCE + " is not on the class path");
      }
      new String(stream.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(
              line -> {
                String[] parts = line.split("\\s+", 2);
                codes.put(parts[1], parts[0]);
              });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether {@code thrown} is an error of our catalogue that stands for the expected pattern. */
  boolean accepts(@Nullable String expectedPattern, @Nullable Throwable thrown) {
    SQLException ours = ours(thrown);
    String accepted = expectedPattern == null ? null : codes.get(expectedPattern);
    if (ours == null || accepted == null) {
      return false;
    }
    for (String code : accepted.split(",", -1)) {
      if (Integer.parseInt(code) == ours.getErrorCode()) {
        return true;
      }
    }
    return false;
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
