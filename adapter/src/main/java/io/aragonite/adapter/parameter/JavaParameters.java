package io.aragonite.adapter.parameter;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URL;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.TimeZone;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.avatica.util.DateTimeUtils;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.TimeString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/**
 * Java's values as SQL's. A value has the type that a literal of it has: integers INTEGER or
 * BIGINT, a BigDecimal as many digits as it shows, a moment TIMESTAMP in the connection's time
 * zone, but an instant where one is wanted. Texts are VARCHAR, whatever their length.
 */
final class JavaParameters {
  private static final int MAX_DIGITS = 38;
  private static final long DAY_MILLIS = 86_400_000L;

  private JavaParameters() {}

  /**
   * The value of an object.
   *
   * @param zone where moments and java.sql's dates are read; asked for these alone
   * @throws AragoniteException NUMERIC_OVERFLOW for a number of more than 38 digits,
   *     TYPE_UNSUPPORTED for an object that is no SQL value
   */
  static ParameterValue of(@Nullable Object object, Supplier<TimeZone> zone) throws SQLException {
    return switch (object) {
      case null -> new ParameterValue(ParameterType.UNTYPED_NULL, null);
      case Boolean value -> ParameterValue.of(SqlTypeName.BOOLEAN, value);
      case Byte value -> ParameterValue.of(SqlTypeName.INTEGER, value.intValue());
      case Short value -> ParameterValue.of(SqlTypeName.INTEGER, value.intValue());
      case Integer value -> ParameterValue.of(SqlTypeName.INTEGER, value);
      case Long value -> ParameterValue.of(SqlTypeName.BIGINT, value);
      case BigInteger value -> decimal(new BigDecimal(value));
      case BigDecimal value -> decimal(value);
      case Float value -> ParameterValue.of(SqlTypeName.REAL, value);
      case Double value -> ParameterValue.of(SqlTypeName.DOUBLE, value);
      case String value -> text(value);
      case Character value -> text(value.toString());
      case char[] value -> text(new String(value));
      case UUID value -> text(value.toString());
      case URL value -> text(value.toString());
      case Clob value -> text(value.getSubString(1, Math.toIntExact(value.length())));
      case byte[] value -> bytes(value);
      case Blob value -> bytes(value.getBytes(1, Math.toIntExact(value.length())));
      case Object array when ArrayParameters.is(array) -> ArrayParameters.of(array, zone);
      default -> moment(object, zone.get());
    };
  }

  private static ParameterValue moment(Object object, TimeZone zone) {
    return switch (object) {
      case Date value ->
          ParameterValue.of(
              SqlTypeName.DATE,
              (int) gregorian(value, () -> DateTimeUtils.sqlDateToUnixDate(value, zone)));
      case Time value -> time(Math.floorMod(local(value.getTime(), zone), DAY_MILLIS));
      case Timestamp value ->
          instant(
              gregorian(value, () -> DateTimeUtils.sqlTimestampToUnixTimestamp(value, zone)),
              value.getTime(),
              value.getNanos());
      case java.util.Date value -> moment(value.toInstant(), zone);
      case Calendar value -> moment(value.toInstant(), zone);
      case Instant value -> moment(value, zone);
      case OffsetDateTime value -> moment(value.toInstant(), zone);
      case ZonedDateTime value -> moment(value.toInstant(), zone);
      case ShownMoment value -> moment(value);
      case LocalDate value ->
          ParameterValue.of(SqlTypeName.DATE, Math.toIntExact(value.toEpochDay()));
      case LocalTime value -> time(value);
      case LocalDateTime value ->
          timestamp(value.toInstant(ZoneOffset.UTC).toEpochMilli(), value.getNano());
      default ->
          throw new AragoniteException(
              ErrorCode.TYPE_UNSUPPORTED,
              "A %s cannot be a parameter; give a number, a text, bytes, a date, a time, or an array of these."
                  .formatted(object.getClass().getName()));
    };
  }

  /** What a clock of the zone shows at a moment, as if it were UTC's. */
  private static long local(long millis, TimeZone zone) {
    return millis + zone.getOffset(millis);
  }

