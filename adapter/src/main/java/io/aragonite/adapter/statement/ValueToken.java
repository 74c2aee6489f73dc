package io.aragonite.adapter.statement;

import io.aragonite.adapter.sql.SqlTokens;
import java.util.ArrayList;
import java.util.List;

/**
 * A token of a query that is VALUES.
 *
 * @param column the column, from 0, of which it is the whole value; -1 if it is none
 */
record ValueToken(String text, int column) {
  /** All tokens, which together are the text; none if the query is not VALUES. */
  static List<ValueToken> of(String query) {
    List<String> tokens = SqlTokens.list(query);
    int first = next(tokens, 0, 1);
    List<ValueToken> values = new ArrayList<>();
    if (first == tokens.size() || !tokens.get(first).equalsIgnoreCase("VALUES")) {
      return values;
    }
    int depth = 0;
    int column = 0;
    for (int i = 0; i < tokens.size(); i++) {
      String token = tokens.get(i);
      int nesting = SqlTokens.nesting(token);
      if (nesting > 0 && depth == 0) {
        column = 0;
      }
      depth += nesting;
      if (depth == 1 && token.equals(",")) {
        column++;
      }
      boolean whole =
          depth == 1
              && isEdge(tokens, next(tokens, i - 1, -1))
              && isEdge(tokens, next(tokens, i + 1, 1));
      values.add(new ValueToken(token, whole ? column : -1));
    }
    return values;
  }

  /** The nearest token that is no blank. */
  private static int next(List<String> tokens, int from, int step) {
    int at = from;
    while (at >= 0 && at < tokens.size() && SqlTokens.isBlank(tokens.get(at))) {
      at += step;
    }
    return at;
  }

  private static boolean isEdge(List<String> tokens, int at) {
    return at >= 0 && at < tokens.size() && "(),".contains(tokens.get(at));
  }
}
