package io.aragonite.adapter.parameter;

import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * A parameter's value.
 *
 * @param type its SQL type
 * @param value the value in the form that Calcite computes with: Integer for INTEGER, DATE (days)
 *     and TIME (milliseconds), Long for BIGINT and TIMESTAMP (milliseconds; a TimeString or
 *     TimestampString of one that has more), String, Boolean, BigDecimal, Float, Double, ByteString
 * @param instant of a moment what UTC's clocks show, in the same form; null for all else
 */
public record ParameterValue(ParameterType type, @Nullable Object value, @Nullable Object instant) {
  ParameterValue(ParameterType type, @Nullable Object value) {
    this(type, value, null);
  }

  static ParameterValue of(SqlTypeName name, Object value) {
    return new ParameterValue(ParameterType.of(name), value);
  }
}
