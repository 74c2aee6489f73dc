package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * Statements that turn tables round, as queries:
 *
 * <ul>
 *   <li>{@code PIVOT t ON x IN (1, 2) USING sum(y)}: {@code SELECT * FROM t PIVOT (sum(y) FOR x IN
 *       (1, 2))}; with {@code GROUP BY g} the aggregates with a FILTER for each value
 *   <li>without IN the values are those that {@link PivotValues} finds
 *   <li>{@code UNPIVOT t ON a, b INTO NAME n VALUE v}: {@code SELECT * FROM t UNPIVOT (v FOR n IN
 *       (a, b))}
 * </ul>
 */
final class PivotTokens extends TokenList {
  private static final Set<Integer> ENDS =
      Set.of(EOF, SEMICOLON, RPAREN, ORDER, LIMIT, OFFSET, FETCH, UNION, EXCEPT, INTERSECT);

  private final List<Token> written;

  /**
   * @param written the tokens as they were before any was rewritten
   */
  PivotTokens(List<Token> tokens, List<Token> written) {
    super(tokens);
    this.written = written;
  }

  /** In FROM the words have a table before them, here a statement or query begins with one. */
  void at(int i) {
    if (i > 0 && kind(i - 1) != LPAREN && !isBehindQueries(i)) {
      if (kind(i) == UNPIVOT && kind(i + 1) == LPAREN) {
        numbersAsNames(i + 1);
      } else if (kind(i) == PIVOT && kind(i + 1) == LPAREN) {
        requireValues(i + 1);
        behindAlias(i);
      }
      return;
    }
    if (kind(i) == PIVOT) {
      pivot(i);
    } else {
      unpivot(i);
    }
  }

  /** A null in IN equals nothing: its column would be empty without a word. */
  private void requireValues(int open) {
    boolean listed = false;
    for (int at = open; at < closing(open); at++) {
      listed |= kind(at) == IN;
      if (listed && kind(at) == NULL) {
        throw invalid(
            tokens.get(at),
            "No row has a value that equals the NULL of this PIVOT; as a statement it has one:"
                + " PIVOT t ON y IN (1, NULL) USING sum(x)");
      }
    }
  }

  /**
   * {@code (VALUES ...) t(x, y) PIVOT (...)} as a query of its own: the grammar has the alias
   * behind PIVOT.
   */
  private void behindAlias(int i) {
    int names = kind(i - 1) == RPAREN ? matching(i - 1) : i;
    int before = kind(names - 2) == AS ? names - 3 : names - 2;
    int start = isWord(names - 1) && kind(before) == RPAREN ? matching(before) : -1;
    if (start < 0 || isFunction(start - 1)) {
      return;
    }
    Token at = tokens.get(start);
    tokens.add(i, like(at, RPAREN, ")"));
    tokens.addAll(
        start,
        List.of(
            like(at, LPAREN, "("),
            like(at, SELECT, "SELECT"),
            like(at, STAR, "*"),
            like(at, FROM, "FROM")));
  }

  /** Whether a word is where WITH has ended: {@code WITH q AS (...) PIVOT q ON x USING sum(y)}. */
  private boolean isBehindQueries(int i) {
    int open = kind(i - 1) == RPAREN ? matching(i - 1) : -1;
    return open > 0
        && (kind(open - 1) == AS || tokens.get(open - 1).image.equalsIgnoreCase("MATERIALIZED"));
  }

  /**
   * Numbers among the columns of an UNPIVOT are names, those of a pivot's columns; behind AS they
   * are values.
   */
  private void numbersAsNames(int open) {
    int close = closing(open);
    boolean listed = false;
    for (int at = open; at < close; at++) {
      listed |= kind(at) == IN;
      if (kind(at) == AS) {
        at = kind(at + 1) == LPAREN ? closing(at + 1) : at + 1;
      } else if (listed && kind(at) == UNSIGNED_INTEGER_LITERAL) {
        tokens.set(at, like(tokens.get(at), QUOTED_IDENTIFIER, '"' + tokens.get(at).image + '"'));
      }
    }
  }

