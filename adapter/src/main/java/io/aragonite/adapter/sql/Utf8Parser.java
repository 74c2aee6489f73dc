package io.aragonite.adapter.sql;

import io.aragonite.exec.limit.StopCheck;
import java.io.Reader;
import org.apache.calcite.sql.parser.SqlAbstractParserImpl;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.parser.SqlParserImplFactory;
import org.apache.calcite.sql.parser.impl.SimpleCharStream;
import org.apache.calcite.sql.parser.impl.SqlParserImpl;
import org.apache.calcite.sql.parser.impl.SqlParserImplConstants;
import org.apache.calcite.sql.parser.impl.SqlParserImplTokenManager;
import org.apache.calcite.sql.parser.impl.Token;
import org.apache.calcite.util.SourceStringReader;

/**
 * Calcite's parser, but {@code N'...'} is UTF-8. Calcite takes its character set from a setting of
 * the process, which is Latin-1, and refuses texts beyond it. It ends with the statement's error
 * when its time is up. A parser of {@code parserFactory=} stays as it is.
 */
public final class Utf8Parser {
  /** Characters that are read at a time where a text's length is not known. */
  private static final int BUFFER = 1 << 12;

  private Utf8Parser() {}

  public static SqlParser.Config in(SqlParser.Config config) {
    return config.parserFactory().equals(SqlParserImpl.FACTORY)
        ? config.withParserFactory(new Factory())
        : config;
  }

  private static final class Factory implements SqlParserImplFactory {
    @Override
    public SqlAbstractParserImpl getParser(Reader reader) {
      SqlParserImpl parser = new SqlParserImpl(reader);
      int size = BUFFER;
      if (reader instanceof SourceStringReader text) {
        parser.setOriginalSql(text.getSourceString());
        size = Math.max(size, text.getSourceString().length());
      }
      parser.token_source = new Tokens(new Stream(reader, size)); // nothing has been read so far
      return parser;
    }
  }

  /** Holds a statement as a whole: a buffer that grows is copied. A tab is one column. */
  private static final class Stream extends SimpleCharStream {
    Stream(Reader reader, int size) {
      super(reader, 1, 1, size);
      setTabSize(1);
    }
  }

  private static final class Tokens extends SqlParserImplTokenManager {
    Tokens(SimpleCharStream stream) {
      super(stream);
    }

    @Override
    public Token getNextToken() {
      StopCheck.current().check();
      Token token = super.getNextToken();
      if (token.kind == SqlParserImplConstants.PREFIXED_STRING_LITERAL
          && Character.toUpperCase(token.image.charAt(0)) == 'N') {
        token.image = "_UTF-8" + token.image.substring(1);
      }
      return token;
    }
  }
}
