package io.aragonite.sqltests.operators;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The queries of the suite that our product answers otherwise on purpose: {@code
 * operator-deviations.txt}, with the reasons. A {@code \n} there is a line break.
 */
final class Deviations {
  private static final String RESOURCE = "operator-deviations.txt";

  private final Map<String, String> answers = new HashMap<>();

  Deviations() {
    try (InputStream stream = Deviations.class.getResourceAsStream("/" + RESOURCE)) {
      if (stream == null) {
        throw new IllegalStateException(RESOURCE + " is not on the class path");
      }
      new String(stream.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(line -> {
            int arrow = line.lastIndexOf(" => ");
            String query = line.substring(0, arrow).replace("\\n", "\n");
            answers.put(query, line.substring(arrow + 4));
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Our answer, an exclamation mark and an error code, or null if it is to be the suite's. */
  @Nullable String answer(String query) {
    return answers.get(query);
  }
}
