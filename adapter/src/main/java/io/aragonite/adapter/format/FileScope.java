package io.aragonite.adapter.format;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Path;

/** Keeps tables inside their directory: no link leads out of it. */
public final class FileScope {
  private FileScope() {}

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
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.FILE_BROKEN,
          "%s cannot be read: %s; mend it, or move it out of the directory"
              .formatted(path, FileErrors.reason(e)),
          e);
    }
  }
}
