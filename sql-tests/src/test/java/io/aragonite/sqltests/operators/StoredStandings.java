package io.aragonite.sqltests.operators;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The operator tests that do not run wholly in our code, as stored in {@code operator-tests.txt}: a
 * line each with the test's name, its standing and why. What is not listed must run in our code
 * alone, and nothing may fail.
 */
final class StoredStandings {
  private static final String RESOURCE = "operator-tests.txt";
  private static final Path SOURCE = Path.of("src", "test", "resources", RESOURCE);

  private final Map<String, Standing> standings;

  private StoredStandings(Map<String, Standing> standings) {
    this.standings = standings;
  }

  static StoredStandings load() {
    try (InputStream stream = StoredStandings.class.getResourceAsStream("/" + RESOURCE)) {
      if (stream == null) {
        throw new IllegalStateException(RESOURCE + " is not on the class path");
      }
      String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      Map<String, Standing> tests = new TreeMap<>();
      text.lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split("\\s+", 3))
          .forEach(line -> tests.put(line[0], Standing.valueOf(line[1])));
      return new StoredStandings(tests);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Standing standing(String test) {
    return standings.getOrDefault(test, Standing.DEVICE);
  }

  /**
   * Overwrites the file in the source tree; the module's folder must be the working directory.
   *
   * @param lines for each test its standing and, for readers, why
   */
  static void store(Map<String, String> lines) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(
        """
        # Calcite's operator tests (SqlOperatorTest) that do not run wholly in our code: the test; HOST
        # and the functions that Calcite's code evaluates row by row; or FALLBACK and why a node stays in
        # Calcite's Enumerable convention. The list may only shrink. Written by
        #   mvn -o -pl sql-tests -am test -Dtest=GpuSqlOperatorTest \\
        #     -Dsurefire.failIfNoSpecifiedTests=false -Daragonite.operators.update=true
        """);
    new TreeMap<>(lines)
        .forEach((test, line) -> text.append(test).append(' ').append(line).append('\n'));
    Files.writeString(SOURCE, text);
  }
}
