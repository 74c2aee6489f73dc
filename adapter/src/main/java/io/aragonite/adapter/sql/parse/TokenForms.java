package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.exec.expr.DatePart;
import io.aragonite.exec.expr.IntervalText;
import io.aragonite.exec.limit.StopCheck;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * Forms that Calcite's grammar lacks, written by tokens that it knows:
 *
 * <ul>
 *   <li>a comma before FROM, a closing parenthesis or the end: nothing
 *   <li>{@code f(x ORDER BY y)}: {@code f(x) WITHIN GROUP (ORDER BY y)}; {@code f(x IGNORE NULLS)}:
 *       {@code f(x) IGNORE NULLS}; {@code count()}: {@code count(*)}
 *   <li>{@code x ISNULL}, {@code x NOTNULL}: {@code x IS NULL}, {@code x IS NOT NULL}
 *   <li>{@code f(x) FILTER (c)}: {@code f(x) FILTER (WHERE c)}; {@code x IN [1, 2]}: {@code x IN
 *       (1, 2)}; {@code x IN list}: {@code x = ANY (list)}; {@code x IN ()}: a query without rows;
 *       {@code 1_000}: {@code 1000}; {@code 0x1F}: {@code 31}
 *   <li>those of {@link AliasTokens}, {@link ColumnNumberTokens}, {@link FrameTokens}, {@link
 *       FromTokens}, {@link IntervalTokens}, {@link JoinTokens}, {@link OperatorTokens}, {@link
 *       PivotTokens}, {@link StarTokens}, {@link StructTokens} and {@link TypeTokens}
 *   <li>{@code AS date}: a name
 *   <li>{@code -0e0}: {@code -CAST(0e0 AS DOUBLE)}, which has the sign that the grammar's number
 *       has not
 *   <li>JDBC's {@code {oj t LEFT JOIN u ON c}} and {@code {escape '!'}}: what is in the braces
 *   <li>{@code EXTRACT('year' FROM x)}: {@code EXTRACT(year FROM x)}; {@code SUBSTRING(x FOR n)}:
 *       {@code SUBSTRING(x FROM 1 FOR n)}
 *   <li>{@code GROUP BY ALL}, {@code ORDER BY ALL}, {@code DISTINCT ON (x)}: marks that {@link
 *       QueryForms} reads
 * </ul>
 */
public final class TokenForms extends TokenList {
  /** Marks, as names that nobody writes. */
  static final String ALL_COLUMNS = "$all columns";

  static final String DISTINCT_ON = "$distinct on";

  /** A call of it with a number is that column of FROM. */
  public static final String COLUMN_NUMBER = "$column";

  /** A call of it is the offset of a frame that counts peer groups. */
  public static final String GROUP_OFFSET = "$GROUPS";

  /** A call of it with a name, in the place of a star's column, is the column under that name. */
  public static final String RENAMED = "$renamed";

  /** A call of it, in the place of a star's column or in COLUMNS, is what the star leaves out. */
  public static final String EXCLUDED = "$excluded";

  /** What may follow the list after ORDER BY ALL or GROUP BY ALL. */
  static final Set<Integer> ENDS =
      Set.of(
          EOF, RPAREN, SEMICOLON, HAVING, QUALIFY, WINDOW, ORDER, LIMIT, OFFSET, FETCH, UNION,
          EXCEPT, INTERSECT, SET_MINUS, ASC, DESC, NULLS);

  /** {@code 1_000_000}, which the lexer takes for a name. */
  private static final Pattern DIGIT_GROUPS = Pattern.compile("\\d+(_\\d+)+");

  /** {@code 0x1F}, {@code 0o17} and {@code 0b101}. */
  private static final Pattern OTHER_BASES =
      Pattern.compile("0(?:[xX](_?[0-9a-fA-F]+)+|[oO](_?[0-7]+)+|[bB](_?[01]+)+)");

  private final TypeTokens types;
  private final JoinTokens joins;
  private final OperatorTokens operators;
  private final PivotTokens pivots;
  private final StructTokens structs;
  private final LimitTokens limits;
  private final IntervalTokens intervals;
  private final SampleTokens samples;
  private final ColumnNumberTokens columnNumbers;
  private final FrameTokens frames;
  private final AliasTokens aliases;
  private final StarTokens stars;
  private final FromTokens froms;
  private final ValuesTokens values;
  private final AggregateTokens aggregates;

