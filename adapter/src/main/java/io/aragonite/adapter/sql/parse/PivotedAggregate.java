package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.adapter.sql.function.AggregateNames;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.parser.babel.Token;

/** An expression of aggregates, each of the rows that a column of a PIVOT is of. */
final class PivotedAggregate extends TokenList {
  private final List<Token> condition;
  private final List<Token> made = new ArrayList<>();

  private PivotedAggregate(List<Token> expression, List<Token> condition) {
    super(expression);
    this.condition = condition;
  }

  /** Whether an expression is one call alone. */
  static boolean isCall(List<Token> expression) {
    PivotedAggregate read = new PivotedAggregate(expression, List.of());
    return read.isAggregate(0) && read.closing(1) == expression.size() - 1;
  }

  /**
   * {@code sum(x) + 1} as {@code sum(x) FILTER (WHERE condition) + 1}; a filter that is there holds
   * too.
   */
  static List<Token> of(List<Token> expression, List<Token> condition) {
    PivotedAggregate aggregate = new PivotedAggregate(copies(expression), condition);
    if (!aggregate.write()) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "PIVOT needs an aggregate behind USING, as sum(y): there is none in it.");
    }
    return aggregate.made;
  }

  private boolean write() {
    boolean found = false;
    int i = 0;
    while (i < tokens.size()) {
      if (!isAggregate(i)) {
        made.add(tokens.get(i++));
        continue;
      }
      found = true;
      int end = closing(i + 1) + 1;
      if (kind(end) == WITHIN && kind(end + 2) == LPAREN) {
        end = closing(end + 2) + 1;
      }
      made.addAll(tokens.subList(i, end));
      i = filter(end);
    }
    return found;
  }

  private boolean isAggregate(int i) {
    return kind(i + 1) == LPAREN
        && closing(i + 1) > 0
        && AggregateNames.isName(withoutQuotes(tokens.get(i)));
  }

  /** Writes the filter of an aggregate that ends before a token; returns where what follows is. */
  private int filter(int i) {
    Token at = tokens.get(i - 1);
    made.addAll(
        List.of(like(at, FILTER, "FILTER"), like(at, LPAREN, "("), like(at, WHERE, "WHERE")));
    int next = i;
    if (kind(i) == FILTER && kind(i + 1) == LPAREN) {
      next = closing(i + 1) + 1;
      int first = kind(i + 2) == WHERE ? i + 3 : i + 2;
      made.add(like(at, LPAREN, "("));
      made.addAll(tokens.subList(first, next - 1));
      made.addAll(List.of(like(at, RPAREN, ")"), like(at, AND, "AND")));
    }
    made.addAll(copies(condition));
    made.add(like(at, RPAREN, ")"));
    if (kind(next) == OVER) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "PIVOT takes aggregates, and %s OVER is a window; make it a column of a subquery: PIVOT (SELECT ...) ON ... (line %d, column %d)."
              .formatted(
                  tokens.getFirst().image,
                  tokens.get(next).beginLine,
                  tokens.get(next).beginColumn));
    }
    return next;
  }

  private static List<Token> copies(List<Token> tokens) {
    return tokens.stream().map(token -> like(token, token.kind, token.image)).toList();
  }
}
