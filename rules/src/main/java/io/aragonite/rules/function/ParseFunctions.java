package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.format.SignStyle;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalField;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.runtime.SqlFunctions;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.jspecify.annotations.Nullable;

/**
 * Timestamps of texts in a format of C's {@code strptime}. Called by generated code; no argument is
 * null. Calcite's own takes 30 February for 1 March.
 */
@Strict
public final class ParseFunctions {
  /**
   * {@code STRPTIME(text, format)}: the text of the moment as a cast to TIMESTAMP reads it, with
   * microseconds, which a TIMESTAMP in Calcite's code has not.
   */
  public static final SqlFunction STRPTIME_TEXT = create("STRPTIME");

  /** The same, but null if the text has another format. */
  public static final SqlFunction TRY_STRPTIME_TEXT = create("TRY_STRPTIME");

  /** What formats may have. */
  public static final String PARTS =
      "%Y, %y, %m, %b, %B, %d, %j, %a, %A, %H, %I, %p, %M, %S, %f, %g, %F, %T, %D, %R, %%";

  /** Formats whose parts are read here; others are left to Calcite. */
  private static final Pattern KNOWN = Pattern.compile("(?:[^%]|%-?[YymbhBdjaAHIpMSfgFTDR%])*");

  /** A part, or the two signs that mean one. */
  private static final Pattern PART = Pattern.compile("%-?(.)", Pattern.DOTALL);

  private static final int MOST_KEPT = 100;
  private static final Map<String, List<DateTimeFormatter>> KEPT = new ConcurrentHashMap<>();
  private static final DateTimeFormatter WRITTEN =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

  /** What makes a moment: days of the week are read and say nothing. */
  private static final Set<TemporalField> RESOLVED =
      Set.of(
          ChronoField.YEAR,
          ChronoField.MONTH_OF_YEAR,
          ChronoField.DAY_OF_MONTH,
          ChronoField.DAY_OF_YEAR,
          ChronoField.HOUR_OF_DAY,
          ChronoField.CLOCK_HOUR_OF_AMPM,
          ChronoField.HOUR_OF_AMPM,
          ChronoField.AMPM_OF_DAY,
          ChronoField.MINUTE_OF_HOUR,
          ChronoField.SECOND_OF_MINUTE,
          ChronoField.MICRO_OF_SECOND);

  /** The years that two digits are of: 1969 to 2068. */
  private static final int FIRST_OF_TWO_DIGITS = 1969;

  private ParseFunctions() {}

  private static SqlFunction create(String name) {
    return SqlBasicFunction.create(
        name,
        ReturnTypes.VARCHAR.andThen(SqlTypeTransforms.FORCE_NULLABLE),
        OperandTypes.family(SqlTypeFamily.CHARACTER, SqlTypeFamily.CHARACTER),
        SqlFunctionCategory.STRING);
  }

  /** Whether a format has parts that are known alone. */
  public static boolean isFormat(String format) {
    return KNOWN.matcher(format).matches();
  }

  /** Milliseconds since 1970. */
  public static long parseDatetime(String format, String text) {
    return isFormat(format)
        ? required(format, text).toInstant(ZoneOffset.UTC).toEpochMilli()
        : new SqlFunctions.DateParseFunction().parseDatetime(format, text);
  }

  /** See {@link #STRPTIME_TEXT}. */
  public static String momentText(String text, String format) {
    return WRITTEN.format(required(format, text));
  }

  /** See {@link #TRY_STRPTIME_TEXT}. */
  public static @Nullable String tryMomentText(String text, String format) {
    try {
      return WRITTEN.format(parsed(format, text));
    } catch (DateTimeException e) {
      return null;
    }
  }

