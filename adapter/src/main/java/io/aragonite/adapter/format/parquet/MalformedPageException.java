package io.aragonite.adapter.format.parquet;

import org.jspecify.annotations.Nullable;

/**
 * Bytes that are not what the format says; whoever knows the file's name makes FILE_BROKEN of it.
 */
final class MalformedPageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MalformedPageException(String what) {
    super(what);
  }

  /** A part of the metadata that must be there. */
  static <T> T present(@Nullable T value, String what) {
    if (value == null) {
      throw new MalformedPageException(what + " is missing");
    }
    return value;
  }

  static void check(boolean sound, String what) {
    if (!sound) {
      throw new MalformedPageException(what);
    }
  }
}
