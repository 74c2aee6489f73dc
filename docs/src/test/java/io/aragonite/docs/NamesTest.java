package io.aragonite.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What the pages for developers call a class, method, package, file or system property is one. A
 * name counts if it stands in backticks, or looks like a class in a block of text. After a class
 * moved or got another name, the failures are the list of what to change.
 */
class NamesTest {
  private static final Path DOCS = Path.of("..", "docs");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");

  /** {@code GpuRelImplementor}, with two capitals at least: others may be words of a sentence. */
  private static final Pattern COMPOUND =
      Pattern.compile("(?<![\\w./*`-])([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)(?![\\w/-])");

  private static final Pattern TYPE = Pattern.compile("[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*");
  private static final Pattern MEMBER =
      Pattern.compile("([A-Z]\\w*[a-z]\\w*)[.#]([A-Za-z_]\\w*)(\\(.*\\))?");
  private static final Pattern METHOD = Pattern.compile("([a-z]+[A-Z]\\w*)(\\(.*\\))?");
  private static final Pattern CALLS = Pattern.compile("(?:[a-z]\\w*\\([^)]*\\)\\.?)+");
  private static final Pattern CALLED = Pattern.compile("([a-z]\\w*)\\(");
  private static final Pattern PATH =
      Pattern.compile(
          "(?:[A-Za-z0-9_.-]+/)+[A-Za-z0-9_.-]*|[A-Za-z0-9_-]+\\.(?:java|cuh?|csv|txt|md)");
  private static final Pattern PROPERTY =
      Pattern.compile("(?:-D)?(aragonite(?:\\.[A-Za-z0-9]+)+)(?:=.*)?");
  private static final Pattern FULL = Pattern.compile("\\bio\\.aragonite(?:\\.\\w+)*");
  private static final Pattern PACKAGE = Pattern.compile("io\\.aragonite(?:\\.\\w+)*");

  /** Names in backticks that are not of this repository's code. */
  private static final Set<String> FOREIGN = Set.of("ConsoleLauncher", "cuMemcpyBatchAsync");

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String name : List.of("architecture", "extending", "glossary", "testing", "tuning")) {
      pages.add(DOCS.resolve(name + ".md"));
    }
    try (Stream<Path> notes = Files.list(DOCS.resolve("design"))) {
      notes.sorted().forEach(pages::add);
    }
    return pages;
  }

  @Test
  void namesAreOnes() throws IOException {
    SourceNames names = new SourceNames();
    List<String> unknown = new ArrayList<>();
    int seen = 0;
    for (Path page : pages()) {
      for (String name : names(Files.readString(page))) {
        seen++;
        if (!FOREIGN.contains(name) && !exists(names, name)) {
          unknown.add(page.getFileName() + ": " + name);
        }
      }
    }
    assertEquals("", String.join("\n", unknown), "names that nothing has");
    assertTrue(seen > 300, "only " + seen + " names found");
  }

  private static Set<String> names(String text) {
    Set<String> names = new TreeSet<>();
    CODE.matcher(BLOCK.matcher(text).replaceAll(""))
        .results()
        .map(found -> found.group(1))
        .forEach(names::add);
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      COMPOUND.matcher(block.group()).results().map(MatchResult::group).forEach(names::add);
    }
    return names;
  }

  /** Whether a text in backticks is a name that exists, or no name. */
  private static boolean exists(SourceNames names, String text) {
    Matcher property = PROPERTY.matcher(text);
    if (property.matches()) {
      return names.hasProperty(property.group(1));
    }
    if (PACKAGE.matcher(text).matches()) {
      String path = text.replace('.', '/');
      return names.hasPath(path) || names.hasPath(path + ".java");
    }
    Matcher member = MEMBER.matcher(text);
    if (member.matches() && !PATH.matcher(text).matches()) {
      String type = member.group(1);
      return names.isClassFile(type)
          ? names.hasMember(type, member.group(2))
          : names.hasWord(type) && names.hasWord(member.group(2));
    }
    if (PATH.matcher(text).matches()) {
      return text.contains("target/") // made by a build
          || names.hasPath(text.replaceFirst("^\\./", ""))
          || names.hasPath(text + ".java")
          || names.hasPath("src/main/java/io/aragonite/" + text);
    }
    Matcher method = METHOD.matcher(text);
    if (method.matches()) {
      return names.hasWord(method.group(1));
    }
    if (CALLS.matcher(text).matches()) {
      return CALLED.matcher(text).results().allMatch(call -> names.hasWord(call.group(1)));
    }
    return !TYPE.matcher(text).matches() || names.hasWord(text);
  }

  /** Of pages for users, classes and packages by their full names: those are what programs use. */
  @Test
  void fullNamesAreOnes() throws IOException {
    SourceNames names = new SourceNames();
    Set<String> prefixes = new TreeSet<>(); // of libraries in published jars
    for (String module : List.of("jdbc", "client", "spark")) {
      Files.readAllLines(Path.of("..", module, "relocation.txt")).stream()
          .filter(line -> line.startsWith("prefix "))
          .forEach(line -> prefixes.add(line.substring("prefix ".length())));
    }
    List<String> unknown = new ArrayList<>();
    int seen = 0;
    for (Path page : PagesTest.pages()) {
      for (MatchResult found : FULL.matcher(Files.readString(page)).results().toList()) {
        seen++;
        String path = found.group().replace('.', '/');
        if (!names.hasPath(path)
            && !names.hasPath(path + ".java")
            && !prefixes.contains(found.group())) {
          unknown.add(page.getFileName() + ": " + found.group());
        }
      }
    }
    assertEquals("", String.join("\n", unknown), "classes and packages that are none");
    assertTrue(seen > 5, "only " + seen + " names found");
  }

  /** The picture of the house has each package of the product, and no other. */
  @Test
  void thePictureHasAllPackages() throws IOException {
    Matcher block = BLOCK.matcher(Files.readString(DOCS.resolve("architecture.md")));
    assertTrue(block.find() && block.find(), "the second block lists the packages");
    Map<String, String> modules =
        Map.of(
            "adapter", "io.aragonite.adapter",
            "rules", "io.aragonite.rules",
            "gpu-exec", "io.aragonite.exec");
    Set<String> there = new TreeSet<>();
    for (Map.Entry<String, String> module : modules.entrySet()) {
      there.addAll(SourceNames.packages(module.getKey(), module.getValue()));
    }
    Set<String> listed = new TreeSet<>();
    String above = "";
    for (String line : block.group().lines().filter(l -> l.startsWith(" ")).toList()) {
      for (String word : line.replaceAll("\\([^)]*\\)", " ").strip().split("\\s+")) {
        above = word.startsWith(".") ? above : word;
        listed.add(word.startsWith(".") ? above + word : word);
      }
    }
    assertEquals(there, listed);
  }
}