  private static ParameterValue time(LocalTime value) {
    if (value.getNano() % 1_000 != 0) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "The time %s has more than the microseconds that TIME has; truncate it to them."
              .formatted(value));
    }
    long millis = value.toNanoOfDay() / 1_000_000;
    return value.getNano() % 1_000_000 == 0
        ? time(millis)
        : new ParameterValue(
            new ParameterType(SqlTypeName.TIME, DataType.MAX_TIME_PRECISION, 0),
            TimeString.fromMillisOfDay((int) millis).withNanos(value.getNano()));
  }

  static ParameterValue time(long millis) {
    return new ParameterValue(
        new ParameterType(SqlTypeName.TIME, millis % 1000 == 0 ? 0 : 3, 0), (int) millis);
  }

  static ParameterValue timestamp(long millis) {
    return new ParameterValue(
        new ParameterType(SqlTypeName.TIMESTAMP, millis % 1000 == 0 ? 0 : 3, 0), millis);
  }

  /** The local time, and the instant for where one is wanted: clocks show some times twice. */
  private static ParameterValue moment(Instant value, TimeZone zone) {
    return moment(new ShownMoment(LocalDateTime.ofInstant(value, zone.toZoneId()), value));
  }

  private static ParameterValue moment(ShownMoment value) {
    return instant(
        value.shown().toInstant(ZoneOffset.UTC).toEpochMilli(),
        value.instant().toEpochMilli(),
        value.instant().getNano());
  }

  /** Days before 1582 that java.sql's classes show, and the Gregorian calendar does not have. */
  private static long gregorian(java.util.Date value, LongSupplier shown) {
    try {
      return shown.getAsLong();
    } catch (DateTimeException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "%s is a day of the Julian calendar that the Gregorian one does not have; give a LocalDate or a LocalDateTime."
              .formatted(value),
          e);
    }
  }

  /**
   * @param shown what a clock shows at the moment, as if it were UTC's, by the Gregorian calendar;
   *     before 1582 java.sql's classes show the Julian one, and what they show counts
   * @param millis the moment
   */
  private static ParameterValue instant(long shown, long millis, int nanos) {
    ParameterValue local = timestamp(shown, nanos);
    return new ParameterValue(
        local.type().ofMoment(), local.value(), timestamp(millis, nanos).value());
  }

  /**
   * @param nanos of the second
   */
  private static ParameterValue timestamp(long millis, int nanos) {
    if (nanos % 1_000_000 == 0) {
      return timestamp(millis);
    }
    int precision = nanos % 1_000 == 0 ? 6 : 9;
    try {
      TimestampString value = TimestampString.fromMillisSinceEpoch(millis).withNanos(nanos);
      return new ParameterValue(new ParameterType(SqlTypeName.TIMESTAMP, precision, 0), value);
    } catch (IllegalArgumentException e) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "A timestamp with more than milliseconds is of a year from 0 to 9999; give it without"
              + " them.",
          e);
    }
  }

  static ParameterValue text(String value) {
    return new ParameterValue(
        ParameterType.ofLength(SqlTypeName.VARCHAR, value.codePointCount(0, value.length())),
        value);
  }

  static ParameterValue bytes(byte[] value) {
    return new ParameterValue(
        ParameterType.ofLength(SqlTypeName.VARBINARY, value.length), new ByteString(value));
  }

  static ParameterValue decimal(BigDecimal given) {
    BigDecimal value = given;
    if (digits(value) > MAX_DIGITS) {
      value = value.stripTrailingZeros();
    }
    if (value.scale() < 0 && value.precision() - value.scale() <= MAX_DIGITS) {
      value = value.setScale(0);
    }
    if (value.scale() < 0 || digits(value) > MAX_DIGITS) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "The parameter %s has more than %d digits; round it, or set it as a double."
              .formatted(given, MAX_DIGITS));
    }
    return new ParameterValue(
        new ParameterType(SqlTypeName.DECIMAL, digits(value), value.scale()), value);
  }

  private static int digits(BigDecimal value) {
    return Math.max(value.precision(), value.scale());
  }
}
