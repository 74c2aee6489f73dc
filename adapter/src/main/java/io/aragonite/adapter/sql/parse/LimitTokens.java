package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.parser.babel.Token;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of rows that the grammar lacks: {@code LIMIT 2 * 5} and {@code OFFSET (1 + 1)} are
 * computed, {@code LIMIT 10 %}, {@code LIMIT 10 PERCENT} and {@code LIMIT (SELECT ...)} and {@code
 * OFFSET (SELECT ...)} become a mark in the list of the SELECT, which {@link PercentLimit} reads.
 */
final class LimitTokens extends TokenList {
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);

  /** Digits of a share for whose fraction {@code BIGINT} has room, whatever the rows' number. */
  private static final int BIGINT_DIGITS = 4;

  /** Digits of a share in a product with a number of rows, {@code DECIMAL(38)}. */
  private static final int MOST_DIGITS = 28;

  static final Set<Integer> SET_OPERATIONS = Set.of(UNION, EXCEPT, INTERSECT, SET_MINUS);

  private static final Set<Integer> QUERIES = Set.of(SELECT, WITH, VALUES, FROM);

  private int at;

  LimitTokens(List<Token> tokens) {
    super(tokens);
  }

  void at(int i) {
    at = i + 1;
    boolean subscript = kind(i - 1) == LBRACKET; // list[OFFSET(1)]
    if (kind(i - 1) != LBRACKET && kind(at) == LPAREN && QUERIES.contains(kind(at + 1))) {
      query(i);
      return;
    }
    if (kind(at) == NULL) { // no limit, as in PostgreSQL
      Token none = tokens.get(at);
      boolean limit = kind(i) == LIMIT;
      tokens.set(at, limit ? like(none, ALL, "ALL") : number(none, BigDecimal.ZERO));
      return;
    }
    if (kind(at) == HOOK || kind(at) == ALL || kind(i - 1) == DOT || subscript) {
      return;
    }
    int from = at;
    BigDecimal value = sum();
    if (value == null) {
      return;
    }
    boolean percent = kind(at) == PERCENT_REMAINDER || isPercent(at);
    if (percent && kind(i) == LIMIT) {
      percent(i, from, value);
    } else if (at > from + 1 || value.compareTo(MOST) > 0) {
      Token first = tokens.get(from);
      tokens.subList(from, at).clear();
      tokens.add(from, number(first, value));
    }
  }

  /** {@code LIMIT (SELECT ...)}, and OFFSET. */
  private void query(int i) {
    int close = closing(at);
    if (close < 0) {
      return;
    }
    if (tokens.subList(at, close).stream().anyMatch(token -> token.kind == HOOK)) {
      // It moves in front of the others, whose numbers would be taken for its own.
      throw invalid(
          tokens.get(i),
          "The query of LIMIT or OFFSET takes no parameters; give the count itself: LIMIT ?");
    }
    int select = select(i);
    List<Token> made = new ArrayList<>();
    made.add(name(tokens.get(i), kind(i) == LIMIT ? PercentLimit.MARK : PercentLimit.OFFSET_MARK));
    made.add(like(tokens.get(i), LPAREN, "("));
    // which comes to stand in front of what is read next
    made.addAll(TokenForms.rewrite(new ArrayList<>(tokens.subList(at, close + 1))));
    made.add(like(tokens.get(i), RPAREN, ")"));
    made.add(like(tokens.get(i), COMMA, ","));
    tokens.subList(i, close + 1).clear();
    tokens.addAll(list(select), made);
  }

  /** {@code FETCH FIRST 10 ROWS ONLY}. */
  void fetch(int i) {
    boolean first = kind(i + 1) == FIRST || kind(i + 1) == NEXT;
    if (first && (kind(i + 2) == ROW || kind(i + 2) == ROWS)) {
      tokens.add(i + 2, like(tokens.get(i), UNSIGNED_INTEGER_LITERAL, "1"));
    }
    if (kind(i + 2) == UNSIGNED_INTEGER_LITERAL) {
      number(tokens.get(i + 2), new BigDecimal(tokens.get(i + 2).image));
    }
  }

  private boolean isPercent(int i) {
    return i < tokens.size() && tokens.get(i).image.equalsIgnoreCase("PERCENT");
  }

  private void percent(int i, int from, BigDecimal value) {
    if (value.signum() < 0 || value.compareTo(BigDecimal.valueOf(100)) > 0) {
      throw invalid(
          tokens.get(i), "LIMIT takes 0 to 100 percent, not %s".formatted(value.toPlainString()));
    }
    int select = select(i);
    Token first = tokens.get(from);
    BigDecimal hundredth = value.movePointLeft(2).stripTrailingZeros();
    int scale = Math.max(0, hundredth.scale());
    if (scale > MOST_DIGITS) {
      throw invalid(
          first,
          "LIMIT in percent takes at most %d digits after the point, not %s"
              .formatted(MOST_DIGITS - 2, value.toPlainString()));
    }
    List<Token> made = new ArrayList<>();
    made.add(name(first, PercentLimit.MARK));
    made.add(like(first, LPAREN, "("));
    if (scale > BIGINT_DIGITS) {
      made.add(like(first, DECIMAL_NUMERIC_LITERAL, hundredth.toPlainString()));
    } else {
      made.add(
          like(first, UNSIGNED_INTEGER_LITERAL, hundredth.movePointRight(scale).toPlainString()));
      made.add(like(first, COMMA, ","));
      made.add(like(first, UNSIGNED_INTEGER_LITERAL, BigDecimal.TEN.pow(scale).toPlainString()));
    }
    made.add(like(first, RPAREN, ")"));
    made.add(like(first, COMMA, ","));
    tokens.subList(i, at + 1).clear();
    tokens.addAll(list(select), made);
  }

  /** The SELECT whose rows are limited. */
  private int select(int limit) {
    int depth = 0;
    int i = limit - 1;
    boolean several = false;
    for (; i >= 0 && depth >= 0 && (depth > 0 || kind(i) != SELECT); i--) {
      depth += kind(i) == RPAREN ? 1 : kind(i) == LPAREN ? -1 : 0;
      several |= depth == 0 && SET_OPERATIONS.contains(kind(i));
    }
    int before = i - 1;
    several |= SET_OPERATIONS.contains(kind(before));
    several |=
        (kind(before) == ALL || kind(before) == DISTINCT)
            && SET_OPERATIONS.contains(kind(before - 1));
    if (depth < 0 || kind(i) != SELECT || several || isDistinct(list(i))) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "LIMIT in percent, and LIMIT and OFFSET by a query, are of a SELECT without DISTINCT and"
              + " UNION; put the query into FROM: SELECT * FROM (...) LIMIT 10 %.");
    }
    return i;
  }

  /** Where the columns of a SELECT begin, behind its hints and ALL. */
  private int list(int select) {
    int i = select + 1;
    if (kind(i) == HINT_BEG) {
      while (kind(i) != COMMENT_END && kind(i) != EOF) {
        i++;
      }
      i++;
    }
    return kind(i) == ALL ? i + 1 : i;
  }

  private boolean isDistinct(int i) {
    return kind(i) == DISTINCT || tokens.get(i).image.equals(TokenForms.DISTINCT_ON);
  }

  /** A number of rows is whole, and rounded as one that is written with a point. */
  private Token number(Token like, BigDecimal value) {
    if (value.signum() < 0) {
      throw invalid(
          like, "LIMIT and OFFSET take no negative number, as %s".formatted(value.toPlainString()));
    }
    BigDecimal rows = value.setScale(0, RoundingMode.HALF_UP);
    if (rows.compareTo(MOST) > 0) {
      throw invalid(
          like,
          "LIMIT and OFFSET take numbers up to %s, not %s".formatted(MOST, rows.toPlainString()));
    }
    return like(like, UNSIGNED_INTEGER_LITERAL, rows.toPlainString());
  }

  private @Nullable BigDecimal sum() {
    BigDecimal value = product();
    while (value != null && (kind(at) == PLUS || kind(at) == MINUS)) {
      boolean plus = kind(at++) == PLUS;
      BigDecimal next = product();
      value = next == null ? null : plus ? value.add(next) : value.subtract(next);
    }
    return value;
  }

  private @Nullable BigDecimal product() {
    BigDecimal value = factor();
    while (value != null && (kind(at) == STAR || kind(at) == SLASH)) {
      boolean times = kind(at++) == STAR;
      BigDecimal next = factor();
      if (next == null || !times && next.signum() == 0) {
        return null;
      }
      value = times ? value.multiply(next) : quotient(value, next);
    }
    return value;
  }

  /** Of whole numbers a whole one, as everywhere. */
  private static BigDecimal quotient(BigDecimal value, BigDecimal by) {
    return value.scale() <= 0 && by.scale() <= 0
        ? value.divideToIntegralValue(by).setScale(0, RoundingMode.DOWN)
        : value.divide(by, MathContext.DECIMAL128);
  }

  private @Nullable BigDecimal factor() {
    switch (kind(at)) {
      case MINUS -> {
        at++;
        BigDecimal value = factor();
        return value == null ? null : value.negate();
      }
      case UNSIGNED_INTEGER_LITERAL, DECIMAL_NUMERIC_LITERAL -> {
        return new BigDecimal(tokens.get(at++).image);
      }
      case LPAREN -> {
        at++;
        BigDecimal value = sum();
        return value != null && kind(at++) == RPAREN ? value : null;
      }
      default -> {
        return null;
      }
    }
  }
}
