package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Texts that are UUIDs, as PostgreSQL reads them. */
public final class UuidText {
  private static final int DIGITS = 32;
  private static final int GROUP = 4;
  private static final int RADIX = 16;

  private UuidText() {}

  /**
   * The canonical text: 32 digits in lower case and 4 hyphens.
   *
   * @throws EvalException INVALID_ARGUMENT if the text is no UUID
   */
  static String of(String text) {
    UUID read = parse(text);
    if (read == null) {
      throw new EvalException(ErrorCode.INVALID_ARGUMENT, refusal(text));
    }
    return read.toString();
  }

  /** What is wrong with a text that is no UUID. */
  public static String refusal(String text) {
    return "'%s' is no UUID, which has 32 hexadecimal digits".formatted(text);
  }

  /**
   * 32 hexadecimal digits in either case, with a hyphen behind any four of them, in braces or not;
   * null for another text, blanks around one too.
   */
  public static @Nullable UUID parse(String text) {
    boolean braces = text.startsWith("{") && text.endsWith("}");
    String inner = braces ? text.substring(1, text.length() - 1) : text;
    long[] halves = new long[2];
    int digits = 0;
    boolean hyphen = true; // none at the beginning, nor behind another one
    for (int i = 0; i < inner.length(); i++) {
      char c = inner.charAt(i);
      if (c == '-' && !hyphen && digits % GROUP == 0 && digits < DIGITS) {
        hyphen = true;
        continue;
      }
      int digit = c < '\u0080' ? Character.digit(c, RADIX) : -1;
      if (digit < 0 || digits == DIGITS) {
        return null;
      }
      int half = 2 * digits++ / DIGITS;
      halves[half] = halves[half] * RADIX + digit;
      hyphen = false;
    }
    return digits == DIGITS ? new UUID(halves[0], halves[1]) : null;
  }
}
