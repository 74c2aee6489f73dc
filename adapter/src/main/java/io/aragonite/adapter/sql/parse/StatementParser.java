package io.aragonite.adapter.sql.parse;

import java.io.Reader;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.parser.SqlAbstractParserImpl;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.parser.SqlParserImplFactory;
import org.apache.calcite.sql.parser.babel.SimpleCharStream;
import org.apache.calcite.sql.parser.babel.SqlBabelParserImpl;
import org.apache.calcite.sql.parser.impl.SqlParserImpl;
import org.apache.calcite.util.SourceStringReader;

/**
 * Calcite's Babel parser, whose tokens come through {@link StatementTokens}. A parser of {@code
 * parserFactory=} stays as it is.
 */
public final class StatementParser extends SqlBabelParserImpl {
  /** Stands for {@code #} before a column's number, which the lexer does not know. */
  public static final char NUMBER_SIGN = '\u318e';

  /** Stands for {@code @} in operators, which the lexer does not know. */
  public static final char AT_SIGN = '\u318d';

  /** Characters that are read at a time where a text's length is not known. */
  private static final int BUFFER = 1 << 12;

  private final StatementTokens tokens;

  private StatementParser(Reader reader) {
    super(reader);
    int size = BUFFER;
    if (reader instanceof SourceStringReader text) {
      setOriginalSql(text.getSourceString());
      size = Math.max(size, text.getSourceString().length());
    }
    tokens = new StatementTokens(new Stream(reader, size));
    token_source = tokens; // nothing has been read so far
  }

  public static SqlParser.Config in(SqlParser.Config config) {
    return config.parserFactory().equals(SqlParserImpl.FACTORY)
        ? config
            .withParserFactory(new Factory())
            .withConformance(EverydayConformance.orGiven(config.conformance()))
        : config;
  }

  @Override
  public SqlNode parseSqlStmtEof() throws Exception {
    return formed(super.parseSqlStmtEof());
  }

  @Override
  public SqlNodeList parseSqlStmtList() throws Exception {
    SqlNodeList list = super.parseSqlStmtList();
    list.replaceAll(this::formed);
    return list;
  }

  private SqlNode formed(SqlNode statement) {
    UnnamedColumns.name(statement, tokens.written());
    return QueryForms.of(statement);
  }

  private static final class Factory implements SqlParserImplFactory {
    @Override
    public SqlAbstractParserImpl getParser(Reader reader) {
      return new StatementParser(reader);
    }
  }

  /** Holds a statement as a whole: a buffer that grows is copied. A tab is one column. */
  private static final class Stream extends SimpleCharStream {
    Stream(Reader reader, int size) {
      super(reader, 1, 1, size);
      setTabSize(1);
    }
  }
}