  /** Whether FIRST and LAST may be those of a row pattern. */
  private final boolean patterns;

  private TokenForms(List<Token> written) {
    super(new ArrayList<>(written));
    this.types = new TypeTokens(tokens);
    this.joins = new JoinTokens(tokens);
    this.operators = new OperatorTokens(tokens);
    this.pivots = new PivotTokens(tokens, written);
    this.structs = new StructTokens(tokens);
    this.limits = new LimitTokens(tokens);
    this.intervals = new IntervalTokens(tokens);
    this.samples = new SampleTokens(tokens);
    this.columnNumbers = new ColumnNumberTokens(tokens);
    this.frames = new FrameTokens(tokens);
    this.aliases = new AliasTokens(tokens);
    this.stars = new StarTokens(tokens);
    this.froms = new FromTokens(tokens);
    this.values = new ValuesTokens(tokens);
    this.aggregates = new AggregateTokens(tokens);
    this.patterns = written.stream().anyMatch(token -> token.kind == MATCH_RECOGNIZE);
  }

  static List<Token> rewrite(List<Token> written) {
    written.forEach(InternalNames::refuse);
    TokenForms forms = new TokenForms(BraceTokens.apart(written));
    StopCheck stop = StopCheck.current();
    for (int i = 0; i < forms.tokens.size(); i++) {
      stop.check();
      forms.at(i);
    }
    return forms.tokens;
  }

  private void at(int i) {
    switch (kind(i)) {
      case COMMA -> trailingComma(i);
      case COLON -> nameBefore(i);
      case FROM -> from(i);
      case ORDER -> {
        aggregates.orderedArguments(i);
        allColumns(i);
      }
      case GROUP -> allColumns(i);
      case VALUES -> values.values(i);
      case ARRAY -> values.arrayOfSet(i);
      case IGNORE, RESPECT -> aggregates.nullTreatment(i);
      case INTERVAL -> intervals.literal(i);
      case PLUS, MINUS -> intervals.labeledDuration(i);
      case COUNT -> aggregates.count(i);
      case APPROX_NUMERIC_LITERAL -> negativeZero(i);
      case EXTRACT -> extract(i);
      case FOR -> firstCharacters(i);
      case LATERAL -> lateralFunction(i);
      case JSON_OBJECT -> jsonOfQueries(i);
      case FILTER -> aggregates.filter(i);
      case IN -> operators.inList(i);
      case DISTINCT -> distinctOn(i);
      case AS -> alias(i);
      case DATE, TIME, TIMESTAMP, CONVERT, AT, MAP -> types.at(i);
      case IDENTIFIER -> identifier(i);
      case INFIX_CAST -> infixCast(i);
      case DATE_DIFF, DATEDIFF, DATEADD, DATE_PART, DATEPART, DATE_TRUNC -> dateFunction(i);
      case LBRACKET -> list(i);
      case AMPERSAND, LEFTSHIFT, GT, EQ, TILDE, TRIM, CONCAT -> operators.at(i);
      case LAMBDA -> operators.json(i);
      case LIMIT, OFFSET -> limits.at(i);
      case FETCH -> limits.fetch(i);
      case UNION -> byName(i);
      case PIVOT, UNPIVOT -> pivots.at(i);
      case FIRST, LAST, VERTICAL_BAR -> ofPattern(i);
      case CONTAINS, UUID -> functionName(i);
      case RANGE -> {
        functionName(i);
        froms.series(i);
      }
      case LBRACE_FN -> jdbcFunction(i);
      case LBRACE -> escape(i);
      case UNNEST -> selectedUnnest(i);
      case ASOF -> joins.asofJoin(i);
      case TABLESAMPLE -> samples.at(i);
      case USING -> samples.using(i);
      case WHERE -> noTable(i);
      case STAR -> star(i);
      default -> {
        if (!frames.groups(i)) {
          joins.semiJoin(i);
        }
      }
    }
  }

