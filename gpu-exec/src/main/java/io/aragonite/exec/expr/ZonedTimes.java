package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Operations of instants and of what clocks in a time zone show. */
public final class ZonedTimes {
  /** An offset or a zone's name behind a timestamp. */
  private static final Pattern ZONE =
      Pattern.compile(
          "(.*?[0-9])\\s*(?:([+-])([0-9]{1,2})(?::?([0-9]{2}))?(?::?([0-9]{2}))?|\\s*([A-Za-z][A-Za-z_]*(?:/[A-Za-z0-9_+/-]+)?))");

  /** A date alone, whose days are no offset. */
  private static final Pattern DATE = Pattern.compile("\\s*[+-]?[0-9]+-[0-9]{1,2}-[0-9]{1,2}\\s*");

  private ZonedTimes() {}

  static Object of(Op op, String zone, Object value, Expr.Call call) {
    DataType from = call.args().get(1).type();
    DataType to = call.type();
    try {
      return switch (op) {
        case LOCAL_TIME -> local(zone, (Long) value, to.timestampUnit());
        case LOCAL_TO_INSTANT -> instant(zone, (Long) value, to.timestampUnit());
        case INSTANT_TEXT -> text(zone, (Long) value, from.timestampUnit());
        default -> parse(zone, (String) value, to);
      };
    } catch (ArithmeticException e) {
      throw Numbers.overflow("the value is beyond the range of " + to.withNullable(true));
    }
  }

  private static long local(String zone, long instant, TimestampUnit unit) {
    long offset = ZoneOffsets.of(zone).atInstant(Math.floorDiv(instant, unit.perSecond()));
    return Math.addExact(instant, offset * unit.perSecond());
  }

  private static long instant(String zone, long local, TimestampUnit unit) {
    long offset = ZoneOffsets.of(zone).atLocal(Math.floorDiv(local, unit.perSecond()));
    return Math.subtractExact(local, offset * unit.perSecond());
  }

  static Object rounded(Op op, String zone, String unit, long instant, DataType type) {
    long size = seconds(unit) * type.timestampUnit().perSecond();
    try {
      long past = Math.floorMod(local(zone, instant, type.timestampUnit()), size);
      return op == Op.INSTANT_FLOOR
          ? Math.subtractExact(instant, past)
          : past == 0 ? instant : Math.addExact(instant, size - past);
    } catch (ArithmeticException e) {
      throw Numbers.overflow("the value is beyond the range of " + type.withNullable(true));
    }
  }

  /** The length of an hour or a minute. */
  public static long seconds(String unit) {
    return unit.equals("HOUR") ? 3600 : 60;
  }

  /**
   * The local time with its offset as PostgreSQL has it: hours, and minutes and seconds where there
   * are any.
   */
  public static String text(String zone, long instant, TimestampUnit unit) {
    long offset = ZoneOffsets.of(zone).atInstant(Math.floorDiv(instant, unit.perSecond()));
    long size = Math.abs(offset);
    StringBuilder text =
        new StringBuilder(
            DateTimeText.timestamp(Math.addExact(instant, offset * unit.perSecond()), unit));
    text.append(offset < 0 ? '-' : '+').append("%02d".formatted(size / 3600));
    if (size % 3600 != 0) {
      text.append(":%02d".formatted(size / 60 % 60));
    }
    if (size % 60 != 0) {
      text.append(":%02d".formatted(size % 60));
    }
    return text.toString();
  }

  private static long parse(String zone, String text, DataType to) {
    TimestampUnit unit = to.timestampUnit();
    Matcher found = ZONE.matcher(text.strip());
    if (DATE.matcher(text).matches() || !found.matches()) {
      return instant(zone, timestamp(text.strip(), unit), unit);
    }
    long local = timestamp(found.group(1), unit);
    String name = found.group(6);
    if (name != null) {
      return instant(name, local, unit);
    }
    long offset =
        number(found.group(3)) * 3600 + number(found.group(4)) * 60 + number(found.group(5));
    if (offset > ZoneOffsets.MOST_SECONDS) {
      throw new EvalException(
          ErrorCode.INVALID_CAST, "'%s' has an offset of more than 18 hours".formatted(text));
    }
    long seconds = found.group(2).equals("-") ? -offset : offset;
    return Math.subtractExact(local, seconds * unit.perSecond());
  }

  private static long timestamp(String text, TimestampUnit unit) {
    return DateTimeText.parseLocalTimestamp(text, unit);
  }

  private static long number(@org.jspecify.annotations.Nullable String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }
}
