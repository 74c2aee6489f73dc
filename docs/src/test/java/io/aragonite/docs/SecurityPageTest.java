package io.aragonite.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each risk on the page about security names the tests that what it says is tried by. */
class SecurityPageTest {
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*Test|[a-z-]+\\.test)`");

  @Test
  void risksHaveTests() throws IOException {
    Set<String> files;
    try (Stream<Path> all = Files.walk(Path.of(".."))) {
      files =
          all.filter(path -> path.toString().contains("/src/test/"))
              .map(path -> path.getFileName().toString())
              .collect(Collectors.toSet());
    }
    List<String> wrong = new ArrayList<>();
    int risks = 0;
    for (String line : Files.readAllLines(Path.of("..", "docs", "security.md"))) {
      if (!line.startsWith("| ") || line.startsWith("| risk |")) {
        continue;
      }
      risks++;
      List<String> tests =
          TEST.matcher(line).results().map((MatchResult found) -> found.group(1)).toList();
      if (tests.isEmpty()) {
        wrong.add("no test: " + line);
      }
      tests.stream()
          .filter(test -> !files.contains(test) && !files.contains(test + ".java"))
          .forEach(test -> wrong.add("no such test: " + test));
    }
    assertEquals("", String.join("\n", wrong));
    assertTrue(risks > 35, "only " + risks + " risks found");
  }
}
