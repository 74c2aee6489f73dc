package io.aragonite.sqltests.operators;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/**
 * A result whose decimals have the least scale that shows their value. A column of ours has one
 * scale, its type's: ROUND of 42.346 to two digits is 42.350 in a DECIMAL(5, 3). Calcite's engine
 * carries the scale with each value and returns 42.35, and that is what the suite expects in
 * places.
 */
final class DecimalResult {
  private DecimalResult() {}

  /** Whether the first column is a decimal of a scale above 0. */
  static boolean applies(ResultSet result) throws SQLException {
    return result.getMetaData().getColumnType(1) == Types.DECIMAL
        && result.getMetaData().getScale(1) > 0;
  }

  /** A view of a result with one column. */
  static ResultSet of(ResultSet result) {
    return (ResultSet)
        Proxy.newProxyInstance(
            DecimalResult.class.getClassLoader(),
            new Class<?>[] {ResultSet.class},
            (proxy, method, args) -> {
              try {
                return least(method.invoke(result, args));
              } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
              }
            });
  }

  private static @Nullable Object least(@Nullable Object value) {
    return switch (value) {
      case BigDecimal decimal -> least(decimal);
      case String text -> least(new BigDecimal(text)).toPlainString();
      case null, default -> value;
    };
  }

  private static BigDecimal least(BigDecimal value) {
    BigDecimal stripped = value.stripTrailingZeros();
    return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
  }
}
