package io.aragonite.adapter.statement;

import io.aragonite.adapter.sql.SqlTokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * {@code FROM (DESCRIBE t)}, {@code (SHOW TABLES)} and {@code (SUMMARIZE t)} within queries, and of
 * WITH.
 */
final class ShownQueries {
  private static final Pattern SOME =
      Pattern.compile("\\(\\s*(?:describe|desc|show|summarize)\\s", Pattern.CASE_INSENSITIVE);

  private static final Set<String> BEFORE = Set.of("FROM", "JOIN", ",", "AS", "MATERIALIZED");

  private static final Set<String> WORDS = Set.of("DESCRIBE", "DESC", "SHOW", "SUMMARIZE");

  private ShownQueries() {}

  /**
   * A statement with queries in the place of such requests.
   *
   * @param shown the query of a request
   */
  static String expand(String sql, Function<ShowRequest, String> shown) {
    if (!SOME.matcher(sql).find()) {
      return sql;
    }
    List<String> tokens = new ArrayList<>(SqlTokens.list(sql));
    List<Integer> words = SqlTokens.words(tokens);
    StringBuilder made = new StringBuilder();
    int written = 0;
    for (int i = 1; i + 1 < words.size(); i++) {
      int open = words.get(i);
      if (!tokens.get(open).equals("(")
          || !BEFORE.contains(upper(tokens.get(words.get(i - 1))))
          || !WORDS.contains(upper(tokens.get(words.get(i + 1))))) {
        continue;
      }
      int close = closing(tokens, open);
      ShowRequest request =
          close < 0 ? null : ShowRequest.of(String.join("", tokens.subList(open + 1, close)));
      if (request != null) {
        made.append(String.join("", tokens.subList(written, open + 1)))
            .append(shown.apply(request));
        written = close;
      }
    }
    return made.append(String.join("", tokens.subList(written, tokens.size()))).toString();
  }

  private static int closing(List<String> tokens, int open) {
    int depth = 0;
    for (int i = open; i < tokens.size(); i++) {
      depth += tokens.get(i).equals("(") ? 1 : tokens.get(i).equals(")") ? -1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    return -1;
  }

  private static String upper(String token) {
    return token.toUpperCase(Locale.ROOT);
  }
}
