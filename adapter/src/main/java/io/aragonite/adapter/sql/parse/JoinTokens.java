package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

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
 *       = y}
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
      return;
    }
    int on = i + 2;
    int depth = 0;
    while (kind(on) != EOF && (depth > 0 || kind(on) != ON)) {
      if (depth == 0 && (kind(on) == USING || JOINS.contains(kind(on)))) {
        return; // ON is another join's
      }
      depth += kind(on) == LPAREN ? 1 : kind(on) == RPAREN ? -1 : 0;
      if (kind(on) == MATCH_CONDITION || depth < 0) {
        return;
      }
      on++;
    }
    if (kind(i + 1) != JOIN || kind(on) != ON) {
      return;
    }
    List<List<Token>> conditions = new ArrayList<>(List.of(new ArrayList<>()));
    int end = on + 1;
    for (; kind(end) != EOF && !CLAUSES.contains(kind(end)) && !JOINS.contains(kind(end)); end++) {
      depth += kind(end) == LPAREN ? 1 : kind(end) == RPAREN ? -1 : 0;
      if (depth < 0) {
        break;
      }
      if (depth == 0 && kind(end) == AND) {
        conditions.add(new ArrayList<>());
      } else {
        conditions.get(conditions.size() - 1).add(tokens.get(end));
      }
    }
    List<Token> match = null;
    for (List<Token> condition : conditions) {
      boolean inequality =
          condition.stream().anyMatch(token -> Set.of(LT, GT, LE, GE).contains(token.kind));
      match = inequality && match == null ? condition : match;
    }
    if (match == null) {
      return;
    }
    Token at = tokens.get(on);
    List<Token> made = new ArrayList<>(List.of(like(at, MATCH_CONDITION, "MATCH_CONDITION")));
    made.addAll(match);
    made.add(at);
    boolean first = true;
    for (List<Token> condition : conditions) {
      if (!condition.equals(match)) {
        if (!first) {
          made.add(like(at, AND, "AND"));
        }
        made.addAll(condition);
        first = false;
      }
    }
    if (first) {
      made.add(like(at, TRUE, "TRUE"));
    }
    tokens.subList(on, end).clear();
    tokens.addAll(on, made);
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
