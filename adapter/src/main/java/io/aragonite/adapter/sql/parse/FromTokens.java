package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.rules.function.JsonRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * {@code FROM t SELECT x}: {@code SELECT x FROM t}, and {@code FROM t}: {@code SELECT * FROM t},
 * behind WITH too; {@code FROM UNNEST(x, y)} and {@code FROM range(f(x))}; functions whose rows are
 * the elements of a list.
 */
final class FromTokens extends TokenList {
  /** What comes before a subquery's opening parenthesis. */
  private static final Set<Integer> BEFORE_QUERY =
      Set.of(FROM, JOIN, COMMA, AS, IN, EXISTS, EQ, LPAREN, LATERAL, UNION, ALL, EXCEPT, INTERSECT);

  /** What can come behind an item of FROM that has no alias. */
  private static final Set<Integer> BEHIND_ITEM =
      Set.of(
          COMMA, RPAREN, SEMICOLON, EOF, WHERE, GROUP, ORDER, LIMIT, HAVING, ON, JOIN, CROSS, LEFT,
          INNER, UNION, INTERSECT, EXCEPT);

  /** Functions whose rows are the elements of a list, and what makes that. */
  private static final Map<String, String> LISTS =
      Map.ofEntries(
          Map.entry("REGEXP_SPLIT_TO_TABLE", "REGEXP_SPLIT_TO_ARRAY"),
          Map.entry("JSON_OBJECT_KEYS", JsonRows.KEYS.getName()),
          Map.entry("JSONB_OBJECT_KEYS", JsonRows.KEYS.getName()),
          Map.entry("JSON_ARRAY_ELEMENTS", JsonRows.ELEMENTS.getName()),
          Map.entry("JSONB_ARRAY_ELEMENTS", JsonRows.ELEMENTS.getName()),
          Map.entry("JSON_ARRAY_ELEMENTS_TEXT", JsonRows.ELEMENT_TEXTS.getName()),
          Map.entry("JSONB_ARRAY_ELEMENTS_TEXT", JsonRows.ELEMENT_TEXTS.getName()),
          Map.entry("JSONB_EACH", JsonRows.MEMBERS.getName()),
          Map.entry("JSON_EACH_TEXT", JsonRows.MEMBER_TEXTS.getName()),
          Map.entry("JSONB_EACH_TEXT", JsonRows.MEMBER_TEXTS.getName()),
          Map.entry("JSON_EACH", JsonRows.EACH.getName()),
          Map.entry("JSON_TREE", JsonRows.TREE.getName()));

  FromTokens(List<Token> tokens) {
    super(tokens);
  }

  /** A query that begins with FROM; whether its columns have come before it. */
  boolean first(int i) {
    int before = kind(i - 1);
    boolean begins =
        i == 0
            || before == LPAREN && (i == 1 || BEFORE_QUERY.contains(kind(i - 2)))
            || before == UNION
            || before == ALL && kind(i - 2) == UNION
            || before == RPAREN && isBehindWith(i - 1);
    if (!begins) {
      return false;
    }
    int end = clauseEnd(i + 1, SELECT);
    if (kind(end) != SELECT) {
      tokens.add(i, like(tokens.get(i), STAR, "*"));
      tokens.add(i, like(tokens.get(i), SELECT, "SELECT"));
      return false;
    }
    List<Token> list = tokens.subList(end, clauseEnd(end + 1, -1));
    List<Token> moved = new ArrayList<>(list);
    list.clear();
    tokens.addAll(i, moved);
    return true;
  }

  /** Whether a parenthesis closes the last query of a WITH, whose statement goes on behind it. */
  private boolean isBehindWith(int close) {
    int i = matching(close) - 1;
    boolean query = kind(i) == AS && isQuery(i + 2);
    while (i >= 0 && query) {
      if (kind(i) == WITH) {
        return true;
      }
      if (kind(i) == SELECT || kind(i) == LPAREN) {
        return false;
      }
      i = kind(i) == RPAREN ? matching(i) - 1 : i - 1;
    }
    return false;
  }

  private boolean isQuery(int i) {
    return kind(i) == SELECT || kind(i) == WITH || kind(i) == VALUES || kind(i) == LPAREN;
  }

  /** Where the clause ends that a token is in; a subquery in parentheses ends none. */
  private int clauseEnd(int from, int also) {
    int depth = 0;
    for (int i = from; i < tokens.size(); i++) {
      int kind = kind(i);
      if (kind == LPAREN) {
        depth++;
      } else if (kind == RPAREN && depth-- == 0) {
        return i;
      } else if (depth == 0 && (CLAUSES.contains(kind) || kind == also)) {
        return i;
      }
    }
    return tokens.size();
  }

