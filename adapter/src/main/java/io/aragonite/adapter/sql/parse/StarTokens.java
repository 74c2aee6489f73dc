package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.apache.calcite.sql.parser.babel.Token;
import org.jspecify.annotations.Nullable;

/**
 * What follows a star among the columns of a SELECT, or in COLUMNS:
 *
 * <ul>
 *   <li>{@code * EXCLUDE x}: {@code * EXCLUDE (x)}
 *   <li>{@code * RENAME (a AS x)}, and several of {@code EXCLUDE}, {@code REPLACE} and {@code
 *       RENAME}: {@code * REPLACE}, with marks that {@code StarModifiers} reads
 *   <li>{@code COLUMNS(* EXCLUDE (x))}: a mark in COLUMNS
 *   <li>{@code * LIKE 'a%'}, {@code COLUMNS(c -> c LIKE 'a%')}, {@code COLUMNS(lambda c: c LIKE
 *       'a%')}, with NOT, and ILIKE and SIMILAR TO: {@code COLUMNS('pattern')}
 * </ul>
 */
final class StarTokens extends TokenList {
  static final String COLUMNS = "COLUMNS";

  StarTokens(List<Token> tokens) {
    super(tokens);
  }

  /** A clause behind a star: its word, and what is in its parentheses. */
  private record Clause(String word, List<Token> items, int end) {}

  void at(int star) {
    boolean inColumns = kind(star - 1) == LPAREN && isColumns(star - 2);
    if (liked(star, star + 1, inColumns ? star - 2 : star, inColumns)) {
      return;
    }
    List<Clause> clauses = new ArrayList<>();
    int end = star + 1;
    for (Clause clause = clause(end); clause != null; clause = clause(end)) {
      clauses.add(clause);
      end = clause.end;
    }
    if (clauses.isEmpty()) {
      return;
    }
    Token at = tokens.get(star + 1);
    Clause first = clauses.getFirst();
    List<Token> made = new ArrayList<>();
    if (inColumns && clauses.size() == 1 && first.word.equals("EXCLUDE")) {
      made.add(name(at, TokenForms.EXCLUDED));
      tokens.remove(star);
      end--;
      star--;
    } else if (clauses.size() == 1 && !first.word.equals("RENAME")) {
      made.add(tokens.get(star + 1)); // the grammar's own
    } else {
      made.add(word(at, "REPLACE"));
    }
    made.add(like(at, LPAREN, "("));
    if (clauses.size() == 1 && !first.word.equals("RENAME")) {
      made.addAll(first.items);
    } else {
      made.addAll(merged(clauses));
    }
    made.add(like(at, RPAREN, ")"));
    tokens.subList(star + 1, end).clear();
    tokens.addAll(star + 1, made);
  }

  private boolean isColumns(int i) {
    return isWord(i) && tokens.get(i).image.equalsIgnoreCase(COLUMNS);
  }

  private @Nullable Clause clause(int i) {
    String word = i < tokens.size() ? tokens.get(i).image.toUpperCase(Locale.ROOT) : "";
    boolean except =
        word.equals("EXCEPT") && kind(i + 1) == LPAREN && isWord(i + 2) && kind(i + 2) != SELECT;
    boolean known =
        word.equals("EXCLUDE") || word.equals("REPLACE") || word.equals("RENAME") || except;
    if (!known) {
      return null;
    }
    String meant = except ? "EXCLUDE" : word;
    if (kind(i + 1) == LPAREN) {
      int close = closing(i + 1);
      return close < 0
          ? null
          : new Clause(meant, List.copyOf(tokens.subList(i + 2, close)), close + 1);
    }
    int length =
        switch (meant) {
          case "EXCLUDE" -> isWord(i + 1) && kind(i + 1) != NO ? 1 : 0;
          case "RENAME" -> isWord(i + 1) && kind(i + 2) == AS && isWord(i + 3) ? 3 : 0;
          default -> 0;
        };
    return length == 0
        ? null
        : new Clause(meant, List.copyOf(tokens.subList(i + 1, i + 1 + length)), i + 1 + length);
  }

