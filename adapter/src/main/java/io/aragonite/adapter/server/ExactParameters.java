package io.aragonite.adapter.server;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.remote.TypedValue;
import org.jspecify.annotations.Nullable;

/**
 * Dates and times of Avatica's clients as the protocol counts them. Avatica makes java.sql's
 * classes of the numbers, which cannot say all of them: not the days that the Julian calendar left
 * out, nor the hours that this JVM's zone does.
 */
final class ExactParameters {
  private static final long MILLIS_PER_DAY = 86_400_000L;
  private static final int NANOS_PER_MILLI = 1_000_000;

  private ExactParameters() {}

  /**
   * The values of one run; null for none.
   *
   * @throws AragoniteException MISSING_PARAMETER for one that was not set
   */
  static @Nullable List<TypedValue> of(@Nullable List<TypedValue> values) {
    if (values == null) {
      return null;
    }
    List<TypedValue> exact = new ArrayList<>(values.size());
    for (TypedValue value : values) {
      if (value == null) {
        throw new AragoniteException(
            ErrorCode.MISSING_PARAMETER,
            "Parameter %d of the statement's %d has no value; set it before the statement is run."
                .formatted(exact.size() + 1, values.size()));
      }
      exact.add(exact(value));
    }
    return exact;
  }

  private static TypedValue exact(TypedValue value) {
    if (!(value.value instanceof Number number)) {
      return value;
    }
    try {
      Object moment =
          number instanceof BigDecimal decimal
              ? ReceivedMoments.of(decimal)
              : moment(value.type, number.longValue());
      return moment == null ? value : TypedValue.ofSerial(ColumnMetaData.Rep.OBJECT, moment);
    } catch (DateTimeException e) {
      return value; // of a year that Java does not know
    }
  }

  private static @Nullable Object moment(ColumnMetaData.Rep type, long count) {
    return switch (type) {
      case JAVA_SQL_DATE -> LocalDate.ofEpochDay(count);
      case JAVA_SQL_TIME ->
          LocalTime.ofNanoOfDay(Math.floorMod(count, MILLIS_PER_DAY) * NANOS_PER_MILLI);
      case JAVA_SQL_TIMESTAMP, JAVA_UTIL_DATE ->
          LocalDateTime.ofEpochSecond(
              Math.floorDiv(count, 1000L),
              Math.floorMod(count, 1000) * NANOS_PER_MILLI,
              ZoneOffset.UTC);
      default -> null;
    };
  }
}
