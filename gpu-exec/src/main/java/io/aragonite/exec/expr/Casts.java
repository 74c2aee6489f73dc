package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * CAST between boxed values. Numbers are rounded as in PostgreSQL: decimals, and what becomes one,
 * half away from zero, floats that become integers half to even. Text is trimmed before it is read
 * and cut at the target's length, CHAR(n) is padded.
 */
final class Casts {
  private static final RoundingMode ROUNDING = RoundingMode.HALF_UP;

  private Casts() {}

  static Object cast(Object value, DataType from, DataType to) {
    return switch (to.kind()) {
      case NULL, OPAQUE -> value;
      case BOOLEAN -> toBoolean(value);
      case INT8, INT16, INT32, INT64 -> toInteger(value, from, to);
      case FLOAT32, FLOAT64 -> Numbers.cast(toDouble(value, to), to);
      case DECIMAL -> toDecimal(value, to);
      case CHAR, VARCHAR -> fitted(toText(value, from), to);
      case BINARY -> toBinary(value, from, to);
      case DATE, TIME, TIMESTAMP -> toDateTime(value, from, to);
      case INSTANT -> {
        if (from.kind() != TypeKind.INSTANT) {
          throw unsupported(from, to);
        }
        yield inRange(to, () -> toTimestamp((Long) value, from, to));
      }
      case INTERVAL_MONTH ->
          value instanceof String text
              ? Numbers.fit(DateTimeText.parseMonths(text), to)
              : toInteger(value, from, to);
      case INTERVAL_DAY ->
          value instanceof String text
              ? (Object) DateTimeText.parseInterval(text)
              : toInteger(value, from, to);
    };
  }

  static EvalException invalid(Object value, DataType to) {
    String text = value.toString();
    String shown = text.length() > 100 ? text.substring(0, 100) + "…" : text;
    return new EvalException(
        ErrorCode.INVALID_CAST, "'" + shown + "' is not a value of " + to.withNullable(true));
  }

  /**
   * Of texts those that PostgreSQL takes: beginnings of words too, as far as they are no others'.
   */
  private static Boolean toBoolean(Object value) {
    if (value instanceof Boolean truth) {
      return truth;
    }
    if (value instanceof String text) {
      return switch (text.strip().toLowerCase(Locale.ROOT)) {
        case "t", "tr", "tru", "true", "y", "ye", "yes", "on", "1" -> true;
        case "f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0" -> false;
        default -> throw invalid(value, DataType.BOOLEAN);
      };
    }
    return value instanceof BigDecimal decimal
        ? decimal.signum() != 0
        : Numbers.toDouble(value) != 0;
  }

  private static Long toInteger(Object value, DataType from, DataType to) {
    if (value instanceof Long number) {
      return Numbers.fit(number, to);
    }
    if (value instanceof Double number) {
      return fromFloat(number, to);
    }
    if (value instanceof BigDecimal decimal) {
      return Numbers.fitLong(decimal.setScale(0, ROUNDING), to);
    }
    if (value instanceof Boolean truth) {
      return truth ? 1L : 0L;
    }
    if (value instanceof String text) {
      try {
        long number = Long.parseLong(text.strip());
        if (number >= Numbers.min(to.kind()) && number <= Numbers.max(to.kind())) {
          return number;
        }
      } catch (NumberFormatException e) {
        // Said below, as for a number that is too large.
      }
      throw invalid(value, to);
    }
    throw unsupported(from, to);
  }

  private static long fromFloat(double value, DataType to) {
    if (!(value >= -0x1p63 && value < 0x1p63)) {
      throw Numbers.doesNotFit(value, to);
    }
    return Numbers.fit((long) Math.rint(value), to);
  }

  private static double toDouble(Object value, DataType to) {
    if (value instanceof String text) {
      try {
        return floatOf(text.strip(), to);
      } catch (NumberFormatException e) {
        throw invalid(value, DataType.FLOAT64);
      }
    }
    if (value instanceof Boolean truth) {
      return truth ? 1 : 0;
    }
    return Numbers.toDouble(value);
  }

  /** Beside what Java knows the words that PostgreSQL has, whatever their case. */
  private static double floatOf(String text, DataType to) {
    int sign = !text.isEmpty() && (text.charAt(0) == '-' || text.charAt(0) == '+') ? 1 : 0;
    double value =
        switch (text.substring(sign).toLowerCase(Locale.ROOT)) {
          case "inf", "infinity" -> Double.POSITIVE_INFINITY;
          case "nan" -> Double.NaN;
          default -> 0;
        };
    if (value != 0) {
      return text.charAt(0) == '-' ? -value : value;
    }
    double parsed = Double.parseDouble(text);
    if (Double.isInfinite(parsed)) {
      throw Numbers.doesNotFit(text, to);
    }
    return parsed;
  }

  private static BigDecimal toDecimal(Object value, DataType to) {
    if (value instanceof String text) {
      try {
        BigDecimal parsed = new BigDecimal(text.strip());
        if (parsed.scale() < -100 || parsed.precision() - (long) parsed.scale() > 100) {
          throw Numbers.doesNotFit(text.strip(), to);
        }
        return Numbers.fit(parsed, to, ROUNDING);
      } catch (NumberFormatException e) {
        throw invalid(value, to);
      }
    }
    if (value instanceof Boolean truth) {
      return Numbers.fit(truth ? BigDecimal.ONE : BigDecimal.ZERO, to, ROUNDING);
    }
    return Numbers.fit(Numbers.toDecimal(value), to, ROUNDING);
  }

