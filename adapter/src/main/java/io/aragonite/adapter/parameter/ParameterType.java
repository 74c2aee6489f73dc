package io.aragonite.adapter.parameter;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * The SQL type of a parameter, which is that of its value. A plan is made for the types of a
 * statement's parameters, so that it does for all values of these types.
 *
 * @param name {@code NULL} for a null of no type
 * @param precision of decimals in digits, of texts in characters, of times in digits of seconds;
 *     {@link RelDataType#PRECISION_NOT_SPECIFIED} where there is none
 * @param scale of decimals, 0 for others
 * @param isMoment whether the value of a TIMESTAMP is known as an instant too
 */
public record ParameterType(SqlTypeName name, int precision, int scale, boolean isMoment) {
  /** The longest text that has a length of its own in its type. */
  private static final int MAX_LENGTH = 1 << 16;

  static final ParameterType UNTYPED_NULL = of(SqlTypeName.NULL);

  ParameterType(SqlTypeName name, int precision, int scale) {
    this(name, precision, scale, false);
  }

  static ParameterType of(SqlTypeName name) {
    return new ParameterType(name, RelDataType.PRECISION_NOT_SPECIFIED, 0);
  }

  /**
   * A text or binary type that values of this length fit into. Lengths are rounded up to powers of
   * two, so that texts of all lengths need few plans.
   */
  static ParameterType ofLength(SqlTypeName name, int length) {
    return length > MAX_LENGTH
        ? of(name)
        : new ParameterType(name, length <= 1 ? 1 : Integer.highestOneBit(length - 1) << 1, 0);
  }

  /** The type of a TIMESTAMP whose value is known as an instant too. */
  ParameterType ofMoment() {
    return new ParameterType(name, precision, scale, true);
  }

  /** The type of a moment as an instant. */
  ParameterType ofInstant() {
    return new ParameterType(SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE, precision, scale);
  }

  /** Whether it is the null that has no type, which takes one from where it stands. */
  public boolean isUntypedNull() {
    return name == SqlTypeName.NULL;
  }

  /** This type, nullable. */
  RelDataType in(RelDataTypeFactory factory) {
    RelDataType type;
    if (precision == RelDataType.PRECISION_NOT_SPECIFIED) {
      type = factory.createSqlType(name);
    } else if (name == SqlTypeName.DECIMAL) {
      type = factory.createSqlType(name, precision, scale);
    } else {
      type = factory.createSqlType(name, precision);
    }
    if (name == SqlTypeName.VARCHAR) {
      type =
          factory.createTypeWithCharsetAndCollation(
              type, factory.getDefaultCharset(), org.apache.calcite.sql.SqlCollation.IMPLICIT);
    }
    return factory.createTypeWithNullability(type, true);
  }
}
