package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.linq4j.function.Strict;
import org.jspecify.annotations.Nullable;

/**
 * Functions that count the characters of texts, as the engine does, in code points; Calcite's count
 * UTF-16 units, two of which make one character beyond U+FFFF. Called by generated code; no
 * argument is null.
 */
@Strict
public final class CodePointFunctions {
  private static final char FIRST_SURROGATE = Character.MIN_SURROGATE;
  private static final char BEHIND_SURROGATES = Character.MAX_SURROGATE + 1;

  private CodePointFunctions() {}

  /**
   * @param arguments texts and whole numbers
   * @throws AragoniteException INVALID_ARGUMENT, RESULT_TOO_LARGE
   */
  private static Object apply(Op op, DataType type, Object... arguments) {
    List<Expr> args = new ArrayList<>();
    @Nullable Object[] values = new @Nullable Object[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      boolean text = arguments[i] instanceof String;
      args.add(new Expr.InputRef(i, text ? DataType.VARCHAR : DataType.INT64));
      values[i] = arguments[i];
    }
    return Objects.requireNonNull(Interpreter.apply(new Expr.Call(op, args, type), values));
  }

  private static String text(Op op, Object... arguments) {
    return (String) apply(op, DataType.VARCHAR, arguments);
  }

  private static int number(Op op, Object... arguments) {
    return ((Number) apply(op, DataType.INT64, arguments)).intValue();
  }

  public static String lpad(String text, long length) {
    return text(Op.LPAD, text, length, " ");
  }

  public static String lpad(String text, long length, String padding) {
    return text(Op.LPAD, text, length, padding);
  }

  public static String rpad(String text, long length) {
    return text(Op.RPAD, text, length, " ");
  }

  public static String rpad(String text, long length, String padding) {
    return text(Op.RPAD, text, length, padding);
  }

  public static String left(String text, long count) {
    return text(Op.LEFT, text, count);
  }

  public static String right(String text, long count) {
    return text(Op.RIGHT, text, count);
  }

  public static String substring(String text, long from) {
    return text(Op.SUBSTRING, text, from);
  }

  public static String substring(String text, long from, long length) {
    return text(Op.SUBSTRING, text, from, length);
  }

  public static String overlay(String text, String replacement, long from) {
    return text(Op.OVERLAY, text, replacement, from);
  }

  public static String overlay(String text, String replacement, long from, long length) {
    return text(Op.OVERLAY, text, replacement, from, length);
  }

  public static int position(String sought, String text) {
    return number(Op.POSITION, sought, text);
  }

  public static int position(String sought, String text, long from) {
    return number(Op.POSITION, sought, text, from);
  }

  /** {@code STRPOS} and {@code INSTR}. */
  public static int positionIn(String text, String sought) {
    return number(Op.POSITION, sought, text);
  }

  public static int positionIn(String text, String sought, long from) {
    return number(Op.POSITION, sought, text, from);
  }

  public static int charLength(String text) {
    return text.codePointCount(0, text.length());
  }

  /** What a cast to {@code VARCHAR(length)} keeps. */
  public static String truncated(String text, long length) {
    return charLength(text) <= length
        ? text
        : text.substring(0, text.offsetByCodePoints(0, (int) length));
  }

  /**
   * What a cast to {@code CHAR(length)} keeps: blanks at its end are padding, which no value has.
   */
  public static String fixed(String text, long length) {
    return unpadded(truncated(text, length));
  }

  /** A text without the blanks at its end. */
  public static String unpadded(String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    return text.substring(0, end);
  }

  /**
   * A text that Java compares with others of this method as texts are compared: by code points. By
   * UTF-16 units characters beyond U+FFFF are less than those from U+E000.
   */
  public static String ordered(String text) {
    int at = 0;
    while (at < text.length() && text.charAt(at) < FIRST_SURROGATE) {
      at++;
    }
    if (at == text.length()) {
      return text;
    }
    char[] units = text.toCharArray();
    for (; at < units.length; at++) {
      char unit = units[at];
      if (unit >= BEHIND_SURROGATES) {
        units[at] = (char) (unit - (BEHIND_SURROGATES - FIRST_SURROGATE));
      } else if (unit >= FIRST_SURROGATE) {
        units[at] = (char) (unit + (Character.MAX_VALUE - Character.MAX_SURROGATE));
      }
    }
    return new String(units);
  }

  /** The order of texts, by code points. */
  static int compare(String a, String b) {
    int end = Math.min(a.length(), b.length());
    for (int i = 0; i < end; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        // a surrogate is of a character that is greater than all that have none
        int beyond = Boolean.compare(Character.isSurrogate(x), Character.isSurrogate(y));
        return beyond == 0 ? Character.compare(x, y) : beyond;
      }
    }
    return Integer.compare(a.length(), b.length());
  }

  /** Each character of {@code from} becomes that at its place in {@code to}, or goes. */
  public static String translate(String text, String from, String to) {
    int[] sought = from.codePoints().toArray();
    int[] made = to.codePoints().toArray();
    StopCheck.current().work((long) text.length() * sought.length);
    StringBuilder result = new StringBuilder(text.length());
    text.codePoints()
        .forEach(point -> {
          int at = 0;
          while (at < sought.length && sought[at] != point) {
            at++;
          }
          if (at == sought.length) {
            result.appendCodePoint(point);
          } else if (at < made.length) {
            result.appendCodePoint(made[at]);
          }
        });
    return result.toString();
  }

  /** How many characters are to be put in, taken out or changed to make one text of another. */
  public static int levenshtein(String a, String b) {
    int[] x = a.codePoints().toArray();
    int[] y = b.codePoints().toArray();
    int[] distances = new int[y.length + 1];
    for (int j = 0; j <= y.length; j++) {
      distances[j] = j;
    }
    StopCheck stopCheck = StopCheck.current();
    for (int i = 0; i < x.length; i++) {
      stopCheck.work(distances.length);
      int before = distances[0]++;
      for (int j = 0; j < y.length; j++) {
        int change = before + (x[i] == y[j] ? 0 : 1);
        before = distances[j + 1];
        distances[j + 1] = Math.min(change, 1 + Math.min(before, distances[j]));
      }
    }
    return distances[y.length];
  }
}
