package io.aragonite.sqltests.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What breaks a rule of the structure today, one line each, in a file that may only shrink. A line
 * that is new fails the check, and so does one that is no longer true.
 *
 * @param file under {@code src/test/resources/architecture}
 */
record Baseline(String file) {
  private static final Path FOLDER = Path.of("src/test/resources/architecture");

  /** Compares; with {@code -Daragonite.architecture.write=true} takes away what is fixed. */
  void check(String rule, SortedSet<String> found) throws IOException {
    Path path = FOLDER.resolve(file);
    SortedSet<String> allowed = new TreeSet<>(Files.readAllLines(path));
    SortedSet<String> added = new TreeSet<>(found);
    added.removeAll(allowed);
    SortedSet<String> fixed = new TreeSet<>(allowed);
    fixed.removeAll(found);
    if (Boolean.getBoolean("aragonite.architecture.write")) {
      allowed.removeAll(fixed);
      Files.write(path, allowed);
      fixed.clear();
    }
    assertEquals(List.of(), List.copyOf(added), () -> rule + " These are new:");
    assertEquals(
        List.of(),
        List.copyOf(fixed),
        () -> "Fixed; run with -Daragonite.architecture.write=true, which shortens " + path + ":");
  }
}
