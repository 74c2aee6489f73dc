package io.aragonite.adapter.parameter;

import java.time.LocalDate;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * A parameter's value.
 *
 * @param type its SQL type
 * @param value the value in the form that Calcite computes with: Integer for INTEGER, DATE (days)
 *     and TIME (milliseconds), Long for BIGINT and TIMESTAMP (milliseconds; a TimeString or
 *     TimestampString of one that has more), String, Boolean, BigDecimal, Float, Double,
 *     ByteString, of an ARRAY a list of these
 * @param instant of a moment what UTC's clocks show, in the same form; null for all else
 */
public record ParameterValue(ParameterType type, @Nullable Object value, @Nullable Object instant) {
  private static final int SHORT_TEXT = 32;

  ParameterValue(ParameterType type, @Nullable Object value) {
    this(type, value, null);
  }

  /**
   * The value of a literal. Short texts have one type, so that they need one plan.
   *
   * @param value a Long, a String or a LocalDate
   */
  public static ParameterValue ofLiteral(Object value) {
    return switch (value) {
      case Long number when number == number.intValue() ->
          of(SqlTypeName.INTEGER, number.intValue());
      case Long number -> of(SqlTypeName.BIGINT, number);
      case LocalDate date -> of(SqlTypeName.DATE, Math.toIntExact(date.toEpochDay()));
      default -> {
        String text = (String) value;
        yield new ParameterValue(
            ParameterType.ofLength(SqlTypeName.VARCHAR, Math.max(text.length(), SHORT_TEXT)), text);
      }
    };
  }

  static ParameterValue of(SqlTypeName name, Object value) {
    return new ParameterValue(ParameterType.of(name), value);
  }
}
