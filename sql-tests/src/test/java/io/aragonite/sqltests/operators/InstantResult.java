package io.aragonite.sqltests.operators;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * A result whose instants are texts as Calcite has them: the time in UTC without an offset. Ours
 * have the offset of the connection's zone, as PostgreSQL's.
 */
final class InstantResult {
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  private InstantResult() {}

  /** Whether the first column is a TIMESTAMP WITH TIME ZONE. */
  static boolean applies(ResultSet result) throws SQLException {
    return result.getMetaData().getColumnType(1) == Types.TIMESTAMP_WITH_TIMEZONE;
  }

  /** A view of a result with one column. */
  static ResultSet of(ResultSet result) {
    return (ResultSet)
        Proxy.newProxyInstance(
            InstantResult.class.getClassLoader(),
            new Class<?>[] {ResultSet.class},
            (proxy, method, args) -> {
              try {
                return method.getName().equals("getString")
                    ? text(result.getObject(1, Instant.class))
                    : method.invoke(result, args);
              } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
              }
            });
  }

  private static @Nullable String text(@Nullable Instant instant) {
    if (instant == null) {
      return null;
    }
    String seconds = SECONDS.format(LocalDateTime.ofInstant(instant, ZoneOffset.UTC));
    String fraction = "%09d".formatted(instant.getNano()).replaceAll("0+$", "");
    return fraction.isEmpty() ? seconds : seconds + "." + fraction;
  }
}