  /**
   * {@code FROM UNNEST(x, y)}: {@code FROM LATERAL (SELECT UNNEST(x), UNNEST(y))}, which has the
   * first elements in one row, the second in another, as in the standard; Calcite combines each
   * element with each.
   */
  void unnest(int i) {
    int close = closing(i + 1);
    List<Integer> commas = new ArrayList<>();
    int depth = 0;
    for (int at = i + 2; at < close; at++) {
      depth += nesting(at);
      if (depth == 0 && kind(at) == COMMA) {
        commas.add(at);
      }
    }
    if (close < 0 || commas.isEmpty()) {
      return;
    }
    Token at = tokens.get(i);
    if (kind(close + 1) == WITH) {
      throw invalid(
          at,
          "UNNEST of several lists has no WITH ORDINALITY; take UNNEST(list_zip(x, y)) WITH"
              + " ORDINALITY");
    }
    List<Token> made = new ArrayList<>();
    if (kind(i - 1) != LATERAL) {
      made.add(like(at, LATERAL, "LATERAL"));
    }
    made.addAll(List.of(like(at, LPAREN, "("), like(at, SELECT, "SELECT")));
    int from = i + 2;
    commas.add(close);
    for (int end : commas) {
      if (from > i + 2) {
        made.add(like(at, COMMA, ","));
      }
      made.addAll(List.of(name(at, SelectedUnnest.MARK), like(at, LPAREN, "(")));
      made.addAll(tokens.subList(from, end));
      made.addAll(List.of(like(at, RPAREN, ")"), like(at, AS, "AS")));
      made.add(name(at, from == i + 2 ? "unnest" : "unnest_" + commas.indexOf(end)));
      from = end + 1;
    }
    made.add(like(at, RPAREN, ")"));
    tokens.subList(i, close + 1).clear();
    tokens.addAll(i, made);
  }

  /**
   * {@code JSON_EACH(x)}: {@code UNNEST(list)}; returns whether there is such a function. Two names
   * of columns behind JSON_EACH are those of PostgreSQL's two.
   */
  boolean rows(int i) {
    String name = tokens.get(i).image.toUpperCase(Locale.ROOT);
    String list = LISTS.get(name);
    int close = list == null || kind(i + 1) != LPAREN ? -1 : closing(i + 1);
    if (list == null || close < 0) {
      return false;
    }
    Token at = tokens.get(i);
    if (name.equals("JSON_EACH") && namesAfter(close) == 2) {
      list = JsonRows.MEMBERS.getName();
    }
    List<Token> behind = new ArrayList<>();
    if (name.startsWith("JSON") && commas(i + 1, close) == 0) {
      behind.add(like(at, COMMA, ","));
      behind.add(like(at, QUOTED_STRING, "'$'"));
    }
    behind.add(like(at, RPAREN, ")"));
    tokens.addAll(close, behind);
    tokens.set(i, like(at, UNNEST, "UNNEST"));
    tokens.addAll(i + 1, List.of(like(at, LPAREN, "("), name(at, list)));
    return true;
  }

  /** Names rows after their function where they have no other alias. */
  void alias(int i, String function) {
    int close = closing(i + 1);
    if (close > 0 && (close + 1 == tokens.size() || BEHIND_ITEM.contains(kind(close + 1)))) {
      Token at = tokens.get(i);
      tokens.addAll(close + 1, List.of(like(at, AS, "AS"), name(at, function)));
    }
  }

  /** How many columns an alias behind a place names; 0 if it names none. */
  private int namesAfter(int close) {
    int alias = kind(close + 1) == AS ? close + 2 : close + 1;
    int open = isWord(alias) ? alias + 1 : -1;
    return open > 0 && kind(open) == LPAREN && closing(open) > 0
        ? 1 + commas(open, closing(open))
        : 0;
  }

  private int commas(int open, int close) {
    int count = 0;
    int depth = 0;
    for (int at = open + 1; at < close; at++) {
      depth += nesting(at);
      count += depth == 0 && kind(at) == COMMA ? 1 : 0;
    }
    return count;
  }

  /**
   * {@code range(f(x), y)}: {@code range((f(x)), y)}. The grammar takes a name in parentheses
   * behind a name in FROM for a column that a table gets.
   */
  void series(int i) {
    int close = kind(i + 1) == LPAREN && isWord(i + 2) ? closing(i + 1) : -1;
    boolean nested = false;
    int depth = 0;
    int end = i + 2;
    for (; end < close && (depth > 0 || kind(end) != COMMA); end++) {
      depth += nesting(end);
      nested |= depth > 0;
    }
    if (nested) {
      tokens.add(end, like(tokens.get(end), RPAREN, ")"));
      tokens.add(i + 2, like(tokens.get(i + 1), LPAREN, "("));
    }
  }
}
