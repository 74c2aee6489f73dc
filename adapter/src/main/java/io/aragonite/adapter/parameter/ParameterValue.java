package io.aragonite.adapter.parameter;

import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * A parameter's value.
 *
 * @param type its SQL type
 * @param value the value in the form that Calcite computes with: Integer for INTEGER, DATE (days)
 *     and TIME (milliseconds), Long for BIGINT and TIMESTAMP (milliseconds; a TimestampString of
 *     one that has more), String, Boolean, BigDecimal, Float, Double, ByteString
 */
public record ParameterValue(ParameterType type, @Nullable Object value) {
  static ParameterValue of(SqlTypeName name, Object value) {
    return new ParameterValue(ParameterType.of(name), value);
  }
}
