package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.parser.babel.Token;
import org.jspecify.annotations.Nullable;

/**
 * Forms that Calcite's grammar lacks, written by tokens that it knows:
 *
 * <ul>
 *   <li>a comma before FROM, a closing parenthesis or the end: nothing
 *   <li>{@code FROM t SELECT x}: {@code SELECT x FROM t}, and {@code FROM t}: {@code SELECT * FROM
 *       t}
 *   <li>{@code f(x ORDER BY y)}: {@code f(x) WITHIN GROUP (ORDER BY y)}; {@code f(x IGNORE NULLS)}:
 *       {@code f(x) IGNORE NULLS}; {@code count()}: {@code count(*)}
 *   <li>{@code INTERVAL '3 days'}, {@code INTERVAL 3 DAYS}: {@code INTERVAL '3' DAY}
 *   <li>{@code a SEMI JOIN b}: {@code a LEFT SEMI JOIN b}
 *   <li>{@code a ASOF JOIN b ON x = y AND t >= u}: {@code a ASOF JOIN b MATCH_CONDITION t >= u ON x
 *       = y}
 *   <li>{@code x::t}: {@code CAST(x AS t)}
 *   <li>{@code AS date}, and {@code date} where no literal follows: a name
 *   <li>{@code EXTRACT('year' FROM x)}: {@code EXTRACT(year FROM x)}
 *   <li>{@code GROUP BY ALL}, {@code ORDER BY ALL}, {@code DISTINCT ON (x)}: marks that {@link
 *       QueryForms} reads
 * </ul>
 */
final class TokenForms {
  /** Marks, as names that nobody writes. */
  static final String ALL_COLUMNS = "$all columns";

  static final String DISTINCT_ON = "$distinct on";

  /** What may follow the list after ORDER BY ALL or GROUP BY ALL. */
  private static final Set<Integer> ENDS =
      Set.of(
          EOF, RPAREN, SEMICOLON, HAVING, QUALIFY, WINDOW, ORDER, LIMIT, OFFSET, FETCH, UNION,
          EXCEPT, INTERSECT, SET_MINUS, ASC, DESC, NULLS);

  /** What follows the SELECT list or the FROM clause of a query. */
  private static final Set<Integer> CLAUSES =
      Set.of(
          EOF, SEMICOLON, WHERE, GROUP, HAVING, QUALIFY, WINDOW, ORDER, LIMIT, OFFSET, FETCH, UNION,
          EXCEPT, INTERSECT, SET_MINUS);

  /** What comes before a subquery's opening parenthesis. */
  private static final Set<Integer> BEFORE_QUERY =
      Set.of(FROM, JOIN, COMMA, AS, IN, EXISTS, EQ, LPAREN, LATERAL, UNION, ALL, EXCEPT, INTERSECT);

  /** What comes before parentheses that are no arguments. */
  private static final Set<Integer> NO_FUNCTION =
      Set.of(OVER, GROUP, AS, IN, EXISTS, FROM, JOIN, LATERAL, USING, ON, AND, OR, WHERE, NOT, BY);

  /** What follows an alias, beside clauses. */
  private static final Set<Integer> AFTER_ALIAS =
      Set.of(COMMA, FROM, RPAREN, JOIN, LEFT, RIGHT, INNER, FULL, CROSS, ON, USING);

  private static final Set<Integer> JOINS =
      Set.of(JOIN, LEFT, RIGHT, INNER, FULL, CROSS, NATURAL, ASOF, COMMA);

  private static final Set<Integer> CASTS = Set.of(CAST, SAFE_CAST, TRY_CAST, CONVERT);

  private final List<Token> tokens;

  /** Whether FIRST and LAST may be those of a row pattern. */
  private final boolean patterns;

  private TokenForms(List<Token> tokens) {
    this.tokens = tokens;
    this.patterns = tokens.stream().anyMatch(token -> token.kind == MATCH_RECOGNIZE);
  }

  static List<Token> rewrite(List<Token> tokens) {
    TokenForms forms = new TokenForms(new ArrayList<>(tokens));
    for (int i = 0; i < forms.tokens.size(); i++) {
      forms.at(i);
    }
    return forms.tokens;
  }

