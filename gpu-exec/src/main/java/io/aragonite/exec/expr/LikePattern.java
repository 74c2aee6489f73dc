package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import org.jspecify.annotations.Nullable;

/**
 * A LIKE or ILIKE pattern, matched over code points in time proportional to text times pattern at
 * worst: only the last {@code %} is ever retried.
 */
public final class LikePattern {
  /** The place of {@code _} among {@link #tokens}. */
  public static final int ANY = -1;

  /** The place of {@code %} among {@link #tokens}. */
  public static final int MANY = -2;

  /** Steps of a match between two looks whether the query is to end. */
  private static final int STEPS = 1 << 16;

  private final int[] tokens;
  private final boolean ignoreCase;

  /**
   * @param escape one code point, or null for none
   * @throws EvalException INVALID_ESCAPE
   */
  public LikePattern(String pattern, @Nullable String escape, boolean ignoreCase) {
    this.ignoreCase = ignoreCase;
    int escapePoint = escapePoint(escape);
    int[] points = pattern.codePoints().toArray();
    int[] parsed = new int[points.length];
    int count = 0;
    for (int i = 0; i < points.length; i++) {
      int point = points[i];
      if (point == escapePoint) {
        i++;
        if (i == points.length
            || (points[i] != '_' && points[i] != '%' && points[i] != escapePoint)) {
          throw new EvalException(
              ErrorCode.INVALID_ESCAPE,
              "the escape character in pattern '" + pattern + "' must stand before _, % or itself");
        }
        parsed[count++] = fold(points[i], ignoreCase);
      } else if (point == '%') {
        if (count == 0 || parsed[count - 1] != MANY) {
          parsed[count++] = MANY;
        }
      } else {
        parsed[count++] = point == '_' ? ANY : fold(point, ignoreCase);
      }
    }
    this.tokens = java.util.Arrays.copyOf(parsed, count);
  }

  /** The single code point of an escape, or -1 for none. */
  static int escapePoint(@Nullable String escape) {
    if (escape == null) {
      return -1;
    }
    if (escape.isEmpty() || escape.codePointCount(0, escape.length()) != 1) {
      throw new EvalException(
          ErrorCode.INVALID_ESCAPE, "the escape '" + escape + "' is not a single character");
    }
    return escape.codePointAt(0);
  }

  static int fold(int point, boolean ignoreCase) {
    return ignoreCase ? Character.toLowerCase(Character.toUpperCase(point)) : point;
  }

  /** Code points to match, with {@link #ANY} and {@link #MANY}; no two MANY side by side. */
  public int[] tokens() {
    return tokens.clone();
  }

  public boolean matches(String text) {
    int length = text.length();
    int at = 0;
    int token = 0;
    int retryToken = -1;
    int retryAt = 0;
    int steps = 0;
    while (true) {
      if (++steps == STEPS) {
        steps = 0;
        StopCheck.current().work(STEPS);
      }
      if (token < tokens.length && tokens[token] == MANY) {
        retryToken = ++token;
        retryAt = at;
        if (token == tokens.length) {
          return true;
        }
        continue;
      }
      if (at == length) {
        return token == tokens.length;
      }
      int point = text.codePointAt(at);
      if (token < tokens.length
          && (tokens[token] == ANY || tokens[token] == fold(point, ignoreCase))) {
        token++;
        at += Character.charCount(point);
      } else if (retryToken >= 0) {
        token = retryToken;
        retryAt += Character.charCount(text.codePointAt(retryAt));
        at = retryAt;
      } else {
        return false;
      }
    }
  }
}
