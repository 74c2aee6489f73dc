package io.aragonite.adapter.sql;

import java.util.Locale;

/**
 * Names with line breaks. Calcite's parser ends a quoted name at the end of its line; the
 * standard's escaped form, {@code U&"two\000alines"}, has no such limit.
 */
public final class QuotedNames {
  private QuotedNames() {}

  /** The same statement with names that have line breaks in their escaped form. */
  public static String escaped(String sql) {
    if (sql.indexOf('"') < 0 || sql.indexOf('\n') < 0 && sql.indexOf('\r') < 0) {
      return sql;
    }
    StringBuilder result = new StringBuilder();
    int i = 0;
    while (i < sql.length()) {
      int end = SqlTokens.end(sql, i);
      String token = sql.substring(i, end);
      boolean name = token.startsWith("\"") && token.length() > 1;
      result.append(name && hasLineBreak(token) ? escapedName(token) : token);
      i = end;
    }
    return result.toString();
  }

  private static boolean hasLineBreak(String token) {
    return token.indexOf('\n') >= 0 || token.indexOf('\r') >= 0;
  }

  private static String escapedName(String token) {
    StringBuilder name = new StringBuilder("U&");
    for (int i = 0; i < token.length(); i++) {
      char c = token.charAt(i);
      if (c == '\n' || c == '\r' || c == '\\') {
        name.append(String.format(Locale.ROOT, "\\%04x", (int) c));
      } else {
        name.append(c);
      }
    }
    return name.toString();
  }
}
