package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.metadata.ColumnsGuard;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.IntervalFunctions;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Period;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Getters of intervals: of days and time a {@link Duration}, of years and months a {@link Period}.
 * Their text is PostgreSQL's. As a number an interval is its milliseconds or months.
 */
final class IntervalGetters {
  private final ResultSet rows;

  /** Whether the intervals of a column, from 1, are months; empty as long as nobody has asked. */
  private @Nullable Map<Integer, Boolean> months;

  IntervalGetters(ResultSet rows) {
    this.rows = rows;
  }

  private Map<Integer, Boolean> months() throws SQLException {
    Map<Integer, Boolean> known = months;
    if (known == null) {
      known = new HashMap<>();
      ResultSetMetaData columns = rows.getMetaData();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        String type = columns.getColumnTypeName(i);
        if (ColumnsGuard.isInterval(type)) {
          known.put(i, ColumnsGuard.isMonths(type));
        }
      }
      months = known;
    }
    return known;
  }

  /** Whether a column has intervals. */
  boolean has(int column) throws SQLException {
    return months().containsKey(column);
  }

  @Nullable String getString(int column) throws SQLException {
    return rows.getObject(column) instanceof Number value ? text(column, value) : null;
  }

  private String text(int column, Number value) throws SQLException {
    return Boolean.TRUE.equals(months().get(column))
        ? IntervalFunctions.monthsText(value.intValue())
        : IntervalFunctions.intervalText(value.longValue());
  }

  /** For a client of the server the text: its protocol has no intervals. */
  @Nullable Object getObject(int column) throws SQLException {
    if (!(rows.getObject(column) instanceof Number value)) {
      return null;
    }
    return ClientRequest.isNarrow()
        ? text(column, value)
        : Boolean.TRUE.equals(months().get(column))
            ? Period.ofMonths(value.intValue()).normalized()
            : Duration.ofMillis(value.longValue());
  }

  /** {@link ResultSet#getObject(int, Class)}. */
  @Nullable Object getObject(int column, Class<?> type) throws SQLException {
    Object value = getObject(column);
    if (value == null || type.isInstance(value)) {
      return value;
    } else if (type == String.class) {
      return getString(column);
    } else if (type == Long.class) {
      return rows.getLong(column);
    } else if (type == Integer.class && value instanceof Period) {
      return rows.getInt(column);
    }
    throw new AragoniteException(
        ErrorCode.INVALID_CALL,
        "Column %d holds an INTERVAL, which cannot be had as %s."
            .formatted(column, type.getName()));
  }
}
