package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * Names before what they are of, as DuckDB has them: {@code SELECT x : a + 1 FROM t : table} is
 * {@code SELECT a + 1 AS x FROM table AS t}.
 */
final class AliasTokens extends TokenList {
  private static final Set<Integer> BEFORE = Set.of(SELECT, DISTINCT, COMMA, FROM, JOIN, LPAREN);

  /** What joins in parentheses stand behind. */
  private static final Set<Integer> JOINED = Set.of(FROM, JOIN, COMMA);

  private static final Set<Integer> ENDS =
      Set.of(
          COMMA,
          RPAREN,
          RBRACKET,
          RBRACE,
          SEMICOLON,
          FROM,
          JOIN,
          INNER,
          LEFT,
          RIGHT,
          FULL,
          CROSS,
          NATURAL,
          ASOF,
          ON,
          USING,
          TABLESAMPLE);

  /** Words before JOIN that the grammar takes for names. */
  private static final Set<String> JOIN_WORDS = Set.of("SEMI", "ANTI");

  AliasTokens(List<Token> tokens) {
    super(tokens);
  }

  /** Where what the name is of begins now; -1 if no name is before the colon. */
  int at(int colon) {
    int name = kind(colon - 1) == RPAREN ? matching(colon - 1) - 1 : colon - 1;
    boolean named = isWord(name) && !BEFORE.contains(kind(name)) && kind(name) != CASE;
    if (!named || !BEFORE.contains(kind(name - 1)) || !isOfQuery(name)) {
      return -1;
    }
    int end = end(colon + 1);
    if (kind(name) != QUOTED_IDENTIFIER) {
      tokens.set(name, name(tokens.get(name), tokens.get(name).image)); // reserved or not
    }
    List<Token> moved = new ArrayList<>(tokens.subList(name, colon));
    moved.addFirst(like(tokens.get(colon), AS, "AS"));
    tokens.addAll(end, moved);
    tokens.subList(name, colon + 1).clear();
    return name;
  }

  /** Whether a place is in a query's lists, and not among what a call is given in parentheses. */
  private boolean isOfQuery(int place) {
    if (list(place) != EOF) {
      return true;
    }
    int open = opening(place); // of joins, perhaps
    return JOINED.contains(kind(open - 1)) && (list(open) == FROM || list(open) == JOIN);
  }

  /** SELECT, FROM or JOIN, whichever list a place is directly in; EOF if it is in none. */
  private int list(int place) {
    int depth = 0;
    for (int at = place - 1; at >= 0 && depth >= 0; at--) {
      int kind = kind(at);
      if (depth == 0 && (kind == SELECT || kind == FROM || kind == JOIN)) {
        return kind;
      }
      depth +=
          switch (kind) {
            case LPAREN, LBRACKET, LBRACE -> -1;
            case RPAREN, RBRACKET, RBRACE -> 1;
            default -> 0;
          };
    }
    return EOF;
  }

  private int end(int from) {
    int depth = 0;
    int at = from;
    for (; kind(at) != EOF; at++) {
      int kind = kind(at);
      boolean within =
          (kind == LEFT || kind == RIGHT) && kind(at + 1) == LPAREN // a function
              || kind == FROM && kind(at - 1) == DISTINCT;
      boolean ends = ENDS.contains(kind) || CLAUSES.contains(kind) || isKindOfJoin(at);
      if (depth == 0 && at > from && !within && ends) {
        break;
      }
      depth +=
          switch (kind) {
            case LPAREN, LBRACKET, LBRACE -> 1;
            case RPAREN, RBRACKET, RBRACE -> -1;
            default -> 0;
          };
    }
    return at;
  }

  private boolean isKindOfJoin(int at) {
    return kind(at + 1) == JOIN
        && JOIN_WORDS.contains(tokens.get(at).image.toUpperCase(Locale.ROOT));
  }
}
