package io.aragonite.sqltests.operators;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The operator tests that do not run on our device alone, as stored in {@code operator-tests.txt}:
 * a line each with the test's name, what it does instead, and why. What is not listed must run on
 * our device.
 */
final class StoredStandings {
  private static final String RESOURCE = "operator-tests.txt";
  private static final Path SOURCE = Path.of("src", "test", "resources", RESOURCE);

  /**
   * One line of the file.
   *
   * @param standing FALLBACK or FAILED
   * @param reason for readers; not compared
   */
  record Entry(Standing standing, String reason) {}

  private final Map<String, Entry> entries;

  private StoredStandings(Map<String, Entry> entries) {
    this.entries = entries;
  }

  static StoredStandings load() {
    try (InputStream stream = StoredStandings.class.getResourceAsStream("/" + RESOURCE)) {
      if (stream == null) {
        throw new IllegalStateException(RESOURCE + " is not on the class path");
      }
      String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      Map<String, Entry> entries = new TreeMap<>();
      text.lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(line -> {
            String[] parts = line.split("\\s+", 3);
            Standing standing = Standing.valueOf(parts[1].toUpperCase(Locale.ROOT));
            entries.put(parts[0], new Entry(standing, parts.length > 2 ? parts[2] : ""));
          });
      return new StoredStandings(entries);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Standing standing(String test) {
    Entry entry = entries.get(test);
    return entry == null ? Standing.DEVICE : entry.standing();
  }

  String reason(String test) {
    Entry entry = entries.get(test);
    return entry == null ? "" : entry.reason();
  }

  /** Overwrites the file in the source tree; the module's folder must be the working directory. */
  static void store(Map<String, Entry> entries) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(
        """
        # Calcite's operator tests (SqlOperatorTest) that do not run on our device alone:
        # test, "fallback" (a node stays in Calcite's Enumerable convention) or "failed", reason.
        # The list may only shrink. Written by
        #   mvn -o -pl sql-tests -am test -Dtest=GpuSqlOperatorTest \\
        #     -Dsurefire.failIfNoSpecifiedTests=false -Daragonite.operators.update=true
        """);
    new TreeMap<>(entries)
        .forEach((test, entry) ->
            text.append(test)
                .append(' ')
                .append(entry.standing().name().toLowerCase(Locale.ROOT))
                .append(' ')
                .append(entry.reason())
                .append('\n'));
    Files.writeString(SOURCE, text);
  }
}
