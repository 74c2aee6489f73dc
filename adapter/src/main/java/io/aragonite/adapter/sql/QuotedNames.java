package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.parse.StatementParser;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.util.Quoting;

/**
 * Names with line breaks. Calcite's parser ends a quoted name at the end of its line; the
 * standard's escaped form, {@code U&"two\000alines"}, has no such limit.
 */
public final class QuotedNames {
  /** A statement that is of transactions as a whole. */
  private static final Pattern TRANSACTION =
      Pattern.compile(
          "(?is)(?:\\s++|--[^\\n]*\\n|/\\*.*?\\*/)*+(BEGIN|START\\s+TRANSACTION|COMMIT|ROLLBACK|ABORT|SAVEPOINT|RELEASE\\s+SAVEPOINT|END)(?:\\s+[A-Z_][\\w"
              + " ]*)?\\s*;?\\s*");

  private static final Pattern DOLLARS = Pattern.compile("\\$(?:[A-Za-z_][A-Za-z_0-9]*)?\\$");

  private QuotedNames() {}

  /**
   * A statement with {@code x / y} for {@code x // y}, which of two integers is a whole division as
   * well; Calcite takes it for a comment. All else stays where it was.
   */
  public static String withDivisions(String sql, Quoting quoting) {
    if (!sql.contains("//")) {
      return sql;
    }
    StringBuilder text = new StringBuilder(sql);
    for (int i = 0; i < sql.length(); i = SqlTokens.end(sql, i, quoting)) {
      if (text.charAt(i) == '/' && sql.startsWith("//", i)) {
        text.setCharAt(i + 1, ' ');
      }
    }
    return text.toString();
  }

  /**
   * Refuses the statements that begin and end transactions.
   *
   * @throws AragoniteException EXPRESSION_UNSUPPORTED
   */
  public static void requireNoTransaction(String sql) {
    Matcher transaction = TRANSACTION.matcher(sql);
    if (transaction.matches()) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "%s: there are no transactions; each statement is done as a whole or not at all, and stays. Leave %s out; changes that belong together are one statement, as INSERT ... SELECT or UPDATE ... FROM."
              .formatted(
                  transaction.group(1).toUpperCase(Locale.ROOT), "BEGIN, COMMIT and ROLLBACK"));
    }
  }

  /**
   * A statement with letters in place of {@code #} before numbers of columns, and of {@code @} in
   * {@code ^@}, {@code @>} and {@code <@}: the lexer knows no such signs. All else stays where it
   * was.
   */
  public static String withSigns(String sql, Quoting quoting) {
    if (sql.indexOf('#') < 0 && sql.indexOf('@') < 0) {
      return sql;
    }
    StringBuilder text = new StringBuilder(sql);
    for (int i = 0; i < sql.length(); i = SqlTokens.end(sql, i, quoting)) {
      if (sql.charAt(i) == '#' && i + 1 < sql.length() && Character.isDigit(sql.charAt(i + 1))) {
        text.setCharAt(i, StatementParser.NUMBER_SIGN);
      }
      if (sql.charAt(i) == '@' && isOperator(sql, i)) {
        text.setCharAt(i, StatementParser.AT_SIGN);
      }
    }
    return text.toString();
  }

  /**
   * A statement with {@code 'it''s'} for PostgreSQL's {@code $$it's$$} and {@code $tag$it's$tag$}.
   */
  public static String withDollarTexts(String sql) {
    if (sql.indexOf('$') < 0 || !DOLLARS.matcher(sql).find()) {
      return sql;
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < sql.length(); ) {
      Matcher dollars = DOLLARS.matcher(sql).region(i, sql.length());
      int close = dollars.lookingAt() ? sql.indexOf(dollars.group(), dollars.end()) : -1;
      if (close >= 0) {
        String inside = sql.substring(dollars.end(), close);
        text.append('\'').append(inside.replace("'", "''")).append('\'');
        i = close + dollars.group().length();
      } else {
        int end = SqlTokens.end(sql, i);
        text.append(sql, i, end);
        i = end;
      }
    }
    return text.toString();
  }

  private static boolean isOperator(String sql, int at) {
    char before = at == 0 ? ' ' : sql.charAt(at - 1);
    char behind = at + 1 == sql.length() ? ' ' : sql.charAt(at + 1);
    return behind == '>'
        || (before == '^' || before == '<') && !Character.isJavaIdentifierPart(behind);
  }

  /** The same statement with names that have line breaks in their escaped form. */
  public static String escaped(String sql) {
    if (sql.indexOf('"') < 0 || sql.indexOf('\n') < 0 && sql.indexOf('\r') < 0) {
      return sql;
    }
    StringBuilder result = new StringBuilder();
    int i = 0;
    while (i < sql.length()) {
      int end = SqlTokens.end(sql, i);
      String token = sql.substring(i, end);
      boolean name = token.startsWith("\"") && token.length() > 1;
      result.append(name && hasLineBreak(token) ? escapedName(token) : token);
      i = end;
    }
    return result.toString();
  }

  private static boolean hasLineBreak(String token) {
    return token.indexOf('\n') >= 0 || token.indexOf('\r') >= 0;
  }

  private static String escapedName(String token) {
    StringBuilder name = new StringBuilder("U&");
    for (int i = 0; i < token.length(); i++) {
      char c = token.charAt(i);
      if (c == '\n' || c == '\r' || c == '\\') {
        name.append(String.format(Locale.ROOT, "\\%04x", (int) c));
      } else {
        name.append(c);
      }
    }
    return name.toString();
  }
}
