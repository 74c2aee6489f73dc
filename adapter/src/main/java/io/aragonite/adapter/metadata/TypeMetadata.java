package io.aragonite.adapter.metadata;

import io.aragonite.exec.type.DataType;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.apache.calcite.rel.type.RelDataTypeSystem;
import org.apache.calcite.sql.type.SqlTypeFactoryImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/** {@link DatabaseMetaData#getTypeInfo}: the types that columns of our tables can have. */
public final class TypeMetadata {
  private static final List<MetaRows.MetaColumn> COLUMNS =
      List.of(
          new MetaRows.MetaColumn("TYPE_NAME", String.class),
          new MetaRows.MetaColumn("DATA_TYPE", Integer.class),
          new MetaRows.MetaColumn("PRECISION", Integer.class),
          new MetaRows.MetaColumn("LITERAL_PREFIX", String.class),
          new MetaRows.MetaColumn("LITERAL_SUFFIX", String.class),
          new MetaRows.MetaColumn("CREATE_PARAMS", String.class),
          new MetaRows.MetaColumn("NULLABLE", Short.class),
          new MetaRows.MetaColumn("CASE_SENSITIVE", Boolean.class),
          new MetaRows.MetaColumn("SEARCHABLE", Short.class),
          new MetaRows.MetaColumn("UNSIGNED_ATTRIBUTE", Boolean.class),
          new MetaRows.MetaColumn("FIXED_PREC_SCALE", Boolean.class),
          new MetaRows.MetaColumn("AUTO_INCREMENT", Boolean.class),
          new MetaRows.MetaColumn("LOCAL_TYPE_NAME", String.class),
          new MetaRows.MetaColumn("MINIMUM_SCALE", Short.class),
          new MetaRows.MetaColumn("MAXIMUM_SCALE", Short.class),
          new MetaRows.MetaColumn("SQL_DATA_TYPE", Integer.class),
          new MetaRows.MetaColumn("SQL_DATETIME_SUB", Integer.class),
          new MetaRows.MetaColumn("NUM_PREC_RADIX", Integer.class));
  private static final List<SqlTypeName> TYPES =
      List.of(
          SqlTypeName.BOOLEAN,
          SqlTypeName.TINYINT,
          SqlTypeName.SMALLINT,
          SqlTypeName.INTEGER,
          SqlTypeName.BIGINT,
          SqlTypeName.DECIMAL,
          SqlTypeName.REAL,
          SqlTypeName.DOUBLE,
          SqlTypeName.DATE,
          SqlTypeName.TIME,
          SqlTypeName.TIMESTAMP,
          SqlTypeName.CHAR,
          SqlTypeName.VARCHAR,
          SqlTypeName.BINARY,
          SqlTypeName.VARBINARY);
  private static final int MAX_DIGITS = 38;

  private static final SqlTypeFactoryImpl FACTORY =
      new SqlTypeFactoryImpl(RelDataTypeSystem.DEFAULT);

  private TypeMetadata() {}

  public static ResultSet resultSet() throws SQLException {
    MetaRows rows = new MetaRows(COLUMNS);
    for (SqlTypeName type : TYPES) {
      int jdbc = type.getJdbcOrdinal();
      boolean decimal = type == SqlTypeName.DECIMAL;
      boolean text = type == SqlTypeName.CHAR || type == SqlTypeName.VARCHAR;
      boolean number = SqlTypeName.NUMERIC_TYPES.contains(type);
      String prefix = prefix(type);
      rows.add(
          type.getName(),
          jdbc,
          decimal ? MAX_DIGITS : size(jdbc, secondDigits(jdbc)),
          prefix,
          prefix == null ? null : "'",
          parameters(type),
          (short) DatabaseMetaData.typeNullable,
          text,
          (short) DatabaseMetaData.typeSearchable,
          !number,
          false,
          false,
          type.getName(),
          (short) 0,
          decimal ? (short) MAX_DIGITS : secondDigits(jdbc),
          null,
          null,
          number ? 10 : null);
    }
    return rows.sort("DATA_TYPE").resultSet();
  }

  /** Digits of the fraction of a second, at most. */
  private static short secondDigits(int jdbc) {
    return switch (jdbc) {
      case Types.TIME -> DataType.MAX_TIME_PRECISION;
      case Types.TIMESTAMP -> DataType.MAX_TIMESTAMP_PRECISION;
      default -> 0;
    };
  }

  /** What stands in parentheses behind a type. */
  private static @Nullable String parameters(SqlTypeName type) {
    return switch (type) {
      case DECIMAL -> "precision,scale";
      case TIME, TIMESTAMP -> "precision";
      case CHAR, VARCHAR, BINARY, VARBINARY -> "length";
      default -> null;
    };
  }

  /** Whether values of a type of {@link Types} can be cast to another. */
  public static boolean canConvert(int from, int to) {
    SqlTypeName source = SqlTypeName.getNameForJdbcType(from);
    SqlTypeName target = SqlTypeName.getNameForJdbcType(to);
    return source != null
        && target != null
        && TYPES.contains(source)
        && TYPES.contains(target)
        && SqlTypeUtil.canCastFrom(
            FACTORY.createSqlType(target), FACTORY.createSqlType(source), true);
  }

  private static @Nullable String prefix(SqlTypeName type) {
    return switch (type) {
      case CHAR, VARCHAR -> "'";
      case BINARY, VARBINARY -> "X'";
      case DATE, TIME, TIMESTAMP -> type.getName() + " '";
      default -> null;
    };
  }

  /**
   * Digits, or characters of the longest value; the largest number where there is no limit.
   *
   * @param precision digits of the fraction of a second, for times
   */
  static int size(int jdbcType, int precision) {
    int fraction = precision > 0 ? precision + 1 : 0;
    return switch (jdbcType) {
      case Types.BOOLEAN, Types.BIT -> 1;
      case Types.TINYINT -> 3;
      case Types.SMALLINT -> 5;
      case Types.INTEGER, Types.DATE -> 10;
      case Types.BIGINT -> 19;
      case Types.REAL -> 7;
      case Types.FLOAT, Types.DOUBLE -> 15;
      case Types.TIME -> 8 + fraction;
      case Types.TIMESTAMP -> 19 + fraction;
      default -> Integer.MAX_VALUE;
    };
  }
}