  private void from(int i) {
    if (froms.first(i)) {
      at(i);
    }
  }

  /** Words that mean something else where rows are matched by patterns. */
  private void ofPattern(int i) {
    if (!patterns && kind(i) == VERTICAL_BAR) {
      operators.at(i);
    } else if (!patterns) {
      functionName(i);
    }
  }

  private void star(int i) {
    if (!operators.power(i)) {
      stars.at(i);
    }
  }

  private void nameBefore(int colon) {
    int moved = aliases.at(colon);
    for (int at = moved; at >= 0 && at <= colon; at++) {
      at(at);
    }
  }

  /** {@code JSON_EACH(x)}: {@code UNNEST(list)}. */
  private void rows(int i) {
    String name = tokens.get(i).image;
    if (froms.rows(i)) {
      selectedUnnest(i);
      if (kind(i) == UNNEST) {
        froms.alias(i, name);
      }
    } else if (!frames.groups(i)) {
      joins.semiJoin(i);
    }
  }

  /** JDBC's functions, which Calcite knows by names in capitals only. */
  private void jdbcFunction(int brace) {
    Token name = tokens.get(brace + 1);
    tokens.set(brace + 1, like(name, name.kind, name.image.toUpperCase(Locale.ROOT)));
  }

  /** {@code UNNEST(list)} among the columns of a SELECT, which {@link SelectedUnnest} reads. */
  private void selectedUnnest(int i) {
    int depth = 0;
    for (int at = i - 1; at >= 0 && kind(i + 1) == LPAREN; at--) {
      int kind = kind(at);
      if (depth <= 0 && (kind == FROM || kind == JOIN || kind == LATERAL)) {
        froms.unnest(i);
        return;
      }
      if (depth <= 0 && kind == SELECT) {
        tokens.set(i, name(tokens.get(i), SelectedUnnest.MARK));
        return;
      }
      depth += kind == RPAREN ? 1 : kind == LPAREN ? -1 : 0;
    }
  }

  /** Words that the grammar takes for names. */
  private void identifier(int i) {
    String word = tokens.get(i).image;
    if (word.charAt(0) == StatementParser.NUMBER_SIGN) {
      columnNumbers.at(i);
      return;
    }
    if (word.charAt(0) == StatementParser.AT_SIGN) {
      operators.atSign(i);
      return;
    }
    if (DIGIT_GROUPS.matcher(word).matches()) {
      tokens.set(i, like(tokens.get(i), UNSIGNED_INTEGER_LITERAL, word.replace("_", "")));
    } else if (OTHER_BASES.matcher(word).matches()) {
      tokens.set(i, ofOtherBase(tokens.get(i)));
    } else if (word.equalsIgnoreCase("TIMESTAMPTZ")) {
      types.at(i);
    } else if (word.equalsIgnoreCase("LAMBDA")) {
      operators.lambda(i);
    } else if (word.equalsIgnoreCase("ISNULL") || word.equalsIgnoreCase("NOTNULL")) {
      operators.isNull(i);
    } else if (word.equalsIgnoreCase("GLOB")) {
      operators.glob(i);
    } else if (word.equalsIgnoreCase("STRUCT") && types.isNested(i)) {
      tokens.set(i, like(tokens.get(i), ROW, "ROW"));
    } else if (word.equalsIgnoreCase("GENERATE_SERIES")) {
      froms.series(i);
    } else if (word.equalsIgnoreCase("COLUMNS")) {
      stars.columns(i);
    } else if (word.equalsIgnoreCase("STRUCT_PACK")) {
      structs.packed(i);
    } else if (i == 0 && word.equalsIgnoreCase("PIVOT_WIDER")) {
      tokens.set(i, like(tokens.get(i), PIVOT, "PIVOT"));
      pivots.at(i);
    } else if (i == 0 && word.equalsIgnoreCase("PIVOT_LONGER")) {
      tokens.set(i, like(tokens.get(i), UNPIVOT, "UNPIVOT"));
      pivots.at(i);
    } else {
      rows(i);
    }
  }

