package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.List;
import org.apache.calcite.sql.parser.babel.Token;

/** What stands within and behind the arguments of aggregates. */
final class AggregateTokens extends TokenList {
  AggregateTokens(List<Token> tokens) {
    super(tokens);
  }

  /** {@code count()}. */
  void count(int i) {
    if (kind(i + 1) == LPAREN && kind(i + 2) == RPAREN) {
      tokens.add(i + 2, like(tokens.get(i + 2), STAR, "*"));
    }
  }

  /** {@code f(x) FILTER (c)}. */
  void filter(int i) {
    if (kind(i - 1) == RPAREN && kind(i + 1) == LPAREN && kind(i + 2) != WHERE) {
      tokens.add(i + 2, like(tokens.get(i), WHERE, "WHERE"));
    }
  }

  /** ORDER BY among the arguments of a function goes behind them. */
  void orderedArguments(int i) {
    int open = kind(i + 1) == BY ? opening(i) : -1;
    if (open < 1 || !isFunction(open - 1) || kind(i - 1) == LPAREN) {
      return;
    }
    int depth = 0;
    for (int at = open + 1; at < i; at++) {
      depth += kind(at) == LPAREN ? 1 : kind(at) == RPAREN ? -1 : 0;
      if (depth == 0 && (kind(at) == PARTITION || kind(at) == SELECT || kind(at) == FROM)) {
        return; // a window, or a query
      }
    }
    Token at = tokens.get(i);
    int separator = -1;
    int close = closing(open);
    for (int j = i; j < close; j++) {
      separator = kind(j) == SEPARATOR ? j : separator;
    }
    tokens.addAll(
        i,
        List.of(
            like(at, RPAREN, ")"),
            like(at, WITHIN, "WITHIN"),
            like(at, GROUP, "GROUP"),
            like(at, LPAREN, "(")));
    if (separator > 0) {
      Token text = tokens.remove(separator + 5);
      tokens.remove(separator + 4);
      tokens.add(i, text);
      tokens.add(i, like(at, COMMA, ","));
    }
  }

  /** {@code f(x IGNORE NULLS)}: the words go behind the arguments. */
  void nullTreatment(int i) {
    if (kind(i + 1) == NULLS && kind(i + 2) == RPAREN && opening(i) > 0) {
      tokens.add(i, tokens.remove(i + 2));
    }
  }
}
