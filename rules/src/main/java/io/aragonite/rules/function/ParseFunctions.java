package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.time.format.SignStyle;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.runtime.SqlFunctions;

/**
 * Timestamps of texts in a format of C's {@code strptime}. Called by generated code; no argument is
 * null. Calcite's own takes 30 February for 1 March.
 */
@Strict
public final class ParseFunctions {
  /** Formats whose parts are read here; others are left to Calcite. */
  private static final Pattern KNOWN = Pattern.compile("(?:[^%]|%[YmdbBHMS])*");

  private static final int MOST_KEPT = 100;
  private static final Map<String, DateTimeFormatter> KEPT = new ConcurrentHashMap<>();

  private ParseFunctions() {}

  /** Milliseconds since 1970. */
  public static long parseDatetime(String format, String text) {
    if (!KNOWN.matcher(format).matches()) {
      return new SqlFunctions.DateParseFunction().parseDatetime(format, text);
    }
    DateTimeFormatter formatter = KEPT.get(format);
    if (formatter == null) {
      formatter = formatter(format);
      if (KEPT.size() < MOST_KEPT) {
        KEPT.put(format, formatter);
      }
    }
    try {
      return LocalDateTime.parse(text.strip(), formatter).toInstant(ZoneOffset.UTC).toEpochMilli();
    } catch (DateTimeParseException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_DATETIME,
          "'%s' is not a value of TIMESTAMP in the format '%s'.".formatted(text, format),
          e);
    }
  }

  private static DateTimeFormatter formatter(String format) {
    DateTimeFormatterBuilder builder = new DateTimeFormatterBuilder().parseCaseInsensitive();
    for (int i = 0; i < format.length(); i++) {
      if (format.charAt(i) != '%') {
        builder.appendLiteral(format.charAt(i));
        continue;
      }
      i++;
      boolean adjacent = i + 1 < format.length() && format.charAt(i + 1) == '%';
      part(builder, format.charAt(i), adjacent);
    }
    return builder
        .parseDefaulting(ChronoField.YEAR, 1900)
        .parseDefaulting(ChronoField.MONTH_OF_YEAR, 1)
        .parseDefaulting(ChronoField.DAY_OF_MONTH, 1)
        .parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
        .parseDefaulting(ChronoField.MINUTE_OF_HOUR, 0)
        .parseDefaulting(ChronoField.SECOND_OF_MINUTE, 0)
        .toFormatter(Locale.ENGLISH)
        .withResolverStyle(ResolverStyle.STRICT);
  }

  /** A number has its full width only where another follows at once. */
  private static void part(DateTimeFormatterBuilder builder, char part, boolean adjacent) {
    switch (part) {
      case 'Y' -> builder.appendValue(ChronoField.YEAR, 4);
      case 'b' -> builder.appendText(ChronoField.MONTH_OF_YEAR, TextStyle.SHORT);
      case 'B' -> builder.appendText(ChronoField.MONTH_OF_YEAR, TextStyle.FULL);
      default -> {
        ChronoField field =
            switch (part) {
              case 'm' -> ChronoField.MONTH_OF_YEAR;
              case 'd' -> ChronoField.DAY_OF_MONTH;
              case 'H' -> ChronoField.HOUR_OF_DAY;
              case 'M' -> ChronoField.MINUTE_OF_HOUR;
              default -> ChronoField.SECOND_OF_MINUTE;
            };
        if (adjacent) {
          builder.appendValue(field, 2);
        } else {
          builder.appendValue(field, 1, 2, SignStyle.NOT_NEGATIVE);
        }
      }
    }
  }
}
