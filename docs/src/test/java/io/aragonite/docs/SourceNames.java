package io.aragonite.docs;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The names that the repository has: files and folders, words of its sources, and what they say.
 */
final class SourceNames {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern WORD = Pattern.compile("[A-Za-z_$][A-Za-z0-9_$]*");
  private static final Pattern PROPERTY = Pattern.compile("aragonite(?:\\.[A-Za-z0-9]+)+");
  private static final Pattern NO_COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|(?m)^\\s*//.*$");
  private static final Pattern SOURCE = Pattern.compile(".*\\.(java|cu|cuh|h|cpp|xml|csv)");
  private static final Set<String> SKIPPED = Set.of("target", ".git", ".library", "shared");

  /** Files and folders from the repository's root, with slashes. */
  private final Set<String> paths = new HashSet<>();

  /** The texts of all Java files of one name, by that name. */
  private final Map<String, String> classes = new HashMap<>();

  private final Set<String> words = new HashSet<>();
  private final Set<String> properties = new HashSet<>();

  SourceNames() throws IOException {
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            if (SKIPPED.contains(String.valueOf(folder.getFileName()))) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            paths.add("/" + relative(folder));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            paths.add("/" + relative(file));
            read(file);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static String relative(Path file) {
    return ROOT.relativize(file).toString().replace('\\', '/');
  }

  private void read(Path file) throws IOException {
    String name = file.getFileName().toString();
    if (!SOURCE.matcher(name).matches()) {
      return;
    }
    String text = Files.readString(file);
    PROPERTY.matcher(text).results().forEach(found -> properties.add(found.group()));
    if (name.endsWith(".java")) {
      classes.merge(name.substring(0, name.length() - 5), text, String::concat);
      text = NO_COMMENT.matcher(text).replaceAll(""); // comments may name what is gone
    }
    WORD.matcher(text).results().forEach(found -> words.add(found.group()));
  }

  /** Whether a file or folder has this path, from the root or from any folder on. */
  boolean hasPath(String path) {
    String end = "/" + path.replaceFirst("/$", "");
    return paths.stream().anyMatch(known -> known.endsWith(end));
  }

  /** Whether code uses this word: a class, method, field, constant or library's class. */
  boolean hasWord(String word) {
    return words.contains(word);
  }

  /** Whether code or a pom names this system property. */
  boolean hasProperty(String property) {
    return properties.contains(property);
  }

  /** Whether the Java file of that class has the word. False if there is no such file. */
  boolean hasMember(String type, String member) {
    return Pattern.compile("\\b" + Pattern.quote(member) + "\\b")
        .matcher(classes.getOrDefault(type, ""))
        .find();
  }

  boolean isClassFile(String type) {
    return classes.containsKey(type);
  }

  /** The packages of a module's product code, from its first package on, with dots. */
  static Set<String> packages(String module, String first) throws IOException {
    Path java = ROOT.resolve(module).resolve("src/main/java");
    Path from = java.resolve(first.replace('.', '/'));
    Set<String> found = new HashSet<>();
    try (Stream<Path> files = Files.walk(from)) {
      files
          .filter(file -> file.toString().endsWith(".java"))
          .map(file -> from.relativize(file.getParent()).toString().replace('/', '.'))
          .filter(name -> !name.isEmpty())
          .forEach(found::add);
    }
    return found;
  }
}
