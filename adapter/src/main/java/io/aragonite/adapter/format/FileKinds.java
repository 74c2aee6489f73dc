package io.aragonite.adapter.format;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * What is at a path. {@link Files#exists} and its like take a file that the system cannot tell of
 * for one that is not there, so that it would be left out of an answer; here that is an error.
 */
public final class FileKinds {
  private FileKinds() {}

  /**
   * Whether there is a file, a folder or something else; a link to nothing is none.
   *
   * @throws IOException if the system does not tell
   */
  public static boolean exists(Path path) throws IOException {
    return attributes(path) != null;
  }

  /** Whether there is a folder. */
  public static boolean isFolder(Path path, LinkOption... options) throws IOException {
    BasicFileAttributes attributes = attributes(path, options);
    return attributes != null && attributes.isDirectory();
  }

  /** Whether there is a file that can be read: no pipe, no device. */
  public static boolean isFile(Path path) throws IOException {
    BasicFileAttributes attributes = attributes(path);
    return attributes != null && attributes.isRegularFile();
  }

  private static @Nullable BasicFileAttributes attributes(Path path, LinkOption... options)
      throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, options);
    } catch (NoSuchFileException e) {
      return null;
    } catch (FileSystemException e) {
      // Below a file there is nothing, and at the end of links that lead in a circle.
      Path above = path.getParent();
      if (above != null && Files.isRegularFile(above) || Files.isSymbolicLink(path)) {
        return null;
      }
      throw e;
    }
  }
}
