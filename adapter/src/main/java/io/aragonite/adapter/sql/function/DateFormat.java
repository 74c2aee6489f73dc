package io.aragonite.adapter.sql.function;

import io.aragonite.rules.function.NullableFunctions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Dates and times as texts of a format that is known when the statement is planned: each of its
 * parts becomes an expression.
 */
final class DateFormat {
  /** How a format names its parts. */
  enum Style {
    /** PostgreSQL's {@code to_char}: {@code YYYY-MM-DD HH24:MI:SS}. */
    PATTERN,
    /** C's {@code strftime}: {@code %Y-%m-%d %H:%M:%S}. */
    PERCENT
  }

  private static final List<String> MONTHS =
      List.of(
          "January",
          "February",
          "March",
          "April",
          "May",
          "June",
          "July",
          "August",
          "September",
          "October",
          "November",
          "December");

  private static final List<String> DAYS =
      List.of("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday");

  /** Longest first: the first that a format goes on with counts. */
  private static final List<String> PATTERNS =
      List.of(
          "YYYY", "MONTH", "Month", "month", "HH24", "HH12", "MON", "Mon", "mon", "DAY", "Day",
          "day", "DDD", "YY", "MM", "DD", "HH", "MI", "SS", "MS", "US", "DY", "Dy", "dy", "AM",
          "PM", "am", "pm", "ID", "IW", "Q");

  private final Trees trees;
  private final SqlNode value;

  private DateFormat(Trees trees, SqlNode value) {
    this.trees = trees;
    this.value = value;
  }

  /**
   * Null if the format is no literal or has parts of other kinds, which Calcite's knows perhaps.
   */
  static @Nullable SqlNode of(Trees trees, SqlCall call, Style style) {
    if (call.operandCount() != 2) {
      return null;
    }
    String format = Trees.literalText(call.operand(1));
    int which = 0;
    if (format == null && style == Style.PERCENT) {
      format = Trees.literalText(call.operand(0));
      which = 1;
    }
    if (format == null) {
      return null;
    }
    DateFormat made = new DateFormat(trees, call.operand(which));
    List<SqlNode> parts = style == Style.PATTERN ? made.pattern(format) : made.percent(format);
    if (parts == null) {
      return null;
    }
    // The value stands in each part; where there is none, the text is null with the value.
    parts.add(0, trees.cast(trees.text(""), SqlTypeName.VARCHAR));
    return trees.concat(parts);
  }

  static SqlNode month(Trees trees, SqlNode value) {
    return new DateFormat(trees, value).names(TimeUnit.MONTH, MONTHS);
  }

  static SqlNode day(Trees trees, SqlNode value) {
    return new DateFormat(trees, value).names(TimeUnit.ISODOW, DAYS);
  }

  /** A number with zeros before it. */
  static SqlNode digits(Trees trees, SqlNode number, int count) {
    SqlNode text = trees.cast(number, SqlTypeName.VARCHAR);
    return trees.ifElse(
        trees.call(
            SqlStdOperatorTable.GREATER_THAN_OR_EQUAL,
            Trees.copy(number),
            trees.number((long) Math.pow(10, count - 1.0))),
        text,
        trees.call(NullableFunctions.LPAD, Trees.copy(text), trees.number(count), trees.text("0")));
  }

  private SqlNode field(TimeUnit unit) {
    return trees.extract(unit, Trees.copy(value));
  }

  private SqlNode names(TimeUnit unit, List<String> names) {
    return trees.choose(field(unit), 1, names);
  }

  private SqlNode digits(SqlNode number, int count) {
    return digits(trees, number, count);
  }

  private SqlNode hour12() {
    SqlNode shifted = trees.plus(field(TimeUnit.HOUR), trees.number(11));
    return trees.plus(
        trees.call(SqlStdOperatorTable.MOD, shifted, trees.number(12)), trees.number(1));
  }

  private SqlNode rest(TimeUnit unit, int modulus) {
    return trees.call(SqlStdOperatorTable.MOD, field(unit), trees.number(modulus));
  }

  /** How many Sundays of a year there have been, from 0 on. */
  private SqlNode sundays() {
    return weeks(trees.minus(trees.number(6), rest(TimeUnit.ISODOW, 7)));
  }

  private SqlNode mondays() {
    return weeks(trees.minus(trees.number(7), field(TimeUnit.ISODOW)));
  }

