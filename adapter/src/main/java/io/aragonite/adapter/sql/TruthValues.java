package io.aragonite.adapter.sql;

import com.google.common.collect.ImmutableSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeCoercionRule;
import org.apache.calcite.sql.type.SqlTypeMappingRule;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlValidator;

/** A truth value that is cast to a number, or added up, is 1 or 0, as in PostgreSQL. */
final class TruthValues {
  /** Calcite's casts, and those of truth values in lists and structs to numbers. */
  static final SqlTypeMappingRule CASTS = casts();

  private TruthValues() {}

  private static SqlTypeMappingRule casts() {
    Map<SqlTypeName, ImmutableSet<SqlTypeName>> known =
        new HashMap<>(SqlTypeCoercionRule.instance().getTypeMapping());
    for (SqlTypeName number : SqlTypeName.NUMERIC_TYPES) {
      known.computeIfPresent(
          number,
          (_, from) ->
              ImmutableSet.<SqlTypeName>builder().addAll(from).add(SqlTypeName.BOOLEAN).build());
    }
    return SqlTypeCoercionRule.instance(known);
  }

  /**
   * Changes the operand of a CAST of a truth value if the type is a number.
   *
   * @param nullable whether the truth value may be null: what is not must not become so
   */
  static void castToNumber(SqlCall cast, SqlValidator validator, boolean nullable) {
    RelDataType type = ((SqlDataTypeSpec) cast.operand(1)).deriveType(validator);
    if (!SqlTypeUtil.isNumeric(type)) {
      return;
    }
    cast.setOperand(0, asNumber(cast.operand(0), nullable));
  }

  /** 1 or 0. */
  static SqlNode asNumber(SqlNode value, boolean nullable) {
    SqlParserPos at = value.getParserPosition();
    SqlNode one = SqlLiteral.createExactNumeric("1", at);
    SqlNode zero = SqlLiteral.createExactNumeric("0", at);
    return nullable
        ? new SqlCase(
            at,
            null,
            SqlNodeList.of(
                SqlStdOperatorTable.IS_TRUE.createCall(at, value),
                SqlStdOperatorTable.IS_FALSE.createCall(at, value)),
            SqlNodeList.of(one, zero),
            SqlLiteral.createNull(at))
        : new SqlCase(at, null, SqlNodeList.of(value), SqlNodeList.of(one), zero);
  }
}
