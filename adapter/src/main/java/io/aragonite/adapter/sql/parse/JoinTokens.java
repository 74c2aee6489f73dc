package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.rules.function.AsofMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * Joins among the tokens:
 *
 * <ul>
 *   <li>{@code a SEMI JOIN b}: {@code a LEFT SEMI JOIN b}
 *   <li>{@code a ASOF JOIN b ON x = y AND t >= u}: {@code a JOIN b ON $ASOF(t >= u) AND x = y};
 *       {@code LEFT}, {@code RIGHT} and {@code FULL} too
 *   <li>{@code a ASOF JOIN b USING (x, t)}: {@code a JOIN b ON $ASOF_USING(x, t)}, which {@link
 *       AsofColumns} reads
 * </ul>
 */
final class JoinTokens extends TokenList {
  private static final Set<Integer> JOINS =
      Set.of(JOIN, LEFT, RIGHT, INNER, FULL, CROSS, NATURAL, ASOF, COMMA);

  JoinTokens(List<Token> tokens) {
    super(tokens);
  }

  private boolean isPositional(int i) {
    return tokens.get(i).image.equalsIgnoreCase("POSITIONAL");
  }

  private boolean isOperandBefore(int i) {
    return isWord(i - 1) && kind(i - 1) != FROM && kind(i - 1) != AS || kind(i - 1) == RPAREN;
  }

  /** A join like others, whose condition has marks; with MATCH_CONDITION it is Calcite's. */
  void asofJoin(int i) {
    int join = i + 1;
    if (Set.of(LEFT, RIGHT, FULL, INNER).contains(kind(join))) {
      join = kind(join + 1) == OUTER ? join + 2 : join + 1;
    }
    int on = kind(join) == JOIN ? ownCondition(join + 1) : -1;
    if (on < 0 && kind(join) == JOIN && kind(-on) != MATCH_CONDITION) {
      throw noInequality(tokens.get(i));
    }
    if (on < 0) {
      if (kind(i + 1) == LEFT) {
        tokens.add(i, tokens.remove(i + 1));
        if (kind(i + 2) == OUTER) {
          tokens.remove(i + 2);
        }
      }
      return;
    }
    if (kind(on) == USING) {
      tokens.set(on, like(tokens.get(on), ON, "ON"));
      tokens.add(on + 1, name(tokens.get(on), AsofMatch.ASOF_USING.getName()));
    } else {
      mark(on);
    }
    tokens.remove(i);
  }

  /** Puts the mark around the inequality of a condition. */
  private void mark(int on) {
    int end = conditionEnd(on + 1);
    while (kind(on + 1) == LPAREN && closing(on + 1) == end - 1) {
      tokens.remove(end - 1);
      tokens.remove(on + 1);
      end -= 2;
    }
    Token at = tokens.get(on);
    List<Token> match = null;
    List<Token> others = new ArrayList<>();
    for (List<Token> condition : conditions(on + 1, end)) {
      if (outside(condition).anyMatch(kind -> kind == OR)) {
        throw noInequality(at);
      }
      if (match == null && isInequality(condition)) {
        match = condition;
      } else {
        others.add(like(at, AND, "AND"));
        others.addAll(condition);
      }
    }
    if (match == null) {
      throw noInequality(at);
    }
    List<Token> made =
        new ArrayList<>(List.of(name(at, AsofMatch.ASOF_MATCH.getName()), like(at, LPAREN, "(")));
    made.addAll(match);
    made.add(like(at, RPAREN, ")"));
    made.addAll(others);
    tokens.subList(on + 1, end).clear();
    tokens.addAll(on + 1, made);
  }

  private static AragoniteException noInequality(Token at) {
    return invalid(
        at,
        "ASOF JOIN needs an inequality of its two sides and, with AND, equalities: ON a.k = b.k AND"
            + " a.t >= b.t");
  }

  /**
   * Where the ON or USING of a join is; negative if it has none: less than zero by where the
   * MATCH_CONDITION is, or what ends the join.
   */
  private int ownCondition(int from) {
    int depth = 0;
    for (int at = from; kind(at) != EOF; at++) {
      if (depth == 0 && (kind(at) == ON || kind(at) == USING)) {
        return at;
      }
      depth += kind(at) == LPAREN ? 1 : kind(at) == RPAREN ? -1 : 0;
      if (depth < 0
          || depth == 0
              && (kind(at) == MATCH_CONDITION || isJoin(at) || CLAUSES.contains(kind(at)))) {
        return -at;
      }
    }
    return -tokens.size();
  }

  /** Whether another item of FROM begins. */
  private boolean isJoin(int i) {
    boolean function = (kind(i) == LEFT || kind(i) == RIGHT) && kind(i + 1) == LPAREN;
    return JOINS.contains(kind(i)) && !function;
  }

  private int conditionEnd(int from) {
    int depth = 0;
    int at = from;
    for (; kind(at) != EOF; at++) {
      if (depth == 0 && (CLAUSES.contains(kind(at)) || isJoin(at))) {
        break;
      }
      depth += kind(at) == LPAREN ? 1 : kind(at) == RPAREN ? -1 : 0;
      if (depth < 0) {
        break;
      }
    }
    return at;
  }

  /** What AND combines. */
  private List<List<Token>> conditions(int from, int end) {
    List<List<Token>> conditions = new ArrayList<>(List.of(new ArrayList<>()));
    int depth = 0;
    boolean between = false;
    for (int at = from; at < end; at++) {
      depth +=
          switch (kind(at)) {
            case LPAREN, CASE -> 1;
            case RPAREN, END -> -1;
            default -> 0;
          };
      between |= depth == 0 && kind(at) == BETWEEN;
      if (depth == 0 && kind(at) == AND && !between) {
        conditions.add(new ArrayList<>());
      } else {
        between &= depth > 0 || kind(at) != AND;
        conditions.getLast().add(tokens.get(at));
      }
    }
    return conditions;
  }

  private static boolean isInequality(List<Token> condition) {
    List<Token> inner = condition;
    while (inner.size() > 2
        && inner.getFirst().kind == LPAREN
        && outside(inner).allMatch(kind -> kind == LPAREN || kind == RPAREN)) {
      inner = inner.subList(1, inner.size() - 1);
    }
    return outside(inner).anyMatch(Set.of(LT, GT, LE, GE)::contains);
  }

  /** The kinds of tokens outside of parentheses and CASE, and of these. */
  private static IntStream outside(List<Token> condition) {
    IntStream.Builder kinds = IntStream.builder();
    int depth = 0;
    for (Token token : condition) {
      boolean closes = token.kind == RPAREN || token.kind == END;
      depth -= closes ? 1 : 0;
      if (depth == 0) {
        kinds.add(token.kind);
      }
      depth += token.kind == LPAREN || token.kind == CASE ? 1 : 0;
    }
    return kinds.build();
  }

  void semiJoin(int i) {
    if (kind(i + 1) == JOIN && isOperandBefore(i) && isPositional(i)) {
      throw invalid(
          tokens.get(i),
          "POSITIONAL JOIN would pair rows by an order that tables here do not have; number both"
              + " with row_number() OVER (ORDER BY ...) and join by the number");
    }
    String word = tokens.get(i).image;
    boolean semi = word.equalsIgnoreCase("SEMI") || word.equalsIgnoreCase("ANTI");
    if (semi && kind(i + 1) == JOIN && kind(i - 1) != LEFT && isWordOrEnd(i - 1)) {
      tokens.add(i, like(tokens.get(i), LEFT, "LEFT"));
    }
  }

  private boolean isWordOrEnd(int i) {
    return isWord(i) || kind(i) == RPAREN;
  }
}
