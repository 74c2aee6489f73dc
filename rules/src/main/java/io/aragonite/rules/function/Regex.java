package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Regular expressions in Java's syntax, matched by {@code java.util.regex} over a {@link
 * CheckedText}. Loops that read no character are the one thing that this does not end; {@link
 * #minimumRounds} bounds them.
 */
final class Regex {
  private static final int MAX_PATTERNS = 1_000;

  /** Longer patterns are not kept. */
  private static final int MAX_KEPT = 10_000;

  /** Rounds that counted repetitions within each other must make at least. */
  private static final long MAX_ROUNDS = 10_000;

  private record Key(String pattern, int flags) {}

  private static final ConcurrentHashMap<Key, Pattern> PATTERNS = new ConcurrentHashMap<>();

  private Regex() {}

  /**
   * @param function for errors, as SQL writes it
   * @throws AragoniteException INVALID_REGEX
   */
  static Pattern compile(String pattern, int flags, String function) {
    Key key = new Key(pattern, flags);
    Pattern known = PATTERNS.get(key);
    if (known != null) {
      return known;
    }
    Pattern compiled;
    try {
      if (minimumRounds(pattern) > MAX_ROUNDS) {
        throw new AragoniteException(
            ErrorCode.INVALID_REGEX,
            "The regular expression '%s' of %s repeats repetitions more than %,d times; write smaller counts."
                .formatted(shortened(pattern), function, MAX_ROUNDS));
      }
      compiled = Pattern.compile(pattern, flags);
    } catch (PatternSyntaxException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_REGEX,
          "'%s' is not a regular expression for %s: %s, at position %d."
              .formatted(
                  shortened(pattern), function, e.getDescription(), Math.max(0, e.getIndex()) + 1),
          e);
    } catch (StackOverflowError e) {
      throw new AragoniteException(
          ErrorCode.INVALID_REGEX,
          "The regular expression '%s' of %s is nested too deeply."
              .formatted(shortened(pattern), function));
    }
    if (pattern.length() <= MAX_KEPT) {
      if (PATTERNS.size() >= MAX_PATTERNS) {
        PATTERNS.clear();
      }
      PATTERNS.put(key, compiled);
    }
    return compiled;
  }

  private static String shortened(String pattern) {
    return pattern.length() <= 100 ? pattern : pattern.substring(0, 100) + "...";
  }

  /** Uses a matcher of a pattern over a text. */
  static <T extends @Nullable Object> T match(
      Pattern pattern, String text, String function, Function<Matcher, T> use) {
    try {
      return use.apply(pattern.matcher(new CheckedText(text)));
    } catch (StackOverflowError e) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "The regular expression '%s' of %s repeats a group too often for a text of %,d characters; write a character class, or a possessive quantifier (*+, ++)."
              .formatted(shortened(pattern.pattern()), function, text.length()));
    }
  }

  /**
   * The largest product of the least counts of repetitions that lie within each other. The matcher
   * goes through so many rounds even if what is repeated is empty.
   */
  static long minimumRounds(String pattern) {
    long[] inner = new long[pattern.length() + 2];
    int depth = 0;
    inner[0] = 1;
    long last = 1;
    boolean inClass = false;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == '\\') {
        i = pattern.startsWith("\\Q", i) ? quoteEnd(pattern, i) : i + 1;
        last = 1;
      } else if (inClass) {
        inClass = c != ']';
        last = 1;
      } else if (c == '[') {
        inClass = true;
      } else if (c == '(') {
        inner[++depth] = 1;
      } else if (c == ')' && depth > 0) {
        last = inner[depth--];
        inner[depth] = Math.max(inner[depth], last);
      } else if (c == '{') {
        last = times(last, count(pattern, i + 1));
        inner[depth] = Math.max(inner[depth], last);
      } else if (c != '}' && c != ',' && !Character.isDigit(c) && "?+*".indexOf(c) < 0) {
        last = 1;
      }
    }
    return inner[0];
  }

  private static long times(long a, long b) {
    long product = Math.multiplyHigh(a, b) == 0 ? a * b : Long.MAX_VALUE;
    return product < 0 ? Long.MAX_VALUE : product;
  }

  private static int quoteEnd(String pattern, int from) {
    int end = pattern.indexOf("\\E", from + 2);
    return end < 0 ? pattern.length() : end + 1;
  }

  private static long count(String pattern, int from) {
    long count = 0;
    for (int i = from; i < pattern.length() && count < Integer.MAX_VALUE; i++) {
      int digit = Character.digit(pattern.charAt(i), 10);
      if (digit < 0) {
        break;
      }
      count = 10 * count + digit;
    }
    return Math.max(1, count);
  }
}
