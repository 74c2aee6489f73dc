package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.parser.babel.Token;

/** {@code #1}, the number of a column. */
final class ColumnNumberTokens extends TokenList {
  /** What the parentheses of a query begin with. */
  private static final Set<Integer> BEGINS_QUERY =
      Set.of(SELECT, WITH, VALUES, TABLE, LPAREN, PIVOT);

  ColumnNumberTokens(List<Token> tokens) {
    super(tokens);
  }

  /** {@code ORDER BY #1} is {@code ORDER BY 1}; a column of SELECT gets a mark. */
  void at(int i) {
    Token number = tokens.get(i);
    boolean key = (kind(i - 1) == BY || kind(i - 1) == COMMA) && isQueryKey(i);
    if (key && (kind(i + 1) == COMMA || TokenForms.ENDS.contains(kind(i + 1)))) {
      tokens.set(i, like(number, UNSIGNED_INTEGER_LITERAL, number.image.substring(1)));
    } else if (isSelected(i)) {
      tokens.set(i, name(number, TokenForms.COLUMN_NUMBER));
      tokens.addAll(
          i + 1,
          List.of(
              like(number, LPAREN, "("),
              like(number, UNSIGNED_INTEGER_LITERAL, number.image.substring(1)),
              like(number, RPAREN, ")")));
    } else {
      throw invalid(
          number,
          "#%s is the number of a column in SELECT, ORDER BY and GROUP BY only; write the column's name"
              .formatted(number.image.substring(1)));
    }
  }

  /** Whether a token is in the list of a SELECT, or in parentheses there that are no query's. */
  private boolean isSelected(int i) {
    int depth = 0;
    for (int at = i - 1; at >= 0; at--) {
      int kind = kind(at);
      if (kind == SELECT && depth <= 0) {
        return true;
      }
      if (depth <= 0 && (CLAUSES.contains(kind) || kind == FROM || kind == ON)) {
        return false;
      }
      depth += kind == RPAREN ? 1 : kind == LPAREN ? -1 : 0;
      depth = Math.max(depth, 0);
    }
    return false;
  }

  /**
   * Whether a token is in ORDER BY or GROUP BY of a query, where a number is that of a column, and
   * neither in parentheses there nor in a window.
   */
  private boolean isQueryKey(int i) {
    int open = opening(i);
    if (open >= 0 && !BEGINS_QUERY.contains(kind(open + 1))) {
      return false;
    }
    int depth = 0;
    for (int at = i - 1; at > open; at--) {
      int kind = kind(at);
      depth += kind == RPAREN ? 1 : kind == LPAREN ? -1 : 0;
      if (depth == 0 && (CLAUSES.contains(kind) || kind == SELECT || kind == FROM)) {
        return kind(at + 1) == BY && (kind == ORDER || kind == GROUP);
      }
    }
    return false;
  }
}
