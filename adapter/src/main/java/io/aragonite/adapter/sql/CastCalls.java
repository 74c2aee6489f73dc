package io.aragonite.adapter.sql;

import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;

/** Casts that stand where their values stood. */
final class CastCalls {
  private CastCalls() {}

  /** {@code CAST(value AS type)}. */
  static SqlNode cast(SqlNode value, SqlTypeName type) {
    SqlParserPos at = value.getParserPosition();
    return SqlStdOperatorTable.CAST.createCall(
        at, value, new SqlDataTypeSpec(new SqlBasicTypeNameSpec(type, at), at));
  }
}
