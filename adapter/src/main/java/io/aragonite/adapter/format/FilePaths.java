package io.aragonite.adapter.format;

import io.aragonite.adapter.error.NearestName;
import io.aragonite.adapter.remote.RemoteFileSystem;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files that a connection's statements may name. Relative paths begin at the process's working
 * directory, or at the connection's own where it may read no other.
 *
 * @param directory the connection's, null if it has none
 * @param remote what URLs name
 */
public record FilePaths(FileAccess access, @Nullable Path directory, RemoteFileSystem remote) {
  /** Files of a folder that are looked at for a name that is nearly the one wanted. */
  private static final int MOST_NAMES = 10_000;

  /**
   * The place that a path, which may hold wildcards, stands for.
   *
   * @throws AragoniteException FILE_NOT_ALLOWED, FILE_OUTSIDE_DIRECTORY, FILE_UNREADABLE
   */
  public Path resolve(String text) {
    Path path = path(text);
    if (access == FileAccess.ALL) {
      return path;
    }
    Path root = root(text);
    if (RemotePath.is(path) && !RemotePath.is(root)) {
      throw outside(text);
    }
    Path inside =
        (RemotePath.is(root) && !RemotePath.is(path) ? root.resolve(text) : root.resolve(path))
            .normalize();
    if (!inside.startsWith(root)) {
      throw outside(text);
    }
    return inside;
  }

  /**
   * A file that was found, before it is opened: links may lead anywhere.
   *
   * @throws AragoniteException FILE_OUTSIDE_DIRECTORY, FILE_BROKEN
   */
  public void requireReadable(Path path) {
    if (RemotePath.is(path) && access == FileAccess.ALL) {
      return;
    }
    if (access == FileAccess.ALL) {
      try {
        FileScope.requireFile(path);
      } catch (IOException e) {
        throw new AragoniteException(
            ErrorCode.FILE_UNREADABLE,
            "%s cannot be read: %s.".formatted(path, FileErrors.reason(e)),
            e);
      }
    } else {
      FileScope.requireInside(root(path.toString()), path);
    }
  }

  /** A file's path as statements have it: from the directory, where no other may be read. */
  public String shown(Path path) {
    return access == FileAccess.ALL || RemotePath.is(path)
        ? UrlRedaction.redact(path.toString())
        : root(path.toString()).relativize(path.toAbsolutePath().normalize()).toString();
  }

  /** Where no file is. Who may read in one directory only is not told where that is. */
  public AragoniteException missing(String text) {
    if (RemoteFileSystem.isUrl(text)) {
      return new AragoniteException(
          ErrorCode.FILE_UNREADABLE, "There is no file '%s'.".formatted(UrlRedaction.redact(text)));
    }
    return new AragoniteException(
        ErrorCode.FILE_UNREADABLE,
        "There is no file '%s'; relative paths begin at %s%s"
            .formatted(
                UrlRedaction.redact(text),
                access == FileAccess.ALL
                    ? Path.of("").toAbsolutePath()
                    : "the directory of this connection",
                access == FileAccess.ALL ? nearest(text) : "."));
  }

  /** How the sentence ends: with a file of the same folder whose name is nearly the same. */
  private static String nearest(String text) {
    List<String> names = new ArrayList<>();
    try {
      Path path = Path.of(text);
      Path name = path.getFileName();
      if (name == null || FilePattern.isPattern(text)) {
        return ".";
      }
      Path folder = path.toAbsolutePath().getParent();
      try (DirectoryStream<Path> there = Files.newDirectoryStream(folder)) {
        Iterator<Path> files = there.iterator();
        while (files.hasNext() && names.size() < MOST_NAMES) {
          names.add(files.next().getFileName().toString());
        }
      }
      Collections.sort(names); // folders have no order
      String nearest = NearestName.ofFile(name.toString(), names);
      return nearest == null ? "." : "; did you mean '%s'?".formatted(path.resolveSibling(nearest));
    } catch (IOException | InvalidPathException | DirectoryIteratorException e) {
      return "."; // there is no folder either
    }
  }

  /**
   * The place of a file that is to be written.
   *
   * @throws AragoniteException FILE_NOT_ALLOWED unless the connection may write
   */
  public Path writable(String text) {
    if (access != FileAccess.ALL) {
      throw new AragoniteException(
          ErrorCode.FILE_NOT_ALLOWED,
          "This connection may write no files, so not '%s'; who opens it, or starts its server, can allow that with fileAccess=all."
              .formatted(UrlRedaction.redact(text)));
    }
    return path(text);
  }

  private Path root(String text) {
    if (access == FileAccess.NONE || directory == null) {
      throw new AragoniteException(
          ErrorCode.FILE_NOT_ALLOWED,
          "This connection may read no files by their paths, so not '%s'; who opens it, or starts its server, can allow that with fileAccess= and directory=."
              .formatted(UrlRedaction.redact(text)));
    }
    return directory.toAbsolutePath().normalize();
  }

  private Path path(String text) {
    if (RemoteFileSystem.isUrl(text)) {
      return remote.path(text);
    }
    try {
      if (!text.isBlank()) {
        return Path.of(text);
      }
    } catch (InvalidPathException e) {
      // told below
    }
    throw new AragoniteException(
        ErrorCode.FILE_UNREADABLE, "'%s' is not the path of a file.".formatted(text));
  }

  private static AragoniteException outside(String text) {
    return new AragoniteException(
        ErrorCode.FILE_OUTSIDE_DIRECTORY,
        "'%s' is outside the directory of this connection, which may read no other; write its path from there."
            .formatted(UrlRedaction.redact(text)));
  }
}
