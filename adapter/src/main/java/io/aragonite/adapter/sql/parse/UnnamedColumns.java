package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import io.aragonite.adapter.sql.function.CallFinder;
import io.aragonite.adapter.sql.function.StructPack;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlStarExclude;
import org.apache.calcite.sql.SqlStarReplace;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.parser.babel.Token;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * Names the columns of SELECT that a statement gives no name by what it has written for them, as
 * SQLite, MySQL and Spark do: {@code SELECT count(*)} has a column {@code count(*)}. Where the text
 * is not found Calcite's {@code EXPR$0} remains.
 */
final class UnnamedColumns extends TokenList {
  /** A longer text is cut: names are read in headings. */
  private static final int LONGEST = 128;

  private static final String CUT = "...";

  /** What stands before the list of SELECT, beside its commas. */
  private static final Set<Integer> BEFORE = Set.of(SELECT, ALL, DISTINCT, STREAM, COMMENT_END);

  /** The lexer takes <code>{d</code> for one token, also where it begins <code>{day: 1}</code>. */
  private static final Set<Integer> OPENING =
      Set.of(LPAREN, LBRACKET, LBRACE, LBRACE_D, LBRACE_T, LBRACE_TS, LBRACE_FN);

  private static final Set<Integer> CLOSING = Set.of(RPAREN, RBRACKET, RBRACE);

  /**
   * @param written the tokens of the statement as it was typed
   */
  private UnnamedColumns(List<Token> written) {
    super(written);
  }

  /** Names them in all queries of a statement, in place. */
  static void name(SqlNode statement, List<Token> written) {
    UnnamedColumns names = new UnnamedColumns(written);
    statement.accept(
        new SqlBasicVisitor<Void>() {
          @Override
          public @Nullable Void visit(SqlCall call) {
            if (call instanceof SqlSelect select) {
              names.nameAll(select.getSelectList());
            }
            return super.visit(call);
          }
        });
  }

  private void nameAll(SqlNodeList columns) {
    Set<String> taken = new HashSet<>();
    for (SqlNode column : columns) {
      String name = SqlValidatorUtil.alias(column);
      if (name != null) {
        taken.add(name.toLowerCase(Locale.ROOT));
      }
    }
    columns.replaceAll(column -> {
      String text = hasName(column) ? null : text(place(column));
      return text == null
          ? column
          : SqlStdOperatorTable.AS.createCall(
              column.getParserPosition(),
              column,
              new SqlIdentifier(notTaken(text, taken), column.getParserPosition()));
    });
  }

  /**
   * The text, or with a number behind it: a query around this one could not tell columns of one
   * name apart.
   */
  private static String notTaken(String text, Set<String> taken) {
    String name = text;
    for (int i = 1; !taken.add(name.toLowerCase(Locale.ROOT)); i++) {
      name = text + "_" + i;
    }
    return name;
  }

  /** Whether a column has a name, or is to be others that have names. */
  private static boolean hasName(SqlNode column) {
    return column instanceof SqlIdentifier
        || column instanceof SqlStarExclude
        || column instanceof SqlStarReplace
        || column.getKind() == SqlKind.AS
        || column instanceof SqlCall call && isMark(call)
        || CallFinder.hasCallOf(column, "COLUMNS");
  }

  private static boolean isMark(SqlCall call) {
    String name = call.getOperator().getName();
    return name.startsWith("$") && !name.equals(StructPack.MARK);
  }

  /** Where a column is written, or a part of it: the grammar gives some calls no place. */
  private static SqlParserPos place(SqlNode column) {
    SqlParserPos at = column.getParserPosition();
    if (at.equals(SqlParserPos.ZERO) && column instanceof SqlCall call) {
      for (SqlNode operand : call.getOperandList()) {
        SqlParserPos within = operand == null ? SqlParserPos.ZERO : place(operand);
        if (!within.equals(SqlParserPos.ZERO)) {
          return within;
        }
      }
    }
    return at;
  }

  /** What was written for a column; null if it is not found. */
  private @Nullable String text(SqlParserPos at) {
    int from = start(tokenAt(at.getLineNum(), at.getColumnNum()));
    int to = from <= 0 ? -1 : end(from, tokenAt(at.getEndLineNum(), at.getEndColumnNum()));
    return to < from ? null : text(from, to);
  }

  /** The first token of a column, of which one is given. */
  private int start(int within) {
    int from = within;
    int depth = 0;
    while (from > 0 && !(depth == 0 && isBefore(from - 1))) {
      from--;
      depth = Math.max(0, depth - deeper(from)); // what only opens is closed behind
    }
    return kind(from) == ON ? closing(from + 1) + 1 : from; // behind DISTINCT ON
  }

  private int deeper(int i) {
    return OPENING.contains(kind(i)) ? 1 : CLOSING.contains(kind(i)) ? -1 : 0;
  }

  /** Whether a token is before a column of SELECT. */
  private boolean isBefore(int i) {
    boolean ofSelect = kind(i) != DISTINCT || kind(i - 1) == SELECT || kind(i - 1) == COMMENT_END;
    return kind(i) == COMMA || BEFORE.contains(kind(i)) && ofSelect;
  }

  /** The last token of a column, of which others are given; -1 if parentheses do not match. */
  private int end(int from, int within) {
    int depth = 0;
    int to = from - 1;
    while (to < within || !(depth == 0 && isBehind(to + 1))) {
      to++;
      depth += deeper(to);
      if (kind(to) == EOF) {
        return -1;
      }
    }
    return to;
  }

  /** Whether a token is behind a column of SELECT. */
  private boolean isBehind(int i) {
    return switch (kind(i)) {
      case COMMA, RPAREN -> true;
      case FROM -> kind(i - 1) != DISTINCT;
      case GROUP -> kind(i - 1) != WITHIN;
      case UNION, EXCEPT, INTERSECT -> kind(i - 1) != MULTISET;
      default -> CLAUSES.contains(kind(i));
    };
  }

  /** The token that a place of the statement is in, or that is before it. */
  private int tokenAt(int line, int column) {
    int low = 0;
    int high = tokens.size() - 2; // the end has the place of what is before it
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      Token token = tokens.get(middle);
      boolean after =
          token.beginLine > line || token.beginLine == line && token.beginColumn > column;
      low = after ? low : middle;
      high = after ? middle - 1 : high;
    }
    return low;
  }

  /** With a space where there is any, and without comments. */
  private String text(int from, int to) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i <= to && text.length() <= LONGEST; i++) {
      Token token = tokens.get(i);
      Token before = tokens.get(Math.max(from, i - 1));
      boolean apart = token.beginLine != before.endLine || token.beginColumn > before.endColumn + 1;
      text.append(i > from && apart ? " " : "")
          .append(
              written(token)
                  .replace(StatementParser.NUMBER_SIGN, '#')
                  .replace(StatementParser.AT_SIGN, '@'));
    }
    if (text.length() > LONGEST) {
      text.setLength(LONGEST - CUT.length());
      text.append(CUT);
    }
    return text.toString();
  }

  /** The text of a token, that of a file's name without the quotes which make it a table's. */
  private static String written(Token token) {
    String image = token.image;
    return image.startsWith("\"'") && image.endsWith("'\"")
        ? image.substring(1, image.length() - 1).replace("\"\"", "\"")
        : image;
  }
}
