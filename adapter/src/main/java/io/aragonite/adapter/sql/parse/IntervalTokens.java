package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.exec.expr.IntervalText;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * Intervals as PostgreSQL and DuckDB have them: {@code INTERVAL '3 days'}, {@code INTERVAL 3 DAYS}
 * are {@code INTERVAL '3' DAY}, one of several units is a sum; and DB2's {@code CAST(x AS DATE) + 3
 * DAYS}.
 */
final class IntervalTokens extends TokenList {
  IntervalTokens(List<Token> tokens) {
    super(tokens);
  }

  /** A literal. */
  void literal(int i) {
    Token amount = i + 1 < tokens.size() ? tokens.get(i + 1) : tokens.get(i);
    Token unit = i + 2 < tokens.size() ? tokens.get(i + 2) : null;
    boolean text = amount.kind == QUOTED_STRING;
    if (!text && amount.kind != UNSIGNED_INTEGER_LITERAL) {
      return;
    }
    String written = text ? unquoted(amount) : amount.image;
    int used = 2;
    IntervalText interval;
    if (unit != null && IntervalText.isUnit(unit.image)) {
      boolean standard =
          text
              && IntervalText.isStandardUnit(unit.image)
              && (written.length() <= 2 || kind(i + 3) == LPAREN || kind(i + 3) == TO);
      boolean counted = !text && IntervalText.isCounted(unit.image);
      interval = standard || counted ? null : IntervalText.parse(written + " " + unit.image);
      used = 3;
    } else {
      interval = IntervalText.parse(written);
    }
    if (interval == null
        || interval.terms().size() > 1 && (isFactor(i - 1) || isFactor(i + used))) {
      return; // a factor is no sum
    }
    boolean cast = kind(i + used) == INFIX_CAST;
    tokens.subList(i, i + used).clear();
    List<Token> made = new ArrayList<>();
    for (IntervalText.Term term : interval.terms()) {
      if (!made.isEmpty()) {
        boolean minus = kind(i - 1) == MINUS;
        made.add(like(amount, minus ? MINUS : PLUS, minus ? "-" : "+"));
      }
      made.add(like(amount, INTERVAL, "INTERVAL"));
      if (term.negative()) {
        made.add(like(amount, MINUS, "-"));
      }
      made.add(like(amount, QUOTED_STRING, "'" + term.digits() + "'"));
      made.add(like(amount, kindOf(term.unit()), term.unit()));
      made.add(like(amount, LPAREN, "("));
      made.add(like(amount, UNSIGNED_INTEGER_LITERAL, term.precision()));
      if (term.scale() != null) {
        made.add(like(amount, COMMA, ","));
        made.add(like(amount, UNSIGNED_INTEGER_LITERAL, term.scale()));
      }
      made.add(like(amount, RPAREN, ")"));
    }
    if (cast) { // which is of all of it
      made.addFirst(like(amount, LPAREN, "("));
      made.add(like(amount, RPAREN, ")"));
    }
    tokens.addAll(i, made);
  }

  /**
   * A number with a unit after a date: an interval, but where the unit may be the column's name.
   */
  void labeledDuration(int i) {
    boolean date =
        kind(i - 1) == RPAREN && kind(i - 2) == DATE
            || kind(i - 1) == QUOTED_STRING && kind(i - 2) == DATE;
    if (date
        && kind(i + 1) == UNSIGNED_INTEGER_LITERAL
        && isWord(i + 2)
        && IntervalText.isUnit(tokens.get(i + 2).image)
        && kind(i + 3) != COMMA
        && kind(i + 3) != FROM) {
      tokens.add(i + 1, like(tokens.get(i + 1), INTERVAL, "INTERVAL"));
    }
  }

  private boolean isFactor(int i) {
    return kind(i) == STAR || kind(i) == SLASH;
  }

  private static int kindOf(String unit) {
    return switch (unit) {
      case "YEAR" -> YEAR;
      case "MONTH" -> MONTH;
      case "DAY" -> DAY;
      case "HOUR" -> HOUR;
      case "MINUTE" -> MINUTE;
      default -> SECOND;
    };
  }
}
