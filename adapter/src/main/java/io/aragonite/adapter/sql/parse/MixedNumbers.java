package io.aragonite.adapter.sql.parse;

import java.math.BigDecimal;
import java.util.List;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * A column of VALUES with decimals and floats ({@code 1.5}, {@code 2e0}) is one of floats: the
 * decimals are cast, as Calcite fails where it compares literals of both kinds.
 */
final class MixedNumbers {
  /** Decimals of so many digits are those that a DOUBLE is printed as. */
  private static final int DOUBLE_DIGITS = 15;

  private MixedNumbers() {}

  /**
   * Changes the rows in place.
   *
   * @param rows those of a VALUES
   */
  static void cast(List<SqlNode> rows) {
    int columns = rows.stream().mapToInt(row -> values(row).size()).min().orElse(0);
    for (int i = 0; i < columns; i++) {
      int column = i;
      boolean floats = rows.stream().anyMatch(row -> isNumber(values(row).get(column), false));
      boolean decimals = rows.stream().anyMatch(row -> isNumber(values(row).get(column), true));
      if (floats && decimals) {
        for (SqlNode row : rows) {
          SqlNode value = values(row).get(column);
          if (isNumber(value, true) && isExactAsDouble((SqlNumericLiteral) value)) {
            ((SqlCall) row).setOperand(column, asDouble(value));
          }
        }
      }
    }
  }

  private static List<SqlNode> values(SqlNode row) {
    return row.getKind() == SqlKind.ROW ? ((SqlCall) row).getOperandList() : List.of();
  }

  private static boolean isNumber(SqlNode value, boolean exact) {
    return value instanceof SqlNumericLiteral number
        && (number.getTypeName() == SqlTypeName.DECIMAL) == exact;
  }

  /**
   * Others are as they were: the column that they are inserted into may hold all of their digits.
   */
  private static boolean isExactAsDouble(SqlNumericLiteral number) {
    BigDecimal value = number.bigDecimalValue();
    return value != null && value.precision() <= DOUBLE_DIGITS;
  }

  private static SqlNode asDouble(SqlNode value) {
    SqlParserPos at = value.getParserPosition();
    return SqlStdOperatorTable.CAST.createCall(
        at, value, new SqlDataTypeSpec(new SqlBasicTypeNameSpec(SqlTypeName.DOUBLE, at), at));
  }
}
