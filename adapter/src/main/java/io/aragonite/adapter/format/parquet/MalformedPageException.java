package io.aragonite.adapter.format.parquet;

/**
 * Bytes that are not what the format says; whoever knows the file's name makes FILE_BROKEN of it.
 */
final class MalformedPageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MalformedPageException(String what) {
    super(what);
  }

  static void check(boolean sound, String what) {
    if (!sound) {
      throw new MalformedPageException(what);
    }
  }
}
