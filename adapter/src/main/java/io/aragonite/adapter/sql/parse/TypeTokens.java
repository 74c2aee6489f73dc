package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.sql.parser.babel.Token;

/**
 * Types among the tokens:
 *
 * <ul>
 *   <li>{@code x::t}: {@code CAST(x AS t)}
 *   <li>{@code x AT TIME ZONE y}: {@code AT_TIME_ZONE(x, y)}
 *   <li>{@code TIMESTAMPTZ 'x'}: {@code CAST('x' AS TIMESTAMPTZ)}
 *   <li>{@code CONVERT(t, x)}: {@code CAST(x AS t)}; the grammar takes t for a column
 *   <li>{@code TIMESTAMP '2024-01-31T12:00'}, {@code TIME '12:00'}: as the standard has them, with
 *       a blank and the seconds
 *   <li>{@code MAP(k, v)}: {@code MAP<k, v>}
 *   <li>{@code date} where no literal follows: a name
 * </ul>
 */
final class TypeTokens extends OperandTokens {
  private static final Set<Integer> CASTS = Set.of(CAST, SAFE_CAST, TRY_CAST, CONVERT);

  /** Words that begin a type, and no column. */
  private static final Set<Integer> TYPES =
      Set.of(
          BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, DECIMAL, NUMERIC, REAL, FLOAT, DOUBLE, CHAR,
          CHARACTER, VARCHAR, BINARY, VARBINARY, DATE, TIME, TIMESTAMP);

  /** The text of a literal: a date. */
  private static final Pattern DAY =
      Pattern.compile("(\\d{4})(?:-(\\d{1,2})-|/(\\d{1,2})/)(\\d{1,2})");

  /** The text of a literal: a date, hours and minutes, seconds, a zone that says nothing. */
  private static final Pattern MOMENT =
      Pattern.compile(
          "(?:([\\d/-]+)[ T])?(\\d{1,2}:\\d{2})(:\\d{2}(?:\\.\\d+)?)?(?:"
              + " *(?:Z|UTC|[+-]\\d{1,2}(?::\\d{1,2}){0,2}))?");

  TypeTokens(List<Token> tokens) {
    super(tokens);
  }

  void at(int i) {
    if (kind(i) == AT) {
      atTimeZone(i);
      return;
    }
    if (kind(i - 1) == AS && isType(i)) {
      zonedDigits(i);
    }
    int zoned = zonedLiteral(i);
    if (zoned > 0) {
      instant(i, zoned);
      return;
    }
    switch (kind(i)) {
      case DATE, TIME, TIMESTAMP -> typeAsName(i);
      case INFIX_CAST -> cast(i);
      case CONVERT -> convert(i);
      case MAP -> mapType(i);
      default -> {}
    }
  }

  /** {@code x AT TIME ZONE y}, before all other operators but casts. */
  private void atTimeZone(int i) {
    boolean zone = kind(i + 1) == TIME && kind(i + 2) == ZONE;
    int start = zone ? operandStart(i - 1) : -1;
    int end = zone ? operandEnd(i + 3) : -1;
    if (start < 0 || end < 0) {
      return;
    }
    Token at = tokens.get(i);
    tokens.add(end, like(at, RPAREN, ")"));
    tokens.subList(i, i + 3).clear();
    tokens.add(i, like(at, COMMA, ","));
    tokens.add(start, like(at, LPAREN, "("));
    tokens.add(start, name(at, "AT_TIME_ZONE"));
  }

  /**
   * Where the text of a literal of an instant is, whose type begins at a token; -1 if none does.
   */
  private int zonedLiteral(int i) {
    int text = -1;
    if (kind(i) == IDENTIFIER && tokens.get(i).image.equalsIgnoreCase("TIMESTAMPTZ")) {
      text = i + 1;
    } else if (kind(i) == TIMESTAMP && kind(i + 1) == WITH) {
      int time = kind(i + 2) == LOCAL ? i + 3 : i + 2;
      text = kind(time) == TIME && kind(time + 1) == ZONE ? time + 2 : -1;
    }
    return kind(text) == QUOTED_STRING ? text : -1;
  }

  /** {@code TIMESTAMPTZ(3)}, a name with digits, by the standard's words. */
  private void zonedDigits(int i) {
    if (kind(i) == IDENTIFIER
        && tokens.get(i).image.equalsIgnoreCase("TIMESTAMPTZ")
        && kind(i + 1) == LPAREN
        && kind(i + 2) == UNSIGNED_INTEGER_LITERAL
        && kind(i + 3) == RPAREN) {
      Token at = tokens.get(i);
      tokens.set(i, like(at, TIMESTAMP, "TIMESTAMP"));
      tokens.addAll(
          i + 4, List.of(like(at, WITH, "WITH"), like(at, TIME, "TIME"), like(at, ZONE, "ZONE")));
    }
  }

