package io.aragonite.adapter.sql.function;

import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;

/** Casts to JSON, whose type is VARCHAR. */
public final class JsonCast {
  private JsonCast() {}

  /** The type JSON where a statement names it. */
  public static SqlBasicTypeNameSpec type(SqlParserPos at) {
    return new JsonName(at);
  }

  /** Whether a call is a cast to JSON. */
  public static boolean is(SqlCall call) {
    return (call.getKind() == SqlKind.CAST || call.getKind() == SqlKind.SAFE_CAST)
        && call.operandCount() > 1
        && call.operand(1) instanceof SqlDataTypeSpec type
        && type.getTypeNameSpec() instanceof JsonName;
  }

  /** VARCHAR by the name of JSON. */
  private static final class JsonName extends SqlBasicTypeNameSpec {
    JsonName(SqlParserPos at) {
      super(SqlTypeName.VARCHAR, at);
    }
  }
}
