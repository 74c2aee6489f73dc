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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Getters of intervals: of days and time a {@link Duration}, of years and months a {@link Period}.
 * Their text is PostgreSQL's. As a number an interval is its milliseconds or months.
 */
final class IntervalGetters {
  private final ResultSet rows;

  /** The types of columns that have intervals, from 1; null as long as nobody has asked. */
  private @Nullable String @Nullable [] types;

  IntervalGetters(ResultSet rows) {
    this.rows = rows;
  }

  private @Nullable String[] types() throws SQLException {
    @Nullable String[] known = types;
    if (known == null) {
      ResultSetMetaData columns = rows.getMetaData();
      known = new String[columns.getColumnCount() + 1];
      for (int i = 1; i < known.length; i++) {
        String type = columns.getColumnTypeName(i);
        known[i] = ColumnsGuard.isInterval(type) ? type : null;
      }
      types = known;
    }
    return known;
  }

  /** Whether a column has intervals. */
  boolean has(int column) throws SQLException {
    @Nullable String[] known = types();
    return column > 0 && column < known.length && known[column] != null;
  }

  private boolean isMonths(int column) throws SQLException {
    return ColumnsGuard.isMonths(Objects.requireNonNull(types()[column]));
  }

  @Nullable String getString(int column) throws SQLException {
    return rows.getObject(column) instanceof Number value ? text(column, value) : null;
  }

  private String text(int column, Number value) throws SQLException {
    return isMonths(column)
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
        : isMonths(column)
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
