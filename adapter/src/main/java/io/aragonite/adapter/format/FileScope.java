package io.aragonite.adapter.format;

import io.aragonite.adapter.remote.FileMapping;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.spill.file.SpillSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Keeps tables inside their directory: no link leads out of it, and all are files. */
public final class FileScope {
  private FileScope() {}

  /**
   * Opens a file, and nothing else, for reading.
   *
   * @param space where copies of remote files are; null: there are none
   */
  public static FileMapping open(Path path, @Nullable SpillSpace space) throws IOException {
    requireFile(path);
    return FileMapping.open(path, space);
  }

  /**
   * Opening a named pipe or a device waits, perhaps for ever.
   *
   * @throws AragoniteException FILE_BROKEN if it is neither a file nor a directory
   */
  public static void requireFile(Path path) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
    if (attributes.isOther()) {
      throw new AragoniteException(
          ErrorCode.FILE_BROKEN,
          "%s is a named pipe, a socket or a device, which are not read; put a file in its place, or move it out of the directory"
              .formatted(path));
    }
  }

  /**
   * @throws AragoniteException FILE_OUTSIDE_DIRECTORY, FILE_BROKEN
   */
  public static void requireInside(Path directory, Path path) {
    try {
      if (!path.toRealPath().startsWith(directory.toRealPath())) {
        throw new AragoniteException(
            ErrorCode.FILE_OUTSIDE_DIRECTORY,
            "%s is a link out of its directory; copy the file there instead".formatted(path));
      }
      requireFile(path);
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.FILE_BROKEN,
          "%s cannot be read: %s; fix it, or move it out of the directory"
              .formatted(path, FileErrors.reason(e)),
          e);
    }
  }
}
