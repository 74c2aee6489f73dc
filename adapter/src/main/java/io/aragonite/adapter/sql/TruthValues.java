package io.aragonite.adapter.sql;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlValidator;

/** A truth value that is cast to a number is 1 or 0, as in PostgreSQL. */
final class TruthValues {
  private TruthValues() {}

  /** Changes the operand of a CAST of a truth value if the type is a number. */
  static void castToNumber(SqlCall cast, SqlValidator validator) {
    RelDataType type = ((SqlDataTypeSpec) cast.operand(1)).deriveType(validator);
    if (!SqlTypeUtil.isNumeric(type)) {
      return;
    }
    SqlParserPos at = cast.getParserPosition();
    SqlNode value = cast.operand(0);
    cast.setOperand(
        0,
        new SqlCase(
            at,
            null,
            SqlNodeList.of(
                SqlStdOperatorTable.IS_TRUE.createCall(at, value),
                SqlStdOperatorTable.IS_FALSE.createCall(at, value)),
            SqlNodeList.of(
                SqlLiteral.createExactNumeric("1", at), SqlLiteral.createExactNumeric("0", at)),
            SqlLiteral.createNull(at)));
  }
}
