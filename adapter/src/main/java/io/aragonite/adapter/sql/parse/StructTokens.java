package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.adapter.sql.function.StructPack;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * Structs and parts of lists, as DuckDB writes them:
 *
 * <ul>
 *   <li>{@code {'a': 1, b: 2}}, {@code struct_pack(a := 1, b := 2)}: a call with names and values
 *   <li>{@code MAP {'a': 1}}: {@code MAP['a', 1]}
 *   <li>{@code x[1:3]}: {@code LIST_SLICE(x, 1, 3)}
 *   <li>{@code [e FOR x IN list IF c]}: functions of the list with lambdas
 * </ul>
 */
final class StructTokens extends OperandTokens {
  StructTokens(List<Token> tokens) {
    super(tokens);
  }

  /**
   * {@code {'a': 1}}.
   *
   * @param close the brace that ends it
   * @return whether it was one
   */
  boolean braces(int open, int close) {
    if (close < 0 || !isName(open + 1) || kind(open + 2) != COLON) {
      return false;
    }
    pack(open, open, close, 1);
    return true;
  }

  /** {@code struct_pack(a := 1)}, of which a token is the name. */
  void packed(int i) {
    int close = kind(i + 1) == LPAREN ? closing(i + 1) : -1;
    if (close > 0 && isName(i + 2) && kind(i + 3) == COLON && kind(i + 4) == EQ) {
      pack(i, i + 1, close, 2);
    } else if (close > 0) {
      throw StructPack.unnamed();
    }
  }

  private boolean isName(int i) {
    return kind(i) == QUOTED_STRING || isWord(i);
  }

  /**
   * Puts the call in the place of tokens.
   *
   * @param first of the tokens
   * @param open what the names and values are between, with {@code close}
   * @param signs tokens between a name and its value
   */
  private void pack(int first, int open, int close, int signs) {
    Token at = tokens.get(open);
    List<Token> made = new ArrayList<>();
    made.add(name(at, StructPack.MARK));
    made.add(like(at, LPAREN, "("));
    int depth = 0;
    boolean begins = true;
    for (int i = open + 1; i < close; i++) {
      if (begins && isName(i) && kind(i + 1) == COLON) {
        made.add(like(tokens.get(i), QUOTED_STRING, "'" + text(i).replace("'", "''") + "'"));
        made.add(like(tokens.get(i), COMMA, ","));
        i += signs;
        begins = false;
        continue;
      }
      depth += nesting(i);
      begins = depth == 0 && kind(i) == COMMA;
      made.add(tokens.get(i));
    }
    made.add(like(tokens.get(close), RPAREN, ")"));
    tokens.subList(first, close + 1).clear();
    tokens.addAll(first, made);
  }

  /** A name without its quotes. */
  private String text(int i) {
    String image = tokens.get(i).image;
    return switch (kind(i)) {
      case QUOTED_STRING -> unquoted(tokens.get(i)).replace("''", "'");
      case QUOTED_IDENTIFIER -> unquoted(tokens.get(i)).replace("\"\"", "\"");
      case BACK_QUOTED_IDENTIFIER, BRACKET_QUOTED_IDENTIFIER -> unquoted(tokens.get(i));
      default -> image;
    };
  }

  /**
   * {@code MAP {'a': 1}}, of which a token is the brace.
   *
   * @param close the brace that ends it
   */
  void map(int open, int close) {
    int depth = 0;
    for (int i = open; i < close; i++) {
      depth += nesting(i);
      if (depth == 1 && kind(i) == COLON) {
        tokens.set(i, like(tokens.get(i), COMMA, ","));
      }
    }
    if (close > 0) {
      tokens.set(open, like(tokens.get(open), LBRACKET, "["));
      tokens.set(close, like(tokens.get(close), RBRACKET, "]"));
    }
  }

  /**
   * {@code [e FOR x IN list IF c]}.
   *
   * @param open its bracket
   * @return whether it was one
   */
  boolean comprehension(int open) {
    int each = -1;
    int filter = -1;
    int close = open;
    for (int depth = 0; close < tokens.size(); close++) {
      depth += nesting(close);
      if (depth == 0) {
        break;
      }
      each = depth == 1 && kind(close) == FOR && each < 0 ? close : each;
      filter = depth == 1 && each > 0 && isIf(close) ? close : filter;
    }
    if (each < 0 || close == tokens.size() || !isWord(each + 1) || kind(each + 2) != IN) {
      return false;
    }
    Token at = tokens.get(open);
    List<Token> list = tokens.subList(each + 3, filter < 0 ? close : filter);
    if (filter > 0) {
      list = call(at, "LIST_FILTER", list, tokens.get(each + 1), tokens.subList(filter + 1, close));
    }
    List<Token> made =
        call(at, "LIST_TRANSFORM", list, tokens.get(each + 1), tokens.subList(open + 1, each));
    tokens.subList(open, close + 1).clear();
    tokens.addAll(open, made);
    return true;
  }

  private boolean isIf(int i) {
    return tokens.get(i).image.equalsIgnoreCase("IF");
  }

  private static List<Token> call(
      Token at, String function, List<Token> list, Token element, List<Token> value) {
    List<Token> made = new ArrayList<>();
    made.add(name(at, function));
    made.add(like(at, LPAREN, "("));
    made.addAll(list);
    made.add(like(at, COMMA, ","));
    made.add(like(element, element.kind, element.image));
    made.add(like(at, LAMBDA, OperatorTokens.FUNCTION));
    made.addAll(value);
    made.add(like(at, RPAREN, ")"));
    return made;
  }

  /**
   * {@code x[1:3]}, where either number may be missing.
   *
   * @param open its bracket
   */
  void slice(int open) {
    int colon = -1;
    int close = open;
    for (int depth = 0; close < tokens.size(); close++) {
      depth += nesting(close);
      if (depth == 0) {
        break;
      }
      colon = depth == 1 && kind(close) == COLON && colon < 0 ? close : colon;
    }
    int start = colon < 0 || close == tokens.size() ? -1 : operandStart(open - 1);
    if (start < 0) {
      return;
    }
    Token at = tokens.get(open);
    List<Token> made = new ArrayList<>();
    made.add(name(at, "LIST_SLICE"));
    made.add(like(at, LPAREN, "("));
    made.addAll(tokens.subList(start, open));
    made.add(like(at, COMMA, ","));
    if (colon == open + 1) {
      made.add(like(at, UNSIGNED_INTEGER_LITERAL, "1"));
    }
    made.addAll(tokens.subList(open + 1, colon));
    made.add(like(at, COMMA, ","));
    if (close == colon + 1) {
      made.add(like(at, MINUS, "-"));
      made.add(like(at, UNSIGNED_INTEGER_LITERAL, "1"));
    }
    made.addAll(tokens.subList(colon + 1, close));
    made.add(like(at, RPAREN, ")"));
    tokens.subList(start, close + 1).clear();
    tokens.addAll(start, made);
  }
}
