package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.parser.babel.Token;
import org.jspecify.annotations.Nullable;

/** The tokens of a statement, which are rewritten in place. */
abstract class TokenList {
  /** What follows the SELECT list or the FROM clause of a query. */
  static final Set<Integer> CLAUSES =
      Set.of(
          EOF, SEMICOLON, WHERE, GROUP, HAVING, QUALIFY, WINDOW, ORDER, LIMIT, OFFSET, FETCH, UNION,
          EXCEPT, INTERSECT, SET_MINUS);

  /** What comes before parentheses that are no arguments. */
  static final Set<Integer> NO_FUNCTION =
      Set.of(
          OVER, GROUP, AS, IN, EXISTS, FROM, JOIN, LATERAL, USING, ON, AND, OR, WHERE, NOT, BY,
          LIMIT, OFFSET, UNION, EXCEPT, INTERSECT, SET_MINUS, ANY, SOME, ALL, TO);

  /** What follows an alias, beside clauses. */
  static final Set<Integer> AFTER_ALIAS =
      Set.of(COMMA, FROM, RPAREN, JOIN, LEFT, RIGHT, INNER, FULL, CROSS, ON, USING);

  /** What follows a key of an order, or a column of a condition, and no frame. */
  private static final Set<Integer> AFTER_KEY = Set.of(ASC, DESC, NULLS, IN, IS, NOT, RANGE, ROWS);

  /** What follows a column and no word of a window's frame. */
  private static final Set<Integer> COLUMN_SIGNS =
      Set.of(INFIX_CAST, PLUS, STAR, SLASH, PERCENT_REMAINDER, EQ, NE, NE2, LT, LE, GT, GE, AS);

  private static final Set<Integer> OPERATOR_WORDS =
      Set.of(
          SELECT, DISTINCT, CASE, WHEN, THEN, ELSE, BETWEEN, LIKE, ILIKE, IS, HAVING, QUALIFY,
          FILTER, AND, OR, NOT, IN, ON, WHERE, BY);

  final EditedTokens tokens;

  TokenList(List<Token> tokens) {
    this.tokens = tokens instanceof EditedTokens shared ? shared : new EditedTokens(tokens);
  }

  int kind(int i) {
    return i < 0 || i >= tokens.size() ? EOF : tokens.get(i).kind;
  }

  boolean isFunction(int i) {
    return isWord(i) && !NO_FUNCTION.contains(kind(i));
  }

  boolean isWord(int i) {
    return kind(i) != EOF && Character.isJavaIdentifierStart(tokens.get(i).image.charAt(0))
        || kind(i) == QUOTED_IDENTIFIER;
  }

  /** 1 where a parenthesis, bracket or brace opens, -1 where one closes. */
  int nesting(int i) {
    return switch (kind(i)) {
      case LPAREN, LBRACKET, LBRACE, LBRACE_D, LBRACE_T, LBRACE_TS, LBRACE_FN -> 1;
      case RPAREN, RBRACKET, RBRACE -> -1;
      default -> 0;
    };
  }

  boolean isOperatorWord(int i) {
    return OPERATOR_WORDS.contains(kind(i));
  }

  /** A word that begins a clause elsewhere, called as a function. */
  void functionName(int i) {
    int before = kind(i - 1);
    boolean operand = isWord(i - 1) && kind(i - 1) == IDENTIFIER || before == RPAREN;
    boolean column =
        kind(i) == RANGE
            && (before == DOT
                || before == SELECT
                || AFTER_KEY.contains(kind(i + 1))
                || AFTER_ALIAS.contains(kind(i + 1))
                || CLAUSES.contains(kind(i + 1))
                || COLUMN_SIGNS.contains(kind(i + 1)));
    if (column || kind(i + 1) == LPAREN && !operand) {
      tokens.set(i, name(tokens.get(i), tokens.get(i).image));
    }
  }

  /** The parenthesis or bracket that one closes, -1 if none does. */
  int matching(int close) {
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

  /** The parenthesis that closes one, -1 if none does. */
  int closing(int open) {
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
  int opening(int inside) {
    return tokens.opening(inside);
  }

  /** INVALID_STATEMENT, with where a token stands. */
  static AragoniteException invalid(Token at, String sentence) {
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT,
        "%s (line %d, column %d).".formatted(sentence, at.beginLine, at.beginColumn));
  }

  static String unquoted(Token token) {
    return token.image.substring(1, token.image.length() - 1);
  }

  /** What a name or word is, without quotes around it. */
  static String withoutQuotes(Token word) {
    return word.kind == QUOTED_IDENTIFIER ? unquoted(word).replace("\"\"", "\"") : word.image;
  }

  static Token quotedName(Token at, String name) {
    return like(at, QUOTED_IDENTIFIER, '"' + name.replace("\"", "\"\"") + '"');
  }

  static Token name(@Nullable Token at, String name) {
    return like(at, IDENTIFIER, name);
  }

  /** A word as it is written, of whatever kind the lexer would have it. */
  static Token word(Token at, String word) {
    String upper = word.strip().toUpperCase(Locale.ROOT);
    for (int kind = 0; kind < tokenImage.length; kind++) {
      if (tokenImage[kind].equals("\"" + upper + "\"")) {
        return like(at, kind, upper);
      }
    }
    return like(at, IDENTIFIER, word);
  }

  static Token like(@Nullable Token at, int kind, String image) {
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