  private SqlNode weeks(SqlNode shift) {
    SqlNode days = trees.plus(field(TimeUnit.DOY), shift);
    return trees.call(SqlStdOperatorTable.DIVIDE, days, trees.number(7));
  }

  private SqlNode halfDay(String am, String pm) {
    return trees.ifElse(
        trees.call(SqlStdOperatorTable.LESS_THAN, field(TimeUnit.HOUR), trees.number(12)),
        trees.cast(trees.text(am), SqlTypeName.VARCHAR),
        trees.cast(trees.text(pm), SqlTypeName.VARCHAR));
  }

  private static List<String> each(List<String> names, java.util.function.UnaryOperator<String> f) {
    return names.stream().map(f).toList();
  }

  private static String padded(String name) {
    return name + " ".repeat(9 - name.length());
  }

  private static String upper(String text) {
    return text.toUpperCase(Locale.ROOT);
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  private @Nullable List<SqlNode> pattern(String format) {
    List<SqlNode> parts = new ArrayList<>();
    StringBuilder plain = new StringBuilder();
    int i = 0;
    boolean fill = true;
    while (i < format.length()) {
      String rest = format.substring(i);
      if (rest.startsWith("FM")) {
        fill = false;
        i += 2;
        continue;
      }
      if (rest.startsWith("\"") && rest.indexOf('"', 1) > 0) {
        int end = rest.indexOf('"', 1);
        plain.append(rest, 1, end);
        i += end + 1;
        continue;
      }
      String name = PATTERNS.stream().filter(rest::startsWith).findFirst().orElse(null);
      if (name == null) {
        if (Character.isLetter(rest.charAt(0)) && rest.charAt(0) != 'T') {
          return null;
        }
        plain.append(rest.charAt(0));
        i++;
        continue;
      }
      flush(plain, parts);
      parts.add(fill ? filled(name) : unfilled(name));
      fill = true;
      i += name.length();
    }
    flush(plain, parts);
    return parts;
  }

  private void flush(StringBuilder plain, List<SqlNode> parts) {
    if (!plain.isEmpty()) {
      parts.add(trees.text(plain.toString()));
      plain.setLength(0);
    }
  }

  private SqlNode filled(String name) {
    return switch (name) {
      case "MONTH" -> names(TimeUnit.MONTH, each(MONTHS, m -> upper(padded(m))));
      case "Month" -> names(TimeUnit.MONTH, each(MONTHS, DateFormat::padded));
      case "month" -> names(TimeUnit.MONTH, each(MONTHS, m -> lower(padded(m))));
      case "DAY" -> names(TimeUnit.ISODOW, each(DAYS, d -> upper(padded(d))));
      case "Day" -> names(TimeUnit.ISODOW, each(DAYS, DateFormat::padded));
      case "day" -> names(TimeUnit.ISODOW, each(DAYS, d -> lower(padded(d))));
      case "YYYY" -> digits(field(TimeUnit.YEAR), 4);
      case "YY" -> digits(rest(TimeUnit.YEAR, 100), 2);
      case "MM" -> digits(field(TimeUnit.MONTH), 2);
      case "DD" -> digits(field(TimeUnit.DAY), 2);
      case "DDD" -> digits(field(TimeUnit.DOY), 3);
      case "$sundays" -> digits(sundays(), 2);
      case "$mondays" -> digits(mondays(), 2);
      case "HH24" -> digits(field(TimeUnit.HOUR), 2);
      case "HH", "HH12" -> digits(hour12(), 2);
      case "MI" -> digits(field(TimeUnit.MINUTE), 2);
      case "SS" -> digits(field(TimeUnit.SECOND), 2);
      case "MS" -> digits(rest(TimeUnit.MILLISECOND, 1000), 3);
      case "US" -> digits(rest(TimeUnit.MICROSECOND, 1_000_000), 6);
      case "IW" -> digits(field(TimeUnit.WEEK), 2);
      default -> unfilled(name);
    };
  }

  private SqlNode unfilled(String name) {
    return switch (name) {
      case "MONTH" -> names(TimeUnit.MONTH, each(MONTHS, DateFormat::upper));
      case "Month" -> names(TimeUnit.MONTH, MONTHS);
      case "month" -> names(TimeUnit.MONTH, each(MONTHS, DateFormat::lower));
      case "MON" -> names(TimeUnit.MONTH, each(MONTHS, m -> upper(m.substring(0, 3))));
      case "Mon" -> names(TimeUnit.MONTH, each(MONTHS, m -> m.substring(0, 3)));
      case "mon" -> names(TimeUnit.MONTH, each(MONTHS, m -> lower(m.substring(0, 3))));
      case "DAY" -> names(TimeUnit.ISODOW, each(DAYS, DateFormat::upper));
      case "Day" -> names(TimeUnit.ISODOW, DAYS);
      case "day" -> names(TimeUnit.ISODOW, each(DAYS, DateFormat::lower));
      case "DY" -> names(TimeUnit.ISODOW, each(DAYS, d -> upper(d.substring(0, 3))));
      case "Dy" -> names(TimeUnit.ISODOW, each(DAYS, d -> d.substring(0, 3)));
      case "dy" -> names(TimeUnit.ISODOW, each(DAYS, d -> lower(d.substring(0, 3))));
      case "AM", "PM" -> halfDay("AM", "PM");
      case "am", "pm" -> halfDay("am", "pm");
      case "YYYY" -> number(field(TimeUnit.YEAR));
      case "YY" -> number(rest(TimeUnit.YEAR, 100));
      case "MM" -> number(field(TimeUnit.MONTH));
      case "DD" -> number(field(TimeUnit.DAY));
      case "DDD" -> number(field(TimeUnit.DOY));
      case "HH24" -> number(field(TimeUnit.HOUR));
      case "HH", "HH12" -> number(hour12());
      case "MI" -> number(field(TimeUnit.MINUTE));
      case "SS" -> number(field(TimeUnit.SECOND));
      case "ID" -> number(field(TimeUnit.ISODOW));
      case "$sundays" -> number(sundays());
      case "$mondays" -> number(mondays());
      case "IW" -> number(field(TimeUnit.WEEK));
      case "Q" -> number(field(TimeUnit.QUARTER));
      default -> digits(rest(TimeUnit.MILLISECOND, 1000), 3);
    };
  }

  private SqlNode number(SqlNode number) {
    return trees.cast(number, SqlTypeName.VARCHAR);
  }

  private @Nullable List<SqlNode> percent(String format) {
    List<SqlNode> parts = new ArrayList<>();
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < format.length(); i++) {
      char c = format.charAt(i);
      if (c != '%' || i + 1 == format.length()) {
        plain.append(c);
        continue;
      }
      c = format.charAt(++i);
      boolean fill = c != '-';
      if (!fill && i + 1 < format.length()) {
        c = format.charAt(++i);
      }
      if (c == '%') {
        plain.append('%');
        continue;
      }
      List<String> names = percent(c);
      if (names.isEmpty()) {
        return null;
      }
      flush(plain, parts);
      for (String name : names) {
        boolean literal = name.length() == 1 && !Character.isLetter(name.charAt(0));
        boolean full = name.equals("Month") || name.equals("Day");
        parts.add(literal ? trees.text(name) : fill && !full ? filled(name) : unfilled(name));
      }
    }
    flush(plain, parts);
    return parts;
  }

  private static List<String> percent(char c) {
    return switch (c) {
      case 'Y' -> List.of("YYYY");
      case 'y' -> List.of("YY");
      case 'm' -> List.of("MM");
      case 'd' -> List.of("DD");
      case 'j' -> List.of("DDD");
      case 'H' -> List.of("HH24");
      case 'I' -> List.of("HH12");
      case 'M' -> List.of("MI");
      case 'S' -> List.of("SS");
      case 'g' -> List.of("MS");
      case 'f' -> List.of("US");
      case 'p' -> List.of("AM");
      case 'B' -> List.of("Month");
      case 'b' -> List.of("Mon");
      case 'A' -> List.of("Day");
      case 'a' -> List.of("Dy");
      case 'u' -> List.of("ID");
      case 'V' -> List.of("IW");
      case 'U' -> List.of("$sundays");
      case 'W' -> List.of("$mondays");
      case 'F' -> Stream.of("YYYY", "-", "MM", "-", "DD").toList();
      case 'T' -> Stream.of("HH24", ":", "MI", ":", "SS").toList();
      default -> List.of();
    };
  }
}
