package io.aragonite.adapter.parameter;

import java.util.Objects;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The SQL type of a parameter, which is that of its value. A plan is made for the types of a
 * statement's parameters, so that it does for all values of these types.
 *
 * @param name {@code NULL} for a null of no type
 * @param precision of decimals in digits, of texts in characters, of times in digits of seconds;
 *     {@link RelDataType#PRECISION_NOT_SPECIFIED} where there is none
 * @param scale of decimals, 0 for others
 * @param isMoment whether the value of a TIMESTAMP is known as an instant too
 * @param element of an ARRAY the type of its elements, null for others
 */
public record ParameterType(
    SqlTypeName name, int precision, int scale, boolean isMoment, @Nullable ParameterType element) {
  /** The longest text that has a length of its own in its type. */
  private static final int MAX_LENGTH = 1 << 16;

  private static final int MAX_DIGITS = 38;
  private static final Set<SqlTypeName> WHOLE = Set.of(SqlTypeName.INTEGER, SqlTypeName.BIGINT);

  static final ParameterType UNTYPED_NULL = of(SqlTypeName.NULL);

  ParameterType(SqlTypeName name, int precision, int scale) {
    this(name, precision, scale, false, null);
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

  /** The type of an array. */
  static ParameterType ofList(ParameterType element) {
    return new ParameterType(
        SqlTypeName.ARRAY, RelDataType.PRECISION_NOT_SPECIFIED, 0, false, element);
  }

  /**
   * The type of elements of an array that are of this type or another one. Texts and bytes have no
   * length in it, so that arrays need few plans.
   */
  ParameterType with(ParameterType other) {
    if (isUntypedNull() || other.isUntypedNull()) {
      ParameterType known = isUntypedNull() ? other : this;
      return known.element == null && SqlTypeName.STRING_TYPES.contains(known.name)
          ? of(known.name)
          : new ParameterType(known.name, known.precision, known.scale, false, known.element);
    }
    if (name == SqlTypeName.ARRAY && other.name == name) {
      return ofList(Objects.requireNonNull(element).with(Objects.requireNonNull(other.element)));
    }
    boolean whole = WHOLE.contains(name) && WHOLE.contains(other.name);
    if (name != other.name && !whole) {
      throw ArrayParameters.ofSeveralTypes(this, other);
    }
    if (name == SqlTypeName.DECIMAL) {
      int digits = Math.max(precision - scale, other.precision - other.scale);
      int fraction = Math.max(scale, other.scale);
      return new ParameterType(name, Math.min(MAX_DIGITS, digits + fraction), fraction);
    }
    return whole && name != other.name
        ? of(SqlTypeName.BIGINT)
        : new ParameterType(name, Math.max(precision, other.precision), scale);
  }

  /** The type of a TIMESTAMP whose value is known as an instant too. */
  ParameterType ofMoment() {
    return new ParameterType(name, precision, scale, true, null);
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
  public RelDataType in(RelDataTypeFactory factory) {
    RelDataType type;
    if (element != null) {
      type = factory.createArrayType(element.in(factory), -1);
    } else if (precision == RelDataType.PRECISION_NOT_SPECIFIED) {
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
