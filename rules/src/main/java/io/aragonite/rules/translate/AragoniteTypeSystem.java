package io.aragonite.rules.translate;

import io.aragonite.exec.type.DataType;
import java.math.RoundingMode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's type system with decimals of up to 38 digits and timestamps of up to nanoseconds. Sums
 * widen: of decimals to 38 digits, of integers to BIGINT. Averages of decimals keep at least six
 * digits after the point, those of integers and REALs are DOUBLE (Calcite's would be integers and
 * REALs), and so are variances. Products follow SQL Server's rules, which Calcite's defaults state
 * with these limits, and quotients have theirs but for the digits that they keep. Casts round. All
 * else is Calcite's default.
 */
public final class AragoniteTypeSystem extends RelDataTypeSystemImpl {
  /** The type system; it has no state. */
  public static final AragoniteTypeSystem INSTANCE = new AragoniteTypeSystem();

  private static final int MAX_DIGITS = 38;
  private static final int DEFAULT_TIMESTAMP = 6;
  private static final int MIN_AVERAGE_SCALE = 6;
  private static final int MIN_QUOTIENT_SCALE = 6;

  /** Quotients of fewer digits than this have as many after the point as SQL Server gives them. */
  private static final int FULL_QUOTIENT = MAX_DIGITS - MIN_QUOTIENT_SCALE;

  /**
   * Digits after the point of longer quotients: of sums, which have 38 digits whatever their values
   * are, six would leave no more than two or three that count of a small share. 26 remain before
   * the point.
   */
  private static final int LONG_QUOTIENT_SCALE = 12;

  /** For {@code typeSystem=} in a connect string; others use {@link #INSTANCE}. */
  public AragoniteTypeSystem() {}

  @Override
  public int getMaxPrecision(SqlTypeName typeName) {
    return switch (typeName) {
      case DECIMAL -> MAX_DIGITS;
      case TIME -> DataType.MAX_TIME_PRECISION;
      case TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> DataType.MAX_TIMESTAMP_PRECISION;
      default -> super.getMaxPrecision(typeName);
    };
  }

  /** What a cast keeps of a text: microseconds as the standard has it, of TIME all there is. */
  @Override
  public int getDefaultPrecision(SqlTypeName typeName) {
    return switch (typeName) {
      case TIMESTAMP -> DEFAULT_TIMESTAMP;
      case TIME -> getMaxPrecision(typeName);
      default -> super.getDefaultPrecision(typeName);
    };
  }

  @Override
  public RoundingMode roundingMode() {
    return RoundingMode.HALF_UP;
  }

  @Override
  public int getMaxScale(SqlTypeName typeName) {
    return typeName == SqlTypeName.DECIMAL ? MAX_DIGITS : super.getMaxScale(typeName);
  }

  @Override
  public RelDataType deriveSumType(RelDataTypeFactory typeFactory, RelDataType argumentType) {
    if (SqlTypeUtil.isDecimal(argumentType)) {
      return decimal(typeFactory, argumentType, argumentType.getScale());
    }
    return switch (argumentType.getSqlTypeName()) {
      case TINYINT, SMALLINT, INTEGER -> like(typeFactory, SqlTypeName.BIGINT, argumentType);
      default -> super.deriveSumType(typeFactory, argumentType);
    };
  }

  @Override
  public RelDataType deriveAvgAggType(RelDataTypeFactory typeFactory, RelDataType argumentType) {
    if (SqlTypeUtil.isDecimal(argumentType)) {
      return decimal(
          typeFactory, argumentType, Math.max(argumentType.getScale(), MIN_AVERAGE_SCALE));
    }
    return SqlTypeUtil.isExactNumeric(argumentType)
            || argumentType.getSqlTypeName() == SqlTypeName.REAL
        ? like(typeFactory, SqlTypeName.DOUBLE, argumentType)
        : super.deriveAvgAggType(typeFactory, argumentType);
  }

  @Override
  public @Nullable RelDataType deriveDecimalDivideType(
      RelDataTypeFactory typeFactory, RelDataType type1, RelDataType type2) {
    boolean decimal =
        SqlTypeUtil.isExactNumeric(type1)
            && SqlTypeUtil.isExactNumeric(type2)
            && (SqlTypeUtil.isDecimal(type1) || SqlTypeUtil.isDecimal(type2));
    if (!decimal) {
      return null;
    }
    RelDataType dividend = typeFactory.decimalOf(type1);
    RelDataType divisor = typeFactory.decimalOf(type2);
    int integral = dividend.getPrecision() - dividend.getScale() + divisor.getScale();
    int scale = Math.max(MIN_QUOTIENT_SCALE, dividend.getScale() + divisor.getPrecision() + 1);
    if (integral + scale > FULL_QUOTIENT) {
      scale = Math.min(scale, LONG_QUOTIENT_SCALE);
    }
    return typeFactory.createSqlType(
        SqlTypeName.DECIMAL, Math.min(MAX_DIGITS, integral + scale), scale);
  }

  @Override
  public RelDataType deriveCovarType(
      RelDataTypeFactory typeFactory, RelDataType arg0Type, RelDataType arg1Type) {
    return like(typeFactory, SqlTypeName.DOUBLE, arg0Type);
  }

  private static RelDataType like(
      RelDataTypeFactory factory, SqlTypeName name, RelDataType argument) {
    return factory.createTypeWithNullability(factory.createSqlType(name), argument.isNullable());
  }

  private static RelDataType decimal(RelDataTypeFactory factory, RelDataType like, int scale) {
    return factory.createTypeWithNullability(
        factory.createSqlType(SqlTypeName.DECIMAL, MAX_DIGITS, scale), like.isNullable());
  }
}
