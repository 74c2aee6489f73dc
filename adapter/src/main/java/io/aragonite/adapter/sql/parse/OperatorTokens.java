package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.List;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * Operators among the tokens that the grammar lacks, which become functions:
 *
 * <ul>
 *   <li>{@code x & y}, {@code x | y}, {@code x << n}, {@code x >> n}, from left to right, behind
 *       sums and before comparisons, as in PostgreSQL
 *   <li>{@code x || y}, behind sums too, as in PostgreSQL
 *   <li>{@code ~x}
 *   <li>{@code x ** y}, before products
 *   <li>{@code x -> y}, {@code x ->> y}: parts of JSON
 *   <li>{@code x == y}: {@code x = y}
 *   <li>{@code TRIM(x, y)}: {@code BTRIM(x, y)}
 * </ul>
 */
final class OperatorTokens extends OperandTokens {
  OperatorTokens(List<Token> tokens) {
    super(tokens);
  }

  void at(int i) {
    switch (kind(i)) {
      case AMPERSAND, LEFTSHIFT -> enclose(i);
      case CONCAT -> concat(i);
      case VERTICAL_BAR -> bits(i, 1, "BITOR");
      case GT -> {
        if (adjacent(i, GT)) {
          bits(i, 2, "RIGHTSHIFT");
        }
      }
      case EQ -> {
        if (adjacent(i, EQ)) {
          tokens.remove(i + 1);
        }
      }
      case TILDE -> complement(i);
      case TRIM -> trim(i);
      default -> {}
    }
  }

  /** Whether two tokens are one sign. */
  private boolean adjacent(int i, int next) {
    return kind(i + 1) == next
        && tokens.get(i).endLine == tokens.get(i + 1).beginLine
        && tokens.get(i).endColumn + 1 == tokens.get(i + 1).beginColumn;
  }

  /** The grammar has the operator, and another precedence. */
  private void enclose(int i) {
    int start = sumStart(i - 1);
    int end = sumEnd(i + 1);
    boolean enclosed =
        kind(start - 1) == LPAREN
            && kind(start) == LPAREN
            && closing(start) == i - 1
            && kind(end) == RPAREN;
    if (start < i && end > 0 && !enclosed) {
      Token at = tokens.get(i);
      tokens.add(end, like(at, RPAREN, ")"));
      tokens.add(end, like(at, RPAREN, ")"));
      tokens.add(i + 1, like(at, LPAREN, "("));
      tokens.add(i, like(at, RPAREN, ")"));
      tokens.add(start, like(at, LPAREN, "("));
      tokens.add(start, like(at, LPAREN, "("));
    }
  }

  /** The grammar has it bind as products do, from left to right. */
  private void concat(int i) {
    int start = sumStart(i - 1);
    int before = i - 1;
    for (int depth = 0; before >= start && (depth > 0 || kind(before) != CONCAT); before--) {
      depth += isClosing(before) ? 1 : isOpening(before) ? -1 : 0;
    }
    start = before + 1;
    int end = operandEnd(i + 1);
    while (end > 0 && kind(end) != CONCAT && isArithmetic(end)) {
      end = operandEnd(kind(end) == STAR && kind(end + 1) == STAR ? end + 2 : end + 1);
    }
    Token at = tokens.get(i);
    if (end > 0 && isSum(i + 1, end)) {
      tokens.add(end, like(at, RPAREN, ")"));
      tokens.add(i + 1, like(at, LPAREN, "("));
    }
    if (start < i && isSum(start, i)) {
      tokens.add(i, like(at, RPAREN, ")"));
      tokens.add(start, like(at, LPAREN, "("));
    }
  }

  /** Whether there is an operator between operands outside of parentheses. */
  private boolean isSum(int from, int to) {
    int depth = 0;
    for (int i = from; i < to; i++) {
      depth += isClosing(i) ? -1 : isOpening(i) ? 1 : 0;
      if (depth == 0 && i > from && isArithmetic(i) && isOperand(i - 1)) {
        return true;
      }
    }
    return false;
  }

  private boolean isOpening(int i) {
    return kind(i) == LPAREN || kind(i) == LBRACKET || kind(i) == CASE;
  }

  private boolean isClosing(int i) {
    return kind(i) == RPAREN || kind(i) == RBRACKET || kind(i) == END;
  }

  private void bits(int i, int signs, String function) {
    int start = sumStart(i - 1);
    int end = sumEnd(i + signs);
    if (start < i && end > 0) {
      call(start, i, signs, end, function);
    }
  }

  /** {@code x -> y} and {@code x ->> y} of JSON; what makes a function of an argument stays. */
  void json(int i) {
    boolean text = adjacent(i, GT);
    int right = text ? i + 2 : i + 1;
    boolean literal =
        (kind(right) == QUOTED_STRING || kind(right) == UNSIGNED_INTEGER_LITERAL)
            && !isArithmetic(right + 1);
    int first = kind(i - 1) == RPAREN ? matching(i - 1) : i - 1;
    boolean lambda =
        !text && !literal && kind(first - 1) == COMMA && (first < i - 1 || isWord(first));
    if (!lambda) {
      bits(i, text ? 2 : 1, text ? "JSON_EXTRACT_STRING" : "JSON_EXTRACT");
    }
  }

  /** {@code x ** y}. */
  boolean power(int i) {
    boolean power = adjacent(i, STAR);
    int start = power ? operandStart(i - 1) : -1;
    int end = power ? operandEnd(i + 2) : -1;
    if (start < 0 || end < 0) {
      return false;
    }
    while ((kind(start - 1) == MINUS || kind(start - 1) == PLUS) && !isOperand(start - 2)) {
      start--; // a sign is part of the base, as in PostgreSQL
    }
    call(start, i, 2, end, "POWER");
    return true;
  }

  private void call(int start, int operator, int signs, int end, String function) {
    Token at = tokens.get(operator);
    tokens.add(end, like(at, RPAREN, ")"));
    tokens.subList(operator, operator + signs).clear();
    tokens.add(operator, like(at, COMMA, ","));
    tokens.add(start, like(at, LPAREN, "("));
    tokens.add(start, name(at, function));
  }

  /** Behind an operand it is the operator of regular expressions. */
  private void complement(int i) {
    boolean infix =
        isOperand(i - 1) || kind(i - 1) == NOT || i > 0 && tokens.get(i - 1).image.equals("!");
    int end = infix ? -1 : operandEnd(i + 1);
    if (end > 0) {
      Token at = tokens.get(i);
      tokens.add(end, like(at, RPAREN, ")"));
      tokens.set(i, name(at, "BITNOT"));
      tokens.add(i + 1, like(at, LPAREN, "("));
    }
  }

  /** The grammar has the letters that are taken away before FROM only. */
  private void trim(int i) {
    int close = kind(i + 1) == LPAREN ? closing(i + 1) : -1;
    int depth = 0;
    boolean comma = false;
    for (int at = i + 2; at < close; at++) {
      depth += kind(at) == LPAREN ? 1 : kind(at) == RPAREN ? -1 : 0;
      if (depth == 0 && kind(at) == FROM) {
        return;
      }
      comma |= depth == 0 && kind(at) == COMMA;
    }
    if (comma) {
      tokens.set(i, name(tokens.get(i), "BTRIM"));
    }
  }
}
