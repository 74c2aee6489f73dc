package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.exec.expr.IntervalText;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.parser.babel.Token;

/** Where operands among the tokens begin and end. */
abstract class OperandTokens extends TokenList {
  private static final Set<Integer> ARITHMETIC =
      Set.of(PLUS, MINUS, STAR, SLASH, PERCENT_REMAINDER, CONCAT, CARET);

  /** What no operand of arithmetic goes on over, to the left. */
  private static final Set<Integer> BEFORE_SUM =
      Set.of(
          EOF,
          COMMA,
          LPAREN,
          LBRACKET,
          EQ,
          NE,
          NE2,
          LT,
          LE,
          GT,
          GE,
          TILDE,
          NULL_SAFE_EQUAL,
          SELECT,
          DISTINCT,
          WHERE,
          HAVING,
          QUALIFY,
          ON,
          AND,
          OR,
          NOT,
          WHEN,
          THEN,
          ELSE,
          CASE,
          BY,
          BETWEEN,
          LIKE,
          ILIKE,
          IN,
          IS,
          LIMIT,
          OFFSET,
          SET,
          VALUES,
          FROM,
          AMPERSAND,
          LEFTSHIFT);

  private static final Set<Integer> BRACES =
      Set.of(LBRACE, LBRACE_D, LBRACE_T, LBRACE_TS, LBRACE_FN);

  OperandTokens(List<Token> tokens) {
    super(tokens);
  }

  /** Where the name, literal, call or parenthesis begins that ends at a token. */
  int operandStart(int last) {
    int start = last;
    if (kind(start) == RPAREN || kind(start) == RBRACKET) {
      start = matching(start);
      if (start < 0) {
        return -1;
      }
      boolean subscript = kind(last) == RBRACKET && kind(start - 1) != ARRAY;
      if (subscript) {
        return operandStart(start - 1);
      }
      if (kind(start - 1) == OVER || kind(start - 1) == FILTER) {
        return operandStart(start - 2);
      }
      if (kind(start - 1) == GROUP && kind(start - 2) == WITHIN) {
        return operandStart(start - 3);
      }
      if (kind(start - 2) == QUOTED_STRING && kind(start - 3) == INTERVAL) {
        return start - 3;
      }
      if (!isWord(start - 1)
          || NO_FUNCTION.contains(kind(start - 1))
          || isOperatorWord(start - 1)) {
        return start;
      }
      start--;
    } else if (kind(start) == END) {
      int depth = 1;
      while (depth > 0 && --start >= 0) {
        depth += kind(start) == END ? 1 : kind(start) == CASE ? -1 : 0;
      }
      return start;
    }
    while (kind(start - 1) == DOT && start >= 2) {
      if (kind(start - 2) == RPAREN || kind(start - 2) == RBRACKET) {
        return operandStart(start - 2); // a field of a call or of an element
      }
      start -= 2;
    }
    boolean typed =
        kind(start) == QUOTED_STRING
            && Set.of(DATE, TIME, TIMESTAMP, INTERVAL).contains(kind(start - 1));
    return typed ? start - 1 : start;
  }

  /** The token after a type. */
  int typeEnd(int first) {
    if (!isWord(first)) {
      return -1;
    }
    int end = first + 1;
    if (kind(first) == DOUBLE && kind(end) == PRECISION
        || kind(first) == CHARACTER && kind(end) == VARYING) {
      end++;
    }
    if (kind(end) == LPAREN) {
      end = closing(end) + 1;
    }
    if (Set.of(WITH, WITHOUT).contains(kind(end))) {
      int zone = kind(end + 1) == LOCAL ? end + 2 : end + 1;
      if (kind(zone) == TIME && kind(zone + 1) == ZONE) {
        end = zone + 2;
      }
    }
    while (kind(end) == ARRAY || kind(end) == LBRACKET && isBound(end + 1)) {
      if (kind(end + 1) == UNSIGNED_INTEGER_LITERAL && kind(end) == LBRACKET) {
        tokens.remove(end + 1);
      }
      if (kind(end) == LBRACKET) {
        tokens.remove(end + 1);
        tokens.set(end, like(tokens.get(end), ARRAY, "ARRAY"));
      }
      end++;
    }
    return end;
  }

  /**
   * Whether a list's type ends at a token: {@code []}, or {@code [3]}, whose number says nothing.
   */
  private boolean isBound(int i) {
    return kind(i) == RBRACKET || kind(i) == UNSIGNED_INTEGER_LITERAL && kind(i + 1) == RBRACKET;
  }

