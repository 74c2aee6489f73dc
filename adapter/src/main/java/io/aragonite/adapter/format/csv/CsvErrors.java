package io.aragonite.adapter.format.csv;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Errors of a delimited file, which name the line.
 *
 * @param path the file
 * @param address its first byte in memory
 */
record CsvErrors(Path path, long address) {
  private static final int SHOWN = 60;

  /** The number of the line that the byte at {@code at} is in. */
  long line(long at) {
    long line = 1;
    for (long i = address; i < at; i++) {
      line += Mem.getByte(i) == '\n' ? 1 : 0;
    }
    return line;
  }

  static AragoniteException broken(Path path, String what, @Nullable Exception cause) {
    return new AragoniteException(ErrorCode.FILE_BROKEN, "%s %s".formatted(path, what), cause);
  }

  AragoniteException openQuote(long at) {
    return new AragoniteException(
        ErrorCode.FILE_BROKEN,
        "%s, line %,d: the quoted field that begins here does not end, or text follows its closing quote; double the quotes within it, or declare another \"quote\" in %s"
            .formatted(path, line(at), CsvOptions.declaredIn(path)));
  }

  AragoniteException fieldCount(long at, int found, int expected) {
    return new AragoniteException(
        ErrorCode.CSV_FIELD_COUNT,
        "%s, line %,d: %,d field%s instead of %,d; quote the fields that hold the delimiter, fix the line, or leave such lines out: read_csv('%s', ignore_errors => true)"
            .formatted(path, line(at), found, found == 1 ? "" : "s", expected, path.getFileName()));
  }

  AragoniteException value(long from, long to, CsvColumn column) {
    String name = column.column().name();
    String type = column.column().fileType();
    String shown = shown(from, to);
    String what =
        column.declared()
            ? "\"%s\" is not of type %s, as which column \"%s\" is declared; fix the value or the declaration in %s"
                .formatted(shown, type, name, sideCar())
            : "\"%s\" in column \"%s\" is not of type %s, as the file's first records are; declare the column's type in %s: {\"columns\": [{\"name\": \"%s\", \"type\": \"VARCHAR\"}]}"
                .formatted(shown, name, type, sideCar(), name);
    return at(from, what);
  }

  AragoniteException unexpectedNull(long from, CsvColumn column) {
    return at(
        from,
        "column \"%s\" has no value, but is declared as not nullable; fix the value or the declaration in %s"
            .formatted(column.column().name(), sideCar()));
  }

  AragoniteException notUtf8(long from, CsvColumn column) {
    return at(
        from,
        "column \"%s\" is not UTF-8 text; convert the file to UTF-8"
            .formatted(column.column().name()));
  }

  private String sideCar() {
    return CsvOptions.declaredIn(path);
  }

  private AragoniteException at(long at, String what) {
    return new AragoniteException(
        ErrorCode.CSV_VALUE, "%s, line %,d: %s".formatted(path, line(at), what));
  }

  private static String shown(long from, long to) {
    byte[] bytes = new byte[(int) Math.min(SHOWN, to - from)];
    Mem.copy(from, bytes, 0, bytes.length);
    return new String(bytes, StandardCharsets.UTF_8) + (to - from > SHOWN ? "…" : "");
  }
}