  private void at(int i) {
    switch (kind(i)) {
      case COMMA -> trailingComma(i);
      case FROM -> fromFirst(i);
      case ORDER -> {
        orderedArguments(i);
        allColumns(i);
      }
      case GROUP -> allColumns(i);
      case IGNORE, RESPECT -> nullTreatment(i);
      case INTERVAL -> interval(i);
      case COUNT -> {
        if (kind(i + 1) == LPAREN && kind(i + 2) == RPAREN) {
          tokens.add(i + 2, like(tokens.get(i + 2), STAR, "*"));
        }
      }
      case EXTRACT -> {
        if (kind(i + 1) == LPAREN && kind(i + 2) == QUOTED_STRING && kind(i + 3) == FROM) {
          tokens.set(i + 2, word(tokens.get(i + 2), unquoted(tokens.get(i + 2))));
        }
      }
      case DISTINCT -> distinctOn(i);
      case AS -> alias(i);
      case DATE, TIME, TIMESTAMP -> typeAsName(i);
      case DATE_DIFF, DATEDIFF, DATEADD, DATE_PART, DATEPART, DATE_TRUNC -> dateFunction(i);
      case INFIX_CAST -> cast(i);
      case LBRACKET -> list(i);
      case FIRST, LAST -> {
        if (!patterns) {
          functionName(i);
        }
      }
      case RANGE, CONTAINS, UUID -> functionName(i);
      case ASOF -> asofJoin(i);
      case TABLESAMPLE -> sample(i);
      case WHERE -> noTable(i);
      case STAR -> excluded(i);
      default -> semiJoin(i);
    }
  }

  private int kind(int i) {
    return i < 0 || i >= tokens.size() ? EOF : tokens.get(i).kind;
  }

  /** {@code [1, 2]} where no value is before it is {@code ARRAY[1, 2]}. */
  private void list(int i) {
    int before = kind(i - 1);
    boolean subscript =
        before == RPAREN
            || before == RBRACKET
            || before == ARRAY
            || before == MAP
            || before == QUOTED_STRING
            || isWord(i - 1) && !isOperatorWord(i - 1);
    if (!subscript) {
      tokens.add(i, like(tokens.get(i), ARRAY, "ARRAY"));
    }
  }

  /** {@code WITH t AS MATERIALIZED (query)}, with NOT too: a hint that means nothing here. */
  private boolean materialized(int i) {
    int word = kind(i + 1) == NOT ? i + 2 : i + 1;
    if (word < tokens.size()
        && tokens.get(word).image.equalsIgnoreCase("MATERIALIZED")
        && kind(word + 1) == LPAREN) {
      tokens.subList(i + 1, word + 1).clear();
      return true;
    }
    return false;
  }

  /** A reserved word after AS that nothing of a query follows is a name. */
  private void alias(int i) {
    if (materialized(i)) {
      return;
    }
    boolean ends = AFTER_ALIAS.contains(kind(i + 2)) || CLAUSES.contains(kind(i + 2));
    if (ends && isWord(i + 1) && kind(i + 1) != QUOTED_IDENTIFIER && !isType(i + 1)) {
      tokens.set(i + 1, name(tokens.get(i + 1), tokens.get(i + 1).image));
    }
  }

  /** {@code date} without a text or an argument behind it is a column's name. */
  private void typeAsName(int i) {
    int next = kind(i + 1);
    boolean type =
        next == QUOTED_STRING
            || next == PREFIXED_STRING_LITERAL
            || next == LPAREN
            || next == ZONE
            || next == WITH
            || next == WITHOUT
            || kind(i - 1) == INFIX_CAST
            || kind(i - 1) == AS && isType(i)
            || kind(i - 1) == RETURNING
            || kind(i - 1) == LOCAL
            || kind(0) == CREATE
            || kind(0) == ALTER
            || isType(i);
    if (!type) {
      tokens.set(i, name(tokens.get(i), tokens.get(i).image));
    }
  }

  /** Whether a word is in the type of a CAST. */
  private boolean isType(int i) {
    int open = i;
    while ((open = opening(open)) > 0) {
      if (CASTS.contains(kind(open - 1))) {
        int depth = 0;
        for (int at = open + 1; at < i; at++) {
          depth += kind(at) == LPAREN ? 1 : kind(at) == RPAREN ? -1 : 0;
          if (depth == 0 && kind(at) == AS) {
            return true;
          }
        }
        return false;
      }
    }
    return false;
  }