  private static Token ofOtherBase(Token word) {
    int base =
        switch (word.image.charAt(1)) {
          case 'x', 'X' -> 16;
          case 'o', 'O' -> 8;
          default -> 2;
        };
    BigInteger number = new BigInteger(word.image.substring(2).replace("_", ""), base);
    return like(word, UNSIGNED_INTEGER_LITERAL, number.toString());
  }

  /** A zero behind a minus, which the parser would negate as a decimal, where it has no sign. */
  private void negativeZero(int i) {
    int minus = i - 1;
    while (kind(minus) == LPAREN) {
      minus--;
    }
    Token at = tokens.get(i);
    if (kind(minus) == MINUS && Double.parseDouble(at.image) == 0) {
      tokens.addAll(
          i + 1, List.of(like(at, AS, "AS"), like(at, DOUBLE, "DOUBLE"), like(at, RPAREN, ")")));
      tokens.addAll(i, List.of(like(at, CAST, "CAST"), like(at, LPAREN, "(")));
    }
  }

  /** The unit of EXTRACT as a text. */
  private void extract(int i) {
    if (kind(i + 1) == LPAREN && kind(i + 2) == QUOTED_STRING && kind(i + 3) == FROM) {
      tokens.set(i + 2, word(tokens.get(i + 2), unquoted(tokens.get(i + 2))));
    }
  }

  /** A function in FROM sees the items before it without the word, which the grammar refuses. */
  private void lateralFunction(int i) {
    if (kind(i + 1) != TABLE && kind(i + 1) != UNNEST && isWord(i + 1) && kind(i + 2) == LPAREN) {
      tokens.remove(i);
      at(i);
    }
  }

  /** {@code JSON_OBJECT('a', (SELECT ...))}: the grammar has no query behind a comma there. */
  private void jsonOfQueries(int i) {
    int close = kind(i + 1) == LPAREN ? closing(i + 1) : -1;
    for (int at = i + 2; at < close; at++) {
      if (kind(at) == COMMA && kind(at + 1) == LPAREN && kind(at + 2) == SELECT) {
        tokens.set(i, name(tokens.get(i), "JSON_BUILD_OBJECT"));
        return;
      }
      at = kind(at) == LPAREN ? closing(at) : at;
    }
  }

  /** {@code SUBSTRING(x FOR n)}: {@code SUBSTRING(x FROM 1 FOR n)}. */
  private void firstCharacters(int i) {
    int open = opening(i);
    if (open < 1 || kind(open - 1) != SUBSTRING) {
      return;
    }
    int depth = 0;
    for (int at = open + 1; at < i; at++) {
      depth += nesting(at);
      if (depth == 0 && kind(at) == FROM) {
        return;
      }
    }
    Token at = tokens.get(i);
    tokens.addAll(i, List.of(like(at, FROM, "FROM"), like(at, UNSIGNED_INTEGER_LITERAL, "1")));
  }

  /** {@code '3 days'::interval} is a literal. */
  private void infixCast(int i) {
    if (kind(i - 1) == QUOTED_STRING && kind(i + 1) == INTERVAL) {
      tokens.add(i - 1, tokens.remove(i + 1));
      tokens.remove(i + 1);
      intervals.literal(i - 1);
    } else {
      types.at(i);
    }
  }

  /** {@code UNION [ALL] BY NAME}: the second query gets a mark that {@link UnionByName} reads. */
  private void byName(int i) {
    int by = kind(i + 1) == ALL || kind(i + 1) == DISTINCT ? i + 2 : i + 1;
    int select = by + 2;
    while (kind(select) == LPAREN) {
      select++;
    }
    if (kind(by) != BY || kind(by + 1) != NAME || kind(select) != SELECT) {
      return;
    }
    int column = kind(select + 1) == ALL || kind(select + 1) == DISTINCT ? select + 2 : select + 1;
    if (kind(column) != ON) {
      tokens.add(column, like(tokens.get(i), COMMA, ","));
      tokens.add(column, name(tokens.get(i), UnionByName.MARK));
      tokens.subList(by, by + 2).clear();
    }
  }

