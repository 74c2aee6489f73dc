package io.aragonite.adapter.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.avatica.util.Quoting;

/** Where the tokens of a statement end, without a parser. */
public final class SqlTokens {
  private SqlTokens() {}

  /** Where the quoted text, comment, word or single character that begins at {@code start} ends. */
  public static int end(String sql, int start) {
    char c = sql.charAt(start);
    if (sql.startsWith("--", start)) {
      return after(sql, "\n", start);
    }
    if (sql.startsWith("/*", start)) {
      return after(sql, "*/", start + 2);
    }
    if (c == '"' || c == '\'' || c == '`') {
      return quoted(sql, start, c);
    }
    int i = start + 1;
    if (Character.isJavaIdentifierStart(c)) {
      while (i < sql.length() && Character.isJavaIdentifierPart(sql.charAt(i))) {
        i++;
      }
    } else if (Character.isDigit(c)) {
      while (i < sql.length() && Character.isDigit(sql.charAt(i))) {
        i++;
      }
    }
    return i;
  }

  /** The same where brackets may be the quotes of names, not those of lists. */
  public static int end(String sql, int start, Quoting quoting) {
    return quoting == Quoting.BRACKET && sql.charAt(start) == '['
        ? quoted(sql, start, ']')
        : end(sql, start);
  }

  /** All tokens of a text, which together are the text: white space and comments too. */
  public static List<String> list(String sql) {
    List<String> tokens = new ArrayList<>();
    for (int at = 0; at < sql.length(); ) {
      int end = end(sql, at);
      tokens.add(sql.substring(at, end));
      at = end;
    }
    return tokens;
  }

  /** By how much a token leads deeper into parentheses, brackets and braces: 1, 0 or -1. */
  public static int nesting(String token) {
    return switch (token) {
      case "(", "[", "{" -> 1;
      case ")", "]", "}" -> -1;
      default -> 0;
    };
  }

  /** A name without the quotes that it may have, double ones or backticks. */
  public static String unquoted(String token) {
    char first = token.charAt(0);
    if (token.length() < 2 || first != '"' && first != '`') {
      return token;
    }
    String quote = String.valueOf(first);
    return token.substring(1, token.length() - 1).replace(quote + quote, quote);
  }

  private static int quoted(String sql, int start, char quote) {
    int i = start + 1;
    while (i < sql.length()) {
      if (sql.charAt(i) == quote) {
        if (i + 1 >= sql.length() || sql.charAt(i + 1) != quote) {
          return i + 1;
        }
        i++; // a doubled quote stands for one
      }
      i++;
    }
    return sql.length();
  }

  private static int after(String sql, String end, int from) {
    int at = sql.indexOf(end, from);
    return at < 0 ? sql.length() : at + end.length();
  }

  /**
   * A statement with spaces in the place of comments in front of it, so that its places stay, and
   * without what is behind it: comments, white space and a semicolon.
   */
  public static String statement(String sql, Quoting quoting) {
    if (!sql.contains("--") && !sql.contains("/*")) {
      return withoutSemicolon(sql);
    }
    StringBuilder text = new StringBuilder(sql);
    int last = 0;
    for (int at = 0; at < sql.length(); ) {
      int end = end(sql, at, quoting);
      String token = sql.substring(at, end);
      boolean blank = token.equals(";") && last > 0 || isBlank(token) && !isUnclosed(token);
      for (int i = at; blank && last == 0 && i < end; i++) {
        if (!Character.isWhitespace(sql.charAt(i))) {
          text.setCharAt(i, ' ');
        }
      }
      last = blank ? last : end;
      at = end;
    }
    text.setLength(last);
    return text.toString();
  }

  /** Whether it is a comment without an end, of which the parser tells. */
  private static boolean isUnclosed(String token) {
    return token.startsWith("/*") && (token.length() < 4 || !token.endsWith("*/"));
  }

  private static String withoutSemicolon(String sql) {
    String text = sql.stripTrailing();
    return text.endsWith(";") && !text.equals(";") ? text.substring(0, text.length() - 1) : sql;
  }

  /** The places of tokens that are neither white space nor comments. */
  public static List<Integer> words(List<String> tokens) {
    return IntStream.range(0, tokens.size()).filter(i -> !isBlank(tokens.get(i))).boxed().toList();
  }

  /** Whether a token is white space or a comment. */
  public static boolean isBlank(String token) {
    return token.isBlank() || token.startsWith("--") || token.startsWith("/*");
  }
}
