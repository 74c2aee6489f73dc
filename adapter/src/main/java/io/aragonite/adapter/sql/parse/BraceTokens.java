package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * Braces before a field whose name begins with {@code d}, {@code t}, {@code ts} or {@code fn}: the
 * lexer takes <code>{d</code> for the beginning of JDBC's escapes, of {@code {day: 1}} too.
 */
final class BraceTokens extends TokenList {
  private BraceTokens(List<Token> tokens) {
    super(tokens);
  }

  /** The tokens, with the brace and the name for themselves where a colon follows. */
  static List<Token> apart(List<Token> tokens) {
    BraceTokens all = new BraceTokens(tokens);
    List<Token> made = new ArrayList<>(tokens.size());
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      int end = i + 1;
      while (all.isEscape(i) && all.isJoined(end)) {
        end++;
      }
      boolean map = i > 0 && all.kind(i - 1) == MAP;
      if (all.isEscape(i) && (map || all.kind(end) == COLON)) {
        StringBuilder name = new StringBuilder(token.image.substring(1).strip());
        tokens.subList(i + 1, end).forEach(part -> name.append(part.image));
        made.add(like(token, LBRACE, "{"));
        made.add(like(token, map ? kind(name.toString()) : IDENTIFIER, name.toString()));
        i = end - 1;
      } else {
        made.add(token);
      }
    }
    return made;
  }

  /** A key may begin with a keyword, as that of {@code MAP {DATE '2024-01-31': 1}} does. */
  private static int kind(String word) {
    int kind = List.of(tokenImage).indexOf('"' + word.toUpperCase(Locale.ROOT) + '"');
    return kind < 0 ? IDENTIFIER : kind;
  }

  private boolean isEscape(int i) {
    return switch (kind(i)) {
      case LBRACE_D, LBRACE_T, LBRACE_TS, LBRACE_FN -> true;
      default -> false;
    };
  }

  /** Whether a word, or a number as of {@code d1}, begins where the token before it ends. */
  private boolean isJoined(int i) {
    if (kind(i) == EOF) {
      return false;
    }
    Token before = tokens.get(i - 1);
    Token token = tokens.get(i);
    return token.image.chars().allMatch(Character::isJavaIdentifierPart)
        && token.beginLine == before.endLine
        && token.beginColumn == before.endColumn + 1;
  }
}
