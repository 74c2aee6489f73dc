package io.aragonite.adapter.format;

import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A path with wildcards: {@code *}, {@code ?}, {@code [a-z]} and {@code {a,b}} within a name, and
 * {@code **} for folders of any depth. A folder stands for all files in it, at any depth. Names
 * that begin with {@code _} or {@code .} are left alone unless the pattern begins so, and links to
 * folders are followed only where they are named.
 */
public final class FilePattern {
  /** More are a mistake in the pattern; each of them is mapped into memory. */
  private static final int MOST_FILES = 50_000;

  /** What a folder {@code key=value} is called whose value is null. */
  public static final String NULL_VALUE = "__HIVE_DEFAULT_PARTITION__";

  private final Predicate<Path> wanted;
  private final List<Path> found = new ArrayList<>();

  private FilePattern(Predicate<Path> wanted) {
    this.wanted = wanted;
  }

  /**
   * The files that a pattern stands for, in the order of their paths; none if there is no such
   * file.
   *
   * @param wanted which files are meant where the pattern is a folder, or ends with {@code *}
   */
  public static List<Path> files(Path pattern, Predicate<Path> wanted) {
    FilePattern search = new FilePattern(wanted);
    if (pattern instanceof RemotePath remote) {
      RemotePattern.find(remote, wanted, search::add);
      return search.found.stream().distinct().sorted().toList();
    }
    try {
      if (FileKinds.isFolder(pattern)) {
        search.walk(pattern);
      } else if (FileKinds.exists(pattern)) {
        search.found.add(pattern);
      } else {
        search.expand(pattern.getRoot(), pattern, 0);
      }
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.FILE_UNREADABLE,
          "'%s' cannot be looked through: %s; check the permissions."
              .formatted(pattern, FileErrors.reason(e)),
          e);
    }
    return search.found.stream().distinct().sorted().toList();
  }

  /** The values of the folders {@code key=value} in a path, by their keys; null is a value, too. */
  public static Map<String, @Nullable String> partitions(Path file) {
    Map<String, @Nullable String> values = new LinkedHashMap<>();
    Path folder = file.getParent();
    for (Path name : folder == null ? List.<Path>of() : folder) {
      String text = name.toString();
      int equals = text.indexOf('=');
      if (equals > 0) {
        String value = text.substring(equals + 1);
        values.put(
            decoded(text.substring(0, equals)), value.equals(NULL_VALUE) ? null : decoded(value));
      }
    }
    return values;
  }

  private static String decoded(String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text; // a percent sign that escapes nothing
    }
  }

  /** Whether a name has wildcards. */
  public static boolean isPattern(String name) {
    return name.chars().anyMatch(c -> "*?[{".indexOf(c) >= 0);
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }

  private static boolean isHidden(Path path) {
    return isHidden(name(path));
  }

  /** Whether a file or folder is left alone by its name. */
  public static boolean isHidden(String name) {
    return name.startsWith(".") || name.startsWith("_");
  }

  /** Adds what the names of the pattern from {@code depth} on find under {@code base}. */
  private void expand(@Nullable Path base, Path pattern, int depth) throws IOException {
    StopCheck.current().check();
    if (depth == pattern.getNameCount()) {
      if (base != null && FileKinds.isFile(base)) {
        boolean any = String.valueOf(pattern.getFileName()).endsWith("*");
        if (!any || wanted.test(base)) {
          add(base);
        }
      } else if (base != null && FileKinds.isFolder(base)) {
        walk(base);
      }
      return;
    }
    String name = pattern.getName(depth).toString();
    if (!isPattern(name)) {
      Path next = base == null ? pattern.getName(depth) : base.resolve(name);
      if (FileKinds.exists(next)) {
        expand(next, pattern, depth + 1);
      }
      return;
    }
    Path folder = base == null ? Path.of("") : base;
    if (!FileKinds.isFolder(folder)) {
      return;
    }
    boolean deep = name.equals("**");
    if (deep && depth + 1 == pattern.getNameCount()) {
      walk(folder);
      return;
    }
    if (deep) {
      expand(base, pattern, depth + 1);
    }
    Pattern names = NamePattern.of(pattern, name);
    boolean hidden = isHidden(name);
    for (Path entry : entries(folder)) {
      Path next = base == null ? entry.getFileName() : entry;
      if (deep && !isHidden(entry) && FileKinds.isFolder(entry, LinkOption.NOFOLLOW_LINKS)) {
        expand(next, pattern, depth);
      } else if (!deep && (hidden || !isHidden(entry)) && names.matcher(name(entry)).matches()) {
        expand(next, pattern, depth + 1);
      }
    }
  }

  private void walk(Path folder) throws IOException {
    StopCheck.current().check();
    for (Path entry : entries(folder)) {
      if (isHidden(entry)) {
        continue;
      }
      if (FileKinds.isFolder(entry, LinkOption.NOFOLLOW_LINKS)) {
        walk(entry);
      } else if (FileKinds.isFile(entry) && wanted.test(entry)) {
        add(entry);
      }
    }
  }

  private static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.sorted().toList();
    }
  }

  private void add(Path file) {
    if (found.size() == MOST_FILES) {
      throw new AragoniteException(
          ErrorCode.FILE_UNREADABLE,
          "The pattern stands for more than %,d files; name fewer of them, or write them as larger files."
              .formatted(MOST_FILES));
    }
    found.add(file);
  }
}
