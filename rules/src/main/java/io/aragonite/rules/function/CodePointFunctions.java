package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.type.DataType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.linq4j.function.Strict;
import org.jspecify.annotations.Nullable;

/**
 * Functions and comparisons of texts by code points, as the engine has them, for what Calcite's
 * code evaluates: that counts and orders UTF-16 units, of which characters beyond U+FFFF have two.
 * Called by generated code; no argument is null.
 */
@Strict
public final class CodePointFunctions {
  private CodePointFunctions() {}

  /**
   * @param args texts and whole numbers
   * @throws AragoniteException INVALID_ARGUMENT, RESULT_TOO_LARGE
   */
  private static Object apply(Op op, DataType type, Object... args) {
    List<Expr> inputs = new ArrayList<>();
    for (Object arg : args) {
      DataType of = arg instanceof String ? DataType.VARCHAR : DataType.INT64;
      inputs.add(new Expr.InputRef(inputs.size(), of));
    }
    return Objects.requireNonNull(Interpreter.apply(new Expr.Call(op, inputs, type), args));
  }

  private static String text(Op op, Object... args) {
    return (String) apply(op, DataType.VARCHAR, args);
  }

  private static int number(Op op, Object... args) {
    return Math.toIntExact(((Number) apply(op, DataType.INT32, args)).longValue());
  }

  private static boolean compare(Op op, String a, String b) {
    return (Boolean) apply(op, DataType.BOOLEAN, a, b);
  }

  public static boolean less(String a, String b) {
    return compare(Op.LT, a, b);
  }

  public static boolean lessOrEqual(String a, String b) {
    return compare(Op.LE, a, b);
  }

  public static boolean greater(String a, String b) {
    return compare(Op.GT, a, b);
  }

  public static boolean greaterOrEqual(String a, String b) {
    return compare(Op.GE, a, b);
  }

  public static String lpad(String text, long length) {
    return text(Op.LPAD, text, length);
  }

  public static String lpad(String text, long length, String padding) {
    return text(Op.LPAD, text, length, padding);
  }

  public static String rpad(String text, long length) {
    return text(Op.RPAD, text, length);
  }

  public static String rpad(String text, long length, String padding) {
    return text(Op.RPAD, text, length, padding);
  }

  public static String left(String text, long length) {
    return text(Op.LEFT, text, length);
  }

  public static String right(String text, long length) {
    return text(Op.RIGHT, text, length);
  }

  public static String substring(String text, long from) {
    return text(Op.SUBSTRING, text, from);
  }

  public static String substring(String text, long from, long length) {
    return text(Op.SUBSTRING, text, from, length);
  }

  public static String overlay(String text, String with, long from) {
    return text(Op.OVERLAY, text, with, from);
  }

  public static String overlay(String text, String with, long from, long length) {
    return text(Op.OVERLAY, text, with, from, length);
  }

  public static int position(String sought, String text) {
    return number(Op.POSITION, sought, text);
  }

  public static int position(String sought, String text, long from) {
    return number(Op.POSITION, sought, text, from);
  }

  public static int length(String text) {
    return number(Op.CHAR_LENGTH, text);
  }

  public static String reverse(String text) {
    return text(Op.REVERSE, text);
  }

  public static int ascii(String text) {
    return number(Op.ASCII, text);
  }

  public static String chr(long point) {
    return text(Op.CHR, point);
  }

  /** Nulls are the last, as ORDER BY has them. */
  public static List<?> sort(List<?> list) {
    return sort(list, true);
  }

  /** Nulls are the last if ascending, otherwise the first, as ORDER BY has them. */
  public static List<?> sort(List<?> list, boolean ascending) {
    List<@Nullable Object> sorted = new ArrayList<>(list);
    Comparator<@Nullable Object> order = Comparator.nullsLast(CodePointFunctions::order);
    sorted.sort(ascending ? order : order.reversed());
    return sorted;
  }

  public static @Nullable String least(List<?> list) {
    return (String)
        list.stream().filter(Objects::nonNull).min(CodePointFunctions::order).orElse(null);
  }

  public static @Nullable String greatest(List<?> list) {
    return (String)
        list.stream().filter(Objects::nonNull).max(CodePointFunctions::order).orElse(null);
  }

  @SuppressWarnings("unchecked")
  private static int order(Object a, Object b) {
    return a instanceof String x && b instanceof String y
        ? Arrays.compareUnsigned(
            x.getBytes(StandardCharsets.UTF_8), y.getBytes(StandardCharsets.UTF_8))
        : ((Comparable<Object>) a).compareTo(b);
  }

  /** The characters of {@code from} become those of {@code to}, or go where that is shorter. */
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
