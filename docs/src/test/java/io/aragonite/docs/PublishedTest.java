package io.aragonite.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What is published exists under the names that pages, examples and the container's file use. */
class PublishedTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");

  private static String text(String path) throws IOException {
    return Files.readString(ROOT.resolve(path));
  }

  private static String version() throws IOException {
    Matcher version = VERSION.matcher(text("pom.xml"));
    assertTrue(version.find());
    return version.group(1);
  }

  private static List<String> found(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(MatchResult::group).toList();
  }

  @Test
  void coordinatesAreThoseOfTheModules() throws IOException {
    String page = text("docs/coordinates.md");
    String example = text("docs/examples/spring-boot/pom.xml");
    for (String module : List.of("jdbc", "adapter", "client")) {
      String artifact = "aragonite-" + module;
      assertTrue(text(module + "/pom.xml").contains("<artifactId>" + artifact + "</artifactId>"));
      assertTrue(page.contains("| `" + artifact + "` |"), artifact);
    }
    String version = version();
    List<String> versions = new ArrayList<>();
    for (String text : List.of(page, example)) {
      Matcher dependency =
          Pattern.compile("(?s)<artifactId>aragonite-jdbc</artifactId>\\s*<version>([^<]+)<")
              .matcher(text);
      while (dependency.find()) {
        versions.add(dependency.group(1));
      }
    }
    assertEquals(List.of(version, version), versions);
    assertTrue(page.contains("io.aragonite:aragonite-jdbc:" + version));
    assertTrue(example.lines().count() <= 36, "a project of some thirty lines");
  }

  /** Docker is not there where tests run; what the file copies and starts can be looked at. */
  @Test
  void theContainerIsMadeOfWhatTheBuildMakes() throws IOException {
    String file = text("Dockerfile");
    List<String> copied = found("(?m)(?<=^(ADD|COPY) )\\S+", file);
    assertEquals(List.of("adapter/target/aragonite-linux-x86_64.tar.xz"), copied);
    String bundle = Path.of(copied.get(0)).getFileName().toString();
    assertTrue(text("flight/pom.xml").contains("/adapter/target/" + bundle), bundle);
    assertTrue(text(".dockerignore").lines().anyMatch(("!" + copied.get(0))::equals));
    assertTrue(text("build/Bundle.java").contains("work.resolve(\"aragonite\")"));
    assertTrue(text("build/Bundle.java").contains("\"aragonite\", \"LICENSE\""));
    assertTrue(file.contains("ENTRYPOINT [\"/opt/aragonite/aragonite\"]"), file);
    Set<String> commands = Main.commandLine().getSubcommands().keySet();
    for (String command :
        found("(?m)(?<=(RUN /opt/aragonite/aragonite|gpus all aragonite) )\\w+", file)) {
      assertTrue(commands.contains(command), command);
    }
  }
}
