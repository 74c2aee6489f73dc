package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.AsofMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * Joins among the tokens:
 *
 * <ul>
 *   <li>{@code a SEMI JOIN b}: {@code a LEFT SEMI JOIN b}
 *   <li>{@code a ASOF JOIN b ON x = y AND t >= u}: {@code a ASOF JOIN b MATCH_CONDITION t >= u ON x
 *       = y}; {@code a ASOF JOIN b USING (x, t)} too
 *   <li>{@code a ASOF RIGHT JOIN b ON x = y AND t >= u}: {@code a RIGHT JOIN b ON $ASOF(t >= u) AND
 *       x = y}; {@code FULL} too
 * </ul>
 */
final class JoinTokens extends TokenList {
  private static final Set<Integer> JOINS =
      Set.of(JOIN, LEFT, RIGHT, INNER, FULL, CROSS, NATURAL, ASOF, COMMA);

  JoinTokens(List<Token> tokens) {
    super(tokens);
  }

  /** The inequality of ON becomes the MATCH_CONDITION that the grammar wants. */
  void asofJoin(int i) {
    if (kind(i + 1) == LEFT) {
      tokens.add(i, tokens.remove(i + 1));
      if (kind(i + 2) == OUTER) {
        tokens.remove(i + 2);
      }
      return;
    }
    if (kind(i + 1) == RIGHT || kind(i + 1) == FULL) {
      tokens.remove(i);
      if (kind(i + 1) == OUTER) {
        tokens.remove(i + 1);
      }
    }
    int on = ownCondition(i);
    if (on < 0) {
      usingColumns(i);
      return;
    }
    List<List<Token>> conditions = new ArrayList<>(List.of(new ArrayList<>()));
    int end = conditions(on + 1, conditions);
    List<Token> match =
        conditions.stream().filter(JoinTokens::isInequality).findFirst().orElse(null);
    if (match == null) {
      return;
    }
    conditions.removeIf(condition -> condition.equals(match));
    List<Token> made = matched(i, tokens.get(on), match, conditions);
    tokens.subList(on, end).clear();
    tokens.addAll(on, made);
  }

  /** The condition of an ASOF join: that of its grammar, or of a RIGHT or FULL JOIN. */
  private List<Token> matched(int join, Token at, List<Token> match, List<List<Token>> equal) {
    boolean plain = kind(join) == ASOF;
    List<Token> made = new ArrayList<>();
    if (plain) {
      made.add(like(at, MATCH_CONDITION, "MATCH_CONDITION"));
    } else {
      made.addAll(
          List.of(
              like(at, ON, "ON"), name(at, AsofMatch.ASOF_MATCH.getName()), like(at, LPAREN, "(")));
    }
    made.addAll(match);
    made.add(plain ? like(at, ON, "ON") : like(at, RPAREN, ")"));
    for (int i = 0; i < equal.size(); i++) {
      if (!plain || i > 0) {
        made.add(like(at, AND, "AND"));
      }
      made.addAll(equal.get(i));
    }
    if (plain && equal.isEmpty()) {
      made.add(like(at, TRUE, "TRUE"));
    }
    return made;
  }

  /** {@code a ASOF JOIN b USING (k, t)}: k is equal, and t of b is at most that of a. */
  private void usingColumns(int join) {
    int using = join + 2;
    while (kind(using) != USING && kind(using) != EOF && !JOINS.contains(kind(using))) {
      using = kind(using) == LPAREN && closing(using) > 0 ? closing(using) + 1 : using + 1;
    }
    int close = kind(using) == USING && kind(using + 1) == LPAREN ? closing(using + 1) : -1;
    if (close < 0) {
      return;
    }
    int left = kind(join - 1) == LEFT ? join - 2 : join - 1;
    int from = left;
    while (from > 0 && kind(from) != FROM && !JOINS.contains(kind(from))) {
      from--;
    }
    if (kind(from) != FROM || !isWord(left) || !isWord(using - 1)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "ASOF JOIN takes USING between two tables with names; write ON a.k = b.k AND a.t >="
              + " b.t.");
    }
    List<List<Token>> equal = new ArrayList<>();
    int last = close - 1;
    for (int i = using + 2; i < last; i += 2) {
      equal.add(compared(left, EQ, "=", using - 1, i));
    }
    List<Token> match = compared(left, GE, ">=", using - 1, last);
    List<Token> made = matched(join, tokens.get(using), match, equal);
    tokens.subList(using, close + 1).clear();
    tokens.addAll(using, made);
  }

  private List<Token> compared(int left, int sign, String image, int right, int column) {
    Token at = tokens.get(column);
    return List.of(
        like(at, kind(left), tokens.get(left).image),
        like(at, DOT, "."),
        like(at, at.kind, at.image),
        like(at, sign, image),
        like(at, kind(right), tokens.get(right).image),
        like(at, DOT, "."),
        like(at, at.kind, at.image));
  }

  /** Where the ON of an ASOF JOIN is; -1 if it has none, or a MATCH_CONDITION already. */
  private int ownCondition(int join) {
    int depth = 0;
    int at = join + 2;
    for (; kind(at) != EOF && (depth > 0 || kind(at) != ON); at++) {
      if (depth == 0 && (kind(at) == USING || JOINS.contains(kind(at)))) {
        return -1; // ON is another join's
      }
      depth += kind(at) == LPAREN ? 1 : kind(at) == RPAREN ? -1 : 0;
      if (kind(at) == MATCH_CONDITION || depth < 0) {
        return -1;
      }
    }
    return kind(join + 1) == JOIN && kind(at) == ON ? at : -1;
  }

  /** Takes what AND combines from a place on; returns where it ends. */
  private int conditions(int from, List<List<Token>> conditions) {
    int depth = 0;
    int at = from;
    for (; kind(at) != EOF && !CLAUSES.contains(kind(at)) && !JOINS.contains(kind(at)); at++) {
      depth += kind(at) == LPAREN ? 1 : kind(at) == RPAREN ? -1 : 0;
      if (depth < 0) {
        break;
      }
      if (depth == 0 && kind(at) == AND) {
        conditions.add(new ArrayList<>());
      } else {
        conditions.getLast().add(tokens.get(at));
      }
    }
    return at;
  }

  private static boolean isInequality(List<Token> condition) {
    return condition.stream().anyMatch(token -> Set.of(LT, GT, LE, GE).contains(token.kind));
  }

  void semiJoin(int i) {
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
