package io.aragonite.adapter.format.iceberg;

import io.aragonite.exec.error.AragoniteException;
import java.nio.file.Path;

/** What whoever reads a table may read. */
public interface IcebergAccess {
  /**
   * The place of a file outside of the table's folder.
   *
   * @throws AragoniteException FILE_NOT_ALLOWED, FILE_OUTSIDE_DIRECTORY, FILE_UNREADABLE
   */
  Path resolve(String text);

  /**
   * @throws AragoniteException if a file is not there, or may not be read, as links may lead
   *     anywhere
   */
  void requireReadable(Path path);
}
