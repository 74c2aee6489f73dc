package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.expr.EvalException;
import io.aragonite.exec.expr.TextFunctions;
import java.util.function.Supplier;
import org.apache.calcite.linq4j.function.Strict;

/**
 * Functions that count characters, as the engine does: in code points. Calcite's own count the
 * units of UTF-16, of which a character may have two. Called by generated code; no argument is
 * null.
 */
@Strict
public final class CharacterFunctions {
  private CharacterFunctions() {}

  public static int charLength(String text) {
    return TextFunctions.length(text);
  }

  public static String substring(String text, long from) {
    return checked(() -> TextFunctions.substring(text, from));
  }

  public static String substring(String text, long from, long length) {
    return checked(() -> TextFunctions.substring(text, from, length));
  }

  public static int position(String needle, String text) {
    return (int) TextFunctions.position(needle, text, 1);
  }

  public static int position(String needle, String text, long from) {
    return checked(() -> (int) TextFunctions.position(needle, text, from));
  }

  public static String overlay(String text, String replacement, long from) {
    return overlay(text, replacement, from, TextFunctions.length(replacement));
  }

  public static String overlay(String text, String replacement, long from, long length) {
    return checked(() -> TextFunctions.overlay(text, replacement, from, length));
  }

  public static String left(String text, long count) {
    return TextFunctions.left(text, count);
  }

  public static String right(String text, long count) {
    return TextFunctions.right(text, count);
  }

  public static String lpad(String text, long length) {
    return lpad(text, length, " ");
  }

  public static String lpad(String text, long length, String padding) {
    return checked(() -> TextFunctions.pad(text, length, padding, true));
  }

  public static String rpad(String text, long length) {
    return rpad(text, length, " ");
  }

  public static String rpad(String text, long length, String padding) {
    return checked(() -> TextFunctions.pad(text, length, padding, false));
  }

  private static <T> T checked(Supplier<T> function) {
    try {
      return function.get();
    } catch (EvalException e) {
      throw new AragoniteException(e.code(), "A function of texts: " + e.getMessage() + ".", e);
    }
  }
}
