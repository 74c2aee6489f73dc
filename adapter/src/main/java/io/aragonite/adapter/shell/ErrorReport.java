package io.aragonite.adapter.shell;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.sql.SQLException;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What is printed of an error: one line with a code, and the place of the statement it names. */
public final class ErrorReport {
  private static final Pattern PLACE = Pattern.compile("line (\\d+), column (\\d+)");

  /** Columns of a line that are shown at most, where no terminal says how wide it is. */
  private static final int WIDTH = 100;

  private ErrorReport() {}

  /** The line of an error. */
  public static String line(Throwable error) {
    String message = String.valueOf(error.getMessage());
    return switch (error) {
      case AragoniteException e -> sentence(message);
      case SQLException e when message.startsWith("AR-") -> message;
      case SQLException e ->
          coded(ErrorCode.INTERNAL, sentence("Another driver failed: " + message.strip()));
      case UncheckedIOException e ->
          line(Objects.requireNonNullElse(e.getCause(), new IOException(message)));
      case IOException e -> {
        String file = e instanceof FileSystemException f ? f.getFile() : null;
        yield coded(
            ErrorCode.FILE_UNREADABLE,
            file == null
                ? "A file could not be read or written: %s.".formatted(FileErrors.reason(e))
                : "%s could not be read or written: %s.".formatted(file, FileErrors.reason(e)));
      }
      default ->
          coded(
              ErrorCode.INTERNAL,
              "The command met a defect of the product (%s%s); please report it."
                  .formatted(
                      error.getClass().getSimpleName(),
                      error.getMessage() == null ? "" : ": " + message));
    };
  }

  /** A text with a full stop. */
  public static String sentence(String message) {
    return message.endsWith(".") || message.endsWith("?") ? message : message + ".";
  }

  /** A sentence with its code. */
  public static String coded(ErrorCode code, String sentence) {
    return String.valueOf(new AragoniteException(code, sentence).getMessage());
  }

  /**
   * The line of the statement that an error is about, with a caret below the place; null if it does
   * not name one.
   *
   * @param source where the statement is from; empty if the reader has it before them
   * @param width columns of the terminal, 0 if nobody knows
   */
  static @Nullable String place(String message, ScriptUnit unit, String source, int width) {
    Matcher place = PLACE.matcher(message);
    if (!place.find()) {
      return null;
    }
    int line = Integer.parseInt(place.group(1));
    int column = Integer.parseInt(place.group(2)) - 1;
    String text = unit.text().lines().skip(line - 1L).findFirst().orElse("");
    if (column < 0 || column > text.length()) {
      return null;
    }
    String head = source.isEmpty() ? "  " : "  %s:%d | ".formatted(source, unit.line() + line - 1);
    int room = Math.max(20, (width > 0 ? width : WIDTH) - DisplayText.width(head) - 1);
    // what is before the place may take half of the line
    int from = column;
    int before = 0;
    while (from > 0 && before < room / 2) {
      from = text.offsetByCodePoints(from, -1);
      before = DisplayText.width(shown(text.substring(from, column)));
    }
    if (from > 0 && DisplayText.width(shown(text.substring(0, column))) < room * 3 / 4) {
      from = 0;
    }
    String left = from > 0 ? DisplayText.ELLIPSIS : "";
    int blanks = DisplayText.width(left + shown(text.substring(from, column)));
    String shown = left + DisplayText.shown(blank(text.substring(from)), room - left.length());
    return head + shown + "\n" + " ".repeat(DisplayText.width(head) + blanks) + "^";
  }

  private static String shown(String text) {
    return DisplayText.shown(blank(text));
  }

  private static String blank(String text) {
    return text.replace('\t', ' ');
  }

  /**
   * A message with lines counted as in the statement, in front of which {@code before} were put.
   */
  static String moved(String message, int before) {
    return PLACE
        .matcher(message)
        .replaceAll(match ->
            "line %d, column %s"
                .formatted(Math.max(1, Integer.parseInt(match.group(1)) - before), match.group(2)));
  }
}
