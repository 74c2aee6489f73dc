package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.List;
import java.util.Set;
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
 *   <li>{@code lambda x: y}: {@code x -> y}
 *   <li>{@code x -> y}, {@code x ->> y}: parts of JSON
 *   <li>{@code x == y}: {@code x = y}
 *   <li>{@code x ISNULL}, {@code x NOTNULL}: {@code x IS NULL}, {@code x IS NOT NULL}
 *   <li>{@code x IN [1, 2]}: {@code x IN (1, 2)}
 *   <li>{@code x ~~ y}, {@code x !~~ y}, {@code x ~~* y}: {@code x LIKE y}, {@code NOT LIKE},
 *       {@code ILIKE}, as PostgreSQL writes them
 *   <li>{@code x GLOB y}: {@code GLOB(x, y)}
 *   <li>{@code x ^@ y}: {@code STARTS_WITH(x, y)}; {@code x @> y}, {@code x <@ y} and {@code x &&
 *       y} of lists: {@code LIST_HAS_ALL} and {@code LIST_HAS_ANY}
 *   <li>{@code TRIM(x, y)}: {@code BTRIM(x, y)}
 * </ul>
 */
final class OperatorTokens extends OperandTokens {
  /** An arrow that is JSON's in no case. */
  static final String FUNCTION = "=>";

  /** {@code LIST_HAS_ALL} with its arguments the other way round. */
  private static final String CONTAINED = "LIST_CONTAINED_BY";

  /** Words behind IN that are no list. */
  private static final Set<Integer> NO_LIST =
      Set.of(TRUE, FALSE, UNKNOWN, WITH, VALUES, TABLE, EXISTS, ANY, SOME, ALL, UNNEST, FROM);

  OperatorTokens(List<Token> tokens) {
    super(tokens);
  }

