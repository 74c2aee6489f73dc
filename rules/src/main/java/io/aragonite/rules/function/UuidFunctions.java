package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.UUID;
import org.apache.calcite.linq4j.function.Strict;
import org.jspecify.annotations.Nullable;

/** UUIDs of texts, as PostgreSQL reads them; the methods are for Calcite's code. */
@Strict
public final class UuidFunctions {
  private static final int DIGITS = 32;
  private static final int GROUP = 4;
  private static final int RADIX = 16;

  private UuidFunctions() {}

  /**
   * 32 hexadecimal digits in either case, with a hyphen behind any four of them, in braces or not.
   *
   * @throws AragoniteException INVALID_ARGUMENT for another text
   */
  public static UUID ofText(String text) {
    UUID read = tryOfText(text);
    if (read == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "'%s' is no UUID, which has 32 hexadecimal digits; TRY_CAST makes it NULL."
              .formatted(text));
    }
    return read;
  }

  /** Null for a text that is no UUID. */
  public static @Nullable UUID tryOfText(String text) {
    String given = text.strip();
    boolean braces = given.startsWith("{") && given.endsWith("}");
    String inner = braces ? given.substring(1, given.length() - 1) : given;
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