  /** JDBC's braces around joins and escape characters, which the grammar has without them. */
  private void escape(int i) {
    boolean join = i + 1 < tokens.size() && tokens.get(i + 1).image.equalsIgnoreCase("OJ");
    int close = join || kind(i + 1) == ESCAPE ? closingBrace(i) : -1;
    if (kind(i - 1) == MAP && kind(i) == LBRACE) {
      structs.map(i, closingBrace(i));
    } else if (!join && kind(i + 1) != ESCAPE && structs.braces(i, closingBrace(i))) {
      at(i);
    }
    if (close > 0) {
      tokens.remove(close);
      tokens.subList(i, join ? i + 2 : i + 1).clear();
      at(i);
    }
  }

  /** The brace that closes one, -1 if none does. */
  private int closingBrace(int open) {
    int depth = 0;
    for (int i = open; i < tokens.size(); i++) {
      depth +=
          switch (kind(i)) {
            case LBRACE, LBRACE_D, LBRACE_T, LBRACE_TS, LBRACE_FN -> 1;
            case RBRACE -> -1;
            default -> 0;
          };
      if (depth == 0) {
        return i;
      }
    }
    return -1;
  }

  /** {@code [1, 2]} where no value is before it is {@code ARRAY[1, 2]}. */
  private void list(int i) {
    int before = kind(i - 1);
    boolean sized = kind(i + 1) == UNSIGNED_INTEGER_LITERAL && kind(i + 2) == RBRACKET;
    if (sized && types.isType(i)) {
      tokens.remove(i + 1); // INTEGER[3], whose number says nothing, as in PostgreSQL
    }
    if (kind(i + 1) == RBRACKET && types.isType(i)) {
      tokens.remove(i + 1); // INTEGER[]
      tokens.set(i, like(tokens.get(i), ARRAY, "ARRAY"));
      return;
    }
    boolean subscript =
        before == RPAREN
            || before == RBRACKET
            || before == ARRAY
            || before == MAP
            || before == QUOTED_STRING
            || isWord(i - 1) && !isOperatorWord(i - 1) && before != FROM;
    if (!subscript && structs.comprehension(i)) {
      at(i);
    } else if (!subscript) {
      tokens.add(i, like(tokens.get(i), ARRAY, "ARRAY"));
    } else {
      structs.slice(i);
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
    if (ends
        && isWord(i + 1)
        && kind(i + 1) != QUOTED_IDENTIFIER
        && kind(i + 1) != UNICODE_QUOTED_IDENTIFIER
        && !types.isType(i + 1)) {
      tokens.set(i + 1, name(tokens.get(i + 1), tokens.get(i + 1).image));
    }
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

  private void trailingComma(int i) {
    int next = kind(i + 1);
    if (next == FROM || next == RPAREN && kind(i - 1) != LPAREN || next == EOF) {
      tokens.remove(i);
      at(i);
    }
  }

  private void allColumns(int i) {
    boolean all = kind(i + 2) == ALL || kind(i) == ORDER && kind(i + 2) == STAR;
    if (kind(i + 1) == BY && all && ENDS.contains(kind(i + 3))) {
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

  /** One whose unit is a text or a column, or a word before a comma, is a function like others. */
  private void dateFunction(int i) {
    boolean unitFirst =
        kind(i + 2) == QUOTED_STRING
            || kind(i + 3) == COMMA && IntervalText.isUnit(tokens.get(i + 2).image);
    boolean anyText =
        kind(i) == DATE_PART
            || kind(i) == DATEPART
            || kind(i) == DATE_TRUNC && kind(i + 1) == LPAREN && !endsWithUnit(closing(i + 1) - 1);
    if (unitFirst || anyText) {
      functionName(i);
    }
  }

  /** BigQuery's {@code DATE_TRUNC(x, DAY)} and {@code DATE_TRUNC(x, WEEK(MONDAY))}. */
  private boolean endsWithUnit(int last) {
    int word = kind(last) == RPAREN ? last - 3 : last;
    if (word < 2) {
      return false;
    }
    String name = tokens.get(word).image.toUpperCase(Locale.ROOT);
    return name.endsWith("WEEK")
        || name.equals("ISOYEAR")
        || word == last
            && kind(word - 1) == COMMA
            && isWord(word)
            && name.length() > 1
            && DatePart.of(name).isPresent();
  }
}
