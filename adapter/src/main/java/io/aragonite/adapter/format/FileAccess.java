package io.aragonite.adapter.format;

/** What statements may name by path: the property {@code fileAccess}. */
public enum FileAccess {
  /** Any file that the process may read or write. */
  ALL,
  /** Files in the connection's {@code directory}, for reading only. */
  DIRECTORY,
  /** No file. */
  NONE
}