  /** {@code TIMESTAMPTZ '...'}: a cast of the text. */
  private void instant(int i, int text) {
    Token at = tokens.get(i);
    Token moment = tokens.get(text);
    tokens.subList(i, text + 1).clear();
    tokens.addAll(
        i,
        List.of(
            like(at, CAST, "CAST"),
            like(at, LPAREN, "("),
            moment,
            like(at, AS, "AS"),
            name(at, "TIMESTAMPTZ"),
            like(at, RPAREN, ")")));
  }

  /** {@code CONVERT(type, x)}, behind which a style may come, which says nothing. */
  private void convert(int i) {
    int close = kind(i + 1) == LPAREN && TYPES.contains(kind(i + 2)) ? closing(i + 1) : -1;
    int type = close < 0 ? -1 : typeEnd(i + 2);
    if (type < 0 || kind(type) != COMMA) {
      return;
    }
    int end = type + 1;
    for (int depth = 0; end < close && (depth > 0 || kind(end) != COMMA); end++) {
      depth += kind(end) == LPAREN ? 1 : kind(end) == RPAREN ? -1 : 0;
    }
    List<Token> made = new ArrayList<>(tokens.subList(type + 1, end));
    made.add(like(tokens.get(type), AS, "AS"));
    made.addAll(tokens.subList(i + 2, type));
    tokens.set(i, like(tokens.get(i), CAST, "CAST"));
    tokens.subList(i + 2, close).clear();
    tokens.addAll(i + 2, made);
  }

  /** {@code date} without a text or an argument behind it is a column's name. */
  private void typeAsName(int i) {
    int next = kind(i + 1);
    boolean type =
        next == QUOTED_STRING
            || next == PREFIXED_STRING_LITERAL
            || next == LPAREN
            || next == ZONE
            || next == WITH
            || next == WITHOUT
            || kind(i - 1) == INFIX_CAST
            || kind(i - 1) == AS && isType(i)
            || kind(i - 1) == RETURNING
            || kind(i - 1) == LOCAL
            || kind(0) == CREATE
            || kind(0) == ALTER
            || isType(i);
    if (!type) {
      tokens.set(i, name(tokens.get(i), tokens.get(i).image));
    } else if (next == QUOTED_STRING) {
      moment(i + 1);
    }
  }

  /** A date as the standard writes it; any other text as it is. */
  private static String day(String text) {
    if (text.strip().equalsIgnoreCase("epoch")) {
      return "1970-01-01";
    }
    Matcher parts = DAY.matcher(text);
    if (!parts.matches()) {
      return text;
    }
    String month = parts.group(2) == null ? parts.group(3) : parts.group(2);
    return parts.group(1) + "-" + twoDigits(month) + "-" + twoDigits(parts.group(4));
  }

  private static String twoDigits(String digits) {
    return digits.length() < 2 ? "0" + digits : digits;
  }

  private void moment(int i) {
    String text = unquoted(tokens.get(i));
    Matcher parts = MOMENT.matcher(text);
    String made = day(text);
    if (parts.matches()) {
      String date = parts.group(1) == null ? "" : day(parts.group(1)) + " ";
      String seconds = parts.group(3) == null ? ":00" : parts.group(3);
      made = date + parts.group(2) + seconds;
    }
    tokens.set(i, like(tokens.get(i), QUOTED_STRING, "'" + made + "'"));
  }

  /** {@code MAP(k, v)} where a type is wanted: {@code MAP<k, v>}. */
  private void mapType(int i) {
    int close = isNested(i) ? closing(i + 1) : -1;
    if (close > 0) {
      tokens.set(close, like(tokens.get(close), GT, ">"));
      tokens.set(i + 1, like(tokens.get(i + 1), LT, "<"));
    }
  }

  /** Whether a word begins a type of several, as {@code STRUCT(a INTEGER)} does. */
  boolean isNested(int i) {
    return kind(i + 1) == LPAREN && (kind(i - 1) == INFIX_CAST || isType(i));
  }

  /** Whether a word is in the type of a CAST. */
  boolean isType(int i) {
    int open = i;
    while ((open = opening(open)) > 0) {
      if (CASTS.contains(kind(open - 1))) {
        int depth = 0;
        for (int at = open + 1; at < i; at++) {
          depth += kind(at) == LPAREN ? 1 : kind(at) == RPAREN ? -1 : 0;
          if (depth == 0 && kind(at) == AS) {
            return true;
          }
        }
        return false;
      }
    }
    return false;
  }

  /**
   * {@code x::t} becomes {@code CAST(x AS t)}: Calcite's parser takes all that is before it in the
   * expression, {@code a = x} too, for what is cast.
   */
  private void cast(int i) {
    zonedDigits(i + 1);
    int start = operandStart(i - 1);
    int end = typeEnd(i + 1);
    if (start < 0 || end < 0) {
      return;
    }
    Token at = tokens.get(i);
    tokens.add(end, like(at, RPAREN, ")"));
    tokens.set(i, like(at, AS, "AS"));
    tokens.add(start, like(at, LPAREN, "("));
    tokens.add(start, like(at, CAST, "CAST"));
  }
}