  /** A word that begins a clause elsewhere, called as a function. */
  private void functionName(int i) {
    int before = kind(i - 1);
    boolean operand = isWord(i - 1) && kind(i - 1) == IDENTIFIER || before == RPAREN;
    boolean column =
        kind(i) == RANGE && (before == DOT || AFTER_ALIAS.contains(kind(i + 1)))
            || kind(i) == RANGE && CLAUSES.contains(kind(i + 1));
    if (column || kind(i + 1) == LPAREN && !operand) {
      tokens.set(i, name(tokens.get(i), tokens.get(i).image));
    }
  }

  /**
   * {@code x::t} becomes {@code CAST(x AS t)}: Calcite's parser takes all that is before it in the
   * expression, {@code a = x} too, for what is cast.
   */
  private void cast(int i) {
    int start = operandStart(i - 1);
    int end = typeEnd(i + 1);
    if (start < 0 || end < 0) {
      return;
    }
    Token at = tokens.get(i);
    tokens.add(end, like(at, RPAREN, ")"));
    tokens.set(i, like(at, AS, "AS"));
    tokens.add(start, like(at, LPAREN, "("));
    tokens.add(start, like(at, CAST, "CAST"));
  }

  /** Where the name, literal, call or parenthesis begins that ends at a token. */
  private int operandStart(int last) {
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
      start -= 2;
    }
    boolean typed =
        kind(start) == QUOTED_STRING
            && Set.of(DATE, TIME, TIMESTAMP, INTERVAL).contains(kind(start - 1));
    return typed ? start - 1 : start;
  }

  private boolean isOperatorWord(int i) {
    return Set.of(
            SELECT, DISTINCT, CASE, WHEN, THEN, ELSE, BETWEEN, LIKE, ILIKE, IS, HAVING, QUALIFY,
            FILTER)
        .contains(kind(i));
  }

  /** The token after a type. */
  private int typeEnd(int first) {
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
    return kind(end) == ARRAY ? end + 1 : end;
  }

  /** The parenthesis or bracket that one closes, -1 if none does. */
  private int matching(int close) {
    int depth = 0;
    for (int i = close; i >= 0; i--) {
      int kind = kind(i);
      depth += kind == RPAREN || kind == RBRACKET ? 1 : kind == LPAREN || kind == LBRACKET ? -1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    return -1;
  }

  /** The inequality of ON becomes the MATCH_CONDITION that the grammar wants. */
  private void asofJoin(int i) {
    if (kind(i + 1) == LEFT) {
      tokens.add(i, tokens.remove(i + 1));
      return;
    }
    int on = i;
    int depth = 0;
    while (kind(on) != EOF && (depth > 0 || kind(on) != ON)) {
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

  /** {@code TABLESAMPLE (10 PERCENT)}. */
  private void sample(int i) {
    int open = kind(i + 1) == LPAREN ? i + 1 : -1;
    boolean percent =
        open > 0
            && isNumber(open + 1)
            && (tokens.get(open + 2).image.equalsIgnoreCase("PERCENT")
                || kind(open + 2) == PERCENT_REMAINDER)
            && kind(open + 3) == RPAREN;
    if (percent) {
      tokens.remove(open + 2);
      tokens.add(open, like(tokens.get(i), BERNOULLI, "BERNOULLI"));
    }
  }

  private boolean isNumber(int i) {
    return kind(i) == UNSIGNED_INTEGER_LITERAL || kind(i) == DECIMAL_NUMERIC_LITERAL;
  }

  /** A SELECT with a condition and no table has one row. */
  private void noTable(int i) {
    int depth = 0;
    for (int at = i - 1; at >= 0; at--) {
      depth += kind(at) == RPAREN ? 1 : kind(at) == LPAREN ? -1 : 0;
      if (depth < 0 || depth == 0 && (kind(at) == FROM || kind(at) == UPDATE)) {
        return;
      }
      if (depth == 0 && kind(at) == SELECT) {
        Token where = tokens.get(i);
        tokens.addAll(
            i,
            List.of(
                like(where, FROM, "FROM"),
                like(where, LPAREN, "("),
                like(where, VALUES, "VALUES"),
                like(where, LPAREN, "("),
                like(where, UNSIGNED_INTEGER_LITERAL, "0"),
                like(where, RPAREN, ")"),
                like(where, RPAREN, ")")));
        return;
      }
    }
  }

  /** {@code * EXCLUDE column}. */
  private void excluded(int i) {
    boolean exclude = i + 1 < tokens.size() && tokens.get(i + 1).image.equalsIgnoreCase("EXCLUDE");
    if (exclude && isWord(i + 2) && kind(i + 2) != NO) {
      tokens.add(i + 3, like(tokens.get(i + 2), RPAREN, ")"));
      tokens.add(i + 2, like(tokens.get(i + 2), LPAREN, "("));
    }
  }

  private void trailingComma(int i) {
    int next = kind(i + 1);
    if (next == FROM || next == RPAREN && kind(i - 1) != LPAREN || next == EOF) {
      tokens.remove(i);
      at(i);
    }
  }

  /** A query that begins with FROM. */
  private void fromFirst(int i) {
    int before = kind(i - 1);
    boolean begins =
        i == 0
            || before == LPAREN && (i == 1 || BEFORE_QUERY.contains(kind(i - 2)))
            || before == UNION
            || before == ALL && kind(i - 2) == UNION;
    if (!begins) {
      return;
    }
    int end = clauseEnd(i + 1, SELECT);
    if (kind(end) != SELECT) {
      tokens.add(i, like(tokens.get(i), STAR, "*"));
      tokens.add(i, like(tokens.get(i), SELECT, "SELECT"));
      return;
    }
    List<Token> list = tokens.subList(end, clauseEnd(end + 1, -1));
    List<Token> moved = new ArrayList<>(list);
    list.clear();
    tokens.addAll(i, moved);
    at(i);
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

  private void allColumns(int i) {
    if (kind(i + 1) == BY && kind(i + 2) == ALL && ENDS.contains(kind(i + 3))) {
      tokens.set(i + 2, name(tokens.get(i + 2), ALL_COLUMNS));
    }
  }

  private void distinctOn(int i) {
    int close = kind(i + 1) == ON && kind(i + 2) == LPAREN ? closing(i + 2) : -1;
    if (kind(i - 1) == SELECT && close > 0) {
      tokens.add(close + 1, like(tokens.get(close), COMMA, ","));
      tokens.set(i, name(tokens.get(i), DISTINCT_ON));
      tokens.remove(i + 1);
    }
  }

  /** ORDER BY among the arguments of a function goes behind them. */
  private void orderedArguments(int i) {
    int open = kind(i + 1) == BY ? opening(i) : -1;
    if (open < 1 || !isFunction(open - 1) || kind(i - 1) == LPAREN) {
      return;
    }
    for (int at = open + 1; at < i; at++) {
      if (kind(at) == PARTITION || kind(at) == SELECT || kind(at) == FROM) {
        return; // a window, or a query
      }
    }
    Token at = tokens.get(i);
    int separator = -1;
    int close = closing(open);
    for (int j = i; j < close; j++) {
      separator = kind(j) == SEPARATOR ? j : separator;
    }
    tokens.addAll(
        i,
        List.of(
            like(at, RPAREN, ")"),
            like(at, WITHIN, "WITHIN"),
            like(at, GROUP, "GROUP"),
            like(at, LPAREN, "(")));
    if (separator > 0) {
      Token text = tokens.remove(separator + 5);
      tokens.remove(separator + 4);
      tokens.add(i, text);
      tokens.add(i, like(at, COMMA, ","));
    }
  }

  private boolean isFunction(int i) {
    return isWord(i) && !NO_FUNCTION.contains(kind(i));
  }

  private boolean isWord(int i) {
    return kind(i) != EOF && Character.isJavaIdentifierStart(tokens.get(i).image.charAt(0))
        || kind(i) == QUOTED_IDENTIFIER;
  }

  private void nullTreatment(int i) {
    if (kind(i + 1) == NULLS && kind(i + 2) == RPAREN && opening(i) > 0) {
      tokens.add(i, tokens.remove(i + 2));
    }
  }

  private void semiJoin(int i) {
    String word = tokens.get(i).image;
    boolean semi = word.equalsIgnoreCase("SEMI") || word.equalsIgnoreCase("ANTI");
    if (semi && kind(i + 1) == JOIN && kind(i - 1) != LEFT && isWordOrEnd(i - 1)) {
      tokens.add(i, like(tokens.get(i), LEFT, "LEFT"));
    }
  }

  private boolean isWordOrEnd(int i) {
    return isWord(i) || kind(i) == RPAREN;
  }

  /** One with its unit first, which may be a text, is a function like others. */
  private void dateFunction(int i) {
    boolean unitFirst =
        kind(i + 2) == QUOTED_STRING
            || kind(i + 3) == COMMA && IntervalText.isUnit(tokens.get(i + 2).image);
    if (unitFirst) {
      functionName(i);
    }
  }

  private void interval(int i) {
    Token amount = i + 1 < tokens.size() ? tokens.get(i + 1) : tokens.get(i);
    Token unit = i + 2 < tokens.size() ? tokens.get(i + 2) : null;
    boolean text = amount.kind == QUOTED_STRING;
    if (!text && amount.kind != UNSIGNED_INTEGER_LITERAL) {
      return;
    }
    String written = text ? unquoted(amount) : amount.image;
    int used = 2;
    IntervalText interval;
    if (unit != null && IntervalText.isUnit(unit.image)) {
      boolean standard =
          text
              && IntervalText.isStandardUnit(unit.image)
              && (written.length() <= 2 || kind(i + 3) == LPAREN || kind(i + 3) == TO);
      boolean counted = !text && IntervalText.isCounted(unit.image);
      interval = standard || counted ? null : IntervalText.parse(written + " " + unit.image);
      used = 3;
    } else {
      interval = IntervalText.parse(written);
    }
    if (interval == null
        || interval.terms().size() > 1 && (isFactor(i - 1) || isFactor(i + used))) {
      return; // a factor is no sum
    }
    tokens.subList(i, i + used).clear();
    List<Token> made = new ArrayList<>();
    for (IntervalText.Term term : interval.terms()) {
      if (!made.isEmpty()) {
        boolean minus = kind(i - 1) == MINUS;
        made.add(like(amount, minus ? MINUS : PLUS, minus ? "-" : "+"));
      }
      made.add(like(amount, INTERVAL, "INTERVAL"));
      if (term.negative()) {
        made.add(like(amount, MINUS, "-"));
      }
      made.add(like(amount, QUOTED_STRING, "'" + term.digits() + "'"));
      made.add(like(amount, kindOf(term.unit()), term.unit()));
      made.add(like(amount, LPAREN, "("));
      made.add(like(amount, UNSIGNED_INTEGER_LITERAL, term.precision()));
      if (term.scale() != null) {
        made.add(like(amount, COMMA, ","));
        made.add(like(amount, UNSIGNED_INTEGER_LITERAL, term.scale()));
      }
      made.add(like(amount, RPAREN, ")"));
    }
    tokens.addAll(i, made);
  }

  private boolean isFactor(int i) {
    return kind(i) == STAR || kind(i) == SLASH;
  }

  private static int kindOf(String unit) {
    return switch (unit) {
      case "YEAR" -> YEAR;
      case "MONTH" -> MONTH;
      case "DAY" -> DAY;
      case "HOUR" -> HOUR;
      case "MINUTE" -> MINUTE;
      default -> SECOND;
    };
  }

  /** The parenthesis that closes one, -1 if none does. */
  private int closing(int open) {
    int depth = 0;
    for (int i = open; i < tokens.size(); i++) {
      depth += kind(i) == LPAREN ? 1 : kind(i) == RPAREN ? -1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    return -1;
  }

  /** The parenthesis that a token is directly within, -1 if it is within none. */
  private int opening(int inside) {
    int depth = 0;
    for (int i = inside - 1; i >= 0; i--) {
      if (kind(i) == LPAREN && depth-- == 0) {
        return i;
      }
      depth += kind(i) == RPAREN ? 1 : 0;
    }
    return -1;
  }

  private static String unquoted(Token token) {
    return token.image.substring(1, token.image.length() - 1);
  }

  private static Token name(@Nullable Token at, String name) {
    return like(at, IDENTIFIER, name);
  }

  /** A word as it is written, of whatever kind the lexer would have it. */
  private static Token word(Token at, String word) {
    String upper = word.strip().toUpperCase(java.util.Locale.ROOT);
    for (int kind = 0; kind < tokenImage.length; kind++) {
      if (tokenImage[kind].equals("\"" + upper + "\"")) {
        return like(at, kind, upper);
      }
    }
    return like(at, IDENTIFIER, word);
  }

  private static Token like(@Nullable Token at, int kind, String image) {
    Token token = new Token();
    token.kind = kind;
    token.image = image;
    if (at != null) {
      token.beginLine = at.beginLine;
      token.beginColumn = at.beginColumn;
      token.endLine = at.endLine;
      token.endColumn = at.endColumn;
    }
    return token;
  }
}
