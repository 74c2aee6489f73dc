package io.aragonite.adapter.sql.parse;

import io.aragonite.exec.limit.StopCheck;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.parser.SqlParserUtil;
import org.apache.calcite.sql.parser.babel.SimpleCharStream;
import org.apache.calcite.sql.parser.babel.SqlBabelParserImplTokenManager;
import org.apache.calcite.sql.parser.babel.Token;
import org.apache.calcite.sql.parser.babel.TokenMgrError;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a statement, with forms that the grammar lacks in the place of others that mean the
 * same ({@link TokenForms}). All are read before the first is handed out. {@code N'...'} is UTF-8:
 * Calcite takes its character set from a setting of the process, which is Latin-1.
 */
final class StatementTokens extends SqlBabelParserImplTokenManager {
  private final List<Token> written = new ArrayList<>();
  private @Nullable List<Token> tokens;
  private int next;

  /** What is none of the language, which ends the statement before anything is made of it. */
  private @Nullable TokenMgrError error;

  StatementTokens(SimpleCharStream stream) {
    super(stream);
  }

  /** The parser asks for one token after the other, so that it ends with its query here. */
  @Override
  public Token getNextToken() {
    StopCheck.current().check();
    List<Token> all = tokens;
    if (all == null) {
      read();
      if (error != null) {
        throw error; // forms need all tokens
      }
      all = TokenForms.rewrite(written.stream().map(StatementTokens::inUtf8).toList());
      tokens = all;
    }
    return next >= all.size() ? all.getLast() : all.get(next++);
  }

  /** The tokens as they were typed, once one has been asked for. */
  List<Token> written() {
    return written;
  }

  /** {@code E'...'} as a plain text: Calcite takes its character set to be another one. */
  private static Token inUtf8(Token token) {
    if (token.kind == C_STYLE_ESCAPED_STRING_LITERAL) {
      try {
        String text = SqlParserUtil.parseCString(token.image);
        return TokenList.like(token, QUOTED_STRING, "'" + text.replace("'", "''") + "'");
      } catch (SqlParserUtil.MalformedUnicodeEscape e) {
        return token; // which the parser refuses
      }
    }
    boolean national =
        token.kind == PREFIXED_STRING_LITERAL
            && Character.toUpperCase(token.image.charAt(0)) == 'N';
    return national
        ? TokenList.like(token, token.kind, "_UTF-8" + token.image.substring(1))
        : token;
  }

  private void read() {
    try {
      Token token;
      do {
        StopCheck.current().check();
        token = super.getNextToken();
        written.add(token);
      } while (token.kind != EOF);
    } catch (TokenMgrError e) {
      error = e;
    }
  }
}
