package io.aragonite.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParameterException;

/**
 * Links lead somewhere, the commands that the pages show are commands, and pages are short and say
 * what is, not how it came about.
 */
class PagesTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern COMMAND = Pattern.compile("(?m)^(?:\\$ )?\\./aragonite\\b(.*)$");

  /** Hashes of commits, and names of runs and tasks: nobody needs them to use or change this. */
  private static final Pattern DIARY =
      Pattern.compile(
          "\\b(?=\\d*[a-f])(?=[a-f]*\\d)[0-9a-f]{7,40}\\b"
              + "|(?i)\\b(?:stop|session|issue|task|milestone|sprint)s? ?#?\\d+\\b"
              + "|\\b(?:this|last|first|earlier|another|a) sessions?\\b"
              + "|\\b(?:yesterday|last week|so far we|we (?:tried|found|noticed))\\b");

  private static final Pattern WORD =
      Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|'([^']*)'|([^\\s\"']+)", Pattern.DOTALL);

  /** README.md and all pages of docs. */
  static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      docs.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
    }
    assertTrue(pages.size() > 10, pages.toString());
    return pages;
  }

  @Test
  void pagesAreShort() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Path page : pages()) {
      long lines = Files.readString(page).lines().count();
      long most = mostLines(page);
      if (lines > most) {
        wrong.add(page + " has " + lines + " lines, more than " + most);
      }
    }
    assertEquals(List.of(), wrong);
  }

  private static long mostLines(Path page) {
    return switch (String.valueOf(page.getParent().getFileName())) {
      case "adr" -> 59;
      case "design" -> 120;
      default ->
          switch (String.valueOf(page.getFileName())) {
            case "architecture.md", "testing.md" -> 150;
            case "performance.md" -> 200;
            default -> Long.MAX_VALUE;
          };
    };
  }

  /** The pages that the design asks for; README.md has a link to each. */
  @Test
  void allPagesAreThere() throws IOException {
    String start = Files.readString(ROOT.resolve("README.md"));
    List<String> missing = new ArrayList<>();
    try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      docs.map(file -> "docs/" + file.getFileName())
          .filter(name -> name.endsWith(".md") && !start.contains("](" + name + ")"))
          .forEach(missing::add);
    }
    for (String note : List.of("joins", "spill", "exchange", "multiway", "cuda", "cost")) {
      if (!Files.exists(ROOT.resolve("docs/design/" + note + ".md"))) {
        missing.add(note);
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void pagesAreNoDiary() throws IOException {
    List<Path> pages = new ArrayList<>(pages());
    pages.add(ROOT.resolve("bench/results/README.md"));
    List<String> wrong = new ArrayList<>();
    for (Path page : pages) {
      String text = Files.readString(page);
      DIARY.matcher(text).results().forEach(found -> wrong.add(page + ": " + found.group()));
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void linksLeadSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      Matcher link = LINK.matcher(FENCE.matcher(Files.readString(page)).replaceAll(""));
      while (link.find()) {
        String[] target = link.group(1).split("#", 2);
        if (target[0].contains(":")) {
          continue; // another site
        }
        Path file = target[0].isEmpty() ? page : page.resolveSibling(target[0]).normalize();
        boolean there =
            Files.exists(file) && (target.length == 1 || anchors(file).contains(target[1]));
        if (!there) {
          broken.add(page + ": " + link.group(1));
        }
      }
    }
    assertEquals(List.of(), broken);
  }

  private static List<String> anchors(Path page) throws IOException {
    return Files.readAllLines(page).stream()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
        .map(line -> line.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .toList();
  }

  @Test
  void commandsAreUnderstood() throws IOException {
    List<String> wrong = new ArrayList<>();
    int seen = 0;
    for (Path page : pages()) {
      Matcher fence = FENCE.matcher(Files.readString(page));
      while (fence.find()) {
        Matcher command = COMMAND.matcher(fence.group());
        while (command.find()) {
          String text = whole(fence.group(), command.start(1));
          seen++;
          try {
            Main.commandLine().parseArgs(words(text));
          } catch (ParameterException e) {
            wrong.add(page + ": ./aragonite" + text + ": " + e.getMessage());
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(seen > 15, "only " + seen + " commands found");
  }

  /** The command from {@code start}: to the end of its line, or of the line where quotes close. */
  private static String whole(String text, int start) {
    int end = start - 1;
    boolean open;
    do {
      int next = text.indexOf('\n', end + 1);
      end = next < 0 ? text.length() : next;
      String so = text.substring(start, end);
      open =
          so.endsWith("\\")
              || so.chars().filter(c -> c == '"').count() % 2 == 1 && end < text.length();
    } while (open);
    return text.substring(start, end).replace("\\\n", " ");
  }

  /** The words of a command line, up to a comment or another program's turn. */
  static String[] words(String text) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(text);
    while (word.find()) {
      String plain = word.group(3);
      if (plain != null && plain.matches("[#|>].*|2>.*")) {
        break; // a comment or another program's turn
      }
      words.add(plain != null ? plain : word.group(1) != null ? word.group(1) : word.group(2));
    }
    return words.toArray(String[]::new);
  }
}
