package io.aragonite.adapter.metadata;

import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** {@link DatabaseMetaData#getTypeInfo}: the types that columns of our tables can have. */
public final class TypeMetadata {
  private static final List<MetaRows.Column> COLUMNS =
      List.of(
          new MetaRows.Column("TYPE_NAME", String.class),
          new MetaRows.Column("DATA_TYPE", Integer.class),
          new MetaRows.Column("PRECISION", Integer.class),
          new MetaRows.Column("LITERAL_PREFIX", String.class),
          new MetaRows.Column("LITERAL_SUFFIX", String.class),
          new MetaRows.Column("CREATE_PARAMS", String.class),
          new MetaRows.Column("NULLABLE", Short.class),
          new MetaRows.Column("CASE_SENSITIVE", Boolean.class),
          new MetaRows.Column("SEARCHABLE", Short.class),
          new MetaRows.Column("UNSIGNED_ATTRIBUTE", Boolean.class),
          new MetaRows.Column("FIXED_PREC_SCALE", Boolean.class),
          new MetaRows.Column("AUTO_INCREMENT", Boolean.class),
          new MetaRows.Column("LOCAL_TYPE_NAME", String.class),
          new MetaRows.Column("MINIMUM_SCALE", Short.class),
          new MetaRows.Column("MAXIMUM_SCALE", Short.class),
          new MetaRows.Column("SQL_DATA_TYPE", Integer.class),
          new MetaRows.Column("SQL_DATETIME_SUB", Integer.class),
          new MetaRows.Column("NUM_PREC_RADIX", Integer.class));
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
          decimal ? MAX_DIGITS : size(jdbc, 3),
          prefix,
          prefix == null ? null : "'",
          decimal ? "precision,scale" : prefix == null || jdbc == Types.DATE ? null : "length",
          (short) DatabaseMetaData.typeNullable,
          text,
          (short) DatabaseMetaData.typeSearchable,
          !number,
          false,
          false,
          type.getName(),
          (short) 0,
          decimal ? (short) MAX_DIGITS : (short) 0,
          null,
          null,
          number ? 10 : null);
    }
    return rows.sort("DATA_TYPE").resultSet();
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
