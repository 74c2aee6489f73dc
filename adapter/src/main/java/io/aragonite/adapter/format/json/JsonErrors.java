package io.aragonite.adapter.format.json;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Errors of a JSON file, which name the line and the place in it.
 *
 * @param path the file
 * @param address its first byte in memory
 */
record JsonErrors(Path path, long address) {
  private static final int SHOWN = 60;

  static AragoniteException broken(Path path, String what, @Nullable Exception cause) {
    return new AragoniteException(ErrorCode.FILE_BROKEN, "%s %s".formatted(path, what), cause);
  }

  private String place(long at) {
    long line = 1;
    long begin = address;
    for (long i = address; i < at; i++) {
      if (Mem.getByte(i) == '\n') {
        line++;
        begin = i + 1;
      }
    }
    return "%s, line %,d, column %,d".formatted(path, line, at - begin + 1);
  }

  /** What is at a place is not what JSON has there. */
  AragoniteException notJson(long at, String what, @Nullable Exception cause) {
    return new AragoniteException(
        ErrorCode.FILE_BROKEN, "%s: %s".formatted(place(at), what), cause);
  }

  /**
   * @param part of the column's value that is wrong: {@code .a[].b}
   * @param type that it should be of
   */
  AragoniteException value(long from, long to, JsonColumn column, String part, Object type) {
    String what =
        column.declared()
            ? "\"%s\" is not of type %s, as which column \"%s\" is declared; fix the value or the declaration"
                .formatted(shown(from, to), type, column.name() + part)
            : "\"%s\" in column \"%s\" is not of type %s, as the file's first objects are; declare the column's type, as read_json('%s', types => {'%s': 'VARCHAR'}), or look at all objects with sample_size => -1"
                .formatted(
                    shown(from, to), column.name() + part, type, path.getFileName(), column.name());
    return new AragoniteException(ErrorCode.JSON_VALUE, "%s: %s".formatted(place(from), what));
  }

  AragoniteException notText(long at, JsonColumn column, String part) {
    return new AragoniteException(
        ErrorCode.JSON_VALUE,
        "%s: column \"%s\" is not UTF-8 text, or has half of a surrogate pair; fix the value, or leave it out with ignore_errors => true"
            .formatted(place(at), column.name() + part));
  }

  private static String shown(long from, long to) {
    byte[] bytes = new byte[(int) Math.min(SHOWN, to - from)];
    Mem.copy(from, bytes, 0, bytes.length);
    return new String(bytes, StandardCharsets.UTF_8) + (to - from > SHOWN ? "…" : "");
  }
}
