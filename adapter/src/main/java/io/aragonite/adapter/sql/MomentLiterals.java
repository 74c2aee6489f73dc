package io.aragonite.adapter.sql;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.runtime.CalciteException;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlUnknownLiteral;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.TimestampString;

/**
 * Literals of dates and timestamps by the Gregorian calendar in all years, as the SQL standard has
 * them and as all else here counts days. Calcite 1.42 reads them with a calendar of Java's that is
 * the Julian one before 15 October 1582: it refuses ten days of that month, and takes 29 February
 * 1500 for a day.
 */
final class MomentLiterals {
  private static final Pattern DATE = Pattern.compile("(\\d{4})-(\\d{1,2})-(\\d{1,2})(.*)");

  /** The last year in which Java's calendar is not the Gregorian one throughout. */
  private static final int CUTOVER = 1582;

  /** Of a day that all calendars have, for the time behind it. */
  private static final String STANDARD_DAY = "2000-01-01";

  private MomentLiterals() {}

  /**
   * What a literal means.
   *
   * @param calcite how Calcite reads one
   * @throws AragoniteException INVALID_STATEMENT if there is no such day
   */
  static SqlLiteral resolved(SqlLiteral literal, UnaryOperator<SqlLiteral> calcite) {
    if (!(literal instanceof SqlUnknownLiteral unknown)
        || !(unknown.tag.equals("DATE") || unknown.tag.equals("TIMESTAMP"))) {
      return calcite.apply(literal);
    }
    Matcher parts = DATE.matcher(unknown.getValueAs(String.class));
    if (!parts.matches()) {
      return calcite.apply(literal);
    }
    SqlParserPos at = literal.getParserPosition();
    LocalDate day = day(unknown, parts, at);
    if (day.getYear() > CUTOVER || day.getYear() < 1) {
      return calcite.apply(literal);
    }
    String rest = parts.group(4);
    if (unknown.tag.equals("DATE")) {
      return rest.isBlank()
          ? SqlLiteral.createDate(new DateString(day.toString()), at)
          : calcite.apply(literal);
    }
    SqlLiteral time = time(unknown, rest, at, calcite);
    String text =
        day + time.getValueAs(TimestampString.class).toString().substring(STANDARD_DAY.length());
    return SqlLiteral.createTimestamp(
        SqlTypeName.TIMESTAMP, new TimestampString(text), fraction(text), at);
  }

  /** The time of a literal on the standard day; the error of a wrong one has the whole literal. */
  private static SqlLiteral time(
      SqlUnknownLiteral literal, String rest, SqlParserPos at, UnaryOperator<SqlLiteral> calcite) {
    try {
      return calcite.apply(SqlLiteral.createUnknown(literal.tag, STANDARD_DAY + rest, at));
    } catch (CalciteException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "%s '%s' has no time of a day behind its date (line %d, column %d); hours are 00 to 23, as in '2024-01-31 23:59:59'."
              .formatted(
                  literal.tag,
                  literal.getValueAs(String.class),
                  at.getLineNum(),
                  at.getColumnNum()),
          e);
    }
  }

  private static LocalDate day(SqlUnknownLiteral literal, Matcher parts, SqlParserPos at) {
    try {
      return LocalDate.of(
          Integer.parseInt(parts.group(1)),
          Integer.parseInt(parts.group(2)),
          Integer.parseInt(parts.group(3)));
    } catch (DateTimeException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "%s '%s' is no day of the calendar (line %d, column %d); correct its month or its day."
              .formatted(
                  literal.tag,
                  literal.getValueAs(String.class),
                  at.getLineNum(),
                  at.getColumnNum()),
          e);
    }
  }

  /** Digits of a text behind its point. */
  private static int fraction(String text) {
    int point = text.indexOf('.');
    return point < 0 ? 0 : text.length() - point - 1;
  }
}
