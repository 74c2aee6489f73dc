package io.aragonite.adapter.shell.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A token of a statement that may not be complete.
 *
 * @param text as it was typed, quotes included
 * @param begin where it begins
 * @param name whether it is a name or a keyword
 */
record SqlToken(String text, int begin, boolean name) {
  /** The tokens of the statement around a place of a text. */
  static List<SqlToken> around(String text, int place) {
    List<SqlToken> tokens = new ArrayList<>();
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      int end = end(text, i);
      if (c == ';') {
        if (i >= place) {
          return tokens;
        }
        tokens.clear();
      } else if (!Character.isWhitespace(c) && !isComment(text, i)) {
        tokens.add(new SqlToken(text.substring(i, end), i, isName(c) || c == '"'));
      }
      i = end;
    }
    return tokens;
  }

  private static boolean isComment(String text, int at) {
    return text.startsWith("--", at) || text.startsWith("/*", at);
  }

  private static boolean isName(char c) {
    return Character.isLetter(c) || c == '_';
  }

  private static int end(String text, int begin) {
    char c = text.charAt(begin);
    if (c == '\'' || c == '"') {
      int end = text.indexOf(c, begin + 1);
      return end < 0 ? text.length() : end + 1;
    }
    if (isComment(text, begin)) {
      String close = c == '-' ? "\n" : "*/";
      int end = text.indexOf(close, begin + 2);
      return end < 0 ? text.length() : end + close.length();
    }
    int end = begin + 1;
    if (isName(c)) {
      while (end < text.length()
          && (Character.isLetterOrDigit(text.charAt(end)) || "_$".indexOf(text.charAt(end)) >= 0)) {
        end++;
      }
    }
    return end;
  }

  /** Whether it is this keyword, or sign. */
  boolean is(String word) {
    return text.equalsIgnoreCase(word);
  }

  /** In capital letters, as keywords are listed. */
  String upper() {
    return text.toUpperCase(Locale.ROOT);
  }

  /** The name without its quotes. */
  String plain() {
    return text.startsWith("\"") ? text.replace("\"", "") : text;
  }
}
