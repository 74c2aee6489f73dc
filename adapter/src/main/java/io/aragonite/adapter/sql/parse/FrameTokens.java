package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * Frames of windows that count peer groups: {@code GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW} is
 * {@code RANGE BETWEEN $GROUPS(1) PRECEDING AND CURRENT ROW}. Without an offset both are the same.
 */
final class FrameTokens extends TokenList {
  /** Words before a name, such as that of a column {@code groups}. */
  private static final Set<Integer> OF_NAMES = Set.of(BY, COMMA, DOT);

  FrameTokens(List<Token> tokens) {
    super(tokens);
  }

  /** Whether a word is that of a frame, which then is written so. */
  boolean groups(int i) {
    if (!tokens.get(i).image.equalsIgnoreCase("GROUPS")
        || opening(i) < 0
        || OF_NAMES.contains(kind(i - 1))
        || kind(i + 1) == DOT) {
      return false;
    }
    boolean between = kind(i + 1) == BETWEEN;
    int lower = between ? i + 2 : i + 1;
    int end = boundEnd(lower);
    if (end < 0 || between && kind(end) != AND) {
      return false;
    }
    if (between) {
      int upper = end + 1;
      if (boundEnd(upper) < 0) {
        return false;
      }
      mark(upper);
    }
    mark(lower);
    tokens.set(i, like(tokens.get(i), RANGE, "RANGE"));
    return true;
  }

  /** What follows PRECEDING, FOLLOWING or CURRENT ROW, -1 if none of them comes. */
  private int boundEnd(int from) {
    if (kind(from) == CURRENT && kind(from + 1) == ROW) {
      return from + 2;
    }
    int depth = 0;
    for (int at = from; kind(at) != EOF; at++) {
      int kind = kind(at);
      if (depth == 0 && at > from && (kind == PRECEDING || kind == FOLLOWING)) {
        return at + 1;
      }
      depth += kind == LPAREN ? 1 : kind == RPAREN ? -1 : 0;
      if (depth < 0
          || depth == 0
              && (kind == AND
                  || kind == COMMA
                  || kind == RANGE
                  || kind == ROWS
                  || CLAUSES.contains(kind))) {
        return -1;
      }
    }
    return -1;
  }

  /** Puts the mark around an offset; the grammar takes a call there in parentheses only. */
  private void mark(int from) {
    if (kind(from) == CURRENT || kind(from) == UNBOUNDED) {
      return;
    }
    Token at = tokens.get(from);
    tokens.addAll(boundEnd(from) - 1, List.of(like(at, RPAREN, ")"), like(at, RPAREN, ")")));
    tokens.addAll(
        from,
        List.of(like(at, LPAREN, "("), name(at, TokenForms.GROUP_OFFSET), like(at, LPAREN, "(")));
  }
}
