package io.aragonite.adapter.format;

import io.aragonite.adapter.remote.RemoteErrors;
import io.aragonite.adapter.remote.RemoteFileSystemProvider;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.exec.limit.StopCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What {@link FilePattern} is to a store that names a thousand files at once, whatever their
 * folders: all names that begin as the pattern does are held against it.
 */
final class RemotePattern {
  private final List<String> pattern;
  private final List<Pattern> matchers = new ArrayList<>();
  private final Predicate<Path> wanted;

  private RemotePattern(RemotePath whole, List<String> pattern, Predicate<Path> wanted) {
    this.pattern = pattern;
    this.wanted = wanted;
    for (String name : pattern) {
      matchers.add(NamePattern.of(whole, name));
    }
  }

  static void find(RemotePath pattern, Predicate<Path> wanted, Consumer<Path> found) {
    List<String> names = new ArrayList<>();
    pattern.forEach(name -> names.add(name.toString()));
    boolean listed = RemoteFileSystemProvider.canList(pattern);
    int fixed = 0;
    while (fixed < names.size() && !(listed && FilePattern.isPattern(names.get(fixed)))) {
      fixed++;
    }
    try {
      RemotePath folder = pattern;
      if (fixed == names.size()) {
        RemotePath file = RemoteFileSystemProvider.find(pattern);
        if (!Files.isDirectory(file)) {
          found.accept(file);
          return;
        }
      } else {
        RemotePath named = RemoteFileSystemProvider.findNamed(pattern);
        if (named != null) {
          found.accept(named);
          return;
        }
        for (int i = names.size(); i > fixed; i--) {
          folder = Objects.requireNonNull(folder.getParent());
        }
      }
      RemotePattern search = new RemotePattern(pattern, names.subList(fixed, names.size()), wanted);
      int from = fixed;
      RemoteFileSystemProvider.list(
          folder,
          fixed == names.size() ? "" : literal(names.get(fixed)),
          file -> {
            StopCheck.current().work(1000);
            List<String> rest = new ArrayList<>();
            file.forEach(name -> rest.add(name.toString()));
            if (search.matches(file, rest.subList(from, rest.size()), 0, 0)) {
              found.accept(file);
            }
          });
    } catch (NoSuchFileException e) {
      // none is found
    } catch (IOException e) {
      throw RemoteErrors.of(pattern, e);
    }
  }

  /** What a name begins with that a pattern stands for. */
  private static String literal(String name) {
    int end = 0;
    while (end < name.length() && "*?[{\\".indexOf(name.charAt(end)) < 0) {
      end++;
    }
    return name.substring(0, end);
  }

  /**
   * @param names of the file, of which those before {@code at} match
   * @param depth the next name of the pattern
   */
  private boolean matches(Path file, List<String> names, int at, int depth) {
    if (depth == pattern.size()) {
      if (at < names.size()) {
        return isInFolder(file, names, at);
      }
      return depth == 0 || !pattern.getLast().endsWith("*") || wanted.test(file);
    }
    if (at == names.size()) {
      return false;
    }
    String name = names.get(at);
    String part = pattern.get(depth);
    if (part.equals("**")) {
      if (depth + 1 == pattern.size()) {
        return isInFolder(file, names, at);
      }
      boolean folder = at + 1 < names.size() && !FilePattern.isHidden(name);
      return matches(file, names, at, depth + 1) || folder && matches(file, names, at + 1, depth);
    }
    boolean same =
        FilePattern.isPattern(part)
            ? (FilePattern.isHidden(part) || !FilePattern.isHidden(name))
                && matchers.get(depth).matcher(name).matches()
            : part.equals(name);
    return same && matches(file, names, at + 1, depth + 1);
  }

  private boolean isInFolder(Path file, List<String> names, int at) {
    return names.subList(at, names.size()).stream().noneMatch(FilePattern::isHidden)
        && wanted.test(file);
  }
}