  /**
   * A value as text of any length. As PostgreSQL has it a fraction of a second is written if there
   * is one, without zeros at its end: other values have other texts.
   */
  static String toText(Object value, DataType from) {
    return switch (from.kind()) {
      case BOOLEAN -> (Boolean) value ? "TRUE" : "FALSE";
      case FLOAT32 -> {
        float number = ((Double) value).floatValue();
        yield number == 0 ? "0E0" : Float.toString(number);
      }
      case FLOAT64 -> {
        double number = (Double) value;
        yield number == 0 ? "0E0" : Double.toString(number);
      }
      case DECIMAL -> decimalText((BigDecimal) value);
      case DATE -> DateTimeText.date((Long) value);
      case TIME -> DateTimeText.time((Long) value);
      case TIMESTAMP -> DateTimeText.timestamp((Long) value, from.timestampUnit());
      case INTERVAL_MONTH -> DateTimeText.months((Long) value);
      case INTERVAL_DAY -> DateTimeText.interval((Long) value);
      case BINARY -> HexFormat.of().formatHex((byte[]) value);
      default -> value.toString();
    };
  }

  /** Calcite writes .5, not 0.5. */
  static String decimalText(BigDecimal value) {
    String text = value.toString();
    if (text.startsWith("0.")) {
      return text.substring(1);
    }
    return text.startsWith("-0.") ? "-" + text.substring(2) : text;
  }

  static String fitted(String text, DataType to) {
    int limit = to.precision();
    if (limit < 0) {
      return text;
    }
    if (text.length() <= limit && to.kind() != TypeKind.CHAR) {
      return text;
    }
    int points = text.codePointCount(0, text.length());
    int end = points > limit ? text.offsetByCodePoints(0, limit) : text.length();
    while (to.kind() == TypeKind.CHAR && end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    return text.substring(0, end);
  }

  /** Of a text its UTF-8, cut at its end; of an integer its bytes, the lowest ones. */
  private static byte[] toBinary(Object value, DataType from, DataType to) {
    int limit = to.precision() >= 0 ? to.precision() : Integer.MAX_VALUE;
    if (value instanceof Long number && from.kind().isInteger()) {
      byte[] bytes = bytes(number, from.kind());
      return Arrays.copyOfRange(bytes, Math.max(0, bytes.length - limit), bytes.length);
    }
    byte[] bytes =
        switch (value) {
          case byte[] given -> given;
          case String text -> text.getBytes(StandardCharsets.UTF_8);
          default -> throw unsupported(from, to);
        };
    return bytes.length > limit ? Arrays.copyOf(bytes, limit) : bytes;
  }

  /** The highest first. */
  private static byte[] bytes(long number, TypeKind integer) {
    byte[] all = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    int length =
        switch (integer) {
          case INT8 -> Byte.BYTES;
          case INT16 -> Short.BYTES;
          case INT32 -> Integer.BYTES;
          default -> Long.BYTES;
        };
    return Arrays.copyOfRange(all, Long.BYTES - length, Long.BYTES);
  }

  private static Long toDateTime(Object value, DataType from, DataType to) {
    if (value instanceof String text) {
      return switch (to.kind()) {
        case DATE -> DateTimeText.parseDate(text);
        case TIME -> floor(DateTimeText.parseTime(text), to.timestampUnit(), to);
        default ->
            inRange(
                to,
                () ->
                    floor(
                        DateTimeText.parseTimestamp(text, to.timestampUnit()),
                        to.timestampUnit(),
                        to));
      };
    }
    if (!(value instanceof Long)) {
      throw unsupported(from, to);
    }
    long number = (Long) value;
    return switch (to.kind()) {
      case DATE ->
          Numbers.fit(
              from.kind() == TypeKind.TIMESTAMP
                  ? Math.floorDiv(number, from.timestampUnit().perDay())
                  : number,
              to);
      case TIME ->
          switch (from.kind()) {
            case TIMESTAMP -> {
              TimestampUnit unit = from.timestampUnit();
              long ofDay = Math.floorMod(number, unit.perDay());
              yield floor(unit.to(to.timestampUnit(), ofDay), to.timestampUnit(), to);
            }
            case DATE -> 0L;
            case TIME ->
                to.precision() < from.precision() ? floor(number, to.timestampUnit(), to) : number;
            default -> Numbers.fit(number, to);
          };
      default ->
          switch (from.kind()) {
            case DATE -> inRange(to, () -> Math.multiplyExact(number, to.timestampUnit().perDay()));
            case TIME -> throw unsupported(from, to);
            case TIMESTAMP -> inRange(to, () -> toTimestamp(number, from, to));
            default -> number;
          };
    };
  }

  private static long toTimestamp(long value, DataType from, DataType to) {
    long converted = from.timestampUnit().to(to.timestampUnit(), value);
    return to.precision() < from.precision() ? floor(converted, to.timestampUnit(), to) : converted;
  }

  private static Long inRange(DataType type, LongSupplier value) {
    try {
      return value.getAsLong();
    } catch (ArithmeticException e) {
      throw Numbers.overflow("the value is beyond the range of " + type.withNullable(true));
    }
  }

  /**
   * A time without the digits that its type does not keep.
   *
   * @throws ArithmeticException beyond the unit's range
   */
  private static long floor(long value, TimestampUnit unit, DataType type) {
    long width = 1;
    for (int digits = unit.digits(); digits > type.precision(); digits--) {
      width *= 10;
    }
    return Math.subtractExact(value, Math.floorMod(value, width));
  }

  private static EvalException unsupported(DataType from, DataType to) {
    return new EvalException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "a cast from "
            + from.withNullable(true)
            + " to "
            + to.withNullable(true)
            + " is not supported");
  }
}