  /** Whether an operand may end at a token. */
  boolean isOperand(int i) {
    return kind(i) == RPAREN
        || kind(i) == RBRACKET
        || kind(i) == RBRACE
        || kind(i) == HOOK
        || kind(i) == BACK_QUOTED_IDENTIFIER
        || kind(i) == BRACKET_QUOTED_IDENTIFIER
        || kind(i) == QUOTED_STRING
        || kind(i) == UNSIGNED_INTEGER_LITERAL
        || kind(i) == DECIMAL_NUMERIC_LITERAL
        || kind(i) == APPROX_NUMERIC_LITERAL
        || isWord(i) && !isOperatorWord(i);
  }

  boolean isArithmetic(int i) {
    boolean startsWith =
        kind(i) == CARET
            && i + 1 < tokens.size()
            && tokens.get(i + 1).image.indexOf(StatementParser.AT_SIGN) == 0;
    return ARITHMETIC.contains(kind(i)) && !startsWith;
  }

  /** Where a sum begins that ends at a token. */
  int sumStart(int last) {
    int depth = 0;
    int start = last;
    for (; start >= 0; start--) {
      int kind = kind(start);
      if (depth == 0 && BEFORE_SUM.contains(kind)) {
        break;
      }
      depth +=
          switch (kind) {
            case RPAREN, RBRACKET, END -> 1;
            case LPAREN, LBRACKET, CASE -> -1;
            default -> 0;
          };
    }
    return start + 1;
  }

  /** The token after a sum that begins at a token, -1 if there is none. */
  int sumEnd(int first) {
    int end = operandEnd(first);
    while (end > 0 && isArithmetic(end)) {
      end = operandEnd(kind(end) == STAR && kind(end + 1) == STAR ? end + 2 : end + 1);
    }
    return end;
  }

  /** The token after the name, literal, call or parenthesis, -1 if there is none. */
  int operandEnd(int first) {
    int end = first;
    while (kind(end) == PLUS || kind(end) == MINUS || kind(end) == TILDE) {
      end++;
    }
    if (kind(end) == CASE) {
      int depth = 1;
      while (depth > 0 && kind(++end) != EOF) {
        depth += kind(end) == CASE ? 1 : kind(end) == END ? -1 : 0;
      }
      end++;
    } else if (kind(end) == LPAREN) {
      end = closing(end) + 1;
    } else if (kind(end) == LBRACKET || BRACES.contains(kind(end))) {
      end = pairEnd(end);
    } else if (isWord(end)) {
      end = wordEnd(end);
    } else if (kind(end) == EOF || BEFORE_SUM.contains(kind(end)) || kind(end) == RPAREN) {
      return -1;
    } else {
      end++;
    }
    return end <= 0 ? -1 : suffixEnd(end);
  }

  /** The token after a name, call or typed literal. */
  private int wordEnd(int first) {
    int end = first + 1;
    while (kind(end) == DOT) {
      end += 2;
    }
    if (kind(end) == QUOTED_STRING) {
      end++;
      if (kind(first) == INTERVAL && isUnit(end)) {
        end++;
        end = kind(end) == LPAREN ? closing(end) + 1 : end;
        end = end > 0 && kind(end) == TO ? end + 2 : end;
      }
    }
    if (kind(first) == MAP && BRACES.contains(kind(end))) {
      return pairEnd(end);
    }
    return kind(end) == LPAREN ? closing(end) + 1 : end;
  }

  private boolean isUnit(int i) {
    return i < tokens.size() && IntervalText.isUnit(tokens.get(i).image);
  }

  /** The token after the bracket or brace that closes one, -1 if none does. */
  private int pairEnd(int open) {
    int depth = 0;
    for (int i = open; i < tokens.size(); i++) {
      depth += nesting(i);
      if (depth == 0) {
        return i + 1;
      }
    }
    return -1;
  }

  /** The token after the casts, subscripts, fields and windows of an operand. */
  private int suffixEnd(int from) {
    int end = from;
    while (true) {
      int next =
          switch (kind(end)) {
            case INFIX_CAST -> typeEnd(end + 1);
            case OVER -> kind(end + 1) == LPAREN ? closing(end + 1) + 1 : end + 2;
            case FILTER -> kind(end + 1) == LPAREN ? closing(end + 1) + 1 : -1;
            case WITHIN -> kind(end + 2) == LPAREN ? closing(end + 2) + 1 : -1;
            case IGNORE, RESPECT -> kind(end + 1) == NULLS ? end + 2 : -1;
            case LBRACKET -> pairEnd(end);
            case DOT -> end + 2;
            default -> -1;
          };
      if (next <= 0) {
        return end;
      }
      end = next;
    }
  }
}