  void at(int i) {
    switch (kind(i)) {
      case AMPERSAND, LEFTSHIFT -> {
        if (kind(i) == AMPERSAND && adjacent(i, AMPERSAND)) {
          bits(i, 2, "LIST_HAS_ANY");
        } else {
          enclose(i);
        }
      }
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
      case TILDE -> {
        if (adjacent(i, TILDE)) {
          likeSigns(i);
        } else {
          complement(i);
        }
      }
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

  /** {@code lambda x: y} and {@code lambda x, y: z}. */
  void lambda(int i) {
    int colon = i + 2;
    while (kind(colon) == COMMA && isWord(colon - 1)) {
      colon += 2;
    }
    if (kind(i - 1) != COMMA || !isWord(i + 1) || kind(colon) != COLON) {
      return;
    }
    Token at = tokens.get(colon);
    tokens.set(colon, like(at, LAMBDA, FUNCTION));
    if (colon > i + 2) {
      tokens.add(colon, like(at, RPAREN, ")"));
      tokens.set(i, like(at, LPAREN, "("));
    } else {
      tokens.remove(i);
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
        tokens.get(i).image.equals(FUNCTION)
            || !text && !literal && kind(first - 1) == COMMA && (first < i - 1 || isWord(first));
    if (!lambda) {
      bits(i, text ? 2 : 1, text ? "JSON_EXTRACT_STRING" : "JSON_EXTRACT");
    }
  }

  /** {@code x ISNULL} and {@code x NOTNULL}, of PostgreSQL: behind an operand no names. */
  void isNull(int i) {
    if (!isOperand(i - 1) || kind(i - 1) == AS || kind(i + 1) == LPAREN || kind(i + 1) == DOT) {
      return;
    }
    Token at = tokens.get(i);
    tokens.set(i, like(at, IS, "IS"));
    tokens.add(i + 1, like(at, NULL, "NULL"));
    if (at.image.equalsIgnoreCase("NOTNULL")) {
      tokens.add(i + 1, like(at, NOT, "NOT"));
    }
  }

  /** {@code x ~~ y}, behind which a star takes letters of any case. */
  private void likeSigns(int i) {
    Token at = tokens.get(i);
    boolean anyCase =
        kind(i + 2) == STAR && tokens.get(i + 2).beginColumn == tokens.get(i + 1).endColumn + 1;
    tokens.subList(i, i + (anyCase ? 3 : 2)).clear();
    tokens.add(i, anyCase ? like(at, ILIKE, "ILIKE") : like(at, LIKE, "LIKE"));
    if (i > 0 && tokens.get(i - 1).image.equals("!")) {
      tokens.set(i - 1, like(at, NOT, "NOT"));
    }
  }

  /** {@code x GLOB y}; elsewhere the word is a name. */
  void glob(int i) {
    boolean operand = isOperand(i + 1) || kind(i + 1) == LPAREN;
    if (isOperand(i - 1) && kind(i - 1) != AS && operand) {
      bits(i, 1, "GLOB");
    }
  }

  /**
   * {@code x IN [1, 2]}, of a list that is written out, {@code x IN ()} and {@code x IN list} or
   * map.
   */
  void inList(int i) {
    int close = kind(i + 1) == LBRACKET ? listEnd(i + 1) : -1;
    if (close > 0) {
      tokens.set(close, like(tokens.get(close), RPAREN, ")"));
      tokens.set(i + 1, like(tokens.get(i + 1), LPAREN, "("));
    }
    if (kind(i + 1) == LPAREN && kind(i + 2) == RPAREN) {
      Token at = tokens.get(i + 2);
      tokens.addAll(
          i + 2,
          List.of(
              like(at, SELECT, "SELECT"),
              like(at, NULL, "NULL"),
              like(at, WHERE, "WHERE"),
              like(at, FALSE, "FALSE")));
    } else if (kind(i + 1) == LBRACKET || kind(i + 1) == MAP || isList(i + 1)) {
      inColumn(i);
    }
  }

  /** The bracket that ends a list of values; -1 of what makes a list of them, or goes on behind. */
  private int listEnd(int open) {
    int close = operandEnd(open) - 1;
    boolean whole =
        close > open
            && kind(close) == RBRACKET
            && matching(close) == open
            && kind(close + 1) != CONCAT;
    int depth = 0;
    for (int i = open; whole && i < close; i++) {
      depth += nesting(i);
      whole = depth > 1 || kind(i) != FOR;
    }
    return whole ? close : -1;
  }

  /**
   * Whether a name, or a word that is one, begins what IN looks in, and IN is an operator there.
   */
  private boolean isList(int i) {
    int open = opening(i - 1);
    return isWord(i)
        && !isOperatorWord(i)
        && !NO_LIST.contains(kind(i))
        && kind(i - 3) != FOR
        && kind(0) != SHOW
        && !(open > 0 && kind(open - 1) == POSITION);
  }

  /** {@code x IN list}: {@code x = ANY (list)}; {@code x NOT IN list}: {@code x <> ALL (list)}. */
  private void inColumn(int i) {
    int end = sumEnd(i + 1);
    if (end < 0) {
      return;
    }
    Token at = tokens.get(i);
    boolean not = kind(i - 1) == NOT;
    tokens.add(end, like(at, RPAREN, ")"));
    tokens.subList(not ? i - 1 : i, i + 1).clear();
    tokens.addAll(
        not ? i - 1 : i,
        List.of(
            not ? like(at, NE, "<>") : like(at, EQ, "="),
            not ? like(at, ALL, "ALL") : like(at, ANY, "ANY"),
            like(at, LPAREN, "(")));
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

  /** {@code x ^@ y}, {@code x @> y} and {@code x <@ y}. */
  void atSign(int i) {
    if (kind(i - 1) == CARET) {
      bits(i - 1, 2, "STARTS_WITH");
    } else if (kind(i - 1) == LT) {
      bits(i - 1, 2, CONTAINED);
    } else if (adjacent(i, GT)) {
      bits(i, 2, "LIST_HAS_ALL");
    }
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
