package io.aragonite.adapter.ddl;

import io.aragonite.adapter.sql.SqlTokens;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** The words of a statement, one after the other; what follows them can be had as it is written. */
final class StatementReader {
  /** What constraints of a column begin with, beside NULL and NOT NULL. */
  private static final List<String> CONSTRAINTS =
      List.of(
          "CONSTRAINT",
          "DEFAULT",
          "CHECK",
          "PRIMARY",
          "UNIQUE",
          "REFERENCES",
          "GENERATED",
          "COLLATE",
          "AUTO_INCREMENT");

  private final String sql;
  private final List<Integer> starts = new ArrayList<>();
  private final List<String> tokens = new ArrayList<>();
  private int at;

  StatementReader(String sql) {
    this.sql = sql;
    for (int i = 0; i < sql.length(); ) {
      int end = SqlTokens.end(sql, i);
      String token = sql.substring(i, end);
      if (!SqlTokens.isBlank(token)) {
        starts.add(i);
        tokens.add(token);
      }
      i = end;
    }
  }

  boolean atEnd() {
    return at == tokens.size();
  }

  /** The next token as it is written; empty at the end. */
  String peek() {
    return atEnd() ? "" : tokens.get(at);
  }

  /** A token further on. */
  String peek(int ahead) {
    int place = at + ahead;
    return place < 0 || place >= tokens.size() ? "" : tokens.get(place);
  }

  String next() {
    String token = peek();
    at = Math.min(tokens.size(), at + 1);
    return token;
  }

  /** Takes words if they come next, all of them or none. */
  boolean take(String... words) {
    for (int i = 0; i < words.length; i++) {
      if (at + i >= tokens.size() || !tokens.get(at + i).equalsIgnoreCase(words[i])) {
        return false;
      }
    }
    at += words.length;
    return true;
  }

  void expect(String word) {
    if (!take(word)) {
      throw unexpected("'" + word + "'");
    }
  }

  /** A name, in quotes or not. */
  String name(String what) {
    String token = peek();
    char first = token.isEmpty() ? ' ' : token.charAt(0);
    if (token.length() > 1 && (first == '"' || first == '`')) {
      at++;
      return SqlTokens.unquoted(token);
    }
    if (!Character.isJavaIdentifierStart(first)) {
      throw unexpected(what);
    }
    at++;
    return token;
  }

  /** A text in quotes. */
  String text(String what) {
    String token = peek();
    if (token.length() < 2 || !token.startsWith("'") || !token.endsWith("'")) {
      throw unexpected(what);
    }
    at++;
    return token.substring(1, token.length() - 1).replace("''", "'");
  }

  /** What stands before one of some words, as it is written. */
  String upTo(String... words) {
    int from = at;
    while (!atEnd() && Arrays.stream(words).noneMatch(peek()::equalsIgnoreCase)) {
      at++;
    }
    if (from == at) {
      throw unexpected("the name of a table");
    }
    int end = atEnd() ? sql.length() : starts.get(at);
    return sql.substring(starts.get(from), end).strip();
  }

  /** Names in parentheses, if a parenthesis comes next. */
  List<String> names(String what) {
    List<String> names = new ArrayList<>();
    if (take("(")) {
      do {
        names.add(name(what));
      } while (take(","));
      expect(")");
    }
    return names;
  }

  /**
   * The rest of the statement, behind as many blanks and line ends as it stands behind characters:
   * errors tell of the same places.
   */
  String rest() {
    if (atEnd()) {
      throw unexpected("a query");
    }
    int start = starts.get(at);
    String rest = blank(start) + sql.substring(start);
    at = tokens.size();
    return rest;
  }

  /** {@link #rest} up to one of some pairs of words that is in no parentheses. */
  String restBefore(List<List<String>> ends) {
    int from = at;
    int depth = 0;
    while (!atEnd()) {
      if (depth == 0 && at > from && ends.stream().anyMatch(this::comesNext)) {
        return blank(starts.get(from)) + sql.substring(starts.get(from), starts.get(at));
      }
      depth += SqlTokens.nesting(next());
    }
    at = from;
    return rest();
  }

  private boolean comesNext(List<String> words) {
    return IntStream.range(0, words.size()).allMatch(i -> peek(i).equalsIgnoreCase(words.get(i)));
  }

  /**
   * What stands between the parenthesis that comes next and its end, behind as many blanks as it
   * stands behind characters.
   */
  String inParentheses() {
    expect("(");
    int from = at;
    int depth = 1;
    while (!atEnd()) {
      String token = next();
      depth += token.equals("(") ? 1 : token.equals(")") ? -1 : 0;
      if (depth == 0) {
        return blank(starts.get(from)) + sql.substring(starts.get(from), starts.get(at - 1));
      }
    }
    throw unexpected("')'");
  }

