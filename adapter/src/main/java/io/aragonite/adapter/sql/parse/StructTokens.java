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
 *   <li>{@code x[1:3]}: {@code LIST_SLICE(x, 1, 3)}
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