  private static List<Token> merged(List<Clause> clauses) {
    List<Token> made = new ArrayList<>();
    for (Clause clause : clauses) {
      if (!made.isEmpty()) {
        made.add(like(clause.items.getFirst(), COMMA, ","));
      }
      switch (clause.word) {
        case "EXCLUDE" -> marked(clause.items, TokenForms.EXCLUDED, made);
        case "RENAME" -> marked(clause.items, TokenForms.RENAMED, made);
        default -> made.addAll(clause.items);
      }
    }
    return made;
  }

  /** {@code a AS x} as {@code mark(x) AS a}, and a name {@code t.a} as {@code mark(t.a) AS a}. */
  private static void marked(List<Token> items, String mark, List<Token> made) {
    int from = 0;
    for (int i = 0; i <= items.size(); i++) {
      if (i < items.size() && items.get(i).kind != COMMA) {
        continue;
      }
      List<Token> item = items.subList(from, i);
      Token at = items.getFirst();
      boolean renamed = item.size() == 3 && item.get(1).kind == AS;
      made.add(name(at, mark));
      made.add(like(at, LPAREN, "("));
      made.addAll(renamed ? item.subList(2, 3) : item);
      made.add(like(at, RPAREN, ")"));
      if (!item.isEmpty()) {
        made.add(like(at, AS, "AS"));
        made.add(renamed ? item.getFirst() : item.getLast());
      }
      if (i < items.size()) {
        made.add(items.get(i));
      }
      from = i + 1;
    }
  }

  /** {@code COLUMNS(c -> c LIKE 'a%')}, of which a token is the first word. */
  void columns(int i) {
    if (kind(i + 1) != LPAREN) {
      return;
    }
    boolean lambda = isWord(i + 2) && tokens.get(i + 2).image.equalsIgnoreCase("LAMBDA");
    int name = lambda ? i + 3 : i + 2;
    boolean arrow = lambda ? kind(name + 1) == COLON : kind(name + 1) == LAMBDA && isWord(name);
    if (arrow && isWord(name + 2) && sameName(name, name + 2)) {
      liked(name, name + 3, i, true);
    }
  }

  private boolean sameName(int i, int j) {
    return tokens.get(i).image.equalsIgnoreCase(tokens.get(j).image);
  }

  /**
   * {@code LIKE 'a%'} behind what stands for the names of columns.
   *
   * @param from the first token that is replaced
   * @param inColumns whether it is in the parentheses of COLUMNS
   */
  private boolean liked(int star, int i, int from, boolean inColumns) {
    boolean columns =
        inColumns
            || kind(star - 1) == SELECT
            || kind(star - 1) == COMMA
            || kind(star - 1) == DISTINCT;
    boolean not = kind(i) == NOT;
    int operator = not ? i + 1 : i;
    int kind = kind(operator);
    int text = kind == SIMILAR && kind(operator + 1) == TO ? operator + 2 : operator + 1;
    boolean like = kind == LIKE || kind == ILIKE || text == operator + 2;
    int end = inColumns ? text + 2 : text + 1;
    if (!columns || !like || kind(text) != QUOTED_STRING || inColumns && kind(end - 1) != RPAREN) {
      return false;
    }
    Token at = tokens.get(from);
    Token written = tokens.get(text);
    String pattern = unquoted(written).replace("''", "'");
    String regex =
        kind == SIMILAR ? "(?:" + pattern + ")" : (kind == ILIKE ? "(?i)" : "") + regex(pattern);
    String whole = not ? "^(?!" + regex + "$)" : "^" + regex + "$";
    List<Token> made =
        List.of(
            name(at, COLUMNS),
            like(at, LPAREN, "("),
            like(written, QUOTED_STRING, "'" + whole.replace("'", "''") + "'"),
            like(at, RPAREN, ")"));
    tokens.subList(from, end).clear();
    tokens.addAll(from, made);
    return true;
  }

  private static String regex(String like) {
    StringBuilder regex = new StringBuilder();
    for (int i = 0; i < like.length(); i++) {
      char c = like.charAt(i);
      regex.append(c == '%' ? ".*" : c == '_' ? "." : Pattern.quote(String.valueOf(c)));
    }
    return regex.toString();
  }
}