  private static LocalDateTime required(String format, String text) {
    try {
      return parsed(format, text);
    } catch (DateTimeException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_DATETIME,
          "'%s' is not a value of TIMESTAMP in the format '%s'.".formatted(text, format),
          e);
    }
  }

  private static LocalDateTime parsed(String format, String text) {
    List<DateTimeFormatter> formatters = KEPT.get(format);
    if (formatters == null) {
      if (!isFormat(format)) {
        throw new AragoniteException(
            ErrorCode.INVALID_ARGUMENT,
            "The format '%s' has other parts than %s.".formatted(format, PARTS));
      }
      formatters = formatters(format);
      if (KEPT.size() < MOST_KEPT) {
        KEPT.put(format, formatters);
      }
    }
    String given = text.strip();
    for (DateTimeFormatter formatter : formatters.subList(0, formatters.size() - 1)) {
      try {
        return LocalDateTime.parse(given, formatter);
      } catch (DateTimeException e) {
        // the last one says what is wrong
      }
    }
    return LocalDateTime.parse(given, formatters.getLast());
  }

  /**
   * One after the other: beside {@code %p} an hour of {@code %H} is one of 12, 0 or 12 the first.
   */
  private static List<DateTimeFormatter> formatters(String given) {
    String format =
        PART.matcher(given).replaceAll(part -> Matcher.quoteReplacement(parts(part.group(1))));
    List<String> signs = PART.matcher(format).results().map(part -> part.group(1)).toList();
    return signs.contains("p") && signs.contains("H")
        ? List.of(
            formatter(format, ChronoField.CLOCK_HOUR_OF_AMPM),
            formatter(format, ChronoField.HOUR_OF_AMPM))
        : List.of(formatter(format, ChronoField.HOUR_OF_DAY));
  }

  private static DateTimeFormatter formatter(String format, ChronoField hour) {
    DateTimeFormatterBuilder builder = new DateTimeFormatterBuilder().parseCaseInsensitive();
    Set<Character> parts = new HashSet<>();
    for (int i = 0; i < format.length(); i++) {
      char sign = format.charAt(i);
      if (sign != '%' || format.charAt(i + 1) == '%') {
        builder.appendLiteral(sign);
        i += sign == '%' ? 1 : 0;
        continue;
      }
      i++;
      boolean adjacent =
          i + 1 < format.length()
              && (format.charAt(i + 1) == '%' || Character.isDigit(format.charAt(i + 1)));
      parts.add(format.charAt(i));
      part(builder, format.charAt(i), adjacent, hour);
    }
    if (!parts.contains('j')) {
      builder.parseDefaulting(ChronoField.MONTH_OF_YEAR, 1);
      builder.parseDefaulting(ChronoField.DAY_OF_MONTH, 1);
    }
    if (hour == ChronoField.HOUR_OF_DAY) {
      builder.parseDefaulting(parts.contains('I') ? ChronoField.AMPM_OF_DAY : hour, 0);
    }
    return builder
        .parseDefaulting(ChronoField.YEAR, 1900)
        .parseDefaulting(ChronoField.MINUTE_OF_HOUR, 0)
        .parseDefaulting(ChronoField.SECOND_OF_MINUTE, 0)
        .toFormatter(Locale.ENGLISH)
        .withResolverFields(RESOLVED)
        .withResolverStyle(ResolverStyle.STRICT);
  }

  /** What a letter behind a sign stands for. */
  private static String parts(String letter) {
    return switch (letter) {
      case "F" -> "%Y-%m-%d";
      case "T" -> "%H:%M:%S";
      case "D" -> "%m/%d/%y";
      case "R" -> "%H:%M";
      default -> "%" + letter;
    };
  }

  /** A number has its full width only where another follows at once. */
  private static void part(
      DateTimeFormatterBuilder builder, char part, boolean adjacent, ChronoField hour) {
    switch (part) {
      case 'Y' -> number(builder, ChronoField.YEAR, 4, adjacent);
      case 'y' -> builder.appendValueReduced(ChronoField.YEAR, 2, 2, FIRST_OF_TWO_DIGITS);
      case 'm' -> number(builder, ChronoField.MONTH_OF_YEAR, 2, adjacent);
      case 'b', 'h' -> builder.appendText(ChronoField.MONTH_OF_YEAR, TextStyle.SHORT);
      case 'B' -> builder.appendText(ChronoField.MONTH_OF_YEAR, TextStyle.FULL);
      case 'd' -> number(builder, ChronoField.DAY_OF_MONTH, 2, adjacent);
      case 'j' -> number(builder, ChronoField.DAY_OF_YEAR, 3, adjacent);
      case 'a' -> builder.appendText(ChronoField.DAY_OF_WEEK, TextStyle.SHORT);
      case 'A' -> builder.appendText(ChronoField.DAY_OF_WEEK, TextStyle.FULL);
      case 'H' -> number(builder, hour, 2, adjacent);
      case 'I' -> number(builder, ChronoField.CLOCK_HOUR_OF_AMPM, 2, adjacent);
      case 'p' -> builder.appendText(ChronoField.AMPM_OF_DAY);
      case 'M' -> number(builder, ChronoField.MINUTE_OF_HOUR, 2, adjacent);
      case 'S' -> number(builder, ChronoField.SECOND_OF_MINUTE, 2, adjacent);
      case 'f' -> builder.appendFraction(ChronoField.MICRO_OF_SECOND, 1, 6, false);
      default -> builder.appendFraction(ChronoField.MICRO_OF_SECOND, 1, 3, false);
    }
  }

  private static void number(
      DateTimeFormatterBuilder builder, ChronoField field, int digits, boolean adjacent) {
    if (adjacent) {
      builder.appendValue(field, digits);
    } else {
      builder.appendValue(field, 1, digits, SignStyle.NOT_NEGATIVE);
    }
  }
}
