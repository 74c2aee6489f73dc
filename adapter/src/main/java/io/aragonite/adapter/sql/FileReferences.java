package io.aragonite.adapter.sql;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Set;

/**
 * Files that statements name where a table is: {@code FROM 'folder/*.parquet'} and {@code FROM
 * read_csv('file.csv', delim => ';')}. Calcite's parser gets them as quoted names, of the same
 * text; {@link FileCall} says what such a name means.
 */
public final class FileReferences {
  private static final Set<String> ENDS_FROM =
      Set.of(
          "WHERE",
          "GROUP",
          "HAVING",
          "ORDER",
          "WINDOW",
          "QUALIFY",
          "LIMIT",
          "OFFSET",
          "FETCH",
          "UNION",
          "INTERSECT",
          "EXCEPT",
          "MINUS",
          "SELECT",
          "VALUES",
          "SET");

  /** Behind what FROM begins a query: {@code FROM 'file'}. */
  private static final Set<String> BEFORE_FROM =
      Set.of("", "(", "UNION", "INTERSECT", "EXCEPT", "MINUS", "ALL");

  private final String sql;
  private final char quote;
  private final StringBuilder result = new StringBuilder();

  /** By open parenthesis: whether a FROM clause is open, and whether a SELECT was there. */
  private final Deque<Level> levels = new ArrayDeque<>();

  private int at;
  private String before = "";

  private static final class Level {
    final boolean trim;
    boolean select;
    boolean from;

    /**
     * @param opener what stands before the parenthesis
     */
    Level(String opener) {
      trim = opener.equals("TRIM"); // TRIM(FROM x)
    }
  }

  private FileReferences(String sql, char quote) {
    this.sql = sql;
    this.quote = quote;
  }

  /**
   * The same statement with names in place of files.
   *
   * @param quote what names are quoted with
   */
  public static String named(String sql, char quote) {
    return sql.indexOf('\'') < 0 ? sql : new FileReferences(sql, quote).rewrite();
  }

  private String rewrite() {
    levels.push(new Level(""));
    while (at < sql.length()) {
      int end = SqlTokens.end(sql, at);
      String token = sql.substring(at, end);
      if (SqlTokens.isBlank(token)) {
        result.append(token);
        at = end;
        continue;
      }
      String word = token.toUpperCase(Locale.ROOT);
      boolean table = isTablePlace();
      follow(word);
      if (table && token.startsWith("'") && token.length() > 2) {
        name(token);
      } else if (table && FileCall.isFunction(token) && callEnd(end) > 0) {
        end = callEnd(end);
        name(sql.substring(at, end));
      } else {
        result.append(token);
      }
      boolean comparison = word.equals("FROM") && before.equals("DISTINCT");
      before = comparison ? "" : word; // IS DISTINCT FROM
      at = end;
    }
    return result.toString();
  }

  private boolean isTablePlace() {
    Level level = levels.getFirst();
    return switch (before) {
      case "FROM" -> level.from;
      case "JOIN" -> true;
      case "," -> level.from;
      default -> false;
    };
  }

  private void follow(String word) {
    Level level = levels.getFirst();
    switch (word) {
      case "(" -> levels.push(new Level(before));
      case "[", "{" -> levels.push(new Level("")); // values of a list, a map or a struct
      case ")", "]", "}" -> {
        if (levels.size() > 1) {
          levels.pop();
        }
      }
      case "SELECT" -> {
        level.select = true;
        level.from = false;
      }
      case "FROM" ->
          level.from |=
              level.select && !before.equals("DISTINCT")
                  || BEFORE_FROM.contains(before) && !level.trim;
      default -> level.from &= !ENDS_FROM.contains(word);
    }
  }

  private void name(String text) {
    String doubled = String.valueOf(quote) + quote;
    result.append(quote).append(text.replace(String.valueOf(quote), doubled)).append(quote);
  }

  /** Where the call ends whose function's name ends at {@code from}; 0 if it is none. */
  private int callEnd(int from) {
    int depth = 0;
    int i = from;
    while (i < sql.length()) {
      int end = SqlTokens.end(sql, i);
      String token = sql.substring(i, end);
      if (token.equals("(")) {
        depth++;
      } else if (token.equals(")")) {
        depth--;
      } else if (depth == 0 && !SqlTokens.isBlank(token)) {
        return 0;
      }
      if (depth == 0 && token.equals(")")) {
        return end;
      }
      i = end;
    }
    return 0;
  }
}
