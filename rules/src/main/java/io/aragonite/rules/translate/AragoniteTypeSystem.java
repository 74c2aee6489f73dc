package io.aragonite.rules.translate;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * Calcite's type system with decimals of up to 38 digits. Sums widen: of decimals to 38 digits, of
 * integers to BIGINT. Averages of decimals keep at least six digits after the point, those of
 * integers are DOUBLE (Calcite's would be integers), and so are variances. Products and quotients
 * follow SQL Server's rules, which Calcite's defaults state with these limits. All else is
 * Calcite's default: casts truncate, above all.
 */
public final class AragoniteTypeSystem extends RelDataTypeSystemImpl {
  /** The type system; it has no state. */
  public static final AragoniteTypeSystem INSTANCE = new AragoniteTypeSystem();

  private static final int MAX_DIGITS = 38;
  private static final int MIN_AVERAGE_SCALE = 6;

  /** For {@code typeSystem=} in a connect string; others use {@link #INSTANCE}. */
  public AragoniteTypeSystem() {}

  @Override
  public int getMaxPrecision(SqlTypeName typeName) {
    return typeName == SqlTypeName.DECIMAL ? MAX_DIGITS : super.getMaxPrecision(typeName);
  }

  /** Milliseconds are what there is of TIME and TIMESTAMP: a text's are not cut off by a cast. */
  @Override
  public int getDefaultPrecision(SqlTypeName typeName) {
    return typeName == SqlTypeName.TIMESTAMP || typeName == SqlTypeName.TIME
        ? getMaxPrecision(typeName)
        : super.getDefaultPrecision(typeName);
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
        ? like(typeFactory, SqlTypeName.DOUBLE, argumentType)
        : super.deriveAvgAggType(typeFactory, argumentType);
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
