package io.aragonite.adapter.sql.function;

import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlCastFunction;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Casts to TIMESTAMP that make no local time of an instant. A function's form is made before types
 * are known; for all but instants these are CAST.
 */
public final class MomentCast {
  private static final SqlOperator OF_UTC = new SqlCastFunction("CAST", SqlKind.CAST);
  private static final SqlOperator UNLESS_INSTANT = new SqlCastFunction("CAST", SqlKind.CAST);

  private MomentCast() {}

  /** A cast that makes UTC's time of an instant. */
  static SqlNode ofUtc(Trees trees, SqlNode value, int precision) {
    return trees.call(OF_UTC, value, timestamp(precision, trees.at));
  }

  /** A cast that leaves an instant as it is. */
  static SqlNode unlessInstant(Trees trees, SqlNode value) {
    return trees.call(UNLESS_INSTANT, value, timestamp(-1, trees.at));
  }

  private static SqlDataTypeSpec timestamp(int precision, SqlParserPos at) {
    return new SqlDataTypeSpec(new SqlBasicTypeNameSpec(SqlTypeName.TIMESTAMP, precision, at), at);
  }

  /** Whether a cast makes UTC's time of an instant. */
  @SuppressWarnings("ReferenceEquality") // it equals CAST
  public static boolean isOfUtc(SqlCall cast) {
    return cast.getOperator() == OF_UTC;
  }

  /** Whether a cast leaves an instant as it is. */
  @SuppressWarnings("ReferenceEquality") // it equals CAST
  public static boolean isUnlessInstant(SqlCall cast) {
    return cast.getOperator() == UNLESS_INSTANT;
  }
}
