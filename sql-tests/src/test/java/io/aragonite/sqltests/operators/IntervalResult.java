package io.aragonite.sqltests.operators;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import org.apache.calcite.avatica.util.DateTimeUtils;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.jspecify.annotations.Nullable;

/** A result whose intervals are texts as the standard has them; ours are PostgreSQL's. */
final class IntervalResult {
  private IntervalResult() {}

  /** Whether the first column is an interval. */
  static boolean applies(ResultSet result) throws SQLException {
    return result.getMetaData().getColumnTypeName(1).matches("INTERVAL [A-Z ]*")
        && !result.getMetaData().getColumnTypeName(1).endsWith(" ARRAY");
  }

  /** A view of a result with one column. */
  static ResultSet of(ResultSet result) {
    return (ResultSet)
        Proxy.newProxyInstance(
            IntervalResult.class.getClassLoader(),
            new Class<?>[] {ResultSet.class},
            (proxy, method, args) -> {
              try {
                return method.getName().equals("getString")
                    ? text(result)
                    : method.invoke(result, args);
              } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
              }
            });
  }

  private static @Nullable String text(ResultSet result) throws SQLException {
    long value = result.getLong(1);
    if (result.wasNull()) {
      return null;
    }
    String type = result.getMetaData().getColumnTypeName(1);
    TimeUnitRange range =
        TimeUnitRange.valueOf(
            type.substring("INTERVAL ".length()).replace(' ', '_').toUpperCase(Locale.ROOT));
    return range.monthly()
        ? DateTimeUtils.intervalYearMonthToString((int) value, range)
        : DateTimeUtils.intervalDayTimeToString(value, range, result.getMetaData().getScale(1));
  }
}
