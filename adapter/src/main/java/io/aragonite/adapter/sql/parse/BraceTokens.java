package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.ArrayList;
import java.util.List;
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
      boolean joined = all.isEscape(i) && all.isJoined(i + 1);
      if (all.isEscape(i) && all.kind(joined ? i + 2 : i + 1) == COLON) {
        String name = token.image.substring(1).strip() + (joined ? tokens.get(++i).image : "");
        made.add(like(token, LBRACE, "{"));
        made.add(like(token, IDENTIFIER, name));
      } else {
        made.add(token);
      }
    }
    return made;
  }

  private boolean isEscape(int i) {
    return switch (kind(i)) {
      case LBRACE_D, LBRACE_T, LBRACE_TS, LBRACE_FN -> true;
      default -> false;
    };
  }

  /** Whether a word begins where the token before it ends. */
  private boolean isJoined(int i) {
    Token before = tokens.get(i - 1);
    Token token = tokens.get(i);
    return isWord(i)
        && kind(i) != QUOTED_IDENTIFIER
        && token.beginLine == before.endLine
        && token.beginColumn == before.endColumn + 1;
  }
}
