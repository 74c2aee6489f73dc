package io.aragonite.sqltests.operators;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The operator tests that leave nodes to Calcite's Enumerable, as stored in {@code
 * operator-tests.txt}: a line each with the test's name and why. What is not listed must run on our
 * device, and nothing may fail.
 */
final class StoredStandings {
  private static final String RESOURCE = "operator-tests.txt";
  private static final Path SOURCE = Path.of("src", "test", "resources", RESOURCE);

  private final Set<String> fallbacks;

  private StoredStandings(Set<String> fallbacks) {
    this.fallbacks = fallbacks;
  }

  static StoredStandings load() {
    try (InputStream stream = StoredStandings.class.getResourceAsStream("/" + RESOURCE)) {
      if (stream == null) {
        throw new IllegalStateException(RESOURCE + " is not on the class path");
      }
      String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      Set<String> tests = new TreeSet<>();
      text.lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(line -> tests.add(line.split("\\s+", 2)[0]));
      return new StoredStandings(tests);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Standing standing(String test) {
    return fallbacks.contains(test) ? Standing.FALLBACK : Standing.DEVICE;
  }

  /**
   * Overwrites the file in the source tree; the module's folder must be the working directory.
   *
   * @param reasons of the tests with fallbacks; for readers, not compared
   */
  static void store(Map<String, String> reasons) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(
        """
        # Calcite's operator tests (SqlOperatorTest) that do not run on our device alone: the test, and
        # why a node stays in Calcite's Enumerable convention. The list may only shrink. Written by
        #   mvn -o -pl sql-tests -am test -Dtest=GpuSqlOperatorTest \\
        #     -Dsurefire.failIfNoSpecifiedTests=false -Daragonite.operators.update=true
        """);
    new TreeMap<>(reasons)
        .forEach((test, reason) -> text.append(test).append(' ').append(reason).append('\n'));
    Files.writeString(SOURCE, text);
  }
}
