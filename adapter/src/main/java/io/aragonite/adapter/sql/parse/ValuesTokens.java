package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.parser.babel.Token;

/** VALUES, and queries of several parts, where Calcite's grammar wants a SELECT. */
final class ValuesTokens extends TokenList {
  /** Behind these begins the order of a query's rows. */
  private static final Set<Integer> ORDERINGS = Set.of(ORDER, LIMIT, OFFSET, FETCH);

  private static final Set<Integer> BEFORE_VALUES = Set.of(EXISTS, ARRAY, IN, ANY, SOME, ALL);

  ValuesTokens(List<Token> tokens) {
    super(tokens);
  }

  /**
   * {@code EXISTS (VALUES ...)} and {@code ARRAY(VALUES ...)}, where Calcite wants a SELECT, and
   * VALUES behind IN, ANY, SOME and ALL, whose namespace it loses with the copy that it makes of
   * names and moments. {@code FROM VALUES (1), (2) AS t(x)} gets parentheses.
   */
  void values(int i) {
    if (kind(i - 1) == FROM && kind(i + 1) == LPAREN) {
      int end = closing(i + 1) + 1;
      while (end > 0 && kind(end) == COMMA && kind(end + 1) == LPAREN) {
        end = closing(end + 1) + 1;
      }
      if (end > 0) {
        tokens.add(end, like(tokens.get(i), RPAREN, ")"));
        tokens.add(i, like(tokens.get(i), LPAREN, "("));
      }
    }
    if (BEFORE_VALUES.contains(kind(i - 2)) && kind(i - 1) == LPAREN) {
      selected(i, kind(i - 2) == ARRAY);
    }
  }

  /** {@code ARRAY(SELECT ... UNION SELECT ...)}, too. */
  void arrayOfSet(int i) {
    boolean query = kind(i + 1) == LPAREN && kind(i + 2) == SELECT;
    int close = query ? closing(i + 1) : -1;
    int at = i + 2;
    while (at < close && !LimitTokens.SET_OPERATIONS.contains(kind(at))) {
      at = kind(at) == LPAREN ? closing(at) + 1 : at + 1;
    }
    if (at < close) {
      selected(i + 2, false);
    }
  }

  /**
   * Makes rows that begin at a token, within parentheses, those of a SELECT.
   *
   * @param named whether they are of one column that has no name of its own
   */
  private void selected(int i, boolean named) {
    int close = closing(i - 1);
    if (close < 0) {
      return;
    }
    Token at = tokens.get(i);
    List<Token> behind = new ArrayList<>(List.of(like(at, RPAREN, ")")));
    if (named) {
      behind.addAll(
          List.of(
              like(at, AS, "AS"),
              name(at, "v"),
              like(at, LPAREN, "("),
              name(at, "column1"),
              like(at, RPAREN, ")")));
    }
    tokens.addAll(behindRows(i, close), behind);
    tokens.addAll(
        i,
        List.of(
            like(at, SELECT, "SELECT"),
            like(at, STAR, "*"),
            like(at, FROM, "FROM"),
            like(at, LPAREN, "(")));
  }

  /** Where the order of a query's rows begins, which a subquery in FROM would lose. */
  private int behindRows(int from, int close) {
    int end = from;
    while (end < close && !ORDERINGS.contains(kind(end))) {
      end = kind(end) == LPAREN ? closing(end) + 1 : end + 1;
    }
    return end;
  }
}