  private void pivot(int i) {
    int on = find(i + 1, ON);
    int in = find(on + 1, IN);
    if (kind(on) == ON && kind(in) != IN) {
      in = listed(i, on);
    }
    int close = kind(in + 1) == LPAREN ? closing(in + 1) : -1;
    if (kind(on) != ON || kind(in) != IN || close < 0 || kind(close + 1) != USING) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "PIVOT needs the values that become columns, and an aggregate: PIVOT t ON x IN (1, 2)"
              + " USING sum(y).");
    }
    int group = find(close + 2, GROUP);
    while (kind(group) == GROUP && kind(group + 1) != BY) { // WITHIN GROUP
      group = find(group + 1, GROUP);
    }
    int end = kind(group) == GROUP ? find(group + 1, -1) : group;
    List<Token> table = List.copyOf(tokens.subList(i + 1, on));
    List<Token> key = List.copyOf(tokens.subList(on + 1, in));
    List<Token> values = List.copyOf(tokens.subList(in + 1, close + 1));
    List<Token> aggregates = List.copyOf(tokens.subList(close + 2, group));
    Token at = tokens.get(i);
    List<Token> made = new ArrayList<>(List.of(like(at, SELECT, "SELECT")));
    boolean named = kind(group) != GROUP && needsNames(values, aggregates);
    if (kind(group) == GROUP || named) {
      List<Token> groups =
          named
              ? otherColumns(i, table, key, aggregates)
              : List.copyOf(tokens.subList(group + 2, end));
      made.addAll(groups);
      requireParametersOnce(values, key, aggregates);
      for (List<Token> value : parts(values.subList(1, values.size() - 1))) {
        for (List<Token> aggregate : parts(aggregates)) {
          if (made.size() > 1) {
            made.add(like(at, COMMA, ","));
          }
          filtered(made, aggregate, key, value, parts(aggregates).size() > 1);
        }
      }
      made.add(like(at, FROM, "FROM"));
      made.addAll(table);
      if (!groups.isEmpty()) {
        made.addAll(List.of(like(at, GROUP, "GROUP"), like(at, BY, "BY")));
        made.addAll(copies(groups));
      }
    } else {
      ofGrammar(made, table, key, values, aggregates);
    }
    tokens.subList(i, end).clear();
    tokens.addAll(i, made);
  }

  /** Aggregates and keys are written once for each column, and a parameter has one place. */
  private static void requireParametersOnce(
      List<Token> values, List<Token> key, List<Token> aggregates) {
    boolean several = parts(values.subList(1, values.size() - 1)).size() > 1;
    Stream.of(
            several || parts(aggregates).size() > 1 ? key : List.<Token>of(),
            several ? aggregates : List.<Token>of())
        .flatMap(List::stream)
        .filter(token -> token.kind == HOOK)
        .findFirst()
        .ifPresent(parameter -> {
          throw invalid(
              parameter,
              "Aggregates and keys of a PIVOT cannot depend on parameters; make a column of the"
                  + " expression in a subquery: PIVOT (SELECT x * ? AS y FROM t) ON ... USING"
                  + " sum(y)");
        });
  }

  /** {@code * FROM t PIVOT (sum(y) FOR x IN (1, 2))}. */
  private static void ofGrammar(
      List<Token> made,
      List<Token> table,
      List<Token> key,
      List<Token> values,
      List<Token> aggregates) {
    Token at = table.getFirst();
    made.addAll(List.of(like(at, STAR, "*"), like(at, FROM, "FROM")));
    boolean query = table.getFirst().kind == LPAREN; // and an alias, perhaps
    if (query) {
      made.addAll(
          List.of(
              like(at, LPAREN, "("),
              like(at, SELECT, "SELECT"),
              like(at, STAR, "*"),
              like(at, FROM, "FROM")));
    }
    made.addAll(table);
    if (query) {
      made.add(like(at, RPAREN, ")"));
    }
    made.addAll(List.of(like(at, PIVOT, "PIVOT"), like(at, LPAREN, "(")));
    made.addAll(named(aggregates));
    made.add(like(at, FOR, "FOR"));
    made.addAll(key);
    made.add(like(at, IN, "IN"));
    made.addAll(values);
    made.add(like(at, RPAREN, ")"));
  }

  /** Whether the grammar's PIVOT will not do, which knows aggregates alone, and no null. */
  private static boolean needsNames(List<Token> values, List<Token> aggregates) {
    return PivotValues.CURRENT.isBound()
        && (values.stream().anyMatch(token -> token.kind == NULL)
            || parts(aggregates).size() > 1
            || !parts(aggregates).stream().allMatch(PivotTokens::isCall));
  }

  /** What a PIVOT without GROUP BY groups by: the columns that it has no other use for. */
  private List<Token> otherColumns(
      int pivot, List<Token> table, List<Token> key, List<Token> aggregates) {
    List<Token> used = new ArrayList<>(key);
    used.addAll(aggregates);
    requireNoParameters(table, key);
    String with = queries(pivot, pivot + 1 + table.size(), key);
    Token at = tokens.get(pivot);
    List<Token> made = new ArrayList<>();
    for (String column : PivotValues.CURRENT.get().columns(with, "*", spaced(table))) {
      if (used.stream().noneMatch(token -> withoutQuotes(token).equalsIgnoreCase(column))) {
        if (!made.isEmpty()) {
          made.add(like(at, COMMA, ","));
        }
        made.add(quotedName(at, column));
      }
    }
    return made;
  }

  /** Whether an aggregate is one call and a name, if any. */
  private static boolean isCall(List<Token> aggregate) {
    int end = lastAs(aggregate) < 0 ? aggregate.size() : lastAs(aggregate);
    return PivotedAggregate.isCall(aggregate.subList(0, end));
  }

  /** Several aggregates under names, which tell their columns apart. */
  private static List<Token> named(List<Token> aggregates) {
    List<List<Token>> all = parts(aggregates);
    if (all.size() == 1) {
      return aggregates;
    }
    List<Token> made = new ArrayList<>();
    for (List<Token> aggregate : all) {
      Token at = aggregate.getFirst();
      if (!made.isEmpty()) {
        made.add(like(at, COMMA, ","));
      }
      made.addAll(aggregate);
      if (lastAs(aggregate) < 0) {
        made.add(like(at, AS, "AS"));
        made.add(like(at, QUOTED_IDENTIFIER, '"' + text(aggregate).replace("\"", "\"\"") + '"'));
      }
    }
    return made;
  }

  /**
   * Puts the values of what a PIVOT is by behind it, of several columns all combinations; returns
   * where they are.
   */
  private int listed(int pivot, int on) {
    int using = find(on + 1, USING);
    if (kind(using) != USING || !PivotValues.CURRENT.isBound()) {
      return using;
    }
    Token at = tokens.get(pivot);
    List<Token> key = List.copyOf(tokens.subList(on + 1, using));
    List<List<Token>> keys = parts(key);
    boolean query = key.stream().anyMatch(token -> token.kind == SELECT);
    requireNoParameters(tokens.subList(pivot + 1, using), key);
    String with = queries(pivot, query ? using : on, key);
    String table = spaced(tokens.subList(pivot + 1, on));
    List<Combination> combinations = List.of(new Combination(List.of(), ""));
    for (List<Token> column : keys) {
      List<PivotValues.Value> values = PivotValues.CURRENT.get().of(with, table, spaced(column));
      combinations = combined(combinations, values, at, spaced(key));
    }
    List<Token> made = new ArrayList<>(List.of(like(at, IN, "IN"), like(at, LPAREN, "(")));
    for (Combination combination : combinations) {
      if (made.size() > 2) {
        made.add(like(at, COMMA, ","));
      }
      made.addAll(keys.size() > 1 ? inParentheses(at, combination.values) : combination.values);
      made.add(like(at, AS, "AS"));
      made.add(like(at, QUOTED_IDENTIFIER, '"' + combination.name.replace("\"", "\"\"") + '"'));
    }
    made.add(like(at, RPAREN, ")"));
    List<Token> wrapped = keys.size() > 1 ? inParentheses(at, key) : key;
    tokens.subList(on + 1, using).clear();
    tokens.addAll(on + 1, made);
    tokens.addAll(on + 1, wrapped);
    return on + 1 + wrapped.size();
  }

  /** A value of each column that a PIVOT is by, and what the column of them is called. */
  private record Combination(List<Token> values, String name) {}

  private static List<Combination> combined(
      List<Combination> before, List<PivotValues.Value> values, Token at, String key) {
    PivotValues.requireSome((long) before.size() * values.size(), key);
    List<Combination> made = new ArrayList<>();
    for (Combination first : before) {
      for (PivotValues.Value value : values) {
        if (value.text().isEmpty()) {
          throw noName(key);
        }
        List<Token> literals = new ArrayList<>(copies(first.values));
        if (!literals.isEmpty()) {
          literals.add(like(at, COMMA, ","));
        }
        literal(literals, at, value);
        String name = first.name.isEmpty() ? value.text() : first.name + "_" + value.text();
        made.add(new Combination(literals, name));
      }
    }
    return made;
  }

  private static List<Token> inParentheses(Token at, List<Token> inner) {
    List<Token> made = new ArrayList<>(List.of(like(at, LPAREN, "(")));
    made.addAll(inner);
    made.add(like(at, RPAREN, ")"));
    return made;
  }

  private static AragoniteException noName(String key) {
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT,
        "PIVOT needs a name for the column of the empty text: ON %s IN ('' AS \"empty\", ...)."
            .formatted(key));
  }

  /** The query that looks for values has nothing of the statement around it. */
  private static void requireNoParameters(List<Token> query, List<Token> key) {
    if (query.stream().anyMatch(token -> token.kind == HOOK)) {
      throw dependent("cannot depend on parameters", key);
    }
  }

  private static AragoniteException dependent(String why, List<Token> key) {
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT,
        "What looks for the values of a PIVOT %s; list them: ON %s IN (...)."
            .formatted(why, spaced(key)));
  }

  /**
   * The queries of WITH that the values come from; empty if they come from none.
   *
   * @param end of what may name tables
   */
  private String queries(int pivot, int end, List<Token> key) {
    Token query = new QueryNames(tokens).firstIn(pivot + 1, end);
    if (query == null) {
      return "";
    }
    Token word = tokens.get(pivot);
    int place = 0;
    while (place < written.size()
        && (written.get(place).beginLine != word.beginLine
            || written.get(place).beginColumn != word.beginColumn)) {
      place++;
    }
    List<Token> with = new QueryNames(written).before(place);
    if (with == null) {
      throw dependent("cannot read " + query.image + ", a query of WITH RECURSIVE", key);
    }
    requireNoParameters(with, key);
    return spaced(with);
  }

  private static void literal(List<Token> made, Token at, PivotValues.Value value) {
    String text = value.text();
    switch (value.kind()) {
      case CHAR, VARCHAR -> made.add(like(at, QUOTED_STRING, quoted(text)));
      case DATE -> {
        made.add(like(at, DATE, "DATE"));
        made.add(like(at, QUOTED_STRING, quoted(text)));
      }
      case BOOLEAN -> {
        boolean truth = text.equalsIgnoreCase("true");
        made.add(like(at, truth ? TRUE : FALSE, truth ? "TRUE" : "FALSE"));
      }
      case INT8, INT16, INT32, INT64, DECIMAL -> {
        boolean negative = text.startsWith("-");
        if (negative) {
          made.add(like(at, MINUS, "-"));
        }
        String digits = negative ? text.substring(1) : text;
        int kind = digits.contains(".") ? DECIMAL_NUMERIC_LITERAL : UNSIGNED_INTEGER_LITERAL;
        made.add(like(at, kind, digits));
      }
      default ->
          throw new AragoniteException(
              ErrorCode.INVALID_STATEMENT,
              "PIVOT finds values of type %s, of which no columns are made; list them with IN, or cast to VARCHAR."
                  .formatted(value.kind().sqlName()));
    }
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static String spaced(List<Token> tokens) {
    StringBuilder text = new StringBuilder();
    tokens.forEach(token -> text.append(text.isEmpty() ? "" : " ").append(token.image));
    return text.toString();
  }

  /** {@code sum(y) FILTER (WHERE x = 1) AS "1"}. */
  private static void filtered(
      List<Token> made,
      List<Token> aggregate,
      List<Token> key,
      List<Token> value,
      boolean several) {
    Token at = value.get(0);
    int as = lastAs(aggregate);
    List<Token> call = as < 0 ? aggregate : aggregate.subList(0, as);
    int valueAs = lastAs(value);
    List<Token> compared = valueAs < 0 ? value : value.subList(0, valueAs);
    String name = valueAs < 0 ? label(value) : label(List.of(value.get(valueAs + 1)));
    String suffix = as >= 0 ? aggregate.get(as + 1).image : several ? text(call) : "";
    made.addAll(PivotedAggregate.of(call, condition(key, compared)));
    made.add(like(at, AS, "AS"));
    String column = suffix.isEmpty() ? name : name + "_" + suffix;
    if (column.isEmpty()) {
      throw noName(spaced(key));
    }
    made.add(like(at, QUOTED_IDENTIFIER, '"' + column.replace("\"", "\"\"") + '"'));
  }

  /** What the column of a value is called: {@code 1_NULL} of {@code (1, NULL)}. */
  private static String label(List<Token> value) {
    List<List<Token>> inner = separate(value);
    if (inner.size() > 1) {
      return inner.stream().map(PivotTokens::label).collect(Collectors.joining("_"));
    }
    Token first = value.getFirst();
    if (value.size() == 1) {
      boolean quoted = first.kind == QUOTED_STRING || first.kind == QUOTED_IDENTIFIER;
      return quoted ? unquoted(first) : first.kind == NULL ? "NULL" : first.image;
    }
    boolean signed = first.kind == MINUS && value.size() == 2;
    return signed ? text(value) : spaced(value);
  }

  /** {@code x = 1 AND y = 2}, or {@code x IS NULL}. */
  private static List<Token> condition(List<Token> key, List<Token> compared) {
    Token at = compared.get(0);
    List<Token> made = new ArrayList<>();
    List<List<Token>> keys = separate(key);
    List<List<Token>> values = keys.size() > 1 ? separate(compared) : List.of(compared);
    for (int i = 0; i < keys.size(); i++) {
      if (i > 0) {
        made.add(like(at, AND, "AND"));
      }
      made.addAll(copies(keys.get(i)));
      boolean none = values.get(i).size() == 1 && values.get(i).getFirst().kind == NULL;
      made.add(none ? like(at, IS, "IS") : like(at, EQ, "="));
      made.addAll(copies(values.get(i)));
    }
    return made;
  }

  /** What a pair of parentheses around all has, of several columns. */
  private static List<List<Token>> separate(List<Token> key) {
    boolean around = key.getFirst().kind == LPAREN && key.getLast().kind == RPAREN;
    List<List<Token>> inner = around ? parts(key.subList(1, key.size() - 1)) : List.of(key);
    return inner.size() > 1 ? inner : List.of(key);
  }

  /** Each token is linked with the next: one that stands twice would be a circle. */
  private static List<Token> copies(List<Token> tokens) {
    return tokens.stream().map(token -> like(token, token.kind, token.image)).toList();
  }

  private static String text(List<Token> tokens) {
    StringBuilder text = new StringBuilder();
    tokens.forEach(token -> text.append(token.image));
    return text.toString();
  }

  private static int lastAs(List<Token> tokens) {
    return tokens.size() > 2 && tokens.get(tokens.size() - 2).kind == AS ? tokens.size() - 2 : -1;
  }

  private void unpivot(int i) {
    int on = find(i + 1, ON);
    int into = find(on + 1, INTO);
    int end = kind(into) == INTO ? find(into + 1, -1) : into;
    boolean named = kind(into + 1) == NAME && kind(into + 3) == VALUE && into + 5 == end;
    if (kind(on) != ON || kind(into) == INTO && !named) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "UNPIVOT needs the columns that become rows: UNPIVOT t ON a, b INTO NAME n VALUE v.");
    }
    Token at = tokens.get(i);
    List<Token> made =
        new ArrayList<>(
            List.of(like(at, SELECT, "SELECT"), like(at, STAR, "*"), like(at, FROM, "FROM")));
    made.addAll(tokens.subList(i + 1, on));
    made.addAll(List.of(like(at, UNPIVOT, "UNPIVOT"), like(at, LPAREN, "(")));
    made.add(named ? tokens.get(into + 4) : name(at, "value"));
    made.add(like(at, FOR, "FOR"));
    made.add(named ? tokens.get(into + 2) : name(at, "name"));
    made.addAll(List.of(like(at, IN, "IN"), like(at, LPAREN, "(")));
    for (Token column : unpivoted(i, on, into)) {
      boolean number = column.kind == UNSIGNED_INTEGER_LITERAL; // the name of a pivot's column
      made.add(number ? like(column, QUOTED_IDENTIFIER, '"' + column.image + '"') : column);
    }
    made.addAll(List.of(like(at, RPAREN, ")"), like(at, RPAREN, ")")));
    tokens.subList(i, end).clear();
    tokens.addAll(i, made);
  }

  /** The columns that an UNPIVOT is of, by name: also those of a star and of COLUMNS. */
  private List<Token> unpivoted(int unpivot, int on, int into) {
    List<Token> listed = List.copyOf(tokens.subList(on + 1, into));
    boolean names =
        listed.stream()
            .noneMatch(
                token -> token.kind == STAR || token.image.equalsIgnoreCase(StarTokens.COLUMNS));
    if (names || !PivotValues.CURRENT.isBound()) {
      return listed;
    }
    requireNoParameters(tokens.subList(unpivot + 1, into), listed);
    String with = queries(unpivot, on, listed);
    String table = spaced(tokens.subList(unpivot + 1, on));
    Token at = tokens.get(unpivot);
    List<Token> made = new ArrayList<>();
    for (String column : PivotValues.CURRENT.get().columns(with, spaced(listed), table)) {
      if (!made.isEmpty()) {
        made.add(like(at, COMMA, ","));
      }
      made.add(quotedName(at, column));
    }
    return made;
  }

  /**
   * The first token of a kind outside of parentheses; where the statement ends if there is none.
   */
  private int find(int from, int wanted) {
    int depth = 0;
    int at = from;
    for (; at < tokens.size(); at++) {
      int kind = kind(at);
      if (depth == 0 && (kind == wanted || ENDS.contains(kind))) {
        break;
      }
      depth += kind == LPAREN ? 1 : kind == RPAREN ? -1 : 0;
    }
    return at;
  }

  /** What commas outside of parentheses separate. */
  private static List<List<Token>> parts(List<Token> tokens) {
    List<List<Token>> parts = new ArrayList<>(List.of(new ArrayList<>()));
    int depth = 0;
    for (Token token : tokens) {
      depth += token.kind == LPAREN ? 1 : token.kind == RPAREN ? -1 : 0;
      if (depth == 0 && token.kind == COMMA) {
        parts.add(new ArrayList<>());
      } else {
        parts.getLast().add(token);
      }
    }
    return parts;
  }
}