  /**
   * The type of a column, as it is written: up to its constraints, or a comma or parenthesis that
   * is in none itself, nor in {@code <>}.
   */
  String columnType() {
    return outside(
        token ->
            token.equals(",")
                || token.equals(")")
                || token.equalsIgnoreCase("USING")
                || isConstraint(token)
                || isNull(token),
        StatementReader::nestingOfType);
  }

  private static boolean isConstraint(String token) {
    return CONSTRAINTS.contains(token.toUpperCase(Locale.ROOT));
  }

  private static boolean isNull(String token) {
    return token.equalsIgnoreCase("NOT") || token.equalsIgnoreCase("NULL");
  }

  /**
   * The default of a column, which ends before its constraints: NULL, and NOT in front of it, are
   * such ones unless an operator wants a value there.
   */
  String defaultValue() {
    int first = at;
    if (atEnd() || peek().equals(",") || peek().equals(")")) {
      throw unexpected("an expression");
    }
    return outside(
        token ->
            at > first
                && (token.equals(",")
                    || token.equals(")")
                    || isConstraint(token)
                    || !wantsValue(peek(-1))
                        && (token.equalsIgnoreCase("NULL")
                            || token.equalsIgnoreCase("NOT") && peek(1).equalsIgnoreCase("NULL"))),
        StatementReader::nestingOfValue);
  }

  private static boolean wantsValue(String token) {
    return List.of("IS", "NOT", "AND", "OR").contains(token.toUpperCase(Locale.ROOT))
        || token.length() == 1 && "+-*/%=<>|".contains(token);
  }

  private static int nestingOfValue(String token) {
    return switch (token.toUpperCase(Locale.ROOT)) {
      case "CASE" -> 1;
      case "END" -> -1;
      default -> SqlTokens.nesting(token);
    };
  }

  /** A list of expressions in parentheses. */
  List<String> expressions() {
    List<String> expressions = new ArrayList<>();
    expect("(");
    do {
      expressions.add(argument());
    } while (take(","));
    expect(")");
    return expressions;
  }

  /**
   * An expression, which ends before a comma that is in no parentheses, or before a word; FROM of
   * IS DISTINCT FROM is none.
   */
  String expression(String... words) {
    String expression =
        outside(
            token ->
                token.equals(",")
                    || token.equals(";")
                    || Arrays.stream(words).anyMatch(token::equalsIgnoreCase)
                        && !peek(-1).equalsIgnoreCase("DISTINCT"),
            SqlTokens::nesting);
    if (expression.isEmpty()) {
      throw unexpected("an expression");
    }
    return expression;
  }

  /** An expression in parentheses with others. */
  String argument() {
    String argument = outside(token -> token.equals(",") || token.equals(")"), SqlTokens::nesting);
    if (argument.isEmpty()) {
      throw unexpected("an expression");
    }
    return argument;
  }

  /** What comes before one of some words that is outside of parentheses and CASE. */
  String clause(String... words) {
    String clause =
        outside(
            token -> token.equals(";") || Arrays.stream(words).anyMatch(token::equalsIgnoreCase),
            StatementReader::nestingOfValue);
    if (clause.isEmpty()) {
      throw unexpected("an expression");
    }
    return clause;
  }

  /** The tokens before one that is not nested in others, as they are written. */
  private String outside(Predicate<String> end, ToIntFunction<String> nesting) {
    int from = at;
    int depth = 0;
    while (!atEnd() && (depth > 0 || !end.test(peek()))) {
      int deeper = nesting.applyAsInt(peek());
      if (depth + deeper < 0) {
        throw unexpected("the statement's end");
      }
      depth += deeper;
      at++;
    }
    if (depth > 0) {
      throw unexpected("what closes a parenthesis");
    }
    int last = atEnd() ? sql.length() : starts.get(at);
    return from == at ? "" : sql.substring(starts.get(from), last).strip();
  }

  private static int nestingOfType(String token) {
    return switch (token) {
      case "(", "<" -> 1;
      case ")", ">" -> -1;
      case "<<" -> 2;
      case ">>" -> -2;
      default -> 0;
    };
  }

  private String blank(int length) {
    return sql.substring(0, length).replaceAll("[^\\n]", " ");
  }

  void end() {
    if (!atEnd()) {
      throw unexpected("the statement's end");
    }
  }

  AragoniteException unexpected(String wanted) {
    int offset = atEnd() ? sql.length() : starts.get(at);
    int line = (int) sql.substring(0, offset).chars().filter(c -> c == '\n').count() + 1;
    int column = offset - (sql.lastIndexOf('\n', Math.max(0, offset - 1)) + 1) + 1;
    return new AragoniteException(
        ErrorCode.SYNTAX,
        String.format(
            Locale.ROOT,
            "%s is wanted %s (line %d, column %d).",
            wanted,
            atEnd() ? "where the statement ends" : "in place of '" + peek() + "'",
            line,
            column));
  }
}
